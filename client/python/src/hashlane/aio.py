"""The client for asyncio, as hashlane.client is for threads."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Generic, Self, SupportsIndex, TypeVar

import grpc
import grpc.aio

from hashlane import _unary
from hashlane._answers import (
    DIGEST,
    VERIFY,
    AlgorithmLike,
    Answer,
    Asked,
    DigestLike,
    Method,
    PartDigest,
    Verification,
)
from hashlane._errors import ArgumentError, HashlaneError, broken, late, of_rpc, source_errors
from hashlane._memory import Message, Region, Slot
from hashlane._options import (
    CALL_TIMEOUT,
    HEALTH_TIMEOUT,
    PARTS_MAX,
    QUEUE_MAX,
    Options,
    Target,
    Token,
)
from hashlane._parts import Parts, Pending, Taking
from hashlane._pool import Deadline, Endpoint, Lease, Pool, Retries, Round
from hashlane._sent import Sent
from hashlane._source import (
    KEEP_ALIVE,
    AsyncSource,
    AsyncSourceLike,
    Buffer,
    Gather,
    ReadingThread,
    Room,
    Source,
    is_async,
    message_bytes,
)
from hashlane._unary import Limits, ObjectDigest, ServerInfo
from hashlane._wire import Encoder
from hashlane.v1 import hash_service_pb2 as pb

T = TypeVar("T")
_Future = asyncio.Future[Any]


class Client:
    """As hashlane.Client, for one event loop. Make it where the loop runs.

    Files, binary readers and iterables are read in threads, one for each, so that neither the loop
    nor other sources wait.
    """

    def __init__(
        self,
        *endpoints: str,
        connections: int = 4,
        retry_seconds: float = 30.0,
        ca: bytes | None = None,
        certificate: bytes | None = None,
        key: bytes | None = None,
        token: Token | None = None,
        insecure_token: bool = False,
        channel_options: Sequence[tuple[str, str | int]] = (),
        shared_memory_bytes: int = 32 << 20,
    ) -> None:
        if not endpoints:
            raise ArgumentError("no endpoint")
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            raise ArgumentError("no event loop runs here: make the client in a coroutine") from None
        options = Options(
            connections,
            retry_seconds,
            ca,
            certificate,
            key,
            token,
            insecure_token,
            channel_options,
            shared_memory_bytes,
        )
        targets = [options.target(endpoint) for endpoint in endpoints]

        def connect(target: Target) -> grpc.aio.Channel:
            name, arguments = target.name, options.arguments()
            if target.is_tls:
                return grpc.aio.secure_channel(name, options.credentials(), arguments)
            return grpc.aio.insecure_channel(name, arguments)

        self._options = options
        self._pool = Pool(
            [
                ([connect(each) for _ in range(connections)], options.memory(each))
                for each in targets
            ]
        )
        # Requested by the first batch, and after a refusal.
        self._limits: Limits | None = None

    async def close(self) -> None:
        """Closes all connections. Running calls fail."""
        await asyncio.gather(*(channel.close() for channel in self._pool.close()))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def digest(
        self,
        source: AsyncSourceLike,
        *algorithms: AlgorithmLike,
        size_bytes: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> PartDigest:
        """As hashlane.Client.digest."""
        return await self._lone(DIGEST, source, Asked.digests(algorithms, size_bytes), timeout)

    async def verify(
        self,
        source: AsyncSourceLike,
        *expected: DigestLike,
        size_bytes: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> Verification:
        """As hashlane.Client.verify."""
        return await self._lone(VERIFY, source, Asked.verdict(expected, size_bytes), timeout)

    def open_digest_stream(self) -> DigestStream:
        """Opens a stream for many parts to digest at once."""
        return DigestStream(self, DIGEST)

    def open_verify_stream(self) -> VerifyStream:
        """Opens a stream for many parts to verify at once."""
        return VerifyStream(self, VERIFY)

    async def digest_batch(
        self, blobs: Sequence[Buffer], *algorithms: AlgorithmLike, timeout: float | None = None
    ) -> list[PartDigest]:
        """As hashlane.Client.digest_batch."""
        batch = _unary.Batch(blobs, algorithms)
        deadline = Deadline(timeout)
        while not batch.is_answered:
            limits = self._limits
            if limits is None:
                info = await self.server_info(timeout=deadline.remaining())
                limits = self._limits = info.limits
            fitting = batch.next_blobs(limits)
            if not fitting:
                blob, remaining = batch.next_blob(), deadline.remaining()
                answer = await self.digest(blob, *batch.algorithms, timeout=remaining)
                batch.answers.append(answer)
                continue
            request = batch.request(fitting)
            try:
                wire = await self._call(
                    _unary.BATCH, request, pb.DigestBatchResponse, deadline.remaining()
                )
            except HashlaneError as error:
                if batch.are_limits_old(error, fitting):
                    self._limits = None
            else:
                batch.answered(wire, fitting)
        return batch.answers

    async def compose(
        self,
        part_digests: Sequence[DigestLike],
        *,
        part_sizes: Sequence[SupportsIndex] | None = None,
        expected: str = "",
        timeout: float | None = None,
    ) -> ObjectDigest:
        """As hashlane.Client.compose."""
        request = _unary.compose_request(part_digests, part_sizes, expected)
        wire = await self._call(_unary.COMPOSE, request, pb.ComposeResponse, timeout)
        return _unary.compose_answer(wire, request)

    async def server_info(self, *, timeout: float | None = None) -> ServerInfo:
        """Asks a server for its version, algorithms, kernels and limits."""
        request = pb.GetServerInfoRequest()
        wire = await self._call(_unary.INFO, request, pb.GetServerInfoResponse, timeout)
        return _unary.server_info(wire)

    async def is_healthy(self, *, timeout: float | None = None) -> bool:
        """As hashlane.Client.is_healthy."""
        limit = HEALTH_TIMEOUT if timeout is None else timeout
        try:
            answer = await self._unary(
                _unary.HEALTH, _unary.HEALTH_REQUEST, bytes, Round(self._pool, limit)
            )
        except HashlaneError as error:
            if error.reason == "DRAINING":
                return False
            raise
        return answer == _unary.HEALTH_SERVING

    async def _call(
        self, path: str, request: Any, response: Callable[[], T], timeout: float | None
    ) -> T:
        parse: Callable[[bytes], T] = response.FromString  # type: ignore[attr-defined]
        retries = Retries(self._pool, self._options.retry_seconds, timeout)
        return await self._unary(path, request.SerializeToString(), parse, retries)

    async def _unary(
        self,
        path: str,
        request: bytes,
        parse: Callable[[bytes], T],
        retries: Retries,
    ) -> T:
        while True:
            metadata = self._options.metadata()
            with self._lease(retries) as lease:
                method: Any = lease.channel.unary_unary(path, None, parse)
                remaining = retries.remaining()
                limit = CALL_TIMEOUT if remaining is None else remaining
                try:
                    answer: T = await method(request, timeout=limit, metadata=metadata)
                    return answer
                except grpc.aio.AioRpcError as error:
                    failure = _of_rpc(error)
                    lease.learned(failure)
            await asyncio.sleep(retries.after(failure, lease.endpoint))

    def _must_be_of_loop(self) -> None:
        if asyncio.get_running_loop() is not self._loop:
            raise ArgumentError("the client is of another event loop: make one in this loop")

    @contextlib.contextmanager
    def _lease(self, retries: Retries) -> Iterator[Lease[grpc.aio.Channel]]:
        """A connection for one call. The call tells its failure."""
        self._must_be_of_loop()
        lease = self._pool.lease(retries.done)
        try:
            yield lease
        finally:
            lease.given_back()

    async def _lone(
        self, method: Method[Answer], source: AsyncSourceLike, asked: Asked, timeout: float | None
    ) -> Answer:
        with source_errors():
            return await self._lone_part(method, source, asked, timeout)

    async def _lone_part(
        self, method: Method[Answer], source: AsyncSourceLike, asked: Asked, timeout: float | None
    ) -> Answer:
        """One part on a call of its own.

        If the part is abandoned, the call is cancelled, so that no digest of a truncated part
        exists anywhere.
        """
        retries = Retries(self._pool, self._options.retry_seconds, timeout)
        origin = _Origin(source)
        try:
            while True:
                with self._lease(retries) as lease:
                    region = await _region(lease)
                    metadata = self._options.metadata(region)
                    try:
                        answer = await _exchange(
                            method, lease.channel, origin, asked, retries, metadata, region
                        )
                        lease.learned(None)
                        return answer
                    except HashlaneError as error:
                        lease.learned(error)
                        failure = error
                origin.failed(failure)
                await asyncio.sleep(retries.after(failure, lease.endpoint))
        finally:
            origin.abandon()


async def _region(lease: Lease[grpc.aio.Channel]) -> Region | None:
    """The memory of a server. To ask for it may block."""
    return lease.region() if lease.memory.is_known else await asyncio.to_thread(lease.region)


def _of_rpc(error: grpc.aio.AioRpcError) -> HashlaneError:
    # grpcio's message if a write fails before it knows why the call ended: usually the connection
    # is lost, and no server sends this text.
    if error.details() == "Internal error from Core":
        return HashlaneError(
            grpc.StatusCode.UNAVAILABLE, "the call ended while its messages were sent"
        )
    return of_rpc(error)


class _Origin:
    """A source that is read with await or in a thread."""

    def __init__(self, source: Any) -> None:
        self._source: Source | AsyncSource
        self._source = AsyncSource(source) if is_async(source) else Source(source)
        # Begun with the first read that blocks.
        self._thread: ReadingThread | None = None

    @property
    def may_pause(self) -> bool:
        return isinstance(self._source, AsyncSource) or self._source.is_blocking

    def failed(self, error: HashlaneError) -> None:
        self._source.failed(error)

    def abandon(self) -> None:
        if isinstance(self._source, Source):
            self._source.abandon()
        if self._thread:
            self._thread.end()

    async def messages(
        self, timeout: float | None, region: Region | None
    ) -> AsyncGenerator[Message, None]:
        """The messages from the beginning. The attempt before must be over."""
        source = self._source
        if isinstance(source, AsyncSource):
            async for message in source.messages(region):
                yield message
        elif not source.is_blocking:
            reading = source.open(None, region)
            while (piece := reading.next()) is not None:
                yield piece
        else:
            thread = self._thread = self._thread or ReadingThread()
            opening = thread.submit(lambda: source.open(timeout, region))
            reading = await asyncio.wrap_future(opening)
            while (piece := await asyncio.wrap_future(thread.submit(reading.next))) is not None:
                yield piece


async def _exchange(
    method: Method[Answer],
    channel: grpc.aio.Channel,
    origin: _Origin,
    asked: Asked,
    retries: Retries,
    metadata: Any,
    region: Region | None,
) -> Answer:
    """Makes the call of a lone part: sends it and waits for its answer at once."""
    start: Any = channel.stream_stream(method.path, None, method.response.FromString)
    call = start(timeout=retries.remaining(), metadata=metadata)
    encoder = Encoder(0, asked)
    sent, was_read = Sent(region), asyncio.Event()
    # gRPC takes one message at a time.
    writing, clock = asyncio.Lock(), asyncio.get_running_loop().time
    written_at = clock()

    async def write(message: bytes) -> None:
        nonlocal written_at
        async with writing:
            await call.write(message)
            written_at = clock()

    async def send() -> None:
        pieces = origin.messages(retries.remaining(), region)
        async with contextlib.aclosing(pieces):
            async for piece in pieces:
                for placed in sent.all(piece):
                    await write(encoder.data(placed))
                while sent.must_wait:
                    was_read.clear()
                    await was_read.wait()
        await write(encoder.last(asked.expected))
        await call.done_writing()

    async def keep_alive() -> None:
        # A call that is over: `read` says why.
        with contextlib.suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):
            while origin.may_pause and not encoder.has_ended:
                pause = written_at + KEEP_ALIVE - clock()
                if pause > 0:
                    await asyncio.sleep(pause)
                elif writing.locked():
                    async with writing:
                        pass
                else:
                    await write(encoder.data(b""))

    async def read() -> Any:
        while (response := await call.read()) is not grpc.aio.EOF:
            sent.read(response.memory_messages_read)
            was_read.set()
            if method.is_answer(response):
                break
        return response

    sending = asyncio.ensure_future(send())
    answering = asyncio.ensure_future(read())
    keeping = asyncio.ensure_future(keep_alive())
    try:
        await asyncio.wait((sending, answering), return_when=asyncio.FIRST_COMPLETED)
        if sending.done() and isinstance(sending.exception(), HashlaneError):
            sending.result()
        # If sending failed otherwise, the call's status says why.
        response = await answering
        if response is grpc.aio.EOF:
            raise broken("the stream ended without an answer")
        if not encoder.has_ended and not response.HasField("error"):
            raise broken("a part was answered before it ended")
        answer = method.check(response, asked, encoder.sent_bytes)
        # The half-close and the status are on their way.
        with contextlib.suppress(asyncio.InvalidStateError):
            await sending
        await call.read()
        return answer
    except grpc.aio.AioRpcError as error:
        raise _of_rpc(error) from None
    finally:
        await _stop(sending, answering, keeping)
        call.cancel()
        sent.end()


async def _stop(*tasks: asyncio.Future[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class _Call:
    """One call with any number of parts, and the tasks that send messages and read answers."""

    def __init__(
        self,
        client: Client,
        method: Method[Any],
        lease: Lease[grpc.aio.Channel],
        region: Region | None,
    ) -> None:
        self._method: Method[Any] = method
        self._lease = lease
        self.region = region
        self._sent = Sent(region)
        self._parts: Parts[_Future] = Parts()
        self.endpoint: Endpoint[Any] = self._lease.endpoint
        self._queue: deque[bytes] = deque()
        # Waiters for room in the queue, in turn.
        self._waiting: deque[asyncio.Future[None]] = deque()
        # Set if there is a message, or no more will come.
        self._work = asyncio.Event()
        self._over: HashlaneError | None = None
        self.is_done = asyncio.Event()
        start: Any = self._lease.channel.stream_stream(
            method.path, None, method.response.FromString
        )
        self._call = start(metadata=client._options.metadata(region))
        self._tasks = (
            asyncio.create_task(self._send_all()),
            asyncio.create_task(self._receive()),
        )

    @classmethod
    async def open(cls, client: Client, method: Method[Any]) -> _Call:
        lease = client._pool.lease()
        try:
            return cls(client, method, lease, await _region(lease))
        except BaseException:
            lease.given_back()
            raise

    def begin(self, asked: Asked, is_whole: bool) -> Pending[_Future] | None:
        """None if the call takes no new parts."""
        if self._parts.is_closing:
            return None
        future = asyncio.get_running_loop().create_future()
        return self._parts.begin(asked, future, is_whole)

    async def send(self, pending: Pending[_Future], message: Message) -> None:
        """Waits while too many messages wait to be sent, or to be read by the server."""
        await self._wait_for_room()
        # It may have ended meanwhile.
        try:
            pending.must_go_on()
        except HashlaneError:
            self._next_turn()
            raise
        for placed in self._sent.all(message):
            self._queue.append(pending.encoder.data(placed))
        self._work.set()

    async def slot(self) -> Slot | None:
        """A slot for the next message, if one is free. Waits as send does."""
        await self._wait_for_room()
        # It sends nothing yet.
        self._next_turn()
        return self.region.take() if self.region else None

    async def _wait_for_room(self) -> None:
        while (len(self._queue) >= QUEUE_MAX or self._sent.must_wait) and not self._over:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._next_turn()
                raise
        if self._over:
            raise self._over

    def end(self, pending: Pending[_Future], asked: Asked | None) -> None:
        """Ends a part; an abandoned one has no `asked`."""
        if asked:
            pending.must_go_on()
        if not pending.has_ended:
            pending.has_ended = True
            if asked:
                pending.asked = asked
            if (asked or pending.encoder.has_begun) and not self._over:
                # Ending a part never waits.
                self._queue.append(pending.encoder.last(asked.expected if asked else ()))
            self._parts.finished()
        if not asked:
            self._parts.drop(pending.number)
        self._work.set()

    def close(self) -> None:
        """Stops new parts, and half-closes as soon as every part has ended."""
        self._parts.is_closing = True
        self._work.set()

    def give_up(self) -> None:
        """Closes, and ends all parts that are neither being finished nor whole sources."""
        for pending in self._parts.given_up():
            self.end(pending, None)
        self.close()

    def cancel(self) -> None:
        self._call.cancel()

    def _next_turn(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    async def _send_all(self) -> None:
        # A call that is over: _receive says why.
        with contextlib.suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):
            while True:
                while self._queue:
                    message = self._queue.popleft()
                    self._next_turn()
                    await self._call.write(message)
                if self._parts.may_half_close():
                    await self._call.done_writing()
                    return
                self._work.clear()
                try:
                    async with asyncio.timeout(KEEP_ALIVE):
                        await self._work.wait()
                except TimeoutError:
                    if kept := self._parts.keep_alive():
                        self._queue.append(kept)

    async def _receive(self) -> None:
        over = broken("the server ended the stream")
        outcome: HashlaneError | None = None
        try:
            while (response := await self._call.read()) is not grpc.aio.EOF:
                self._sent.read(response.memory_messages_read)
                self._next_turn()
                if not self._method.is_answer(response):
                    continue
                pending, answer = self._parts.take(self._method, response)
                self._answer(pending, answer)
        except grpc.aio.AioRpcError as error:
            over = outcome = _of_rpc(error)
        except HashlaneError as error:
            over = outcome = error
        except asyncio.CancelledError:
            over = HashlaneError(grpc.StatusCode.CANCELLED, "the stream is cancelled")
        finally:
            # Before a retry chooses an endpoint.
            self._lease.ended(outcome)
            self._call.cancel()
            self._tasks[0].cancel()
            self._over = over
            self._sent.end()
            while self._waiting:
                self._next_turn()
            for pending in self._parts.end():
                _fail(pending.future, over)
            self.is_done.set()

    def _answer(self, pending: Pending[_Future] | None, answer: object) -> None:
        if isinstance(answer, HashlaneError) and answer.is_retryable:
            # The server drains, or has a faulty kernel.
            self._lease.learned(answer)
            self.close()
        if pending is None or pending.future.done():
            return
        if isinstance(answer, HashlaneError):
            _fail(pending.future, answer)
        else:
            pending.future.set_result(answer)


def _fail(future: _Future, error: HashlaneError) -> None:
    if not future.done():
        future.set_exception(error)
        # A part that is not awaited is no mistake.
        future.exception()


# A part's call, the part, and the function that returns its slot.
_Begun = tuple[_Call, Pending[_Future], Callable[[], None]]


class _Stream(Generic[Answer]):
    """Many parts at once on one call, from any tasks of the loop.

    When the call's server drains or is gone, new parts go to a new call, on the best
    endpoint at that time. The end of an `async with` block gives up parts that are not finished.
    """

    def __init__(self, client: Client, method: Method[Answer]) -> None:
        self._client = client
        self._method: Method[Answer] = method
        self._slots = asyncio.Semaphore(PARTS_MAX)
        self._opening = asyncio.Lock()
        self._calls: list[_Call] = []
        self._is_closed = False

    async def close(self) -> None:
        """Waits for whole sources and for parts that are being finished, and ends the stream.

        Other parts are given up: to write or finish them fails.
        """
        self._is_closed = True
        calls = self._calls
        for call in calls:
            call.give_up()
        for call in calls:
            await call.is_done.wait()

    def cancel(self) -> None:
        """Parts that are not answered fail."""
        self._is_closed = True
        for call in self._calls:
            call.cancel()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.cancel()
        await self.close()

    async def _begin(self, asked: Asked, is_whole: bool = False) -> _Begun:
        self._client._must_be_of_loop()
        await self._slots.acquire()
        try:
            async with self._opening:
                while True:
                    if self._is_closed:
                        raise ArgumentError("the stream is closed: open another one")
                    self._calls = [call for call in self._calls if not call.is_done.is_set()]
                    if self._calls and (pending := self._calls[-1].begin(asked, is_whole)):
                        return self._calls[-1], pending, self._slots.release
                    # The previous call takes no new parts. It ends when its parts do.
                    if self._calls:
                        self._calls[-1].close()
                    call = await _Call.open(self._client, self._method)
                    self._calls.append(call)
                    if self._is_closed:
                        # Meanwhile.
                        call.close()
        except BaseException:
            self._slots.release()
            raise

    async def _whole(self, source: AsyncSourceLike, asked: Asked, timeout: float | None) -> Answer:
        with source_errors():
            return await self._whole_part(source, asked, timeout)

    async def _whole_part(
        self, source: AsyncSourceLike, asked: Asked, timeout: float | None
    ) -> Answer:
        """Sends a source as one part, and retries if that fails."""
        origin = _Origin(source)
        retries = Retries(self._client._pool, self._client._options.retry_seconds, timeout)
        try:
            while True:
                part: _Part[Answer] | None = None
                try:
                    async with asyncio.timeout(retries.remaining()):
                        part = _Part(*await self._begin(asked, is_whole=True))
                        messages = origin.messages(retries.remaining(), part.region)
                        async with contextlib.aclosing(messages):
                            async for message in messages:
                                await part.send(message)
                        return await part.end(asked)
                except HashlaneError as error:
                    failure = error
                except TimeoutError:
                    raise late() from None
                finally:
                    if part:
                        part.discard()
                origin.failed(failure)
                await asyncio.sleep(retries.after(failure, part.endpoint if part else None))
        finally:
            origin.abandon()


class _Part(Generic[Answer]):
    """A part in progress. One task writes it."""

    def __init__(self, call: _Call, pending: Pending[_Future], release: Callable[[], None]) -> None:
        self._call = call
        self._pending = pending
        self._release: Callable[[], None] | None = release
        self.endpoint = call.endpoint
        self.region = call.region
        self._gather = Gather(message_bytes(call.region))

    async def write(self, data: Buffer) -> int:
        """Takes the part's next bytes. Waits while the server's flow control holds the stream.

        An error is final: the part has no digest.
        """
        with self.taking():
            for message in self._gather.add(data):
                await self.send(message)
        return len(data)

    async def flush(self) -> None:
        """Sends the gathered bytes, even if they fill no message."""
        with self.taking():
            await self._send_rest()

    async def buffer(self) -> PartBuffer:
        """As hashlane.DigestPart.buffer."""
        with self.taking():
            await self._send_rest()
            return PartBuffer(self, await self._call.slot())

    def taking(self) -> Taking:
        """The block takes bytes. Unless it takes all, the part is given up."""
        return Taking(self._pending, self.discard)

    def discard(self) -> None:
        """Abandons the part. After finish it does nothing."""
        self._call.end(self._pending, None)
        release, self._release = self._release, None
        if release:
            release()

    async def _send_rest(self) -> None:
        if rest := self._gather.rest():
            await self.send(rest)

    async def send(self, message: Message) -> None:
        try:
            if self._pending.future.done():
                # An early error, or the call's.
                self._pending.future.result()
            await self._call.send(self._pending, message)
        except BaseException:
            if isinstance(message, Slot):
                message.give()
            raise

    async def end(self, asked: Asked) -> Answer:
        try:
            self._pending.is_finishing = True
            with self.taking():
                await self._send_rest()
            self._call.end(self._pending, asked)
            answer: Answer = await self._pending.future
            return answer
        finally:
            self.discard()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()


class PartBuffer(Room):
    """As hashlane.PartBuffer."""

    def __init__(self, part: _Part[Any], slot: Slot | None) -> None:
        super().__init__(slot)
        self._part = part

    async def commit(self, size: int) -> None:
        """Sends the first bytes. Waits as write does. Then nothing may be written here any more."""
        self.check(size)
        with self, self._part.taking():
            await self._part.send(self.filled(size))


class DigestPart(_Part[PartDigest]):
    """A part in progress. One task writes it; others may write other parts meanwhile."""

    async def finish(self) -> PartDigest:
        """Ends the part and gives its digests."""
        return await self.end(self._pending.asked)


class VerifyPart(_Part[Verification]):
    """A part in progress. One task writes it; others may write other parts meanwhile."""

    async def finish(self, *expected: DigestLike) -> Verification:
        """Ends the part and compares its digests, of algorithms that the part computes."""
        try:
            asked = self._pending.asked.expect(expected)
        except ArgumentError:
            self.discard()
            raise
        return await self.end(asked)


class DigestStream(_Stream[PartDigest]):
    """Digests many parts at once on one call."""

    async def digest(
        self,
        source: AsyncSourceLike,
        *algorithms: AlgorithmLike,
        size_bytes: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> PartDigest:
        """As Client.digest, on this stream."""
        return await self._whole(source, Asked.digests(algorithms, size_bytes), timeout)

    async def part(
        self, *algorithms: AlgorithmLike, size_bytes: SupportsIndex | None = None
    ) -> DigestPart:
        """As hashlane.DigestStream.part."""
        return DigestPart(*await self._begin(Asked.digests(algorithms, size_bytes)))


class VerifyStream(_Stream[Verification]):
    """Verifies many parts at once on one call."""

    async def verify(
        self,
        source: AsyncSourceLike,
        *expected: DigestLike,
        size_bytes: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> Verification:
        """As Client.verify, on this stream."""
        return await self._whole(source, Asked.verdict(expected, size_bytes), timeout)

    async def part(
        self, *algorithms: AlgorithmLike, size_bytes: SupportsIndex | None = None
    ) -> VerifyPart:
        """As hashlane.VerifyStream.part."""
        return VerifyPart(*await self._begin(Asked.digests(algorithms, size_bytes)))
