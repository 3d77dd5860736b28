"""Memory that a client shares with a server on the same machine.

"Shared memory" in docs/protocol.md is the protocol.

    Memory (of an endpoint) -- first call --> Region, or none: then bytes go through the socket
    Region -- take --> Slot, filled --> Sent (of a call): a message names it --> read --> free
"""

from __future__ import annotations

import contextlib
import logging
import mmap
import os
import socket
import struct
import sys
import threading
import time

# Bytes of a slot, and so the most of a message that names one. Python's time is for messages: see
# MESSAGE_BYTES. A server takes no longer range.
SLOT_BYTES = 1 << 20
# A message with fewer bytes goes through the socket: that costs less than to be told that a slot is
# free.
SLOT_USED_BYTES_MIN = 16 << 10
# The most that a client asks for.
MEMORY_BYTES_MAX = 64 << 20
# Statuses of a server that may share less: it allows less, or it, this client's share of it or the
# system has no more. It is asked for half, down to one slot.
_LESS = (3, 4, 5, 6)
# For the server's replies, in seconds.
REPLY_TIMEOUT = 1.0
# After a server refused to share memory, it is asked again no sooner than this many seconds later.
PAUSE = 60.0
# After nobody answered, as while a server starts again: there is no socket, or its server ended
# before it replied.
AWAY_PAUSE = 1.0
_AWAY = (FileNotFoundError, ConnectionError)

# Magic, version, bytes; magic, status, id, bytes.
_REQUEST = struct.Struct(">4sIQ")
_REPLY = struct.Struct(">4sI16sQ")

_LOG = logging.getLogger("hashlane")


class Slot:
    """A part of a region. It is free again when it is given back, or nothing refers to it."""

    def __init__(self, region: Region, number: int) -> None:
        self.region = region
        self._number: int | None = number
        self.offset = number * SLOT_BYTES
        self.view = region.view[self.offset : self.offset + SLOT_BYTES]
        # How much of it is filled.
        self.size = 0

    @property
    def filled(self) -> memoryview:
        return self.view[: self.size]

    def give(self) -> None:
        number, self._number = self._number, None
        if number is None:
            return
        # The program may have made an array of it.
        with contextlib.suppress(BufferError):
            self.view.release()
        self.region.give(number)

    def __del__(self) -> None:
        self.give()


# The bytes of a message: to be copied into it, or in shared memory.
Message = bytes | memoryview | Slot


class Region:
    """Memory that is mapped here and by the server.

    Operations of lists are atomic, so that it needs no lock: the garbage collector may give back a
    slot at any place.
    """

    def __init__(self, link: socket.socket, shared: mmap.mmap, name: str) -> None:
        # The memory lives while this is open.
        self._link = link
        link.setblocking(False)
        self._map = shared
        self._process = os.getpid()
        self._count = len(shared) // SLOT_BYTES
        # The last one is used first, because it is in cache.
        self._free = list(range(self._count))
        self._is_closed = False
        # As calls name it.
        self.name = name
        self.view = memoryview(shared)

    @property
    def is_alive(self) -> bool:
        """Whether the server still shares it with this process, not with its parent."""
        if self._process != os.getpid():
            return False
        try:
            # Nothing ever arrives but the end.
            self._link.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    @property
    def free_share(self) -> float:
        return len(self._free) / self._count

    def take(self) -> Slot | None:
        """A free slot, if there is one."""
        if self._is_closed:
            return None
        try:
            number = self._free.pop()
        except IndexError:
            return None
        if self._is_closed:
            # It may be unmapped.
            self.give(number)
            return None
        return Slot(self, number)

    def copy(self, message: bytes | memoryview) -> Message:
        """The message, in a slot if it is large and one is free."""
        size = len(message)
        slot = self.take() if SLOT_USED_BYTES_MIN <= size <= SLOT_BYTES else None
        if slot is None:
            return message
        slot.view[:size] = message
        slot.size = size
        return slot

    def give(self, number: int) -> None:
        self._free.append(number)
        self._release()

    def close(self) -> None:
        """Unmaps the memory once all slots are free."""
        self._is_closed = True
        self._release()

    def _release(self) -> None:
        if not self._is_closed or len(self._free) < self._count:
            return
        # A child process has the same socket: the parent alone ends the sharing.
        if self._process == os.getpid():
            with contextlib.suppress(OSError):
                self._link.shutdown(socket.SHUT_RDWR)
        self._link.close()
        # If the program still has an array of it, it is unmapped when that is gone.
        with contextlib.suppress(BufferError):
            self.view.release()
            self._map.close()


