#!/usr/bin/env bash
# Clients that others wrote, against a real server: Python grpcio, grpc-go, grpc-java, grpc-js,
# grpcurl; tonic by way of the `hashlane` tool and hyper by way of the load generator; curl and
# nghttp2, which know HTTP/2 and nothing of gRPC. `load` is the clients and the baseline server of
# loadtest/clients, briefly; `samples` is the code in docs/protocol.md. Installs, pinned, what they need. Names of
# clients as arguments run only those; `load` then has the client in Java only beside another in Java.
# HASHLANE_SERVER_BIN is another server.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=deploy/tests/interop/install.sh
source "$here/interop/install.sh"
need curl go h2load jq nghttp python3

clients=(grpcio grpc-go grpc-java grpc-js grpcurl tonic hyper curl nghttp2 load samples)
if (($# > 0)); then clients=("$@"); fi
passed=0
failed=0

# wants CLIENT...: whether one of them is to run.
wants() {
    local client
    for client in "$@"; do
        [[ " ${clients[*]} " != *" $client "* ]] || return 0
    done
    return 1
}

# A server that is not among the release binaries.
if [[ -n ${HASHLANE_SERVER_BIN:-} ]]; then
    [[ -x $HASHLANE_SERVER_BIN ]] || fail "HASHLANE_SERVER_BIN names no program: $HASHLANE_SERVER_BIN"
    mkdir "$work/bin"
    ln -s -- "$(realpath -e -- "$HASHLANE_SERVER_BIN")" "$work/bin/hashlane-server"
    ln -s -- "$bin/hashlane" "$bin/hashlane-loadtest" "$work/bin"
    bin=$work/bin
fi
for program in hashlane-server hashlane hashlane-loadtest; do
    [[ -x $bin/$program ]] || fail "$bin/$program is missing: .ci/run release"
done

# python_client NAME MODULE: its last line says how many cases passed and failed.
python_client() {
    PYTHONPATH=$sources/python:$work/python "$venv/bin/python" -B "$sources/python/run.py" "$1" "$2" | tee "$work/$1.log"
}

go_client() {
    local status=0
    go tool test2json "$work/grpc-go.test" -test.v=test2json -test.timeout 150s >"$work/go.json" || status=$?
    jq -j 'select(.Action == "output") | .Output' "$work/go.json"
    jq -rs '
        map(select(.Test and (.Test | contains("/") | not)).Action) |
        "grpc-go: \(map(select(. == "pass")) | length) passed, \(map(select(. == "fail" or . == "skip")) | length) failed"
    ' "$work/go.json" | tee "$work/grpc-go.log"
    return "$status"
}

java_client() {
    # Short-lived: the first compiler is enough.
    java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$work/classes:$jars/*" hashlane.interop.Main | tee "$work/grpc-java.log"
}

node_client() {
    node --test-reporter="$work/node/reporter.mjs" "$work/node/cases.mjs" | tee "$work/grpc-js.log"
}

# sample LANGUAGE: the first block of this language in docs/protocol.md, with the server's address.
sample() {
    awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } /^```/ && on { exit } on' "$root/docs/protocol.md" |
        sed "s/127.0.0.1:50051/$HASHLANE_ADDRESS/; s/\"127.0.0.1\", 50051/\"127.0.0.1\", ${HASHLANE_ADDRESS##*:}/"
}

# The code in docs/protocol.md, as it stands. For C# there is no compiler here.
samples() {
    local passed=0 failed=0 language printed
    local abc=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
    sample js >"$work/node/sample.cjs"
    mkdir -p "$work/sample"
    {
        printf 'import com.google.protobuf.ByteString;\nimport io.github.hashlane.v1.*;\n'
        printf 'import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;\n'
        printf 'import io.grpc.stub.StreamObserver;\nimport java.util.HexFormat;\n'
        printf 'class Sample {\npublic static void main(String[] arguments) throws Exception {\n'
        sample java
        printf 'channel.awaitTermination(30, java.util.concurrent.TimeUnit.SECONDS);\n}\n}\n'
    } >"$work/sample/Sample.java"
    javac -d "$work/sample" -cp "$work/classes:$jars/*" "$work/sample/Sample.java"
    for language in js java; do
        printed=$(case $language in
            js) cd "$work/node" && ln -sf "$proto/hashlane/v1/hash_service.proto" . && timeout 60 node sample.cjs ;;
            java) timeout 60 java -XX:TieredStopAtLevel=1 -cp "$work/sample:$work/classes:$jars/*" Sample ;;
        esac) || true
        if [[ $printed == "$abc" ]]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "the sample in $language printed: $printed" >&2
        fi
    done
    echo "samples: $passed passed, $failed failed" | tee "$work/samples.log"
}

# count NAME: takes the client's last line. A client that counted nothing, or that ended badly and
# does not say with which case, has failed.
count() {
    local line
    line=$(tail -n 1 -- "$work/$1.log")
    if [[ $line =~ ^$1:\ ([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] && ((BASH_REMATCH[1] + BASH_REMATCH[2] > 0)); then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        if (($2 == 0 || BASH_REMATCH[2] > 0)); then return; fi
    fi
    echo "$1: ended with exit code $2 and: $line" >&2
    failed=$((failed + 1))
}

started=$SECONDS
install_python
install_go
install_grpcurl
generate "$work"
if wants grpc-java samples; then
    need java javac mvn
    install_java
    generate_java "$work"
    build_java "$work"
fi
if wants grpc-js samples; then
    need node npm
    install_node
    # Node looks for packages beside the source.
    cp -R -- "$sources/node" "$work"
    ln -s -- "$kept/node/node_modules" "$work/node/node_modules"
fi
build_load "$work"
(cd "$work/go" && go vet ./... && go test -c -trimpath -o "$work/grpc-go.test" .)
echo "installed and generated in $((SECONDS - started)) s"

# run_clients WHAT: all of them against the server that is up.
run_clients() {
    local client status began
    export HASHLANE_ADDRESS=${server#http://} HASHLANE_ADMIN=$admin
    for client in "${clients[@]}"; do
        printf '\n-- %s, %s\n' "$client" "$1"
        began=$SECONDS
        status=0
        case $client in
            grpcio) python_client grpcio grpcio_cases || status=$? ;;
            grpc-go) go_client || status=$? ;;
            grpc-java) java_client || status=$? ;;
            grpc-js) node_client || status=$? ;;
            grpcurl) python_client grpcurl grpcurl_cases || status=$? ;;
            tonic) python_client tonic tool_cases || status=$? ;;
            hyper) python_client hyper loadtest_cases || status=$? ;;
            curl) python_client curl curl_cases || status=$? ;;
            nghttp2) python_client nghttp2 nghttp2_cases || status=$? ;;
            load) python_client load load_cases || status=$? ;;
            samples) samples || status=$? ;;
            *) fail "no client $client" ;;
        esac
        count "$client" "$status"
        echo "$client: $((SECONDS - began)) s"
        kill -0 "$server_pid" || fail "the server is gone after $client"
    done
}

export HASHLANE_GRPCURL=$tools/grpcurl HASHLANE_PROTO=$proto HASHLANE_TOOL=$bin/hashlane
export HASHLANE_LOADTEST=$bin/hashlane-loadtest HASHLANE_SERVER=$bin/hashlane-server
export HASHLANE_MEASURE=$root/loadtest/clients/measure.py
# grpcio's packages have google/rpc/*.proto.
HASHLANE_GOOGLE_PROTO=$(echo "$venv"/lib/python3*/site-packages)
export HASHLANE_GOOGLE_PROTO
# No client goes by way of a proxy.
unset http_proxy https_proxy all_proxy grpc_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

start_server
run_clients "defaults"
stop_server

printf '\n%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
