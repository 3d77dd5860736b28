"""Algorithms, digests and verdicts, and whether they answer what was asked."""

from __future__ import annotations

import contextlib
import enum
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, SupportsIndex, TypeVar

from hashlane._errors import ArgumentError, MismatchError, broken, of_part
from hashlane.v1 import hash_service_pb2 as pb

# The most that a message can tell.
SIZE_BYTES_MAX = (1 << 64) - 1
# Bytes of digests, by the first word of the algorithm's name. Tree modes have the length of their
# hash.
_DIGEST_BYTES = {
    "sha256": 32, "sha224": 28, "sha512": 64, "sha384": 48, "sha1": 20, "md5": 16,
    "crc32": 4, "crc32c": 4, "crc64nvme": 8,
    "xxhash64": 8, "xxhash3": 8, "xxhash128": 16, "blake3": 32,
}  # fmt: skip


class Algorithm(enum.Enum):
    """A digest algorithm of the contract. ServerInfo lists those that a server computes.

    MD5 and SHA1 are not safe against collisions. JLANES and MULTIHASH are tree modes: their
    digests are not those of the plain hash.
    """

    SHA256 = 1
    SHA224 = 2
    SHA512 = 3
    SHA384 = 4
    SHA1 = 5
    MD5 = 6
    CRC32 = 7
    CRC32C = 8
    CRC64NVME = 9
    XXHASH64 = 10
    XXHASH3 = 11
    XXHASH128 = 12
    BLAKE3 = 13
    SHA256_JLANES_X4 = 14
    SHA256_JLANES_X8 = 15
    SHA256_JLANES_X16 = 16
    MD5_MULTIHASH_X4 = 17
    MD5_MULTIHASH_X8 = 18
    MD5_MULTIHASH_X16 = 19
    SHA1_MULTIHASH_X4 = 20
    SHA1_MULTIHASH_X8 = 21
    SHA1_MULTIHASH_X16 = 22
    SHA256_MULTIHASH_X4 = 23
    SHA256_MULTIHASH_X8 = 24
    SHA256_MULTIHASH_X16 = 25
    SHA512_MULTIHASH_X4 = 26
    SHA512_MULTIHASH_X8 = 27
    SHA512_MULTIHASH_X16 = 28

    @classmethod
    def of(cls, algorithm: AlgorithmLike) -> Algorithm:
        """The algorithm, or the one of this name."""
        if isinstance(algorithm, cls):
            return algorithm
        if isinstance(algorithm, str):
            return cls.parse(algorithm)
        raise ArgumentError(
            f"a {type(algorithm).__name__} is no algorithm: give an Algorithm, or a name such as "
            '"sha256"'
        )

    @classmethod
    def parse(cls, name: str) -> Algorithm:
        """Finds an algorithm by its name, such as "sha256"."""
        for algorithm in cls:
            if str(algorithm) == name:
                return algorithm
        known = " ".join(map(str, cls))
        raise ArgumentError(f"unknown algorithm {name[:40]!r}, expected one of {known}")

    def __str__(self) -> str:
        """The contract's name without ALGORITHM_, in lower case."""
        return self.name.lower()

    @property
    def wire_name(self) -> str:
        """The name in the contract."""
        return f"ALGORITHM_{self.name}"

    @property
    def digest_bytes(self) -> int:
        """The length of a digest."""
        return _DIGEST_BYTES[str(self).partition("_")[0]]


# An algorithm, or its name.
AlgorithmLike = Algorithm | str