class Memory:
    """The memory that is shared with the server of one endpoint."""

    def __init__(self, endpoint: str, size_bytes: int) -> None:
        self._path = endpoint.removeprefix("unix:").removeprefix("//") + ".memory"
        self._bytes = size_bytes
        # None is requested where it cannot be.
        self._is_possible = (
            endpoint.startswith("unix:") and size_bytes >= SLOT_BYTES and sys.platform == "linux"
        )
        self._lock = threading.Lock()
        self._region: Region | None = None
        # No request before this, once the server shared none.
        self._pause_until = 0.0
        # It was logged that the server shares none.
        self._is_logged = False
        self._is_closed = False

    @property
    def is_known(self) -> bool:
        """Whether get() asks nobody, so that it does not block."""
        region = self._region
        return region.is_alive if region else not self._may_ask

    @property
    def _may_ask(self) -> bool:
        return self._is_possible and time.monotonic() >= self._pause_until

    def get(self) -> Region | None:
        """The memory, if the server shares any. The first call asks for it."""
        if not self._is_possible:
            return None
        with self._lock:
            if self._region and self._region.is_alive:
                return self._region
            self._drop()
            if self._may_ask and not self._is_closed:
                try:
                    self._region = _ask_less(self._path, self._bytes)
                    self._is_logged = False
                except (OSError, ValueError) as error:
                    if not self._is_logged:
                        _LOG.info("the server shares no memory at %s: %s", self._path, error)
                    self._is_logged = True
                    self._pause(AWAY_PAUSE if isinstance(error, _AWAY) else PAUSE)
            return self._region

    def forget(self, used: Region | None) -> None:
        """Gives up the region that a call used and its server does not know.

        Another may have replaced it.
        """
        with self._lock:
            if used is None or self._region is not used:
                return
            # If its server has ended, the next one is asked.
            if used.is_alive:
                self._pause(PAUSE)
            self._drop()

    def close(self) -> None:
        """Ends the sharing. Memory that is in use stays until it is not."""
        with self._lock:
            self._is_closed = True
            self._drop()

    def _pause(self, seconds: float) -> None:
        self._pause_until = time.monotonic() + seconds

    def _drop(self) -> None:
        region, self._region = self._region, None
        if region:
            region.close()


class _RefusedError(OSError):
    """The server shares no memory."""

    def __init__(self, status: int) -> None:
        super().__init__(f"refused: status {status}")
        self.status = status


def _ask_less(path: str, size_bytes: int) -> Region:
    """Requests memory. After each refusal for lack of room, requests half."""
    deadline = time.monotonic() + REPLY_TIMEOUT
    while True:
        try:
            # A timeout of 0 would be another mode.
            return _ask(path, size_bytes, max(deadline - time.monotonic(), 0.001))
        except _RefusedError as error:
            if error.status not in _LESS or size_bytes <= SLOT_BYTES:
                raise
        size_bytes = max(size_bytes // 2, SLOT_BYTES)


def _ask(path: str, size_bytes: int, timeout: float) -> Region:
    """Asks for memory."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    files: list[int] = []
    try:
        link.settimeout(timeout)
        link.connect(path)
        link.sendall(_REQUEST.pack(b"HLSM", 1, size_bytes))
        # The server sends a reply at once.
        reply, files, _, _ = socket.recv_fds(link, _REPLY.size, 1, socket.MSG_CMSG_CLOEXEC)
        if len(reply) < _REPLY.size:
            raise ConnectionResetError("the reply is cut")
        magic, status, name, _ = _REPLY.unpack(reply)
        if magic != b"HLSM":
            raise OSError("the reply is not of this protocol")
        if status != 0:
            raise _RefusedError(status)
        if not files:
            raise OSError("the reply has no descriptor")
        # This fails if the file is smaller.
        return Region(link, mmap.mmap(files[0], size_bytes), name.hex())
    except BaseException:
        link.close()
        raise
    finally:
        # The mapping has a descriptor of its own.
        for file in files:
            os.close(file)
