"""Client of the hashlane hashing service: digests and verdicts over streamed bytes.

A part is one blob to digest. Client.digest and Client.verify send one part from a source: bytes, a
path, a binary file, or an iterable of bytes. Streams send many at once on one call. A retry always
sends the whole part, so a failed attempt leaves no trace in a verdict. A mismatch is an answer, not
an error.

    client.py    Client, streams and parts, for threads
    aio.py       the same for asyncio
    _answers.py  algorithms, digests, verdicts, and whether they answer what was asked
    _parts.py    the parts of one call
    _wire.py     messages of a request stream
    _memory.py   memory that is shared with a server on this machine
    _sent.py     the slots of one call
    _source.py   where bytes come from
    _pool.py     endpoints and connections, and when to try again
    _unary.py    requests and answers of the calls of one message
    _options.py  endpoints, TLS, tokens
    v1/          generated from proto/hashlane/v1/hash_service.proto
"""

from hashlane._answers import (
    Algorithm,
    AlgorithmLike,
    Comparison,
    Digest,
    DigestLike,
    PartDigest,
    Verification,
)
from hashlane._errors import ArgumentError, HashlaneError, MismatchError
from hashlane._options import VERSION
from hashlane._unary import AlgorithmInfo, Limits, ObjectDigest, ServerInfo
from hashlane.client import (
    Client,
    DigestPart,
    DigestStream,
    Hash,
    PartBuffer,
    VerifyPart,
    VerifyStream,
)

__version__ = VERSION

__all__ = [
    "Algorithm",
    "AlgorithmInfo",
    "AlgorithmLike",
    "ArgumentError",
    "Client",
    "Comparison",
    "Digest",
    "DigestLike",
    "DigestPart",
    "DigestStream",
    "Hash",
    "HashlaneError",
    "Limits",
    "MismatchError",
    "ObjectDigest",
    "PartBuffer",
    "PartDigest",
    "ServerInfo",
    "Verification",
    "VerifyPart",
    "VerifyStream",
    "__version__",
]
