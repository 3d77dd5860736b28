"""The load clients and the baseline server of loadtest/clients: do they work? Their figures mean nothing here."""

import json
import os
import subprocess
import sys

from support import PATIENCE, Case, variable

LOADTEST = variable("HASHLANE_LOADTEST")
MEASURE = variable("HASHLANE_MEASURE")
SERVER = variable("HASHLANE_SERVER")
BASELINE = variable("HASHLANE_BASELINE")
# interop.sh builds the client in Java only beside the other one in Java.
CLIENTS = ("grpc-go", "grpcio", "grpc-java") if "HASHLANE_CLIENT_GRPC_JAVA" in os.environ else ("grpc-go", "grpcio")


class Load(Case):
    def rows(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_clients(self):
        cpus = sorted(os.sched_getaffinity(0))
        pins = (f"--server-cpu={cpus[0]}", f"--client-cpu={cpus[-1]}")
        servers = (f"own={SERVER}", "go=baseline")
        flags = (f"--clients={','.join(CLIENTS)}", "--rounds=1", "--bytes=32MiB", "--warmup-bytes=8MiB")
        rows = self.rows(sys.executable, MEASURE, *flags, *pins, *servers)
        met = [(row["kind"], row["client"], row["server"]) for row in rows]
        pairs = [(client, server) for client in CLIENTS for server in ("own", "go")]
        self.assertEqual(met, [(kind, *pair) for kind in ("round", "summary") for pair in pairs])
        for row in rows[: len(pairs)]:
            self.assertEqual(row["gb"], (32 << 20) / 1e9)
            self.assertGreater(row["cpu_seconds_per_gb"], 0)

    def test_baseline_as_a_peer(self):
        flags = "compare --client prepared --modes lanes --rounds 1 --round-seconds 0.5 --part-size 1MiB".split()
        rows = self.rows(LOADTEST, *flags, "--server-bin", SERVER, "--peer", f"go={BASELINE}")
        for row, mode in zip(rows, ("lanes", "go")):
            self.assertEqual((row["mode"], row["errors"], row["mismatches"]), (mode, 0, 0))
            self.assertGreater(row["parts_checked"], 0)
            # The baseline has no metrics.
            self.assertEqual(row["server_streams"] is None, mode == "go")
        self.assertGreater(rows[-1]["ratios"]["lanes_over_go"]["cpu_seconds_per_gb"], 0)
