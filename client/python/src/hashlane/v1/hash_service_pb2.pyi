from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Algorithm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ALGORITHM_UNSPECIFIED: _ClassVar[Algorithm]
    ALGORITHM_SHA256: _ClassVar[Algorithm]
    ALGORITHM_SHA224: _ClassVar[Algorithm]
    ALGORITHM_SHA512: _ClassVar[Algorithm]
    ALGORITHM_SHA384: _ClassVar[Algorithm]
    ALGORITHM_SHA1: _ClassVar[Algorithm]
    ALGORITHM_MD5: _ClassVar[Algorithm]
    ALGORITHM_CRC32: _ClassVar[Algorithm]
    ALGORITHM_CRC32C: _ClassVar[Algorithm]
    ALGORITHM_CRC64NVME: _ClassVar[Algorithm]
    ALGORITHM_XXHASH64: _ClassVar[Algorithm]
    ALGORITHM_XXHASH3: _ClassVar[Algorithm]
    ALGORITHM_XXHASH128: _ClassVar[Algorithm]
    ALGORITHM_BLAKE3: _ClassVar[Algorithm]
    ALGORITHM_SHA256_JLANES_X4: _ClassVar[Algorithm]
    ALGORITHM_SHA256_JLANES_X8: _ClassVar[Algorithm]
    ALGORITHM_SHA256_JLANES_X16: _ClassVar[Algorithm]
    ALGORITHM_MD5_MULTIHASH_X4: _ClassVar[Algorithm]
    ALGORITHM_MD5_MULTIHASH_X8: _ClassVar[Algorithm]
    ALGORITHM_MD5_MULTIHASH_X16: _ClassVar[Algorithm]
    ALGORITHM_SHA1_MULTIHASH_X4: _ClassVar[Algorithm]
    ALGORITHM_SHA1_MULTIHASH_X8: _ClassVar[Algorithm]
    ALGORITHM_SHA1_MULTIHASH_X16: _ClassVar[Algorithm]
    ALGORITHM_SHA256_MULTIHASH_X4: _ClassVar[Algorithm]
    ALGORITHM_SHA256_MULTIHASH_X8: _ClassVar[Algorithm]
    ALGORITHM_SHA256_MULTIHASH_X16: _ClassVar[Algorithm]
    ALGORITHM_SHA512_MULTIHASH_X4: _ClassVar[Algorithm]
    ALGORITHM_SHA512_MULTIHASH_X8: _ClassVar[Algorithm]
    ALGORITHM_SHA512_MULTIHASH_X16: _ClassVar[Algorithm]

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_MATCH: _ClassVar[Verdict]
    VERDICT_MISMATCH: _ClassVar[Verdict]

class ChecksumType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHECKSUM_TYPE_UNSPECIFIED: _ClassVar[ChecksumType]
    CHECKSUM_TYPE_COMPOSITE: _ClassVar[ChecksumType]
    CHECKSUM_TYPE_FULL_OBJECT: _ClassVar[ChecksumType]
ALGORITHM_UNSPECIFIED: Algorithm
ALGORITHM_SHA256: Algorithm
ALGORITHM_SHA224: Algorithm
ALGORITHM_SHA512: Algorithm
ALGORITHM_SHA384: Algorithm
ALGORITHM_SHA1: Algorithm
ALGORITHM_MD5: Algorithm
ALGORITHM_CRC32: Algorithm
ALGORITHM_CRC32C: Algorithm
ALGORITHM_CRC64NVME: Algorithm
ALGORITHM_XXHASH64: Algorithm
ALGORITHM_XXHASH3: Algorithm
ALGORITHM_XXHASH128: Algorithm
ALGORITHM_BLAKE3: Algorithm
ALGORITHM_SHA256_JLANES_X4: Algorithm
ALGORITHM_SHA256_JLANES_X8: Algorithm
ALGORITHM_SHA256_JLANES_X16: Algorithm
ALGORITHM_MD5_MULTIHASH_X4: Algorithm
ALGORITHM_MD5_MULTIHASH_X8: Algorithm
ALGORITHM_MD5_MULTIHASH_X16: Algorithm
ALGORITHM_SHA1_MULTIHASH_X4: Algorithm
ALGORITHM_SHA1_MULTIHASH_X8: Algorithm
ALGORITHM_SHA1_MULTIHASH_X16: Algorithm
ALGORITHM_SHA256_MULTIHASH_X4: Algorithm
ALGORITHM_SHA256_MULTIHASH_X8: Algorithm
ALGORITHM_SHA256_MULTIHASH_X16: Algorithm
ALGORITHM_SHA512_MULTIHASH_X4: Algorithm
ALGORITHM_SHA512_MULTIHASH_X8: Algorithm
ALGORITHM_SHA512_MULTIHASH_X16: Algorithm
VERDICT_UNSPECIFIED: Verdict
VERDICT_MATCH: Verdict
VERDICT_MISMATCH: Verdict
CHECKSUM_TYPE_UNSPECIFIED: ChecksumType
CHECKSUM_TYPE_COMPOSITE: ChecksumType
CHECKSUM_TYPE_FULL_OBJECT: ChecksumType

