"""How sources are read and cut into messages, without a server."""

from __future__ import annotations

import io
import os
import types
from typing import Any

import pytest

from hashlane._source import Gather, _slices, read_all
from hashlane._wire import MESSAGE_BYTES
from tests.support import MIB, pattern


def test_slow_pieces_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece that comes a second after the last message is sent, with all that wait."""
    now = 100.0
    clock = types.SimpleNamespace(monotonic=lambda: now)
    monkeypatch.setattr("hashlane._source.time", clock)
    gather = Gather()
    large = pattern(MESSAGE_BYTES + 1)
    for seconds, piece, sent in [
        (0.5, b"a", []),
        (0.5, b"b", [b"ab"]),
        (31.0, b"c", [b"c"]),
        (31.0, b"d", [b"d"]),
        (0.9, b"", []),
        (0.0, b"e", []),
        (0.0, large, [b"e" + large[:-2]]),
        (31.0, b"f", [large[-2:] + b"f"]),
        (31.0, large, [large[:-1]]),
        (0.0, b"g", []),
    ]:
        now += seconds
        assert [bytes(message) for message in gather.add(piece)] == sent
    assert gather.rest() == large[-1:] + b"g"


def test_megabytes_are_few_messages() -> None:
    """Each costs more than its bytes do, where threads wait for the interpreter."""
    data = memoryview(bytes(4 * MIB))
    for messages in (_slices(data), Gather().add(data)):
        assert len(list(messages)) <= 8


def test_a_buffered_reader_gives_what_it_has() -> None:
    class Trickle(io.RawIOBase):
        """Each read gives less than a message."""

        reads = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.reads += 1
            size = min(3, len(buffer))
            buffer[:size] = b"abc"[:size]
            return size

    trickle = Trickle()
    pieces = read_all(io.BufferedReader(trickle))
    for reads in (1, 2):
        assert next(pieces) == b"abc"
        assert trickle.reads == reads


def test_a_reader_that_has_nothing_now_is_not_at_its_end() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with open(reader, "rb") as pipe, open(writer, "wb", buffering=0) as end:
        end.write(b"abc")
        pieces = read_all(pipe)
        assert next(pieces) == b"abc"
        with pytest.raises(BlockingIOError):
            next(pieces)
        end.write(b"d")
        end.close()
        assert list(read_all(pipe)) == [b"d"]


def test_a_reader_without_read1() -> None:
    class Reader(io.BufferedIOBase):
        inner = io.BytesIO(b"abc")

        def read(self, size: int | None = -1, /) -> bytes:
            return self.inner.read(size)

    assert list(read_all(Reader())) == [b"abc"]
