"""A Python client: grpcio with code that grpcio-tools generated from the contract."""

import asyncio
import queue
import random
import threading

import grpc
from google.rpc import code_pb2, error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from hashlane.v1 import hash_service_pb2 as pb
from hashlane.v1 import hash_service_pb2_grpc as rpc
from support import (
    ADDRESS,
    COMPOSITE,
    DIGESTS,
    ETAG,
    MIB,
    PATIENCE,
    Case,
    composed_parts,
    metric,
    pattern,
    pieces,
    sha256,
)

SERVICE = "hashlane.v1.HashService"
LARGE = 8 * MIB
# Around every edge of block and padding, and of HTTP/2's usual frames and windows.
LENGTHS = [0, 1, 2, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 16383, 16384, 16385, 65535, 65536, 65537]


def messages(data, chunk, part=0):
    """A part as the simplest client sends it: nothing but data."""
    return [pb.DigestRequest(part=part, data=piece) for piece in pieces(data, chunk)]


def algorithm(name):
    return pb.Algorithm.Value("ALGORITHM_" + name.upper())


def expected(digest):
    return [pb.AlgorithmDigest(algorithm=pb.ALGORITHM_SHA256, digest=digest)]


class Requests:
    """Requests that are sent one by one, while the answers are read."""

    def __init__(self):
        self._queue = queue.SimpleQueue()

    def __iter__(self):
        return iter(self._queue.get, None)

    def send(self, request):
        self._queue.put(request)

    def half_close(self):
        self._queue.put(None)


