#!/usr/bin/env bash
# Builds the image from the static binary and runs it: not as root, ready, right digests, healthy by its own
# health check, and a clean exit after SIGTERM; then with little memory and its defaults under hostile clients: not
# killed, and an honest client is served. Needs buildah, podman and runc; no Docker engine.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need buildah podman runc curl sha256sum file openssl python3 objcopy objdump nm addr2line
target=x86_64-unknown-linux-musl
binary=${CARGO_TARGET_DIR:-$root/target}/$target/release/hashlane-server
[[ -x $binary ]] || fail "build it first: cargo build --release --target $target -p hashlane-server"
file -b -- "$binary" | grep -Eq 'static(-pie|ally) linked' || fail "$binary is not linked statically"

# Storage and settings of this run only. The ulimits are below what a confined root may ask for.
cat >"$work/storage.conf" <<EOF
[storage]
driver = "vfs"
graphroot = "$work/graph"
runroot = "$work/run"
EOF
cat >"$work/containers.conf" <<EOF
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
EOF
export CONTAINERS_STORAGE_CONF=$work/storage.conf CONTAINERS_CONF=$work/containers.conf
# A health check would otherwise be a systemd timer; it is run by hand below.
export DISABLE_HC_SYSTEMD=true
container=hashlane-test-$$
run_podman() { podman --root "$work/graph" --runroot "$work/run" --tmpdir "$work/tmp" --storage-driver vfs "$@"; }
cleanup_more() {
    ((${status:-0} == 0)) || run_podman logs "$container" >&2 || true
    run_podman rm --force --ignore "$container" >/dev/null 2>&1 || true
}

