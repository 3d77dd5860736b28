#!/usr/bin/env python3
"""Runs the commands of the READMEs as they are written.

A command is an indented line of a README, or one after `$ ` in a fenced block; what follows the
latter is its output, in which `...` stands for anything. Each is run by bash, in the order of the
file, in one folder of each README, in a network namespace where the documented ports are free. A
server goes on until the next server or the README's end. A command of which no rule below says how
it is run is an error, and so is a README without any.

    sudo deploy/tests/readme.py FOLDER_OF_PROGRAMS
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ADMIN = "http://127.0.0.1:9464/readyz"
SECONDS_MAX = 120

# How a command is run: by the first rule whose pattern it begins with.
RULES = [
    (r"cargo build --release -p hashlane-server --features measure", "its tests, in CI's stage test"),
    (r"cargo run --release -p hashlane-server\b", "server"),
    (r"cargo (run --release -p hashlane-client|build --release -p hashlane-server)\b", "run"),
    (r"hashlane-server ", "server"),
    (r"hashlane-loadtest --server ", "run"),
    (r"(?s)hashlane-loadtest .*--peer ", "nothing: it needs the programs of another folder"),
    # Minutes each: that the program takes the flags is what is looked at.
    (r"hashlane-loadtest ", "flags"),
    (r"hashlane sum .* --ca tls/tls.crt ", "container.sh, with podman"),
    (r"(sudo apt |hashlane sum --server unix:/run/hashlane/)", "package.sh, in a container"),
    (r"(hashlane|openssl|mkdir|printf|curl) ", "run"),
    # What runs these elsewhere.
    (r"cargo test --workspace", "CI's stage test"),
    (r"cargo run --release -p hashlane-loadtest ", "the stage release, with the same program"),
    (r"loadtest/clients/compare.sh ", "the stage clients, in part"),
    (r"(docker|sudo chown) ", "container.sh, with podman"),
    (r"deploy/package/release.sh ", "package.sh, with programs that are built already"),
    (r"(cargo \S+ --release --manifest-path client/s3-gateway/|AWS_\w+=|aws )", "gateway.sh"),
    (r"(target/release/hashlane-server|deploy/tests/gateway.sh)$", "gateway.sh"),
    (r"(pip install|go (mod|get)) ", "clients.sh"),
]
READMES = [
    "README.md",
    "client/README.md",
    "client/python/README.md",
    "client/go/README.md",
    "client/s3-gateway/README.md",
    "loadtest/README.md",
    "deploy/README.md",
]
# Programs whose indented lines are commands.
PROGRAM = re.compile(
    r"(cargo|hashlane[\w-]*|openssl|mkdir|printf|curl|docker|sudo|pip|go|aws) |AWS_\w+="
    r"|(loadtest|deploy|target)/\S"
)

# `cargo run --release -p PACKAGE -- ...` with the programs that are built already: to build each
# package alone takes minutes. `cargo build` looks whether they are there.
CARGO = """#!/bin/bash
set -eu
declare -A program=(
    [hashlane-server]=hashlane-server [hashlane-client]=hashlane [hashlane-loadtest]=hashlane-loadtest
)
[[ "$1 $2" == *' --release' ]]
case $1 in
    run)
        [[ $3 == -p ]]
        package=$4
        shift 4
        [[ ${1-} != -- ]] || shift
        exec "${program[$package]}" "$@"
        ;;
    build)
        shift 2
        while (($# > 0)); do
            [[ $1 == -p ]]
            command -v "${program[$2]}"
            shift 2
        done
        ;;
    *) exit 1 ;;
esac
"""


def commands(text):
    """The commands, each with the lines of output that are shown, or None."""
    fence, command, shown = False, None, None
    begun = []
    for line in [*text.split("\n"), ""]:
        if line.lstrip().startswith("```"):
            fence = not fence
        indented = re.match(r" {4,}(\S.*)", line)
        body = indented[1] if indented and not fence else line if fence else None
        if begun:  # after a backslash
            begun.append((body or "").strip())
            if body is None or not body.endswith("\\"):
                command, shown = "\n".join(begun), None
                begun = []
            continue
        if body is None or line.lstrip().startswith("```"):
            body = ""
        is_shown = body.startswith("$ ")
        if is_shown or (indented and not fence and PROGRAM.match(body)):
            if command:
                yield command, shown
            command, shown = None, None
            text_of = body.removeprefix("$ ")
            if text_of.endswith("\\"):
                begun = [text_of]
            else:
                command, shown = text_of, [] if is_shown else None
        elif command and shown is not None and body:
            shown.append(body)
        elif command and not body:
            yield command, shown
            command, shown = None, None


def matches(shown, printed):
    pattern = "\n".join(re.escape(line).replace(r"\.\.\.", ".*") for line in shown)
    return re.fullmatch(pattern, printed.rstrip("\n"), re.DOTALL) is not None


class Place:
    """A folder, the programs on the PATH, and at most one server."""

    def __init__(self, folder, programs):
        self.folder, self.server = folder, None
        for name in ["Cargo.toml", "README.md"]:
            shutil.copy(ROOT / name, folder)
        (folder / "FILE").write_bytes(os.urandom(100_000))
        (folder / "a").write_bytes(b"abc")
        shims = folder / "shims"
        shims.mkdir()
        shim = shims / "cargo"
        shim.write_text(CARGO)
        shim.chmod(0o755)
        path = os.pathsep.join([str(shims), str(programs), os.environ["PATH"]])
        self.env = os.environ | {"PATH": path}

    def run(self, command):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.env,
            timeout=SECONDS_MAX,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def serve(self, command):
        self.end()
        log = open(self.folder / "server.log", "w")
        self.server = subprocess.Popen(
            ["bash", "-euc", command],
            cwd=self.folder,
            env=self.env,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        until = time.monotonic() + SECONDS_MAX
        while time.monotonic() < until and self.server.poll() is None:
            try:
                urllib.request.urlopen(ADMIN, timeout=5).close()
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"no server: {(self.folder / 'server.log').read_text()}")

    def end(self):
        if self.server and self.server.poll() is None:
            os.killpg(self.server.pid, signal.SIGTERM)
            self.server.wait(30)
        self.server = None


def rule_of(command):
    for pattern, how in RULES:
        if re.match(pattern, command):
            return how
    raise AssertionError("no rule says how it is run")


def check(readme, programs):
    """The number of its commands that were run."""
    run = 0
    found = list(commands((ROOT / readme).read_text()))
    assert found, f"{readme}: no command was found"
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), programs)
        try:
            # Most READMEs are read while a server runs.
            place.serve("exec hashlane-server")
            for command, shown in found:
                try:
                    how = rule_of(command)
                    if how == "server":
                        place.serve(command)
                    elif how == "run":
                        printed = place.run(command)
                        assert not shown or matches(shown, printed), f"it printed: {printed}"
                    elif how == "flags":
                        place.run(re.sub(r"\s+>\S+$", "", command) + " --help")
                    else:
                        print(f"{readme}: left to {how}: {command.splitlines()[0]}")
                        continue
                    run += 1
                except (AssertionError, OSError, subprocess.SubprocessError) as fault:
                    sys.exit(f"{readme}: {command}\n{fault}")
        finally:
            place.end()
    return run


def main():
    programs = Path(sys.argv[1]).resolve()
    if os.environ.get("HASHLANE_IN_NAMESPACE") != "1":
        os.environ["HASHLANE_IN_NAMESPACE"] = "1"
        inside = 'ip link set lo up && exec "$0" "$@"'
        os.execvp(
            "unshare",
            ["unshare", "--net", "bash", "-euc", inside, sys.executable, __file__, str(programs)],
        )
    for readme in READMES:
        print(f"{readme}: {check(readme, programs)} commands were run")


if __name__ == "__main__":
    main()
