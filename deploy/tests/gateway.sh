#!/usr/bin/env bash
# The S3 gateway of client/s3-gateway with boto3 and the AWS command line, with a real server and with lanes of
# its own. What the gateway answers and stores is compared with what Python and the AWS SDK's own library compute.
# Installs, pinned, what it needs. Arguments are pytest's; HASHLANE_SERVER_BIN is another server.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need cargo openssl python3

crate=$root/client/s3-gateway
kept=${CARGO_TARGET_DIR:-$root/target}
venv=$kept/ci-tools/gateway/venv
export CARGO_TARGET_DIR=$kept

# No digest is computed in the gateway: it depends on no crate that could, and does not use those of s3s.
computes_no_digest() {
    local names found
    names=$(cargo tree --quiet --locked --manifest-path "$crate/Cargo.toml" --edges normal --depth 1 --prefix none --format '{lib}')
    grep -qx hashlane_client <<<"$names" || fail "the gateway does not depend on hashlane-client: $names"
    if found=$(grep -E '^(md|sha|crc|blake|xx|twox|digest|ring|hmac|openssl|aws_lc|hashlane_engine)' <<<"$names"); then
        fail "the gateway depends on $found"
    fi
    if grep -rnE 's3s::(crypto|checksum)' "$crate/src"; then
        fail "the gateway uses digests of s3s"
    fi
}

program=${HASHLANE_SERVER_BIN:-$bin/hashlane-server}
if [[ ! -x $program ]]; then
    [[ -z ${HASHLANE_SERVER_BIN:-} ]] || fail "HASHLANE_SERVER_BIN names no program: $program"
    (cd "$root" && cargo build --release --locked -p hashlane-server)
fi
HASHLANE_SERVER=$(realpath -e -- "$program")
started=$SECONDS
cargo build --quiet --locked --manifest-path "$crate/Cargo.toml"
echo "the gateway was built in $((SECONDS - started)) s"
HASHLANE_S3_GATEWAY=$(realpath -e -- "$kept/debug/hashlane-s3-gateway")
export HASHLANE_SERVER HASHLANE_S3_GATEWAY PYTHONDONTWRITEBYTECODE=1

make_venv "$venv" "$here/gateway/requirements.txt"
computes_no_digest
cd "$here/gateway"
"$venv/bin/python" -m pytest -q -p no:cacheprovider --strict-markers --basetemp "$work/pytest" --durations=5 "$@"
echo "the gateway passed in $SECONDS s"
