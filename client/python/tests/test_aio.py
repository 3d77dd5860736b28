from __future__ import annotations

import asyncio
import functools
import io
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest

from hashlane import Algorithm, ArgumentError, Digest, HashlaneError, Verification
from hashlane._source import AsyncSource
from hashlane._wire import MESSAGE_BYTES
from hashlane.aio import Client
from tests.support import MIB, PATIENCE, Fake, Server, pattern, sha256, until, wrong
from tests.test_client import COMPOSITE, ETAG, LENGTHS
from tests.test_faults import (
    COUNT,
    FEW_BLOBS,
    FEW_DIGESTS,
    Kills,
    part,
    piped,
    slow_requests,
    unreadable_details,
)

StartServer = Callable[..., Server]


def is_more(server: Server, metric: str, than: float) -> bool:
    return server.metric(metric) > than


async def wait(what: str, condition: Callable[[], bool]) -> None:
    await asyncio.to_thread(until, what, condition)


@pytest.fixture
async def client(server: Server) -> AsyncIterator[Client]:
    async with Client(server.address) as made:
        yield made


async def test_digest_of_bytes(client: Client) -> None:
    for length in LENGTHS:
        data = pattern(length, 1)
        answer = await client.digest(data, Algorithm.SHA256, Algorithm.MD5, timeout=PATIENCE)
        assert (answer.digest, answer.size_bytes) == (sha256(data), length)


async def test_sources(client: Client, tmp_path: Path) -> None:
    data = pattern(5 * MIB, 2)
    path = tmp_path / "file"
    path.write_bytes(data)
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    pieces = [data[at : at + 10_007] for at in range(0, len(data), 10_007)]

    async def generate() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    sources: list[Any] = [bytearray(data), path, io.BytesIO(data), pieces, reader, generate()]
    for source in sources:
        answer = await client.digest(source, size_bytes=len(data), timeout=PATIENCE)
        assert answer.digest == sha256(data)
    async with client.open_digest_stream() as stream:
        for source in (path, generate(), pieces):
            assert (await stream.digest(source, timeout=PATIENCE)).digest == sha256(data)
    with pytest.raises(ArgumentError, match="source"):
        await client.digest("a path?", timeout=PATIENCE)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        await client.digest(tmp_path / "missing", timeout=PATIENCE)
    assert (await client.verify(b"abc", sha256(b"abc").hex, timeout=PATIENCE)).is_match


def test_a_client_needs_a_loop() -> None:
    with pytest.raises(ArgumentError, match="no event loop"):
        Client("127.0.0.1:1")


def test_a_client_of_another_loop(server: Server) -> None:
    made: list[Client] = []
    streams: list[Any] = []

    async def make() -> None:
        made.append(Client(server.address))
        streams.append(made[0].open_digest_stream())
        await streams[0].digest(b"")

    async def use() -> None:
        client, stream = made[0], streams[0]
        calls: list[Callable[[], Any]] = [
            lambda: client.digest(b""),
            lambda: stream.digest(b""),
            stream.part,
            client.server_info,
            client.is_healthy,
        ]
        for call in calls:
            with pytest.raises(ArgumentError, match="another event loop"):
                await asyncio.wait_for(call(), PATIENCE)

    first = asyncio.new_event_loop()
    first.run_until_complete(make())
    second = asyncio.new_event_loop()
    second.run_until_complete(use())
    second.close()
    first.run_until_complete(made[0].close())
    first.close()


async def test_timeouts_at_their_bounds(client: Client) -> None:
    async with client.open_digest_stream() as stream:
        for timeout in (float("inf"), 7.5e9, 1e300):
            for digest in (client.digest, stream.digest):
                assert (await digest(b"abc", timeout=timeout)).digest == sha256(b"abc")
            await client.server_info(timeout=timeout)
        calls: list[Callable[[], Any]] = [
            lambda: client.digest(b"", timeout=0),
            lambda: stream.digest(b"", timeout=0),
            lambda: client.server_info(timeout=0),
            lambda: client.digest_batch([b""], timeout=0),
        ]
        for call in calls:
            with pytest.raises(HashlaneError) as caught:
                await call()
            assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_verify(client: Client) -> None:
    data = pattern(200_000, 3)
    assert (await client.verify(data, sha256(data), timeout=PATIENCE)).is_match
    assert not (await client.verify(data, wrong(sha256(data)), timeout=PATIENCE)).is_match
    assert (await client.verify(b"", sha256(b""), timeout=PATIENCE)).is_match


