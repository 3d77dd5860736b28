#!/usr/bin/env bash
# Writes what the programs contain, as CycloneDX: `sbom.sh TARGET FOLDER` writes
# hashlane-server.cdx.json and hashlane.cdx.json. Build dependencies are not in the programs, nor here.
# shellcheck source=deploy/package/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
(($# == 2)) || fail "usage: sbom.sh TARGET FOLDER"
target=$1 folder=$2
need cargo git tar
cyclonedx=$tools/bin/cargo-cyclonedx
if [[ $("$cyclonedx" cyclonedx --version 2>/dev/null) != *" $cyclonedx_version" ]]; then
    # Unoptimised: it builds in half the time and runs for a second.
    CARGO_TARGET_DIR=$tools/build cargo install --quiet --debug --locked --root "$tools" \
        "cargo-cyclonedx@$cyclonedx_version"
    rm -rf -- "$tools/build"
fi

# The tool writes next to each Cargo.toml, so it gets a copy of the tracked files.
copy=$(mktemp -d)
trap 'rm -rf -- "$copy"' EXIT
git -C "$root" ls-files -z | tar --directory "$root" --create --null --files-from - | tar --directory "$copy" --extract
"$cyclonedx" cyclonedx --quiet --format json --spec-version 1.5 --describe binaries --no-build-deps \
    --target "$target" --manifest-path "$copy/Cargo.toml"
mkdir -p "$folder"
for program in server/hashlane-server client/hashlane; do
    # References name the folder of the workspace.
    sed "s#path+file://$copy#path+file:///hashlane#g" "$copy/${program}_bin.cdx.json" >"$folder/${program#*/}.cdx.json"
done
