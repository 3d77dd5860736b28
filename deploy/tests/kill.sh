#!/usr/bin/env bash
# Clients that are killed (SIGKILL) in the middle of parts, 20 unless another number is given: the server must be
# left with nothing of them, and go on.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=deploy/tests/gauges.sh
source "$here/gauges.sh"
need curl sha256sum
kills=${1:-20}
at_a_time=5
# Each client digests files that do not end.
files=(/dev/zero /dev/zero /dev/zero)
algorithms=sha256,md5
jobs_of_client=$((${#files[@]} * 2))

all_parts_are_open() { (($(sum_of hashlane_open_jobs) == ${#clients[@]} * jobs_of_client)); }

start_server
killed=0
resident_first=
while ((killed < kills)); do
    clients=()
    while ((${#clients[@]} < at_a_time && killed + ${#clients[@]} < kills)); do
        "$bin/hashlane" sum --server "$server" --algorithm "$algorithms" --connections 2 "${files[@]}" \
            >/dev/null 2>&1 &
        clients+=("$!")
        pids+=("$!")
    done
    wait_for 60 all_parts_are_open || fail "after $killed kills, parts do not open: $(sum_of hashlane_open_jobs) digests"
    for client in "${clients[@]}"; do
        kill -KILL "$client"
        # The shell would tell of it.
        { wait "$client" || true; } 2>/dev/null
    done
    killed=$((killed + ${#clients[@]}))
    pids=("$server_pid")
    wait_for 60 all_is_zero || fail "after $killed kills: $(left)"
    resident_first=${resident_first:-$(resident_kib)}
done

cancelled=$(sum_of hashlane_parts_total)
((cancelled >= kills * ${#files[@]})) || fail "$cancelled parts were begun by $kills clients"
head -c 3000001 /dev/urandom >"$work/file"
"$bin/hashlane" sum --server "$server" "$work/file" | cmp - <(sha256sum -- "$work/file") || fail "a digest is wrong"
echo "$kills clients killed in the middle of parts: all gauges are zero," \
    "$((resident_first / 1024)) MiB resident after the first $at_a_time, $(($(resident_kib) / 1024)) MiB at the end"
stop_server