async def test_unary(client: Client) -> None:
    blobs = [pattern(5 * MIB, 4), *(pattern(i % 100, i) for i in range(11_000))]
    answers = await client.digest_batch(blobs, timeout=PATIENCE)
    assert [answer.digest for answer in answers] == [sha256(blob) for blob in blobs]
    parts = [letter * (5 * MIB) for letter in (b"A", b"B", b"C")]
    wanted = (Algorithm.SHA256, Algorithm.MD5)
    digests = [await client.digest(each, *wanted, timeout=PATIENCE) for each in parts]
    shas, md5s = ([answer[algorithm] for answer in digests] for algorithm in wanted)
    digest = await client.compose(shas, expected=COMPOSITE, timeout=PATIENCE)
    assert (digest.base64, digest.is_match) == (COMPOSITE, True)
    assert (await client.compose(md5s, timeout=PATIENCE)).etag == ETAG
    assert (await client.server_info(timeout=PATIENCE)).limits.batch_blobs_max == 10_000
    assert await client.is_healthy(timeout=PATIENCE)


async def test_a_truncated_source_has_no_digest(own_server: StartServer) -> None:
    own = own_server()

    async def source() -> AsyncIterator[bytes]:
        yield pattern(2 * MESSAGE_BYTES)
        await wait("the part is open", lambda: own.metric("hashlane_open_jobs") == 1)
        raise OSError("the disk is gone")

    def blocking() -> Iterator[bytes]:
        yield pattern(2 * MESSAGE_BYTES)
        until("the part is open", lambda: own.metric("hashlane_open_jobs") == 1)
        raise OSError("the disk is gone")

    sources: list[Any] = [source(), blocking()]
    cancelled = 'hashlane_parts_total{rpc="Digest",outcome="cancelled"'
    async with Client(own.address) as client:
        for broken in sources:
            before = own.metric(cancelled)
            with pytest.raises(OSError, match="the disk is gone"):
                await client.digest(broken, timeout=PATIENCE)
            over = functools.partial(is_more, own, cancelled, before)
            await wait("the call is over", over)
        assert own.metric('hashlane_parts_total{rpc="Digest",outcome="digest"') == 0


async def test_cancel(own_server: StartServer) -> None:
    """Of a lone part, and of one of a stream whose other parts go on."""
    own = own_server()

    async def silent() -> AsyncIterator[bytes]:
        yield pattern(2 * MESSAGE_BYTES)
        await asyncio.sleep(PATIENCE)

    async with Client(own.address) as client:
        lone = asyncio.create_task(client.digest(silent()))
        await wait("the part is open", lambda: own.metric("hashlane_open_jobs") == 1)
        lone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await lone
        await wait("the part is freed", lambda: own.metric("hashlane_open_jobs") == 0)
        async with client.open_digest_stream() as stream:
            good = await stream.part()
            await good.write(b"ab")
            await good.flush()
            other = asyncio.create_task(stream.digest(silent()))
            await wait("both are open", lambda: own.metric("hashlane_open_jobs") == 2)
            other.cancel()
            with pytest.raises(asyncio.CancelledError):
                await other
            await wait("one is freed", lambda: own.metric("hashlane_open_jobs") == 1)
            with pytest.raises(HashlaneError) as caught:
                await stream.digest(silent(), timeout=0.5)
            assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
            await good.write(b"c")
            assert (await good.finish()).digest == sha256(b"abc")


async def test_concurrent_writers(own_server: StartServer) -> None:
    own = own_server()
    async with Client(own.address) as client:

        async def write(i: int) -> bool:
            data = pattern(1 + i * 30_011, i)
            expected = wrong(sha256(data), i) if i % 3 == 0 else sha256(data)
            async with await stream.part() as begun:
                for at in range(0, len(data), 10_007):
                    await begun.write(data[at : at + 10_007])
                return (await begun.finish(expected)).is_match

        async with client.open_verify_stream() as stream:
            verdicts = await asyncio.gather(*map(write, range(64)))
            assert own.metric("hashlane_streams") == 1
        assert verdicts == [i % 3 != 0 for i in range(64)]
        with pytest.raises(ArgumentError, match="closed"):
            await stream.part()


