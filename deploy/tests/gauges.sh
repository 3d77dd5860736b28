# shellcheck shell=bash
# What a server has in use, for scripts that check that nothing is left. Source it after lib.sh.
# shellcheck disable=SC2154 # lib.sh sets admin and server_pid

gauges=(
    hashlane_connections hashlane_streams hashlane_open_jobs hashlane_ready_jobs hashlane_buffered_bytes
    hashlane_budget_used
)

# sum_of NAME: the metric, summed over its labels.
sum_of() {
    curl -fsS --max-time 20 "$admin/metrics" |
        awk -v name="$1" '$1 ~ "^" name "([{]|$)" { sum += $2; found = 1 } END { if (!found) exit 1; printf "%d\n", sum }'
}

all_is_zero() {
    local gauge
    for gauge in "${gauges[@]}"; do (($(sum_of "$gauge") == 0)) || return 1; done
}

# left: the gauges that are not zero.
left() {
    curl -fsS "$admin/metrics" | grep -E "^($(IFS='|' && echo "${gauges[*]}"))[ {]" | grep -v ' 0$'
}

resident_kib() { awk '/^VmRSS:/ { print $2 }' "/proc/$server_pid/status"; }
