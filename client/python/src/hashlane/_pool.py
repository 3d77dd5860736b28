"""Endpoints and connections, and when to try again."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Collection
from typing import Any, Generic, TypeVar

from hashlane._errors import ArgumentError, HashlaneError, is_idle, is_of_memory, late
from hashlane._memory import Memory, Region

# The first wait after a failure, and the longest one, in seconds.
BACKOFF_MIN = 0.1
BACKOFF_MAX = 5.0
# Of threads and of gRPC, a longer time would overflow. In seconds: 31 years.
TIMEOUT_MAX = 1e9

Channel = TypeVar("Channel")


class Connection(Generic[Channel]):
    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.open = 0


class Endpoint(Generic[Channel]):
    def __init__(self, channels: list[Channel], memory: Memory) -> None:
        self.connections = [Connection(channel) for channel in channels]
        self.memory = memory
        self.open = 0
        # Failures in a row.
        self.failures = 0
        self.rest_until = 0.0


class Lease(Generic[Channel]):
    """A call's lease of a connection."""

    def __init__(
        self, pool: Pool[Channel], endpoint: Endpoint[Channel], connection: Connection[Channel]
    ) -> None:
        self._pool = pool
        self.endpoint = endpoint
        self._connection = connection
        self._has_failed = False
        self.channel = connection.channel
        self.memory = endpoint.memory
        self._region: Region | None = None

    def region(self) -> Region | None:
        """The memory for the call. To ask for it may block."""
        self._region = self.memory.get()
        return self._region

    def ended(self, error: HashlaneError | None) -> None:
        """Returns the connection, with the outcome of the call."""
        self.given_back()
        self.learned(error)

    def given_back(self) -> None:
        """The call is over."""
        with self._pool.lock:
            self.endpoint.open -= 1
            self._connection.open -= 1

    def learned(self, error: HashlaneError | None) -> None:
        """Makes an endpoint that failed rest. Calls that fail together count as one failure."""
        if error and is_of_memory(error):
            self.memory.forget(self._region)
            return
        with self._pool.lock:
            # A call may succeed although one of its parts has failed.
            if error is None and not self._has_failed:
                self.endpoint.failures = 0
            now = self._pool.clock()
            if error is None or is_idle(error):
                return
            if not error.is_retryable and not error.is_of_setup:
                return
            self._has_failed = True
            if self.endpoint.rest_until > now:
                return
            rest = min(BACKOFF_MIN * 2 ** min(self.endpoint.failures, 10), BACKOFF_MAX)
            # With jitter, clients that failed together do not retry together.
            rest *= random.uniform(0.5, 1.0)
            self.endpoint.failures += 1
            self.endpoint.rest_until = now + max(rest, error.retry_after)


class Pool(Generic[Channel]):
    """All connections.

    A call goes to an endpoint that does not rest after a failure: to the one with the fewest
    calls, and there to the connection with the fewest.
    """

    def __init__(
        self,
        endpoints: list[tuple[list[Channel], Memory]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.lock = threading.Lock()
        self.clock = clock
        self._endpoints = [Endpoint(*each) for each in endpoints]
        # Where the next search begins: after the endpoint of the last call, so that equals take
        # turns. If it passed every endpoint in turn, the one after an endpoint that rests would
        # have two turns.
        self._next = 0
        self._is_closed = False

    def close(self) -> list[Channel]:
        """Stops giving out connections. Returns those to close."""
        with self.lock:
            self._is_closed = True
        for endpoint in self._endpoints:
            endpoint.memory.close()
        return [each.channel for endpoint in self._endpoints for each in endpoint.connections]

    def lease(self, but: Collection[Endpoint[Any]] = ()) -> Lease[Channel]:
        """A connection to any endpoint but these."""
        with self.lock:
            if self._is_closed:
                raise ArgumentError("the client is closed: make another one")
            now = self.clock()
            turn = self._endpoints[self._next :] + self._endpoints[: self._next]
            endpoint = min(
                (each for each in turn if each not in but),
                key=lambda each: (max(each.rest_until - now, 0.0), each.open),
            )
            self._next = (self._endpoints.index(endpoint) + 1) % len(self._endpoints)
            connection = min(endpoint.connections, key=lambda each: each.open)
            endpoint.open += 1
            connection.open += 1
            return Lease(self, endpoint, connection)

    @property
    def endpoints(self) -> int:
        return len(self._endpoints)

    def wait_seconds(self) -> float:
        """The time until an endpoint has rested."""
        with self.lock:
            now = self.clock()
            return max(0.0, min(each.rest_until for each in self._endpoints) - now)


class Deadline:
    """The end of a timeout, for all that shares it."""

    def __init__(self, timeout: float | None) -> None:
        if timeout is not None and not timeout >= 0:
            raise ArgumentError(f"timeout is {timeout}, allowed are 0 and more, or None")
        self._end = None if timeout is None else time.monotonic() + min(timeout, TIMEOUT_MAX)

    def remaining(self) -> float | None:
        """Seconds until then. Raises if it has passed."""
        if self._end is None:
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            raise late()
        return left


class Retries(Deadline):
    """Whether, and after how long, a call is retried.

    The time for retries begins with the first failure, so that a long upload has it too.
    """

    # Endpoints that get no further attempt.
    done: Collection[Endpoint[Any]] = ()

    def __init__(self, pool: Pool[Any], retry_seconds: float, timeout: float | None) -> None:
        super().__init__(timeout)
        self._pool = pool
        self._retry_seconds = retry_seconds
        self._retry_until: float | None = None
        # Endpoints with a wrong setup.
        self._wrong: set[Endpoint[Any]] = set()

    def after(self, error: HashlaneError, endpoint: Endpoint[Any] | None) -> float:
        """Seconds to wait before the next attempt. Raises the error if there is none.

        The endpoint is the one that the attempt went to, if it came so far.
        """
        if error.is_of_setup and endpoint:
            self._wrong.add(endpoint)
        # Another endpoint may have the right setup.
        is_hopeful = error.is_of_setup and len(self._wrong) < self._pool.endpoints
        if not (error.is_retryable or is_hopeful):
            raise error
        now = self._pool.clock()
        if self._retry_until is None:
            self._retry_until = now + self._retry_seconds
        wait = self._pool.wait_seconds()
        if now + wait > self._retry_until:
            raise error
        # The error that caused the retry tells more than a timeout.
        if self._end is not None and time.monotonic() + wait >= self._end:
            raise error
        return wait


class Round(Retries):
    """Each endpoint gets one attempt, and no attempt waits."""

    def __init__(self, pool: Pool[Any], timeout: float | None) -> None:
        super().__init__(pool, 0.0, timeout)
        self.done: set[Endpoint[Any]] = set()

    def after(self, error: HashlaneError, endpoint: Endpoint[Any] | None) -> float:
        if endpoint:
            self.done.add(endpoint)
        has_next = len(self.done) < self._pool.endpoints
        if not (has_next and (error.is_retryable or error.is_of_setup)):
            raise error
        return 0.0
