"""Files that change while they are read, or before they are sent again."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hashlane import Client, PartDigest, aio
from hashlane._wire import Encoder
from tests.support import MIB, PATIENCE, Fake, Server, pattern, sha256

StartServer = Callable[..., Server]
Digest = Callable[[Any], PartDigest]
AfterMessage = Callable[[Callable[[], object]], None]
# More than one message on every road.
DATA = pattern(4 * MIB, 1)


@pytest.fixture(params=["tcp", "unix"])
def endpoint(request: pytest.FixtureRequest, own_server: StartServer, tmp_path: Path) -> str:
    socket = tmp_path / "s"
    own = own_server("", f"--listen-unix={socket}")
    return own.address if request.param == "tcp" else f"unix:{socket}"


@pytest.fixture
def after_message(monkeypatch: pytest.MonkeyPatch) -> AfterMessage:
    """Sets what is called after each message of data is read."""
    acts: list[Callable[[], object]] = []
    encode = Encoder.data

    def encode_and_act(encoder: Encoder, data: Any) -> bytes:
        acts[-1]()
        return encode(encoder, data)

    monkeypatch.setattr(Encoder, "data", encode_and_act)
    return acts.append


def sources(path: Path) -> Iterator[tuple[Any, int]]:
    """The file in every form, with the position where its bytes begin."""
    yield path, 0
    for buffering in (-1, 0):
        with open(path, "rb", buffering=buffering) as file:
            file.read(10)
            yield file, 10


def each_way(endpoint: str, work: Callable[[Digest], None]) -> None:
    """Work with every method that digests a source."""
    with Client(endpoint) as client, client.open_digest_stream() as stream:
        work(lambda source: client.digest(source, timeout=PATIENCE))
        work(lambda source: stream.digest(source, timeout=PATIENCE))

    async def main(begin: Callable[[aio.Client], Any]) -> None:
        loop = asyncio.get_running_loop()
        async with aio.Client(endpoint) as client:
            digest: Callable[..., Awaitable[PartDigest]] = begin(client).digest

            def waited(source: Any) -> PartDigest:
                digesting: Any = digest(source, timeout=PATIENCE)
                future = asyncio.run_coroutine_threadsafe(digesting, loop)
                answer: PartDigest = future.result(PATIENCE)
                return answer

            await asyncio.to_thread(work, waited)

    asyncio.run(main(lambda client: client))
    asyncio.run(main(lambda client: client.open_digest_stream()))


def test_a_file_that_becomes_shorter(
    endpoint: str, after_message: AfterMessage, tmp_path: Path
) -> None:
    path = tmp_path / "file"

    def work(digest: Digest) -> None:
        for left in (0, MIB, len(DATA) - 1):
            after_message(lambda left=left: os.truncate(path, left))  # type: ignore[misc]
            path.write_bytes(DATA)
            for source, _ in sources(path):
                path.write_bytes(DATA)
                with pytest.raises(EOFError, match="the file became shorter while it was read"):
                    digest(source)

    each_way(endpoint, work)


def test_a_file_that_grows(endpoint: str, after_message: AfterMessage, tmp_path: Path) -> None:
    path, longer = tmp_path / "file", DATA + pattern(MIB, 2)
    after_message(lambda: path.write_bytes(longer))

    def work(digest: Digest) -> None:
        path.write_bytes(DATA)
        for source, start in sources(path):
            path.write_bytes(DATA)
            assert digest(source).digest == sha256(longer[start:])

    each_way(endpoint, work)


def test_a_file_that_changed_after_a_read(server: Server, tmp_path: Path) -> None:
    """The digest has no bytes that a buffered reader has read ahead, before the file changed."""
    path, other = tmp_path / "file", pattern(5 * MIB, 2)

    def work(digest: Digest) -> None:
        path.write_bytes(DATA)
        for source, start in sources(path):
            path.write_bytes(other)
            assert digest(source).digest == sha256(other[start:])
            path.write_bytes(DATA)

    each_way(server.address, work)


@pytest.mark.parametrize(
    "path", ["/proc/version", "/sys/kernel/mm/transparent_hugepage/enabled"], ids=["proc", "sys"]
)
def test_files_of_the_kernel(server: Server, path: str) -> None:
    """They claim to be empty, or to have a page."""
    file = Path(path)
    if not file.exists():
        pytest.skip("there is no such file")

    def work(digest: Digest) -> None:
        for source, start in sources(file):
            assert digest(source).digest == sha256(file.read_bytes()[start:])

    each_way(server.address, work)


def test_another_reader_of_a_file(server: Server, tmp_path: Path) -> None:
    """Its length is not that of the file."""

    class First(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or 0, max(0, 5 - self.tell())))

    path = tmp_path / "file"
    path.write_bytes(DATA)
    with First(path) as file, Client(server.address) as client:
        assert client.digest(file, timeout=PATIENCE).digest == sha256(DATA[:5])


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_file_that_changes_before_a_retry(fake: Fake, tmp_path: Path, is_replaced: bool) -> None:
    """Each attempt reads all of one file."""
    path = tmp_path / "file"
    other = pattern(5 * MIB, 2)

    def change() -> None:
        target = tmp_path / "new" if is_replaced else path
        target.write_bytes(other)
        target.rename(path)

    fake.on_refusal = change

    def work(digest: Digest) -> None:
        path.write_bytes(DATA)
        for source, start in sources(path):
            path.write_bytes(DATA)
            fake.calls, fake.refuse = 0, 1
            answer = digest(source)
            # An open file is another one than that which replaces it.
            assert answer.digest == sha256((DATA if is_replaced else other)[start:])
            assert fake.calls == 2

    each_way(fake.address, work)
