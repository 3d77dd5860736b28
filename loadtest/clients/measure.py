"""Measures what real clients' bytes cost servers. compare.sh runs it; README.md describes it."""

import argparse
import json
import os
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

# gRPC's libraries, bare.
BARE = ("grpc-go", "grpcio", "grpc-java")
# The clients of this repository.
OWN = ("hashlane-rust", "hashlane-go", "hashlane-python", "hashlane-asyncio")
NAMES = BARE + OWN
CLIENTS = {name: f"HASHLANE_CLIENT_{name.upper().replace('-', '_')}" for name in NAMES}
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# A server that is not ready, or does not end, in this time is an error.
PATIENCE_SECONDS = 30
GB = 1e9


def cpu_seconds(pid):
    """utime + stime of a process, all its threads included (proc_pid_stat(5), fields 14 and 15)."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in held]
    for server in held:
        server.close()
    return ports


class Process:
    """A child on one CPU, which ends with the block that it is used in."""

    def __init__(self, command, cpu, **options):
        self._log = tempfile.TemporaryFile()
        pin = lambda: os.sched_setaffinity(0, {cpu})
        self.child = subprocess.Popen(command, preexec_fn=pin, stderr=self._log, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe:
                pipe.close()
        self._log.close()

    def log(self):
        """The end of what it wrote to standard error."""
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - 4000))
        return self._log.read().decode(errors="replace")


class Server(Process):
    def __init__(self, command, cpu):
        port, admin = free_ports(2)
        self.address = f"127.0.0.1:{port}"
        listen = ["--listen", self.address, "--admin-listen", f"127.0.0.1:{admin}"]
        super().__init__([*command, *listen], cpu, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self._ready_url = f"http://127.0.0.1:{admin}/readyz"

    def wait_until_ready(self):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and self.child.poll() is None:
            try:
                with urllib.request.urlopen(self._ready_url, timeout=1):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.02)
        raise SystemExit(f"the server {self.child.args} is not ready:\n{self.log()}")


class Client(Process):
    def __init__(self, command, cpu):
        super().__init__(command, cpu, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def line(self, word):
        """Waits for its next line, which begins with `word`, and gives the rest."""
        line = self.child.stdout.readline().split()
        if line[:1] != [word]:
            self.child.wait()
            raise SystemExit(f"the client {self.child.args} failed:\n{self.log()}")
        return line[1:]

    def say(self, text):
        self.child.stdin.write(text + "\n")
        self.child.stdin.flush()


def measure(server_command, client_command, args):
    """One window: a fresh server, a fresh client, warm-up, bytes."""
    with Server(server_command, args.server_cpu) as server:
        server.wait_until_ready()
        flags = ["--server", server.address]
        for name in ("connections", "streams", "chunk_bytes", "part_chunks", "warmup_bytes", "bytes"):
            flags += [f"--{name.replace('_', '-')}", str(getattr(args, name))]
        with Client([*client_command, *flags], args.client_cpu) as client:
            # A client that hangs does not hold this program for ever.
            watchdog = threading.Timer(args.timeout_seconds, client.child.kill)
            watchdog.start()
            try:
                client.line("ready")
                pids = server.child.pid, client.child.pid
                before = [cpu_seconds(pid) for pid in pids]
                client.say("go")
                sent, seconds = client.line("done")
                after = [cpu_seconds(pid) for pid in pids]
            finally:
                watchdog.cancel()
        if server.child.poll() is not None:
            raise SystemExit(f"the server {server_command} is gone:\n{server.log()}")
    gb = int(sent) / GB
    server_seconds, client_seconds = (now - then for now, then in zip(after, before))
    return {
        "gb": gb,
        "seconds": float(seconds),
        "gb_per_s": gb / float(seconds),
        "cpu_seconds_per_gb": server_seconds / gb,
        "client_cpu_seconds_per_gb": client_seconds / gb,
        # Near 1 the server is what bounds the rate.
        "server_busy": server_seconds / float(seconds),
    }


def size(text):
    units = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    number, unit = (text[:-3], units[text[-3:]]) if text[-3:] in units else (text, 1)
    return int(number) * unit


def named_server(text):
    name, separator, command = text.partition("=")
    if not (name and separator and command):
        raise argparse.ArgumentTypeError(f"`{text}` is not NAME=COMMAND")
    command = shlex.split(os.environ["HASHLANE_BASELINE"] if command == "baseline" else command)
    return name, command


def client_list(text):
    names = text.split(",")
    for name in names:
        if name not in CLIENTS:
            raise argparse.ArgumentTypeError(f"no client `{name}`: there are {', '.join(CLIENTS)}")
    return names


def arguments():
    parser = argparse.ArgumentParser(prog="compare.sh", allow_abbrev=False)
    parser.add_argument("servers", nargs="+", type=named_server, metavar="NAME=COMMAND")
    parser.add_argument("--clients", type=client_list, default=list(BARE))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bytes", type=size, default=size("2GiB"))
    parser.add_argument("--warmup-bytes", type=size, default=size("256MiB"))
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--streams", type=int, default=32)
    parser.add_argument("--chunk-bytes", type=size, default=size("64KiB"))
    parser.add_argument("--part-chunks", type=int, default=128)
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--client-cpu", type=int, default=1)
    parser.add_argument("--timeout-seconds", type=float, default=300)
    args = parser.parse_args()
    if len(dict(args.servers)) < len(args.servers):
        parser.error("two servers have one name")
    if args.bytes < args.streams * args.chunk_bytes:
        parser.error("--bytes is less than one message of each stream")
    return args


def medians(rows, first):
    """The medians of each client and server; the ratio is the median of those within a round."""
    out = []
    for client in dict.fromkeys(row["client"] for row in rows):
        of = lambda server: [row for row in rows if (row["client"], row["server"]) == (client, server)]
        base = {row["round"]: row["cpu_seconds_per_gb"] for row in of(first)}
        for server in dict.fromkeys(row["server"] for row in rows):
            mine = of(server)
            names = ("cpu_seconds_per_gb", "client_cpu_seconds_per_gb", "gb_per_s", "server_busy")
            figures = {name: statistics.median(row[name] for row in mine) for name in names}
            ratio = statistics.median(row["cpu_seconds_per_gb"] / base[row["round"]] for row in mine)
            costs = [row["cpu_seconds_per_gb"] for row in mine]
            summary = {"kind": "summary", "client": client, "server": server, "rounds": len(mine)}
            out.append(summary | figures | {"least": min(costs), "most": max(costs), f"over_{first}": ratio})
    return out


def main():
    args = arguments()
    # A signal ends the children too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    rows = []
    for number in range(1, args.rounds + 1):
        turns = [(client, server) for client in args.clients for server in args.servers]
        # A drift of the machine favours nobody.
        for client, (name, command) in turns if number % 2 else reversed(turns):
            row = {"kind": "round", "round": number, "client": client, "server": name}
            row |= measure(command, shlex.split(os.environ[CLIENTS[client]]), args)
            rows.append(row)
            print(json.dumps(row), flush=True)
            print(
                f"round {number} of {args.rounds}, {client}, {name}: {row['cpu_seconds_per_gb']:.3f} CPU s/GB",
                file=sys.stderr,
            )
    first = args.servers[0][0]
    text = f"{args.streams} streams on {args.connections} connections, messages of {args.chunk_bytes} bytes, "
    print(f"\n{text}medians of {args.rounds} rounds", file=sys.stderr)
    heads = ("client", "server", "CPU s/GB", "least", "most", f"over {first}", "client s/GB", "GB/s", "server busy")
    print("{:<10} {:<12} {:>9} {:>7} {:>7} {:>12} {:>12} {:>7} {:>12}".format(*heads), file=sys.stderr)
    for row in medians(rows, first):
        print(json.dumps(row), flush=True)
        names = ("cpu_seconds_per_gb", "least", "most", f"over_{first}", "client_cpu_seconds_per_gb", "gb_per_s")
        figures = [row[name] for name in (*names, "server_busy")]
        print(
            "{:<10} {:<12} {:>9.3f} {:>7.3f} {:>7.3f} {:>12.3f} {:>12.3f} {:>7.3f} {:>12.2f}".format(
                row["client"], row["server"], *figures
            ),
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
