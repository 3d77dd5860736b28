from __future__ import annotations

import asyncio
import contextlib
import http.server
import itertools
import os
import random
import subprocess
import threading
import time
import types
from collections import deque
from collections.abc import Callable, Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2

from hashlane import Algorithm, ArgumentError, Client, Digest, HashlaneError, Verification, aio
from hashlane._options import QUEUE_MAX
from hashlane._source import Gather
from hashlane._wire import MESSAGE_BYTES
from hashlane.v1 import hash_service_pb2 as pb
from tests.support import MIB, PATIENCE, Fake, Server, free_address, pattern, sha256, until, wrong

COUNT = 1000
DATA = pattern(300_000, 1)

StartServer = Callable[..., Server]
Verify = Callable[[bytes, Digest], Verification]


class Kills:
    """Two servers: the first is killed in mid-run and started again, then the other one drains."""

    def __init__(self, start: StartServer) -> None:
        self._start = start
        self.first, self.second = start(), start()
        self._answered = itertools.count(1)

    def answered(self) -> None:
        """One part is."""
        match next(self._answered):
            case 250:
                assert self.first.metric('hashlane_parts_total{rpc="Verify"') > 0
                self.first.kill()
            case 750:
                self._start(self.first.address)
                self.second.drain()


def part(i: int) -> tuple[bytes, Digest, bool]:
    """Every third part is expected to have another digest."""
    data = DATA[i : 40_000 + i * 80]
    is_wrong = i % 3 == 0
    return data, wrong(sha256(data), i) if is_wrong else sha256(data), not is_wrong


def thousand(kills: Kills, verify: Verify) -> None:
    def one(i: int) -> bool:
        data, expected, is_right = part(i)
        answer = verify(data, expected)
        kills.answered()
        return answer.is_match is is_right and answer.size_bytes == len(data)

    with futures.ThreadPoolExecutor(16) as pool:
        assert list(pool.map(one, range(COUNT))) == [True] * COUNT
    assert kills.second.wait() == 0


def test_servers_go_during_calls(own_server: StartServer) -> None:
    kills = Kills(own_server)
    with Client(kills.first.address, kills.second.address) as client:
        thousand(kills, lambda data, digest: client.verify(data, digest, timeout=PATIENCE))


def test_servers_go_during_streams(own_server: StartServer) -> None:
    kills = Kills(own_server)
    with (
        Client(kills.first.address, kills.second.address) as client,
        client.open_verify_stream() as one,
        client.open_verify_stream() as two,
    ):

        def verify(data: bytes, digest: Digest) -> Verification:
            return random.choice((one, two)).verify(data, digest, timeout=PATIENCE)

        thousand(kills, verify)


def test_parts_of_a_draining_stream(server: Server, own_server: StartServer) -> None:
    """New parts go to another server; those that are open finish where they are."""
    first = own_server()
    with Client(first.address, server.address) as client, client.open_digest_stream() as stream:
        begun = stream.part()
        begun.write(b"a")
        begun.flush()
        until("the part is open", lambda: first.metric("hashlane_open_jobs") == 1)
        first.drain()
        until("the drain has begun", lambda: not is_accepting(first))
        for seed in range(5):
            data = pattern(1000, seed)
            assert stream.digest(data, timeout=PATIENCE).digest == sha256(data)
        begun.write(b"bc")
        assert begun.finish(timeout=PATIENCE).digest == sha256(b"abc")
    assert first.wait() == 0


