"""Requests and answers of the calls of one message."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsIndex

from hashlane._answers import (
    Algorithm,
    AlgorithmLike,
    Digest,
    DigestLike,
    PartDigest,
    checked,
    checked_size,
    distinct,
    received,
    says,
)
from hashlane._errors import ArgumentError, HashlaneError, broken
from hashlane._source import Buffer
from hashlane.v1 import hash_service_pb2 as pb

_SERVICE = "hashlane.v1.HashService"
BATCH = f"/{_SERVICE}/DigestBatch"
COMPOSE = f"/{_SERVICE}/Compose"
INFO = f"/{_SERVICE}/GetServerInfo"
HEALTH = "/grpc.health.v1.Health/Check"
# grpc.health.v1.HealthCheckRequest with `service`, field 1.
HEALTH_REQUEST = b"\x0a" + bytes([len(_SERVICE)]) + _SERVICE.encode()
# grpc.health.v1.HealthCheckResponse with `status`, field 1: SERVING.
HEALTH_SERVING = b"\x08\x01"

# Bytes that a blob takes in its message beyond its own: a tag and a length of at most five bytes.
_BLOB_OVERHEAD_BYTES = 6


@dataclass(frozen=True)
class AlgorithmInfo:
    """An algorithm and its kernels."""

    algorithm: Algorithm
    kernels: tuple[str, ...]
    lanes: int


@dataclass(frozen=True)
class Limits:
    """The bounds a client must keep to. This package does so by itself."""

    message_bytes_max: int
    part_bytes_max: int
    parts_per_stream_max: int
    batch_blobs_max: int
    streams_per_connection_max: int


@dataclass(frozen=True)
class ServerInfo:
    """What a server reports about itself."""

    version: str
    workers: int
    algorithms: tuple[AlgorithmInfo, ...]
    limits: Limits


@dataclass(frozen=True)
class ObjectDigest:
    """S3's value of an object that was uploaded in parts."""

    raw: bytes
    # As S3 writes checksums, with "-N" if it is a COMPOSITE.
    base64: str
    # As S3 writes ETags, without the quotes: hex, with "-N" if it is a COMPOSITE.
    etag: str
    # None if no value was expected.
    is_match: bool | None


def server_info(wire: pb.GetServerInfoResponse) -> ServerInfo:
    if not wire.HasField("limits"):
        raise broken("no limits")
    known = {algorithm.value: algorithm for algorithm in Algorithm}
    # A newer server may have algorithms that this package does not know.
    algorithms = tuple(
        AlgorithmInfo(known[each.algorithm], tuple(each.kernels), each.lanes)
        for each in wire.algorithms
        if each.algorithm in known
    )
    bounds = wire.limits
    limits = Limits(
        bounds.message_bytes_max,
        bounds.part_bytes_max,
        bounds.parts_per_stream_max,
        bounds.batch_blobs_max,
        bounds.streams_per_connection_max,
    )
    return ServerInfo(wire.version, wire.workers, algorithms, limits)


class Batch:
    """Many small blobs in transfer: each request takes the next ones."""

    def __init__(self, blobs: Sequence[Buffer], algorithms: Iterable[AlgorithmLike]) -> None:
        # Of the first blobs, in their order.
        self.answers: list[PartDigest] = []
        self.algorithms = distinct(algorithms)
        self._blobs = tuple(map(_blob, blobs))
        # Halved when the server refuses the number of digests: its limits do not tell that bound.
        self._request_blobs_max = len(self._blobs)
        # Whether the limits were requested again.
        self._are_limits_new = False

    @property
    def is_answered(self) -> bool:
        return len(self.answers) == len(self._blobs)

    def next_blobs(self, limits: Limits) -> Sequence[bytes]:
        """The blobs of the next request: none if a blob fits no request."""
        begin = len(self.answers)
        end = begin + min(limits.batch_blobs_max, self._request_blobs_max)
        candidates = self._blobs[begin:end]
        # Each algorithm is a number of one byte; they share a tag and a length.
        size = len(self.algorithms) + 2
        for count, blob in enumerate(candidates):
            size += len(blob) + _BLOB_OVERHEAD_BYTES
            if size > limits.message_bytes_max:
                return candidates[:count]
        return candidates

    def next_blob(self) -> bytes:
        """The next blob alone."""
        return self._blobs[len(self.answers)]

    def request(self, blobs: Sequence[bytes]) -> pb.DigestBatchRequest:
        names = [each.wire_name for each in self.algorithms]
        return pb.DigestBatchRequest(algorithms=names, blobs=blobs)

    def answered(self, wire: pb.DigestBatchResponse, blobs: Sequence[bytes]) -> None:
        if len(wire.blobs) != len(blobs):
            raise broken("not one answer for each blob of a batch")
        asked = self.algorithms or (Algorithm.SHA256,)
        self.answers += [
            PartDigest(checked(answer.digests, asked), len(blob))
            for answer, blob in zip(wire.blobs, blobs, strict=True)
        ]

    def are_limits_old(self, error: HashlaneError, blobs: Sequence[bytes]) -> bool:
        """Whether a refusal is for limits that changed. Raises it if other requests fail too."""
        if error.reason == "TOO_MANY_DIGESTS" and len(blobs) > 1:
            self._request_blobs_max = len(blobs) // 2
            return False
        # The server was restarted with other limits, or it is another server.
        is_beyond_limits = error.reason in ("MESSAGE_TOO_LARGE", "TOO_MANY_BLOBS")
        if is_beyond_limits and not self._are_limits_new:
            self._are_limits_new = True
            return True
        raise error


def _blob(blob: Buffer) -> bytes:
    if not isinstance(blob, Buffer):
        raise ArgumentError(f"a {type(blob).__name__} is no blob: give bytes")
    return bytes(blob)


def compose_request(
    digests: Sequence[DigestLike], part_sizes: Sequence[SupportsIndex] | None, expected: str
) -> pb.ComposeRequest:
    if not digests:
        raise ArgumentError("an object has at least one part")
    sizes = () if part_sizes is None else tuple(map(checked_size, part_sizes))
    part_digests = tuple(map(Digest.of, digests))
    algorithm = part_digests[0].algorithm
    if any(digest.algorithm != algorithm for digest in part_digests):
        raise ArgumentError("the parts' digests are of different algorithms")
    is_composite = part_sizes is None
    kind = "CHECKSUM_TYPE_COMPOSITE" if is_composite else "CHECKSUM_TYPE_FULL_OBJECT"
    return pb.ComposeRequest(
        algorithm=algorithm.wire_name,
        part_digests=[digest.raw for digest in part_digests],
        expected=expected,
        checksum_type=kind,
        part_size_bytes=sizes,
    )


def compose_answer(wire: pb.ComposeResponse, request: pb.ComposeRequest) -> ObjectDigest:
    """Compares the value itself: forms or a verdict that contradict it are errors."""
    digest = received(request.algorithm, wire.digest)
    is_composite = request.checksum_type == pb.CHECKSUM_TYPE_COMPOSITE
    suffix = f"-{len(request.part_digests)}" if is_composite else ""
    base64 = b64encode(digest.raw).decode()
    if wire.hex != digest.hex + suffix or wire.composite != base64 + suffix:
        raise broken("the value's forms differ")
    # S3 leaves the number of parts out in some places.
    text = request.expected.strip('"').removesuffix(suffix)
    is_match = (text.lower() == digest.hex or text == base64) if request.expected else None
    if not says(wire.verdict, is_match):
        raise broken("a verdict that does not follow from the value")
    return ObjectDigest(wire.digest, wire.composite, wire.hex, is_match)
