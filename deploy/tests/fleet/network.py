"""A network of its own: namespaces on one bridge, and programs in them. Nothing is left of it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

CLONE_NEWNET = 0x40000000
RESOLVERS = Path("/etc/netns")
PREFIX = "10.77.0."


def run(*command: str, may_fail: bool = False) -> None:
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if ended.returncode and not may_fail:
        raise RuntimeError(f"{' '.join(command)}: {ended.stderr.strip()}")


class Network:
    """Hosts by name. Each is a network namespace with one address, on a bridge that they share."""

    def __init__(self) -> None:
        self._tag = f"hashlane-{os.getpid()}-"
        self._names: list[str] = []
        self._programs: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Network:
        self._add("switch")
        run("ip", "-n", self.space("switch"), "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", self.space("switch"), "link", "set", "bridge", "up")
        return self

    def __exit__(self, *_: object) -> None:
        for program in self._programs:
            if program.poll() is None:
                # A stopped program does not end by SIGTERM.
                program.kill()
            program.wait()
        for name in self._names:
            run("ip", "netns", "delete", self.space(name), may_fail=True)
            with contextlib.suppress(OSError):
                (RESOLVERS / self.space(name) / "resolv.conf").unlink()
                (RESOLVERS / self.space(name)).rmdir()
        with contextlib.suppress(OSError):
            RESOLVERS.rmdir()

    def space(self, name: str) -> str:
        return self._tag + name

    def _add(self, name: str) -> None:
        run("ip", "netns", "add", self.space(name))
        self._names.append(name)
        run("ip", "-n", self.space(name), "link", "set", "lo", "up")

    def host(self, name: str, number: int, resolver: str | None = None) -> str:
        """Adds a host. Returns its address."""
        self._add(name)
        if resolver:
            folder = RESOLVERS / self.space(name)
            folder.mkdir(parents=True)
            (folder / "resolv.conf").write_text(f"nameserver {resolver}\noptions timeout:1\n")
        space, switch = self.space(name), self.space("switch")
        run(
            "ip",
            "link",
            "add",
            "eth0",
            "netns",
            space,
            "type",
            "veth",
            "peer",
            "name",
            name,
            "netns",
            switch,
        )
        run("ip", "-n", switch, "link", "set", name, "master", "bridge", "up")
        run("ip", "-n", space, "address", "add", f"{PREFIX}{number}/24", "dev", "eth0")
        run("ip", "-n", space, "link", "set", "eth0", "up")
        return f"{PREFIX}{number}"

    def inside(self, name: str, *command: str) -> None:
        run("ip", "netns", "exec", self.space(name), *command)

    def start(
        self,
        name: str,
        *command: str,
        log: IO[str],
        stdin: int | None = subprocess.DEVNULL,
        stdout: int | IO[str] | None = None,
    ) -> subprocess.Popen[str]:
        """Starts a program on a host. `ip netns exec` becomes the program: the id is its own."""
        program = subprocess.Popen(
            ["ip", "netns", "exec", self.space(name), *command],
            stdin=stdin,
            stdout=log if stdout is None else stdout,
            stderr=log,
            text=True,
            # Ctrl-C is for the trial alone, which then ends the programs.
            start_new_session=True,
        )
        self._programs.append(program)
        return program

    @contextlib.contextmanager
    def thread_inside(self, name: str) -> Iterator[None]:
        """What this thread opens is on the host."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/thread-self/ns/net") as home, open(f"/run/netns/{self.space(name)}") as to:
            if libc.setns(to.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            try:
                yield
            finally:
                libc.setns(home.fileno(), CLONE_NEWNET)

    def cut(self, name: str) -> None:
        """Drops all packets of a host, without a word to either side."""
        for chain in ("INPUT", "OUTPUT"):
            self.inside(
                name,
                "iptables",
                "-I",
                chain,
                "!",
                "-i" if chain == "INPUT" else "-o",
                "lo",
                "-j",
                "DROP",
            )

    def slow(self, name: str) -> str:
        """Makes the link to a host slow. Returns how."""
        add = ("tc", "-n", self.space("switch"), "qdisc", "add", "dev", name, "root")
        # Not every kernel has netem; the token bucket's queue is a delay under load.
        ways = {
            "netem: delay 100 ms, rate 8 Mbit/s": ("netem", "delay", "100ms", "rate", "8mbit"),
            "tbf: rate 8 Mbit/s, queue 400 ms": (
                "tbf",
                "rate",
                "8mbit",
                "burst",
                "16kb",
                "latency",
                "400ms",
            ),
        }
        for way, words in ways.items():
            if subprocess.run([*add, *words], stderr=subprocess.DEVNULL).returncode == 0:
                return way
        raise RuntimeError("this kernel has neither netem nor tbf")


class Starved:
    """Takes nine tenths of the CPU time of a program away, by stopping it again and again."""

    STOPPED_SECONDS = 0.18
    RUNNING_SECONDS = 0.02

    def __init__(self, program: subprocess.Popen[str]) -> None:
        # A program of its own, so that nothing here disturbs the rhythm.
        self._stopper = subprocess.Popen(
            [
                "sh",
                "-c",
                f"while kill -STOP {program.pid}; do sleep {self.STOPPED_SECONDS}; "
                f"kill -CONT {program.pid}; sleep {self.RUNNING_SECONDS}; done 2>/dev/null",
            ],
        )
        self._program = program

    def end(self) -> None:
        self._stopper.kill()
        self._stopper.wait()
        with contextlib.suppress(OSError):
            self._program.send_signal(signal.SIGCONT)


def wait_for(what: str, seconds: float, condition) -> None:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise RuntimeError(f"{what} after {seconds} s")
        time.sleep(0.05)
