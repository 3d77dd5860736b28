"""The client for threads. hashlane.aio has the same for asyncio."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Generic, NoReturn, Self, SupportsIndex, TypeVar

import grpc

from hashlane import _unary
from hashlane._answers import (
    DIGEST,
    VERIFY,
    Algorithm,
    AlgorithmLike,
    Answer,
    Asked,
    DigestLike,
    Method,
    PartDigest,
    Verification,
)
from hashlane._errors import (
    ArgumentError,
    HashlaneError,
    SourceError,
    broken,
    late,
    of_rpc,
    source_errors,
)
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
    Buffer,
    Gather,
    Reading,
    ReadingThread,
    Room,
    Source,
    SourceLike,
    StaleError,
    message_bytes,
)
from hashlane._unary import Limits, ObjectDigest, ServerInfo
from hashlane._wire import MESSAGE_BYTES, Encoder
from hashlane.v1 import hash_service_pb2 as pb

T = TypeVar("T")
_Future = concurrent.futures.Future[Any]


class _Closing:
    """An object that a `with` block closes at its end."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Client(_Closing):
    """A client of one hashlane service, at one or several endpoints. Safe for threads.

    An endpoint is https://host:port, http://host:port or host:port without TLS, or unix:/path.
    Calls spread over them, and over all addresses of each name. Connections are made when there
    are calls for them. A call that a server did not answer is retried, there or on another
    endpoint, if its bytes can be read again.

    connections: the most connections to each endpoint; a server serves one with one core.
    retry_seconds: how long after its first failure a call is retried.
    ca: the roots, in PEM, that servers' certificates must lead to; by default those of gRPC.
    certificate, key: the client's own, in PEM.
    token: sent with each call as "authorization: Bearer TOKEN"; a callable is called before each.
    insecure_token: lets the token go to other machines without TLS.
    channel_options: further options of gRPC's channels.
    shared_memory_bytes: memory that is shared with the server of each unix: endpoint, if the server
        does that: bytes then need no socket. At most 64 MiB; below 1 MiB it is none.
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

        def connect(target: Target) -> grpc.Channel:
            if target.is_tls:
                return grpc.secure_channel(target.name, options.credentials(), options.arguments())
            return grpc.insecure_channel(target.name, options.arguments())

        self._options = options
        self._pool = Pool(
            [
                ([connect(each) for _ in range(connections)], options.memory(each))
                for each in targets
            ]
        )
        # Requested by the first batch, and after a refusal.
        self._limits: Limits | None = None

    def close(self) -> None:
        """Closes all connections. Running calls fail."""
        for channel in self._pool.close():
            channel.close()

    def digest(
        self,
        source: SourceLike,
        *algorithms: AlgorithmLike,
        size_bytes: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> PartDigest:
        """Digests a source, with SHA256 if no algorithm is named.

        It is read once for all algorithms, and again if the server is lost. If its length is not
        size_bytes, the result is an error, not a digest. A source that fails raises its own
        exception, such as FileNotFoundError.
        """
        return self._lone(DIGEST, source, Asked.digests(algorithms, size_bytes), timeout)

    def verify(
        self,
        source: SourceLike,
        *expected: DigestLike,
        size_bytes: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> Verification:
        """Compares a source's digests with the expected ones, on the server: all must match.

        A digest is a Digest, "algorithm:hex", or hex or bytes of SHA256.

        A mismatch is an answer, not an error: use is_match, or call raise_for_mismatch.
        """
        return self._lone(VERIFY, source, Asked.verdict(expected, size_bytes), timeout)

    def hash(self, *algorithms: AlgorithmLike) -> Hash:
        """Begins a part that is written like hashlib's objects: update, then hexdigest.

        One that is not needed any more is closed, or dropped.
        """
        return Hash(self, algorithms)

    def open_digest_stream(self) -> DigestStream:
        """Opens a stream for many parts to digest at once."""
        return DigestStream(self, DIGEST)

    def open_verify_stream(self) -> VerifyStream:
        """Opens a stream for many parts to verify at once."""
        return VerifyStream(self, VERIFY)

    def digest_batch(
        self, blobs: Sequence[Buffer], *algorithms: AlgorithmLike, timeout: float | None = None
    ) -> list[PartDigest]:
        """Digests many small blobs, in as few requests as the server's limits allow.

        The answers come in the order of the blobs. A blob that fits no request is streamed. All
        requests share the timeout.
        """
        batch = _unary.Batch(blobs, algorithms)
        deadline = Deadline(timeout)
        while not batch.is_answered:
            limits = self._limits
            if limits is None:
                info = self.server_info(timeout=deadline.remaining())
                limits = self._limits = info.limits
            fitting = batch.next_blobs(limits)
            if not fitting:
                blob, remaining = batch.next_blob(), deadline.remaining()
                answer = self.digest(blob, *batch.algorithms, timeout=remaining)
                batch.answers.append(answer)
                continue
            request = batch.request(fitting)
            try:
                wire = self._call(
                    _unary.BATCH, request, pb.DigestBatchResponse, deadline.remaining()
                )
            except HashlaneError as error:
                if batch.are_limits_old(error, fitting):
                    self._limits = None
            else:
                batch.answered(wire, fitting)
        return batch.answers

    def compose(
        self,
        part_digests: Sequence[DigestLike],
        *,
        part_sizes: Sequence[SupportsIndex] | None = None,
        expected: str = "",
        timeout: float | None = None,
    ) -> ObjectDigest:
        """S3's value of an object from the digests of its parts, in part order.

        Without part_sizes it is the COMPOSITE; for MD5 that is the ETag. With them it is
        FULL_OBJECT, for CRC32, CRC32C and CRC64NVME. It is compared with an expected value: hex or
        base64, with "-N" or without, with or without the quotes of an ETag.
        """
        request = _unary.compose_request(part_digests, part_sizes, expected)
        wire = self._call(_unary.COMPOSE, request, pb.ComposeResponse, timeout)
        return _unary.compose_answer(wire, request)

    def server_info(self, *, timeout: float | None = None) -> ServerInfo:
        """Asks a server for its version, algorithms, kernels and limits."""
        request = pb.GetServerInfoRequest()
        wire = self._call(_unary.INFO, request, pb.GetServerInfoResponse, timeout)
        return _unary.server_info(wire)

    def is_healthy(self, *, timeout: float | None = None) -> bool:
        """Asks a server whether it serves: false if it answers that it does not.

        If a server takes no connection, the next endpoint is asked. If none takes one, also because
        it drains, that is an error. Each endpoint is asked once, without a wait. Without a timeout
        the answer may take 5 s.
        """
        limit = HEALTH_TIMEOUT if timeout is None else timeout
        try:
            answer = self._unary(
                _unary.HEALTH, _unary.HEALTH_REQUEST, bytes, Round(self._pool, limit)
            )
        except HashlaneError as error:
            if error.reason == "DRAINING":
                return False
            raise
        return answer == _unary.HEALTH_SERVING

    def _call(self, path: str, request: Any, response: Callable[[], T], timeout: float | None) -> T:
        parse: Callable[[bytes], T] = response.FromString  # type: ignore[attr-defined]
        retries = Retries(self._pool, self._options.retry_seconds, timeout)
        return self._unary(path, request.SerializeToString(), parse, retries)

    def _unary(
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
                    answer: T = method(request, timeout=limit, metadata=metadata)
                    return answer
                except grpc.RpcError as error:
                    failure = of_rpc(error)
                    lease.learned(failure)
            time.sleep(retries.after(failure, lease.endpoint))

    @contextlib.contextmanager
    def _lease(self, retries: Retries) -> Iterator[Lease[grpc.Channel]]:
        """A connection for one call. The call tells its failure."""
        lease = self._pool.lease(retries.done)
        try:
            yield lease
        finally:
            lease.given_back()

    def _lone(
        self, method: Method[Answer], source: SourceLike, asked: Asked, timeout: float | None
    ) -> Answer:
        with source_errors():
            return self._lone_part(method, source, asked, timeout)

    def _lone_part(
        self, method: Method[Answer], source: SourceLike, asked: Asked, timeout: float | None
    ) -> Answer:
        """One part on a call of its own.

        If the part is abandoned, the call is cancelled, so that no digest of a truncated part
        exists anywhere.
        """
        retries = Retries(self._pool, self._options.retry_seconds, timeout)
        origin = Source(source)
        thread = ReadingThread() if origin.may_pause else None
        try:
            while True:
                with self._lease(retries) as lease:
                    region = lease.region()
                    metadata = self._options.metadata(region)
                    reading = origin.open(retries.remaining(), region)
                    sender = _Sender(reading, thread, asked, region)
                    try:
                        answer = _exchange(
                            method, lease.channel, sender, retries.remaining(), metadata
                        )
                        lease.learned(None)
                        return answer
                    except HashlaneError as error:
                        lease.learned(error)
                        failure = error
                origin.failed(failure)
                time.sleep(retries.after(failure, lease.endpoint))
        finally:
            origin.abandon()
            if thread:
                thread.end()


class _Sender:
    """The messages of a lone part, as gRPC asks for them in a thread of its own."""

    def __init__(
        self,
        reading: Reading,
        thread: ReadingThread | None,
        asked: Asked,
        region: Region | None,
    ) -> None:
        self.asked = asked
        self.encoder = Encoder(0, asked)
        self.failure: HashlaneError | None = None
        # gRPC may ask before it has returned the call.
        self.call: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._reading = reading
        # Of a source that may pause, and what it reads now.
        self._thread = thread
        self._coming: concurrent.futures.Future[Message | None] | None = None
        self._changed = threading.Condition()
        self._sent = Sent(region)
        # Of a message that was too long for the socket.
        self._rest: Message = b""

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self.encoder.has_ended:
            raise StopIteration
        with self._changed:
            self._changed.wait_for(lambda: not self._sent.must_wait)
        try:
            message = self._rest or self._next()
        except concurrent.futures.TimeoutError:
            return self.encoder.data(b"")
        except StaleError:
            self._give_up(None)
        except SourceError as error:
            self._give_up(error)
        except BaseException as error:
            # This thread is gRPC's: no other code would see the exception.
            self._give_up(SourceError(error))
        if message is None:
            return self.encoder.last(self.asked.expected)
        with self._changed:
            message, self._rest = self._sent.place(message)
        return self.encoder.data(message)

    def _next(self) -> Message | None:
        """The next message; None at the end. Raises TimeoutError if the source pauses."""
        if self._thread is None:
            return self._reading.next()
        self._coming = self._coming or self._thread.submit(self._reading.next)
        message = self._coming.result(KEEP_ALIVE)
        self._coming = None
        return message

    def read(self, count: int) -> None:
        """The server has read so many messages in shared memory."""
        with self._changed:
            self._sent.read(count)
            self._changed.notify_all()

    def end(self) -> None:
        """The call is over."""
        with self._changed:
            self._sent.end()
            self._changed.notify_all()

    def _give_up(self, failure: SourceError | None) -> NoReturn:
        # The call is cancelled first, so that the end of the messages is no half-close.
        self.failure = failure
        self.call.result().cancel()
        raise StopIteration


def _exchange(
    method: Method[Answer],
    channel: grpc.Channel,
    sender: _Sender,
    timeout: float | None,
    metadata: Any,
) -> Answer:
    """Makes the call of a lone part."""
    start: Any = channel.stream_stream(method.path, None, method.response.FromString)
    call = start(sender, timeout=timeout, metadata=metadata)
    sender.call.set_result(call)
    try:
        for response in call:
            sender.read(response.memory_messages_read)
            if method.is_answer(response):
                break
        else:
            raise broken("the stream ended without an answer")
        if not sender.encoder.has_ended and not response.HasField("error"):
            raise broken("a part was answered before it ended")
        answer = method.check(response, sender.asked, sender.encoder.sent_bytes)
        # The half-close and the status are on their way.
        for _ in call:
            pass
        return answer
    except grpc.RpcError as error:
        raise sender.failure or of_rpc(call if call.code() else error) from None
    finally:
        call.cancel()
        sender.end()


class _Call:
    """One call with any number of parts, and the thread that reads its answers."""

    def __init__(self, client: Client, method: Method[Any]) -> None:
        self._method: Method[Any] = method
        self._lease = client._pool.lease()
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._parts: Parts[_Future] = Parts()
        self.endpoint: Endpoint[Any] = self._lease.endpoint
        self._queue: deque[bytes] = deque()
        self._over: HashlaneError | None = None
        self.is_done = threading.Event()
        self.region = self._lease.region()
        self._sent = Sent(self.region)
        start: Any = self._lease.channel.stream_stream(
            method.path, None, method.response.FromString
        )
        try:
            self._call = start(self, metadata=client._options.metadata(self.region))
        except BaseException:
            self._lease.given_back()
            raise
        threading.Thread(target=self._receive, name="hashlane", daemon=True).start()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        """The next message, for gRPC. Its end is the half-close, or the call is over."""
        with self._changed:
            while not self._queue:
                if self._over or self._parts.may_half_close():
                    raise StopIteration
                is_quiet = not self._changed.wait(KEEP_ALIVE) and not self._queue
                if is_quiet and (kept := self._parts.keep_alive()):
                    return kept
            message = self._queue.popleft()
            self._changed.notify_all()
            return message

    @property
    def is_here(self) -> bool:
        """Whether it was begun by this process: after fork, a child has none of its threads."""
        return self._process == os.getpid()

    def begin(self, asked: Asked, is_whole: bool) -> Pending[_Future] | None:
        """None if the call takes no new parts."""
        with self._changed:
            if self._parts.is_closing:
                return None
            return self._parts.begin(asked, _Future(), is_whole)

    def send(self, pending: Pending[_Future], message: Message, timeout: float | None) -> None:
        """Waits while too many messages wait to be sent, or to be read by the server."""
        with self._changed:
            self._wait_for_room(timeout)
            # It may have ended meanwhile.
            pending.must_go_on()
            for placed in self._sent.all(message):
                self._queue.append(pending.encoder.data(placed))
            self._changed.notify_all()

    def slot(self) -> Slot | None:
        """A slot for the next message, if one is free. Waits as send does."""
        with self._changed:
            self._wait_for_room(None)
            return self.region.take() if self.region else None

    def _wait_for_room(self, timeout: float | None) -> None:
        def has_room() -> bool:
            return bool(self._over) or (len(self._queue) < QUEUE_MAX and not self._sent.must_wait)

        if not self._changed.wait_for(has_room, timeout):
            raise late()
        if self._over:
            raise self._over

    def end(self, pending: Pending[_Future], asked: Asked | None) -> None:
        """Ends a part; an abandoned one has no `asked`."""
        if not self.is_here:
            return
        with self._changed:
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
            self._changed.notify_all()

    def close(self) -> None:
        """Stops new parts, and half-closes as soon as every part has ended."""
        with self._changed:
            self._parts.is_closing = True
            self._changed.notify_all()

    def give_up(self) -> None:
        """Closes, and ends all parts that are neither being finished nor whole sources."""
        with self._changed:
            for pending in self._parts.given_up():
                self.end(pending, None)
            self.close()

    def cancel(self) -> None:
        self._call.cancel()

    def _receive(self) -> None:
        over = broken("the server ended the stream")
        outcome: HashlaneError | None = None
        try:
            for response in self._call:
                with self._changed:
                    if response.memory_messages_read:
                        self._sent.read(response.memory_messages_read)
                        self._changed.notify_all()
                    if not self._method.is_answer(response):
                        continue
                    pending, answer = self._parts.take(self._method, response)
                self._answer(pending, answer)
        except grpc.RpcError as error:
            over = outcome = of_rpc(self._call if self._call.code() else error)
        except HashlaneError as error:
            over = outcome = error
        finally:
            # Before a retry chooses an endpoint.
            self._lease.ended(outcome)
            self._call.cancel()
            with self._changed:
                self._over = over
                self._sent.end()
                left = self._parts.end()
                self._changed.notify_all()
            for pending in left:
                pending.future.set_exception(over)
            self.is_done.set()

    def _answer(self, pending: Pending[_Future] | None, answer: object) -> None:
        if isinstance(answer, HashlaneError) and answer.is_retryable:
            # The server drains, or has a faulty kernel.
            self._lease.learned(answer)
            self.close()
        if pending is None:
            return
        if isinstance(answer, HashlaneError):
            pending.future.set_exception(answer)
        else:
            pending.future.set_result(answer)


# A part's call, the part, and the function that returns its slot.
_Begun = tuple[_Call, Pending[_Future], Callable[[], None]]


class _Stream(Generic[Answer]):
    """Many parts at once on one call. Safe for threads.

    When the call's server drains or is gone, new parts go to a new call, on the best
    endpoint at that time. The end of a `with` block gives up parts that are not finished.
    """

    def __init__(self, client: Client, method: Method[Answer]) -> None:
        self._client = client
        self._method: Method[Answer] = method
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(PARTS_MAX)
        self._calls: list[_Call] = []
        self._is_closed = False

    def close(self) -> None:
        """Waits for whole sources and for parts that are being finished, and ends the stream.

        Other parts are given up: to write or finish them fails.
        """
        with self._lock:
            self._is_closed = True
            calls = [call for call in self._calls if call.is_here]
        for call in calls:
            call.give_up()
        for call in calls:
            call.is_done.wait()

    def cancel(self) -> None:
        """Parts that are not answered fail."""
        with self._lock:
            self._is_closed = True
            calls = [call for call in self._calls if call.is_here]
        for call in calls:
            call.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.cancel()
        self.close()

    def _begin(self, asked: Asked, remaining: float | None, is_whole: bool = False) -> _Begun:
        if not self._slots.acquire(timeout=remaining):
            raise late()
        try:
            with self._lock:
                while True:
                    if self._is_closed:
                        raise ArgumentError("the stream is closed: open another one")
                    self._calls = [
                        call for call in self._calls if call.is_here and not call.is_done.is_set()
                    ]
                    if self._calls and (pending := self._calls[-1].begin(asked, is_whole)):
                        return self._calls[-1], pending, self._slots.release
                    # The previous call takes no new parts. It ends when its parts do.
                    if self._calls:
                        self._calls[-1].close()
                    self._calls.append(_Call(self._client, self._method))
        except BaseException:
            self._slots.release()
            raise

    def _whole(self, source: SourceLike, asked: Asked, timeout: float | None) -> Answer:
        with source_errors():
            return self._whole_part(source, asked, timeout)

    def _whole_part(self, source: SourceLike, asked: Asked, timeout: float | None) -> Answer:
        """Sends a source as one part, and retries if that fails."""
        origin = Source(source)
        retries = Retries(self._client._pool, self._client._options.retry_seconds, timeout)
        try:
            while True:
                part: _Part[Answer] | None = None
                try:
                    part = _Part(*self._begin(asked, retries.remaining(), is_whole=True))
                    reading = origin.open(retries.remaining(), part.region)
                    while (message := reading.next()) is not None:
                        part.send(message, retries.remaining())
                    return part.end(asked, retries.remaining())
                except HashlaneError as error:
                    failure = error
                finally:
                    if part:
                        part.discard()
                origin.failed(failure)
                time.sleep(retries.after(failure, part.endpoint if part else None))
        finally:
            origin.abandon()


class _Part(Generic[Answer]):
    """A part in progress. One thread writes it."""

    def __init__(self, call: _Call, pending: Pending[_Future], release: Callable[[], None]) -> None:
        self._call = call
        self._pending = pending
        self._release: Callable[[], None] | None = release
        self.endpoint = call.endpoint
        self.region = call.region
        self._gather = Gather(message_bytes(call.region))

    @property
    def algorithms(self) -> tuple[Algorithm, ...]:
        """The algorithms of the part."""
        return self._pending.asked.algorithms

    def write(self, data: Buffer) -> int:
        """Takes the part's next bytes. Waits while the server's flow control holds the stream.

        An error is final: the part has no digest.
        """
        with self.taking():
            for message in self._gather.add(data):
                self.send(message)
        return len(data)

    def flush(self) -> None:
        """Sends the gathered bytes, even if they fill no message."""
        with self.taking():
            self._send_rest()

    def buffer(self) -> PartBuffer:
        """Memory for the part's next bytes, which the program fills itself.

        It is shared with the server, if the server does that and some is free. Waits as write does.
        """
        with self.taking():
            self._send_rest()
            return PartBuffer(self, self._call.slot())

    def taking(self) -> Taking:
        """The block takes bytes. Unless it takes all, the part is given up."""
        if not self._call.is_here:
            raise ArgumentError("the part was begun before fork: begin one in this process")
        return Taking(self._pending, self.discard)

    def discard(self) -> None:
        """Abandons the part. After finish it does nothing."""
        self._call.end(self._pending, None)
        release, self._release = self._release, None
        if release:
            release()

    def _send_rest(self, timeout: float | None = None) -> None:
        if rest := self._gather.rest():
            self.send(rest, timeout)

    def send(self, message: Message, timeout: float | None = None) -> None:
        try:
            if self._pending.future.done():
                # An early error, or the call's.
                self._pending.future.result()
            self._call.send(self._pending, message, timeout)
        except BaseException:
            if isinstance(message, Slot):
                message.give()
            raise

    def end(self, asked: Asked, timeout: float | None) -> Answer:
        deadline = Deadline(timeout)
        try:
            self._pending.is_finishing = True
            with self.taking():
                self._send_rest(deadline.remaining())
            self._call.end(self._pending, asked)
            answer: Answer = self._pending.future.result(deadline.remaining())
            return answer
        except concurrent.futures.TimeoutError:
            raise late() from None
        finally:
            self.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()


class PartBuffer(Room):
    """Memory for the next bytes of a part: `view`, which is writable.

    A `with` block gives it up at its end, if commit has not sent it.
    """

    def __init__(self, part: _Part[Any], slot: Slot | None) -> None:
        super().__init__(slot)
        self._part = part

    def commit(self, size: int) -> None:
        """Sends the first bytes. Waits as write does. Then nothing may be written here any more."""
        self.check(size)
        with self, self._part.taking():
            self._part.send(self.filled(size))


class DigestPart(_Part[PartDigest]):
    """A part in progress. One thread writes it; others may write other parts meanwhile."""

    def finish(self, *, timeout: float | None = None) -> PartDigest:
        """Ends the part and gives its digests."""
        return self.end(self._pending.asked, timeout)


class VerifyPart(_Part[Verification]):
    """A part in progress. One thread writes it; others may write other parts meanwhile."""

    def finish(self, *expected: DigestLike, timeout: float | None = None) -> Verification:
        """Ends the part and compares its digests, of algorithms that the part computes."""
        try:
            asked = self._pending.asked.expect(expected)
        except ArgumentError:
            self.discard()
            raise
        return self.end(asked, timeout)


class DigestStream(_Stream[PartDigest]):
    """Digests many parts at once on one call. Safe for threads."""

    def digest(
        self,
        source: SourceLike,
        *algorithms: AlgorithmLike,
        size_bytes: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> PartDigest:
        """As Client.digest, on this stream.

        The calling thread reads the source: a read that blocks outlasts the timeout.
        """
        return self._whole(source, Asked.digests(algorithms, size_bytes), timeout)

    def part(
        self,
        *algorithms: AlgorithmLike,
        size_bytes: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> DigestPart:
        """Begins a part that is written piece by piece.

        Its bytes cannot be sent again, so its error is final. Waits while 1,024 parts are
        unanswered.
        """
        return DigestPart(*self._begin(Asked.digests(algorithms, size_bytes), timeout))


class VerifyStream(_Stream[Verification]):
    """Verifies many parts at once on one call. Safe for threads."""

    def verify(
        self,
        source: SourceLike,
        *expected: DigestLike,
        size_bytes: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> Verification:
        """As Client.verify, on this stream.

        The calling thread reads the source: a read that blocks outlasts the timeout.
        """
        return self._whole(source, Asked.verdict(expected, size_bytes), timeout)

    def part(
        self,
        *algorithms: AlgorithmLike,
        size_bytes: SupportsIndex | None = None,
        timeout: float | None = None,
    ) -> VerifyPart:
        """Begins a part that is written piece by piece, and computes these digests.

        finish takes the expected digests. Its bytes cannot be sent again, so its error is
        final.
        """
        return VerifyPart(*self._begin(Asked.digests(algorithms, size_bytes), timeout))


class Hash(_Closing):
    """A part with hashlib's update, digest, hexdigest, name and digest_size.

    Unlike hashlib's it has one end: after digest, hexdigest or finish it takes no more bytes. With
    512 KiB its call begins. The bytes of the call cannot be sent again, so its error is final.
    Before, a digest that failed can be requested again. It is not safe for threads.
    """

    def __init__(self, client: Client, algorithms: Sequence[AlgorithmLike]) -> None:
        self._client = client
        self._algorithms = Asked.digests(algorithms).algorithms
        # The bytes before the call begins: a server would end a call without any.
        self._first = bytearray()
        self._stream: DigestStream | None = None
        self._part: DigestPart | None = None
        self._answer: PartDigest | None = None
        # Of the call.
        self._failure: HashlaneError | None = None
        self._is_closed = False
        first = self._algorithms[0]
        # Belongs to the first algorithm, as digest and hexdigest do.
        self.name = str(first)
        self.digest_size = first.digest_bytes

    def update(self, data: Buffer) -> None:
        """Takes the next bytes. Waits while the server's flow control holds the stream."""
        if self._answer:
            raise ArgumentError("update after the digest: begin another one")
        self._must_be_open()
        if self._part is None:
            view = memoryview(data).cast("B")
            if len(self._first) + len(view) < MESSAGE_BYTES:
                self._first += view
                return
        with self._final_errors():
            part = self._part or self._begin()
            part.write(data)

    def finish(self, *, timeout: float | None = None) -> PartDigest:
        """The digests of all algorithms, and the number of bytes."""
        if self._answer is None:
            self._must_be_open()
            if self._part:
                with self._final_errors():
                    self._answer = self._part.finish(timeout=timeout)
            else:
                # A copy: the frames of an error hold it, and a bytearray in use cannot grow.
                first = bytes(self._first)
                self._answer = self._client.digest(first, *self._algorithms, timeout=timeout)
            self.close()
        return self._answer

    def digest(self) -> bytes:
        """The digest of the first algorithm."""
        return self.finish().digest.raw

    def hexdigest(self) -> str:
        """The digest of the first algorithm in hex."""
        return self.finish().digest.hex

    def close(self) -> None:
        """Abandons the part if it has no digest yet."""
        self._is_closed = True
        self._first = bytearray()
        if self._stream:
            if self._answer is None:
                self._stream.cancel()
            self._stream.close()

    def __del__(self) -> None:
        # Nothing else has the stream. Its thread and those of gRPC end with the call.
        stream = getattr(self, "_stream", None)
        # At the end of the program a thread that is no more may hold gRPC's locks.
        if stream and not sys.is_finalizing():
            stream.cancel()

    def _must_be_open(self) -> None:
        if self._is_closed:
            raise self._failure or ArgumentError("the hash is closed: begin another one")

    @contextlib.contextmanager
    def _final_errors(self) -> Iterator[None]:
        """After an error in this block the hash is closed, and tells the error again."""
        try:
            yield
        except BaseException as error:
            if isinstance(error, HashlaneError):
                self._failure = error
            self.close()
            raise

    def _begin(self) -> DigestPart:
        self._stream = DigestStream(self._client, DIGEST)
        self._part = self._stream.part(*self._algorithms)
        self._part.write(self._first)
        self._first = bytearray()
        return self._part
