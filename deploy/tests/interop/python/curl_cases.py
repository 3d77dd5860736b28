"""curl with HTTP/2 from the first byte: bodies of gRPC by way of libcurl and its nghttp2."""

import pathlib
import subprocess
import tempfile

from framed import DEADLINE_EXCEEDED, HEADERS, INVALID_ARGUMENT, OK, UNIMPLEMENTED, frame, frames, reason, unframe, url
from hashlane.v1 import hash_service_pb2 as pb
from support import MIB, PATIENCE, Case, metric, pattern, pieces, sha256


def command(method, *flags, **headers):
    line = ["curl", "--silent", "--show-error", "--http2-prior-knowledge", *flags]
    for name, value in (HEADERS | headers).items():
        line += ["--header", f"{name.replace('_', '-')}: {value}"]
    return [*line, url(method)]


class Curl(Case):
    def call(self, method, body, **headers):
        """The status of HTTP, headers and trailers as one, and the body."""
        with tempfile.NamedTemporaryFile() as kept:
            line = command(method, "--dump-header", kept.name, "--data-binary", "@-", **headers)
            done = subprocess.run(line, input=body, capture_output=True, timeout=PATIENCE, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            first, *lines = kept.read().decode().splitlines()
        version, status = first.split()
        self.assertEqual(version, "HTTP/2")
        return int(status), dict(line.split(": ", 1) for line in lines if line), done.stdout

    def answers(self, method, kind, body, **headers):
        """The answers of a call that must end well."""
        status, fields, data = self.call(method, body, **headers)
        self.assertEqual((status, fields["content-type"], int(fields["grpc-status"])), (200, "application/grpc", OK))
        return unframe(data, kind)

    def digest(self, messages):
        return self.answers("Digest", pb.DigestResponse, frames(messages))

    def assert_digest(self, answer, data):
        self.assertFalse(answer.HasField("error"), answer)
        self.assertEqual(answer.size_bytes, len(data))
        self.assertEqual([(d.algorithm, d.digest) for d in answer.digests], [(pb.ALGORITHM_SHA256, sha256(data))])

    def test_digest(self):
        for length, chunk in ((0, 1), (1, 1), (65, 7), (100_000, 999), (24 * MIB + 1, 65_536), (8 * MIB, 3 * MIB)):
            data = pattern(length, seed=length)
            with self.subTest(length=length, chunk=chunk):
                (answer,) = self.digest([pb.DigestRequest(data=piece) for piece in pieces(data, chunk)])
                self.assert_digest(answer, data)

    def test_no_message_at_all(self):
        (answer,) = self.digest([])
        self.assert_digest(answer, b"")

    def test_parts(self):
        parts = {number * 1_000_003: pattern(100 * number, seed=number) for number in range(100)}
        chunks = [(part, data[at : at + 333]) for at in range(0, 10_000, 333) for part, data in parts.items()]
        messages = [pb.DigestRequest(part=part, data=data) for part, data in chunks if data]
        messages += [pb.DigestRequest(part=part, last=True) for part in parts]
        answers = {answer.part: answer for answer in self.digest(messages)}
        self.assertEqual(answers.keys(), parts.keys())
        for part, data in parts.items():
            self.assert_digest(answers[part], data)

    def test_verify(self):
        data = pattern(300_000)
        for digest, verdict in ((sha256(data), pb.VERDICT_MATCH), (sha256(b""), pb.VERDICT_MISMATCH)):
            messages = [pb.VerifyRequest(part=5, data=piece) for piece in pieces(data, 65_536)]
            messages.append(pb.VerifyRequest(part=5, last=True, expected=[pb.AlgorithmDigest(digest=digest)]))
            (answer,) = self.answers("Verify", pb.VerifyResponse, frames(messages))
            self.assertEqual((answer.part, answer.size_bytes, answer.verdict), (5, len(data), verdict))

    def test_batch(self):
        blobs = [pattern(length, seed=length) for length in range(0, 3000, 7)]
        body = frame(pb.DigestBatchRequest(blobs=blobs))
        (answer,) = self.answers("DigestBatch", pb.DigestBatchResponse, body)
        self.assertEqual([[d.digest for d in blob.digests] for blob in answer.blobs], [[sha256(blob)] for blob in blobs])

    def test_refusals(self):
        unknown = frame(pb.DigestRequest(open=pb.PartOptions(algorithms=[99])))
        for method, body, headers, code, wanted in (
            ("Digest", unknown, {}, INVALID_ARGUMENT, "UNSUPPORTED_ALGORITHM"),
            ("Digest", unknown[:-1], {}, INVALID_ARGUMENT, "MALFORMED_MESSAGE"),
            # Not by a header: behind an answer that comes before the body the stream is reset, and curl then
            # may lose the answer.
            ("Digest", b"\1" + unknown[1:], {}, UNIMPLEMENTED, "COMPRESSED"),
            ("Compose", frame(pb.ComposeRequest()), {}, INVALID_ARGUMENT, "PART_COUNT"),
            ("Nothing", b"", {}, UNIMPLEMENTED, "NO_SUCH_METHOD"),
        ):
            with self.subTest(wanted):
                status, fields, data = self.call(method, body, **headers)
                self.assertEqual((status, data, int(fields["grpc-status"])), (200, b"", code))
                self.assertTrue(fields["grpc-message"])
                self.assertEqual(reason(fields["grpc-status-details-bin"]), ("hashlane", wanted))

    def begun(self, **headers):
        """A call whose body goes on, and the file of its headers and trailers."""
        kept = tempfile.NamedTemporaryFile()
        self.addCleanup(kept.close)
        # `.` is standard input as it comes, without waiting for it.
        line = command("Digest", "--upload-file", ".", "--request", "POST", "--dump-header", kept.name, **headers)
        process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        process.stdin.write(frame(pb.DigestRequest(data=b"and then nothing")))
        process.stdin.flush()
        return process, kept

    def cancelled_when_idle(self):
        """Parts that were cancelled so far, once nothing is left of what was sent."""
        self.until("nothing is open", lambda: metric("hashlane_streams") == metric("hashlane_open_jobs") == 0)
        return metric("hashlane_parts_total", rpc="Digest", outcome="cancelled")

    def until_freed(self, before):
        self.until("the part is freed", lambda: self.cancelled_when_idle() == before + 1)

    def test_deadline(self):
        before = self.cancelled_when_idle()
        _, kept = self.begun(grpc_timeout="1S")
        status = f"grpc-status: {DEADLINE_EXCEEDED}\r\n".encode()
        self.until("the call ends", lambda: status in pathlib.Path(kept.name).read_bytes())
        self.until_freed(before)

    def test_cancel(self):
        before = self.cancelled_when_idle()
        process, _ = self.begun()
        self.until("the part is open", lambda: metric("hashlane_open_jobs") == 1)
        process.kill()
        self.until_freed(before)