# A context of the binary alone, where the Dockerfile looks for it.
mkdir -p "$work/context/target/$target/release"
program=$work/context/target/$target/release/hashlane-server
cp -- "$binary" "$program"
"$root/deploy/split-debug" "$program"
# awk reads to the end: nm would otherwise die of SIGPIPE, and this script of nm.
address=$(nm -- "$program" | awk '/ [tT] .*hashlane_server/ && !found { print $1; found = 1 }')
line=$(addr2line -e "$program" "$address")
[[ $line == *server/src/*.rs:* ]] || fail "the debug information beside the program does not tell lines: $line"
if "$root/deploy/split-debug" "$program" 2>/dev/null; then fail "debug information was split twice"; fi
# `docker` format: OCI's has no health check.
buildah bud --isolation chroot --format docker --quiet --file "$root/deploy/container/Dockerfile" \
    --target prebuilt --build-arg "TARGET=$target" --tag hashlane:test "$work/context" >/dev/null
bytes=$(run_podman image inspect --format '{{.Size}}' hashlane:test)
echo "image of $((bytes / 1024 / 1024)) MiB"
((bytes < 24 << 20)) || fail "the image has more than the program without debug information"

mkdir "$work/tls"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=test -days 2 \
    -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=CA:FALSE -keyout "$work/tls/tls.key" -out "$work/tls/tls.crt" 2>/dev/null
# As deploy/README.md has it: the key is its owner's alone, who is the container's user.
chmod 755 "$work" "$work/tls"
chown 65532:65532 "$work/tls/tls.key"

read -r grpc_port admin_port < <(free_ports 2)
admin=http://127.0.0.1:$admin_port
run_podman run --detach --name "$container" --network host --read-only --cap-drop ALL \
    --security-opt no-new-privileges \
    --volume "$work/tls:/tls:ro" \
    --env "HASHLANE_TLS__LISTEN=127.0.0.1:$grpc_port" --env "HASHLANE_ADMIN_LISTEN=127.0.0.1:$admin_port" \
    hashlane:test >/dev/null
wait_for 30 curl -fsS "$admin/readyz" || fail "the container is not ready after 30 s"

pid=$(run_podman inspect --format '{{.State.Pid}}' "$container")
uid=$(awk '/^Uid:/ { print $2 }' "/proc/$pid/status")
((uid == 65532)) || fail "the server runs as uid $uid"
cap=$(awk '/^CapEff:/ { print $2 }' "/proc/$pid/status")
[[ $cap == 0000000000000000 ]] || fail "the server has capabilities $cap"

head -c 5000001 /dev/urandom >"$work/file"
"$bin/hashlane" sum --server "https://127.0.0.1:$grpc_port" --ca "$work/tls/tls.crt" "$work/file" >"$work/sum"
sha256sum -- "$work/file" | cmp - "$work/sum" || fail "the container's digest differs from sha256sum's"

run_podman healthcheck run "$container" || fail "the health check fails on a healthy server"

run_podman kill --signal TERM "$container" >/dev/null
code=$(run_podman wait "$container")
((code == 0)) || fail "exit code $code after SIGTERM"
run_podman rm "$container" >/dev/null
echo "uid $uid, no capabilities, digest over TLS equal to sha256sum's, healthy, exit code 0 after SIGTERM"

# of_memory PID NAME_V1 NAME_V2 [KEY]: what the process's memory cgroup says, of either version.
of_memory() {
    local path
    if path=$(grep -oP '^\d+:memory:\K.*' "/proc/$1/cgroup"); then
        path=/sys/fs/cgroup/memory$path/$2
    else
        path=/sys/fs/cgroup$(grep -oP '^0::\K.*' "/proc/$1/cgroup")/$3
    fi
    if (($# > 3)); then awk -v key="$4" '$1 == key { print $2 }' "$path"; else cat "$path"; fi
}
oom_kills() { of_memory "$pid" memory.oom_control memory.events oom_kill; }

# hostile_suite MEMORY: the defaults in a container with so much.
hostile_suite() {
    local memory=$1 seconds_each=0.4 kinds honest limit peak
    read -r grpc_port tls_port admin_port <<<"$(free_ports 3)"
    admin=http://127.0.0.1:$admin_port
    run_podman run --detach --name "$container" --network host --read-only --cap-drop ALL \
        --security-opt no-new-privileges --memory "$memory" --memory-swap "$memory" \
        --volume "$work/tls:/tls:ro" --env "HASHLANE_LISTEN=127.0.0.1:$grpc_port" \
        --env "HASHLANE_TLS__LISTEN=127.0.0.1:$tls_port" --env "HASHLANE_ADMIN_LISTEN=127.0.0.1:$admin_port" \
        hashlane:test >/dev/null
    wait_for 30 curl -fsS "$admin/readyz" || fail "the container of $memory is not ready after 30 s"
    pid=$(run_podman inspect --format '{{.State.Pid}}' "$container")
    limit=$(of_memory "$pid" memory.limit_in_bytes memory.max)
    ((limit == $(numfmt --from=iec "${memory^^}"))) || fail "the container may take $limit bytes"

    : >"$work/flood.json"
    # Each kind by itself, from an address that is not the honest client's.
    kinds=$("$bin/hashlane-loadtest" flood --help | grep -cE '^ +- ')
    "$bin/hashlane-loadtest" run --server "http://127.0.0.1:$grpc_port" --admin "$admin" --connections 1 --streams 4 \
        --part-size 256KiB --duration "$((kinds * 4 / 10 + 3))s" >"$work/honest.json" 2>"$work/honest.txt" &
    honest=$!
    pids+=("$honest")
    for port in "--server 127.0.0.1:$grpc_port" "--server 127.0.0.1:$tls_port --tls"; do
        # shellcheck disable=SC2086 # two words
        "$bin/hashlane-loadtest" flood $port --seconds "$seconds_each" --hostile 64 >>"$work/flood.json" 2>>"$work/flood.txt"
    done
    # Status 3 only says that the client had too little of the CPU.
    wait "$honest" || (($? == 3)) || fail "in $memory the honest client was not served: $(cat "$work/honest.txt" "$work/flood.txt")"

    kinds=$(wc -l <"$work/flood.json")

    # All that hold memory, and then all, together, each from an address of its own: they may take all there is, but
    # no more.
    "$bin/hashlane-loadtest" flood --server "127.0.0.1:$grpc_port" --together --seconds 3 --hostile 6 \
        --flood open-parts,held-data,whole-messages,zero-windows,unread-answers,endless-headers,half-prefaces,open-calls \
        >>"$work/together.json" 2>>"$work/flood.txt"
    "$bin/hashlane-loadtest" flood --server "127.0.0.1:$grpc_port" --together --seconds 3 --hostile 64 \
        >>"$work/together.json" 2>>"$work/flood.txt"
    # The last connections of the floods are still in the way of new ones for a moment.
    wait_for 30 "$bin/hashlane" info --server "https://127.0.0.1:$tls_port" --ca "$work/tls/tls.crt" ||
        fail "in $memory nobody is served after the floods"
    "$bin/hashlane" sum --server "https://127.0.0.1:$tls_port" --ca "$work/tls/tls.crt" "$work/file" >"$work/sum"
    sha256sum -- "$work/file" | cmp - "$work/sum" || fail "in $memory the digest after the floods is wrong"
    (($(oom_kills) == 0)) || fail "the container of $memory was out of memory"
    peak=$(of_memory "$pid" memory.max_usage_in_bytes memory.peak)
    [[ $(run_podman inspect --format '{{.State.OOMKilled}} {{.State.Status}}' "$container") == "false running" ]] ||
        fail "the container of $memory does not run any more"
    run_podman kill --signal TERM "$container" >/dev/null
    code=$(run_podman wait "$container")
    ((code == 0)) || fail "exit code $code after SIGTERM"
    run_podman rm "$container" >/dev/null
    echo "in $memory, $kinds kinds of floods: not killed, $((peak / 1024 / 1024)) MiB at the most; the honest client had" \
        "$(python3 -c 'import json, sys; of = json.load(sys.stdin)["totals"]; print(round(of["gb_per_s"] * 1000), "MB/s,", of["errors"], "errors,", of["mismatches_wrong"], "wrong digests")' <"$work/honest.json")"
}
hostile_suite 256m
hostile_suite 1g
