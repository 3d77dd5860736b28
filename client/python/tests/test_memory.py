"""Shared memory with a server on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import logging
import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time
import types
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import pytest

from hashlane import ArgumentError, Client, DigestStream, HashlaneError, aio
from hashlane._memory import AWAY_PAUSE, PAUSE, SLOT_BYTES, SLOT_USED_BYTES_MIN, Memory, Region
from hashlane._source import _readinto
from hashlane._wire import MESSAGE_BYTES
from tests.support import MIB, PATIENCE, Server, pattern, sha256, until

StartServer = Callable[..., Server]
BYTES_READ = "hashlane_shared_memory_bytes_total"
REGIONS = 'hashlane_budget_used{budget="shared_memory_regions"'
LENGTHS = [
    0, 1, SLOT_USED_BYTES_MIN - 1, SLOT_USED_BYTES_MIN, MESSAGE_BYTES + 1, SLOT_BYTES - 1,
    SLOT_BYTES, SLOT_BYTES + 1, SLOT_BYTES + SLOT_USED_BYTES_MIN, 5 * MIB + 7,
]  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "s")


@pytest.fixture
def unix_server(own_server: StartServer, path: str) -> Server:
    return own_server("", f"--listen-unix={path}")


def memories(client: Client | aio.Client) -> list[Memory]:
    endpoints: list[Any] = client._pool._endpoints
    return [endpoint.memory for endpoint in endpoints]


def end_pause(client: Client | aio.Client) -> None:
    for memory in memories(client):
        memory._pause_until = 0.0


def regions(client: Client | aio.Client) -> list[Region]:
    return [memory._region for memory in memories(client) if memory._region]


def are_free(client: Client | aio.Client) -> bool:
    """Nothing uses the memory, of which there is some."""
    shared = regions(client)
    return bool(shared) and all(region.free_share == 1.0 for region in shared)


def share(client: Client) -> None:
    """A machine that is busy may be late for a reply."""

    def is_sharing() -> bool:
        end_pause(client)
        return all(memory.get() for memory in memories(client))

    until("memory is shared", is_sharing)


@contextlib.contextmanager
def sharing(path: str, **options: Any) -> Iterator[Client]:
    with Client(f"unix:{path}", **options) as client:
        share(client)
        yield client


class Trickle(io.RawIOBase):
    """Gives a third of what it is asked for."""

    def __init__(self, data: bytes) -> None:
        self.inner = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self.inner.readinto(memoryview(buffer)[: len(buffer) // 3 + 1])


class Plain:
    """Gives bytes."""

    def __init__(self, data: bytes) -> None:
        self.read = io.BytesIO(data).read


def pieces(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), 100_003):
        yield data[at : at + 100_003]


def in_memory(length: int) -> int:
    """How many bytes of a source are sent there. A short rest goes through the socket."""
    rest = length % SLOT_BYTES
    return length - rest if rest < SLOT_USED_BYTES_MIN else length


def test_sources(unix_server: Server, path: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    with sharing(path, connections=1) as client, client.open_digest_stream() as stream:
        for length in LENGTHS:
            data = pattern(length, length)
            file.write_bytes(data)

            def sources(file: Path = file, data: bytes = data) -> Iterator[Any]:
                yield from (data, file, io.BytesIO(data), Trickle(data), Plain(data), pieces(data))
                with open(file, "rb") as opened:
                    yield opened

            for digest in (client.digest, stream.digest):
                for source in sources():
                    before = unix_server.metric(BYTES_READ)
                    answer = digest(source, size_bytes=length, timeout=PATIENCE)
                    assert answer.digest == sha256(data)
                    read = unix_server.metric(BYTES_READ) - before
                    assert read == in_memory(length), (source, length)
        data = pattern(2 * MIB, 3)
        assert client.verify(data, sha256(data), timeout=PATIENCE).is_match
        assert not client.verify(data, sha256(b""), timeout=PATIENCE).is_match
        with client.open_verify_stream() as verifying:
            assert verifying.verify(data, sha256(data), timeout=PATIENCE).is_match
        hashed = client.hash("md5")
        hashed.update(data)
        assert hashed.finish(timeout=PATIENCE).size_bytes == len(data)
        until("all slots are free", lambda: are_free(client))


def test_when_memory_is_shared(unix_server: Server, path: str) -> None:
    data = pattern(MIB, 4)
    for endpoint, bytes_of_memory, shared in [
        (f"unix:{path}", 0, 0),
        (f"unix:{path}", SLOT_BYTES - 1, 0),
        (unix_server.address, 8 * MIB, 0),
        (f"unix://{path}", 2 * MIB + 1, MIB),
    ]:
        before = unix_server.metric(BYTES_READ)
        with Client(endpoint, shared_memory_bytes=bytes_of_memory) as client:
            if shared:
                share(client)
            assert client.digest(data, timeout=PATIENCE).digest == sha256(data)
        assert unix_server.metric(BYTES_READ) == before + shared
    for wrong in (-1, 64 * MIB + 1):
        with pytest.raises(ArgumentError, match="shared_memory_bytes"):
            Client("unix:/s", shared_memory_bytes=wrong)


def test_connections_share_one_memory(unix_server: Server, path: str) -> None:
    data = pattern(MIB, 10)
    with sharing(path, connections=4) as client, contextlib.ExitStack() as stack:
        streams = [stack.enter_context(client.open_digest_stream()) for _ in range(4)]
        parts = [stream.part() for stream in streams]
        for part in parts:
            part.write(data)
        until("the server has one memory", lambda: unix_server.metric(REGIONS) == 1)
        for part in parts:
            assert part.finish(timeout=PATIENCE).digest == sha256(data)
        assert unix_server.metric(BYTES_READ) == 4 * MIB


def test_parts_that_are_written(unix_server: Server, path: str) -> None:
    data = pattern(5 * MIB, 5)
    with sharing(path, connections=1) as client, client.open_digest_stream() as stream:
        part = stream.part()
        at, dice = 0, random.Random(1)
        while at < len(data):
            length = dice.randrange(300_000)
            part.write(data[at : at + length])
            at += length
        assert part.finish(timeout=PATIENCE).digest == sha256(data)
        assert unix_server.metric(BYTES_READ) == len(data)
        # The program fills the memory, after a few bytes that were written.
        before = unix_server.metric(BYTES_READ)
        part, file = stream.part(), io.BytesIO(data)
        part.write(b"first")
        while True:
            with part.buffer() as buffer:
                assert len(buffer.view) == SLOT_BYTES
                if not (size := file.readinto(buffer.view)):
                    break
                buffer.commit(size)
        assert part.finish(timeout=PATIENCE).digest == sha256(b"first" + data)
        assert unix_server.metric(BYTES_READ) == before + len(data)
        until("all slots are free", lambda: are_free(client))


def test_buffers(unix_server: Server, server: Server, path: str) -> None:
    with sharing(path) as client, Client(server.address) as other:
        for each in (client, other):
            with each.open_digest_stream() as stream:
                part = stream.part()
                with part.buffer() as given_up:
                    given_up.view[:3] = b"xyz"
                with pytest.raises(ValueError, match="released"):
                    given_up.view[0] = 0
                buffer = part.buffer()
                size = len(buffer.view)
                for wrong in (-1, size + 1):
                    with pytest.raises(ArgumentError, match="bytes of a buffer"):
                        buffer.commit(wrong)
                buffer.view[:] = bytes(size)
                # A part of it that the program keeps.
                kept = buffer.view[:10]
                buffer.commit(size)
                for again in (buffer.commit, buffer.view.__getitem__):
                    with pytest.raises(ValueError, match="released"):
                        again(0)
                short, empty = part.buffer(), part.buffer()
                short.view[:3] = b"abc"
                short.commit(3)
                empty.commit(0)
                late = part.buffer()
                answer = part.finish(timeout=PATIENCE)
                assert answer.digest == sha256(bytes(size) + b"abc")
                with pytest.raises(ArgumentError, match="has ended"):
                    late.commit(1)
                kept[:] = b"0123456789"
                if each is client:
                    until("all slots are free", lambda: are_free(client))
    # The client is closed, but the memory is there as long as the program has some of it.
    kept[:] = b"9876543210"


class StoppedError(Exception):
    pass


def test_slots_come_back(unix_server: Server, path: str) -> None:
    """Two clients, more writers than slots, and parts that are discarded or fail."""

    def one(client: Client, stream: DigestStream, i: int) -> None:
        data = pattern(2 * MIB + i, i)

        def broken() -> Iterator[bytes]:
            yield data
            raise StoppedError

        class Broken(Trickle):
            def readinto(self, buffer: Any) -> int:
                if size := super().readinto(buffer):
                    return size
                raise StoppedError

        match i % 6:
            case 0 | 1:
                source = broken() if i % 12 < 6 else Broken(data)
                with pytest.raises(StoppedError):
                    (client if i % 6 else stream).digest(source, timeout=PATIENCE)
            case 2:
                part = stream.part()
                part.write(data)
                part.buffer()
                part.discard()
            case 3:
                with pytest.raises(HashlaneError, match="SIZE_MISMATCH"):
                    stream.digest(data, size_bytes=len(data) - 1, timeout=PATIENCE)
            case 4:
                with contextlib.suppress(HashlaneError):
                    client.digest(data, timeout=0.003)
            case _:
                assert client.digest(data, timeout=PATIENCE).digest == sha256(data)

    with (
        sharing(path, connections=2) as first,
        sharing(path, connections=1, shared_memory_bytes=5 * SLOT_BYTES) as second,
        futures.ThreadPoolExecutor(32) as pool,
    ):
        for _ in range(2):
            with first.open_digest_stream() as one_stream, second.open_digest_stream() as other:
                each = ((first, one_stream), (second, other))
                running = [pool.submit(one, *each[i % 2], i // 2) for i in range(120)]
                for future in running:
                    future.result()
            stream = first.open_digest_stream()
            for i in range(3):
                stream.part().write(pattern(SLOT_BYTES, i))
            stream.cancel()
        for client in (first, second):
            until("all slots are free", lambda client=client: are_free(client))  # type: ignore[misc]


def test_no_part_waits_for_a_slot(unix_server: Server, path: str) -> None:
    """A source that is silent keeps its slot, and the others go through the socket."""
    reading, may_end = threading.Event(), threading.Event()

    class Silent(Trickle):
        def readinto(self, buffer: Any) -> int:
            reading.set()
            may_end.wait()
            return super().readinto(buffer)

    data = pattern(3 * MIB + 5, 6)
    with (
        sharing(path, connections=1, shared_memory_bytes=SLOT_BYTES) as client,
        client.open_digest_stream() as stream,
        futures.ThreadPoolExecutor() as pool,
    ):
        silent = pool.submit(client.digest, Silent(data))
        assert reading.wait(PATIENCE)
        for source in (data, io.BytesIO(data), pieces(data)):
            assert client.digest(source, timeout=PATIENCE).digest == sha256(data)
        part = stream.part()
        part.write(data)
        with part.buffer() as buffer:
            buffer.view[:3] = b"end"
            buffer.commit(3)
        assert part.finish(timeout=PATIENCE).digest == sha256(data + b"end")
        assert unix_server.metric(BYTES_READ) == 0
        may_end.set()
        assert silent.result(PATIENCE).digest == sha256(data)
        assert unix_server.metric(BYTES_READ) > 0
        until("all slots are free", lambda: are_free(client))


def test_a_server_that_is_restarted(
    own_server: StartServer, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "hashlane")
    first = own_server("", f"--listen-unix={path}")
    data = pattern(8 * MIB, 7)
    with sharing(path, connections=1) as client:
        assert client.digest(data, timeout=PATIENCE).digest == sha256(data)
        first.kill()
        second = own_server("", f"--listen-unix={path}")
        share(client)
        assert client.digest(data, timeout=PATIENCE).digest == sha256(data)
        assert second.metric(BYTES_READ) > 0

        class Killing(io.BytesIO):
            """In its midst, another server takes over, which shares nothing."""

            is_done = False

            def readinto(self, buffer: Any) -> int:
                if self.tell() > 4 * MIB and not self.is_done:
                    self.is_done = True
                    caplog.clear()
                    second.kill()
                    own_server("", f"--listen-unix={path}", "--shared-memory=false")
                return super().readinto(buffer)

        assert client.digest(Killing(data), timeout=PATIENCE).digest == sha256(data)
        [line] = [each for each in caplog.records if each.name == "hashlane"]
        assert line.levelno == logging.INFO
        assert "the server shares no memory" in line.getMessage()
        assert not regions(client)


class MemoryServer:
    """Answers requests for memory, and counts them."""

    def __init__(self, path: str, answer: Callable[[socket.socket], None]) -> None:
        self.count = 0
        # The bytes of each request.
        self.sizes: list[int] = []
        self._answer = answer
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{path}.memory")
        self._listener.listen()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            self.count += 1
            self._threads.append(threading.Thread(target=self._serve, args=(link,), daemon=True))
            self._threads[-1].start()

    def _serve(self, link: socket.socket) -> None:
        with link:
            magic, version, size = struct.unpack(">4sIQ", link.recv(16))
            assert (magic, version) == (b"HLSM", 1)
            self.sizes.append(size)
            self._answer(link)
            # It ends with the client.
            with contextlib.suppress(OSError):
                link.recv(1)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(PATIENCE)


def reply(magic: bytes, status: int, size: int) -> Callable[[socket.socket], None]:
    """Replies with a file of so many bytes; without one if there are none."""

    def answer(link: socket.socket) -> None:
        files = [os.memfd_create("memory")] if size else []
        for file in files:
            os.ftruncate(file, size)
        message = struct.pack(">4sI16sQ", magic, status, b"\xab" * 16, size)
        socket.send_fds(link, [message], files)
        for file in files:
            os.close(file)

    return answer


@pytest.mark.parametrize(
    ("answer", "pause"),
    [
        pytest.param(reply(b"HLSM", 2, 0), PAUSE, id="refused"),
        pytest.param(reply(b"HLSM", 2, 32 * MIB), PAUSE, id="refused with a descriptor"),
        pytest.param(reply(b"HLSM", 0, 0), PAUSE, id="no descriptor"),
        pytest.param(reply(b"HTTP", 0, 32 * MIB), PAUSE, id="another protocol"),
        pytest.param(reply(b"HLSM", 0, 32 * MIB - 4096), PAUSE, id="too small"),
        pytest.param(lambda link: link.sendall(b"HLSM"), AWAY_PAUSE, id="cut"),
        pytest.param(lambda _: None, PAUSE, id="silent"),
        pytest.param(lambda link: link.shutdown(socket.SHUT_RDWR), AWAY_PAUSE, id="gone"),
    ],
)
def test_a_server_that_shares_nothing(
    own_server: StartServer,
    path: str,
    answer: Callable[[socket.socket], None],
    pause: float,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.INFO, "hashlane")
    own_server("", f"--listen-unix={path}", "--shared-memory=false")
    memory_server = MemoryServer(path, answer)
    now = 0.0
    monkeypatch.setattr("hashlane._memory.time", types.SimpleNamespace(monotonic=lambda: now))
    data = pattern(MIB, 8)
    with Client(f"unix:{path}") as client, futures.ThreadPoolExecutor(8) as pool:

        def digest() -> None:
            for answered in pool.map(lambda _: client.digest(data, timeout=PATIENCE), range(8)):
                assert answered.digest == sha256(data)

        digest()
        now += pause - 0.5
        digest()
        assert (memory_server.count, len(caplog.records)) == (1, 1)
        now += 0.5
        digest()
        assert memory_server.count == 2
    memory_server.close()


def test_a_server_with_little_memory(own_server: StartServer, path: str) -> None:
    """A client has half of it."""
    data = pattern(MIB, 8)
    for limit, shared in (("16MiB", 8 * MIB), ("3MiB", MIB), ("1MiB", 0)):
        own = own_server("", f"--listen-unix={path}{limit}", f"--shared-memory-bytes-max={limit}")
        with Client(f"unix:{path}{limit}") as client:
            if shared:
                share(client)
            assert client.digest(data, timeout=PATIENCE).digest == sha256(data)
            assert sum(len(region.view) for region in regions(client)) == shared
            assert (own.metric(BYTES_READ) > 0) == (shared > 0)


def test_a_server_without_room_is_asked_for_less(path: str) -> None:
    memory_server = MemoryServer(path, reply(b"HLSM", 5, 0))
    for size, asked in ((32 * MIB, [32, 16, 8, 4, 2, 1]), (5 * MIB, [5, 2.5, 1.25, 1])):
        memory = Memory(f"unix:{path}", size)
        assert memory.get() is None
        assert memory.get() is None, "it is asked again after a minute"
        assert memory_server.sizes == [each * MIB for each in asked]
        memory_server.sizes.clear()
        memory.close()
    memory_server.close()


def test_how_soon_a_server_is_asked_again(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that starts again is asked soon; one that refuses is asked later."""
    now = 0.0
    monkeypatch.setattr("hashlane._memory.time", types.SimpleNamespace(monotonic=lambda: now))
    memory = Memory(f"unix:{path}", 32 * MIB)

    def wanted(pause: float) -> None:
        nonlocal now
        assert memory.get() is None
        now += pause - 0.1
        assert memory.is_known
        now += 0.1
        assert not memory.is_known

    def answered(read: int, answer: bytes = b"") -> None:
        link, _ = listener.accept()
        with link:
            link.recv(read)
            link.sendall(answer)

    wanted(AWAY_PAUSE)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{path}.memory")
        # Nobody listens.
        wanted(AWAY_PAUSE)
        listener.listen()
        refusal = struct.pack(">4sIQQQ", b"HLSM", 2, 0, 0, 0)
        for arguments, pause in [((1,), AWAY_PAUSE), ((16,), AWAY_PAUSE), ((16, refusal), PAUSE)]:
            thread = threading.Thread(target=answered, args=arguments)
            thread.start()
            wanted(pause)
            thread.join(PATIENCE)
    wanted(AWAY_PAUSE)
    memory.close()


