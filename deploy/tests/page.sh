#!/usr/bin/env bash
# page.sh [FOLDER]: the admin page in a real browser (Debian: chromium), before a real server under load: see
# page.py. Screenshots go to FOLDER; docs/page.png is its busy-1280-light.png.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need chromium curl python3

start_server --workers 2
# Streams that come and go, of two algorithms.
python3 "$here/page.py" --admin "$admin" --server-pid "$server_pid" ${1:+--shots "$1"} -- \
    "$bin/hashlane-loadtest" run --server "$server" --admin "$admin" --connections 8 --streams 64 \
    --algorithm sha256,md5 --part-size 64KiB..1MiB --duration 60s
wait "$server_pid" || fail "the server ended with exit code $? after SIGTERM"
