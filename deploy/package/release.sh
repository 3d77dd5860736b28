#!/usr/bin/env bash
# Makes all files of a release:
#
#   release.sh [--tagged] [--target TARGET]... FOLDER
#
# FOLDER gets, for each target, what pack.sh lists; crates, wheel and sdist; and SHA256SUMS, which
# the tool of the release computes. Targets: x86_64-unknown-linux-musl, aarch64-unknown-linux-musl;
# without --target, both. The same commit and the same compilers give the same bytes.
#
# --tagged demands what publication needs: the tags vVERSION and client/go/vVERSION on this commit,
# and a section of CHANGELOG.md.
# shellcheck source=deploy/package/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
targets=() tagged=
while (($# > 1)); do
    case $1 in
        --tagged) tagged=1 && shift ;;
        --target) targets+=("$2") && shift 2 ;;
        *) break ;;
    esac
done
[[ $# == 1 && $1 != -* ]] || fail "usage: release.sh [--tagged] [--target TARGET]... FOLDER"
((${#targets[@]} > 0)) || targets=(x86_64-unknown-linux-musl aarch64-unknown-linux-musl)
for target in "${targets[@]}"; do debian_of "$target" >/dev/null; done
need git sha256sum
mkdir -p "$1"
folder=$(cd -- "$1" && pwd)
[[ -z $(ls -A -- "$folder") ]] || fail "$folder is not empty"
[[ -z $(git -C "$root" status --porcelain) ]] || fail "there are changes without a commit"
version=$("$root/deploy/package/version")
if [[ -n $tagged ]]; then
    for tag in "v$version" "client/go/v$version"; do
        [[ $(git -C "$root" rev-parse --quiet --verify "refs/tags/$tag^{commit}") == $(git -C "$root" rev-parse HEAD) ]] ||
            fail "the tag $tag is not on this commit"
    done
    grep -qF "## [$version]" "$root/CHANGELOG.md" || fail "CHANGELOG.md has no section [$version]"
fi

for target in "${targets[@]}"; do
    programs=$target_folder/release-programs/$target
    RUNNER=
    [[ ${target%%-*} == $(uname -m) ]] || RUNNER=qemu-${target%%-*}
    export RUNNER
    "$root/deploy/package/build.sh" "$target" "$programs"
    "$root/deploy/package/sbom.sh" "$target" "$programs"
    "$root/deploy/package/pack.sh" "$target" "$programs" "$folder"
done
"$root/deploy/package/libraries.sh" "$folder"

# With the last target's tool.
read -r -a runner <<<"$RUNNER"
(cd "$folder" && "${runner[@]}" "$programs/hashlane" sum -- * >"$programs/SHA256SUMS")
mv -- "$programs/SHA256SUMS" "$folder"
(cd "$folder" && sha256sum --check --quiet --strict SHA256SUMS)
ls -l -- "$folder"