def test_a_call_that_found_no_server(own_server: StartServer, path: str) -> None:
    """Later ones soon have the memory of its successor."""
    first = own_server("", f"--listen-unix={path}")
    data = pattern(MIB, 7)
    with sharing(path) as client, futures.ThreadPoolExecutor() as pool:
        [memory] = memories(client)
        memory._pause_until = 0.0
        first.kill()
        running = pool.submit(client.digest, data, timeout=PATIENCE)
        until("the client has asked for memory", lambda: memory._pause_until > 0)
        second = own_server("", f"--listen-unix={path}")
        assert running.result().digest == sha256(data)
        began = time.monotonic()
        while not second.metric(BYTES_READ):
            assert time.monotonic() - began < PAUSE / 2
            assert client.digest(data, timeout=PATIENCE).digest == sha256(data)


def test_without_the_socket(server: Server, own_server: StartServer, path: str) -> None:
    own_server("", f"--listen-unix={path}", "--shared-memory=false")
    with Client(f"unix:{path}") as client:
        assert client.digest(b"abc", timeout=PATIENCE).digest == sha256(b"abc")


def test_only_the_region_that_a_call_used_is_given_up(path: str) -> None:
    server = MemoryServer(path, reply(b"HLSM", 0, 32 * MIB))
    memory = Memory(f"unix:{path}", 32 * MIB)
    first = memory.get()
    assert first
    assert memory.get() is first
    # As if its server had ended: the next one is asked at once.
    first.close()
    memory.forget(first)
    second = memory.get()
    assert second
    assert second is not first
    memory.forget(first)
    memory.forget(None)
    assert memory.get() is second
    memory.forget(second)
    assert memory.get() is None, "the server that lives does not know it"
    assert server.count == 2
    memory.close()


