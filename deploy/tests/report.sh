#!/usr/bin/env bash
# report.sh [FOLDER]: the load generator's report in a real browser (Debian: chromium): see report.py. Screenshots go
# to FOLDER; docs/loadtest-report.png is its one-1280-light-top.png.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need chromium python3

shots=${1:+--shots=$1}
fixtures=$root/loadtest/tests/fixtures

# look NAME DOCUMENT...: writes the report of the documents and looks at it.
look() {
    local name=$1
    shift
    "$bin/hashlane-loadtest" report "$@" --output "$work/$name.html" 2>/dev/null
    python3 "$here/report.py" ${shots:+"$shots"} --page "$work/$name.html" "$@"
}

look one "$fixtures/before.json"
look two "$fixtures/before.json" "$fixtures/after.json"
look lone "$fixtures/lone.json"

# Load generators that began at one time.
"$bin/hashlane-loadtest" merge "$fixtures/before.json" "$fixtures/after.json" --json "$work/merged.json"
look merged "$work/merged.json"

# Bad input: one line, exit code 2, and no page.
status=0
"$bin/hashlane-loadtest" report "$here/report.sh" --output "$work/none.html" 2>"$work/said" || status=$?
if ((status != 2)) || [[ -e $work/none.html || $(wc -l <"$work/said") != 1 ]]; then
    fail "a script as a document: exit code $status: $(cat -- "$work/said")"
fi
echo "a script as a document is refused"
