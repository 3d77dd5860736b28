"""One trial: three servers, clients in three languages, one kind of balancing, one fault."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from judge import RATE_KEPT_MIN, WINDOW_SECONDS, Judge, Sample, Samples
from network import Network, Starved, wait_for

DEPLOY = Path(__file__).resolve().parents[2]
KINDS = ("list", "dns", "haproxy", "nginx")
FAULTS = ("kill", "drain", "cut", "slow", "starve", "add")
GRPC, ADMIN = 50051, 9464
NAME = "hashlane.internal"
# With names, clients of gRPC look for new addresses only when a connection ends.
CONNECTION_AGE_MAX = "10s"
# Load before the fault: connections are made, then a window is measured.
WARMUP_SECONDS = 2.0 + WINDOW_SECONDS
# The longest time for the load to become even.
OBSERVED_SECONDS = 60.0
# A server that is slow is watched at least this long, so that calls meet it.
SLOW_SECONDS = 10.0
# The longest time after that for open parts, with all their tries.
ENDING_SECONDS = 100.0


@dataclass(frozen=True)
class Programs:
    server: Path
    # The command of each language's load.
    clients: dict[str, tuple[str, ...]]


# They tell the loads apart in the servers' counters.
ALGORITHMS = {"rust": "sha256", "go": "sha1", "python": "md5"}


@dataclass
class Result:
    """What became of the load of one client."""

    kind: str
    fault: str
    client: str
    parts: int
    repeated: int
    corrupted: int
    wrong: int
    lost: int
    errors: dict[str, int]
    slowest_seconds: float
    even_seconds: float | None
    rate_kept: float


class Sampler(threading.Thread):
    """Reads a server's counters four times a second, from its own host."""

    def __init__(self, network: Network, host: str) -> None:
        super().__init__(daemon=True)
        self._network, self._host = network, host
        self.samples: list[Sample] = []
        self.is_over = threading.Event()

    def run(self) -> None:
        with self._network.thread_inside(self._host):
            while not self.is_over.wait(0.25):
                hashed = self._read()
                if hashed is not None:
                    self.samples.append(Sample(time.monotonic(), hashed))

    @staticmethod
    def _read() -> dict[str, float] | None:
        connection = http.client.HTTPConnection("127.0.0.1", ADMIN, timeout=2)
        try:
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        hashed: dict[str, float] = {}
        pattern = r'^hashlane_hashed_bytes_total\{.*?algorithm="(\w+)".*?\} (\S+)$'
        for algorithm, value in re.findall(pattern, text, re.MULTILINE):
            hashed[algorithm] = hashed.get(algorithm, 0.0) + float(value)
        return hashed


