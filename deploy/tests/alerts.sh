#!/usr/bin/env bash
# Each alert of prometheus/rules.yml fires and resolves: real servers, a real Prometheus, real causes. The rules are the
# deployed ones, with shorter times. docs/runbook.md describes the causes; it must have a section for each alert.
# Servers that panic, hang and miscalculate are server/examples/faulty.rs: cargo build -p hashlane-server --example faulty
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need chrt curl jq openssl prometheus promtool sha256sum taskset timeout
faulty=${HASHLANE_FAULTY:-${CARGO_TARGET_DIR:-$root/target}/debug/examples/faulty}
[[ -x $faulty ]] || fail "$faulty is not built"
rules=$root/deploy/prometheus/rules.yml
runbook=$root/docs/runbook.md
seconds_max=240

# Every alert has its section in the runbook, a link to it, and a row in deploy/README.md.
mapfile -t alerts < <(sed -n 's/^ *- alert: //p' "$rules")
((${#alerts[@]} > 0)) || fail "rules.yml has no alert"
for alert in "${alerts[@]}"; do
    grep -qx "## $alert" "$runbook" || fail "docs/runbook.md has no section $alert"
    grep -q "runbook_url: https://.*/docs/runbook.md#${alert,,}\$" "$rules" || fail "$alert has no runbook_url"
    grep -q "^| \`$alert\`" "$root/deploy/README.md" || fail "deploy/README.md has no row for $alert"
done

# It names only metrics and recording rules that there are.
while read -r name; do
    grep -qw -- "$name" "$root/docs/metrics.md" || grep -qx " *- record: $name" "$rules" ||
        fail "docs/runbook.md names $name, which is not there"
done < <(grep -oE '(instance[a-z_]*:)?hashlane_[a-z0-9_:]*[a-z0-9]' "$runbook" | sort -u)

# The servers, by what happens to them: each is an instance of that name.
instances=(down certificate bounds workers kernel load starved)
declare -A grpc admins server_pids
read -r -a ports <<<"$(free_ports $((2 * ${#instances[@]} + 2)))"
for i in "${!instances[@]}"; do
    grpc[${instances[i]}]=127.0.0.1:${ports[2 * i]}
    admins[${instances[i]}]=127.0.0.1:${ports[2 * i + 1]}
done
prometheus=http://127.0.0.1:${ports[-1]}
tls=127.0.0.1:${ports[-2]}

cleanup_more() {
    ((status == 0)) || grep -hv ' kernels ' -- "$work"/*.log | tail -n 60 >&2
}

is_ready() { curl -fsS "http://${admins[$1]}/readyz"; }

# start INSTANCE COMMAND...: starts a server on the instance's ports, and waits until it is ready. The file
# INSTANCE.commands, if there is one, is its standard input.
start() {
    local name=$1 input=/dev/null
    shift
    [[ ! -p $work/$name.commands ]] || input=$work/$name.commands
    "$@" --listen "${grpc[$name]}" --admin-listen "${admins[$name]}" <"$input" >>"$work/$name.log" 2>&1 &
    server_pids[$name]=$!
    pids+=("$!")
    wait_for 60 is_ready "$name" || fail "the server $name is not ready"
}

# background COMMAND...: sets background to the process's id.
background() {
    "$@" >>"$work/clients.log" 2>&1 &
    background=$!
    pids+=("$background")
}

# end SIGNAL PID...: ends these processes.
end() {
    local pid
    kill "-$1" -- "${@:2}" 2>/dev/null || true
    for pid in "${@:2}"; do
        # The shell would tell of it.
        { wait "$pid" || true; } 2>/dev/null
    done
}

# value_of INSTANCE SAMPLE: the metric's value.
value_of() { curl -fsS "http://${admins[$1]}/metrics" | awk -v sample="$2" '$1 == sample { print $2 }'; }

# slow_uploads INSTANCE N: N uploads that send 64 KiB every two seconds.
slow_uploads() {
    local next=() i
    for ((i = 0; i < $2; i++)); do
        ((i == 0)) || next+=(--next)
        next+=(--silent --output /dev/null --limit-rate 32k --upload-file "$work/file"
            "http://${grpc[$1]}/v1/digest?algorithm=sha512")
    done
    background timeout "$seconds_max" curl --no-progress-meter --parallel --parallel-immediate --parallel-max "$2" "${next[@]}"
}

# load INSTANCE STREAMS COMMAND...: COMMAND is a prefix of the load generator's.
load() {
    local name=$1 streams=$2
    shift 2
    background timeout "$seconds_max" "$@" "$bin/hashlane-loadtest" run --server "http://${grpc[$name]}" --admin off \
        --connections 2 --streams "$streams" --part-size 1MiB --parts-per-stream 1000 --algorithm sha512 \
        --duration "${seconds_max}s" --tcp-congestion reno
}

# state ALERT INSTANCE: firing, pending or nothing. HashlaneGone has no instance.
state() {
    curl -fsS "$prometheus/api/v1/alerts" | jq -r --arg alert "$1" --arg instance "$2" \
        '[.data.alerts[] | select(.labels.alertname == $alert and (.labels.instance // "") == $instance) | .state] | max // ""'
}
is_state() { [[ $(state "$1" "$2") == "$3" ]]; }
seconds_left() {
    local left=$((seconds_max - SECONDS))
    echo $((left < 60 ? left : 60))
}
is_quiet() { [[ $(curl -fsS "$prometheus/api/v1/alerts" | jq '.data.alerts | length') == 0 ]]; }

# all_are_known: each instance was scraped three times, so that a counter's first step counts.
all_are_known() {
    curl -fsS "$prometheus/api/v1/query" --data-urlencode 'query=count(sum_over_time(up[1m]) >= 3)' |
        jq -e --arg count "${#instances[@]}" '.data.result[0].value[1] == $count'
}

declare -A fired
since=0
# cause WHAT: what is done now. Times are counted from here.
cause() {
    since=$SECONDS
    echo "$1"
}
fires() {
    wait_for "$(seconds_left)" is_state "$1" "$2" firing ||
        fail "$1 of ${2:-nobody} does not fire: $(curl -fsS "$prometheus/api/v1/alerts" | jq -c '.data.alerts[] | [.labels, .state]')"
    fired[$1]=1
    echo "  $1 fires after $((SECONDS - since)) s"
}
resolves() {
    wait_for "$(seconds_left)" is_state "$1" "$2" "" || fail "$1 of ${2:-nobody} does not resolve"
    echo "  $1 has resolved after $((SECONDS - since)) s"
}

# The deployed configuration and rules, but faster, and with targets of a file. It begins with none.
mkdir "$work/prometheus"
targets=$work/prometheus/targets.json
echo '[]' >"$targets"
# Times that differ there differ here.
sed -E -e 's/\[1m\]/[5s]/; s/\[5m\]/[10s]/; s/\[1[05]m\]/[15s]/; s/^( *for:) [0-9]+m$/\1 2s/' "$rules" \
    >"$work/prometheus/rules.yml"
sed -E -e 's/_interval: 5s/_interval: 1s/; s/static_configs:/file_sd_configs:/' \
    -e 's/- targets: .*/- files: [targets.json]/' "$root/deploy/prometheus/prometheus.yml" >"$work/prometheus/prometheus.yml"
if grep -E '\[[0-9]+m\]|for: [0-9]+m' "$work/prometheus/rules.yml"; then fail "these times are as long as they were"; fi
promtool check config "$work/prometheus/prometheus.yml" >"$work/promtool.log"
cause "no instance is known"
background prometheus --config.file="$work/prometheus/prometheus.yml" --storage.tsdb.path="$work/prometheus/data" \
    --web.listen-address="${prometheus#http://}" --log.level=warn
wait_for 60 curl -fsS "$prometheus/-/ready" || fail "prometheus is not ready"
fires HashlaneGone ""

# certificate DAYS: the server's certificate for so long; the key stays.
openssl ecparam -name prime256v1 -genkey -noout -out "$work/server.key"
certificate() {
    openssl req -x509 -key "$work/server.key" -days "$1" -subj /CN=hashlane -out "$work/new.pem"
    mv -- "$work/new.pem" "$work/server.pem"
}
certificate 30
mkfifo "$work/workers.commands" "$work/kernel.commands"
# Held open, so that the servers' standard input does not end.
exec {commands_workers}<>"$work/workers.commands" {commands_kernel}<>"$work/kernel.commands"
head -c 8000000 /dev/urandom >"$work/file"

# What other programs do here must not decide whether the loaded server gets CPU time.
foremost=()
! chrt --rr 1 true 2>/dev/null || foremost=(chrt --rr 1)
core=$(taskset --cpu-list --pid $$ | sed 's/.*: //; s/[,-].*//')

start down "$bin/hashlane-server"
start certificate "$bin/hashlane-server" --tls-listen "$tls" --tls-certificate "$work/server.pem" --tls-key "$work/server.key"
start bounds "$bin/hashlane-server" --streams-max 10 --client-share-percent 100
start workers "$faulty" --workers 2 --pin false
start kernel "$faulty" --workers 1 --selfcheck-ppm 100000
# The fastest kernel is wide. Alone it leaves the other lanes idle under a single upload, where a narrow one would run.
widest=$(curl -fsS "http://${admins[down]}/metrics" |
    sed -nE 's/^hashlane_kernel_bytes_per_second\{algorithm="sha512",kernel="([^"]*)"\} (.*)/\2 \1/p' | sort -g | tail -n 1)
start load "${foremost[@]}" taskset --cpu-list "$core" "$bin/hashlane-server" --workers 1 --client-share-percent 100 \
    --kernel "sha512:${widest#* }"
start starved taskset --cpu-list "$core" "$bin/hashlane-server" --workers 1
for name in "${instances[@]}"; do
    jq -n --arg name "$name" --arg target "${admins[$name]}" '{targets: [$target], labels: {instance: $name}}'
done | jq -s >"$work/new.json"
cause "the instances are known"
mv -- "$work/new.json" "$targets"
resolves HashlaneGone ""
wait_for "$(seconds_left)" all_are_known || fail "the instances are not scraped"
wait_for "$(seconds_left)" is_quiet || fail "alerts fire without a cause"

cause "one worker blocks, another panics"
echo "block 0" >&"$commands_workers"
echo "panic 1" >&"$commands_workers"
fires HashlanePanic workers
fires HashlaneWorkerRestarted workers
fires HashlaneWorkerStuck workers
fires HashlaneWorkerHung workers
# Before the hang has lasted for so long that the process ends.
echo release >&"$commands_workers"

cause "a server is killed, a certificate ends in three days, ten slow uploads take all ten streams, a kernel is wrong"
end KILL "${server_pids[down]}"
certificate 3
slow_uploads bounds 10
slow=$background
# Its first parts show which kernel hashes a lone part.
"$bin/hashlane" sum --server "http://${grpc[kernel]}" "$work/file" >"$work/sum.log"
kernel=$(curl -fsS "http://${admins[kernel]}/metrics" | sed -nE \
    's/^hashlane_steps_total\{worker="0",algorithm="sha256",kernel="([^"]*)",.*\} [1-9].*/\1/p' | head -n 1)
[[ -n $kernel ]] || fail "no kernel has hashed"
echo "kernel 0 sha256:$kernel" >&"$commands_kernel"
# upload: one file to the kernel's server; until the fault is found its digest is wrong.
upload() { "$bin/hashlane" sum --server "http://${grpc[kernel]}" "$work/file"; }
kernel_is_found() { upload || true; (($(value_of kernel 'hashlane_faulty_kernels{algorithm="sha256"}') == 1)); }
wait_for 60 kernel_is_found || fail "the wrong kernel is not found"
fires HashlaneFaultyKernel kernel
fires HashlaneDown down
fires HashlaneBoundNear bounds
fires HashlaneCertificateExpires certificate

cause "calls meet that bound"
is_refused() {
    [[ $(curl -sS --output /dev/null --write-out '%{http_code}' --data-binary x --request PUT \
        "http://${grpc[bounds]}/v1/digest") == 429 ]]
}
errors_fire() { is_refused && is_state HashlaneErrors bounds firing; }
wait_for "$(seconds_left)" errors_fire || fail "a call is not refused, or HashlaneErrors does not fire"
fires HashlaneErrors bounds

cause "all of this is put right"
end TERM "$slow"
certificate 30
start down "$bin/hashlane-server"
end TERM "${server_pids[kernel]}"
start kernel "$faulty" --workers 1
for alert in HashlaneWorkerStuck HashlaneWorkerHung HashlaneWorkerRestarted HashlanePanic; do resolves "$alert" workers; done
is_ready workers >/dev/null || fail "the server did not outlive its hang"
resolves HashlaneDown down
resolves HashlaneCertificateExpires certificate
resolves HashlaneBoundNear bounds
resolves HashlaneErrors bounds
resolves HashlaneFaultyKernel kernel
upload | cmp - <(sha256sum -- "$work/file") || fail "a digest is wrong"

cause "a worker is busy with one fast upload; 70 slow ones are open"
slow_uploads load 70
slow=$background
load load 1 "${foremost[@]}"
fast=$background
fires HashlaneSaturated load
fires HashlaneLowOccupancy load
fires HashlaneLowEfficiency load
cause "192 fast uploads in place of one"
end TERM "$fast"
load load 192 "${foremost[@]}"
fast=$background
resolves HashlaneLowOccupancy load
resolves HashlaneLowEfficiency load
cause "no load"
end TERM "$fast" "$slow"
resolves HashlaneSaturated load

cause "three programs spin on a loaded worker's core"
load starved 8
fast=$background
spinners=()
for _ in 1 2 3; do
    background timeout "$seconds_max" taskset --cpu-list "$core" bash -c 'while :; do :; done'
    spinners+=("$background")
done
fires HashlaneWorkerStarved starved
cause "they end"
end TERM "${spinners[@]}" "$fast"
resolves HashlaneWorkerStarved starved

for alert in "${alerts[@]}"; do
    [[ -n ${fired[$alert]:-} ]] || fail "$alert was not brought about"
done
for name in "${instances[@]}"; do end TERM "${server_pids[$name]}"; done
echo "all ${#alerts[@]} alerts fired and resolved in $SECONDS s"
