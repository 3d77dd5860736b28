#!/usr/bin/env bash
# Real files through a real server: `hashlane sum` must equal `sha256sum` byte for byte, each must
# accept the other's output, and a flipped byte must be found.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need curl python3 sha256sum
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

start_server
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

"$bin/hashlane" verify --check "$work/expected" --server "$server" >"$work/verified" ||
    fail "verify did not accept sha256sum's output"
(($(grep -c ': OK$' "$work/verified") == ${#files[@]})) || fail "verify did not report every file as OK"

# One bit of one byte in the middle of a copied file.
victim=$work/victim
cp -- "${files[7]}" "$victim"
head -c 70000 /dev/urandom >>"$victim"
sha256sum -- "$victim" "${files[@]:0:20}" >"$work/sums"
"$bin/hashlane" verify --check "$work/sums" --server "$server" >/dev/null || fail "the untouched copy was refused"
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
"$bin/hashlane" verify --check "$work/sums" --server "$server" >"$work/flipped" 2>"$work/flipped.err" || status=$?
((status == 1)) || fail "exit code $status for a flipped byte, expected 1"
[[ $(grep ': FAILED' "$work/flipped") == "$victim: FAILED" ]] || fail "the flipped byte was not reported as FAILED"
(($(grep -c ': OK$' "$work/flipped") == 20)) || fail "a flipped byte in one file spoiled the others"
echo "a flipped byte: FAILED with exit code 1, the other files OK"

stop_server
echo "drained with exit code 0"
