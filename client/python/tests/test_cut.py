"""A proxy that loses its server in the middle of a call ends the stream in its own way."""

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator

import pytest

from hashlane import Client, aio
from tests.support import Server, pattern, sha256

PREFACE_BYTES = 24
DATA, HEADERS, RST_STREAM, SETTINGS = 0, 1, 3, 4
END_STREAM, END_HEADERS = 1, 4
INTERNAL_ERROR, CANCEL = 2, 8
# ":status: 200" and "content-type: application/grpc", in HPACK.
RESPONSE = b"\x88\x5f\x10application/grpc"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    head = struct.pack(">IBI", len(payload) << 8 | kind, flags, stream)
    return head + payload


def reset(stream: int) -> bytes:
    """As nginx does it."""
    return frame(RST_STREAM, 0, stream, struct.pack(">I", INTERNAL_ERROR))


def end(stream: int) -> bytes:
    """As HAProxy does it."""
    cancel = frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL))
    return frame(DATA, END_STREAM, stream) + cancel


class Proxy:
    """Accepts calls, and cuts each."""

    def __init__(self, cut: str) -> None:
        self._cut = {"reset": reset, "end": end}[cut]
        self.calls = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        # Wakes accept(), which closing does not.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        # accept() fails once the listener is closed.
        with contextlib.suppress(OSError):
            while True:
                accepted, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(accepted,), daemon=True).start()

    def _serve(self, accepted: socket.socket) -> None:
        with accepted, accepted.makefile("rb") as reader, contextlib.suppress(OSError):
            reader.read(PREFACE_BYTES)
            accepted.sendall(frame(SETTINGS, 0, 0))
            while head := reader.read(9):
                length, flags, stream = struct.unpack(">IBI", head)
                kind = length & 0xFF
                reader.read(length >> 8)
                if kind == SETTINGS and not flags:
                    accepted.sendall(frame(SETTINGS, 1, 0))
                elif kind == HEADERS:
                    self.calls += 1
                    accepted.sendall(frame(HEADERS, END_HEADERS, stream, RESPONSE))
                    accepted.sendall(self._cut(stream))


@pytest.fixture(params=["reset", "end"])
def proxy(request: pytest.FixtureRequest) -> Iterator[Proxy]:
    made = Proxy(request.param)
    yield made
    made.close()


DATA_SENT = pattern(100_000, 3)


def test_the_part_is_sent_again(server: Server, proxy: Proxy) -> None:
    with Client(proxy.address, server.address) as client:
        assert client.digest(DATA_SENT).digest == sha256(DATA_SENT)
    assert proxy.calls == 1


async def test_the_part_is_sent_again_with_asyncio(server: Server, proxy: Proxy) -> None:
    async with aio.Client(proxy.address, server.address) as client:
        assert (await client.digest(DATA_SENT)).digest == sha256(DATA_SENT)
    assert proxy.calls == 1