async def test_memory_that_the_server_does_not_know(own_server: StartServer, path: str) -> None:
    own_server("", f"--listen-unix={path}", "--shared-memory=false")
    memory_server = MemoryServer(path, reply(b"HLSM", 0, 32 * MIB))
    data = pattern(3 * MIB, 9)

    failures: list[tuple[str, bool]] = []

    def sync() -> None:
        with sharing(path, connections=1, retry_seconds=PATIENCE) as client:
            assert client.digest(data, timeout=PATIENCE).digest == sha256(data)
            assert not regions(client)
            share(client)
            with client.open_digest_stream() as stream:
                assert stream.digest(data, timeout=PATIENCE).digest == sha256(data)
            share(client)
            with client.hash() as hashed:
                try:
                    hashed.update(data)
                    assert hashed.finish(timeout=PATIENCE).digest == sha256(data)
                except HashlaneError as error:
                    # The call failed after its part began, which cannot be sent again.
                    failures.append((error.reason, error.is_retryable))
            assert not regions(client)

    await asyncio.to_thread(sync)
    assert set(failures) <= {("MEMORY_UNKNOWN", True)}
    async with aio.Client(f"unix:{path}", connections=1) as client:
        assert (await client.digest(data, timeout=PATIENCE)).digest == sha256(data)
        assert not regions(client)
        end_pause(client)
        async with client.open_digest_stream() as stream:
            assert (await stream.digest(data, timeout=PATIENCE)).digest == sha256(data)
    memory_server.close()


