#!/usr/bin/env bash
# The clients against real servers. Of the Rust client: servers that go while they are called, since
# `cargo test` has the rest. Of client/go and client/python: generated code is current, lints,
# types, tests, examples of their READMEs, and the wheel, from which the tests import. Installs, pinned,
# what they need. `clients.sh --write` only makes the generated code anew; HASHLANE_SERVER_BIN is
# another server.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need cargo go openssl python3

go_client=$root/client/go
python_client=$root/client/python
contract=hashlane/v1/hash_service.proto
kept=${CARGO_TARGET_DIR:-$root/target}/ci-tools/clients
venv=$kept/venv

install() {
    make_venv "$venv" "$python_client/requirements.txt"
    # The plugins are tools of the Go module: go.mod and go.sum pin them too.
    (cd "$go_client" && GOBIN=$kept/bin go install tool)
}

# generate GO PYTHON: the contract's code into these folders.
generate() {
    mkdir -p "$1" "$2"
    local module=module=github.com/hashlane/hashlane/client/go
    "$venv/bin/python" -m grpc_tools.protoc --proto_path="$root/proto" \
        --python_out="$2" --pyi_out="$2" \
        --plugin=protoc-gen-go="$kept/bin/protoc-gen-go" --plugin=protoc-gen-go-grpc="$kept/bin/protoc-gen-go-grpc" \
        --go_out="$1" --go_opt="$module" --go-grpc_out="$1" --go-grpc_opt="$module" "$contract"
}

# is_current FOLDER KEPT: whether every generated file is as the one that is checked in.
is_current() {
    local file
    while read -r file; do
        diff -u -- "$2/$file" "$1/$file" ||
            fail "${2#"$root"/}/$file is not what the contract generates: deploy/tests/clients.sh --write"
    done < <(cd "$1" && find . -type f)
}

test_rust() {
    cargo test --quiet --manifest-path "$root/Cargo.toml" --workspace --test library -- --ignored
}

test_go() (
    cd "$go_client"
    [[ -z $(gofmt -l .) ]] || fail "gofmt would change $(gofmt -l .)"
    go mod verify >/dev/null
    go vet ./...
    go test -count=1 -timeout 170s ./...
)

test_python() (
    cd "$python_client"
    # Nothing is written into the checkout.
    export PYTHONDONTWRITEBYTECODE=1
    "$venv/bin/ruff" check --no-cache .
    "$venv/bin/ruff" format --no-cache --check .
    "$venv/bin/mypy" --cache-dir="$work/mypy"
    "$venv/bin/python" -m build --wheel --no-isolation --outdir "$work/wheel" . >"$work/build.log" 2>&1 ||
        { cat "$work/build.log" >&2; fail "the wheel does not build"; }
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$work/installed" "$work"/wheel/*.whl
    [[ -e $work/installed/hashlane/py.typed ]] || fail "the wheel has no py.typed"
    # The tests stand outside the sources, so that they import the wheel.
    cp -R -- tests README.md pyproject.toml "$work/installed"
    cd "$work/installed"
    "$venv/bin/python" -m pytest --durations=3
)

install
if [[ ${1:-} == --write ]]; then
    generate "$go_client" "$python_client/src"
    exit
fi
program=${HASHLANE_SERVER_BIN:-$bin/hashlane-server}
[[ -x $program ]] || fail "$program is missing: .ci/run release"
HASHLANE_SERVER=$(realpath -e -- "$program")
export HASHLANE_SERVER
# No client goes by way of a proxy.
unset http_proxy https_proxy all_proxy grpc_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

generate "$work/go" "$work/python"
is_current "$work/go" "$go_client"
is_current "$work/python" "$python_client/src"
test_rust
test_go
test_python
echo "the clients passed in $SECONDS s"
