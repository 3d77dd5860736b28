#!/usr/bin/env bash
# What a byte costs servers that real clients load: grpc-go, grpcio and grpc-java, and the clients of
# this repository. Builds the clients and the baseline server, then runs measure.py with these
# arguments; README.md tells them.
# `compare.sh --build` only builds.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../deploy/tests/lib.sh"
# shellcheck source=deploy/tests/interop/install.sh
source "$here/interop/install.sh"
need cargo go java javac mvn python3

# Not in $work: `hashlane-loadtest compare --peer` can start the baseline too.
built=${CARGO_TARGET_DIR:-$root/target}/clients
install_python
install_go
install_java
rm -rf -- "$built"
mkdir -p "$built"
generate "$built"
generate_java "$built"
build_java "$built"
build_load "$built"
(cd "$root/client/go" && go build -trimpath -o "$built/hashlane-load" ./internal/load)
cargo build --quiet --release --manifest-path "$root/Cargo.toml" --package hashlane-client --example load
export HASHLANE_CLIENT_HASHLANE_RUST=${CARGO_TARGET_DIR:-$root/target}/release/examples/load
own_python="env PYTHONPATH=$root/client/python/src $venv/bin/python -B $root/loadtest/clients/load.py"
export HASHLANE_CLIENT_HASHLANE_GO=$built/hashlane-load
export HASHLANE_CLIENT_HASHLANE_PYTHON="$own_python threads" HASHLANE_CLIENT_HASHLANE_ASYNCIO="$own_python asyncio"
if [[ ${1:-} == --build ]]; then
    echo "$built"
    exit
fi
# No client goes by way of a proxy.
unset http_proxy https_proxy all_proxy grpc_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
"$venv/bin/python" -B "$root/loadtest/clients/measure.py" "$@"
