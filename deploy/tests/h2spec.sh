#!/usr/bin/env bash
# h2spec, the conformance tests of HTTP/2 and HPACK that others wrote, against a real server. Fails on
# any failure that is not explained below, and on an explained one that fails no longer.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need curl go python3

# Checked with this version. It has no go.mod: what it needs is of the newest versions.
version=v2.2.1+incompatible
h2spec=${CARGO_TARGET_DIR:-$root/target}/h2spec

go version -m "$h2spec/h2spec" 2>/dev/null | grep -qP "\tgithub.com/summerwind/h2spec\t\Q$version\E\t" ||
    GOBIN=$h2spec go install "github.com/summerwind/h2spec/cmd/h2spec@$version"

start_server
address=${server#http://}
runs=(1 2 3)
for run in "${runs[@]}"; do
    for section in generic http2 hpack; do
        # Its exit code says that something failed; which it was is in the report.
        "$h2spec/h2spec" "$section" --host "${address%:*}" --port "${address#*:}" --timeout 1 \
            --junit-report "$work/$run.$section.xml" >"$work/$run.$section.log" || true
        printf '%s, run %s: %s\n' "$section" "$run" "$(tail -n 1 -- "$work/$run.$section.log")"
    done
done
kill -0 "$server_pid" || fail "the server is gone"
stop_server

python3 - "$work" "${#runs[@]}" <<'PY'
import re
import sys
import xml.etree.ElementTree as xml

# What fails, and why it may. h2spec's requests are a GET of /, which this server, that speaks gRPC and
# nothing else, answers at once with headers alone.
EXPLAINED = {
    ("generic/2", "Sends a WINDOW_UPDATE frame on half-closed (remote) stream"):
        "expects DATA in the answer to a GET",
    ("generic/2", "Sends a PRIORITY frame on half-closed (remote) stream"):
        "expects DATA in the answer to a GET",
    ("http2/4.2", "Sends a large size HEADERS frame that exceeds the SETTINGS_MAX_FRAME_SIZE"):
        "the frame is larger than the default of 16 KiB, but not than what the server announces",
    ("http2/5.1.2", "Sends HEADERS frames that causes their advertised concurrent stream limit to be exceeded"):
        "every stream is answered, and so ended, at once: the limit is not reached",
}
# What fails when the answer to the GET leaves before the frame in question has come: the stream is then
# over, and what comes late for it is passed over. Who wins is chance.
RACES = {
    ("http2/5.1", "closed: Sends a DATA frame after sending RST_STREAM frame"),
    ("http2/5.1", "closed: Sends a HEADERS frame after sending RST_STREAM frame"),
    ("http2/6.9", "Sends a WINDOW_UPDATE frame with a flow control window increment of 0 on a stream"),
    ("http2/6.9.1", "Sends multiple WINDOW_UPDATE frames increasing the flow control window to above 2^31-1 on a stream"),
    ("http2/8.1", "Sends a second HEADERS frame without the END_STREAM flag"),
    ("http2/8.1.2.1", "Sends a HEADERS frame that contains a pseudo-header field as trailers"),
    ("http2/8.1.2.6", 'Sends a HEADERS frame with the "content-length" header field which does not equal the DATA frame payload length'),
    ("http2/8.1.2.6", 'Sends a HEADERS frame with the "content-length" header field which does not equal the sum of the multiple DATA frames payload length'),
}

folder, runs = sys.argv[1], int(sys.argv[2])
failures = []
cases = set()
for run in range(1, runs + 1):
    failed = {}
    for section in ("generic", "http2", "hpack"):
        # h2spec writes the bytes of frames as they are, whether XML may have them or not.
        report = open(f"{folder}/{run}.{section}.xml", encoding="utf-8", errors="replace").read()
        report = re.sub("[^\t\n -\ufffd]", "?", report)
        for case in xml.fromstring(report).iter("testcase"):
            name = case.get("package"), case.get("classname")
            cases.add(name)
            if case.find("failure") is not None or case.find("error") is not None:
                failed[name] = xml.tostring(case, "unicode")
    failures.append(failed)
if len(cases) < 140:
    sys.exit(f"h2spec.sh: only {len(cases)} cases ran")

always = set.intersection(*(set(failed) for failed in failures))
ever = set.union(*(set(failed) for failed in failures))
for name in sorted(ever & EXPLAINED.keys()):
    print(f"explained: {name[0]}: {name[1]}: {EXPLAINED[name]}")
for name in sorted(ever & RACES):
    print(f"lost its race in {sum(name in failed for failed in failures)} of {runs} runs: {name[0]}: {name[1]}")
unknown = ever - EXPLAINED.keys() - RACES
for name in unknown:
    text = next(failed[name] for failed in failures if name in failed)
    print(f"FAILED: {name}\n{text}", file=sys.stderr)
gone = EXPLAINED.keys() - always
for name in gone:
    print(f"explained, but does not fail: {name}", file=sys.stderr)
if unknown or gone:
    sys.exit(1)
print(f"{len(cases)} cases, {len(ever)} of them fail as explained")
PY
