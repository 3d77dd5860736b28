"""The slots of one call, until the server has read them.

A message that finds no free slot goes through the socket: to wait for one could be to wait for
another part's source. A call waits only until the server has read a slot of its own.

The slots of all calls together have no other bound than the memory: to keep fewer with the server,
and so in the caches, saves less than the longer waits cost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from hashlane._errors import broken
from hashlane._memory import SLOT_USED_BYTES_MIN, Message, Region, Slot
from hashlane._wire import MESSAGE_BYTES

# Slots of a call that the server has not read. More only leave the cache.
UNREAD_MAX = 2
# A call has several only if this share of all is free: other calls need their first one.
FREE_SHARE_MIN = 0.5


class Sent:
    """The slots that a call's messages name. The call locks."""

    def __init__(self, region: Region | None) -> None:
        self._region = region
        self._unread: deque[Slot] = deque()
        self._read = 0
        self._is_over = False

    @property
    def must_wait(self) -> bool:
        """Whether the next message has to wait until the server has read one of this call."""
        unread = len(self._unread)
        if not unread or not self._region:
            return False
        return unread >= UNREAD_MAX or self._region.free_share < FREE_SHARE_MIN

    def all(self, message: Message) -> Iterator[Message]:
        """The messages to send for one."""
        while message:
            placed, message = self.place(message)
            yield placed

    def place(self, message: Message) -> tuple[Message, Message]:
        """What to send next, in a slot if it is large and one is free; and the rest."""
        if isinstance(message, Slot) and (
            message.region is not self._region or message.size < SLOT_USED_BYTES_MIN
        ):
            slot, message = message, bytes(message.filled)
            slot.give()
        if self._region and not isinstance(message, Slot):
            message = self._region.copy(message)
        if not isinstance(message, Slot):
            # Servers may refuse a longer one.
            view = memoryview(message)
            return view[:MESSAGE_BYTES], view[MESSAGE_BYTES:]
        self._unread.append(message)
        if self._is_over:
            self.end()
        return message, b""

    def read(self, count: int) -> None:
        """The server has read so many slots since the call began."""
        for _ in range(self._read, count):
            if not self._unread:
                raise broken("more memory was read than was sent")
            self._unread.popleft().give()
            self._read += 1

    def end(self) -> None:
        """The call is over. The server may still read slots, for digests that nobody gets."""
        self._is_over = True
        while self._unread:
            self._unread.popleft().give()
