#!/usr/bin/env bash
# Builds the image from the static binary and runs it: not as root, ready, right digests, healthy by its own
# health check, and a clean exit after SIGTERM. Needs buildah, podman and runc; no Docker engine.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need buildah podman runc curl sha256sum file openssl python3
target=x86_64-unknown-linux-musl
binary=${CARGO_TARGET_DIR:-$root/target}/$target/release/hashlane-server
[[ -x $binary ]] || fail "build it first: cargo build --release --target $target -p hashlane-server"
file -b -- "$binary" | grep -Eq 'static(-pie|ally) linked' || fail "$binary is not linked statically"

# Storage and settings of this run only. The ulimits are below what a confined root may ask for.
cat >"$work/storage.conf" <<EOF
[storage]
driver = "vfs"
graphroot = "$work/graph"
runroot = "$work/run"
EOF
cat >"$work/containers.conf" <<EOF
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
EOF
export CONTAINERS_STORAGE_CONF=$work/storage.conf CONTAINERS_CONF=$work/containers.conf
# A health check would otherwise be a systemd timer; it is run by hand below.
export DISABLE_HC_SYSTEMD=true
container=hashlane-test-$$
run_podman() { podman --root "$work/graph" --runroot "$work/run" --tmpdir "$work/tmp" --storage-driver vfs "$@"; }
cleanup_more() {
    ((${status:-0} == 0)) || run_podman logs "$container" >&2 || true
    run_podman rm --force --ignore "$container" >/dev/null 2>&1 || true
}

# A context of the binary alone, where the Dockerfile looks for it.
mkdir -p "$work/context/target/$target/release"
cp -- "$binary" "$work/context/target/$target/release/"
# `docker` format: OCI's has no health check.
buildah bud --isolation chroot --format docker --quiet --file "$root/deploy/container/Dockerfile" \
    --target prebuilt --build-arg "TARGET=$target" --tag hashlane:test "$work/context" >/dev/null
bytes=$(run_podman image inspect --format '{{.Size}}' hashlane:test)
echo "image of $((bytes / 1024 / 1024)) MiB"

mkdir "$work/tls"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=test -days 2 \
    -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=CA:FALSE -keyout "$work/tls/tls.key" -out "$work/tls/tls.crt" 2>/dev/null
# The container's user is another one.
chmod 755 "$work" "$work/tls"
chmod 644 "$work/tls/tls.key"

read -r grpc_port admin_port < <(free_ports 2)
admin=http://127.0.0.1:$admin_port
run_podman run --detach --name "$container" --network host --read-only --cap-drop ALL \
    --security-opt no-new-privileges \
    --volume "$work/tls:/tls:ro" \
    --env "HASHLANE_TLS__LISTEN=127.0.0.1:$grpc_port" --env "HASHLANE_ADMIN_LISTEN=127.0.0.1:$admin_port" \
    hashlane:test >/dev/null
wait_for 30 curl -fsS "$admin/readyz" || fail "the container is not ready after 30 s"

pid=$(run_podman inspect --format '{{.State.Pid}}' "$container")
uid=$(awk '/^Uid:/ { print $2 }' "/proc/$pid/status")
((uid == 65532)) || fail "the server runs as uid $uid"
cap=$(awk '/^CapEff:/ { print $2 }' "/proc/$pid/status")
[[ $cap == 0000000000000000 ]] || fail "the server has capabilities $cap"

head -c 5000001 /dev/urandom >"$work/file"
"$bin/hashlane" sum --server "https://127.0.0.1:$grpc_port" --ca "$work/tls/tls.crt" "$work/file" >"$work/sum"
sha256sum -- "$work/file" | cmp - "$work/sum" || fail "the container's digest differs from sha256sum's"

run_podman healthcheck run "$container" || fail "the health check fails on a healthy server"

run_podman kill --signal TERM "$container" >/dev/null
code=$(run_podman wait "$container")
((code == 0)) || fail "exit code $code after SIGTERM"
echo "uid $uid, no capabilities, digest over TLS equal to sha256sum's, healthy, exit code 0 after SIGTERM"
