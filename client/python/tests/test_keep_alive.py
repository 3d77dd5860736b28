"""A source keeps its part, even if it pauses for longer than the server waits."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import pytest

from hashlane import Client, aio
from hashlane._source import Source
from tests.support import PATIENCE, Server, pattern, sha256

StartServer = Callable[..., Server]
IDLE_TIMEOUT = 2.0
PAUSE = IDLE_TIMEOUT * 5 / 4
DATA = pattern(300_000, 1)


@pytest.fixture
def endpoints(
    own_server: StartServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    for module in ("client", "aio"):
        monkeypatch.setattr(f"hashlane.{module}.KEEP_ALIVE", IDLE_TIMEOUT / 20)
    socket = tmp_path / "s"
    own = own_server("", f"--part-idle-timeout={IDLE_TIMEOUT:.0f}s", f"--listen-unix={socket}")
    return own.address, f"unix:{socket}"


def pieces() -> Iterator[bytes]:
    """Pauses before the first byte, and between others."""
    time.sleep(PAUSE)
    yield DATA[:200_000]
    time.sleep(PAUSE)
    yield DATA[200_000:]


async def awaited_pieces() -> AsyncIterator[bytes]:
    await asyncio.sleep(PAUSE)
    yield DATA[:200_000]
    await asyncio.sleep(PAUSE)
    yield DATA[200_000:]


@contextlib.contextmanager
def pipe() -> Iterator[io.FileIO]:
    reader, writer = os.pipe()

    def write() -> None:
        with open(writer, "wb", buffering=0) as end:
            for piece in pieces():
                end.write(piece)

    writing = threading.Thread(target=write)
    writing.start()
    with open(reader, "rb", buffering=0) as opened:
        yield opened
        writing.join()


def test_a_source_that_pauses_keeps_its_part(endpoints: tuple[str, str]) -> None:
    def one(endpoint: str, is_lone: bool, is_pipe: bool) -> None:
        with (
            Client(endpoint) as client,
            client.open_digest_stream() as stream,
            pipe() if is_pipe else contextlib.nullcontext(pieces()) as source,
        ):
            digest = client.digest if is_lone else stream.digest
            assert digest(source, timeout=PATIENCE).digest == sha256(DATA)

    cases = [(to, lone, piped) for to in endpoints for lone in (0, 1) for piped in (0, 1)]
    with futures.ThreadPoolExecutor(len(cases)) as pool:
        for running in [pool.submit(one, to, bool(lone), bool(piped)) for to, lone, piped in cases]:
            running.result()


async def test_a_source_that_pauses_keeps_its_part_with_asyncio(endpoints: tuple[str, str]) -> None:
    async def one(endpoint: str, is_lone: bool, source: Any) -> None:
        async with aio.Client(endpoint) as client, client.open_digest_stream() as stream:
            digest = client.digest if is_lone else stream.digest
            assert (await digest(source, timeout=PATIENCE)).digest == sha256(DATA)

    with contextlib.ExitStack() as stack:
        running = [
            one(endpoint, is_lone, source)
            for endpoint in endpoints
            for is_lone in (False, True)
            for source in (stack.enter_context(pipe()), pieces(), awaited_pieces())
        ]
        await asyncio.gather(*running)


def test_which_sources_may_pause(tmp_path: Path) -> None:
    """Others are read in gRPC's thread, which costs less."""
    path, fifo = tmp_path / "file", tmp_path / "fifo"
    path.write_bytes(b"abc")
    os.mkfifo(fifo)
    reader, writer = os.pipe()
    with open(path, "rb") as file, open(reader, "rb") as piped, open(writer, "wb"):
        for prompt in (b"abc", path, file, file.raw, io.BytesIO(b"abc"), [b"abc"]):
            assert not Source(prompt).may_pause
        for slow in (fifo, tmp_path / "missing", piped, piped.raw, iter([b"abc"])):
            assert Source(slow).may_pause
