"""A part whose write did not take all its bytes has no digest, and no verdict."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent import futures
from typing import Any

import grpc
import pytest

from hashlane import ArgumentError, Client, HashlaneError, aio
from hashlane._options import QUEUE_MAX
from hashlane._wire import MESSAGE_BYTES
from tests.support import MIB, PATIENCE, Fake, Server, sha256, until
from tests.test_faults import StartServer

# More than gRPC, the kernel and the queue hold.
LARGE = bytes(64 * MIB)
TORN = "did not take all"


def is_full(stream: Any) -> bool:
    """Whether a write waits: the queue is as long as it gets."""
    return bool(stream._calls) and len(stream._calls[0]._queue) >= QUEUE_MAX


def interrupt(stream: Any) -> None:
    """Ctrl-C, in the main thread, once a write waits there."""
    until("a write waits", lambda: is_full(stream))
    main = threading.main_thread().ident
    assert main
    signal.pthread_kill(main, signal.SIGINT)


def fails(call: Callable[..., object], *arguments: object, told: str = TORN) -> None:
    with pytest.raises(ArgumentError, match=told):
        call(*arguments)


async def fails_later(
    call: Callable[..., Awaitable[object]], *arguments: object, told: str = TORN
) -> None:
    with pytest.raises(ArgumentError, match=told):
        await asyncio.wait_for(call(*arguments), PATIENCE)


@pytest.fixture
def sigint() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt, also in the background, where shells ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("sigint")
def test_after_an_interrupt(fake: Fake) -> None:
    fake.is_reading.clear()
    with Client(fake.address) as client:
        streams: tuple[Any, Any] = (client.open_digest_stream(), client.open_verify_stream())
        for stream, expected in zip(streams, ((), (sha256(b""),)), strict=True):
            part: Any = stream.part()
            killer = threading.Thread(target=interrupt, args=(stream,))
            killer.start()
            with pytest.raises(KeyboardInterrupt):
                part.write(LARGE)
            killer.join()
            fails(part.write, b"tail")
            fails(part.flush)
            fails(part.buffer)
            fails(part.finish, *expected)
            stream.cancel()
        fake.is_reading.set()


async def begin_waiting(call: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
    """Lets a call go on as far as it gets."""
    task = asyncio.create_task(call)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not task.done()
    return task


async def cancel(task: asyncio.Task[object]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def stop_sending(stream: Any) -> None:
    """The queue of the stream's call stays full."""
    stream._calls[0]._tasks[0].cancel()


async def test_after_a_cancelled_write(server: Server) -> None:
    async with aio.Client(server.address) as client:
        streams: list[Any] = [client.open_digest_stream(), client.open_verify_stream()]
        for stream, expected in zip(streams, ((), (sha256(b""),)), strict=True):
            part = await stream.part()
            stop_sending(stream)
            await cancel(await begin_waiting(part.write(LARGE)))
            await fails_later(part.write, b"tail")
            await fails_later(part.buffer)
            await fails_later(part.finish, *expected)
            stream.cancel()


async def test_after_a_cancelled_flush(server: Server) -> None:
    """The gathered bytes are gone."""
    async with aio.Client(server.address) as client:
        stream = client.open_digest_stream()
        part, other = await stream.part(), await stream.part()
        stop_sending(stream)
        await part.write(bytes(1000))
        writing = await begin_waiting(other.write(LARGE))
        await cancel(await begin_waiting(part.flush()))
        await fails_later(part.write, b"tail")
        await fails_later(part.finish)
        await cancel(writing)
        stream.cancel()


def test_a_part_that_failed_is_given_up(own_server: StartServer) -> None:
    own = own_server()
    with Client(own.address) as client, client.open_digest_stream() as stream:
        good, part = stream.part(), stream.part()
        for each in (good, part):
            each.write(b"ab")
            each.flush()
        until("both are open", lambda: own.metric("hashlane_open_jobs") == 2)
        with pytest.raises(TypeError):
            part.write(None)  # type: ignore[arg-type]
        until("one is given up", lambda: own.metric("hashlane_open_jobs") == 1)
        fails(part.finish)
        good.write(b"c")
        assert good.finish(timeout=PATIENCE).digest == sha256(b"abc")


