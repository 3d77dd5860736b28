#!/usr/bin/env bash
# Real files through a real server: `hashlane sum` must equal `sha256sum`, `md5sum` and the like byte
# for byte, each must accept the other's output, and a flipped byte must be found.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need curl python3 cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum
files_count=400
jobs=32

mapfile -d '' -t files < <(real_files "$files_count")
((${#files[@]} == files_count)) || fail "only ${#files[@]} files found in cargo's registry"

# Beside them: nothing, one byte, both sides of the block edges, and more than one flow-control window.
mkdir "$work/made"
for size in 0 1 55 56 63 64 65 119 120 127 128 65535 65536 65537 33554433; do
    head -c "$size" /dev/urandom >"$work/made/$size"
done
printf 'a name with spaces' >"$work/made/a name"
printf 'a name with a line feed' >"$work/made/a"$'\n'"name"
printf 'a name with a backslash' >"$work/made/a\\name"
files+=("$work"/made/*)

HASHLANE_BIN=$bin "$here/check.sh"

start_server
"$bin/hashlane" ping --server "$server"
sha256sum -- "${files[@]}" >"$work/expected"

sum_and_compare() {
    local name=$1
    shift
    "$bin/hashlane" sum "$@" -- "${files[@]}" >"$work/$name"
    cmp -- "$work/expected" "$work/$name" || fail "$name: differs from sha256sum"
    sha256sum --check --quiet --strict -- "$work/$name" || fail "$name: sha256sum -c does not accept it"
    echo "${#files[@]} files, $name: equal to sha256sum, accepted by sha256sum -c"
}
sum_and_compare server --server "$server" --jobs "$jobs"
sum_and_compare embedded --jobs "$jobs"

# A folder, in the order of the shell's list.
(cd -- "$work/made" && export LC_ALL=C && sha256sum -- *) >"$work/list"
for place in "--server=$server" --jobs=$jobs; do
    (cd -- "$work/made" && "$bin/hashlane" sum -r "$place" .) | sed 's#  \./#  #' >"$work/ours"
    cmp -- "$work/list" "$work/ours" || fail "sum -r, $place: differs from sha256sum *"
done

# The other algorithms, alone in the format of their tools, and together in that of `cksum`.
for place in "--server=$server" --jobs=$jobs; do
    for algorithm in md5 sha1 sha224 sha384 sha512; do
        "${algorithm}sum" -- "${files[@]}" >"$work/$algorithm"
        "$bin/hashlane" sum --algorithm "$algorithm" "$place" -- "${files[@]}" >"$work/ours"
        cmp -- "$work/$algorithm" "$work/ours" || fail "$algorithm, $place: differs from ${algorithm}sum"
        "${algorithm}sum" --check --quiet --strict -- "$work/ours" || fail "${algorithm}sum -c does not accept $algorithm"
        "$bin/hashlane" check --algorithm "$algorithm" "$work/$algorithm" --quiet --strict "$place" ||
            fail "$algorithm, $place: check did not accept the output of ${algorithm}sum"
    done
    "$bin/hashlane" sum --algorithm sha256,md5,sha512,sha1 "$place" -- "${files[@]}" >"$work/ours"
    (($(wc -l <"$work/ours") == 4 * ${#files[@]})) || fail "$place: not four lines for each file"
    cksum --check --quiet --strict -- "$work/ours" || fail "$place: cksum -c does not accept four algorithms"
    "$bin/hashlane" check "$work/ours" --quiet --strict "$place" ||
        fail "$place: check did not accept four algorithms"
    echo "${#files[@]} files, ${place%%=*}: five more algorithms equal to their tools; four in one pass accepted by cksum -c"
done

"$bin/hashlane" check "$work/expected" --server "$server" >"$work/verified" ||
    fail "check did not accept sha256sum's output"
(($(grep -c ': OK$' "$work/verified") == ${#files[@]})) || fail "check did not report every file as OK"

# One bit of one byte in the middle of a copied file.
victim=$work/victim
cp -- "${files[7]}" "$victim"
head -c 70000 /dev/urandom >>"$victim"
sha256sum -- "$victim" "${files[@]:0:20}" >"$work/sums"
"$bin/hashlane" check "$work/sums" --server "$server" >/dev/null || fail "the untouched copy was refused"
python3 - "$victim" <<'PY'
import os, sys
with open(sys.argv[1], "r+b") as file:
    middle = os.path.getsize(sys.argv[1]) // 2
    file.seek(middle)
    byte = file.read(1)[0]
    file.seek(middle)
    file.write(bytes([byte ^ 1]))
PY
status=0
"$bin/hashlane" check "$work/sums" --server "$server" >"$work/flipped" 2>"$work/flipped.err" || status=$?
((status == 1)) || fail "exit code $status for a flipped byte, expected 1"
[[ $(grep ': FAILED' "$work/flipped") == "$victim: FAILED" ]] || fail "the flipped byte was not reported as FAILED"
(($(grep -c ': OK$' "$work/flipped") == 20)) || fail "a flipped byte in one file spoiled the others"
echo "a flipped byte: FAILED with exit code 1, the other files OK"

stop_server
echo "drained with exit code 0"
