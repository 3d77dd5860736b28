#!/usr/bin/env bash
# Builds the static programs of a release: `build.sh TARGET FOLDER` writes hashlane-server and
# hashlane into FOLDER, each with its debug information in a file of its own. The same commit and
# the same compilers give the same bytes, in any folder: no path of this machine is in them.
# shellcheck source=deploy/package/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
(($# == 2)) || fail "usage: build.sh TARGET FOLDER"
target=$1 folder=$2
debian_of "$target" >/dev/null
need cargo rustc python3
use_binutils "$target"
[[ -d $(rustc --print sysroot)/lib/rustlib/$target ]] ||
    fail "rustc lacks the target: rustup target add $target"
make_venv zig "ziglang==$zig_version"

# zig's names of targets have no vendor; the flag `--target` of the crate cc has one.
compiler=$tools/zig-cc-$target
cat >"$compiler" <<END
#!/usr/bin/env bash
arguments=()
for argument; do [[ \$argument == --target=* ]] || arguments+=("\$argument"); done
exec "$tools/zig/bin/python" -m ziglang cc -target "${target/-unknown/}" "\${arguments[@]}"
END
archiver=$tools/zig-ar
printf '#!/usr/bin/env bash\nexec "%s" -m ziglang ar "$@"\n' "$tools/zig/bin/python" >"$archiver"
chmod +x -- "$compiler" "$archiver"

cargo_home=${CARGO_HOME:-$HOME/.cargo}
# Of several prefixes that match, the last counts.
from=("$cargo_home" "$root" "$target_folder") to=(/cargo /hashlane /target)
# zig checks C for undefined behaviour where C is not optimised; Rust's linker lacks what the checks call.
rust_flags='' c_flags='-fno-sanitize=undefined'
for index in "${!from[@]}"; do
    rust_flags+="${rust_flags:+$'\x1f'}--remap-path-prefix=${from[index]}=${to[index]}"
    c_flags+=" -ffile-prefix-map=${from[index]}=${to[index]}"
done
variable=${target//-/_}
export "CC_$variable=$compiler" "AR_$variable=$archiver" "CFLAGS_$variable=$c_flags"
export "CARGO_TARGET_${variable^^}_LINKER=rust-lld" CARGO_ENCODED_RUSTFLAGS=$rust_flags
export HASHLANE_COMMIT=${HASHLANE_COMMIT:-$(git -C "$root" rev-parse --short=12 HEAD)} CARGO_INCREMENTAL=0
(cd "$root" && cargo build --release --locked --target "$target" -p hashlane-server -p hashlane-client --bins)

mkdir -p "$folder"
for program in hashlane-server hashlane; do
    cp -- "$target_folder/$target/release/$program" "$folder/$program"
    "$root/deploy/split-debug" "$folder/$program"
done
