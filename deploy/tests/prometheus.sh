#!/usr/bin/env bash
# A real Prometheus with this folder's configuration and rules scrapes a real server under load. Then the
# occupancy must be there and plausible, the rules must evaluate, and every panel of the dashboard must ask
# for metrics that exist.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need curl openssl promtool prometheus python3
deploy=$root/deploy

promtool check config "$deploy/prometheus/prometheus.yml"
promtool test rules "$deploy/prometheus/rules_test.yml"

# One worker: the client needs a core too, and 32 streams on one engine must fill its lanes. A port with TLS
# too: it has metrics of its own.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=hashlane \
    -addext subjectAltName=DNS:localhost -keyout "$work/server.key" -out "$work/server.pem" 2>/dev/null
read -r tls_port < <(free_ports 1)
start_server --workers 1 --tls-listen "127.0.0.1:$tls_port" --tls-certificate "$work/server.pem" \
    --tls-key "$work/server.key"
curl -fsS "$admin/metrics" | promtool check metrics || fail "promtool does not like the exposition"

# The deployed configuration, with this server's address and a faster scrape.
read -r prometheus_port < <(free_ports 1)
mkdir "$work/prometheus"
cp -- "$deploy/prometheus/rules.yml" "$work/prometheus/"
sed -e "s/hashlane:9464/${admin#http://}/" -e 's/_interval: 5s/_interval: 1s/' \
    "$deploy/prometheus/prometheus.yml" >"$work/prometheus/prometheus.yml"
grep -q -- "${admin#http://}" "$work/prometheus/prometheus.yml" || fail "prometheus.yml no longer names hashlane:9464"
prometheus --config.file="$work/prometheus/prometheus.yml" --storage.tsdb.path="$work/prometheus/data" \
    --web.listen-address="127.0.0.1:$prometheus_port" --log.level=warn >"$work/prometheus.log" 2>&1 &
pids+=("$!")
prometheus=http://127.0.0.1:$prometheus_port
wait_for 30 curl -fsS "$prometheus/-/ready" || { cat "$work/prometheus.log" >&2; fail "prometheus is not ready"; }

# Load for the length of several scrapes. Status 3 only says that the client had too little of the CPU.
"$bin/hashlane-loadtest" run --server "$server" --admin "$admin" --connections 4 --streams 32 \
    --part-size 1MiB --chunk-size 64KiB --duration 15s >"$work/load.json" 2>"$work/load.txt" ||
    (($? == 3)) || { cat "$work/load.txt" >&2; fail "the load test failed"; }
# A call that fails and a mismatch, so that the panels of errors have something to show.
printf x >"$work/x"
if "$bin/hashlane" verify --server "$server" --sha256 "$(printf '0%.0s' {1..64})" "$work/x" >/dev/null; then
    fail "a wrong digest was accepted"
fi
# The call fails with a gRPC status, as curl cannot tell; the dashboard must. And a part shorter than it says.
post() {
    curl -sS --http2-prior-knowledge -H 'content-type: application/grpc' -H 'te: trailers' \
        --data-binary @- -o /dev/null "$server/hashlane.v1.HashService/Digest"
}
printf 'not a message' | post
printf '\0\0\0\0\x08\x08\x01\x12\x02\x10\x01\x20\x01' | post

python3 "$here/dashboard.py" --prometheus "$prometheus" --admin "$admin" --occupancy-min 0.75 \
    "$deploy/grafana/dashboards/hashlane.json"

stop_server
