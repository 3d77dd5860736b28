#!/usr/bin/env bash
# Other people's TLS against a real server: openssl, curl, grpcurl and the `hashlane` tool, with and without
# certificates of clients; what the server offers; certificates that are read anew.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need curl go openssl python3 sha256sum

# shellcheck source=deploy/tests/interop/install.sh
source "$here/interop/install.sh"
install_grpcurl
# Nobody goes by way of a proxy.
unset http_proxy https_proxy all_proxy grpc_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

certificates=$work/certificates
mkdir -p "$certificates"

# issue CA NAME EXTENSIONS...: a certificate and its key, NAME.pem and NAME.key.
issue() {
    local ca=$certificates/$1 made=$certificates/$2
    shift 2
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=test" \
        -keyout "$made.key" -out "$made.csr" 2>/dev/null
    openssl x509 -req -in "$made.csr" -CA "$ca.pem" -CAkey "$ca.key" -days 2 \
        -extfile <(printf '%s\n' "$@") -out "$made.pem" 2>/dev/null
}

# authority NAME: a root.
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -days 2 \
        -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign \
        -keyout "$certificates/$1.key" -out "$certificates/$1.pem" 2>/dev/null
}

authority ca
authority other
issue ca server subjectAltName=IP:127.0.0.1,DNS:localhost
issue ca client subjectAltName=URI:spiffe://test/backup extendedKeyUsage=clientAuth
issue other stranger subjectAltName=URI:spiffe://test/backup extendedKeyUsage=clientAuth
pem() { printf '%s' "$certificates/$1.pem"; }
key() { printf '%s' "$certificates/$1.key"; }

head -c 5000001 /dev/urandom >"$work/file"
sha256sum -- "$work/file" >"$work/expected"

# start_tls MODE [FLAG...]: a server with the TLS port alone; sets `tls` (host:port).
start_tls() {
    local mode=$1 port
    shift
    read -r port <<<"$(free_ports 1)"
    tls=127.0.0.1:$port
    local clients=()
    if [[ $mode != off ]]; then clients=(--tls-client-ca "$(pem ca)"); fi
    # The last one counts: no port without TLS.
    start_server --set listen= --tls-listen "$tls" --tls-certificate "$(pem server)" --tls-key "$(key server)" \
        --tls-client-certificates "$mode" "${clients[@]}" "$@"
}

# handshake ARGUMENT...: what openssl says of a connection.
handshake() {
    openssl s_client -connect "$tls" -CAfile "$(pem ca)" -verify_return_error -alpn h2 "$@" </dev/null 2>&1 || true
}

# is_offered ARGUMENT...: whether the server takes a handshake that offers this alone.
is_offered() { handshake "$@" | grep -Eq '^ *(New, TLSv1|Protocol *: TLSv1).*$' && ! handshake "$@" | grep -q 'Cipher is (NONE)'; }

sum() { "$bin/hashlane" sum --server "https://$tls" "$work/file" "$@" 2>"$work/sum.log"; }
call() { "$tools/grpcurl" -max-time 20 "$@" "$tls" hashlane.v1.HashService/GetServerInfo 2>&1; }
# A call of gRPC by hand: an empty message to GetServerInfo.
post() {
    printf '\0\0\0\0\0' | curl -sS --max-time 20 --http2 --cacert "$(pem ca)" --data-binary @- -o "$work/answer" \
        -H 'content-type: application/grpc' -H 'te: trailers' -w '%{http_version} %{http_code}' "$@" \
        "https://$tls/hashlane.v1.HashService/GetServerInfo"
}

start_tls off
for version in tls1_2 tls1_3; do
    # Through a file: a pipe that closes after the first match would be an error of what writes to it.
    handshake "-$version" >"$work/handshake"
    grep -q 'ALPN protocol: h2' "$work/handshake" || fail "no h2 over $version: $(cat "$work/handshake")"
    grep -q 'Verify return code: 0 (ok)' "$work/handshake" || fail "openssl does not trust the server over $version"
done
offered=()
for version in ssl3 tls1 tls1_1 tls1_2 tls1_3; do
    # The security level lets openssl offer the old ones.
    is_offered "-$version" -cipher 'ALL:@SECLEVEL=0' && offered+=("$version")
