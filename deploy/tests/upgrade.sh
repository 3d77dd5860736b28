#!/usr/bin/env bash
# This version against the last release, as docs/compatibility.md promises it: the contract has no breaking change, the
# old settings file and the old metrics still hold but for what the document names, and servers of both versions replace
# one another under load, with clients of both versions.
#
#   upgrade.sh            all of it. Builds the old server and the old Rust client first: minutes, once for each release
#   upgrade.sh --brief    builds nothing that is old in Rust: the contract, and the clients for Go and Python; the rest
#                         if HASHLANE_OLD_BIN names a folder with the old hashlane-server
#
# HASHLANE_OLD_REF is another release than the newest tag v*.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need buf cargo curl git go python3
# Before the first tag: the commit that stands for a release.
first_release=14ff3be829b7fcf2e6217f6756f8bacd9da25730
tools=${CARGO_TARGET_DIR:-$root/target}/ci-tools
document=$root/docs/compatibility.md
program=${HASHLANE_SERVER_BIN:-$bin/hashlane-server}
brief=
case ${1:-} in
"") ;;
--brief) brief=1 ;;
*) fail "usage: upgrade.sh [--brief]" ;;
esac
[[ -x $program ]] || fail "$program is missing: .ci/run release"

ref=${HASHLANE_OLD_REF:-$(git -C "$root" tag --list 'v*' --sort=-version:refname | head -n 1)}
ref=${ref:-$first_release}
commit=$(git -C "$root" rev-parse --verify --quiet "$ref^{commit}") ||
    fail "the last release, $ref, is not in this repository"
short=$(git -C "$root" rev-parse --short "$commit")
echo "the last release: $ref"
old=$work/old
mkdir "$old"
git -C "$root" archive "$commit" | tar -x -C "$old"

# The strictest rules of buf: also code that uses generated code goes on.
breaking() { buf breaking "$1" --against "$old/proto" --config '{"version":"v2","breaking":{"use":["FILE"]}}'; }
breaking "$root/proto" || fail "the contract has a breaking change since $ref"
# buf would find one.
cp -R -- "$root/proto" "$work/broken"
sed -i '0,/uint64 size_bytes = 2;/s//uint64 size_bytes = 9;/' "$work/broken/hashlane/v1/hash_service.proto"
if breaking "$work/broken" >/dev/null 2>&1; then fail "buf does not see that a field has another number"; fi
echo "the contract has no breaking change"

# build_old: sets old_bin, with the server and the load of the Rust client. Kept for each release.
build_old() {
    local tree=$tools/upgrade/$short
    old_bin=$tools/upgrade/$short-bin
    [[ -x $old_bin/hashlane-server && -x $old_bin/fleet ]] && return
    if [[ ! -e $tree ]]; then
        git -C "$root" worktree prune
        git -C "$root" worktree add --quiet --force --detach "$tree" "$commit"
    fi
    # The load is today's, on that version's library.
    cp -- "$root/client/examples/fleet.rs" "$tree/client/examples/"
    CARGO_TARGET_DIR=$tools/upgrade/target cargo build --quiet --release --manifest-path "$tree/Cargo.toml" \
        -p hashlane-server -p hashlane-client --bin hashlane-server --example fleet
    mkdir -p "$old_bin"
    cp -- "$tools/upgrade/target/release/hashlane-server" "$tools/upgrade/target/release/examples/fleet" "$old_bin/"
    git -C "$root" worktree remove --force "$tree"
    rm -rf -- "$tools/upgrade/target"
}

# The same load on both versions of each client. That it builds and runs is what is promised of their interfaces.
make_venv "$tools/clients/venv" "$root/client/python/requirements.txt"
python=$tools/clients/venv/bin/python
cp -R -- "$root/client/go/internal/fleet" "$old/client/go/internal/"
(cd "$root/client/go" && go build -o "$work/fleet-go" ./internal/fleet)
(cd "$old/client/go" && go build -o "$work/fleet-go-old" ./internal/fleet) ||
    fail "a program for the Go client of $ref does not build with today's, or the reverse"
