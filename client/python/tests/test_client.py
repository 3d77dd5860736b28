from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from hashlane import (
    Algorithm,
    ArgumentError,
    Client,
    Digest,
    HashlaneError,
    MismatchError,
    ObjectDigest,
    PartDigest,
    Verification,
    _unary,
)
from hashlane._wire import MESSAGE_BYTES
from hashlane.v1 import hash_service_pb2 as pb
from tests.support import MIB, PATIENCE, Fake, Server, pattern, sha256, until, wrong

LENGTHS = [0, 1, 63, 64, 65, MESSAGE_BYTES - 1, MESSAGE_BYTES, MESSAGE_BYTES + 1, 5 * MIB + 7]
# Three parts of 5 MiB of 'A', 'B' and 'C', as S3 answers them.
COMPOSITE = "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3"
ETAG = "b2add96cc9702bbf4efb0ccdfc6b7747-3"


def test_names_are_those_of_the_contract(client: Client) -> None:
    info = client.server_info(timeout=PATIENCE)
    assert [each.algorithm for each in info.algorithms] == list(Algorithm)
    assert len(Algorithm) == 28
    assert info.limits.batch_blobs_max == 10_000
    for algorithm in Algorithm:
        assert Algorithm.parse(str(algorithm)) is algorithm
    for name in ("md6", "SHA256", ""):
        with pytest.raises(ArgumentError, match="expected one of sha256 "):
            Algorithm.parse(name)


@pytest.mark.parametrize("length", LENGTHS)
def test_digest_of_bytes(client: Client, length: int) -> None:
    data = pattern(length, 1)
    answer = client.digest(data, timeout=PATIENCE)
    assert (answer.digest, answer.size_bytes) == (sha256(data), length)


def test_sources(client: Client, tmp_path: Path) -> None:
    data = pattern(5 * MIB, 2)
    path = tmp_path / "file"
    path.write_bytes(data)
    reader, writer = os.pipe()

    def fill() -> None:
        with open(writer, "wb") as pipe:
            pipe.write(data)

    threading.Thread(target=fill).start()
    pieces = [data[at : at + 10_007] for at in range(0, len(data), 10_007)]
    bytearrays = (bytearray(piece) for piece in pieces)
    with open(path, "rb") as file, open(reader, "rb", buffering=0) as pipe:
        sources: list[Any] = [
            bytearray(data),
            memoryview(data),
            path,
            file,
            pipe,
            pieces,
            bytearrays,
        ]
        for source in [*sources, iter([data]), io.BytesIO(data)]:
            answer = client.digest(source, size_bytes=len(data), timeout=PATIENCE)
            assert answer.digest == sha256(data)
    empty: list[Any] = [b"", [], io.BytesIO(), iter(())]
    for nothing in empty:
        assert client.digest(nothing, timeout=PATIENCE).digest == sha256(b"")
    for bad in ("a path?", 5, None):
        with pytest.raises(ArgumentError, match="source"):
            client.digest(bad, timeout=PATIENCE)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="binary"):
        client.digest(io.StringIO("text"), timeout=PATIENCE)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match="missing"):
        client.digest(tmp_path / "missing", timeout=PATIENCE)
    with client.open_digest_stream() as stream, pytest.raises(FileNotFoundError):
        stream.digest(tmp_path / "missing", timeout=PATIENCE)


def test_what_ends_a_program_ends_the_call(client: Client) -> None:
    """Not an Exception, and raised in a thread of gRPC's."""

    def source() -> Iterator[bytes]:
        yield pattern(2 * MESSAGE_BYTES)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        client.digest(source(), timeout=PATIENCE)


def test_names_and_text(client: Client) -> None:
    answer = client.digest(b"abc", "sha256", "md5", Algorithm.CRC32, timeout=PATIENCE)
    assert answer["md5"] == answer[Algorithm.MD5]
    assert answer["md5"].hex == hashlib.md5(b"abc").hexdigest()
    sha = hashlib.sha256(b"abc")
    for expected in (sha.hexdigest(), sha.digest(), sha.hexdigest().upper(), str(answer["md5"])):
        assert client.verify(b"abc", expected, timeout=PATIENCE).is_match
        assert not client.verify(b"abd", expected, timeout=PATIENCE).is_match
    parts = client.digest_batch([b"a", b"b"], "md5", timeout=PATIENCE)
    texts = [str(part["md5"]) for part in parts]
    assert client.compose(texts).etag == client.compose([part["md5"] for part in parts]).etag