def mappings() -> int:
    return Path("/proc/self/maps").read_text().count("memfd:")


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_clients_leave_nothing(unix_server: Server, path: str) -> None:
    data = pattern(2 * MIB, 10)

    def use() -> None:
        with sharing(path, connections=1) as client:
            assert client.digest(data, timeout=PATIENCE).digest == sha256(data)

    def is_left(files: int, maps: int) -> bool:
        gc.collect()
        return descriptors() > files or mappings() > maps

    for _ in range(10):
        use()
    gc.collect()
    # gRPC closes its sockets later.
    until("the first clients are gone", lambda: mappings() == 0)
    until("so is the server's share", lambda: unix_server.metric("hashlane_connections") == 0)
    files = descriptors()
    for _ in range(100):
        use()
    until("nothing is left", lambda: not is_left(files, 0))
    until("the server has no regions", lambda: unix_server.metric(REGIONS) == 0)


FORKING = """
import os, sys
from hashlane._memory import Memory

memory = Memory(sys.argv[1], 2 << 20)
while not (region := memory.get()):
    memory._pause_until = 0.0
child = os.fork()
if child == 0:
    memory._pause_until = 0.0
    while not (other := memory.get()):
        memory._pause_until = 0.0
    is_other = other is not region and other.name != region.name
    memory.close()
    os._exit(0 if is_other else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert memory.get() is region, "the child has ended the parent's sharing"
slot = region.take()
slot.view[0] = 1
"""


