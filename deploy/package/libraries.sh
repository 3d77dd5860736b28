#!/usr/bin/env bash
# Packs what package registries take: `libraries.sh FOLDER` writes the crates, and the Python client
# as wheel and sdist. The Go client is a tag of this repository (client/go/vX.Y.Z) and has no file.
# shellcheck source=deploy/package/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
(($# == 1)) || fail "usage: libraries.sh FOLDER"
mkdir -p "$1"
folder=$(cd -- "$1" && pwd)
need cargo python3
version=$("$root/deploy/package/version")
log=$(mktemp)
trap 'rm -f -- "$log"' EXIT

# Programs of a release are built from the workspace, so nothing is built here. Changes without a commit are told by
# release.sh, which is stricter.
rm -f -- "$target_folder"/package/*.crate
(cd "$root" && cargo package --workspace --no-verify --allow-dirty --locked >"$log" 2>&1) || { cat "$log" >&2; exit 1; }
install -m 644 "$target_folder"/package/hashlane-*-"$version".crate "$folder"

make_venv python "build==$build_version" "hatchling==$hatchling_version"
# Without isolation: with the build backend of this environment.
"$tools/python/bin/python" -m build --no-isolation --outdir "$folder" "$root/client/python" >"$log" 2>&1 ||
    { cat "$log" >&2; exit 1; }
