"""nghttp and h2load, of nghttp2: bodies of gRPC, padding, CONTINUATION, priorities, small windows."""

import re
import subprocess
import tempfile

from framed import HEADERS, INVALID_ARGUMENT, OK, frames, reason, unframe, url
from hashlane.v1 import hash_service_pb2 as pb
from support import MIB, PATIENCE, Case, metric, pattern, pieces, sha256


def run(program, method, body, *flags):
    line = [program, *flags]
    for name, value in HEADERS.items():
        line += ["--header", f"{name}: {value}"]
    with tempfile.NamedTemporaryFile() as file:
        file.write(body)
        file.flush()
        line += ["--data", file.name, url(method)]
        return subprocess.run(line, capture_output=True, timeout=PATIENCE, check=False)


def digest_body(data, chunk):
    return frames(pb.DigestRequest(data=piece) for piece in pieces(data, chunk))


class Nghttp(Case):
    def assert_digests(self, body, data, times=1):
        answer = pb.DigestResponse(
            size_bytes=len(data), digests=[pb.AlgorithmDigest(algorithm=pb.ALGORITHM_SHA256, digest=sha256(data))]
        )
        answers = unframe(body, pb.DigestResponse)
        # One by one: to tell two long lists apart takes unittest minutes.
        self.assertEqual(len(answers), times)
        for given in answers:
            self.assertEqual(given, answer)

    def digest(self, body, *flags):
        """The bodies of answers."""
        done = run("nghttp", "Digest", body, *flags)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def headers(self, method, body, *flags):
        """Headers and trailers as one, of one call."""
        done = run("nghttp", method, body, "--verbose", "--null-out", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(re.findall(r"recv \(stream_id=\d+\) (:?[^:\n]+): (.*)$", done.stdout.decode(), re.MULTILINE))

    def test_digest(self):
        for length, chunk in ((0, 1), (65, 7), (100_000, 999), (24 * MIB + 1, 65_536), (8 * MIB, 3 * MIB)):
            data = pattern(length, seed=length)
            with self.subTest(length=length, chunk=chunk):
                self.assert_digests(self.digest(digest_body(data, chunk)), data)

    def test_no_message_at_all(self):
        self.assert_digests(self.digest(b""), b"")

    def test_many_calls(self):
        data = pattern(50_000)
        self.assert_digests(self.digest(digest_body(data, 8192), "--multiply=200"), data, times=200)

    def test_ways_to_send(self):
        data = pattern(300_000)
        body = digest_body(data, 10_000)
        for flags in (
            ("--padding=255",),
            ("--no-content-length", "--trailer=later: on"),
            ("--weight=256", "--no-dep"),
            ("--header-table-size=0", "--encoder-header-table-size=0"),
            # Windows of the answers, from the least that nghttp has.
            ("--window-bits=1", "--connection-window-bits=16"),
        ):
            with self.subTest(flags):
                self.assert_digests(self.digest(body, *flags), data)

    def test_statuses(self):
        fields = self.headers("Digest", digest_body(b"abc", 1))
        self.assertEqual((fields[":status"], fields["content-type"]), ("200", "application/grpc"))
        self.assertEqual(int(fields["grpc-status"]), OK)
        body = frames([pb.DigestRequest(open=pb.PartOptions(algorithms=[99]))])
        fields = self.headers("Digest", body)
        self.assertEqual((fields[":status"], int(fields["grpc-status"])), ("200", INVALID_ARGUMENT))
        self.assertEqual(reason(fields["grpc-status-details-bin"]), ("hashlane", "UNSUPPORTED_ALGORITHM"))

    def test_headers_too_large(self):
        # With this flag nghttp sends 24 KiB of headers, in HEADERS and CONTINUATION.
        fields = self.headers("Digest", digest_body(b"abc", 1), "--continuation")
        self.assertEqual(fields, {":status": "431"})

    def test_verify(self):
        data = pattern(100_000)
        for digest, verdict in ((sha256(data), pb.VERDICT_MATCH), (sha256(b""), pb.VERDICT_MISMATCH)):
            request = pb.VerifyRequest(data=data, expected=[pb.AlgorithmDigest(digest=digest)])
            done = run("nghttp", "Verify", frames([request]))
            (answer,) = unframe(done.stdout, pb.VerifyResponse)
            self.assertEqual((answer.size_bytes, answer.verdict), (len(data), verdict))

    def test_batch(self):
        blobs = [pattern(length, seed=length) for length in range(500)]
        done = run("nghttp", "DigestBatch", frames([pb.DigestBatchRequest(blobs=blobs)]))
        (answer,) = unframe(done.stdout, pb.DigestBatchResponse)
        self.assertEqual([[d.digest for d in blob.digests] for blob in answer.blobs], [[sha256(blob)] for blob in blobs])

    def test_h2load(self):
        calls, data = 500, pattern(200_000)
        answered = lambda: metric("hashlane_parts_total", rpc="Digest", outcome="digest")
        hashed = lambda: metric("hashlane_hashed_bytes_total")
        before = answered(), hashed()
        flags = (f"--requests={calls}", "--clients=4", "--max-concurrent-streams=16")
        done = run("h2load", "Digest", digest_body(data, 65_536), *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{calls} succeeded, 0 failed, 0 errored, 0 timeout", done.stdout.decode())
        self.assertEqual((answered(), hashed()), (before[0] + calls, before[1] + calls * len(data)))