@dataclass(frozen=True)
class Digest:
    """A raw digest and its algorithm. The digest has the algorithm's length."""

    algorithm: Algorithm
    raw: bytes

    def __post_init__(self) -> None:
        # A name does too.
        object.__setattr__(self, "algorithm", Algorithm.of(self.algorithm))
        want = self.algorithm.digest_bytes
        if len(self.raw) != want:
            raise ArgumentError(
                f"a digest of {self.algorithm} has {want} bytes, not {len(self.raw)}"
            )

    @classmethod
    def from_hex(cls, algorithm: AlgorithmLike, text: str) -> Digest:
        """Reads hex of either case."""
        known = Algorithm.of(algorithm)
        try:
            raw = bytes.fromhex(text)
        except ValueError as error:
            raise ArgumentError(f"a digest of {known} in hex: {error}") from error
        return cls(known, raw)

    @classmethod
    def of(cls, digest: DigestLike) -> Digest:
        """The digest; or "algorithm:hex"; or, of SHA256 alone, hex or bytes without a name."""
        if isinstance(digest, cls):
            return digest
        if isinstance(digest, str) and ":" in digest:
            name, _, text = digest.partition(":")
            return cls.from_hex(name, text)
        try:
            if isinstance(digest, str):
                return cls.from_hex(Algorithm.SHA256, digest)
            if isinstance(digest, (bytes, bytearray, memoryview)):
                return cls(Algorithm.SHA256, bytes(digest))
        except ArgumentError as error:
            raise ArgumentError(
                f'{error.message}: one of another algorithm is named, as in "md5:9001..."'
            ) from None
        raise ArgumentError(
            f'a {type(digest).__name__} is no digest: give a Digest, "algorithm:hex", or hex or '
            "bytes of SHA256"
        )

    @property
    def hex(self) -> str:
        """In lower case, without the algorithm."""
        return self.raw.hex()

    def __str__(self) -> str:
        """As in "algorithm:hex"."""
        return f"{self.algorithm}:{self.hex}"


# A digest; "algorithm:hex"; of SHA256 alone also hex or bytes.
DigestLike = Digest | str | bytes


@dataclass(frozen=True)
class PartDigest:
    """The answer to a part of digest()."""

    # In the order in which they were asked for.
    digests: tuple[Digest, ...]
    # How many bytes were hashed.
    size_bytes: int

    def __getitem__(self, algorithm: AlgorithmLike) -> Digest:
        """The digest of an algorithm or its name; KeyError if it was not asked for."""
        for digest in self.digests:
            if algorithm in (digest.algorithm, str(digest.algorithm)):
                return digest
        raise KeyError(algorithm)

    @property
    def digest(self) -> Digest:
        """The digest of a part that asked for one; the first, if it asked for several."""
        return self.digests[0]


@dataclass(frozen=True)
class Comparison:
    """The comparison of one digest."""

    expected: Digest
    computed: Digest

    @property
    def is_match(self) -> bool:
        return self.expected == self.computed


@dataclass(frozen=True)
class Verification:
    """The answer to a part of verify(). It has no truth value: use is_match."""

    # In the order in which digests were expected.
    comparisons: tuple[Comparison, ...]
    # How many bytes were hashed.
    size_bytes: int

    @property
    def is_match(self) -> bool:
        """Whether every digest is the expected one."""
        return bool(self.comparisons) and not self.mismatches

    @property
    def mismatches(self) -> tuple[Comparison, ...]:
        """The comparisons whose digest is not the expected one."""
        return tuple(each for each in self.comparisons if not each.is_match)

    def raise_for_mismatch(self) -> None:
        """Raises MismatchError unless everything matches."""
        if not self.is_match:
            raise MismatchError(self)

    def __bool__(self) -> bool:
        raise TypeError("a Verification has no truth value: ask for is_match")


def distinct(algorithms: Iterable[AlgorithmLike]) -> tuple[Algorithm, ...]:
    """Refuses what the server would refuse."""
    seen = tuple(map(Algorithm.of, algorithms))
    for index, algorithm in enumerate(seen):
        if algorithm in seen[:index]:
            raise ArgumentError(f"{algorithm} is named twice: name it once")
    return seen


def checked_size(size_bytes: SupportsIndex) -> int:
    """Refuses what is no number of bytes."""
    with contextlib.suppress(TypeError):
        size = operator.index(size_bytes)
        if 0 <= size <= SIZE_BYTES_MAX:
            return size
    raise ArgumentError(f"a size is {str(size_bytes)[:40]}: give a number of bytes")


def _declared(size_bytes: SupportsIndex | None) -> int | None:
    return None if size_bytes is None else checked_size(size_bytes)