def is_accepting(server: Server) -> bool:
    import socket

    host, _, port = server.address.partition(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except ConnectionError:
        return False
    return True


def test_what_is_read_again(server: Server, fake: Fake, tmp_path: Path) -> None:
    data = pattern(2 * MESSAGE_BYTES, 2)
    # What was never read can be.
    with Client(free_address(), free_address(), server.address) as client:
        assert client.digest(iter([data]), timeout=PATIENCE).digest == sha256(data)
    path = tmp_path / "file"
    path.write_bytes(b"before" + data)
    with Client(fake.address) as client:
        fake.refuse = 2
        with open(path, "rb") as file:
            file.seek(6)
            assert client.digest(file, timeout=PATIENCE).digest == sha256(data)
        assert fake.calls == 3
        fake.refuse = 1
        assert client.digest([data, data], timeout=PATIENCE).digest == sha256(data * 2)
        assert fake.calls == 5
        fake.refuse = 1
        with client.open_digest_stream() as stream:
            assert stream.digest(path, timeout=PATIENCE).digest == sha256(b"before" + data)
        assert fake.calls == 7
        fake.refuse = 1
        with pytest.raises(HashlaneError) as caught:
            client.digest(iter([data]), timeout=PATIENCE)
        assert (caught.value.reason, caught.value.retry_after) == ("SERVER_BUSY", 0.001)
        assert caught.value.is_retryable
        assert fake.calls == 8, "what cannot be read again was sent again"


@contextlib.contextmanager
def piped(data: bytes) -> Iterator[Path]:
    """The path of a pipe that gives these bytes, once."""
    reader, writer = os.pipe()

    def fill() -> None:
        with open(writer, "wb") as pipe:
            pipe.write(data)

    filling = threading.Thread(target=fill)
    filling.start()
    try:
        yield Path(f"/dev/fd/{reader}")
    finally:
        os.close(reader)
        filling.join()


def test_a_pipe_is_read_once_whatever_its_path(server: Server, fake: Fake) -> None:
    data = pattern(2 * MESSAGE_BYTES, 2)
    with Client(free_address(), free_address(), server.address) as client, piped(data) as path:
        assert client.digest(path, timeout=PATIENCE).digest == sha256(data)
    with Client(fake.address) as client, client.open_digest_stream() as stream:
        for digest in (client.digest, stream.digest):
            fake.refuse = 1
            with piped(data) as path, pytest.raises(HashlaneError, match="SERVER_BUSY"):
                digest(path, timeout=PATIENCE)
            # One message is kept.
            fake.refuse = 1
            with piped(data[:1000]) as path:
                assert digest(path, timeout=PATIENCE).digest == sha256(data[:1000])


def test_an_iterable_is_read_once_unless_it_is_a_sequence(fake: Fake) -> None:
    class Response:
        """Iterated again it goes on where it was left, as requests.Response does."""

        def __init__(self) -> None:
            self.pieces = iter([pattern(MESSAGE_BYTES, 2), pattern(MESSAGE_BYTES, 3)])

        def __iter__(self) -> Iterator[bytes]:
            yield from self.pieces

    class Progress(Response):
        """Has a length too, as tqdm has."""

        def __len__(self) -> int:
            return 2

        def __contains__(self, piece: object) -> bool:
            return False

    with Client(fake.address) as client:
        for source in (Response(), Progress()):
            fake.refuse = 1
            with pytest.raises(HashlaneError, match="SERVER_BUSY"):
                client.digest(source, timeout=PATIENCE)


# Flags of a server that takes 3 blobs of a batch, and of one that takes 1,000 digests.
FEW_BLOBS = ("--batch-blobs-max=3", "--message-bytes-max=64KiB")
FEW_DIGESTS = ("--batch-blobs-max=1000", "--message-bytes-max=1MiB", "--unary-bytes-max=1MiB")


def test_a_batch_asks_for_limits_again(own_server: StartServer) -> None:
    first = own_server()
    many, large = [b"abc"] * 10, [pattern(60_000)] * 2
    with Client(first.address) as one, Client(first.address) as other:
        for client in (one, other):
            client.digest_batch([b"abc"], timeout=PATIENCE)
        first.kill()
        own_server(first.address, *FEW_BLOBS)
        for client, blobs in ((one, many), (other, large)):
            answers = client.digest_batch(blobs, timeout=PATIENCE)
            assert [answer.digest for answer in answers] == [sha256(blob) for blob in blobs]


def test_a_batch_has_as_many_digests_as_the_server_takes(own_server: StartServer) -> None:
    own = own_server("", *FEW_DIGESTS)
    with Client(own.address) as client:
        wanted = (Algorithm.SHA256, Algorithm.MD5, Algorithm.CRC32)
        answers = client.digest_batch([b"abc"] * 1000, *wanted, timeout=PATIENCE)
        assert [answer.digest for answer in answers] == [sha256(b"abc")] * 1000


def slow_requests(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """By the client's clock each takes a hundred seconds. The seconds that each had left."""
    now = 0.0
    left: list[float] = []

    def later(context: grpc.ServicerContext) -> None:
        nonlocal now
        now += 100.0
        left.append(context.time_remaining())

    clock = types.SimpleNamespace(monotonic=lambda: now)
    monkeypatch.setattr("hashlane._pool.time", clock)
    fake.limits.batch_blobs_max = 2
    fake.on_unary = later
    return left


def test_a_batch_has_one_timeout(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    left = slow_requests(fake, monkeypatch)
    with Client(fake.address) as client:
        client.digest_batch([b"", b"abc", b""], timeout=1000.0)
    assert all(seconds < 1050.0 - 100.0 * turn for turn, seconds in enumerate(left))
    assert len(left) == 3


def test_finish_has_a_timeout_where_nothing_can_be_sent(fake: Fake) -> None:
    fake.is_reading.clear()
    with Client(fake.address) as client, futures.ThreadPoolExecutor() as pool:
        stream = client.open_digest_stream()
        small, large = stream.part(), stream.part()
        small.write(b"abc")

        def write() -> None:
            """How much gRPC and the kernel buffer depends on the machine."""
            while True:
                large.write(bytes(8 * MIB))

        writing = pool.submit(write)
        queue, lengths = stream._calls[0]._queue, deque[int](maxlen=20)

        def stays_full() -> bool:
            """gRPC takes no message from it any more."""
            lengths.append(len(queue))
            return list(lengths) == [QUEUE_MAX] * 20

        until("the queue stays full", stays_full)
        finishing = pool.submit(small.finish, timeout=0.5)
        try:
            with pytest.raises(HashlaneError) as caught:
                finishing.result(PATIENCE)
            assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
            assert not writing.done()
        finally:
            fake.is_reading.set()
            stream.cancel()
            with pytest.raises(HashlaneError, match="CANCELLED"):
                writing.result(PATIENCE)


def test_a_slow_source_is_not_read_beyond_the_timeout(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each piece takes a hundred seconds, by the client's clock."""
    now = 0.0

    def source() -> Iterator[bytes]:
        nonlocal now
        for _ in range(5):
            now += 100.0
            yield pattern(MESSAGE_BYTES)

    clock = types.SimpleNamespace(monotonic=lambda: now)
    monkeypatch.setattr("hashlane._pool.time", clock)
    with Client(server.address) as client, client.open_digest_stream() as stream:
        with pytest.raises(HashlaneError) as caught:
            stream.digest(source(), timeout=150.0)
        assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert now == 200.0


def unreadable_details() -> Iterator[bytes]:
    """Of statuses: no message at all, a detail that is none, and a delay beyond bounds."""
    yield b"\xff"
    name = "type.googleapis.com/google.rpc.ErrorInfo"
    inner = any_pb2.Any(type_url=name, value=b"\xff")
    yield status_pb2.Status(details=[inner]).SerializeToString()
    inner.Pack(error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=1 << 62)))
    yield status_pb2.Status(details=[inner]).SerializeToString()


def test_details_that_cannot_be_read_are_left_out(fake: Fake) -> None:
    with Client(fake.address, retry_seconds=PATIENCE) as client:
        for fake.details in unreadable_details():
            fake.refuse = 1
            assert client.digest(b"abc", timeout=PATIENCE).digest == sha256(b"abc")
            fake.refuse = 1
            with client.open_digest_stream() as stream:
                assert stream.digest(b"abc", timeout=PATIENCE).digest == sha256(b"abc")
    with Client(fake.address, retry_seconds=0) as client:
        fake.refuse = 1
        with pytest.raises(HashlaneError, match="the proxy lost its server") as caught:
            client.digest(b"abc", timeout=PATIENCE)
        assert caught.value.code is grpc.StatusCode.UNAVAILABLE
        assert (caught.value.reason, caught.value.retry_after) == ("", 0.0)


def test_a_part_that_met_a_wrong_kernel_is_sent_again(fake: Fake) -> None:
    data = pattern(2 * MESSAGE_BYTES, 3)
    with Client(fake.address) as client:
        fake.fault = 1
        assert client.digest(data, timeout=PATIENCE).digest == sha256(data)
        assert fake.calls == 2
        fake.fault = 1
        with pytest.raises(HashlaneError) as caught:
            client.digest(iter([data]), timeout=PATIENCE)
        assert (caught.value.reason, caught.value.is_retryable) == ("KERNEL_FAULT", True)


def test_a_server_with_a_faulty_kernel_rests(server: Server, fake: Fake) -> None:
    """It rests ever longer, however its parts are sent, and another one gets them."""
    data = pattern(1000, 4)
    fake.fault = 10**9
    with Client(fake.address, retry_seconds=0.5) as client, client.open_digest_stream() as stream:
        for digest in (client.digest, stream.digest):
            fake.calls = 0
            with pytest.raises(HashlaneError, match="KERNEL_FAULT"):
                digest(data, timeout=PATIENCE)
            assert 1 <= fake.calls <= 20
    fake.calls = 0
    with Client(fake.address, server.address) as client, client.open_digest_stream() as stream:
        for _ in range(100):
            for digest in (client.digest, stream.digest):
                assert digest(data, timeout=PATIENCE).digest == sha256(data)
    assert fake.calls <= 20


class Pausing:
    """A source that can be read again. The first time it pauses until the server has had enough."""

    def __init__(self, own: Server) -> None:
        self._own = own
        self._is_first = True
        self.at = 0

    def tell(self) -> int:
        return self.at

    def seek(self, at: int) -> None:
        self.at = at

    def read(self, size: int) -> bytes:
        if self.at and self._is_first:
            self._is_first = False
            until("the call is over", lambda: self._own.metric("hashlane_streams") == 0)
        piece = DATA[self.at : self.at + min(size, 200_000)]
        self.at += len(piece)
        return piece


class Impatient(Gather):
    """Sends each piece."""

    def add(self, piece: Any) -> Iterator[memoryview | bytes]:
        yield from super().add(piece)
        if rest := self.rest():
            yield rest


def test_a_source_that_paused_is_sent_again(
    own_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hashlane._source.Gather", Impatient)
    own = own_server("", "--part-idle-timeout=100ms")
    with Client(own.address) as client, client.open_digest_stream() as stream:
        for digest in (client.digest, stream.digest):
            assert digest(Pausing(own), timeout=PATIENCE).digest == sha256(DATA)
        # Nobody is at fault.
        assert client._pool.wait_seconds() == 0.0
        with pytest.raises(HashlaneError, match="STREAM_IDLE"):
            client.digest(iter_of(Pausing(own)), timeout=PATIENCE)

    async def main() -> None:
        async with aio.Client(own.address) as client, client.open_digest_stream() as stream:
            for digest in (client.digest, stream.digest):
                assert (await digest(Pausing(own), timeout=PATIENCE)).digest == sha256(DATA)

    asyncio.run(main())


def iter_of(source: Pausing) -> Iterator[bytes]:
    while piece := source.read(MESSAGE_BYTES):
        yield piece


def test_retries_are_bounded(fake: Fake) -> None:
    fake.refuse = 100
    with Client(fake.address, retry_seconds=0) as client:
        with pytest.raises(HashlaneError, match="SERVER_BUSY"):
            client.digest(b"", timeout=PATIENCE)
        assert fake.calls == 1
    with Client(fake.address, retry_seconds=0.5) as client:
        with pytest.raises(HashlaneError, match="SERVER_BUSY"):
            client.digest(b"", timeout=PATIENCE)
        assert 3 <= fake.calls <= 20
    # A timeout ends the wait, and the error says what was awaited.
    with Client(free_address(), retry_seconds=3600) as client:
        with pytest.raises(HashlaneError) as caught:
            client.server_info(timeout=1.0)
        assert caught.value.code in (
            grpc.StatusCode.UNAVAILABLE,
            grpc.StatusCode.DEADLINE_EXCEEDED,
        )


def test_a_health_check_is_not_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(_: float) -> None:
        raise AssertionError("it waits for a retry")

    monkeypatch.setattr("hashlane.client.time", types.SimpleNamespace(sleep=sleep))
    with Client(free_address(), retry_seconds=3600) as client:
        with pytest.raises(HashlaneError) as caught:
            client.is_healthy()
        assert caught.value.code is grpc.StatusCode.UNAVAILABLE

    async def check() -> None:
        async with aio.Client(free_address(), retry_seconds=3600) as other:
            await asyncio.wait_for(other.is_healthy(), PATIENCE)

    with pytest.raises(HashlaneError, match="UNAVAILABLE"):
        asyncio.run(check())


def test_a_health_check_asks_each_endpoint(server: Server) -> None:
    endpoints = (free_address(), free_address(), server.address)
    with Client(*endpoints) as client:
        assert client.is_healthy(timeout=PATIENCE)

    async def check() -> None:
        async with aio.Client(*endpoints) as other:
            assert await other.is_healthy(timeout=PATIENCE)

    asyncio.run(check())


def _match(answer: pb.VerifyResponse) -> None:
    answer.verdict = pb.VERDICT_MATCH


def _match_digest(answer: pb.VerifyResponse) -> None:
    answer.verdicts[0].verdict = pb.VERDICT_MATCH


def _other_expected(answer: pb.VerifyResponse) -> None:
    answer.verdicts[0].expected = answer.verdicts[0].computed


def _nothing(answer: pb.VerifyResponse) -> None:
    del answer.verdicts[:]
    answer.verdict = pb.VERDICT_MATCH


def _other_length(answer: pb.VerifyResponse) -> None:
    answer.size_bytes += 1


def _other_algorithm(answer: pb.VerifyResponse) -> None:
    answer.verdicts[0].algorithm = pb.ALGORITHM_BLAKE3


def test_answers_are_checked(fake: Fake) -> None:
    """A verdict that contradicts its digests is no answer."""
    with Client(fake.address) as client:
        forgeries = (_match, _match_digest, _other_expected, _nothing, _other_length)
        for fake.forge in (*forgeries, _other_algorithm):
            with pytest.raises(HashlaneError, match="broke the contract") as caught:
                client.verify(b"abc", sha256(b"other"), timeout=PATIENCE)
            assert caught.value.code is grpc.StatusCode.INTERNAL
        fake.forge = lambda _: None
        assert client.verify(b"abc", sha256(b"abc"), timeout=PATIENCE).is_match


def test_token(fake: Fake) -> None:
    tokens = iter(["first", "second"])
    with Client(fake.address, token=lambda: next(tokens)) as client:
        client.digest(b"", timeout=PATIENCE)
        with client.open_digest_stream() as stream:
            stream.digest(b"", timeout=PATIENCE)
    assert fake.authorization == ["Bearer first", "Bearer second"]
    for endpoint in ("192.0.2.1:50051", "http://hashlane.example:50051"):
        with pytest.raises(HashlaneError, match="in the clear") as caught:
            Client(endpoint, token="secret")
        assert "secret" not in str(caught.value)
        Client(endpoint, token="secret", insecure_token=True).close()
    local = ["127.0.0.1:1", "[::1]:1", "localhost:1", "unix:/run/x"]
    for endpoint in ["https://hashlane.example:50052", *local]:
        Client(endpoint, token="secret").close()


def test_a_token_that_no_header_can_have(fake: Fake) -> None:
    """It is refused before a call, and not shown."""
    bad: list[Any] = ["secret\n", "two secrets", "", "secr\u00e9t", b"secret", 5]
    for token in bad:
        for make in (Client, _in_a_loop):
            with pytest.raises(ArgumentError, match="a token is") as caught:
                make(fake.address, token=token)
            assert "secr" not in str(caught.value)
    for token in [*bad, None]:
        with Client(fake.address, token=lambda token=token: token) as client:
            for call in (client.server_info, lambda client=client: client.digest(b"")):
                with pytest.raises(ArgumentError, match="a token is"):
                    call()
            with client.open_digest_stream() as stream, pytest.raises(ArgumentError, match="token"):
                stream.part()
    assert fake.calls == 0


def _in_a_loop(*endpoints: Any, **options: Any) -> None:
    async def make() -> None:
        aio.Client(*endpoints, **options)

    asyncio.run(make())


@pytest.mark.parametrize("port", [1, 65535])
def test_ports(port: int) -> None:
    for host in ("host", "https://host-1.example", "[::1]", "127.0.0.1"):
        Client(f"{host}:{port}").close()


@pytest.mark.parametrize(
    "endpoint",
    [
        *("", "host", "ftp://host:1", "http://", "unix:", "host:", ":1"),
        # gRPC would connect to port 52051.
        *(
            "127.0.0.1:117587",
            "host:65536",
            "host:0",
            "host:-1",
            "host:\u0661",
            "host:1" + "0" * 5000,
        ),
        *("http://host:1/path", "host:1?x=1", "user@host:1", "host :1", "ho#st:1", "host:1\n"),
    ],
)
def test_endpoints(endpoint: str) -> None:
    with pytest.raises(ValueError, match="invalid endpoint"):
        Client(endpoint)


def test_settings() -> None:
    pem = b"-----BEGIN CERTIFICATE-----"
    wrong_ones: list[dict[str, Any]] = [
        {"connections": 0},
        {"retry_seconds": -1.0},
        {"ca": b"no PEM"},
        {"key": pem},
        {"ca": "-----BEGIN CERTIFICATE-----"},
    ]
    for settings in wrong_ones:
        with pytest.raises(ValueError, match=next(iter(settings))):
            Client("https://host:1", **settings)
    with pytest.raises(ValueError, match="no endpoint"):
        Client()
    for bad in (None, ["host:1"], b"host:1"):
        with pytest.raises(ArgumentError, match="is no endpoint"):
            Client(bad)  # type: ignore[arg-type]
    # Certificates are not given up in silence.
    with pytest.raises(ValueError, match="https"):
        Client("host:1", ca=pem)


def _issue(folder: Path, name: str, ca: str | None, *extensions: str) -> None:
    """A certificate and its key, by itself or by an authority."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-subj", f"/CN={name}", "-days", "2"]
    command += ["-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.pem")]
    if ca:
        command += ["-CA", str(folder / f"{ca}.pem"), "-CAkey", str(folder / f"{ca}.key")]
    for extension in extensions:
        command += ["-addext", extension]
    subprocess.run(command, check=True, capture_output=True)


def test_tls(own_server: StartServer, tmp_path: Path) -> None:
    for authority in ("ca", "stranger"):
        _issue(tmp_path, authority, None)
    _issue(tmp_path, "server", "ca", "subjectAltName=IP:127.0.0.1", "basicConstraints=CA:FALSE")
    extensions = ("subjectAltName=DNS:backup", "extendedKeyUsage=clientAuth")
    _issue(tmp_path, "client", "ca", *extensions, "basicConstraints=CA:FALSE")
    secure = free_address()
    files = {"certificate": "server.pem", "key": "server.key", "client-ca": "ca.pem"}
    flags = [f"--tls-{name}={tmp_path / file}" for name, file in files.items()]
    own_server("", f"--tls-listen={secure}", "--tls-client-certificates=required", *flags)
    endpoint = f"https://{secure}"
    ca = (tmp_path / "ca.pem").read_bytes()
    own: dict[str, Any] = {
        "certificate": (tmp_path / "client.pem").read_bytes(),
        "key": (tmp_path / "client.key").read_bytes(),
    }
    data = pattern(MIB, 3)
    with Client(endpoint, ca=ca, token="t", **own) as client:
        assert client.digest(data, timeout=PATIENCE).digest == sha256(data)
    without = Client(endpoint, ca=ca, retry_seconds=0)
    with without, pytest.raises(HashlaneError, match="UNAVAILABLE"):
        without.digest(data, timeout=PATIENCE)
    stranger = (tmp_path / "stranger.pem").read_bytes()
    _issue(tmp_path, "other", "ca", "subjectAltName=DNS:other", "basicConstraints=CA:FALSE")
    misnamed = free_address()
    files = {"certificate": "other.pem", "key": "other.key"}
    flags = [f"--tls-{name}={tmp_path / file}" for name, file in files.items()]
    own_server("", f"--tls-listen={misnamed}", *flags)
    # A retry could not help: there is none.
    for made, advice in (
        (Client(endpoint, ca=stranger, retry_seconds=3600, **own), "name the roots"),
        (Client(endpoint, retry_seconds=3600, **own), "name the roots"),
        (Client(endpoint, endpoint, retry_seconds=3600, **own), "name the roots"),
        (
            Client(f"https://{misnamed}", ca=ca, retry_seconds=3600, **own),
            "a name of the server's certificate",
        ),
    ):
        with made, made.open_digest_stream() as stream:
            for digest in (made.digest, stream.digest):
                with pytest.raises(HashlaneError, match=advice) as caught:
                    digest(data, timeout=PATIENCE)
                assert caught.value.code is grpc.StatusCode.UNAVAILABLE
                assert not caught.value.is_retryable
    # Another endpoint has a certificate that is right.
    with Client(f"https://{misnamed}", endpoint, ca=ca, **own) as client:
        for _ in range(4):
            assert client.digest(data, timeout=PATIENCE).digest == sha256(data)


def test_a_proxy_that_cannot_connect_is_no_wrong_setup() -> None:
    told = "upstream connect error, transport failure reason: TLS_error:CERTIFICATE_VERIFY_FAILED"
    error = HashlaneError(grpc.StatusCode.UNAVAILABLE, told)
    assert error.is_retryable
    assert not error.is_of_setup


class _Http1(http.server.BaseHTTPRequestHandler):
    """A server of the web."""

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass


def test_a_port_of_another_protocol() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Http1) as web:
        threading.Thread(target=web.serve_forever).start()
        for scheme, advice in (("http", "does not speak HTTP/2"), ("https", "has no TLS")):
            endpoint = f"{scheme}://127.0.0.1:{web.server_port}"
            with Client(endpoint, retry_seconds=3600) as client:
                with pytest.raises(HashlaneError, match=advice) as caught:
                    client.server_info(timeout=PATIENCE)
                assert not caught.value.is_retryable

                async def ask(endpoint: str = endpoint) -> None:
                    async with aio.Client(endpoint, retry_seconds=3600) as other:
                        await other.server_info(timeout=PATIENCE)

                with pytest.raises(HashlaneError, match=advice):
                    asyncio.run(ask())
        web.shutdown()


def test_a_source_is_not_read_by_two_attempts(fake: Fake) -> None:
    """An attempt that is over, and still reads, takes nothing from the next one."""

    class Slow:
        """Its first read returns only after the server is gone."""

        def __init__(self) -> None:
            self.at = 0
            self.readers = 0
            self.first = threading.Event()

        def tell(self) -> int:
            return self.at

        def seek(self, at: int) -> None:
            self.at = at

        def read(self, size: int) -> bytes:
            self.readers += 1
            assert self.readers == 1, "two read at once"
            if not self.first.is_set():
                self.first.set()
                broken.is_reading.set()
                time.sleep(0.2)
            piece = DATA[self.at : self.at + size]
            self.at += len(piece)
            self.readers -= 1
            return piece

    broken = Fake()
    broken.is_gone = True
    broken.is_reading.clear()
    with Client(broken.address, fake.address) as client:
        assert client.digest(Slow(), timeout=PATIENCE).digest == sha256(DATA)
    broken.stop()
