#!/usr/bin/env bash
# Three servers with addresses of their own, behind HAProxy, behind nginx, and with clients that balance by a list
# and by DNS. Under load one server is killed, drained, cut off, made slow, starved of CPU time, or a fourth one is
# added. No verdict may be wrong, no part lost, and the load must become even again. fleet/README.md has the rules.
#
#   fleet.sh [--json FILE]          all 24 trials, about 15 minutes
#   fleet.sh haproxy [kill]         the trials of one kind of balancing, or one of them
#   fleet.sh --brief                one fault of each kind, within 2 minutes
#
# Needs root, for namespaces of the network. Everything is in namespaces of its own, which go at the end.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# Debian: dnsmasq-base, haproxy, iproute2, iptables, nginx-light, procps.
need cargo curl dnsmasq go haproxy ip iptables nginx python3 sysctl tc
((EUID == 0)) || fail "needs root: namespaces of the network"
kept=${CARGO_TARGET_DIR:-$root/target}/ci-tools/clients
server=${HASHLANE_SERVER_BIN:-$bin/hashlane-server}
[[ -x $server ]] || fail "$server is missing: .ci/run release"

(cd "$here/fleet" && python3 -B -m unittest -q test_judge 2>"$work/judge.log") || fail "$(cat "$work/judge.log")"
make_venv "$kept/venv" "$root/client/python/requirements.txt"
cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml" -p hashlane-client --example fleet
(cd "$root/client/go" && go build -o "$work/fleet-go" ./internal/fleet)

# With priority over other work of this machine, which would add to the times. At Ctrl-C the program takes down its
# namespaces.
PYTHONPATH=$root/client/python/src nice -n -15 "$kept/venv/bin/python" -B "$here/fleet/fleet.py" --server "$server" \
    --rust "${CARGO_TARGET_DIR:-$root/target}/release/examples/fleet" --go "$work/fleet-go" \
    --python "$kept/venv/bin/python" "$@" &
pids+=("$!")
wait "$!"
