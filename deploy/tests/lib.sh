# shellcheck shell=bash
# Shared by the scripts here. Source it; then `start_server` and the rest are there.
# Everything runs on free loopback ports in a folder of its own, and goes when the script ends.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../.." && pwd)
# Where the release binaries are.
bin=${HASHLANE_BIN:-${CARGO_TARGET_DIR:-$root/target}/release}
work=$(mktemp -d)
pids=()

# Ends the started processes by their ids, then removes the folder. Scripts with more to
# clean up define `cleanup_more`.
cleanup() {
    local status=$?
    trap - EXIT
    if ((status != 0)) && [[ -s $work/server.log ]]; then
        echo "--- the server's log" >&2
        tail -n 40 -- "$work/server.log" >&2
    fi
    if declare -F cleanup_more >/dev/null; then cleanup_more || true; fi
    local pid
    for pid in "${pids[@]}"; do
        kill -- "$pid" 2>/dev/null || continue
        wait "$pid" 2>/dev/null || true
    done
    rm -rf -- "$work"
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

fail() {
    echo "$(basename -- "$0"): $*" >&2
    exit 1
}

need() {
    local program
    for program in "$@"; do
        command -v -- "$program" >/dev/null || fail "$program is needed and not installed"
    done
}

# make_venv FOLDER PINS: a Python environment with what the file of requirements pins. It is kept, and made
# anew when a pin changes.
make_venv() {
    cmp -s -- "$2" "$1/installed" && return
    rm -rf -- "$1"
    python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check --retries 5 --requirement "$2"
    "$1/bin/pip" --disable-pip-version-check check >/dev/null
    cp -- "$2" "$1/installed"
}

# free_ports N: N different free loopback ports, one line.
free_ports() {
    python3 - "$1" <<'PY'
import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in held))
PY
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.1
    done
}

ready_or_gone() { curl -fsS "$admin/readyz" || ! kill -0 "$server_pid"; }

# start_server [FLAG...]: sets server_pid, server (URL) and admin (URL) once it is ready. The program is
# $server_program, if that is set.
start_server() {
    local grpc_port admin_port
    # Not `< <(...)`: the ports are free only once the program that found them has ended.
    read -r grpc_port admin_port <<<"$(free_ports 2)"
    # shellcheck disable=SC2034 # the scripts that source this use it
    server=http://127.0.0.1:$grpc_port
    admin=http://127.0.0.1:$admin_port
    "${server_program:-$bin/hashlane-server}" --listen "127.0.0.1:$grpc_port" --admin-listen "127.0.0.1:$admin_port" "$@" \
        >"$work/server.log" 2>&1 &
    server_pid=$!
    pids+=("$server_pid")
    wait_for 30 ready_or_gone || true
    kill -0 "$server_pid" 2>/dev/null || fail "the server ended at once: $(cat "$work/server.log")"
    curl -fsS "$admin/readyz" >/dev/null || fail "the server is not ready after 30 s"
}

# stop_server: SIGTERM; the drain must end with exit code 0.
stop_server() {
    local status=0
    kill -TERM "$server_pid"
    wait "$server_pid" || status=$?
    ((status == 0)) || fail "the server ended with exit code $status after SIGTERM"
}

# real_files COUNT: that many real files, chosen the same way every time, NUL-separated: the
# sources of this project's dependencies, ordered by the hash of their names so that sizes mix.
real_files() {
    local registry=${CARGO_HOME:-$HOME/.cargo}/registry
    find "$registry/src" "$registry/cache" -type f -size -8M -print0 |
        python3 -c '
import hashlib, os, sys
paths = [p for p in sys.stdin.buffer.read().split(b"\0") if p]
paths.sort(key=lambda p: (hashlib.sha256(os.path.basename(p)).digest(), p))
sys.stdout.buffer.write(b"".join(p + b"\0" for p in paths[: int(sys.argv[1])]))
' "$1"
}
