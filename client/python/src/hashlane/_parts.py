"""The parts of one call. Numbers are never used twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, TypeVar

from hashlane._answers import Asked, Method
from hashlane._errors import ArgumentError, HashlaneError, broken
from hashlane._wire import Encoder

# A concurrent.futures.Future, or an asyncio.Future.
Future = TypeVar("Future")


@dataclass
class Pending(Generic[Future]):
    """A part that is not answered."""

    number: int
    asked: Asked
    encoder: Encoder
    future: Future
    # Sent by the call of a whole source, not written piece by piece.
    is_whole: bool = False
    # Nothing will be written but the gathered bytes.
    is_finishing: bool = False
    # Nothing more will be sent.
    has_ended: bool = False
    # A write did not take all its bytes, or is about to.
    is_torn: bool = False
    # Why the part can have no digest.
    failure: HashlaneError | None = None

    def must_go_on(self) -> None:
        """Raises if the part has ended."""
        if self.has_ended:
            raise self.failure or ArgumentError("the part has ended")


class Taking:
    """A block that takes bytes. Unless it takes all, the part is given up.

    An interrupt may come at any place, and skip what handles it: the part counts as torn from the
    first byte on, until the block has ended well.
    """

    def __init__(self, pending: Pending[Any], discard: Callable[[], None]) -> None:
        self._pending = pending
        self._discard = discard

    def __enter__(self) -> None:
        pending = self._pending
        if pending.is_torn:
            torn = "a write did not take all its bytes: begin another part"
            raise pending.failure or ArgumentError(torn)
        pending.must_go_on()
        pending.is_torn = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._pending.is_torn = False
            return
        if isinstance(error, HashlaneError):
            self._pending.failure = error
        self._discard()


class Parts(Generic[Future]):
    """Which parts a call has. Not safe for concurrent use: the call locks."""

    def __init__(self) -> None:
        self._next = 0
        self._pending: dict[int, Pending[Future]] = {}
        # Parts whose last message is not sent yet.
        self._unfinished = 0
        # No new parts: the server drains, or the stream is closed.
        self.is_closing = False

    def begin(self, asked: Asked, future: Future, is_whole: bool) -> Pending[Future]:
        number = self._next
        self._next += 1
        self._unfinished += 1
        pending = Pending(number, asked, Encoder(number, asked), future, is_whole)
        self._pending[number] = pending
        return pending

    def take(self, method: Method[Any], response: Any) -> tuple[Pending[Future] | None, object]:
        """The part of a response, if it is still awaited, and its answer or error."""
        number = response.part
        if number >= self._next and not (number == self._next == 0):
            raise broken("an answer for a part that was not opened")
        pending = self._pending.pop(number, None)
        if pending is None:
            # The part failed early, or was abandoned.
            return None, None
        if not pending.has_ended and not response.HasField("error"):
            raise broken("a part was answered before it ended")
        try:
            return pending, method.check(response, pending.asked, pending.encoder.sent_bytes)
        except HashlaneError as error:
            return pending, error

    def given_up(self) -> list[Pending[Future]]:
        """The parts that nobody finishes when their stream is closed: they fail."""
        left = [
            each
            for each in self._pending.values()
            if not (each.is_finishing or each.has_ended or each.is_whole)
        ]
        for each in left:
            each.failure = ArgumentError("the stream was closed before the part was finished")
        return left

    def drop(self, number: int) -> None:
        """Removes a part: an answer to it is discarded."""
        self._pending.pop(number, None)

    def keep_alive(self) -> bytes | None:
        """A message without bytes, of a part whose source gives nothing now, if there is one."""
        for each in self._pending.values():
            if each.is_whole and not each.has_ended:
                return each.encoder.data(b"")
        return None

    def finished(self) -> None:
        """Called once for each part: its last message is sent, or no message ever was."""
        self._unfinished -= 1

    def may_half_close(self) -> bool:
        """Half-closing earlier would end parts as if they were complete."""
        return self.is_closing and self._unfinished == 0

    def end(self) -> list[Pending[Future]]:
        """The parts that get no answer."""
        self.is_closing = True
        left = list(self._pending.values())
        self._pending.clear()
        return left
