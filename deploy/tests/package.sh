#!/usr/bin/env bash
# Packs static programs, crates and wheel as a release does, twice: the same bytes. Then a Debian with systemd, in a
# container without network: the package is installed, serves its Unix socket, is upgraded, removed and purged, and
# nothing stays. Needs the programs of $musl, built before, and buildah, podman, runc, mmdebstrap, help2man.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need buildah podman runc mmdebstrap help2man dpkg-deb python3 sha256sum jq
musl=x86_64-unknown-linux-musl
built=${HASHLANE_PROGRAMS:-${CARGO_TARGET_DIR:-$root/target}/$musl/release}
for program in hashlane-server hashlane; do
    [[ -x $built/$program ]] ||
        fail "build it first: cargo build --release --target $musl -p hashlane-server -p hashlane-client"
done
version=$("$root/deploy/package/version")
"$root/deploy/package/version" --self-test
# Higher than each version that begins with the first.
higher=$version.1

cat >"$work/storage.conf" <<END
[storage]
driver = "vfs"
graphroot = "$work/graph"
runroot = "$work/run"
END
cat >"$work/containers.conf" <<END
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
END
export CONTAINERS_STORAGE_CONF=$work/storage.conf CONTAINERS_CONF=$work/containers.conf
export DISABLE_HC_SYSTEMD=true
run_podman() { podman --root "$work/graph" --runroot "$work/run" --tmpdir "$work/tmp" --storage-driver vfs "$@"; }
container=hashlane-package-$$
inside() { run_podman exec "$container" "$@"; }
cleanup_more() {
    ((${status:-0} == 0)) || inside journalctl --no-pager -n 40 >&2 || true
    run_podman rm --force --ignore "$container" >/dev/null 2>&1 || true
}

# The same programs in two folders, packed at different times, under another umask and time zone.
mkdir "$work/one" "$work/two"
cp -- "$built"/{hashlane-server,hashlane} "$work/one"
# What build.sh made is split already.
if [[ -e $built/hashlane.debug ]]; then
    cp -- "$built"/*.debug "$work/one"
else
    "$root/deploy/split-debug" "$work/one/hashlane-server" "$work/one/hashlane"
fi
cp -- "$work"/one/* "$work/two"
"$root/deploy/package/sbom.sh" "$musl" "$work/one"
"$root/deploy/package/sbom.sh" "$musl" "$work/two"
"$root/deploy/package/pack.sh" "$musl" "$work/one" "$work/first"
(
    umask 077
    TZ=Asia/Tokyo LC_ALL=C "$root/deploy/package/pack.sh" "$musl" "$work/two" "$work/second"
    TZ=Asia/Tokyo LC_ALL=C "$root/deploy/package/libraries.sh" "$work/second"
)
"$root/deploy/package/libraries.sh" "$work/first"
diff --recursive --brief "$work/first" "$work/second" || fail "two runs packed different bytes"
(cd "$work/first" && "$work/one/hashlane" sum -- * >"$work/SHA256SUMS" && sha256sum --check --quiet --strict "$work/SHA256SUMS")
deb=$work/first/hashlane_${version}_amd64.deb
# The same package with a higher version, hardly compressed.
dpkg-deb --raw-extract "$deb" "$work/higher"
sed -i "s/^Version: .*/Version: $higher/" "$work/higher/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z1 --build "$work/higher" "$work/hashlane_${higher}_amd64.deb" >/dev/null
(cd "$work/first" && stat --format '%s bytes: %n' -- *)

# The tarball: owned by root, with what the README promises, and no folder of this machine in it.
tree=hashlane-$version-x86_64-linux
tar --list --verbose --file "$work/first/$tree.tar.gz" >"$work/list"
awk '$2 != "root/root" && $2 != "0/0"' "$work/list" | grep . && fail "files of the tarball do not belong to root"
for file in hashlane hashlane-server LICENSE THIRD-PARTY README.md man/hashlane.1 man/hashlane-sum.1 man/hashlane-server.8 \
    completions/hashlane.{bash,zsh,fish} systemd/hashlane.{service,socket,sysusers,toml}; do
    grep -qF " $tree/$file" "$work/list" || fail "the tarball lacks $file"
done
mkdir "$work/tree"
tar --extract --directory "$work/tree" --file "$work/first/$tree.tar.gz"
grep -rlF -e "$root" -e "$work" "$work/tree/$tree" --exclude hashlane --exclude hashlane-server &&
    fail "the tarball names a folder of this machine"
[[ $("$work/tree/$tree/hashlane" --version) == "hashlane "* ]] || fail "the tarball's tool does not run"

# What registries take, and what stops a release.
for file in hashlane-{client,engine,http2,proto,server}-"$version".crate "hashlane-$version-py3-none-any.whl" "hashlane-$version.tar.gz"; do
    [[ -s $work/first/$file ]] || fail "there is no $file"
