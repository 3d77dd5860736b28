#!/usr/bin/env bash
# For 30 s programs of higher priority leave the server no CPU time: one spins in the real-time class and ten at nice
# -20 on all cores but the last, so that who looks at the workers has time and they have not, then on every core. The
# server must keep its connections and its workers, and stay ready.
# Needs root, or CAP_SYS_NICE, and two cores. Whatever else runs on this machine stands still meanwhile.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need chrt curl nice nproc sha256sum taskset timeout
seconds_all=10
seconds_most=20

# value_of NAME: the metric, summed over its labels.
value_of() {
    curl -fsS --max-time 20 "$admin/metrics" |
        awk -v name="$1" '$1 ~ "^" name "([{]|$)" { sum += $2; found = 1 } END { if (!found) exit 1; printf "%d\n", sum }'
}

# The kernel leaves other programs 5% of each second. Without that nothing could end the spinners.
runtime=$(cat /proc/sys/kernel/sched_rt_runtime_us) period=$(cat /proc/sys/kernel/sched_rt_period_us)
((runtime >= 0 && runtime < period)) || fail "real-time programs are not bounded here (kernel.sched_rt_runtime_us is $runtime)"
chrt --fifo 2 nice -n -20 true || fail "this user may not use the real-time class and nice -20"

start_server
# A part that is open meanwhile.
head -c 3000001 /dev/urandom >"$work/file"
mkfifo "$work/pipe"
"$bin/hashlane" sum --server "$server" - <"$work/pipe" >"$work/sum" 2>"$work/sum.err" &
client=$!
pids+=("$client")
exec 3>"$work/pipe"
head -c 2000000 "$work/file" >&3
wait_for 30 test "$(value_of hashlane_open_jobs)" = 1 || true
(($(value_of hashlane_open_jobs) == 1)) || fail "no part is open"
connections=$(value_of hashlane_connections)

# waits: of each worker its nanoseconds on a CPU and without one, and how often it got one.
waits() {
    local thread
    for thread in "/proc/$server_pid/task"/*; do
        [[ $(<"$thread/comm") != worker-* ]] || echo "$(<"$thread/comm"): $(<"$thread/schedstat");"
    done | paste -sd' '
}

# What starts and ends the spinners runs before them.
cat >"$work/spin" <<'SPIN'
seconds=$1
spin() { timeout --kill-after=1 "$seconds" taskset --cpu-list "$core" "$@" bash -c 'while :; do :; done' & }
for core in "${@:2}"; do
    for _ in {1..10}; do spin chrt --other 0 nice -n -20; done
    spin chrt --fifo 1
done
wait
SPIN
mapfile -t cores < <(taskset --cpu-list --pid $$ | sed 's/.*: //' | tr ',' '\n' |
    awk -F- '{ for (core = $1; core <= $NF; core++) print core }')
((${#cores[@]} > 1)) || fail "one core is too few"
# This script, and of the server all threads but the workers: the kernel may leave one where others spin.
taskset --cpu-list --pid "${cores[-1]}" $$ >/dev/null
for thread in "/proc/$server_pid/task"/*; do
    [[ $(<"$thread/comm") == worker-* ]] || taskset --cpu-list --pid "${cores[-1]}" "${thread##*/}" >/dev/null
done
before=$(waits)
chrt --fifo 3 bash "$work/spin" "$seconds_most" "${cores[@]::${#cores[@]}-1}" 2>/dev/null &
spinning=$!
pids+=("$spinning")
# stalls: the first worker has not beaten for 4 s, so it has no CPU time.
stalls() {
    local beats
    beats=$(curl -fsS "$admin/metrics" | grep '^hashlane_worker_beats_total{worker="0"}')
    sleep 4
    curl -fsS "$admin/metrics" | grep -qxF "$beats"
}
wait_for "$seconds_most" stalls || fail "no worker starves: $before before, $(waits) now"
kill -0 "$spinning" || fail "the workers starve too late"
curl -fsS "$admin/readyz" >/dev/null || fail "the server is not ready while its workers starve"
curl -fsS "$admin/healthz" >/dev/null || fail "the server is not healthy while its workers starve"
wait "$spinning" || true
chrt --fifo 3 bash "$work/spin" "$seconds_all" "${cores[@]}" 2>/dev/null

kill -0 "$server_pid" 2>/dev/null || fail "the server has ended"
tail -c +2000001 "$work/file" >&3
exec 3>&-
wait "$client" || fail "the part that was open failed: $(cat "$work/sum.err")"
cut -d' ' -f1 <"$work/sum" | cmp - <(sha256sum <"$work/file" | cut -d' ' -f1) || fail "its digest is wrong"
curl -fsS "$admin/readyz" >/dev/null || fail "the server is not ready"
for metric in hashlane_worker_restarts_total hashlane_worker_hangs_total hashlane_calls_cut_total; do
    (($(value_of "$metric") == 0)) || fail "$metric is $(value_of "$metric")"
done
delay=$(value_of hashlane_worker_run_delay_seconds_total)
((delay >= seconds_most / 2)) || fail "the workers waited for a CPU for $delay s only: this test has starved nobody"
echo "spinners on ${#cores[@]} cores for $((seconds_all + seconds_most)) s: the workers of an idle server waited $delay s for a CPU;" \
    "$connections connections were kept"
stop_server