def test_an_object_as_those_of_hashlib(client: Client) -> None:
    data = pattern(300_001, 9)
    hashed = client.hash("sha1", "md5")
    assert (hashed.name, hashed.digest_size) == ("sha1", 20)
    for at in range(0, len(data), 7_001):
        hashed.update(data[at : at + 7_001])
    assert hashed.hexdigest() == hashlib.sha1(data).hexdigest()
    assert hashed.digest() == hashlib.sha1(data).digest()
    assert hashed.finish()["md5"].hex == hashlib.md5(data).hexdigest()
    with pytest.raises(ValueError, match="after the digest"):
        hashed.update(b"more")
    with client.hash() as given_up:
        given_up.update(b"abc")


def threads_of_calls() -> int:
    return sum(thread.name == "hashlane" for thread in threading.enumerate())


def test_a_hash_calls_once_it_has_bytes(client: Client) -> None:
    """A server ends a call that has none for a while."""
    before = threads_of_calls()
    hashed = client.hash()
    hashed.update(pattern(MESSAGE_BYTES - 1))
    assert threads_of_calls() == before
    hashed.update(pattern(MIB, 1))
    assert threads_of_calls() == before + 1
    data = pattern(MESSAGE_BYTES - 1) + pattern(MIB, 1)
    assert hashed.hexdigest() == hashlib.sha256(data).hexdigest()
    small = client.hash("md5", "sha256")
    small.update(memoryview(b"abc"))
    assert small.finish(timeout=PATIENCE)["sha256"] == sha256(b"abc")
    assert client.hash("md5").hexdigest() == hashlib.md5().hexdigest()
    with pytest.raises(ArgumentError, match="unknown algorithm"):
        client.hash("md6")


def test_a_hash_that_is_dropped_leaves_nothing(own_server: Callable[..., Server]) -> None:
    own = own_server("", "--part-idle-timeout=1h")
    with Client(own.address) as client:
        before = threads_of_calls()
        for _ in range(30):
            client.hash("md5").update(pattern(MIB))
        until("their threads have ended", lambda: threads_of_calls() == before)
        until("their calls too", lambda: own.metric("hashlane_streams") == 0)


def test_a_hash_that_is_closed(client: Client) -> None:
    for data in (b"abc", pattern(MIB)):
        hashed = client.hash()
        hashed.update(data)
        hashed.close()
        hashed.close()
        for call in (lambda hashed=hashed: hashed.update(b"abc"), hashed.finish, hashed.digest):
            with pytest.raises(ArgumentError, match="hash is closed"):
                call()


def test_a_small_hash_that_failed_can_be_finished_again(fake: Fake) -> None:
    with Client(fake.address, retry_seconds=0) as client:
        hashed = client.hash()
        hashed.update(b"ab")
        fake.refuse = 1
        # The error is kept, as by a program that reports it later.
        with pytest.raises(HashlaneError) as caught:
            hashed.finish(timeout=PATIENCE)
        hashed.update(b"c")
        assert hashed.finish(timeout=PATIENCE).digest == sha256(b"abc")
        assert caught.value.reason == "SERVER_BUSY"


def test_a_large_hash_that_failed_tells_its_error_again(client: Client) -> None:
    large = client.hash()
    large.update(pattern(MIB))
    with pytest.raises(HashlaneError, match="DEADLINE_EXCEEDED"):
        large.finish(timeout=0)
    for call in (lambda: large.update(b"abc"), large.finish, large.digest):
        with pytest.raises(HashlaneError, match="DEADLINE_EXCEEDED"):
            call()


def test_a_hash_keeps_no_bytes_that_it_has_sent(client: Client) -> None:
    hashed = client.hash()
    hashed.update(pattern(MESSAGE_BYTES - 1))
    hashed.update(pattern(MIB, 1))
    assert not hashed._first
    data = pattern(MESSAGE_BYTES - 1) + pattern(MIB, 1)
    assert hashed.finish(timeout=PATIENCE).digest == sha256(data)


def test_a_program_that_closes_nothing_ends(server: Server) -> None:
    """With a hash, a part and a stream that nobody closed."""
    program = f"""
from hashlane import Client
client = Client({server.address!r})
hashed = client.hash()
hashed.update(bytes(1 << 20))
stream = client.open_verify_stream()
part = stream.part()
part.write(bytes(1 << 20))
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        check=True,
        timeout=PATIENCE,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in ended.stderr
    assert "Exception" not in ended.stderr


FORKING = """
import os, sys
from hashlane import ArgumentError, Client

