"""Servers, made-up bytes, and waiting for conditions."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent import futures
from typing import Any

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2

from hashlane import Algorithm, Digest
from hashlane.v1 import hash_service_pb2 as pb

MIB = 1 << 20
# No condition of these tests takes this long, on any machine.
PATIENCE = 60.0
_PATTERN = bytes(range(251)) * (9 * MIB // 251)


def pattern(length: int, seed: int = 0) -> bytes:
    """Bytes of period 251, so that swapped blocks show."""
    start = seed * 7 % 251
    return _PATTERN[start : start + length]


def sha256(data: bytes) -> Digest:
    return Digest(Algorithm.SHA256, hashlib.sha256(data).digest())


def wrong(digest: Digest, at: int = 0) -> Digest:
    raw = bytearray(digest.raw)
    raw[at % len(raw)] ^= 0x80
    return Digest(digest.algorithm, bytes(raw))


def until(what: str, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"still not so: {what}"
        time.sleep(0.005)


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as held:
        return f"127.0.0.1:{held.getsockname()[1]}"


class Server:
    """A server that the test may end."""

    def __init__(self, address: str, *flags: str) -> None:
        program = os.environ.get("HASHLANE_SERVER")
        if not program:
            raise SystemExit("HASHLANE_SERVER is not set: run deploy/tests/clients.sh")
        self.address = address
        self.admin = free_address()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 closed by kill
        command = [program, "--listen", address, "--admin-listen", self.admin]
        command += ["--workers", "1", "--pin=false", *flags]
        self._child = subprocess.Popen(command, stderr=self._log, stdout=subprocess.DEVNULL)
        until("the server is ready, or ended", lambda: self._is_ready() or not self.is_alive())
        if not self.is_alive():
            self._log.seek(0)
            raise AssertionError(self._log.read().decode())

    def is_alive(self) -> bool:
        return self._child.poll() is None

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{self.admin}/readyz", timeout=5):
                return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def metric(self, begin: str) -> float:
        """The sum of the samples with this prefix: a name, perhaps with its first labels."""
        with urllib.request.urlopen(f"http://{self.admin}/metrics", timeout=PATIENCE) as answer:
            text = answer.read().decode()
        lines = [line for line in text.splitlines() if line.startswith(begin)]
        samples = [line for line in lines if line[len(begin)] in " {,}"]
        assert samples, f"no metric {begin}"
        return sum(float(line.rpartition(" ")[2]) for line in samples)

    def kill(self) -> None:
        self._child.kill()
        self._child.wait()
        self._log.close()

    def drain(self) -> None:
        """As an operator ends it."""
        self._child.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        return self._child.wait(PATIENCE)


class Fake:
    """A server that misbehaves on demand."""

    def __init__(self) -> None:
        self.calls = 0
        # This many of the next calls are refused after their data was read.
        self.refuse = 0
        # Called before each refusal.
        self.on_refusal: Callable[[], object] = lambda: None
        # The details of these refusals, if they are UNAVAILABLE and not SERVER_BUSY.
        self.details: bytes | None = None
        # This many of the next parts meet a kernel that gives wrong answers.
        self.fault = 0
        self.forge: Callable[[pb.VerifyResponse], None] = lambda _: None
        self.limits = pb.Limits(message_bytes_max=MIB, batch_blobs_max=1000)
        self.on_unary: Callable[[grpc.ServicerContext], None] = lambda _: None
        self.authorization: list[str] = []
        # Calls are not read before it is set.
        self.is_reading = threading.Event()
        self.is_reading.set()
        # Whether it ends calls as a server that is gone, once it reads.
        self.is_gone = False
        self._server = grpc.server(futures.ThreadPoolExecutor(4))
        digest = grpc.stream_stream_rpc_method_handler(
            self._digest, pb.DigestRequest.FromString, pb.DigestResponse.SerializeToString
        )
        verify = grpc.stream_stream_rpc_method_handler(
            self._verify, pb.VerifyRequest.FromString, pb.VerifyResponse.SerializeToString
        )
        batch = grpc.unary_unary_rpc_method_handler(
            self._batch, pb.DigestBatchRequest.FromString, pb.DigestBatchResponse.SerializeToString
        )
        info = grpc.unary_unary_rpc_method_handler(
            self._info,
            pb.GetServerInfoRequest.FromString,
            pb.GetServerInfoResponse.SerializeToString,
        )
        handlers: dict[str, Any] = {
            "Digest": digest,
            "Verify": verify,
            "DigestBatch": batch,
            "GetServerInfo": info,
        }
        handler = grpc.method_handlers_generic_handler("hashlane.v1.HashService", handlers)
        self._server.add_generic_rpc_handlers((handler,))
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def stop(self) -> None:
        self.is_reading.set()
        self._server.stop(None).wait()

    def _begin(self, context: grpc.ServicerContext) -> None:
        self.calls += 1
        self.is_reading.wait()
        if self.is_gone:
            context.abort(grpc.StatusCode.UNAVAILABLE, "gone")
        for key, value in context.invocation_metadata():
            if key == "authorization":
                self.authorization.append(str(value))

    def _digest(self, requests, context):  # type: ignore[no-untyped-def]
        self._begin(context)
        data = b""
        for request in requests:
            data += request.data
            if request.last:
                break
        if self.refuse:
            self.refuse -= 1
            self.on_refusal()
            if self.details is not None:
                context.set_trailing_metadata((("grpc-status-details-bin", self.details),))
                context.abort(grpc.StatusCode.UNAVAILABLE, "the proxy lost its server")
            info = error_details_pb2.ErrorInfo(domain="hashlane", reason="SERVER_BUSY")
            delay = duration_pb2.Duration(nanos=1_000_000)
            retry = error_details_pb2.RetryInfo(retry_delay=delay)
            details = []
            for each in (info, retry):
                packed = any_pb2.Any()
                packed.Pack(each)
                details.append(packed)
            status = status_pb2.Status(code=8, message="no room", details=details)
            told = (("grpc-status-details-bin", status.SerializeToString()),)
            context.set_trailing_metadata(told)
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "no room")
        if self.fault:
            self.fault -= 1
            code = grpc.StatusCode.INTERNAL.value[0]
            fault = pb.PartError(code=code, reason="KERNEL_FAULT", message="wrong")
            yield pb.DigestResponse(error=fault)
            return
        wire = pb.AlgorithmDigest(algorithm="ALGORITHM_SHA256", digest=sha256(data).raw)
        yield pb.DigestResponse(size_bytes=len(data), digests=[wire])

    def _verify(self, requests, context):  # type: ignore[no-untyped-def]
        self._begin(context)
        data, expected = b"", b""
        for request in requests:
            data += request.data
            for digest in request.expected:
                expected = digest.digest
            if request.last:
                break
        computed = sha256(data).raw
        verdict = pb.VERDICT_MATCH if computed == expected else pb.VERDICT_MISMATCH
        compared = pb.DigestVerdict(
            algorithm="ALGORITHM_SHA256", verdict=verdict, expected=expected, computed=computed
        )
        answer = pb.VerifyResponse(size_bytes=len(data), verdict=verdict, verdicts=[compared])
        self.forge(answer)
        yield answer

    def _batch(self, request, context):  # type: ignore[no-untyped-def]
        self.on_unary(context)
        answer = pb.DigestBatchResponse()
        for blob in request.blobs:
            answer.blobs.add().digests.add(algorithm="ALGORITHM_SHA256", digest=sha256(blob).raw)
        return answer

    def _info(self, _, context):  # type: ignore[no-untyped-def]
        self.on_unary(context)
        return pb.GetServerInfoResponse(limits=self.limits)
