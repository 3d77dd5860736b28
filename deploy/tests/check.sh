#!/usr/bin/env bash
# `hashlane check` beside `sha256sum -c`, `md5sum -c` and `sha512sum -c` over a table of lists and options: the same
# lines, the same complaints but for the program's name, and the same exit codes. Needs no server.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need cksum md5sum sha256sum sha512sum

mkdir "$work/files"
cd -- "$work/files"
mkdir folder
printf abc >a
printf 'two\n' >'b c'
printf three >$'new\nline'
printf four >'back\slash'
printf five >' space'
printf six >'*star'
printf seven >'paren) = x'

declare -A tools=([sha256]=sha256sum [md5]=md5sum [sha512]=sha512sum)
declare -A tags=([sha256]=SHA256 [md5]=MD5 [sha512]=SHA512)

# The lists, for the algorithm $1: one file for each, named after what it has.
lists() {
    local sum=${tools[$1]} tag=${tags[$1]} good bad
    good=$($sum a | cut -d ' ' -f 1)
    bad=$(printf wrong | $sum | cut -d ' ' -f 1)
    rm -rf -- ../lists
    mkdir ../lists
    cd ../lists
    : >empty
    printf '\n\n' >blank_lines
    printf '# nothing\n' >comment_only
    (cd ../files && $sum -- *[!r]) >good
    (cd ../files && $sum --tag -- *[!r]) >bsd
    (cd ../files && $sum -b -- *[!r]) >binary
    sed 's/$/\r/' good >crlf
    sed 's/$/\r/' bsd >bsd_crlf
    tr a-f A-F <<<"$good  a" >upper_case
    printf '%s  a' "$good" >no_end_of_line
    printf '%s  a\n' "$bad" >bad
    printf '%s  a\n%s  b c\n%s  a\n' "$good" "$bad" "$bad" >good_and_bad
    printf '%s  none\n' "$good" >missing
    printf '%s  none\n%s  a\n' "$good" "$good" >missing_and_good
    printf '%s  none\n%s  a\n%s  none\nrubbish\n' "$good" "$bad" "$good" >missing_and_bad
    printf '%s  folder\n' "$good" >a_folder
    printf '%s  /proc/self/mem\n%s  a\n' "$good" "$good" >unreadable
    printf 'rubbish\n' >malformed
    printf 'rubbish\n%s  a\n%s\n%s \n' "$good" "$good" "$good" >malformed_and_good
    printf '%s  a\n' "${good:1}" >short_digest
    printf '0%s  a\n' "$good" >long_digest
    printf 'g%s  a\n' "${good:1}" >no_hex
    printf '%s a\n%s b c\n' "$good" "$bad" >one_space
    printf '%s\ta\n' "$good" >tab
    printf '%s\t a\n%s\t*a\n' "$good" "$good" >tab_and_second
    printf '%s  a\n%s a\n%s *a\n' "$good" "$good" "$good" >two_then_one
    printf '%s a\n%s  space\n%s *star\n' "$good" "$($sum <'../files/ space' | cut -d ' ' -f 1)" \
        "$($sum <'../files/*star' | cut -d ' ' -f 1)" >one_then_two
    printf '%s  \n%s *\n' "$good" "$good" >name_of_one_space
    printf '%s  no such file\n\\%s  a\\nb\n' "$good" "$good" >names_to_quote
    printf '  \t%s  a\n' "$good" >indented
    printf '\\%s  a\\tb\n\\%s  a\\\n%s  a\n' "$good" "$good" "$good" >wrong_escapes
    printf '%s (a)= %s\n%s(a)= %s\n' "$tag" "$good" "$tag" "$good" >openssl
    printf '%s (a) =%s\n%s (a)\t=\t %s\n' "$tag" "$good" "$tag" "$good" >bsd_white
    printf '%s  (a) = %s\n%s (a) = %s \n%s (a = %s\n%s (a) %s\n%s (a) = %s\n' "$tag" "$good" \
        "$tag" "$good" "$tag" "$good" "$tag" "$good" "$tag" "$bad" >bsd_malformed
    printf '%s (a) = %s\n%s  a\n# note\n\n%s *none\n' "$tag" "$good" "$bad" "$good" >mixed
    cd ../files
}

# What the program $1, with the arguments that follow, prints and how it ends. The program is named `tool`.
outcome() {
    local name=$1 status=0
    shift
    "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    cat -- "$work/out"
    # Coreutils quote names that a shell would take for something else.
    sed "s/^$name: /tool: /; s/^tool: '\(.*\)': /tool: \1: /; s/'\$'\(.*\)''/\1/" -- "$work/err"
    echo "exit code $status"
}

compared=0
# compare ALGORITHM ARGUMENT...: to both programs.
compare() {
    local algorithm=$1 sum=${tools[$1]}
    shift
    outcome "$sum" "$sum" -c "$@" >"$work/theirs"
    outcome hashlane "$bin/hashlane" check -a "$algorithm" "$@" >"$work/ours"
    diff -u -- "$work/theirs" "$work/ours" >&2 || fail "$algorithm $*: differs from $sum -c"
    compared=$((compared + 1))
}

for algorithm in sha256 md5 sha512; do
    lists "$algorithm"
    all=(../lists/*)
    ((${#all[@]} >= 30)) || fail "only ${#all[@]} lists were made"
    for list in "${all[@]}"; do
        for options in '' --quiet --status --strict --ignore-missing --warn '--strict --quiet' \
            '--ignore-missing --strict --warn' '--ignore-missing --status' '--quiet --warn'; do
            # shellcheck disable=SC2086 # several options
            compare "$algorithm" $options "$list"
        done
    done
    compare "$algorithm" "${all[@]}"
    compare "$algorithm" --quiet ../lists/none ../lists/good ../lists/bad
done

# Lists of several algorithms, as cksum reads them.
{ md5sum --tag -- *[!r]; sha256sum --tag -- *[!r]; sha512sum --tag a; } >../several
printf 'MD5 (a) = %s\n' "$(printf wrong | md5sum | cut -d ' ' -f 1)" >>../several
outcome cksum cksum -c ../several >"$work/theirs"
outcome hashlane "$bin/hashlane" check ../several >"$work/ours"
diff -u -- "$work/theirs" "$work/ours" >&2 || fail "several algorithms: differs from cksum -c"

echo "$compared comparisons with sha256sum, md5sum and sha512sum, and one with cksum: equal"
