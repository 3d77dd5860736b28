"""What can go wrong, with the code, reason and message that the server gave."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

if TYPE_CHECKING:
    from hashlane._answers import Verification

# Advice by reason, where the message has none.
_ADVICE = {
    "DRAINING": "the server shuts down: try another server, or the same one later",
    "SERVER_BUSY": "try later, or send less at once",
    "STREAM_IDLE": "begin a part when there is data for it",
    "SIZE_MISMATCH": "the source changed or was cut: send the part again",
    "NO_EXPECTED_DIGEST": "give an expected digest, or use digest()",
    "PART_TOO_LARGE": "send smaller parts",
    "KERNEL_FAULT": "send it again; if it fails again, to another server",
    "PART_ALREADY_FAILED": "stop sending a part that has failed",
}
# Advice by what gRPC says of a connection that no retry can make.
_SETUP_ADVICE = {
    "CERTIFICATE_VERIFY_FAILED": "name the roots that the server's certificate leads to (ca)",
    "Hostname Verification Check failed": "use a name of the server's certificate",
    "WRONG_VERSION_NUMBER": "the port has no TLS: use http:// and the gRPC port of a server",
    "Expected SETTINGS frame as the first frame": "the port does not speak HTTP/2: give the gRPC "
    "port of a server",
}
_CODES = {code.value[0]: code for code in grpc.StatusCode}


class HashlaneError(Exception):
    """Says why there is no answer. A mismatch is an answer: see Verification."""

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        *,
        reason: str = "",
        retry_after: float = 0.0,
        of_part: bool = False,
    ) -> None:
        self.code = code
        self.message = message
        # In UPPER_SNAKE_CASE; docs/protocol.md lists them. Empty if the server gave none.
        self.reason = reason
        # Seconds that the server asks to wait; 0 if it names no time.
        self.retry_after = retry_after
        # Whether one part failed. The other parts of its stream go on.
        self.of_part = of_part
        told = f"{code.name}, {reason}" if reason else code.name
        advice = _ADVICE.get(reason, "")
        if not advice and code is grpc.StatusCode.UNAUTHENTICATED:
            advice = "give a valid token or client certificate"
        elif not advice and code is grpc.StatusCode.UNAVAILABLE:
            advice = (
                _setup_advice(message)
                or "check the endpoint, that the server runs, and TLS on both sides"
            )
        super().__init__(f"{message} ({told})" + (f": {advice}" if advice else ""))

    @property
    def is_of_setup(self) -> bool:
        """Whether no connection can be made until the endpoint or the certificates are changed.

        gRPC reports only some of these errors as such; the rest look like a lost server.
        """
        return self.code is grpc.StatusCode.UNAVAILABLE and bool(_setup_advice(self.message))

    @property
    def is_retryable(self) -> bool:
        """Whether the same bytes may be answered later or by another server.

        The client has then tried so already, if it could read the bytes again.
        """
        if self.is_of_setup:
            return False
        if self.code is grpc.StatusCode.UNAVAILABLE or self.reason == "KERNEL_FAULT":
            return True
        if is_of_memory(self) or is_idle(self):
            return True
        # Limits that a retry cannot change come without a delay.
        return self.code is grpc.StatusCode.RESOURCE_EXHAUSTED and self.retry_after > 0


class ArgumentError(HashlaneError, ValueError):
    """An argument that the server would refuse, found before anything was sent."""

    def __init__(self, message: str) -> None:
        super().__init__(grpc.StatusCode.INVALID_ARGUMENT, message)


class SourceError(HashlaneError):
    """The source of a part failed. Callers get the source's own exception."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(grpc.StatusCode.CANCELLED, f"cannot read the source: {cause}")
        self.cause = cause


@contextlib.contextmanager
def source_errors() -> Iterator[None]:
    """Raises the exception of a failed source unchanged."""
    failure: BaseException | None = None
    try:
        yield
    except SourceError as error:
        failure = error.cause
    # Raised here, so that its own cause and context stay.
    if failure is not None:
        raise failure


class MismatchError(Exception):
    """Digests differ from the expected ones. Only Verification.raise_for_mismatch raises it."""

    def __init__(self, verification: Verification) -> None:
        self.verification = verification
        wrong = "".join(
            f"; expected {each.expected}, computed {each.computed.hex}"
            for each in verification.mismatches
        )
        super().__init__(f"mismatch over {verification.size_bytes} bytes{wrong}")


def _setup_advice(message: str) -> str:
    """Empty if a retry may help. Proxies use the same words about their own connections."""
    said = message.partition("; last error: ")[2]
    return next((advice for words, advice in _SETUP_ADVICE.items() if words in said), "")


def is_of_memory(error: HashlaneError) -> bool:
    """Whether the server does not know the call's shared memory. The next call has none."""
    return error.reason == "MEMORY_UNKNOWN"


def is_idle(error: HashlaneError) -> bool:
    """Whether the source gave nothing for too long: no server is at fault."""
    return error.reason == "STREAM_IDLE"


def broken(what: str) -> HashlaneError:
    return HashlaneError(grpc.StatusCode.INTERNAL, f"the server broke the contract: {what}")


def late() -> HashlaneError:
    return HashlaneError(grpc.StatusCode.DEADLINE_EXCEEDED, "the timeout has passed")


def of_rpc(error: Any) -> HashlaneError:
    """The error of a call; sync and asyncio calls have the same three methods."""
    reason, retry_after = "", 0.0
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            # The code and the message hold without them.
            with contextlib.suppress(DecodeError, OverflowError):
                reason, retry_after = _details(value)
    code = error.code() or grpc.StatusCode.UNKNOWN
    message = error.details() or code.name
    if not reason and _is_cut(code, message):
        code = grpc.StatusCode.UNAVAILABLE
    return HashlaneError(code, message, reason=reason, retry_after=retry_after)


def _is_cut(code: grpc.StatusCode, message: str) -> bool:
    """Whether the stream ended before the server's status came.

    A proxy that has lost its server ends it so: with a reset, or without trailers. gRPC has no
    other sign of it than these words.
    """
    codes = (grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)
    return code in codes and any(words in message for words in ("RST_STREAM", "END_STREAM"))


def _details(value: bytes) -> tuple[str, float]:
    """The reason, and how many seconds to wait."""
    reason, retry_after = "", 0.0
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    for detail in status_pb2.Status.FromString(value).details:
        if detail.Unpack(info):
            reason = info.reason
        elif detail.Unpack(retry):
            retry_after = retry.retry_delay.ToTimedelta().total_seconds()
    return reason, retry_after


def of_part(wire: Any) -> HashlaneError:
    code = _CODES.get(wire.code, grpc.StatusCode.UNKNOWN)
    return HashlaneError(code, wire.message, reason=wire.reason, of_part=True)
