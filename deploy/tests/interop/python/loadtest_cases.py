"""hyper: the load generator, which checks every digest it gets."""

import json
import subprocess

from support import ADDRESS, ADMIN, PATIENCE, Case, variable

LOADTEST = variable("HASHLANE_LOADTEST")


class Loadtest(Case):
    def load(self, parts, *flags):
        command = [LOADTEST, "--server", f"http://{ADDRESS}", "--admin", ADMIN, "--count", str(parts), *flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        (row,) = [json.loads(line) for line in done.stdout.splitlines()]
        totals = row["totals"]
        found = totals["checked"], totals["errors"], totals["mismatches_wrong"]
        self.assertEqual(found, (parts, 0, 0), row)

    def test_digest(self):
        self.load(200, "--streams", "32", "--part-size", "1KiB..4MiB")

    def test_many_parts_of_a_stream(self):
        self.load(2000, "--streams", "8", "--parts-per-stream", "100", "--part-size", "1B..100KiB")

    def test_several_algorithms(self):
        self.load(100, "--algorithm", "sha256,md5,crc64nvme,blake3", "--part-size", "1KiB,1MiB", "--chunk-size", "1000")

    def test_mix_in_an_open_loop(self):
        mix = "digest:sha256=2,verify:md5=1,batch:sha1=1,multiplexed:sha256=2"
        self.load(400, "--mix", mix, "--sizes", "1KiB..1MiB", "--rate", "400/s")

    def test_verify(self):
        # One part in sixteen is corrupted, and must be a mismatch.
        self.load(200, "--rpc", "verify", "--part-size", "100KiB", "--algorithm", "sha256,sha512")
