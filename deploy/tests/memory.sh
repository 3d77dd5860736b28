#!/usr/bin/env bash
# Shared memory with clients that die or attack. First, 10,000 uploads while a client is killed every 50 ms: all
# digests are right, and memory and descriptors return to where they began. Then, clients of another user that break
# the rules (memory/hostile.py): digests are right, and the table says what each leaves of an honest client's rate.
# memory.sh [UPLOADS]
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=deploy/tests/gauges.sh
source "$here/gauges.sh"
need chrt curl python3 setpriv sha256sum taskset
uploads=${1:-10000}
files=100
venv=${CARGO_TARGET_DIR:-$root/target}/ci-tools/memory
make_venv "$venv" "$here/memory/requirements.txt"

descriptors() { find "/proc/$server_pid/fd" -mindepth 1 | wc -l; }
mappings() { grep -c memfd "/proc/$server_pid/maps" || true; }

# Another user's clients may connect too.
chmod 755 "$work"
socket=$work/socket
start_server --listen-unix "$socket" --unix-socket-mode 0666 --workers 1

# Sizes around that of a slot.
mkdir "$work/files"
for ((i = 0; i < files; i++)); do head -c $((1000 + i * 2000)) /dev/urandom >"$work/files/$i"; done
(cd "$work/files" && sha256sum -- *) >"$work/expected"

# upload COUNT: that many uploads; every digest must be right.
upload() {
    local names=("$work"/files/*) round
    for ((round = 0; round < $1 / files; round++)); do printf '%s\0' "${names[@]##*/}"; done |
        (cd "$work/files" && xargs -0 -n 100 "$bin/hashlane" sum --server "unix:$socket" --) | sort -u |
        cmp - <(sort "$work/expected") || fail "a digest is wrong"
}

# Starts a client every 50 ms that digests a file without an end, and kills the client that started 200 ms before.
kill_clients() {
    local running=() killed=0
    trap 'kill -KILL "${running[@]}" 2>/dev/null; echo "$killed" >"$work/killed"; exit' TERM
    while true; do
        "$bin/hashlane" sum --server "unix:$socket" --connections 1 /dev/zero /dev/zero >/dev/null 2>&1 &
        running+=("$!")
        sleep 0.05
        if ((${#running[@]} > 4)); then
            kill -KILL "${running[0]}"
            { wait "${running[0]}" || true; } 2>/dev/null
            running=("${running[@]:1}")
            killed=$((killed + 1))
        fi
    done
}

# The first round fills caches and pools.
for ((round = 0; round < 2; round++)); do
    kill_clients 2>/dev/null &
    killer=$!
    pids+=("$killer")
    upload $((round == 0 ? 1000 : uploads))
    kill -TERM "$killer"
    wait "$killer" || true
    pids=("$server_pid")
    wait_for 60 all_is_zero || fail "something is left: $(left)"
    # A connection of the admin port may still be open.
    sleep 0.5
    now="$(descriptors) descriptors, $(mappings) mappings"
    [[ ${before:-$now} == "$now" ]] || fail "before: $before; now: $now"
    before=$now
    resident_before=${resident_before:-$(resident_kib)}
done
(($(mappings) == 0)) || fail "memory is still mapped"
resident=$(resident_kib)
((resident <= resident_before + (32 << 10))) || fail "$resident KiB resident, $resident_before before"
shared=$(sum_of hashlane_shared_memory_bytes_total)
((shared > uploads * 80000)) || fail "only $shared bytes came through shared memory"
echo "$uploads uploads right, $(<"$work/killed") clients killed meanwhile: $now," \
    "$((resident_before >> 10)) MiB resident before, $((resident >> 10)) MiB after"

# as_another COMMAND...: becomes a program of a user who is another client of the server. Run it with `&`.
# It has only the CPU time that the honest client leaves, so that what it does to the server is measured.
as_another() {
    PYTHONPATH=$root/client/python/src exec chrt --idle 0 setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# rate: the MB/s of an honest client whose files are in memory.
head -c $((64 << 20)) /dev/zero >"$work/large"
expected=$(sha256sum <"$work/large")
large=() endless=()
for ((i = 0; i < 32; i++)); do large+=("$work/large") endless+=(/dev/zero); done
rate() {
    local start=$EPOCHREALTIME
    "$bin/hashlane" sum --server "unix:$socket" "${large[@]}" | cut -d ' ' -f 1 | sort -u | cmp - <(echo "${expected%% *}") ||
        fail "a digest is wrong"
    awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { printf "%d\n", 32 * 67.108864 / (end - start) }'
}
# The server has a CPU to itself.
taskset -cp 1 "$server_pid" >/dev/null
taskset -cp 0 $$ >/dev/null
printf 'alone: %d MB/s\n' "$(rate)"
for attack in honest flood unread outside regions rewrite holes; do
    if [[ $attack == honest ]]; then
        as_another "$bin/hashlane" sum --server "unix:$socket" "${endless[@]}" >/dev/null 2>&1 &
    else
        as_another "$venv/bin/python" -B "$here/memory/hostile.py" "$attack" "$socket" >"$work/hostile.log" 2>&1 &
    fi
    hostile=$!
    pids+=("$hostile")
    [[ $attack == honest ]] || wait_for 30 grep -q attacks "$work/hostile.log" ||
        fail "$attack does not begin: $(<"$work/hostile.log")"
    measured=$(rate)
    kill -0 "$hostile" || fail "$attack has ended: $(<"$work/hostile.log")"
    kill -TERM "$hostile"
    { wait "$hostile" || true; } 2>/dev/null
    pids=("$server_pid")
    [[ $attack != honest ]] || beside=$measured
    printf '%s: %d MB/s, %d%% of the rate beside an honest client of another user\n' \
        "$attack" "$measured" $((100 * measured / beside))
done
wait_for 60 all_is_zero || fail "something is left of the hostile clients"
(($(mappings) == 0)) || fail "memory of a hostile client is still mapped"
stop_server