class Trial:
    def __init__(
        self, network: Network, folder: Path, programs: Programs, kind: str, fault: str
    ) -> None:
        self.network, self.folder, self.programs = network, folder, programs
        self.kind, self.fault = kind, fault
        self.addresses: dict[str, str] = {}
        self.servers: dict[str, subprocess.Popen[str]] = {}
        self.samplers: dict[str, Sampler] = {}
        self.proxy: subprocess.Popen[str] | None = None
        self.starved: Starved | None = None

    def log(self, name: str):
        return open(self.folder / f"{name}.log", "a")

    # What stands there before the load.

    def make(self) -> None:
        self.folder.mkdir(parents=True)
        for number in range(1, 5):
            self.addresses[f"server{number}"] = self.network.host(f"server{number}", 10 + number)
        names = self.network.host("names", 2)
        self.names_folder = self.folder / "names"
        self.names_folder.mkdir()
        self.name_servers(3)
        self.network.start(
            "names",
            "dnsmasq",
            "--keep-in-foreground",
            "--no-resolv",
            "--no-hosts",
            "--user=root",
            "--pid-file",
            "--local-ttl=1",
            "--log-facility=-",
            f"--hostsdir={self.names_folder}",
            log=self.log("dnsmasq"),
        )
        self.network.host("proxy", 20, resolver=names)
        self.network.host("clients", 30, resolver=names)
        for number in range(1, 4):
            self.start_server(f"server{number}")
        for name in self.servers:
            self.wait_until_ready(name)
        if self.kind == "haproxy":
            self.start_haproxy()
        elif self.kind == "nginx":
            self.start_nginx()

    def name_servers(self, count: int) -> None:
        """The addresses that the name has. dnsmasq notices."""
        lines = [f"{address} {NAME}\n" for address in list(self.addresses.values())[:count]]
        # dnsmasq adds the lines of a new file; written elsewhere, so that none is half read.
        written = self.folder / "hosts"
        written.write_text("".join(lines))
        written.rename(self.names_folder / f"hosts-{count}")

    def start_server(self, name: str) -> None:
        flags = [
            "--config",
            str(DEPLOY / "fleet" / "hashlane.toml"),
            "--workers",
            "1",
            "--pin",
            "false",
            "--memory-max",
            "2GiB",
        ]
        if self.kind == "dns":
            flags += ["--connection-age-max", CONNECTION_AGE_MAX]
        self.servers[name] = self.network.start(
            name, str(self.programs.server), *flags, log=self.log(name)
        )
        sampler = self.samplers[name] = Sampler(self.network, name)
        sampler.start()

    def wait_until_ready(self, name: str) -> None:
        def is_ready() -> bool:
            if self.servers[name].poll() is not None:
                raise RuntimeError(f"{name} ended: {(self.folder / f'{name}.log').read_text()}")
            return bool(self.samplers[name].samples)

        wait_for(f"{name} is not ready", 30, is_ready)

    def proxy_answers(self) -> bool:
        """Whether calls come through to a server."""
        port = f"10.77.0.20:{GRPC}"
        asked = subprocess.run(
            [
                "ip",
                "netns",
                "exec",
                self.network.space("clients"),
                "curl",
                "-s",
                "--max-time",
                "2",
                "--http2-prior-knowledge",
                "-T",
                "-",
                f"http://{port}/v1/digest",
            ],
            input="abc",
            capture_output=True,
            text=True,
        )
        return '"size_bytes":3' in asked.stdout

    def set_kernel(self, config: Path) -> None:
        """Sets what the proxy's configuration says in comments. A namespace has its own values."""
        found = re.findall(r"^#.*(net\.ipv4\.\w+) = (\d+)", config.read_text(), re.MULTILINE)
        if not found:
            raise RuntimeError(f"{config} no longer names settings of the kernel")
        for name, value in found:
            self.network.inside("proxy", "sysctl", "-q", "-w", f"{name}={value}")

    def start_haproxy(self) -> None:
        config = DEPLOY / "fleet" / "haproxy.cfg"
        self.set_kernel(config)
        self.proxy = self.network.start(
            "proxy", "haproxy", "-db", "-f", str(config), log=self.log("haproxy")
        )
        wait_for("HAProxy does not answer", 20, self.proxy_answers)

    def nginx(self, *flags: str) -> tuple[str, ...]:
        return ("nginx", "-c", str(self.folder / "nginx.conf"), "-p", str(self.folder), *flags)

    def write_nginx_config(self, count: int) -> None:
        """The deployed file, with these servers."""
        text = (DEPLOY / "fleet" / "nginx.conf").read_text()
        line = next(line for line in text.splitlines() if line.strip().startswith("server 10.77."))
        text = re.sub(r"( *server 10\.77\.\S+ .*;\n)+", "@SERVERS@", text)
        lines = [
            re.sub(r"10\.77\.0\.\d+", each, line) for each in list(self.addresses.values())[:count]
        ]
        text = text.replace("@SERVERS@", "\n".join(lines) + "\n")
        head = f"user root; pid {self.folder}/nginx.pid; error_log {self.folder}/nginx-error.log;"
        (self.folder / "nginx.conf").write_text(f"{head}\n{text}")

    def start_nginx(self) -> None:
        self.set_kernel(DEPLOY / "fleet" / "nginx.conf")
        self.write_nginx_config(3)
        self.proxy = self.network.start(
            "proxy", *self.nginx("-g", "daemon off;"), log=self.log("nginx")
        )
        wait_for("nginx does not answer", 20, self.proxy_answers)

    # The load, the fault, and what comes of it.

    def endpoints(self) -> list[str]:
        match self.kind:
            case "list":
                # The server that is added is in the list from the start.
                count = 4 if self.fault == "add" else 3
                return [f"{each}:{GRPC}" for each in list(self.addresses.values())[:count]]
            case "dns":
                return [f"{NAME}:{GRPC}"]
            case _:
                return [f"10.77.0.20:{GRPC}"]

    def start_clients(self) -> dict[str, subprocess.Popen[str]]:
        started = {}
        for language, command in self.programs.clients.items():
            started[language] = self.network.start(
                "clients",
                *command,
                "--servers",
                ",".join(self.endpoints()),
                "--workers",
                "24",
                "--interval-ms",
                "100",
                "--algorithm",
                ALGORITHMS[language],
                log=self.log(f"client-{language}"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        return started

    def break_it(self) -> tuple[list[str], list[str]]:
        """The fault. Returns the servers that should share the load, and those that are gone."""
        victim = self.servers["server2"]
        match self.fault:
            case "kill":
                victim.kill()
            case "drain":
                victim.send_signal(signal.SIGTERM)
            case "cut":
                self.network.cut("server2")
            case "slow":
                print(f"  the link to server2: {self.network.slow('server2')}", flush=True)
            case "starve":
                self.starved = Starved(victim)
            case "add":
                self.add_server()
                return [f"server{number}" for number in range(1, 5)], []
        gone = [] if self.fault in ("slow", "starve") else ["server2"]
        return ["server1", "server3"], gone

    def add_server(self) -> None:
        self.start_server("server4")
        self.wait_until_ready("server4")
        match self.kind:
            case "dns" | "haproxy":
                self.name_servers(4)
            case "nginx":
                self.write_nginx_config(4)
                self.network.inside("proxy", *self.nginx("-s", "reload"))

    def samples(self) -> Samples:
        return {name: list(sampler.samples) for name, sampler in self.samplers.items()}

    def run(self) -> list[Result]:
        self.make()
        clients = self.start_clients()
        started = time.monotonic()
        while time.monotonic() < started + WARMUP_SECONDS:
            self.check_clients(clients)
            time.sleep(0.1)
        healthy, gone = self.break_it()
        fault_at = time.monotonic()
        rate_min = 0.0 if self.fault in ("slow", "starve") else RATE_KEPT_MIN
        # A proxy spreads the calls of all clients together.
        shared = list(ALGORITHMS.values()) if self.proxy else []
        judges = {
            language: Judge(shared or [ALGORITHMS[language]], fault_at, healthy, gone, rate_min)
            for language in clients
        }
        for language, judge in judges.items():
            if not judge.before(self.samples()):
                raise RuntimeError(f"the client in {language} had no load before the fault")
        even: dict[str, float | None] = dict.fromkeys(clients)
        least = SLOW_SECONDS if self.fault in ("slow", "starve") else 0.0
        while time.monotonic() < fault_at + least or (
            time.monotonic() < fault_at + OBSERVED_SECONDS and None in even.values()
        ):
            time.sleep(0.5)
            self.check_clients(clients)
            # The newest samples may not be there yet.
            now = time.monotonic() - 0.5
            samples = self.samples()
            for language, judge in judges.items():
                if even[language] is None:
                    even[language] = judge.even_at(samples, now)
        samples, now = self.samples(), time.monotonic() - 0.5
        results = self.end(clients, judges, even, samples, now)
        self.check_servers()
        return results

    @staticmethod
    def check_clients(clients: dict[str, subprocess.Popen[str]]) -> None:
        for language, client in clients.items():
            if client.poll() is not None:
                raise RuntimeError(
                    f"the client in {language} ended with status {client.returncode}"
                )

    def end(self, clients, judges, even, samples, now) -> list[Result]:
        """Ends the load. Open parts go on, with all their tries."""
        for client in clients.values():
            client.stdin.close()
            client.stdin = None
        results = []
        until = time.monotonic() + ENDING_SECONDS
        for language, client in clients.items():
            try:
                said, _ = client.communicate(timeout=max(1.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise RuntimeError(
                    f"the client in {language} has parts without an answer after {ENDING_SECONDS} s"
                ) from None
            if client.returncode:
                raise RuntimeError(
                    f"the client in {language} ended with status {client.returncode}"
                )
            told = json.loads(said)
            if not told["parts"] or not told["corrupted"]:
                raise RuntimeError(f"the client in {language} sent no parts, or no corrupted ones")
            results.append(
                Result(
                    self.kind,
                    self.fault,
                    language,
                    parts=told["parts"],
                    repeated=told["tries"] - told["parts"],
                    corrupted=told["corrupted"],
                    wrong=told["wrong"],
                    lost=told["lost"],
                    errors=told["errors"],
                    slowest_seconds=told["slowest_seconds"],
                    even_seconds=even[language],
                    rate_kept=judges[language].rate_kept(samples, now),
                )
            )
        return results

    def check_servers(self) -> None:
        if self.starved:
            self.starved.end()
        if self.fault == "drain":
            status = self.servers["server2"].wait(timeout=40)
            if status:
                raise RuntimeError(f"the server that drained ended with status {status}")
        for name, server in self.servers.items():
            if name != "server2" and server.poll() is not None:
                raise RuntimeError(f"{name} ended with status {server.returncode}")

    def stop(self) -> None:
        for sampler in self.samplers.values():
            sampler.is_over.set()
        if self.starved:
            self.starved.end()
        if self.kind == "nginx" and self.proxy and self.proxy.poll() is None:
            # Its workers too.
            self.proxy.terminate()
            self.proxy.wait(timeout=10)