class PartOptions(_message.Message):
    __slots__ = ("algorithms", "size_bytes")
    ALGORITHMS_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    algorithms: _containers.RepeatedScalarFieldContainer[Algorithm]
    size_bytes: int
    def __init__(self, algorithms: _Optional[_Iterable[_Union[Algorithm, str]]] = ..., size_bytes: _Optional[int] = ...) -> None: ...

class AlgorithmDigest(_message.Message):
    __slots__ = ("algorithm", "digest")
    ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    algorithm: Algorithm
    digest: bytes
    def __init__(self, algorithm: _Optional[_Union[Algorithm, str]] = ..., digest: _Optional[bytes] = ...) -> None: ...

class PartError(_message.Message):
    __slots__ = ("code", "reason", "message")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    code: int
    reason: str
    message: str
    def __init__(self, code: _Optional[int] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class MemoryRange(_message.Message):
    __slots__ = ("offset", "length")
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    offset: int
    length: int
    def __init__(self, offset: _Optional[int] = ..., length: _Optional[int] = ...) -> None: ...

class DigestRequest(_message.Message):
    __slots__ = ("part", "open", "last", "memory", "data")
    PART_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    part: int
    open: PartOptions
    last: bool
    memory: MemoryRange
    data: bytes
    def __init__(self, part: _Optional[int] = ..., open: _Optional[_Union[PartOptions, _Mapping]] = ..., last: _Optional[bool] = ..., memory: _Optional[_Union[MemoryRange, _Mapping]] = ..., data: _Optional[bytes] = ...) -> None: ...

class DigestResponse(_message.Message):
    __slots__ = ("part", "size_bytes", "digests", "error", "memory_messages_read")
    PART_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    DIGESTS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    MEMORY_MESSAGES_READ_FIELD_NUMBER: _ClassVar[int]
    part: int
    size_bytes: int
    digests: _containers.RepeatedCompositeFieldContainer[AlgorithmDigest]
    error: PartError
    memory_messages_read: int
    def __init__(self, part: _Optional[int] = ..., size_bytes: _Optional[int] = ..., digests: _Optional[_Iterable[_Union[AlgorithmDigest, _Mapping]]] = ..., error: _Optional[_Union[PartError, _Mapping]] = ..., memory_messages_read: _Optional[int] = ...) -> None: ...

class VerifyRequest(_message.Message):
    __slots__ = ("part", "open", "expected", "last", "memory", "data")
    PART_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    part: int
    open: PartOptions
    expected: _containers.RepeatedCompositeFieldContainer[AlgorithmDigest]
    last: bool
    memory: MemoryRange
    data: bytes
    def __init__(self, part: _Optional[int] = ..., open: _Optional[_Union[PartOptions, _Mapping]] = ..., expected: _Optional[_Iterable[_Union[AlgorithmDigest, _Mapping]]] = ..., last: _Optional[bool] = ..., memory: _Optional[_Union[MemoryRange, _Mapping]] = ..., data: _Optional[bytes] = ...) -> None: ...

class DigestVerdict(_message.Message):
    __slots__ = ("algorithm", "verdict", "expected", "computed")
    ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    COMPUTED_FIELD_NUMBER: _ClassVar[int]
    algorithm: Algorithm
    verdict: Verdict
    expected: bytes
    computed: bytes
    def __init__(self, algorithm: _Optional[_Union[Algorithm, str]] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., expected: _Optional[bytes] = ..., computed: _Optional[bytes] = ...) -> None: ...

class VerifyResponse(_message.Message):
    __slots__ = ("part", "size_bytes", "verdict", "verdicts", "error", "memory_messages_read")
    PART_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    VERDICTS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    MEMORY_MESSAGES_READ_FIELD_NUMBER: _ClassVar[int]
    part: int
    size_bytes: int
    verdict: Verdict
    verdicts: _containers.RepeatedCompositeFieldContainer[DigestVerdict]
    error: PartError
    memory_messages_read: int
    def __init__(self, part: _Optional[int] = ..., size_bytes: _Optional[int] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., verdicts: _Optional[_Iterable[_Union[DigestVerdict, _Mapping]]] = ..., error: _Optional[_Union[PartError, _Mapping]] = ..., memory_messages_read: _Optional[int] = ...) -> None: ...

class DigestBatchRequest(_message.Message):
    __slots__ = ("algorithms", "blobs")
    ALGORITHMS_FIELD_NUMBER: _ClassVar[int]
    BLOBS_FIELD_NUMBER: _ClassVar[int]
    algorithms: _containers.RepeatedScalarFieldContainer[Algorithm]
    blobs: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, algorithms: _Optional[_Iterable[_Union[Algorithm, str]]] = ..., blobs: _Optional[_Iterable[bytes]] = ...) -> None: ...