def test_a_child_process_has_memory_of_its_own(unix_server: Server, path: str) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FORKING, f"unix:{path}"]
    subprocess.run(command, env=environment, check=True, timeout=PATIENCE)


def test_which_readers_fill_memory(tmp_path: Path) -> None:
    class Decrypting(io.FileIO):
        """Its bytes are those of read()."""

        def read(self, size: int | None = -1, /) -> bytes:
            return bytes(size or 0)

    class Wrapper:
        """As progress bars do it."""

        def __init__(self) -> None:
            self.inner = io.BytesIO()

        def read(self, size: int) -> bytes:
            return self.inner.read(size)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

    file = tmp_path / "file"
    file.write_bytes(b"abc")
    with open(file, "rb") as buffered, open(file, "rb", buffering=0) as raw:
        for reader in (buffered, raw, io.BytesIO(), Trickle(b"")):
            assert _readinto(reader)
    with Decrypting(file) as decrypting:
        for other in (decrypting, Wrapper(), io.StringIO(), Plain(b"")):
            assert _readinto(other) is None


def test_a_reader_that_has_nothing_now(unix_server: Server, path: str) -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with sharing(path) as client, open(reader, "rb", buffering=0) as pipe:
        with pytest.raises(BlockingIOError):
            client.digest(pipe, timeout=PATIENCE)
        until("all slots are free", lambda: are_free(client))
    os.close(writer)


