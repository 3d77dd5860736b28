#!/usr/bin/env bash
# Clients that others wrote, against a real server: Python grpcio, grpc-go, grpcurl, and tonic by way
# of the `hashlane` tool. Installs, pinned,
# what they need. Names of clients as arguments run only those; HASHLANE_SERVER_BIN is another server.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need curl go jq python3

# Checked with this version; the other pins are in interop/python/requirements.txt and interop/go/go.mod.
grpcurl_version=v1.9.4

sources=$here/interop
proto=$root/proto
# Installed once, and once more when a pin changes.
kept=${CARGO_TARGET_DIR:-$root/target}/interop
venv=$kept/venv
tools=$kept/bin

clients=(grpcio grpc-go grpcurl tonic)
if (($# > 0)); then clients=("$@"); fi
passed=0
failed=0

# A server that is not among the release binaries.
if [[ -n ${HASHLANE_SERVER_BIN:-} ]]; then
    [[ -x $HASHLANE_SERVER_BIN ]] || fail "HASHLANE_SERVER_BIN names no program: $HASHLANE_SERVER_BIN"
    mkdir "$work/bin"
    ln -s -- "$(realpath -e -- "$HASHLANE_SERVER_BIN")" "$work/bin/hashlane-server"
    ln -s -- "$bin/hashlane" "$work/bin/hashlane"
    bin=$work/bin
fi
for program in hashlane-server hashlane; do
    [[ -x $bin/$program ]] || fail "$bin/$program is missing: .ci/run release"
done

install_python() {
    local pins=$sources/python/requirements.txt
    cmp -s -- "$pins" "$venv/installed" && return
    rm -rf -- "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 5 --requirement "$pins"
    "$venv/bin/pip" --disable-pip-version-check check >/dev/null
    cp -- "$pins" "$venv/installed"
}

# The plugins are tools of the Go module: go.mod and go.sum pin them too.
install_go() {
    mkdir -p "$tools"
    (cd "$sources/go" && GOBIN=$tools go install tool)
    go version -m "$tools/grpcurl" 2>/dev/null |
        grep -qP "^\tmod\tgithub.com/fullstorydev/grpcurl\t\Q$grpcurl_version\E\t" ||
        GOBIN=$tools go install "github.com/fullstorydev/grpcurl/cmd/grpcurl@$grpcurl_version"
}

# The contract as it is now, in both languages. Go's code is a package of a copy of the module.
generate() {
    local contract=hashlane/v1/hash_service.proto
    local package=hashlane.test/interop/hashlanev1
    mkdir "$work/python"
    cp -R -- "$sources/go" "$work/go"
    "$venv/bin/python" -m grpc_tools.protoc --proto_path="$proto" \
        --python_out="$work/python" --grpc_python_out="$work/python" \
        --plugin=protoc-gen-go="$tools/protoc-gen-go" --plugin=protoc-gen-go-grpc="$tools/protoc-gen-go-grpc" \
        --go_out="$work/go" --go_opt="module=hashlane.test/interop,M$contract=$package" \
        --go-grpc_out="$work/go" --go-grpc_opt="module=hashlane.test/interop,M$contract=$package" \
        "$contract"
    (cd "$work/go" && go vet . && go test -c -trimpath -o "$work/grpc-go.test" .)
}

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
generate
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
            grpcurl) python_client grpcurl grpcurl_cases || status=$? ;;
            tonic) python_client tonic tool_cases || status=$? ;;
            *) fail "no client $client" ;;
        esac
        count "$client" "$status"
        echo "$client: $((SECONDS - began)) s"
        kill -0 "$server_pid" || fail "the server is gone after $client"
    done
}

export HASHLANE_GRPCURL=$tools/grpcurl HASHLANE_PROTO=$proto HASHLANE_TOOL=$bin/hashlane
# No client goes by way of a proxy.
unset http_proxy https_proxy all_proxy grpc_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

start_server
run_clients "defaults"
stop_server

printf '\n%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
