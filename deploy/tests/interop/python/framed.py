"""gRPC for clients that know HTTP/2 alone: bodies, headers, and what a status means."""

import base64
import struct

from google.rpc import error_details_pb2, status_pb2

from support import ADDRESS

# What a gRPC client sends besides the pseudo-headers.
HEADERS = {"content-type": "application/grpc", "te": "trailers"}
OK, INVALID_ARGUMENT, DEADLINE_EXCEEDED, UNIMPLEMENTED = 0, 3, 4, 12


def url(method):
    return f"http://{ADDRESS}/hashlane.v1.HashService/{method}"


def frame(message):
    """A message with its prefix."""
    data = message.SerializeToString()
    return b"\0" + struct.pack(">I", len(data)) + data


def frames(messages):
    return b"".join(map(frame, messages))


def unframe(body, kind):
    """The messages of a body."""
    messages = []
    while body:
        compressed, length = struct.unpack(">BI", body[:5])
        assert not compressed and len(body) >= 5 + length, f"{len(body)} bytes are no message"
        messages.append(kind.FromString(body[5 : 5 + length]))
        body = body[5 + length :]
    return messages


def reason(details):
    """The reason of an ErrorInfo, from grpc-status-details-bin."""
    status = status_pb2.Status.FromString(base64.b64decode(details + "=" * (-len(details) % 4)))
    info = error_details_pb2.ErrorInfo()
    assert any(detail.Unpack(info) for detail in status.details), status
    return info.domain, info.reason