done
if "$root/deploy/package/release.sh" "$work/first" 2>"$work/error"; then fail "release.sh writes among other files"; fi
grep -q 'is not empty' "$work/error" || fail "release.sh does not say why it stops: $(cat "$work/error")"
if "$root/deploy/package/release.sh" --target riscv64 "$work/new" 2>"$work/error"; then fail "release.sh takes any target"; fi
grep -q 'no such target: riscv64' "$work/error" || fail "release.sh does not say why it stops: $(cat "$work/error")"

# SBOM: both programs, and what they are made of.
for program in hashlane-server hashlane; do
    jq -e --arg name "$program" '.bomFormat == "CycloneDX" and (.components | map(.name) | contains(["ring", "hashlane-engine"]))
        and (tojson | contains("path+file:///hashlane"))' "$work/first/$program-$version-x86_64-linux.cdx.json" >/dev/null ||
        fail "the SBOM of $program lacks components"
done

# The image: labels, SBOM, and no debug information.
image=$work/first/hashlane-$version-amd64-image.tar
run_podman load --quiet --input "$image" >/dev/null
[[ $(run_podman image inspect --format '{{index .Labels "org.opencontainers.image.version"}} {{index .Labels "org.opencontainers.image.revision"}}' \
    "hashlane:$version") == "$version $(git -C "$root" rev-parse HEAD)" ]] || fail "the image's labels are wrong"
bytes=$(run_podman image inspect --format '{{.Size}}' "hashlane:$version")
((bytes < 24 << 20)) || fail "the image has $bytes bytes"
run_podman create --name "$container" "hashlane:$version" >/dev/null
run_podman cp "$container:/usr/share/doc/hashlane/hashlane-server.cdx.json" "$work/sbom" && cmp "$work/sbom" "$work/one/hashlane-server.cdx.json"
run_podman rm "$container" >/dev/null

# A clean Debian, kept for later runs.
rootfs=$work/rootfs base=${CARGO_TARGET_DIR:-$root/target}/ci-tools/bookworm.tar
if [[ ! -f $base ]]; then
    mkdir -p "$(dirname -- "$base")"
    mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus bookworm "${base%.tar}.part.tar" /etc/apt/sources.list.d/debian.sources
    mv -- "${base%.tar}.part.tar" "$base"
fi
mkdir "$rootfs"
tar --extract --directory "$rootfs" --file "$base" --exclude './dev/*'
cp -- "$deb" "$work/hashlane_${higher}_amd64.deb" "$rootfs/root"
run_podman run --detach --name "$container" --network none --systemd always --rootfs "$rootfs" /sbin/init >/dev/null
in_shell() { inside bash -euo pipefail -c "$1"; }
booted() { [[ $(inside systemctl is-system-running) == running ]]; }
wait_for 60 booted || fail "systemd does not boot in the container"
apt_() { inside apt-get -qq -y -o Dpkg::Use-Pty=0 "$@" >"$work/apt.log" 2>&1 || { cat "$work/apt.log" >&2; fail "apt-get $*"; }; }

# snapshot NAME: all files and accounts of the container, but for logs and what apt and dpkg keep about themselves.
snapshot() {
    in_shell 'find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /var/log -o -path /var/cache \
        -o -path /var/lib/apt -o -path "/etc/*-" -o -path /var/lib/dpkg -o -path "/var/lib/systemd/*" -o -path /var/tmp \) -prune -o -printf "%p %u %g %m\n" | sort
        cat /etc/passwd /etc/group /etc/shadow /etc/gshadow; ls /var/lib/dpkg/info | sort
        find /var/lib/systemd -name "*hashlane*"; ls -d /run/hashlane 2>/dev/null || true' >"$work/$1"
}
snapshot before

check_digest() {
    in_shell 'head -c 5000001 /dev/urandom >/tmp/file; chmod 644 /tmp/file
        hashlane sum --server unix:/run/hashlane/hashlane.sock /tmp/file | cmp - <(sha256sum /tmp/file)' ||
        fail "$1: the digest differs from sha256sum's"
}
main_pid() { inside systemctl show --property MainPID --value hashlane.service; }
metric() { in_shell "exec 3<>/dev/tcp/127.0.0.1/9464; printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3; grep -a '^$1' <&3"; }

# Installed: the service is up by itself, enabled, not root, confined, and serves the socket.
apt_ install "/root/hashlane_${version}_amd64.deb"
[[ $(inside systemctl is-active hashlane.service) == active ]] || fail "the service is not up after the installation"
[[ $(inside systemctl is-enabled hashlane.service) == enabled ]] || fail "the service is not enabled"
inside systemctl is-enabled --quiet hashlane.socket && fail "the socket unit is enabled though it shares no memory"
check_digest "after the installation"
pid=$(main_pid)
[[ $(in_shell "stat --format %U /proc/$pid") == hashlane ]] || fail "the server does not run as the user hashlane"
[[ $(in_shell "grep -E '^(CapEff|NoNewPrivs)' /proc/$pid/status | tr -s '\t\n' ' '") == "CapEff: 0000000000000000 NoNewPrivs: 1 " ]] ||
    fail "the server is not confined"