async def test_failures_stay_with_their_part(client: Client) -> None:
    async with client.open_verify_stream() as stream:
        good = await stream.part(Algorithm.MD5)
        async with await stream.part() as given_up:
            await given_up.write(b"given up")
            await given_up.flush()
        with pytest.raises(ArgumentError, match="ended"):
            await given_up.finish(sha256(b""))
        (await stream.part()).discard()
        with pytest.raises(HashlaneError, match="SIZE_MISMATCH"):
            await stream.verify(b"abc", sha256(b"abc"), size_bytes=2, timeout=PATIENCE)
        await good.write(b"abc")
        md5 = Digest.from_hex(Algorithm.MD5, "900150983cd24fb0d6963f7d28e17f72")
        assert (await good.finish(md5)).is_match


async def thousand(kills: Kills, verify: Callable[[bytes, Digest], Any]) -> None:
    turns = asyncio.Semaphore(32)

    async def one(i: int) -> bool:
        data, expected, is_right = part(i)
        async with turns:
            answer: Verification = await verify(data, expected)
        await asyncio.to_thread(kills.answered)
        return answer.is_match is is_right and answer.size_bytes == len(data)

    assert await asyncio.gather(*map(one, range(COUNT))) == [True] * COUNT
    assert await asyncio.to_thread(kills.second.wait) == 0


async def test_servers_go_during_calls(own_server: StartServer) -> None:
    kills = Kills(own_server)
    async with Client(kills.first.address, kills.second.address) as client:
        await thousand(kills, lambda data, digest: client.verify(data, digest, timeout=PATIENCE))


async def test_servers_go_during_streams(own_server: StartServer) -> None:
    kills = Kills(own_server)
    async with (
        Client(kills.first.address, kills.second.address) as client,
        client.open_verify_stream() as stream,
    ):
        await thousand(kills, lambda data, digest: stream.verify(data, digest, timeout=PATIENCE))


async def test_sources_that_block_keep_no_other_waiting(server: Server, tmp_path: Path) -> None:
    """Nor what else runs in threads."""
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    pipes = [os.pipe() for _ in range(40)]
    readers = [os.fdopen(reader, "rb") for reader, _ in pipes]
    async with Client(server.address) as client:
        idle = [asyncio.create_task(client.digest(reader)) for reader in readers]
        while threads_of_sources() < len(pipes):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        assert (await client.digest(path, timeout=PATIENCE)).digest == sha256(b"abc")
        assert await asyncio.wait_for(asyncio.to_thread(int, "1"), PATIENCE) == 1
        for _, writer in pipes:
            os.close(writer)
        for answer in await asyncio.gather(*idle):
            assert answer.digest == sha256(b"")
    for reader in readers:
        reader.close()
    await wait("the threads have ended", lambda: threads_of_sources() == 0)


def threads_of_sources() -> int:
    return sum(thread.name == "hashlane source" for thread in threading.enumerate())


async def test_what_is_read_again(fake: Fake) -> None:
    data = pattern(2 * MESSAGE_BYTES, 5)

    async def once() -> AsyncIterator[bytes]:
        yield data

    class Response:
        """Iterated again it goes on where it was left, as responses over HTTP do."""

        def __init__(self) -> None:
            self.pieces = once()

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self.pieces:
                yield piece

    async with Client(fake.address) as client:
        fake.refuse = 2
        assert (await client.digest(io.BytesIO(data), timeout=PATIENCE)).digest == sha256(data)
        assert fake.calls == 3
        sources: list[Any] = [once(), Response()]
        for source in sources:
            fake.refuse = 1
            with pytest.raises(HashlaneError, match="SERVER_BUSY"):
                await client.digest(source, timeout=PATIENCE)
        assert fake.calls == 5, "what cannot be read again was sent again"
        fake.refuse = 1
        with piped(data) as path, pytest.raises(HashlaneError, match="SERVER_BUSY"):
            await client.digest(path, timeout=PATIENCE)