async def test_a_part_that_failed_is_given_up_with_asyncio(own_server: StartServer) -> None:
    own = own_server()
    async with aio.Client(own.address) as client, client.open_digest_stream() as stream:
        part = await stream.part()
        await part.write(b"ab")
        await part.flush()
        with pytest.raises(TypeError):
            await part.write(None)  # type: ignore[arg-type]
        given_up = lambda: own.metric("hashlane_open_jobs") == 0  # noqa: E731
        await asyncio.to_thread(until, "it is given up", given_up)
        await fails_later(part.finish)


def test_the_call_s_error_is_told_again(fake: Fake) -> None:
    fake.is_reading.clear()
    with Client(fake.address) as client:
        stream = client.open_digest_stream()
        part = stream.part()

        def end() -> None:
            until("a write waits", lambda: is_full(stream))
            stream.cancel()

        killer = threading.Thread(target=end)
        killer.start()
        with pytest.raises(HashlaneError, match="CANCELLED"):
            part.write(LARGE)
        killer.join()
        for again in (lambda: part.write(bytes(MESSAGE_BYTES)), part.finish):
            with pytest.raises(HashlaneError, match="CANCELLED"):
                again()
        fake.is_reading.set()


def test_after_the_end(server: Server) -> None:
    with Client(server.address) as client, client.open_digest_stream() as stream:
        finished, discarded = stream.part(), stream.part()
        finished.finish(timeout=PATIENCE)
        discarded.discard()
        for part in (finished, discarded):
            for data in (b"", b"abc"):
                fails(part.write, data, told="has ended")


async def test_after_the_end_with_asyncio(server: Server) -> None:
    async with aio.Client(server.address) as client, client.open_digest_stream() as stream:
        finished, discarded = await stream.part(), await stream.part()
        await finished.finish()
        discarded.discard()
        for part in (finished, discarded):
            await fails_later(part.write, b"abc", told="has ended")


def test_close_waits_for_a_part_that_is_being_finished(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Client(server.address) as client, futures.ThreadPoolExecutor() as pool:
        stream = client.open_digest_stream()
        part, other = stream.part(), stream.part()
        part.write(b"abc")
        call = stream._calls[0]
        # No message has room.
        monkeypatch.setattr("hashlane.client.QUEUE_MAX", 0)
        finishing = pool.submit(part.finish)
        until("it sends its gathered bytes", lambda: part._pending.is_torn)
        closing = pool.submit(stream.close)
        until("the other part is given up", lambda: other._pending.has_ended)
        assert not finishing.done()
        monkeypatch.undo()
        with call._changed:
            call._changed.notify_all()
        assert finishing.result(PATIENCE).digest == sha256(b"abc")
        closing.result(PATIENCE)


async def test_close_waits_for_a_part_that_is_being_finished_with_asyncio(server: Server) -> None:
    async with aio.Client(server.address) as client, asyncio.timeout(PATIENCE):
        stream = client.open_digest_stream()
        part, other = await stream.part(), await stream.part()
        stop_sending(stream)
        call = stream._calls[0]
        await part.write(bytes(1000))
        writing = await begin_waiting(other.write(LARGE))
        finishing = asyncio.create_task(part.finish())
        closing = await begin_waiting(stream.close())
        sending = asyncio.create_task(call._send_all())
        assert (await finishing).digest == sha256(bytes(1000))
        with pytest.raises(ArgumentError, match="stream was closed"):
            await writing
        await closing
        await sending


async def test_a_part_that_failed_passes_its_turn_on(server: Server) -> None:
    async with aio.Client(server.address) as client, asyncio.timeout(PATIENCE):
        stream = client.open_digest_stream()
        parts = [await stream.part() for _ in range(3)]
        stop_sending(stream)
        call = stream._calls[0]
        filling = await begin_waiting(parts[0].write(LARGE))
        await cancel(filling)
        failed, next_one = [
            await begin_waiting(part.write(bytes(MESSAGE_BYTES))) for part in parts[1:]
        ]
        # As when the server ends a part early.
        parts[1]._pending.failure = HashlaneError(grpc.StatusCode.RESOURCE_EXHAUSTED, "too much")
        parts[1].discard()
        call._queue.clear()
        call._next_turn()
        with pytest.raises(HashlaneError, match="too much"):
            await failed
        assert await next_one == MESSAGE_BYTES
        stream.cancel()
