#!/usr/bin/env bash
# report.sh [FOLDER]: the load generator's report in a real browser (Debian: chromium): see report.py. Screenshots go
# to FOLDER; docs/loadtest-report.png is the upper part of its one-1280-light.png.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need chromium python3

fixtures=$root/loadtest/tests/fixtures
one=("$fixtures/before.json")
two=("$fixtures/before.json" "$fixtures/after.json")
lone=("$fixtures/lone.json")
for name in one two lone; do
    declare -n documents=$name
    "$bin/hashlane-loadtest" report "${documents[@]}" --output "$work/$name.html"
    python3 "$here/report.py" ${1:+--shots "$1"} --page "$work/$name.html" "${documents[@]}"
done

# Load generators that began at one time.
"$bin/hashlane-loadtest" merge "${two[@]}" --json "$work/merged.json"
"$bin/hashlane-loadtest" report "$work/merged.json" --output "$work/merged.html"
python3 "$here/report.py" --page "$work/merged.html" "$work/merged.json"

# Bad input: one line, exit code 2, and no page.
status=0
"$bin/hashlane-loadtest" report "$here/report.sh" --output "$work/none.html" 2>"$work/said" || status=$?
((status == 2)) && [[ ! -e $work/none.html && $(wc -l <"$work/said") == 1 ]] ||
    fail "a script as a document: exit code $status: $(cat -- "$work/said")"