clients=()
# client NAME COMMAND...
client() { clients+=(--client "$1" "$(printf '%q ' "${@:2}")"); }
client "go new" "$work/fleet-go"
client "go old" "$work/fleet-go-old"
client "python new" env PYTHONPATH="$root/client/python/src" "$python" -B "$here/fleet/client.py"
client "python old" env PYTHONPATH="$old/client/python/src" "$python" -B "$here/fleet/client.py"
if [[ -n $brief ]]; then
    old_bin=${HASHLANE_OLD_BIN:-}
else
    cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml" -p hashlane-client --example fleet
    client "rust new" "${CARGO_TARGET_DIR:-$root/target}/release/examples/fleet"
    if [[ -n ${HASHLANE_OLD_BIN:-} ]]; then old_bin=$HASHLANE_OLD_BIN; else build_old; fi
fi
# Where it is given, also in brief.
if [[ -n $old_bin && -x $old_bin/fleet ]]; then client "rust old" "$old_bin/fleet"; fi
if [[ -z $old_bin ]]; then
    echo "no old server is given (HASHLANE_OLD_BIN): the rest is left out"
    exit
fi
old_program=$old_bin/hashlane-server
[[ -x $old_program ]] || fail "$old_program is missing"
if cmp -s -- "$old_program" "$program"; then fail "$old_program is this version"; fi

# names_of SERVER WHAT: the names of its settings, or of its metrics.
settings_of() { "$1" --settings | awk -F '`' '/^[|] `/ { print $2 }' | sort; }
metrics_of() {
    server_program=$1 start_server --workers 1
    curl -fsS "$admin/metrics" | sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' | sort
    stop_server
}
# check_removed WHAT OLD NEW: what is only in the old list must be in the document.
check_removed() {
    local name gone
    [[ -s $2 && -s $3 ]] || fail "no $1 were found"
    gone=$(comm -23 "$2" "$3")
    for name in $gone; do
        grep -q "^| $1 | \`$name\` |" "$document" ||
            fail "of the $1 of $ref, $name is gone; ${document#"$root"/} does not name it"
    done
    echo "$(wc -l <"$2") $1 of $ref, of which $(wc -w <<<"$gone") are gone, as the document says"
}
settings_of "$old_program" >"$work/settings-old"
settings_of "$program" >"$work/settings-new"
check_removed settings "$work/settings-old" "$work/settings-new"
metrics_of "$old_program" >"$work/metrics-old"
metrics_of "$program" >"$work/metrics-new"
check_removed metrics "$work/metrics-old" "$work/metrics-new"

# The old settings file, with all settings in it, starts this server. A setting that is gone ends the start, and is named.
"$old_program" --print-config >"$work/old.toml"
settings_file() {
    local gone lines
    gone=$(comm -23 "$work/settings-old" "$work/settings-new" | wc -l)
    "$program" --config "$work/old.toml" --check 2>"$work/refused" || true
    lines=$(sed -n 's/.*old\.toml:\([0-9]*\)): there is no setting of this name.*/\1d/p' "$work/refused")
    (($(wc -w <<<"$lines") == gone && $(wc -l <"$work/refused") == gone)) ||
        fail "$gone settings are gone, and the server says: $(cat -- "$work/refused")"
    # An operator removes the lines that were named.
    sed -i "$lines" "$work/old.toml"
    "$program" --config "$work/old.toml" --check
}
settings_file || fail "the settings file of $ref does not hold"
server_program=$program start_server --config "$work/old.toml"
stop_server
echo "the settings file of $ref starts this server"

"$python" -B "$here/fleet/upgrade.py" --old "$old_program" --new "$program" --log "$work/server.log" "${clients[@]}" &
pids+=("$!")
wait "$!"
echo "upgrade and rollback passed in $SECONDS s"