class Grpcio(Case):
    def setUp(self):
        self.channel = grpc.insecure_channel(ADDRESS)
        self.stub = rpc.HashServiceStub(self.channel)
        self.addCleanup(self.channel.close)

    def digest(self, requests):
        return list(self.stub.Digest(iter(requests), timeout=PATIENCE))

    def verify(self, requests):
        return list(self.stub.Verify(iter(requests), timeout=PATIENCE))

    def assert_digest(self, answer, data):
        self.assertFalse(answer.HasField("error"), answer)
        self.assertEqual(answer.size_bytes, len(data))
        self.assertEqual([(d.algorithm, d.digest) for d in answer.digests], [(pb.ALGORITHM_SHA256, sha256(data))])

    def assert_refused(self, call, code, reason, field=None):
        """The call is refused with a google.rpc.Status that has an ErrorInfo."""
        with self.assertRaises(grpc.RpcError) as caught:
            call()
        error = caught.exception
        self.assertEqual(error.code(), code, error)
        status = rpc_status.from_call(error)
        self.assertIsNotNone(status, "no google.rpc.Status")
        self.assertEqual((status.code, status.message), (code.value[0], error.details()))
        details = {detail.TypeName(): detail for detail in status.details}
        info = error_details_pb2.ErrorInfo()
        self.assertTrue(details[info.DESCRIPTOR.full_name].Unpack(info))
        self.assertEqual((info.domain, info.reason), ("hashlane", reason))
        if field:
            bad = error_details_pb2.BadRequest()
            self.assertTrue(details[bad.DESCRIPTOR.full_name].Unpack(bad))
            self.assertEqual([violation.field for violation in bad.field_violations], [field])

    def test_lengths_and_chunks(self):
        for length in LENGTHS:
            data = pattern(length, seed=length)
            for chunk in (1, 7, 63, 64, 1021, 16384, length or 1):
                if length // chunk > 2000:
                    continue
                with self.subTest(length=length, chunk=chunk):
                    (answer,) = self.digest(messages(data, chunk))
                    self.assert_digest(answer, data)

    def test_no_message_at_all(self):
        # One empty part.
        (answer,) = self.digest([])
        self.assert_digest(answer, b"")
        (answer,) = self.verify([])
        self.assertEqual(answer.error.reason, "NO_EXPECTED_DIGEST")

    def test_empty_messages(self):
        data = pattern(500)
        empty = pb.DigestRequest()
        self.assertEqual(empty.ByteSize(), 0)
        requests = [empty, empty, *(m for message in messages(data, 100) for m in (message, empty))]
        (answer,) = self.digest(requests)
        self.assert_digest(answer, data)

    def test_large_part(self):
        data = pattern(LARGE)
        for chunk in (16 << 10, 64 << 10, 1_000_003, MIB, 3 * MIB):
            with self.subTest(chunk=chunk):
                (answer,) = self.digest(messages(data, chunk))
                self.assert_digest(answer, data)

    def test_parts_interleaved(self):
        order = random.Random(4)
        parts = {number * 1_000_003: pattern(order.randrange(200_000), seed=number) for number in range(200)}
        waiting = {number: pieces(data, order.randrange(1, 20_000)) for number, data in parts.items()}
        requests = []
        while waiting:
            number = order.choice(list(waiting))
            chunk = waiting[number].pop(0)
            last = not waiting[number]
            if last:
                del waiting[number]
            requests.append(pb.DigestRequest(part=number, data=chunk, last=last))
        answers = self.digest(requests)
        self.assertEqual(sorted(answer.part for answer in answers), sorted(parts))
        for answer in answers:
            self.assert_digest(answer, parts[answer.part])

    def test_answers_before_the_half_close(self):
        requests = Requests()
        answers = self.stub.Digest(iter(requests), timeout=PATIENCE)
        answers.initial_metadata()  # leaves before the first message
        requests.send(pb.DigestRequest(part=1, data=b"held back, "))
        for number in (2, 3, 2):  # a number that was answered may come again
            requests.send(pb.DigestRequest(part=number, data=b"abc", last=True))
            answer = next(answers)
            self.assertEqual(answer.part, number)
            self.assert_digest(answer, b"abc")
        requests.send(pb.DigestRequest(part=1, data=b"then sent"))
        requests.half_close()
        answer = next(answers)
        self.assertEqual(answer.part, 1)
        self.assert_digest(answer, b"held back, then sent")
        self.assertEqual(list(answers), [])
        self.assertEqual(answers.code(), grpc.StatusCode.OK)

    def test_largest_part_number(self):
        (answer,) = self.digest([pb.DigestRequest(part=2**64 - 1, data=b"abc", last=True)])
        self.assertEqual(answer.part, 2**64 - 1)
        self.assert_digest(answer, b"abc")

    def test_options(self):
        data = pattern(100_000)
        options = pb.PartOptions(algorithms=[pb.ALGORITHM_SHA256], size_bytes=len(data))
        (answer,) = self.digest([pb.DigestRequest(open=options, data=data[:1]), pb.DigestRequest(data=data[1:])])
        self.assert_digest(answer, data)
        # A length of nothing is a length too.
        (answer,) = self.digest([pb.DigestRequest(open=pb.PartOptions(size_bytes=0), last=True)])
        self.assert_digest(answer, b"")

    def test_many_streams(self):
        parts = [pattern(50_000 + 997 * number, seed=number) for number in range(64)]
        calls = [self.stub.Digest(iter(messages(data, 8192)), timeout=PATIENCE) for data in parts]
        for call, data in zip(calls, parts):
            (answer,) = list(call)
            self.assert_digest(answer, data)

    def test_asyncio(self):
        parts = [pattern(30_000 + 1009 * number, seed=number) for number in range(32)]

        async def one(stub, data):
            call = stub.Digest(timeout=PATIENCE)
            for message in messages(data, 4093):
                await call.write(message)
            await call.done_writing()
            return [answer async for answer in call]

        async def all_of_them():
            async with grpc.aio.insecure_channel(ADDRESS) as channel:
                stub = rpc.HashServiceStub(channel)
                return await asyncio.gather(*(one(stub, data) for data in parts))

        for (answer,), data in zip(asyncio.run(all_of_them()), parts):
            self.assert_digest(answer, data)

    def test_verify(self):
        data = pattern(300_000)
        right, wrong = sha256(data), sha256(b"something else")
        chunks = pieces(data, 65_536)
        for when in ("first", "middle", "last", "after"):
            for digest, verdict in ((right, pb.VERDICT_MATCH), (wrong, pb.VERDICT_MISMATCH)):
                requests = [pb.VerifyRequest(part=5, data=chunk) for chunk in chunks]
                requests.append(pb.VerifyRequest(part=5, last=True))
                place = {"first": 0, "middle": 2, "last": len(chunks) - 1, "after": len(chunks)}[when]
                requests[place].expected.extend(expected(digest))
                with self.subTest(when=when, verdict=verdict):
                    (answer,) = self.verify(requests)
                    self.assertEqual((answer.part, answer.size_bytes, answer.verdict), (5, len(data), verdict))
                    (compared,) = answer.verdicts
                    self.assertEqual(compared.algorithm, pb.ALGORITHM_SHA256)
                    self.assertEqual((compared.verdict, compared.expected, compared.computed), (verdict, digest, right))

    def test_fields_in_any_order(self):
        """An encoder may write fields in any order; protobuf's own go by their numbers."""
        data = pattern(300_000)
        fields = [
            pb.VerifyRequest(data=data),
            pb.VerifyRequest(last=True),
            pb.VerifyRequest(expected=expected(sha256(data))),
            pb.VerifyRequest(open=pb.PartOptions(algorithms=[pb.ALGORITHM_SHA256], size_bytes=len(data))),
            pb.VerifyRequest(part=7),
        ]
        verify = self.channel.stream_stream(f"/{SERVICE}/Verify", bytes, pb.VerifyResponse.FromString)
        for turn in range(len(fields)):
            order = fields[turn:] + fields[:turn]
            with self.subTest(turn=turn):
                message = b"".join(field.SerializeToString() for field in order)
                (answer,) = verify(iter([message]), timeout=PATIENCE)
                self.assertEqual((answer.part, answer.size_bytes, answer.verdict), (7, len(data), pb.VERDICT_MATCH))

    def test_verify_many_parts(self):
        requests = []
        for number in range(50):
            data = pattern(3000 + number)
            digest = sha256(data) if number % 3 else sha256(b"")
            requests.append(pb.VerifyRequest(part=number, data=data[:1000], expected=expected(digest)))
            requests.append(pb.VerifyRequest(part=number, data=data[1000:], last=True))
        verdicts = {answer.part: answer.verdict for answer in self.verify(requests)}
        self.assertEqual(verdicts, {n: pb.VERDICT_MATCH if n % 3 else pb.VERDICT_MISMATCH for n in range(50)})

    def test_verify_with_nothing_to_compare(self):
        (answer,) = self.verify([pb.VerifyRequest(data=b"abc")])
        self.assertEqual((answer.error.code, answer.error.reason), (code_pb2.INVALID_ARGUMENT, "NO_EXPECTED_DIGEST"))
        self.assertEqual((answer.verdict, list(answer.verdicts)), (pb.VERDICT_UNSPECIFIED, []))

    def test_declared_size_mismatch(self):
        def part(number, declared, data):
            options = pb.PartOptions(size_bytes=declared)
            first, *rest = pieces(data, 100)
            yield pb.DigestRequest(part=number, open=options, data=first, last=not rest)
            for at, chunk in enumerate(rest, 1):
                yield pb.DigestRequest(part=number, data=chunk, last=at == len(rest))

        data = pattern(1000)
        wanted = {1: 1000, 2: 1001, 3: 999, 4: 0, 5: 150}
        answers = self.digest([request for number, size in wanted.items() for request in part(number, size, data)])
        self.assertEqual(sorted(answer.part for answer in answers), sorted(wanted))
        for answer in answers:
            if answer.part == 1:  # the other parts of the stream go on
                self.assert_digest(answer, data)
                continue
            with self.subTest(declared=wanted[answer.part]):
                self.assertEqual((answer.error.code, answer.error.reason), (code_pb2.INVALID_ARGUMENT, "SIZE_MISMATCH"))
                self.assertTrue(answer.error.message)
                self.assertEqual(list(answer.digests), [])

    def test_size_mismatch_at_once(self):
        requests = Requests()
        answers = self.stub.Digest(iter(requests), timeout=PATIENCE)
        requests.send(pb.DigestRequest(part=1, open=pb.PartOptions(size_bytes=10), data=pattern(11)))
        answer = next(answers)  # although the part has not ended
        self.assertEqual((answer.part, answer.error.reason), (1, "SIZE_MISMATCH"))
        requests.send(pb.DigestRequest(part=1, data=b"ignored", last=True))
        requests.send(pb.DigestRequest(part=1, data=b"abc", last=True))
        self.assert_digest(next(answers), b"abc")
        requests.half_close()
        self.assertEqual(list(answers), [])

    def test_batch(self):
        blobs = [pattern(length, seed=length) for length in LENGTHS for _ in range(10)]
        self.assertLess(sum(map(len, blobs)), 4 * MIB)
        answer = self.stub.DigestBatch(pb.DigestBatchRequest(blobs=blobs), timeout=PATIENCE)
        self.assertEqual([[d.digest for d in blob.digests] for blob in answer.blobs], [[sha256(blob)] for blob in blobs])
        self.assertEqual(list(self.stub.DigestBatch(pb.DigestBatchRequest(), timeout=PATIENCE).blobs), [])

    def test_several_algorithms(self):
        options = pb.PartOptions(algorithms=map(algorithm, DIGESTS))
        of = lambda data: [(algorithm(name), digest(data)) for name, digest in DIGESTS.items()]
        given = lambda digests: [(d.algorithm, d.digest) for d in digests]
        for length in (0, 1, 127, 128, 65_537, MIB + 1):
            data = pattern(length, seed=length)
            requests = messages(data, 10_000)
            requests[0].open.CopyFrom(options)
            (answer,) = self.digest(requests)
            self.assertEqual((answer.size_bytes, given(answer.digests)), (length, of(data)))
            wrong = [pb.AlgorithmDigest(algorithm=name, digest=digest) for name, digest in of(data)]
            wrong[-1].digest = bytes(byte ^ 0xFF for byte in wrong[-1].digest)
            (answer,) = self.verify([pb.VerifyRequest(open=options, data=data), pb.VerifyRequest(expected=wrong)])
            verdicts = [row.verdict for row in answer.verdicts]
            self.assertEqual(verdicts, [pb.VERDICT_MATCH] * (len(wrong) - 1) + [pb.VERDICT_MISMATCH])
            self.assertEqual(answer.verdict, pb.VERDICT_MISMATCH)
        blobs = [pattern(length, seed=length) for length in LENGTHS]
        request = pb.DigestBatchRequest(algorithms=options.algorithms, blobs=blobs)
        answer = self.stub.DigestBatch(request, timeout=PATIENCE)
        self.assertEqual([given(blob.digests) for blob in answer.blobs], [of(blob) for blob in blobs])

    def test_compose_of_other_algorithms(self):
        compose = lambda **fields: self.stub.Compose(pb.ComposeRequest(**fields), timeout=PATIENCE)
        parts = [letter * (5 * MIB) for letter in (b"A", b"B", b"C")]
        of = lambda name: {"algorithm": algorithm(name), "part_digests": map(DIGESTS[name], parts)}
        answer = compose(**of("md5"), expected=f'"{ETAG}"')
        self.assertEqual((answer.hex, answer.verdict), (ETAG, pb.VERDICT_MATCH))
        full = {"checksum_type": pb.CHECKSUM_TYPE_FULL_OBJECT, "part_size_bytes": map(len, parts)}
        answer = compose(**of("crc32"), **full)
        self.assertEqual(answer.digest, DIGESTS["crc32"](b"".join(parts)))

    def test_compose(self):
        digests = []
        for letter in (b"A", b"B", b"C"):
            (answer,) = self.digest(messages(letter * (5 * MIB), MIB))
            digests.append(answer.digests[0].digest)
        self.assertEqual(digests, composed_parts())
        compose = lambda text: self.stub.Compose(
            pb.ComposeRequest(part_digests=digests, expected=text), timeout=PATIENCE
        )
        answer = compose("")
        self.assertEqual((answer.composite, answer.verdict), (COMPOSITE, pb.VERDICT_UNSPECIFIED))
        self.assertEqual(answer.digest, sha256(b"".join(digests)))
        self.assertEqual(compose(COMPOSITE).verdict, pb.VERDICT_MATCH)
        self.assertEqual(compose(COMPOSITE[:-1] + "4").verdict, pb.VERDICT_MISMATCH)

    def test_server_info(self):
        info = self.stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=PATIENCE)
        self.assertRegex(info.version, r"^\d+\.\d+\.\d+")
        self.assertGreaterEqual(info.workers, 1)
        algorithms = {row.algorithm: row for row in info.algorithms}
        self.assertEqual(len(algorithms), len(info.algorithms))
        for name, digest in DIGESTS.items():
            row = algorithms[algorithm(name)]
            self.assertEqual(row.digest_bytes, len(digest(b"")), name)
            self.assertGreaterEqual(row.lanes, 1)
        self.assertIn("portable", algorithms[pb.ALGORITHM_SHA256].kernels)
        for field in pb.Limits.DESCRIPTOR.fields:
            self.assertGreater(getattr(info.limits, field.name), 0, field.name)

    def test_largest_message(self):
        most = self.stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=PATIENCE).limits.message_bytes_max
        # The key, and the length in four bytes.
        request = pb.DigestRequest(data=pattern(most - 5))
        self.assertEqual(request.ByteSize(), most)
        (answer,) = self.digest([request])
        self.assert_digest(answer, request.data)
        code = grpc.StatusCode.RESOURCE_EXHAUSTED
        request = pb.DigestRequest(data=pattern(most - 4))
        self.assert_refused(lambda: self.digest([request]), code, "MESSAGE_TOO_LARGE")
        request = pb.DigestBatchRequest(blobs=[pattern(most)])
        self.assert_refused(lambda: self.stub.DigestBatch(request, timeout=PATIENCE), code, "MESSAGE_TOO_LARGE")

    def test_compression_is_refused(self):
        gzip = {"timeout": PATIENCE, "compression": grpc.Compression.Gzip}
        data = b"a" * 100_000
        digest, verify = messages(data, 10_000), [pb.VerifyRequest(data=data, expected=expected(sha256(data)))]
        for name, call in (
            ("Digest", lambda: list(self.stub.Digest(iter(digest), **gzip))),
            ("Verify", lambda: list(self.stub.Verify(iter(verify), **gzip))),
            ("DigestBatch", lambda: self.stub.DigestBatch(pb.DigestBatchRequest(blobs=[data]), **gzip)),
        ):
            with self.subTest(name):
                self.assert_refused(call, grpc.StatusCode.UNIMPLEMENTED, "COMPRESSED")
        # The connection goes on.
        (answer,) = self.digest(digest)
        self.assert_digest(answer, data)

    def test_refusals(self):
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        first = pb.DigestRequest(part=1, data=b"a")
        options = lambda *algorithms: pb.DigestRequest(part=1, open=pb.PartOptions(algorithms=algorithms))
        sha, unset, unknown = pb.ALGORITHM_SHA256, pb.ALGORITHM_UNSPECIFIED, 99
        for reason, field, requests in (
            ("UNSUPPORTED_ALGORITHM", "open.algorithms", [options(unknown)]),
            ("UNSUPPORTED_ALGORITHM", "open.algorithms", [options(unset)]),
            ("DUPLICATE_ALGORITHM", "open.algorithms", [options(sha, sha)]),
            ("OPEN_NOT_FIRST", "open", [first, options(sha)]),
        ):
            with self.subTest(reason):
                self.assert_refused(lambda: self.digest(requests), invalid, reason, field)
        for reason, field, digests in (
            ("DUPLICATE_ALGORITHM", "expected", expected(sha256(b"a")) * 2),
            ("UNSUPPORTED_ALGORITHM", "expected.algorithm", [pb.AlgorithmDigest(algorithm=unknown, digest=sha256(b"a"))]),
        ):
            with self.subTest(reason):
                request = pb.VerifyRequest(data=b"a", expected=digests)
                self.assert_refused(lambda: self.verify([request]), invalid, reason, field)
        # A digest of the wrong length ends its part, not the call.
        (answer,) = self.verify([pb.VerifyRequest(data=b"a", expected=expected(b"short"))])
        self.assertEqual((answer.error.code, answer.error.reason), (invalid.value[0], "DIGEST_LENGTH"))
        self.assert_refused(
            lambda: self.stub.Compose(pb.ComposeRequest(), timeout=PATIENCE), invalid, "PART_COUNT", "part_digests"
        )

    def test_no_such_method(self):
        method = self.channel.unary_unary(f"/{SERVICE}/Nothing", bytes, bytes)
        code = grpc.StatusCode.UNIMPLEMENTED
        self.assert_refused(lambda: method(b"", timeout=PATIENCE), code, "NO_SUCH_METHOD")

    def test_malformed_message(self):
        method = self.channel.stream_stream(f"/{SERVICE}/Digest", bytes, bytes)
        call = lambda: list(method(iter([b"\x0b"]), timeout=PATIENCE))  # a group that never ends
        self.assert_refused(call, grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_MESSAGE")

    def test_health(self):
        health = health_pb2_grpc.HealthStub(self.channel)
        serving = health_pb2.HealthCheckResponse.SERVING
        for service in ("", SERVICE):
            request = health_pb2.HealthCheckRequest(service=service)
            self.assertEqual(health.Check(request, timeout=PATIENCE).status, serving)
            watch = health.Watch(request, timeout=PATIENCE)
            self.assertEqual(next(watch).status, serving)
            watch.cancel()
        with self.assertRaises(grpc.RpcError) as caught:
            health.Check(health_pb2.HealthCheckRequest(service="nothing"), timeout=PATIENCE)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)

    def test_deadline(self):
        before = metric("hashlane_parts_total", rpc="Digest", outcome="cancelled")
        requests = Requests()
        requests.send(pb.DigestRequest(part=1, data=b"and then nothing"))
        answers = self.stub.Digest(iter(requests), timeout=0.3)
        with self.assertRaises(grpc.RpcError) as caught:
            next(answers)
        requests.half_close()  # lets grpcio's thread end
        self.assertEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.until(
            "the part is freed",
            lambda: metric("hashlane_parts_total", rpc="Digest", outcome="cancelled") == before + 1
            and metric("hashlane_streams") == 0
            and metric("hashlane_open_jobs") == 0,
        )

    def test_cancel(self):
        before = metric("hashlane_parts_total", rpc="Digest", outcome="cancelled")
        calls = []
        for number in range(20):
            requests = Requests()
            calls.append((requests, self.stub.Digest(iter(requests), timeout=PATIENCE)))
            requests.send(pb.DigestRequest(part=1, data=pattern(100_000, seed=number)))
        self.until("the parts are open", lambda: metric("hashlane_open_jobs") == len(calls))
        for requests, call in calls:
            call.cancel()
            requests.half_close()
            self.assertEqual(call.code(), grpc.StatusCode.CANCELLED)
        self.until(
            "the parts are freed",
            lambda: metric("hashlane_parts_total", rpc="Digest", outcome="cancelled") == before + len(calls)
            and metric("hashlane_streams") == 0
            and metric("hashlane_open_jobs") == 0,
        )
        (answer,) = self.digest(messages(b"abc", 1))
        self.assert_digest(answer, b"abc")

    def test_slow_reader(self):
        """Answers wait for the client; meanwhile the others go on."""
        parts = 5000
        slow = self.stub.Digest(
            iter([pb.DigestRequest(part=number, data=b"abc", last=True) for number in range(parts)]), timeout=PATIENCE
        )
        (answer,) = self.digest(messages(pattern(LARGE), MIB))
        self.assert_digest(answer, pattern(LARGE))
        self.assertEqual(sorted(answer.part for answer in slow), list(range(parts)))

    def test_threads(self):
        wrong = []

        def work(seed):
            with grpc.insecure_channel(ADDRESS, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
                stub = rpc.HashServiceStub(channel)
                for length in (0, 1000, 100_000):
                    data = pattern(length, seed)
                    (answer,) = list(stub.Digest(iter(messages(data, 1021)), timeout=PATIENCE))
                    if answer.digests[0].digest != sha256(data):
                        wrong.append((seed, length))
            done.append(seed)

        done = []
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((wrong, sorted(done)), ([], list(range(8))))