metric hashlane_shared_memory_bytes_total | grep -qvE ' 0$' || fail "the tool used no shared memory"
# The group decides who connects; each user is a client.
in_shell 'useradd --system --groups hashlane member; useradd --system stranger
    runuser --user member -- hashlane sum --server unix:/run/hashlane/hashlane.sock /tmp/file | cmp - <(sha256sum /tmp/file)
    ! runuser --user stranger -- hashlane sum --server unix:/run/hashlane/hashlane.sock /tmp/file 2>/dev/null' ||
    fail "the socket is not for the members of the group alone"
# A setting takes effect, and the unit reloads.
in_shell 'echo "workers = 1" >>/etc/hashlane/hashlane.toml; systemctl reload hashlane.service; systemctl restart hashlane.service'
check_digest "with a changed setting"
for file in man/man1/hashlane.1.gz man/man8/hashlane-server.8.gz bash-completion/completions/hashlane zsh/vendor-completions/_hashlane \
    fish/vendor_completions.d/hashlane.fish doc/hashlane/copyright; do
    inside test -s "/usr/share/$file" || fail "the package lacks /usr/share/$file"
done
inside dpkg --verify hashlane | grep -v ' c /etc/hashlane/hashlane.toml$' && fail "installed files are not the package's"

# Upgraded: the settings stay, and a new process serves.
pid=$(main_pid)
apt_ install "/root/hashlane_${higher}_amd64.deb"
[[ $(inside dpkg-query --show hashlane) == "hashlane"$'\t'"$higher" ]] || fail "the package was not upgraded"
inside grep -q '^workers = 1$' /etc/hashlane/hashlane.toml || fail "the upgrade lost a setting"
[[ $(inside systemctl is-active hashlane.service) == active && $(main_pid) != "$pid" ]] || fail "the upgrade did not restart the service"
check_digest "after the upgrade"

# Activated by its socket: stopped servers start at a connection; an administrator's choice outlasts an installation.
in_shell 'systemctl disable --now hashlane.service; systemctl enable --now hashlane.socket' >/dev/null 2>&1
[[ $(inside systemctl is-active hashlane.service) == inactive ]] || fail "the disabled service runs"
check_digest "activated by the socket"
[[ $(inside systemctl is-active hashlane.service) == active ]] || fail "the socket did not start the service"
[[ $(inside stat --format '%U:%G %a' /run/hashlane/hashlane.sock) == "hashlane:hashlane 660" ]] || fail "the socket is not the group's"
inside systemctl stop hashlane.service
check_digest "activated again"
apt_ install --reinstall "/root/hashlane_${higher}_amd64.deb"
[[ $(inside systemctl is-enabled hashlane.service) == disabled && $(inside systemctl is-enabled hashlane.socket) == enabled ]] ||
    fail "the installation changed which unit is enabled"
check_digest "after an installation with the socket"
# With both units the other ports are open before the first client of the socket.
in_shell 'systemctl stop hashlane.service; systemctl enable --now hashlane.service' >/dev/null 2>&1
metric hashlane_build_info >/dev/null || fail "the admin port is closed though the service is enabled"
check_digest "with both units"

# Removed: stopped, and only the settings stay. Purged: nothing stays.
apt_ remove hashlane
inside test -e /etc/hashlane/hashlane.toml || fail "removal without purge took the settings"
inside bash -c '[[ ! -e /usr/bin/hashlane && ! -e /run/hashlane ]] && ! pgrep hashlane 2>/dev/null && ! ls /proc/*/exe -l 2>/dev/null | grep hashlane' ||
    fail "something of the package runs or stays after removal"
in_shell 'echo HASHLANE_LOG=debug >/etc/hashlane/environment; userdel member; userdel stranger; rm -f /tmp/file'
apt_ purge hashlane
snapshot after
diff "$work/before" "$work/after" || fail "purge left something"
[[ $(inside systemctl --failed --plain --no-legend | wc -l) == 0 ]] || fail "units have failed"

# Installed after that and purged at once: a running service ends, too.
apt_ install "/root/hashlane_${version}_amd64.deb"
check_digest "installed after a purge"
inside rm -f /tmp/file
apt_ purge hashlane
snapshot after
diff "$work/before" "$work/after" || fail "purge of a running service left something"
echo "two packs of the same bytes; installed, upgraded, activated by socket, removed, purged: nothing stays"
