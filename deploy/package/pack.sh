#!/usr/bin/env bash
# Packs built programs: `pack.sh TARGET PROGRAMS FOLDER` takes hashlane-server, hashlane, their
# .debug and their .cdx.json from PROGRAMS and writes into FOLDER
#
#   hashlane-VERSION-CPU-linux.tar.gz         programs, man pages, completions, units, settings
#   hashlane-VERSION-CPU-linux-debug.tar.gz   their debug information
#   hashlane_VERSION_ARCHITECTURE.deb         the same as a Debian package
#   hashlane-VERSION-ARCHITECTURE-image.tar   container image of the server (docker load, podman load)
#   hashlane-server-VERSION-CPU-linux.cdx.json, hashlane-VERSION-CPU-linux.cdx.json: what is in them
#
# RUNNER is a command that runs programs for TARGET, such as qemu-aarch64, where this machine cannot.
# shellcheck source=deploy/package/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
(($# == 3)) || fail "usage: pack.sh TARGET PROGRAMS FOLDER"
target=$1 programs=$2
mkdir -p "$3"
folder=$(cd -- "$3" && pwd)
architecture=$(debian_of "$target")
cpu=${target%%-*}
version=$("$root/deploy/package/version")
commit=$(git -C "$root" rev-parse HEAD)
read -r -a runner <<<"${RUNNER:-}"
need buildah dpkg-deb file gzip help2man python3 tar
use_binutils "$target"
for program in hashlane-server hashlane; do
    for name in "$program" "$program.debug" "$program.cdx.json"; do
        [[ -f $programs/$name ]] || fail "$programs has no $name: build.sh and sbom.sh make it"
    done
    [[ $(file -b -- "$programs/$program") =~ static(-pie|ally)\ linked ]] || fail "$program is not linked statically"
    [[ $("$OBJDUMP" --section-headers -- "$programs/$program") != *' .debug_line '* ]] ||
        fail "$program has debug information: deploy/split-debug moves it"
done
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# pack NAME: FOLDER/NAME.tar.gz of the folder $work/NAME. Names, owners and times do not depend on this machine.
pack() {
    tar --directory "$work" --create --format gnu --sort name --mtime "@$SOURCE_DATE_EPOCH" --owner 0 --group 0 \
        --numeric-owner --mode 'u+rw,go=rX' "$1" | gzip --no-name >"$folder/$1.tar.gz"
}

# The tarball.
name=hashlane-$version-$cpu-linux
tree=$work/$name
mkdir -p "$tree"/{completions,man,systemd}
install -m 755 "$programs/hashlane-server" "$programs/hashlane" "$tree"
"${runner[@]}" "$tree/hashlane" man "$tree/man"
# help2man runs the program.
printf '#!/bin/sh\nexec %s "$@"\n' "${runner[*]} $tree/hashlane-server" >"$work/hashlane-server"
chmod +x "$work/hashlane-server"
help2man --no-info --section 8 --name 'hashing service over gRPC and HTTP' --output "$tree/man/hashlane-server.8" \
    "$work/hashlane-server"
for shell in bash zsh fish; do
    "${runner[@]}" "$tree/hashlane" completions "$shell" >"$tree/completions/hashlane.$shell"
done
install -m 644 "$root"/deploy/systemd/hashlane.{service,socket,sysusers,toml} "$tree/systemd"
install -m 644 "$root/LICENSE" "$root/CHANGELOG.md" "$tree"
install -m 644 "$root/client/README.md" "$tree/README.md"
"$root/deploy/package/licences" "$target" >"$tree/THIRD-PARTY"
pack "$name"
mkdir "$work/$name-debug"
install -m 644 "$programs"/*.debug "$work/$name-debug"
pack "$name-debug"
for program in hashlane-server hashlane; do
    install -m 644 "$programs/$program.cdx.json" "$folder/$program-$version-$cpu-linux.cdx.json"
done

# The Debian package, from what is in the tarball. A pre-release sorts before its release.
debian_version=${version/-/\~}
deb=$work/deb
install -D -m 755 --target-directory "$deb/usr/bin" "$tree/hashlane-server" "$tree/hashlane"
install -D -m 644 --target-directory "$deb/usr/lib/systemd/system" "$tree"/systemd/hashlane.{service,socket}
sed -i -e '1,/^\[Unit\]/{/^#/d}' -e 's#/usr/local/bin/#/usr/bin/#' "$deb/usr/lib/systemd/system/hashlane.service"
install -D -m 644 "$tree/systemd/hashlane.sysusers" "$deb/usr/lib/sysusers.d/hashlane.conf"
install -D -m 644 "$tree/systemd/hashlane.toml" "$deb/etc/hashlane/hashlane.toml"
install -D -m 644 --target-directory "$deb/usr/share/man/man1" "$tree"/man/*.1
install -D -m 644 --target-directory "$deb/usr/share/man/man8" "$tree"/man/*.8
install -D -m 644 "$tree/completions/hashlane.bash" "$deb/usr/share/bash-completion/completions/hashlane"
install -D -m 644 "$tree/completions/hashlane.zsh" "$deb/usr/share/zsh/vendor-completions/_hashlane"
install -D -m 644 "$tree/completions/hashlane.fish" "$deb/usr/share/fish/vendor_completions.d/hashlane.fish"
install -D -m 644 --target-directory "$deb/usr/share/doc/hashlane" "$root/deploy/package/debian/copyright" \
    "$tree/THIRD-PARTY" "$programs"/*.cdx.json
install -m 644 "$tree/CHANGELOG.md" "$deb/usr/share/doc/hashlane"
cat >"$deb/usr/share/doc/hashlane/changelog" <<END
hashlane ($debian_version) unstable; urgency=medium

  * Release $version: CHANGELOG.md.gz in this folder says what has changed.

 -- $(sed -n 's/^Maintainer: //p' "$root/deploy/package/debian/control")  $(date --utc --rfc-email --date "@$SOURCE_DATE_EPOCH")
END
gzip -9 --no-name "$deb"/usr/share/man/man?/* "$deb"/usr/share/doc/hashlane/{changelog,*.md,THIRD-PARTY,*.cdx.json}
mkdir "$deb/DEBIAN"
(cd "$deb" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
kib=$(du --apparent-size -sk -- "$deb" | cut -f 1)
sed -e "s/@version@/$debian_version/" -e "s/@architecture@/$architecture/" -e "s/@kib@/$kib/" \
    "$root/deploy/package/debian/control" >"$deb/DEBIAN/control"
install -m 644 "$root/deploy/package/debian/conffiles" "$deb/DEBIAN"
install -m 755 "$root"/deploy/package/debian/{postinst,prerm,postrm} "$deb/DEBIAN"
# xz, which every Debian reads. dpkg-deb takes SOURCE_DATE_EPOCH for times. Threads would change the bytes.
dpkg-deb --root-owner-group -Zxz -z6 --threads-max=1 --build "$deb" "$folder/hashlane_${debian_version}_$architecture.deb" >/dev/null

# The image: the recipe's target `release`, with storage of this run only.
context=$work/context
install -D -m 755 "$tree/hashlane-server" "$context/target/$target/release/hashlane-server"
install -m 644 "$programs/hashlane-server.cdx.json" "$tree/THIRD-PARTY" "$context/target/$target/release"
cat >"$work/storage.conf" <<END
[storage]
driver = "vfs"
graphroot = "$work/graph"
runroot = "$work/run"
END
export CONTAINERS_STORAGE_CONF=$work/storage.conf
# `docker` format: OCI's has no health check.
buildah bud --quiet --isolation chroot --format docker --file "$root/deploy/container/Dockerfile" --target release \
    --ignorefile "$root/deploy/container/Dockerfile.dockerignore" \
    --platform "linux/$architecture" --timestamp "$SOURCE_DATE_EPOCH" --build-arg "TARGET=$target" \
    --build-arg "VERSION=$version" --build-arg "REVISION=$commit" \
    --build-arg "CREATED=$(date --utc --date "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" \
    --tag "hashlane:$version" "$context" >/dev/null
buildah push --quiet "hashlane:$version" "docker-archive:$work/image.tar:hashlane:$version"
"$root/deploy/package/normalise-image" "$work/image.tar" "$folder/hashlane-$version-$architecture-image.tar" \
    "hashlane:$version"