@dataclass
class Asked:
    """What was asked for, to check the answer."""

    algorithms: tuple[Algorithm, ...]
    expected: tuple[Digest, ...] = ()
    # Declared by the caller.
    declared_bytes: int | None = None

    @classmethod
    def digests(
        cls, algorithms: Iterable[AlgorithmLike], size_bytes: SupportsIndex | None = None
    ) -> Asked:
        declared_bytes = _declared(size_bytes)
        return cls(distinct(algorithms) or (Algorithm.SHA256,), (), declared_bytes)

    @classmethod
    def verdict(
        cls, expected: Sequence[DigestLike], size_bytes: SupportsIndex | None = None
    ) -> Asked:
        declared_bytes = _declared(size_bytes)
        if not expected:
            raise ArgumentError("no digest is expected: give one, or use digest()")
        digests = tuple(map(Digest.of, expected))
        algorithms = distinct(digest.algorithm for digest in digests)
        return cls(algorithms, digests, declared_bytes)

    def expect(self, expected: Sequence[DigestLike]) -> Asked:
        """The same part, with its expected digests."""
        verdict = Asked.verdict(expected, self.declared_bytes)
        for algorithm in verdict.algorithms:
            if algorithm not in self.algorithms:
                raise ArgumentError(
                    f"{algorithm} is not among the part's algorithms: name it when the part begins"
                )
        return verdict


Answer = TypeVar("Answer", PartDigest, Verification)


@dataclass(frozen=True)
class Method(Generic[Answer]):
    """Digest or Verify."""

    path: str
    response: type[pb.DigestResponse] | type[pb.VerifyResponse]
    answer: type[Answer] = field(repr=False)

    def is_answer(self, response: object) -> bool:
        """Whether a response answers a part: it may tell only how much memory was read."""
        assert isinstance(response, (pb.DigestResponse, pb.VerifyResponse))
        if not response.memory_messages_read or response.HasField("error"):
            return True
        if isinstance(response, pb.DigestResponse):
            return bool(response.digests)
        return bool(response.verdicts)

    def check(self, response: object, asked: Asked, sent_bytes: int) -> Answer:
        """The answer, if it fits what was asked."""
        assert isinstance(response, (pb.DigestResponse, pb.VerifyResponse))
        if response.HasField("error"):
            raise of_part(response.error)
        if response.size_bytes != sent_bytes:
            raise broken(f"the server hashed {response.size_bytes} bytes of {sent_bytes}")
        answer: PartDigest | Verification
        if isinstance(response, pb.DigestResponse):
            answer = PartDigest(checked(response.digests, asked.algorithms), sent_bytes)
        else:
            answer = _verification(response, asked)
        assert isinstance(answer, self.answer)
        return answer


DIGEST = Method("/hashlane.v1.HashService/Digest", pb.DigestResponse, PartDigest)
VERIFY = Method("/hashlane.v1.HashService/Verify", pb.VerifyResponse, Verification)


def checked(wire: Iterable[pb.AlgorithmDigest], asked: Sequence[Algorithm]) -> tuple[Digest, ...]:
    """The digests, if they are those that were asked for."""
    digests = tuple(received(each.algorithm, each.digest) for each in wire)
    if tuple(digest.algorithm for digest in digests) != tuple(asked):
        raise broken("not exactly the digests that were asked for")
    return digests


def received(algorithm: int, raw: bytes) -> Digest:
    """A digest from a server, which may leave SHA-256 unnamed."""
    try:
        return Digest(Algorithm(algorithm or Algorithm.SHA256.value), raw)
    except ValueError as error:
        raise broken(f"a digest that is none: {error}") from error


def _verification(response: pb.VerifyResponse, asked: Asked) -> Verification:
    """Compares the digests itself: a verdict that contradicts them is an error."""
    comparisons = []
    for wire in response.verdicts:
        expected = received(wire.algorithm, wire.expected)
        comparison = Comparison(expected, received(wire.algorithm, wire.computed))
        if not says(wire.verdict, comparison.is_match):
            raise broken("the verdict contradicts its digests")
        comparisons.append(comparison)
    if tuple(each.expected for each in comparisons) != asked.expected:
        raise broken("the verdict is on other digests")
    verification = Verification(tuple(comparisons), response.size_bytes)
    if not says(response.verdict, verification.is_match):
        raise broken("the verdict contradicts its digests")
    return verification


def says(verdict: int, is_match: bool | None) -> bool:
    """Whether a verdict is this one; None is none."""
    if is_match is None:
        return verdict == pb.VERDICT_UNSPECIFIED
    return verdict == (pb.VERDICT_MATCH if is_match else pb.VERDICT_MISMATCH)
