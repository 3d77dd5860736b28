"""Messages of a request stream, written by hand: the data is copied once.

Digest and Verify number their fields alike.
"""

from __future__ import annotations

from hashlane._answers import Asked, Digest
from hashlane._memory import Message, Slot
from hashlane.v1 import hash_service_pb2 as pb

# Data of a message. For each message gRPC wakes two threads, which take turns with the interpreter:
# with 64 KiB a client of eight threads takes three times as much CPU. A server takes 4 MiB by
# default.
MESSAGE_BYTES = 512 << 10
# `data`, field 15 of wire type 2.
_DATA = b"\x7a"
# `memory`, field 14 of wire type 2, and its `offset` and `length`.
_MEMORY, _OFFSET, _LENGTH = b"\x72", b"\x08", b"\x10"


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


_FULL = _DATA + _varint(MESSAGE_BYTES)


class Encoder:
    """Encodes the messages of one part."""

    def __init__(self, number: int, asked: Asked) -> None:
        options = pb.PartOptions(
            algorithms=[each.wire_name for each in asked.algorithms],
            size_bytes=asked.declared_bytes,
        )
        self._number = number
        self._head = pb.VerifyRequest(part=number, open=options).SerializeToString()
        self._later = pb.VerifyRequest(part=number).SerializeToString()
        # Bytes of data so far.
        self.sent_bytes = 0
        self.has_begun = False
        self.has_ended = False

    def _next_head(self) -> bytes:
        head = self._later if self.has_begun else self._head
        self.has_begun = True
        return head

    def data(self, data: Message) -> bytes:
        """A message of data."""
        if isinstance(data, Slot):
            self.sent_bytes += data.size
            memory = _OFFSET + _varint(data.offset) + _LENGTH + _varint(data.size)
            return b"".join((self._next_head(), _MEMORY, _varint(len(memory)), memory))
        size = len(data)
        self.sent_bytes += size
        mark = _FULL if size == MESSAGE_BYTES else _DATA + _varint(size)
        return b"".join((self._next_head(), mark, data))

    def last(self, expected: tuple[Digest, ...] = ()) -> bytes:
        """The message that ends the part."""
        self.has_ended = True
        end = pb.VerifyRequest(last=True)
        for digest in expected:
            end.expected.add(algorithm=digest.algorithm.wire_name, digest=digest.raw)
        # Messages merge when they are joined.
        return self._next_head() + end.SerializeToString()