async def share_aio(client: aio.Client) -> None:
    def is_sharing() -> bool:
        end_pause(client)
        return all(memory.get() for memory in memories(client))

    await asyncio.to_thread(until, "memory is shared", is_sharing)


async def test_asyncio(unix_server: Server, path: str, tmp_path: Path) -> None:
    file = tmp_path / "file"

    async def awaited(data: bytes) -> AsyncIterator[bytes]:
        for piece in pieces(data):
            yield piece

    async with (
        aio.Client(f"unix:{path}", connections=1) as client,
        client.open_digest_stream() as stream,
    ):
        await share_aio(client)
        for length in LENGTHS:
            data = pattern(length, length)
            file.write_bytes(data)
            for digest in (client.digest, stream.digest):
                sources: list[Any] = [data, file, io.BytesIO(data), pieces(data), awaited(data)]
                for source in sources:
                    before = unix_server.metric(BYTES_READ)
                    answer = await digest(source, size_bytes=length, timeout=PATIENCE)
                    assert answer.digest == sha256(data)
                    assert unix_server.metric(BYTES_READ) == before + in_memory(length)
        data = pattern(5 * MIB, 1)
        part, source = await stream.part(), io.BytesIO(data)
        await part.write(b"first")
        while True:
            with await part.buffer() as buffer:
                if not (size := source.readinto(buffer.view)):
                    break
                await buffer.commit(size)
        assert (await part.finish()).digest == sha256(b"first" + data)
        await asyncio.to_thread(until, "all slots are free", lambda: are_free(client))


async def test_asyncio_slots_come_back(unix_server: Server, path: str, tmp_path: Path) -> None:
    """Many parts, some of which are cancelled in their midst or discarded."""
    file = tmp_path / "file"
    file.write_bytes(pattern(3 * MIB, 2))

    async def one(client: aio.Client, stream: aio.DigestStream, i: int) -> None:
        data = pattern(3 * MIB, 2)
        source: Any = (data, file, pieces(data))[i % 3]
        digest = (client.digest, stream.digest)[i % 2]
        match i % 5:
            case 0 | 1:
                task = asyncio.create_task(digest(source, timeout=PATIENCE))
                await asyncio.sleep(0.001 * (i % 40))
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            case 2:
                part = await stream.part()
                await part.write(data)
                part.discard()
            case _:
                assert (await digest(source, timeout=PATIENCE)).digest == sha256(data)

    async with aio.Client(f"unix:{path}", connections=2) as client:
        await share_aio(client)
        for _ in range(2):
            async with client.open_digest_stream() as stream:
                await asyncio.gather(*(one(client, stream, i) for i in range(100)))
        await asyncio.to_thread(until, "all slots are free", lambda: are_free(client))
