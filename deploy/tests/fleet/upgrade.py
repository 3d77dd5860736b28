"""Replaces servers of a version by servers of another under load, and back: README.md.

Clients of both versions send parts meanwhile. Three servers are replaced one after the other; then
one server whose socket stays while its program changes, as with a .socket unit of systemd.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

SERVERS = 3
LAME_DUCK = "1s"
# What clients have sent to the servers in each state before the next one is replaced.
STATE_SECONDS = 1.5
ENDING_SECONDS = 90
ALGORITHMS = {"rust": "sha256", "go": "sha1", "python": "md5"}


def free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


@dataclass
class Server:
    """A server at an address that stays, while its program changes."""

    log: TextIO
    grpc: int
    admin: int
    # The socket for gRPC, if the server inherits it.
    inherited: socket.socket | None = None
    process: subprocess.Popen[bytes] | None = None

    def start(self, program: Path) -> None:
        flags = [
            "--admin-listen",
            f"127.0.0.1:{self.admin}",
            "--workers",
            "1",
            "--pin",
            "false",
            "--client-share-percent",
            "100",
            "--memory-max",
            "2GiB",
        ]
        command = [str(program), *flags]
        kept: tuple[int, ...] = ()
        environment = dict(os.environ)
        if self.inherited is None:
            command += ["--listen", f"127.0.0.1:{self.grpc}", "--lame-duck", LAME_DUCK]
        else:
            # As systemd hands it over: descriptor 3, and the process that it is for.
            descriptor = self.inherited.fileno()
            kept = (descriptor,)
            environment |= {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "grpc"}
            script = f'exec 3<&{descriptor}; LISTEN_PID=$$ exec "$0" "$@"'
            command = ["sh", "-c", script, *command]
        self.process = subprocess.Popen(
            command,
            stdout=self.log,
            stderr=self.log,
            pass_fds=kept,
            env=environment,
            start_new_session=True,
        )
        until = time.monotonic() + 30
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{program} does not become ready")
            time.sleep(0.05)

    def get(self, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=2)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def is_ready(self) -> bool:
        try:
            return self.get("/readyz")[0] == 200
        except OSError:
            return False

    def hashed(self) -> float:
        """Bytes hashed by this process."""
        lines = self.get("/metrics")[1].splitlines()
        named = [line for line in lines if line.startswith("hashlane_hashed_bytes_total{")]
        return sum(float(line.rsplit(" ", 1)[1]) for line in named)

    def wait_for_load(self, what: str) -> None:
        """Until this process has hashed something of the load, and for some more time."""
        until = time.monotonic() + 30
        while not self.hashed():
            if time.monotonic() > until:
                raise RuntimeError(f"{what}: no load arrives")
            time.sleep(0.1)
        time.sleep(STATE_SECONDS)

    def stop(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=60)
        if status:
            raise RuntimeError(f"a server ended with status {status} after SIGTERM")

    def kill(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@dataclass
class Load:
    """The clients, and what became of their parts."""

    commands: dict[str, list[str]]
    log: TextIO
    running: dict[str, subprocess.Popen[str]] = field(default_factory=dict)

    def start(self, servers: list[Server]) -> None:
        endpoints = ",".join(f"127.0.0.1:{each.grpc}" for each in servers)
        for name, command in self.commands.items():
            flags = [
                "--servers",
                endpoints,
                "--workers",
                "8",
                "--interval-ms",
                "100",
                "--algorithm",
                ALGORITHMS[name.split()[0]],
            ]
            self.running[name] = subprocess.Popen(
                [*command, *flags],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.log,
                text=True,
                start_new_session=True,
            )

    def end(self, what: str) -> bool:
        """Whether no verdict was wrong, and no part lost."""
        is_well = True
        for client in self.running.values():
            assert client.stdin
            client.stdin.close()
            client.stdin = None
        for name, client in self.running.items():
            said, _ = client.communicate(timeout=ENDING_SECONDS)
            if client.returncode:
                raise RuntimeError(f"the client {name} ended with status {client.returncode}")
            told = json.loads(said)
            print(
                f"  {what}, client {name}: {told['parts']} parts, "
                f"{told['corrupted']} of them corrupted, "
                f"{told['tries'] - told['parts']} tried again, {told['wrong']} wrong verdicts, "
                f"{told['lost']} lost, slowest {told['slowest_seconds']:.1f} s"
            )
            for error, count in told["errors"].items():
                print(f"    {count} times: {error}")
            if not told["parts"] or not told["corrupted"]:
                raise RuntimeError(f"the client {name} sent no parts, or no corrupted ones")
            is_well &= not told["wrong"] and not told["lost"]
        self.running.clear()
        return is_well

    def kill(self) -> None:
        for client in self.running.values():
            client.kill()
            client.wait()


def replace_all(servers: list[Server], program: Path, what: str) -> None:
    for number, server in enumerate(servers, 1):
        server.stop()
        server.start(program)
        server.wait_for_load(f"{what}, server {number}")


def end(number: int, _: object) -> None:
    """Everything is taken down, as after an error. A second signal must not disturb that."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(128 + number)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", type=Path, required=True, help="the server of the last release")
    parser.add_argument("--new", type=Path, required=True)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument(
        "--client",
        action="append",
        nargs=2,
        default=[],
        metavar=("NAME", "COMMAND"),
        help="NAME is the language and the version; a shell's words",
    )
    args = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    clients = {name: shlex.split(command) for name, command in args.client}
    steps = [("upgrade", args.new), ("rollback", args.old)]
    is_well = True
    with args.log.open("a") as log, socket.create_server(("127.0.0.1", 0)) as kept:
        load = Load(clients, log)
        ports = free_ports(2 * SERVERS + 1)
        rolling = [Server(log, ports[2 * i], ports[2 * i + 1]) for i in range(SERVERS)]
        in_place = [Server(log, kept.getsockname()[1], ports[-1], kept)]
        try:
            for what, servers in (("rolling", rolling), ("in place", in_place)):
                for server in servers:
                    server.start(args.old)
                load.start(servers)
                for number, server in enumerate(servers, 1):
                    server.wait_for_load(f"{what}, server {number}")
                started = time.monotonic()
                for step, program in steps:
                    replace_all(servers, program, f"{what} {step}")
                print(f"{what}: upgrade and rollback in {time.monotonic() - started:.0f} s")
                is_well &= load.end(what)
                for server in servers:
                    server.stop()
        finally:
            load.kill()
            for server in (*rolling, *in_place):
                server.kill()
    if not is_well:
        print("FAILED: a verdict is wrong, or a part is lost", file=sys.stderr)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