client = Client(sys.argv[1])
stream = client.open_digest_stream()
part = stream.part()
part.write(bytes(1 << 20))
child = os.fork()
if child == 0:
    refused = 0
    for call in (lambda: part.write(bytes(2 << 20)), part.flush, part.buffer, part.finish):
        try:
            call()
        except ArgumentError as error:
            refused += "before fork" in str(error)
    part.discard()
    stream.close()
    os._exit(refused)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
assert part.finish(timeout=60).size_bytes == 1 << 20
"""


def test_a_part_of_the_parent_process(server: Server) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FORKING, server.address]
    subprocess.run(command, env=environment, check=True, timeout=PATIENCE)


@pytest.mark.parametrize("timeout", [float("inf"), 7.5e9, 1e10, 1e300])
def test_a_timeout_that_is_hardly_one(client: Client, timeout: float) -> None:
    assert client.digest(b"abc", timeout=timeout).digest == sha256(b"abc")
    assert client.digest(io.BytesIO(b"abc"), timeout=timeout).digest == sha256(b"abc")
    assert client.digest_batch([b"abc"], timeout=timeout)[0].digest == sha256(b"abc")
    assert client.is_healthy(timeout=timeout)
    with client.open_digest_stream() as stream:
        assert stream.digest(b"abc", timeout=timeout).digest == sha256(b"abc")
        assert stream.part(timeout=timeout).finish(timeout=timeout).digest == sha256(b"")


def test_a_timeout_of_nothing(client: Client) -> None:
    with client.open_digest_stream() as stream:
        calls: list[Callable[[], object]] = [
            lambda: client.digest(b"", timeout=0),
            lambda: client.verify(b"", sha256(b""), timeout=0),
            lambda: client.digest_batch([b""], timeout=0),
            lambda: client.server_info(timeout=0),
            lambda: client.is_healthy(timeout=0),
            lambda: stream.digest(b"", timeout=0),
            lambda: stream.part().finish(timeout=0),
        ]
        for call in calls:
            with pytest.raises(HashlaneError) as caught:
                call()
            assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED


def test_blobs_of_other_types(client: Client) -> None:
    blobs: list[Any] = [b"abc", bytearray(b"abc"), memoryview(b"abc")]
    answers = client.digest_batch(blobs, timeout=PATIENCE)
    assert [answer.digest for answer in answers] == [sha256(b"abc")] * 3


def test_a_closed_client_says_so() -> None:
    client = Client("127.0.0.1:1")
    client.close()
    client.close()
    calls: list[Callable[[], object]] = [
        lambda: client.digest(b""),
        lambda: client.server_info(),
        lambda: client.open_digest_stream().part(),
        lambda: client.hash().hexdigest(),
    ]
    for call in calls:
        with pytest.raises(ArgumentError, match="closed"):
            call()


def test_every_algorithm(client: Client) -> None:
    data = pattern(300_001, 3)
    answer = client.digest(data, *Algorithm, timeout=PATIENCE)
    assert [digest.algorithm for digest in answer.digests] == list(Algorithm)
    for algorithm in (Algorithm.SHA512, Algorithm.SHA1, Algorithm.MD5, Algorithm.SHA384):
        assert answer[algorithm].hex == hashlib.new(str(algorithm), data).hexdigest()
    assert answer[Algorithm.CRC32].raw == zlib.crc32(data).to_bytes(4, "big")
    with pytest.raises(KeyError):
        client.digest(data, timeout=PATIENCE)[Algorithm.MD5]


def test_verify(client: Client) -> None:
    data = pattern(200_000, 4)
    md5 = Digest.from_hex(Algorithm.MD5, hashlib.md5(data).hexdigest().upper())
    answer = client.verify(data, sha256(data), md5, timeout=PATIENCE)
    answer.raise_for_mismatch()
    assert answer.is_match
    assert answer.size_bytes == len(data)
    answer = client.verify(data, sha256(data), wrong(md5), timeout=PATIENCE)
    assert [each.expected for each in answer.mismatches] == [wrong(md5)]
    with pytest.raises(MismatchError, match=f"expected {wrong(md5)}, computed {md5.hex}"):
        answer.raise_for_mismatch()
    with pytest.raises(TypeError, match="is_match"):
        bool(answer)
    assert not Verification((), 0).is_match
    assert client.verify(b"", sha256(b""), timeout=PATIENCE).is_match
    assert not client.verify(b"", sha256(data), timeout=PATIENCE).is_match


def test_arguments() -> None:
    """Found before anything is sent."""
    with Client("127.0.0.1:1") as nobody:
        calls: list[Callable[[], object]] = [
            lambda: nobody.digest(b"", Algorithm.MD5, Algorithm.MD5),
            lambda: nobody.verify(b""),
            lambda: nobody.digest_batch([], Algorithm.MD5, Algorithm.MD5),
            lambda: nobody.compose([]),
            lambda: nobody.compose([sha256(b""), Digest(Algorithm.MD5, bytes(16))]),
            lambda: Digest(Algorithm.MD5, bytes(20)),
            lambda: Digest.from_hex(Algorithm.MD5, "no hex"),
            lambda: Digest.from_hex("md6", "00"),
            lambda: nobody.digest(b"", "sha-256"),
            lambda: nobody.digest(b"", 5),  # type: ignore[arg-type]
            lambda: nobody.digest(b"", timeout=-1),
            lambda: nobody.server_info(timeout=float("nan")),
            lambda: nobody.verify(b"", "900150983cd24fb0d6963f7d28e17f72"),
            lambda: nobody.verify(b"", "md6:00"),
            lambda: nobody.verify(b"", 5),  # type: ignore[arg-type]
            lambda: nobody.digest_batch(["abc"]),  # type: ignore[list-item]
            lambda: nobody.digest_batch(b"abc"),  # type: ignore[arg-type]
            lambda: nobody.digest(b"", size_bytes=-1),
            lambda: nobody.digest(b"", size_bytes=1 << 64),
            lambda: nobody.digest(b"", size_bytes=0.5),  # type: ignore[arg-type]
            lambda: nobody.verify(b"", sha256(b""), size_bytes=-1),
            lambda: nobody.open_digest_stream().part(size_bytes=-1),
            lambda: nobody.compose([Digest(Algorithm.CRC32, bytes(4))], part_sizes=[-1]),
        ]
        for call in calls:
            with pytest.raises(ArgumentError):
                call()
        with pytest.raises(ArgumentError, match="md5:9001"):
            nobody.verify(b"", "900150983cd24fb0d6963f7d28e17f72")


class Int64:
    """An integer as numpy's are."""

    def __init__(self, value: int) -> None:
        self._value = value

    def __index__(self) -> int:
        return self._value


