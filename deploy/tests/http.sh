#!/usr/bin/env bash
# PUT /v1/digest from other people's clients against a real server: curl over HTTP/1.1 and HTTP/2, with and without
# TLS, Python's http.client, `Repr-Digest` as http-sf parses it, nginx in front of the server, and requests that
# servers have understood differently, sent to nginx and to hashlane. deploy/fleet/nginx.conf passes on statuses.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need curl nginx openssl python3
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

venv=${CARGO_TARGET_DIR:-$root/target}/http-venv
make_venv "$venv" "$here/http/requirements.txt"

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2 \
    -addext subjectAltName=IP:127.0.0.1,DNS:localhost -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
read -r tls_port proxy_port nginx_port fleet_port <<<"$(free_ports 4)"
start_server --tls-listen "127.0.0.1:$tls_port" --tls-certificate "$work/certificate.pem" --tls-key "$work/key.pem"

cat >"$work/nginx.conf" <<NGINX
worker_processes 1;
daemon off;
user root;
pid $work/nginx.pid;
error_log $work/nginx.log warn;
events { worker_connections 256; }
http {
    access_log off;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    client_max_body_size 0;
    server {
        listen 127.0.0.1:$proxy_port;
        location / {
            proxy_pass $server;
            proxy_http_version 1.1;
            proxy_request_buffering off;
        }
    }
    # Reads each request, and answers it by itself.
    server {
        listen 127.0.0.1:$nginx_port;
        location / {
            proxy_pass http://127.0.0.1:$nginx_port/own;
            # A client that half-closes gets its response.
            proxy_ignore_client_abort on;
        }
        location /own { return 200; }
    }
}
NGINX
nginx -p "$work" -c "$work/nginx.conf" -e "$work/nginx.log" &
pids+=("$!")
wait_for 30 curl -fsS "http://127.0.0.1:$nginx_port/own" || fail "nginx does not answer: $(cat "$work/nginx.log")"

temp_paths=$(grep _temp_path "$work/nginx.conf")
{
    printf 'daemon off; user root; pid %s; error_log %s;\n' "$work/fleet.pid" "$work/fleet.log"
    sed -e "s/server 10\.77\.0\.1[1-3]:50051/server ${server#http://}/" -e "s/listen 50051/listen 127.0.0.1:$fleet_port/" \
        -e "s#^http {#http { ${temp_paths//$'\n'/ }#" "$root/deploy/fleet/nginx.conf"
} >"$work/fleet.conf"
nginx -p "$work" -c "$work/fleet.conf" -e "$work/fleet.log" &
pids+=("$!")
fleet=http://127.0.0.1:$fleet_port
# put FIELD: the status of a PUT through that nginx.
put() { curl -sS --http2-prior-knowledge -o /dev/null -w '%{http_code}' -X PUT -d abc -H "$1" "$fleet/v1/digest"; }
wait_for 30 put x:y || fail "nginx with deploy/fleet/nginx.conf does not answer: $(cat "$work/fleet.log")"
[[ $(put "content-md5: kAFQmDzST7DWlj99KOF/cg==") == 200 ]] || fail "through deploy/fleet/nginx.conf a PUT fails"
[[ $(put "content-md5: CY9rzUYh03PK3k6DJie09g==") == 400 ]] || fail "through deploy/fleet/nginx.conf a wrong digest matches"

PYTHONPATH=$here/http "$venv/bin/python" -B "$here/http/cases.py" \
    --server "$server" --tls "https://127.0.0.1:$tls_port" --certificate "$work/certificate.pem" \
    --proxy "http://127.0.0.1:$proxy_port" --nginx "127.0.0.1:$nginx_port"
stop_server

# Without a server: a client of HTTP gets an error, and one of gRPC gets UNAVAILABLE. Without a body, because curl 7.88
# loses a response that precedes the end of its request.
head_of() { curl -sS --http2-prior-knowledge -D - -o /dev/null -H 'content-type: application/grpc' "$@"; }
[[ $(head_of -X PUT "$fleet/v1/digest") == "HTTP/2 50"[24]* ]] || fail "without a server a PUT gets no error from deploy/fleet/nginx.conf"
[[ $(head_of -X POST "$fleet/hashlane.v1.HashService/Digest") == *"grpc-status: 14"* ]] ||
    fail "without a server a call gets no UNAVAILABLE from deploy/fleet/nginx.conf"