done
[[ ${offered[*]} == "tls1_2 tls1_3" ]] || fail "versions offered: ${offered[*]}"
suites=()
while read -r suite; do
    is_offered -tls1_2 -cipher "$suite:@SECLEVEL=0" && suites+=("$suite")
done < <(openssl ciphers -s -tls1_2 'ALL:@SECLEVEL=0' | tr ':' '\n')
for suite in TLS_AES_256_GCM_SHA384 TLS_AES_128_GCM_SHA256 TLS_CHACHA20_POLY1305_SHA256 TLS_AES_128_CCM_SHA256; do
    is_offered -tls1_3 -ciphersuites "$suite" && suites+=("$suite")
done
printf 'versions: %s\nsuites: %s\n' "${offered[*]}" "${suites[*]}"
for suite in "${suites[@]}"; do
    # Each has forward secrecy, and authenticates what it encrypts.
    [[ $suite =~ ^(ECDHE-ECDSA-|TLS_)(AES_?(128|256)[-_]GCM[-_]SHA(256|384)|CHACHA20[-_]POLY1305(_SHA256)?)$ ]] ||
        fail "the server offers $suite"
done
((${#suites[@]} == 6)) || fail "6 suites are expected of a certificate with an elliptic curve"
handshake -alpn imap | grep -q 'alert no application protocol' || fail "a protocol other than h2 and http/1.1 is not refused by ALPN"

[[ $(post) == "2 200" ]] || fail "curl: $(post)"
call -cacert "$(pem ca)" | grep -q '"version"' || fail "grpcurl: $(call -cacert "$(pem ca)")"
sum --ca "$(pem ca)" | cmp - "$work/expected" || fail "the tool's digest differs over TLS: $(cat "$work/sum.log")"
! sum || fail "the tool trusts a root that the system does not have"
! sum --ca "$(pem other)" || fail "the tool trusts a server of another root"
curl -sS --max-time 5 "http://$tls/" >/dev/null 2>&1 && fail "the TLS port answers without TLS"

# Certificates that are read anew: the old one stays until there is a good one.
cp -- "$(key server)" "$work/old.key"
echo none >"$(key server)"
kill -HUP "$server_pid"
wait_for 10 grep -q 'tls stays as it is' "$work/server.log" || fail "a bad key is not told"
[[ $(post) == "2 200" ]] || fail "the server does not go on with the old certificate"
issue other server subjectAltName=IP:127.0.0.1
kill -HUP "$server_pid"
wait_for 10 grep -q 'certificates as they are now' "$work/server.log" || fail "the new certificate is not read"
sum --ca "$(pem other)" | cmp - "$work/expected" || fail "the new certificate is not in force"
! sum --ca "$(pem ca)" || fail "the old certificate is still in force"
stop_server
issue ca server subjectAltName=IP:127.0.0.1,DNS:localhost
echo "without certificates of clients: openssl, curl, grpcurl and the tool are served; certificates are read anew"

for mode in required optional; do
    start_tls "$mode"
    shown=(-cert "$(pem client)" -key "$(key client)")
    call -cacert "$(pem ca)" "${shown[@]}" | grep -q '"version"' || fail "$mode: grpcurl with a certificate is refused"
    [[ $(post --cert "$(pem client)" --key "$(key client)") == "2 200" ]] || fail "$mode: curl with a certificate is refused"
    sum --ca "$(pem ca)" --cert "$(pem client)" --key "$(key client)" | cmp - "$work/expected" ||
        fail "$mode: the tool with a certificate is refused: $(cat "$work/sum.log")"
    # Not grpcurl: Go shows no certificate of a root that the server does not name.
    ! post --cert "$(pem stranger)" --key "$(key stranger)" >/dev/null 2>&1 ||
        fail "$mode: a certificate of another root is accepted"
    served=no
    call -cacert "$(pem ca)" >/dev/null && served=yes
    [[ $mode/$served == required/no || $mode/$served == optional/yes ]] ||
        fail "$mode: without a certificate, served: $served"
    curl -fsS "$admin/metrics" >"$work/metrics"
    grep -Eq '^hashlane_tls_handshakes_total\{outcome="certificate"\} [1-9]' "$work/metrics" ||
        fail "$mode: refused certificates are not counted"
    stop_server
    echo "$mode certificates of clients: with one served, with a stranger's refused, without one served: $served"
done

# As deploy/README.md has it, on all addresses: the port without TLS is not in the way, and is named if it is.
read -r port admin_port <<<"$(free_ports 2)"
tls=127.0.0.1:$port
by_hand=("$bin/hashlane-server" --admin-listen "127.0.0.1:$admin_port" --tls-listen "0.0.0.0:$port"
    --tls-certificate "$(pem server)" --tls-key "$(key server)")
status=0
"${by_hand[@]}" --listen "127.0.0.1:$port" 2>"$work/refused.log" || status=$?
{ ((status == 2)) && grep -q 'has the port of tls.listen' "$work/refused.log"; } ||
    fail "one port twice: $(cat "$work/refused.log")"
"${by_hand[@]}" --listen= >"$work/server.log" 2>&1 &
server_pid=$!
pids+=("$server_pid")
admin=http://127.0.0.1:$admin_port
wait_for 30 ready_or_gone || fail "the server on all addresses is not ready"
[[ $(post) == "2 200" ]] || fail "the server on all addresses does not answer"
stop_server
echo "on all addresses with TLS alone: served"

# The admin port over TLS: probes need no certificate, everything else one of the operators' root.
read -r port admin_port <<<"$(free_ports 2)"
admin=https://127.0.0.1:$admin_port
flags=(--listen "127.0.0.1:$port" --admin-listen "127.0.0.1:$admin_port" --admin-certificate "$(pem server)"
    --admin-key "$(key server)" --admin-client-ca "$(pem ca)")
"$bin/hashlane-server" "${flags[@]}" >"$work/server.log" 2>&1 &
server_pid=$!
pids+=("$server_pid")
wait_for 30 "$bin/hashlane-server" "${flags[@]}" --healthcheck || fail "the health check fails over TLS"
# status PATH ARGUMENT...: of an answer of the admin port.
status() {
    curl -sS --max-time 20 --cacert "$(pem ca)" -o "$work/answer" -w '%{http_code}' "${@:2}" "$admin$1"
}
shown=(--cert "$(pem client)" --key "$(key client)")
for path in /readyz /healthz; do
    [[ $(status $path) == 200 ]] || fail "the admin port, $path without a certificate: $(status $path)"
done
[[ $(status /metrics) == 403 ]] || fail "the admin port, /metrics without a certificate: $(status /metrics)"
[[ $(status /metrics "${shown[@]}") == 200 ]] || fail "the admin port, /metrics with a certificate is not answered"
! status /readyz --cert "$(pem stranger)" --key "$(key stranger)" >/dev/null 2>&1 ||
    fail "the admin port accepts a certificate of another root"
! curl -sS --max-time 5 "http://127.0.0.1:$admin_port/readyz" >/dev/null 2>&1 || fail "the admin port answers without TLS"
tls=127.0.0.1:$admin_port
for version in tls1_1 tls1_2 tls1_3; do
    is_offered "-$version" -alpn http/1.1 -cipher 'ALL:@SECLEVEL=0' && echo "the admin port offers $version"
done >"$work/offered"
[[ $(<"$work/offered") == *tls1_2*tls1_3* && $(<"$work/offered") != *tls1_1* ]] ||
    fail "versions that the admin port offers: $(<"$work/offered")"
stop_server
echo "the admin port over TLS: probes without a certificate, everything else with one alone"

# Nothing listens in the clear beyond the loopback unless that is asked for.
status=0
"$bin/hashlane-server" --listen 0.0.0.0:0 --admin-listen 127.0.0.1:0 2>"$work/refused.log" || status=$?
{ ((status == 2)) && grep -q 'insecure=true' "$work/refused.log"; } || fail "0.0.0.0 in the clear: $(cat "$work/refused.log")"
echo "0.0.0.0 without TLS is refused"