def test_sizes(client: Client) -> None:
    answer = client.digest(b"abc", size_bytes=Int64(3), timeout=PATIENCE)
    assert answer.digest == sha256(b"abc")
    parts = [client.digest(data, "crc32", timeout=PATIENCE).digest for data in (b"ab", b"c")]
    whole = client.digest(b"abc", "crc32", timeout=PATIENCE).digest
    sizes = [Int64(2), Int64(1)]
    assert client.compose(parts, part_sizes=sizes, expected=whole.hex).is_match
    with pytest.raises(HashlaneError, match="the source changed") as caught:
        client.digest(b"abc", size_bytes=2, timeout=PATIENCE)
    assert (caught.value.reason, caught.value.of_part) == ("SIZE_MISMATCH", True)


def test_a_truncated_source_has_no_digest(own_server: Callable[..., Server]) -> None:
    """It fails once the server has heard of it: before that there is nothing to cancel there."""
    own = own_server()

    def source() -> Iterator[bytes]:
        yield pattern(2 * MESSAGE_BYTES)
        until("the part is open", lambda: own.metric("hashlane_open_jobs") == 1)
        raise OSError("the disk is gone")

    with Client(own.address) as client:
        with pytest.raises(OSError, match="the disk is gone"):
            client.digest(source(), timeout=PATIENCE)
        cancelled = 'hashlane_parts_total{rpc="Digest",outcome="cancelled"'
        until("the call is over", lambda: own.metric(cancelled) == 1)
        assert own.metric('hashlane_parts_total{rpc="Digest",outcome="digest"') == 0


def test_batch(client: Client) -> None:
    blobs = [b"", b"abc", pattern(3 * MIB, 5), pattern(3 * MIB, 6), pattern(5 * MIB, 7)]
    blobs += [pattern(i % 100, i) for i in range(11_000)]
    answers = client.digest_batch(blobs, Algorithm.SHA256, Algorithm.CRC32, timeout=PATIENCE)
    assert len(answers) == len(blobs)
    for blob, answer in zip(blobs, answers, strict=True):
        assert answer.digest == sha256(blob)
        assert answer[Algorithm.CRC32].raw == zlib.crc32(blob).to_bytes(4, "big")
    assert client.digest_batch([], timeout=PATIENCE) == []


