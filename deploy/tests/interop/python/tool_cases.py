"""tonic: the project's own tool. The server's tests cover tonic in depth; this is one real use of it."""

import pathlib
import subprocess
import tempfile

from support import ADDRESS, COMPOSITE, DIGESTS, ETAG, MIB, PATIENCE, Case, pattern, sha256, variable

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

    def test_several_algorithms(self):
        paths = sorted(self.folder.iterdir(), key=lambda path: int(path.name))
        done = run("sum", "--algorithm", ",".join(DIGESTS), *map(str, paths))
        lines = [
            f"{name.upper()} ({path}) = {digest(path.read_bytes()).hex()}\n"
            for path in paths
            for name, digest in DIGESTS.items()
        ]
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "".join(lines))
        sums = self.folder / "sums"
        sums.write_text(done.stdout)
        done = run("verify", "--check", str(sums))
        self.assertEqual((done.returncode, done.stdout.count(": OK\n")), (0, len(lines)), done.stderr)

    def test_compose(self):
        for algorithm, value in (("sha256", COMPOSITE), ("md5", ETAG)):
            parts = [DIGESTS[algorithm](letter * (5 * MIB)).hex() for letter in (b"A", b"B", b"C")]
            for wanted, code in ((value, 0), (value[:-1] + "4", 1)):
                done = run("compose", "--algorithm", algorithm, "--expect", wanted, *parts)
                self.assertEqual((done.returncode, done.stdout), (code, value + "\n"), done.stderr)
        parts = [pattern(length, seed=length) for length in (MIB, 7, 0, 65_537)]
        arguments = [f"{DIGESTS['crc32'](part).hex()}:{len(part)}" for part in parts]
        done = run("compose", "--algorithm", "crc32", "--full-object", "--encoding", "hex", *arguments)
        self.assertEqual(done.stdout, DIGESTS["crc32"](b"".join(parts)).hex() + "\n", done.stderr)

    def test_info(self):
        done = run("info")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        names = [line.split()[0] for line in done.stdout.split("\n\n")[1].splitlines()[1:]]
        self.assertLessEqual(set(DIGESTS), set(names))
