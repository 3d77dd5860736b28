"""Endpoints, TLS, tokens and the options of channels."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import grpc

from hashlane._errors import ArgumentError
from hashlane._memory import MEMORY_BYTES_MAX, Memory, Region

VERSION = "0.1.0"
CONNECTIONS_MAX = 256
# Unanswered parts of a stream. A server's own bound is in its ServerInfo.
PARTS_MAX = 1024
# Messages of a stream that wait to be sent, 512 KiB at most each. Then writes wait.
QUEUE_MAX = 4
# Unary calls without a timeout get this one for each attempt, in seconds.
CALL_TIMEOUT = 30.0
# A health check without a timeout gets this one.
HEALTH_TIMEOUT = 5.0

Token = str | Callable[[], str]
Metadata = tuple[tuple[str, str], ...]

# A name, an IPv4 address, or an IPv6 address in brackets. gRPC takes any port, modulo 65536.
_HOST = re.compile(r"[\w.:%\[\]-]+")
_PORT = re.compile("[0-9]{1,5}")
# Visible ASCII. gRPC's own error for others is INTERNAL, and comes from the call.
_TOKEN = re.compile("[!-~]+")

_ARGUMENTS: tuple[tuple[str, str | int], ...] = (
    ("grpc.primary_user_agent", f"hashlane-python/{VERSION}"),
    # All addresses of a name, such as those of a headless Kubernetes service.
    ("grpc.lb_policy_name", "round_robin"),
    # Channels of the same options would share one connection.
    ("grpc.use_local_subchannel_pool", 1),
    # A batch's digests are 40 bytes each and more.
    ("grpc.max_receive_message_length", 16 << 20),
    ("grpc.max_send_message_length", -1),
    # The client itself retries: it knows what can be sent again.
    ("grpc.enable_retries", 0),
    # gRPC's own wait between connections, in addition to the pool's.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.min_reconnect_backoff_ms", 5000),
    # Detects a server that is gone without closing its connections.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
)


@dataclass(frozen=True)
class Target:
    """Where one endpoint is, as gRPC names it."""

    name: str
    is_tls: bool
    # Whether traffic without TLS stays on this machine.
    is_local: bool


def parse_target(endpoint: str) -> Target:
    if not isinstance(endpoint, str):
        raise ArgumentError(f"a {type(endpoint).__name__} is no endpoint: give a str for each")
    if endpoint.startswith("unix:") and endpoint != "unix:":
        return Target(endpoint, False, True)
    scheme, found, authority = endpoint.partition("://")
    if not found:
        scheme, authority = "http", endpoint
    authority = authority.removesuffix("/")
    host, _, port = authority.rpartition(":")
    is_named = bool(_HOST.fullmatch(host) and _PORT.fullmatch(port)) and 0 < int(port) <= 0xFFFF
    is_named = is_named and (":" not in host or (host[0] == "[" and host[-1] == "]"))
    if scheme not in ("http", "https") or not is_named:
        raise ArgumentError(
            f"invalid endpoint {endpoint[:80]!r}: expected https://host:port, http://host:port, "
            "host:port or unix:/path"
        )
    return Target(f"dns:///{authority}", scheme == "https", _is_loopback(host.strip("[]")))


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_token(token: object) -> str:
    """The token, which the error does not show."""
    if not isinstance(token, str):
        raise ArgumentError(f"a token is a str, not a {type(token).__name__}")
    if not _TOKEN.fullmatch(token):
        raise ArgumentError(
            "a token is visible ASCII characters, without spaces: strip() the end of the line of "
            "a file"
        )
    return token


@dataclass(frozen=True)
class Options:
    """How a client works. The keyword arguments of Client, where they are described."""

    connections: int = 4
    retry_seconds: float = 30.0
    ca: bytes | None = None
    certificate: bytes | None = None
    key: bytes | None = None
    token: Token | None = None
    insecure_token: bool = False
    channel_options: Sequence[tuple[str, str | int]] = ()
    shared_memory_bytes: int = 32 << 20

    def __post_init__(self) -> None:
        if not 1 <= self.connections <= CONNECTIONS_MAX:
            raise ArgumentError(
                f"connections is {self.connections}, allowed are 1 to {CONNECTIONS_MAX}"
            )
        if not self.retry_seconds >= 0:
            raise ArgumentError(f"retry_seconds is {self.retry_seconds}, allowed are 0 and more")
        if not 0 <= self.shared_memory_bytes <= MEMORY_BYTES_MAX:
            raise ArgumentError(
                f"shared_memory_bytes is {self.shared_memory_bytes}, allowed are 0 to "
                f"{MEMORY_BYTES_MAX}"
            )
        if (self.certificate is None) != (self.key is None):
            raise ArgumentError("certificate and key go together")
        for name in ("ca", "certificate", "key"):
            pem = getattr(self, name)
            if pem is None:
                continue
            if not isinstance(pem, bytes) or b"-----BEGIN " not in pem:
                raise ArgumentError(f"{name} is not PEM in bytes")
        if self.token is not None and not callable(self.token):
            check_token(self.token)

    def target(self, endpoint: str) -> Target:
        target = parse_target(endpoint)
        if not target.is_tls:
            if self.ca is not None or self.certificate is not None:
                raise ArgumentError(
                    f"certificates go with https://host:port alone, not with {endpoint[:80]!r}"
                )
            if self.token is not None and not target.is_local and not self.insecure_token:
                raise ArgumentError(
                    f"a token would go to {endpoint[:80]!r} in the clear: use https://, or allow "
                    "it with insecure_token=True"
                )
        return target

    def arguments(self) -> list[tuple[str, str | int]]:
        """The options of a channel."""
        return [*_ARGUMENTS, *self.channel_options]

    def credentials(self) -> grpc.ChannelCredentials:
        return grpc.ssl_channel_credentials(self.ca, self.key, self.certificate)

    def memory(self, target: Target) -> Memory:
        return Memory(target.name, self.shared_memory_bytes)

    def metadata(self, region: Region | None = None) -> Metadata:
        """What each call carries. A token may be renewed between calls."""
        carried = []
        if self.token is not None:
            token = self.token if isinstance(self.token, str) else check_token(self.token())
            carried.append(("authorization", f"Bearer {token}"))
        if region:
            carried.append(("hashlane-memory", region.name))
        return tuple(carried)

    def __repr__(self) -> str:
        # Neither the token nor the key is shown.
        return f"Options(connections={self.connections}, retry_seconds={self.retry_seconds})"
