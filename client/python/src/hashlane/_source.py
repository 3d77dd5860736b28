"""Where the bytes of a part come from, cut into messages."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import threading
import time
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Sequence,
)
from concurrent.futures import Future
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from hashlane._errors import ArgumentError, HashlaneError, SourceError, late
from hashlane._memory import SLOT_BYTES, Message, Region, Slot
from hashlane._wire import MESSAGE_BYTES

T = TypeVar("T")

# If the source of a part gives nothing for this many seconds, a message without bytes is sent:
# servers end idle streams. A quarter of a server's default part_idle_timeout.
KEEP_ALIVE = 15.0
# A piece that comes this many seconds after the last message is sent with the waiting bytes, even
# if they fill no message: servers end idle streams.
FLUSH_AFTER = 1.0


class Readable(Protocol):
    """A file that was opened in binary mode, and the like."""

    def read(self, size: int, /) -> bytes | None: ...


class AsyncReadable(Protocol):
    """An asyncio.StreamReader, and the like."""

    async def read(self, size: int, /) -> bytes: ...


Buffer = bytes | bytearray | memoryview
SourceLike = Buffer | os.PathLike[str] | Readable | Iterable[Buffer]
AsyncSourceLike = SourceLike | AsyncReadable | AsyncIterable[Buffer]


class StaleError(Exception):
    """An attempt that is over goes on reading."""


class Gather:
    """Makes messages of pieces of any size."""

    def __init__(self, message_bytes: int = MESSAGE_BYTES) -> None:
        self._message_bytes = message_bytes
        self._pieces: list[bytes] = []
        self._size = 0
        # When the last message was sent; at first, when the part began.
        self._sent_at = time.monotonic()

    def add(self, piece: Buffer) -> Iterator[memoryview | bytes]:
        """The messages to send now."""
        view = memoryview(piece).cast("B")
        while len(view):
            room = self._message_bytes - self._size
            taken, view = view[:room], view[room:]
            if len(taken) == self._message_bytes:
                yield taken
                self._sent_at = time.monotonic()
                continue
            # The caller may change what it gave.
            self._pieces.append(bytes(taken))
            self._size += len(taken)
            is_late = time.monotonic() - self._sent_at >= FLUSH_AFTER
            if self._size == self._message_bytes or is_late:
                yield self.rest()
                self._sent_at = time.monotonic()

    def rest(self) -> bytes:
        """The rest, which fills no message."""
        message = b"".join(self._pieces)
        self._pieces, self._size = [], 0
        return message


def message_bytes(region: Region | None) -> int:
    """The most bytes of a message."""
    return SLOT_BYTES if region else MESSAGE_BYTES


def _slices(data: Buffer, size: int = MESSAGE_BYTES) -> Iterator[memoryview]:
    view = memoryview(data).cast("B")
    return (view[at : at + size] for at in range(0, len(view), size))


def read_all(reader: Readable) -> Iterator[Buffer]:
    """The bytes of a reader, as they arrive."""
    # A buffered reader's read() waits until it has all that it was asked for.
    read1 = getattr(reader, "read1", None)
    while True:
        piece = None
        if read1:
            with contextlib.suppress(io.UnsupportedOperation):
                piece = read1(MESSAGE_BYTES)
        # Without a piece it is at its end, or has nothing now: read() tells which.
        piece = piece or reader.read(MESSAGE_BYTES)
        if piece is None:
            raise _nothing_now()
        if isinstance(piece, str):
            raise TypeError("it gives text: open it in binary mode")
        if not piece:
            return
        yield piece


def _readinto(reader: Any) -> Callable[[memoryview], int | None] | None:
    """The method of a reader that reads once, into given memory.

    None if a subclass or a wrapper has another read(): that one gives the right bytes.
    """
    for kind in type(reader).__mro__:
        own = vars(kind)
        for name in ("readinto1", "readinto"):
            # The plain one of a buffered reader waits until all memory is full.
            if name in own and (name == "readinto1" or "read1" not in own or kind is io.BytesIO):
                method: Callable[[memoryview], int | None] = getattr(reader, name)
                return method
        if "read" in own or "read1" in own:
            break
    return None


def _filled(
    readinto: Callable[[memoryview], int | None], region: Region
) -> Iterator[memoryview | Slot]:
    """Messages that are read where they are sent from: in shared memory, if some is free."""
    sent_at = time.monotonic()
    while True:
        slot = region.take()
        room = slot.view if slot else memoryview(bytearray(MESSAGE_BYTES))
        size = 0
        try:
            while size < len(room):
                got = readinto(room[size:])
                if got is None:
                    raise _nothing_now()
                size += got
                if not got or time.monotonic() - sent_at >= FLUSH_AFTER:
                    break
        except BaseException:
            if slot:
                slot.give()
            raise
        if not size:
            if slot:
                slot.give()
            return
        if slot:
            slot.size = size
            yield slot
        else:
            yield room[:size]
        sent_at = time.monotonic()
        if not got:
            return


def _is_file(reader: Any) -> bool:
    """Whether it gives the bytes of a regular file. A subclass may give others."""
    is_buffered = type(reader) in (io.BufferedReader, io.BufferedRandom)
    file = reader.raw if is_buffered else reader
    return type(file) is io.FileIO and stat.S_ISREG(os.fstat(file.fileno()).st_mode)


def _whole(messages: Iterator[Message], file: Any, start: int) -> Iterator[Message]:
    """The messages of a file. Raises if it ends before the length that it had at first."""
    at, length = start, os.fstat(file.fileno()).st_size
    for message in messages:
        at += message.size if isinstance(message, Slot) else len(message)
        yield message
    # Cut, and perhaps written again. Files in /sys always end before the length that they claim.
    if at < length and (os.fstat(file.fileno()).st_size != length or file.read(1)):
        raise EOFError("the file became shorter while it was read")


def _nothing_now() -> BlockingIOError:
    return BlockingIOError("it has nothing now: give a source that blocks")


def _gathered(pieces: Iterable[Buffer], region: Region | None) -> Iterator[memoryview | bytes]:
    gather = Gather(message_bytes(region))
    for piece in pieces:
        yield from gather.add(piece)
    if rest := gather.rest():
        yield rest


class Source:
    """The source of one part, for one attempt after the other."""

    def __init__(self, source: SourceLike) -> None:
        # One read at a time, even if an attempt that is over still reads.
        self._lock = threading.Lock()
        self._attempt = 0
        # Of a source that cannot be read again: its messages, and the first that it gave, since
        # gRPC takes one before there is a connection.
        self._once: Iterator[Message] | None = None
        self._kept: bytes | None = None
        self._is_lost = False
        # The error of the last attempt.
        self._failure: HashlaneError | None = None
        # Nothing more will be read.
        self._is_over = False
        self._source = source
        # The source, or the file at its path once that is open.
        self._reader: Any = None
        self._start: int | None = None
        if isinstance(source, str):
            raise ArgumentError("a str is no source: give bytes, or a pathlib.Path for a file")
        # Whether reading blocks.
        self.is_blocking = not isinstance(source, (bytes, bytearray, memoryview))
        self._can_reopen = True
        if hasattr(source, "read"):
            self._reader = source
            self._start = _tell(source)
            self._can_reopen = self._start is not None
        elif isinstance(source, Iterable) and self.is_blocking:
            # Others may go on where they were left: a requests.Response does.
            self._can_reopen = isinstance(source, Sequence)
        elif self.is_blocking and not isinstance(source, os.PathLike):
            raise ArgumentError(
                f"a {type(source).__name__} is no source: give bytes, a path, a binary file, or an "
                "iterable of bytes"
            )

    @property
    def may_pause(self) -> bool:
        """Whether a read may wait for another program. Those of files and of memory do not."""
        if isinstance(self._source, os.PathLike):
            # If it cannot be opened, the read tells why.
            with contextlib.suppress(OSError, ValueError):
                return not stat.S_ISREG(os.stat(self._source).st_mode)
        if self._reader is not None:
            return type(self._reader) is not io.BytesIO and not _is_file(self._reader)
        return self.is_blocking and not isinstance(self._source, (list, tuple))

    def failed(self, error: HashlaneError) -> None:
        """The error of an attempt. Raises it if the bytes cannot be read from their beginning."""
        # A read that is in progress may still lose them.
        self._failure = error
        if self._is_lost:
            raise error

    def open(self, timeout: float | None = None, region: Region | None = None) -> Reading:
        """The messages from the beginning. The attempt before must be over; waits for its read."""
        self._attempt += 1
        if not self._lock.acquire(timeout=-1 if timeout is None else timeout):
            raise late()
        try:
            if self._is_lost and self._failure:
                raise self._failure
            return Reading(self, self._attempt, self._messages(region))
        finally:
            if self._is_over:
                self._close()
            self._lock.release()

    def abandon(self) -> None:
        """Ends the last attempt. Does not wait for a read that blocks: its end closes the file."""
        self._attempt += 1
        self._is_over = True
        if self._lock.acquire(blocking=False):
            try:
                self._close()
            finally:
                self._lock.release()

    def _messages(self, region: Region | None) -> Iterator[Message]:
        """The path is opened with the first message: to open a pipe waits for who writes it."""
        source: Any = self._source
        if isinstance(source, os.PathLike) and self._reader is None:
            self._reader = open(source, "rb", buffering=0)  # noqa: SIM115 closed by _close
            mode = os.fstat(self._reader.fileno()).st_mode
            # A pipe can be read only once, whatever its name is.
            if stat.S_ISREG(mode) or stat.S_ISBLK(mode):
                self._start = _tell(self._reader)
            self._can_reopen = self._start is not None
        if not self._can_reopen:
            yield from self._replayed(region)
            return
        if self._start is not None and _is_file(self._reader):
            # A buffered reader forgets what it read ahead: the file may have changed. A file in
            # /proc has no end to go to.
            with contextlib.suppress(OSError):
                self._reader.seek(0, os.SEEK_END)
            self._reader.seek(self._start)
            yield from _whole(self._read(region), self._reader, self._start)
            return
        if self._reader is not None:
            self._reader.seek(self._start)
        yield from self._read(region)

    def _read(self, region: Region | None) -> Iterator[Message]:
        source: Any = self._source
        if not self.is_blocking:
            return _slices(source, message_bytes(region))
        if self._reader is None:
            return _gathered(source, region)
        readinto = _readinto(self._reader)
        if region and readinto:
            return _filled(readinto, region)
        return _gathered(read_all(self._reader), region)

    def _replayed(self, region: Region | None) -> Iterator[Message]:
        """The bytes of a source without a second read, from its beginning while that is kept."""
        if self._once is None:
            self._once = self._read(region)
        if self._kept is not None:
            yield self._kept
        for message in self._once:
            if self._kept is None:
                # The caller may change what it gave.
                self._kept = bytes(message.filled if isinstance(message, Slot) else message)
            else:
                self._is_lost = True
            yield message

    def _close(self) -> None:
        """Closes what was opened here."""
        if self._reader is not None and self._reader is not self._source:
            self._reader.close()
            self._reader = None

    def next_of(self, attempt: int, messages: Iterator[Message]) -> Message | None:
        """The next message of an attempt; None at the end."""
        with self._lock:
            if attempt != self._attempt:
                raise StaleError
            try:
                return next(messages, None)
            except BaseException as error:
                # A generator that has failed looks like one at its end.
                self._is_lost |= not self._can_reopen
                if not isinstance(error, Exception):
                    raise
                raise SourceError(error) from None
            finally:
                if self._is_over:
                    self._close()


class Reading:
    """One attempt to read a source."""

    def __init__(self, source: Source, attempt: int, messages: Iterator[Message]) -> None:
        self._source = source
        self._attempt = attempt
        self._messages = messages

    def next(self) -> Message | None:
        """The next message; None at the end."""
        return self._source.next_of(self._attempt, self._messages)


class ReadingThread:
    """The thread that reads one source.

    A read that blocks keeps no other source waiting, and not the end of the program.
    """

    def __init__(self) -> None:
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], object]] | None] = SimpleQueue()
        threading.Thread(target=self._run, name="hashlane source", daemon=True).start()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._work.put((future, work))
        return future

    def end(self) -> None:
        """Does not wait for a read that blocks."""
        self._work.put(None)

    def _run(self) -> None:
        while given := self._work.get():
            future, work = given
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)


def _tell(source: Any) -> int | None:
    """The position of a reader, if it can return there."""
    try:
        position: int = source.tell()
        source.seek(position)
    except (AttributeError, OSError, ValueError):
        return None
    return position


def is_async(source: object) -> bool:
    """Whether it is read with await."""
    if isinstance(source, AsyncIterable):
        return True
    read = getattr(source, "read", None)
    code = getattr(read, "__code__", None)
    return bool(code and code.co_flags & 0x80)


class AsyncSource:
    """The same for what is read with await. None of it can be read again."""

    def __init__(self, source: AsyncReadable | AsyncIterable[Buffer]) -> None:
        self._source: Any = source
        self._once: AsyncIterator[bytes | memoryview] | None = None
        self._kept: bytes | None = None
        self._is_lost = False

    def failed(self, error: HashlaneError) -> None:
        """As Source.failed."""
        if self._is_lost:
            raise error

    async def _pieces(self) -> AsyncIterator[Buffer]:
        if hasattr(self._source, "read"):
            while piece := await self._source.read(MESSAGE_BYTES):
                yield piece
        else:
            async for piece in self._source:
                yield piece

    async def _gathered(self, region: Region | None) -> AsyncIterator[bytes | memoryview]:
        gather = Gather(message_bytes(region))
        try:
            async for piece in self._pieces():
                for message in gather.add(piece):
                    yield message
        except Exception as error:
            raise SourceError(error) from None
        if rest := gather.rest():
            yield rest

    async def messages(self, region: Region | None = None) -> AsyncIterator[Message]:
        """The messages from the beginning. The attempt before must be over."""
        if self._is_lost:
            raise SourceError(EOFError("what it gave is gone"))
        if self._once is None:
            self._once = self._gathered(region)
        if self._kept is not None:
            yield self._kept
        while True:
            try:
                message = await anext(self._once)
            except StopAsyncIteration:
                return
            except BaseException:
                # A generator that was cancelled, or has failed, looks like one at its end.
                self._is_lost = True
                raise
            if self._kept is None:
                self._kept = bytes(message)
            else:
                self._is_lost = True
            yield message


class Room:
    """Memory that a program fills: a slot, or memory of its own."""

    def __init__(self, slot: Slot | None) -> None:
        self._slot = slot
        # To be filled from its beginning.
        self.view = slot.view[:] if slot else memoryview(bytearray(MESSAGE_BYTES))

    def check(self, size: int) -> None:
        """Whether so many bytes can be filled."""
        if not 0 <= size <= len(self.view):
            raise ArgumentError(f"{size} bytes of a buffer that has {len(self.view)}")

    def filled(self, size: int) -> Message:
        """The message of the first bytes. The program can write here no more."""
        slot, message = self._slot, self.view[:size]
        self._slot = None
        self.close()
        if slot is None:
            return message
        slot.size = size
        return slot

    def close(self) -> None:
        """Gives up what is not sent."""
        # The program may have made an array of it.
        with contextlib.suppress(BufferError):
            self.view.release()
        if self._slot:
            self._slot.give()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