class BlobDigests(_message.Message):
    __slots__ = ("digests",)
    DIGESTS_FIELD_NUMBER: _ClassVar[int]
    digests: _containers.RepeatedCompositeFieldContainer[AlgorithmDigest]
    def __init__(self, digests: _Optional[_Iterable[_Union[AlgorithmDigest, _Mapping]]] = ...) -> None: ...

class DigestBatchResponse(_message.Message):
    __slots__ = ("blobs",)
    BLOBS_FIELD_NUMBER: _ClassVar[int]
    blobs: _containers.RepeatedCompositeFieldContainer[BlobDigests]
    def __init__(self, blobs: _Optional[_Iterable[_Union[BlobDigests, _Mapping]]] = ...) -> None: ...

class ComposeRequest(_message.Message):
    __slots__ = ("algorithm", "part_digests", "expected", "checksum_type", "part_size_bytes")
    ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    PART_DIGESTS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_TYPE_FIELD_NUMBER: _ClassVar[int]
    PART_SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    algorithm: Algorithm
    part_digests: _containers.RepeatedScalarFieldContainer[bytes]
    expected: str
    checksum_type: ChecksumType
    part_size_bytes: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, algorithm: _Optional[_Union[Algorithm, str]] = ..., part_digests: _Optional[_Iterable[bytes]] = ..., expected: _Optional[str] = ..., checksum_type: _Optional[_Union[ChecksumType, str]] = ..., part_size_bytes: _Optional[_Iterable[int]] = ...) -> None: ...

class ComposeResponse(_message.Message):
    __slots__ = ("composite", "digest", "verdict", "hex")
    COMPOSITE_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    HEX_FIELD_NUMBER: _ClassVar[int]
    composite: str
    digest: bytes
    verdict: Verdict
    hex: str
    def __init__(self, composite: _Optional[str] = ..., digest: _Optional[bytes] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., hex: _Optional[str] = ...) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AlgorithmInfo(_message.Message):
    __slots__ = ("algorithm", "kernels", "lanes", "digest_bytes", "name")
    ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    KERNELS_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    DIGEST_BYTES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    algorithm: Algorithm
    kernels: _containers.RepeatedScalarFieldContainer[str]
    lanes: int
    digest_bytes: int
    name: str
    def __init__(self, algorithm: _Optional[_Union[Algorithm, str]] = ..., kernels: _Optional[_Iterable[str]] = ..., lanes: _Optional[int] = ..., digest_bytes: _Optional[int] = ..., name: _Optional[str] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("message_bytes_max", "part_bytes_max", "parts_per_stream_max", "batch_blobs_max", "streams_per_connection_max")
    MESSAGE_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    PART_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    PARTS_PER_STREAM_MAX_FIELD_NUMBER: _ClassVar[int]
    BATCH_BLOBS_MAX_FIELD_NUMBER: _ClassVar[int]
    STREAMS_PER_CONNECTION_MAX_FIELD_NUMBER: _ClassVar[int]
    message_bytes_max: int
    part_bytes_max: int
    parts_per_stream_max: int
    batch_blobs_max: int
    streams_per_connection_max: int
    def __init__(self, message_bytes_max: _Optional[int] = ..., part_bytes_max: _Optional[int] = ..., parts_per_stream_max: _Optional[int] = ..., batch_blobs_max: _Optional[int] = ..., streams_per_connection_max: _Optional[int] = ...) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("version", "algorithms", "workers", "limits")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ALGORITHMS_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    version: str
    algorithms: _containers.RepeatedCompositeFieldContainer[AlgorithmInfo]
    workers: int
    limits: Limits
    def __init__(self, version: _Optional[str] = ..., algorithms: _Optional[_Iterable[_Union[AlgorithmInfo, _Mapping]]] = ..., workers: _Optional[int] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ...) -> None: ...
