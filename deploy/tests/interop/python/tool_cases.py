"""tonic: the project's own tool. The server's tests cover tonic in depth; this is one real use of it."""

import pathlib
import subprocess
import tempfile

from support import ADDRESS, MIB, PATIENCE, Case, pattern, sha256, variable

TOOL = variable("HASHLANE_TOOL")


def run(*arguments):
    command = [TOOL, *arguments, "--server", f"http://{ADDRESS}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


class Tool(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.lines = []
        for length in (0, 1, 64, 4096, 65_537, 3 * MIB, 8 * MIB + 1):
            path = self.folder / str(length)
            path.write_bytes(pattern(length, seed=length))
            self.lines.append(f"{sha256(path.read_bytes()).hex()}  {path}\n")

    def test_sum(self):
        done = run("sum", *(str(self.folder / path) for path in sorted(self.folder.iterdir(), key=lambda p: int(p.name))))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "".join(self.lines))

    def test_verify(self):
        sums = self.folder / "sums"
        sums.write_text("".join(self.lines))
        done = run("verify", "--check", str(sums))
        self.assertEqual((done.returncode, done.stdout.count(": OK\n")), (0, len(self.lines)), done.stderr)
        (self.folder / "64").write_bytes(pattern(64, seed=1))
        done = run("verify", "--check", str(sums))
        self.assertEqual((done.returncode, done.stdout.count(": OK\n")), (1, len(self.lines) - 1), done.stderr)
        self.assertIn(f"{self.folder / '64'}: FAILED\n", done.stdout)
