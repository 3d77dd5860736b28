from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hashlane import Client
from tests.support import Fake, Server, free_address


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The server of all tests that need none of their own."""
    started = Server(free_address())
    yield started
    started.kill()


@pytest.fixture
def own_server() -> Iterator[Callable[..., Server]]:
    """Starts servers that the test may end."""
    servers: list[Server] = []

    def start(address: str = "", *flags: str) -> Server:
        servers.append(Server(address or free_address(), *flags))
        return servers[-1]

    yield start
    for each in servers:
        each.kill()


@pytest.fixture
def fake() -> Iterator[Fake]:
    started = Fake()
    yield started
    started.stop()


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.address) as made:
        yield made
