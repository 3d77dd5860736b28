"""Programs under test, bytes, checksums by other libraries, and a proxy that flips a byte."""

import asyncio
import base64
import contextlib
import hashlib
import http.client
import os
import re
import signal
import ssl
import subprocess
import threading
import time
import urllib.request
import zlib
from pathlib import Path
from urllib.parse import urlsplit

import boto3
import no_alpn  # noqa: F401
from awscrt import checksums as crt
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

MIB = 1 << 20
# No condition of these tests takes so long, on any machine.
PATIENCE = 60.0
KEY, SECRET = "gateway-test", "gateway-test-secret"


def until(what, condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"still not so: {what}"
        time.sleep(0.01)


def pattern(length, seed=0):
    """Bytes of period 251, so that swapped blocks show; another seed, other bytes."""
    block = bytes(range(251))
    start = seed * 7 % 251
    return (block * (length // 251 + 2))[start : start + length]


def checksum(algorithm, data):
    """The raw checksum of bytes."""
    match algorithm:
        case "CRC32":
            return zlib.crc32(data).to_bytes(4, "big")
        case "CRC32C":
            return crt.crc32c(data).to_bytes(4, "big")
        case "CRC64NVME":
            return crt.crc64nvme(data).to_bytes(8, "big")
        case "SHA1" | "SHA256" | "SHA512" | "MD5":
            return hashlib.new(algorithm.lower(), data).digest()
        case "XXHASH64":
            return crt.XXHash.compute_xxhash64(data)
        case "XXHASH3":
            return crt.XXHash.compute_xxhash3_64(data)
        case "XXHASH128":
            return crt.XXHash.compute_xxhash3_128(data)
    raise AssertionError(algorithm)


def text(raw):
    return base64.b64encode(raw).decode()


def composite(algorithm, parts):
    """S3's COMPOSITE checksum of an object of these parts."""
    raw = checksum(algorithm, b"".join(checksum(algorithm, part) for part in parts))
    return f"{text(raw)}-{len(parts)}"


def etag(parts):
    """S3's ETag of an object of these parts, or of one that was uploaded at once."""
    if isinstance(parts, bytes):
        return f'"{hashlib.md5(parts).hexdigest()}"'
    raw = hashlib.md5(b"".join(hashlib.md5(part).digest() for part in parts))
    return f'"{raw.hexdigest()}-{len(parts)}"'


def split(data, part_bytes):
    return [data[at : at + part_bytes] for at in range(0, len(data), part_bytes)]


class Program:
    started = []

    def __init__(self, log, command, ready):
        self.log = Path(log)
        # The log of a program that starts again goes on.
        self.log_begin = self.log.stat().st_size if self.log.exists() else 0
        env = os.environ | {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
        with self.log.open("ab") as output:
            self.child = subprocess.Popen(command, stdout=output, stderr=output, env=env)
        Program.started.append(self)
        until(f"{command[0]} is ready, or ended", lambda: ready() or self.child.poll() is not None)
        assert self.child.poll() is None, self.log.read_text()

    def logged(self, pattern):
        """The first match in what the program has logged."""
        return re.search(pattern, self.log.read_bytes()[self.log_begin :].decode())

    def kill(self):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()

    def end(self):
        """SIGTERM; the program must end well."""
        self.child.send_signal(signal.SIGTERM)
        assert self.child.wait(PATIENCE) == 0


class Hashlane(Program):
    def __init__(self, folder, *options, port=0):
        command = [os.environ["HASHLANE_SERVER"], "--listen", f"127.0.0.1:{port}"]
        command += ["--admin-listen", "127.0.0.1:0", *options]
        super().__init__(Path(folder) / "hashlane.log", command, self.is_ready)

    def is_ready(self):
        listening = self.logged(r"listening .*grpc=127\.0\.0\.1:(\d+) .*admin=(\S+)")
        if not listening:
            return False
        self.port = int(listening[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.admin = f"http://{listening[2]}"
        try:
            return urllib.request.urlopen(f"{self.admin}/readyz").status == 200
        except OSError:
            return False

    def counted(self, metric, label):
        """What a counter has counted so far, by the values of a label."""
        metrics = urllib.request.urlopen(f"{self.admin}/metrics").read().decode()
        counted = {}
        for labels, value in re.findall(rf"^{metric}\{{(.*)\}} (\S+)$", metrics, re.M):
            name = re.search(f'{label}="([^"]+)"', labels)[1]
            counted[name] = counted.get(name, 0) + int(float(value))
        return counted

    def total(self, metric):
        """What a counter has counted so far."""
        metrics = urllib.request.urlopen(f"{self.admin}/metrics").read().decode()
        counted = re.findall(rf"^{metric}(?:\{{.*\}})? (\S+)$", metrics, re.M)
        return sum(float(value) for value in counted)

    def hashed_bytes(self):
        """Bytes hashed so far, by algorithm."""
        return self.counted("hashlane_hashed_bytes_total", "algorithm")


class Gateway(Program):
    def __init__(self, folder, hashlane, *options):
        """Without a server the gateway has lanes of its own."""
        self.folder = Path(folder) / "objects"
        command = [os.environ["HASHLANE_S3_GATEWAY"], str(self.folder)]
        command += ["--listen", "127.0.0.1:0", *options]
        command += ["--hashlane", hashlane.url] if hashlane else []
        self.hashlane = hashlane
        super().__init__(Path(folder) / "gateway.log", command, self.is_ready)

    def is_ready(self):
        listening = self.logged(r"listening on (http://127\.0\.0\.1:(\d+))")
        if listening:
            self.url, self.port = listening[1], int(listening[2])
        return bool(listening)

    def records(self, bucket):
        return set((self.folder / bucket).iterdir())

    def blobs(self):
        """How many files of bytes there are."""
        return len(list((self.folder / ".blobs").iterdir()))

    def peak_bytes(self):
        """The most memory that the process has had."""
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10


class Proxy:
    """TLS or not from clients, not to the gateway. Flips one bit, or cuts, if it is told to.

    With TLS boto3 and the AWS command line send the checksum behind the bytes, which they do not
    sign: only that checksum can then tell that a byte is another.
    """

    def __init__(self, port, certificate=None):
        self.upstream_port = port
        # After so many more bytes from clients: flip one, or cut the connection; 0 is never.
        self.flip_after = 0
        self.cut_after = 0
        context = None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        started = asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=context)
        self.server = asyncio.run_coroutine_threadsafe(started, self.loop).result(PATIENCE)
        scheme = "https" if certificate else "http"
        self.url = f"{scheme}://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    async def serve(self, reader, writer):
        upstream = await asyncio.open_connection("127.0.0.1", self.upstream_port)
        await asyncio.gather(
            self.relay(reader, upstream[1], self.tamper), self.relay(upstream[0], writer)
        )

    async def relay(self, source, target, tamper=lambda data: data):
        with contextlib.suppress(OSError):
            while data := await source.read(256 << 10):
                target.write(tamper(data))
                await target.drain()
        target.close()

    def tamper(self, data):
        if self.cut_after:
            if self.cut_after <= len(data):
                self.cut_after = 0
                raise ConnectionError("cut")
            self.cut_after -= len(data)
        if self.flip_after:
            if self.flip_after <= len(data):
                data = bytearray(data)
                data[self.flip_after - 1] ^= 0x10
                self.flip_after = 0
            else:
                self.flip_after -= len(data)
        return data

    def close(self):
        self.loop.call_soon_threadsafe(self.server.close)


def s3(url, ca=None, keys=(KEY, SECRET), **config):
    """A client of boto3 that does not try again."""
    defaults = {"retries": {"total_max_attempts": 1}, "s3": {"addressing_style": "path"}}
    # By default, boto3 signs URLs with version 2.
    defaults["signature_version"] = "s3v4"
    return boto3.client(
        "s3",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=keys[0],
        aws_secret_access_key=keys[1],
        verify=ca,
        config=Config(**(defaults | config)),
    )


def code(refused):
    """The code of S3 with which a call was refused."""
    return refused.value.response["Error"]["Code"]


def message(refused):
    """What S3 says of it."""
    return refused.value.response["Error"]["Message"]


def signed(url, method, headers=None, body=b"", region="us-east-1"):
    """The status, headers and body of the answer to a request as it is, but signed."""
    request = AWSRequest(method, url, headers=headers or {}, data=body)
    S3SigV4Auth(Credentials(KEY, SECRET), "s3", region).add_auth(request)
    return fetch(url, method, dict(request.headers.items()), body)


def fetch(url, method="GET", headers=None, body=b""):
    """The same for a request that is not signed, or a URL that is."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.netloc, timeout=PATIENCE)
    target = f"{where.path}?{where.query}" if where.query else where.path
    connection.request(method, target, body, headers or {})
    answer = connection.getresponse()
    read = answer.read()
    connection.close()
    return answer.status, answer.headers, read


class RawUpload:
    """A PUT of a signed URL, whose bytes are sent as the test likes."""

    def __init__(self, client, key, length):
        url = client.generate_presigned_url("put_object", {"Bucket": "test", "Key": key})
        where = urlsplit(url)
        self.connection = http.client.HTTPConnection(where.netloc, timeout=PATIENCE)
        self.connection.putrequest("PUT", f"{where.path}?{where.query}")
        self.connection.putheader("Content-Length", str(length))
        self.connection.endheaders()

    def send(self, data):
        self.connection.send(data)

    def answer(self):
        """The status, and the code of S3 if there is one."""
        answer = self.connection.getresponse()
        found = re.search(r"<Code>(\w+)</Code>", answer.read().decode())
        self.connection.close()
        return answer.status, found and found[1]
