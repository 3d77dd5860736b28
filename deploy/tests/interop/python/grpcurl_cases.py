"""grpcurl: messages written as JSON, and the contract learnt from the server's reflection."""

import base64
import json
import pathlib
import subprocess

from support import ADDRESS, COMPOSITE, PATIENCE, SHA256, Case, base64_of, composed_parts, pattern, pieces, sha256, variable

GRPCURL = variable("HASHLANE_GRPCURL")
PROTO = pathlib.Path(variable("HASHLANE_PROTO"))
SERVICE = "hashlane.v1.HashService"
# grpcurl exits with 64 and the code of a gRPC status.
STATUS = 64
INVALID_ARGUMENT = 3


def run(*arguments, flags=(), messages=()):
    flags = ["-plaintext", "-format-error", *flags]
    if messages:
        flags += ["-d", "@"]
    text = "\n".join(json.dumps(message) for message in messages)
    return subprocess.run(
        [GRPCURL, *flags, ADDRESS, *arguments], input=text, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


class Grpcurl(Case):
    def call(self, method, *messages, flags=()):
        """The answers of a call that must end well."""
        done = run(method, flags=flags, messages=messages or [{}])
        self.assertEqual(done.returncode, 0, done.stderr)
        text, answers, decoder = done.stdout.strip(), [], json.JSONDecoder()
        while text:
            answer, end = decoder.raw_decode(text)
            answers.append(answer)
            text = text[end:].lstrip()
        return answers

    def test_list(self):
        done = run("list")
        self.assertEqual(done.returncode, 0, done.stderr)
        services = {SERVICE, "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"}
        self.assertLessEqual(services, set(done.stdout.split()))
        done = run("list", SERVICE)
        methods = ["Compose", "Digest", "DigestBatch", "GetServerInfo", "Verify"]
        self.assertEqual(sorted(done.stdout.split()), [f"{SERVICE}.{method}" for method in methods])

    def test_describe(self):
        done = run("describe", "hashlane.v1.DigestRequest")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("bytes data = 15;", done.stdout)

    def test_health(self):
        self.assertEqual(self.call("grpc.health.v1.Health/Check"), [{"status": "SERVING"}])

    def test_digest(self):
        parts = {"7": pattern(3000), "9": b"", "18446744073709551615": pattern(70_000, seed=1)}
        messages = []
        for number, data in parts.items():
            chunks = pieces(data, 1000)
            for at, chunk in enumerate(chunks, 1):
                messages.append({"part": number, "data": base64_of(chunk), "last": at == len(chunks)})
        # By reflection, and from the .proto file.
        source = ["-import-path", str(PROTO), "-proto", "hashlane/v1/hash_service.proto"]
        for flags in ([], source):
            with self.subTest(flags):
                answers = self.call(f"{SERVICE}/Digest", *messages, flags=flags)
                self.assertEqual(
                    {a["part"]: (int(a.get("sizeBytes", 0)), a["digests"]) for a in answers},
                    {
                        number: (len(data), [{"algorithm": SHA256, "digest": base64_of(sha256(data))}])
                        for number, data in parts.items()
                    },
                )

    def test_verify(self):
        for data, expected, verdict in ((b"abc", b"abc", "VERDICT_MATCH"), (b"abd", b"abc", "VERDICT_MISMATCH")):
            digest = {"algorithm": SHA256, "digest": base64_of(sha256(expected))}
            (answer,) = self.call(f"{SERVICE}/Verify", {"data": base64_of(data)}, {"expected": [digest], "last": True})
            self.assertEqual(answer["verdict"], verdict)
            self.assertEqual(base64.b64decode(answer["verdicts"][0]["computed"]), sha256(data))

    def test_batch(self):
        blobs = [pattern(length, seed=length) for length in range(0, 300, 7)]
        (answer,) = self.call(f"{SERVICE}/DigestBatch", {"blobs": [base64_of(blob) for blob in blobs]})
        self.assertEqual(
            [[d["digest"] for d in blob["digests"]] for blob in answer["blobs"]],
            [[base64_of(sha256(blob))] for blob in blobs],
        )

    def test_compose(self):
        digests = [base64_of(digest) for digest in composed_parts()]
        (answer,) = self.call(f"{SERVICE}/Compose", {"partDigests": digests, "expected": COMPOSITE})
        self.assertEqual((answer["composite"], answer["verdict"]), (COMPOSITE, "VERDICT_MATCH"))

    def test_server_info(self):
        (answer,) = self.call(f"{SERVICE}/GetServerInfo")
        self.assertTrue(answer["version"])
        self.assertGreaterEqual(answer["workers"], 1)
        (sha,) = [row for row in answer["algorithms"] if row["algorithm"] == SHA256]
        self.assertIn("portable", sha["kernels"])
        self.assertGreater(int(answer["limits"]["messageBytesMax"]), 0)

    def test_refusal(self):
        done = run(f"{SERVICE}/Digest", messages=[{"open": {"algorithms": [99]}}])
        self.assertEqual(done.returncode, STATUS + INVALID_ARGUMENT, done.stderr)
        status = json.loads(done.stderr)
        (detail,) = [d for d in status["details"] if d["@type"].endswith("/google.rpc.ErrorInfo")]
        self.assertNotIn("@value", detail, "reflection does not know the type")
        self.assertEqual((detail["domain"], detail["reason"]), ("hashlane", "UNSUPPORTED_ALGORITHM"))