def test_compose(client: Client) -> None:
    parts = [letter * (5 * MIB) for letter in (b"A", b"B", b"C")]
    wanted = (Algorithm.SHA256, Algorithm.MD5, Algorithm.CRC32)
    answers = [client.digest(part, *wanted, timeout=PATIENCE) for part in parts]
    shas, md5s, crcs = ([answer[algorithm] for answer in answers] for algorithm in wanted)
    digest = client.compose(shas, expected=COMPOSITE, timeout=PATIENCE)
    assert (digest.base64, digest.is_match) == (COMPOSITE, True)
    digest = client.compose(md5s, timeout=PATIENCE)
    assert (digest.etag, digest.is_match) == (ETAG, None)
    assert client.compose(md5s[:2], expected=f'"{ETAG}"', timeout=PATIENCE).is_match is False
    digest = client.compose(crcs, part_sizes=[5 * MIB] * 3, timeout=PATIENCE)
    assert digest.raw == zlib.crc32(b"".join(parts)).to_bytes(4, "big")
    with pytest.raises(HashlaneError) as caught:
        client.compose(shas, expected="no digest", timeout=PATIENCE)
    assert caught.value.reason == "MALFORMED_EXPECTED"
    assert not caught.value.is_retryable


def composed(expected: str, **fields: Any) -> ObjectDigest:
    """What is made of an answer for two parts: a right one, but for these fields."""
    parts = [Digest(Algorithm.CRC32, bytes([1, 2, 3, i])) for i in range(2)]
    answer = {"digest": bytes([9, 8, 7, 6]), "hex": "09080706-2", "composite": "CQgHBg==-2"}
    wire = pb.ComposeResponse(**{**answer, **fields})
    return _unary.compose_answer(wire, _unary.compose_request(parts, None, expected))


def test_a_value_whose_forms_differ_is_not_believed() -> None:
    assert composed("").raw == bytes([9, 8, 7, 6])
    forgeries: list[dict[str, Any]] = [
        {"digest": b"", "hex": "-2", "composite": "-2"},
        {"digest": b"\x09", "hex": "09-2", "composite": "CQ==-2"},
        *({"hex": text} for text in ("", "09080706", "09080706-3", "09080707-2")),
        *({"composite": text} for text in ("", "CQgHBg==", "CQgHBg==-3", "CQgHBw==-2")),
    ]
    for forgery in forgeries:
        with pytest.raises(HashlaneError, match="broke the contract"):
            composed("", **forgery)


def test_a_verdict_that_contradicts_the_value_is_not_believed() -> None:
    verdicts = (pb.VERDICT_UNSPECIFIED, pb.VERDICT_MATCH, pb.VERDICT_MISMATCH)
    equal = ("09080706", "09080706-2", '"09080706-2"', "CQgHBg==", "CQgHBg==-2", '"CQgHBg=="')
    others = ("09080707", "09080706-3", "CQgHBw==", "CQgHBg==-1", "cqghbg==")
    cases = [("", None), *((text, True) for text in equal), *((text, False) for text in others)]
    for expected, is_match in cases:
        right = verdicts[[None, True, False].index(is_match)]
        assert composed(expected, verdict=right).is_match is is_match
        for wrong_one in set(verdicts) - {right}:
            with pytest.raises(HashlaneError, match="broke the contract"):
                composed(expected, verdict=wrong_one)


def test_health(client: Client) -> None:
    assert client.is_healthy(timeout=PATIENCE)


def test_a_timeout_cancels_a_silent_source(own_server: Callable[..., Server]) -> None:
    own = own_server()
    go_on = threading.Event()

    def source() -> Iterator[bytes]:
        yield pattern(2 * MESSAGE_BYTES)
        go_on.wait(PATIENCE)

    with Client(own.address) as client:
        with pytest.raises(HashlaneError) as caught:
            client.digest(source(), timeout=1.0)
        assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
        until("the part is freed", lambda: own.metric("hashlane_open_jobs") == 0)
        go_on.set()