async def test_details_that_cannot_be_read_are_left_out(fake: Fake) -> None:
    async with Client(fake.address) as client, client.open_digest_stream() as stream:
        for fake.details in unreadable_details():
            for digest in (client.digest, stream.digest):
                fake.refuse = 1
                assert (await digest(b"abc", timeout=PATIENCE)).digest == sha256(b"abc")


async def test_a_batch_keeps_to_what_the_server_takes(own_server: StartServer) -> None:
    first = own_server()
    blobs = [b"abc"] * 1000
    wanted = (Algorithm.SHA256, Algorithm.MD5, Algorithm.CRC32)
    async with Client(first.address) as client:
        assert len(await client.digest_batch(blobs, timeout=PATIENCE)) == 1000
        first.kill()
        second = await asyncio.to_thread(own_server, first.address, *FEW_DIGESTS)
        answers = await client.digest_batch(blobs, *wanted, timeout=PATIENCE)
        assert [answer.digest for answer in answers] == [sha256(b"abc")] * 1000
        second.kill()
        await asyncio.to_thread(own_server, first.address, *FEW_BLOBS)
        answers = await client.digest_batch(blobs[:10], timeout=PATIENCE)
        assert [answer.digest for answer in answers] == [sha256(b"abc")] * 10


async def test_a_batch_has_one_timeout(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    left = slow_requests(fake, monkeypatch)
    async with Client(fake.address) as client:
        await client.digest_batch([b"", b"abc", b""], timeout=1000.0)
    assert all(seconds < 1050.0 - 100.0 * turn for turn, seconds in enumerate(left))
    assert len(left) == 3


async def test_a_source_that_was_cancelled_is_not_at_its_end() -> None:
    for given in (b"", pattern(65_536, 1)):
        reader = asyncio.StreamReader()
        reader.feed_data(given)
        source = AsyncSource(reader)

        async def read(source: AsyncSource = source) -> None:
            async for _ in source.messages():
                pass

        reading = asyncio.create_task(read())
        await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        with pytest.raises(ArgumentError, match="an error"):
            source.failed(ArgumentError("an error"))
        with pytest.raises(HashlaneError, match="gone"):
            await read()


async def test_token_and_answers(fake: Fake) -> None:
    async with Client(fake.address, token="secret") as client:

        def forge(answer: Any) -> None:
            answer.verdict = 1

        fake.forge = forge
        with pytest.raises(HashlaneError, match="broke the contract"):
            await client.verify(b"abc", sha256(b"other"), timeout=PATIENCE)
    assert fake.authorization == ["Bearer secret"]


async def test_close_gives_up_parts_and_waits_for_others(own_server: StartServer) -> None:
    own = own_server("", "--part-idle-timeout=1h")
    go_on = asyncio.Event()

    async def source() -> AsyncIterator[bytes]:
        yield b"ab"
        await go_on.wait()
        yield b"c"

    async with Client(own.address) as client:
        stream = client.open_digest_stream()
        forgotten, finished = await stream.part(), await stream.part()
        for part in (forgotten, finished):
            await part.write(b"ab")
            await part.flush()
        whole = asyncio.create_task(stream.digest(source()))
        finishing = asyncio.create_task(finished.finish())
        await wait("the part is open", lambda: own.metric("hashlane_open_jobs") >= 1)
        closing = asyncio.create_task(stream.close())
        # The tasks of the stream have their turn: nothing may end the source.
        for _ in range(20):
            await asyncio.sleep(0)
        assert not closing.done()
        with pytest.raises(ArgumentError, match="stream was closed"):
            await forgotten.write(b"c")
        with pytest.raises(ArgumentError, match="stream was closed"):
            await forgotten.finish()
        go_on.set()
        assert (await whole).digest == sha256(b"abc")
        assert (await finishing).digest == sha256(b"ab")
        await asyncio.wait_for(closing, PATIENCE)


async def test_a_part_that_is_forgotten(own_server: StartServer) -> None:
    own = own_server("", "--part-idle-timeout=1h")
    async with Client(own.address) as client, asyncio.timeout(PATIENCE):
        async with client.open_digest_stream() as stream:
            await (await stream.part()).write(bytes(2 * MESSAGE_BYTES))
        async with client.open_verify_stream() as stream_of_verdicts:
            await stream_of_verdicts.part()
