# shellcheck shell=bash
# Shared by the scripts here: source it.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
target_folder=${CARGO_TARGET_DIR:-$root/target}
# What the scripts install besides Debian's packages; kept, so that a second run is quick.
tools=$target_folder/release-tools

# Releases come from these versions. zig is the C compiler: it has the headers of musl for both CPUs.
# shellcheck disable=SC2034 # the scripts that source this use them
zig_version=0.17.1 build_version=1.6.1 hatchling_version=1.33.0 cyclonedx_version=0.5.9

fail() {
    echo "$(basename -- "$0"): $*" >&2
    exit 1
}

need() {
    local program
    for program in "$@"; do
        command -v -- "$program" >/dev/null || fail "$program is needed and not installed"
    done
}

# The time of everything that is made is that of the commit, unless the caller sets another.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C.UTF-8
umask 022

# debian_of TARGET: what Debian and images call the CPU.
debian_of() {
    case $1 in
        x86_64-unknown-linux-musl) echo amd64 ;;
        aarch64-unknown-linux-musl) echo arm64 ;;
        *) fail "no such target: $1; allowed: x86_64-unknown-linux-musl, aarch64-unknown-linux-musl" ;;
    esac
}

# make_venv NAME PACKAGE...: a Python environment with these packages in the folder of tools.
make_venv() {
    local folder=$tools/$1
    shift
    [[ $(cat -- "$folder/installed" 2>/dev/null) == "$*" ]] && return
    rm -rf -- "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 5 "$@"
    printf '%s\n' "$*" >"$folder/installed"
}

# use_binutils TARGET: has this script, and those that it starts, use the binutils for the target's CPU.
use_binutils() {
    export OBJCOPY=${1%%-*}-linux-gnu-objcopy OBJDUMP=${1%%-*}-linux-gnu-objdump
    need "$OBJCOPY" "$OBJDUMP"
}