def test_interleaved_parts(own_server: Callable[..., Server]) -> None:
    """All parts are open at once, on one call, and are written in turn."""
    own = own_server()
    sizes = [100 + 3_700 * i for i in range(64)]
    with Client(own.address) as client, client.open_digest_stream() as stream:
        parts = [stream.part(Algorithm.MD5, Algorithm.SHA256) for _ in sizes]
        for turn in range(5):
            for part, size in zip(parts, sizes, strict=True):
                part.write(pattern(size, turn))
                part.flush()
        until("all are open", lambda: own.metric("hashlane_open_jobs") == 128)
        assert own.metric("hashlane_streams") == 1
        for part, size in reversed(list(zip(parts, sizes, strict=True))):
            data = b"".join(pattern(size, turn) for turn in range(5))
            assert part.finish(timeout=PATIENCE)[Algorithm.SHA256] == sha256(data)


def test_concurrent_writers(client: Client) -> None:
    verdicts: dict[int, bool] = {}

    def write(i: int) -> None:
        data = pattern(1 + i * 30_011, i)
        expected = wrong(sha256(data), i) if i % 3 == 0 else sha256(data)
        with stream.part() as part:
            for at in range(0, len(data), 10_007):
                part.write(data[at : at + 10_007])
            verdicts[i] = part.finish(expected, timeout=PATIENCE).is_match

    with client.open_verify_stream() as stream:
        threads = [threading.Thread(target=write, args=(i,)) for i in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert verdicts == {i: i % 3 != 0 for i in range(64)}
    with pytest.raises(ArgumentError, match="closed"):
        stream.part()


def test_a_part_that_is_forgotten(own_server: Callable[..., Server]) -> None:
    """It does not keep the end of the block waiting."""
    own = own_server("", "--part-idle-timeout=1h")
    answers: list[PartDigest] = []
    begun, go_on = threading.Event(), threading.Event()

    def source() -> Iterator[bytes]:
        yield b"ab"
        go_on.wait(PATIENCE)
        yield b"c"

    def end_block() -> None:
        with client.open_digest_stream() as stream:
            whole = threading.Thread(
                target=lambda: answers.append(stream.digest(source(), timeout=PATIENCE))
            )
            whole.start()
            part = stream.part()
            part.write(bytes(2 * MESSAGE_BYTES))
            until("both are begun", lambda: len(stream._calls[0]._parts._pending) == 2)
            begun.set()
        for call in (part.flush, part.finish):
            with pytest.raises(ArgumentError, match="stream was closed"):
                call()
        answers.append(client.digest(b"", timeout=PATIENCE))

    with Client(own.address) as client:
        thread = threading.Thread(target=end_block, daemon=True)
        thread.start()
        assert begun.wait(PATIENCE)
        go_on.set()
        thread.join(PATIENCE)
        assert [answer.digest for answer in answers] == [sha256(b"abc"), sha256(b"")]


def test_a_pipe_without_a_writer(server: Server, tmp_path: Path) -> None:
    """To open it is within the timeout, too."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    caught: list[BaseException] = []

    def digest() -> None:
        with Client(server.address) as client:
            try:
                client.digest(path, timeout=0.5)
            except HashlaneError as error:
                caught.append(error)

    thread = threading.Thread(target=digest, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert [error.code for error in caught if isinstance(error, HashlaneError)] == [
        grpc.StatusCode.DEADLINE_EXCEEDED
    ]
    # The open ends.
    with open(path, "wb"):
        pass


def test_failures_stay_with_their_part(client: Client) -> None:
    with client.open_verify_stream() as stream:
        good = stream.part(Algorithm.MD5)
        with stream.part() as given_up:
            given_up.write(b"given up")
            given_up.flush()
        with pytest.raises(ArgumentError, match="ended"):
            given_up.finish(sha256(b""))
        stream.part().discard()
        with pytest.raises(ArgumentError, match="not among"):
            stream.part().finish(Digest(Algorithm.MD5, bytes(16)))
        with pytest.raises(HashlaneError) as caught:
            stream.verify(b"abc", sha256(b"abc"), size_bytes=2, timeout=PATIENCE)
        assert caught.value.reason == "SIZE_MISMATCH"
        early = stream.part(size_bytes=1)
        early.write(b"ab")
        early.flush()
        # Without a further write: finish tells the error, whether it came before or comes after.
        with pytest.raises(HashlaneError, match="SIZE_MISMATCH"):
            early.finish(sha256(b"a"), timeout=PATIENCE)
        early.discard()
        good.write(b"abc")
        md5 = Digest.from_hex(Algorithm.MD5, "900150983cd24fb0d6963f7d28e17f72")
        assert good.finish(md5, timeout=PATIENCE).is_match
