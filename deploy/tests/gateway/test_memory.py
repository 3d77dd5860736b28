"""One GiB, in one request and in parts: the gateway's memory is bounded."""

import hashlib
import io
import zlib

import pytest
from boto3.s3.transfer import TransferConfig
from support import MIB, Gateway, pattern, s3, text

SIZE = 1 << 30
PART_BYTES = 64 * MIB
PEAK_BYTES_MAX = 96 * MIB
PERIOD = 251


class Pattern(io.RawIOBase):
    """Bytes as those of `pattern`, without a file: every slice is a slice of one block."""

    def __init__(self):
        self.block = memoryview(pattern(PART_BYTES + PERIOD))
        self.at = 0

    def slice(self, begin, length):
        begin %= PERIOD
        return self.block[begin : begin + length]

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=io.SEEK_SET):
        self.at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: SIZE}[whence]
        return self.at

    def readinto(self, target):
        length = min(len(target), SIZE - self.at, PART_BYTES)
        target[:length] = self.slice(self.at, length)
        self.at += length
        return length


@pytest.mark.parametrize("is_embedded", [False, True])
def test_one_gib(is_embedded, tmp_path, hashlane):
    source = Pattern()
    crc, whole, parts = 0, hashlib.md5(), []
    for begin in range(0, SIZE, PART_BYTES):
        part = source.slice(begin, PART_BYTES)
        crc = zlib.crc32(part, crc)
        whole.update(part)
        parts.append(hashlib.md5(part).digest())
    gateway = Gateway(tmp_path, None if is_embedded else hashlane)
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    body = io.BufferedReader(source, MIB)
    client.put_object(Bucket="test", Key="one", Body=body)
    body.seek(0)
    config = TransferConfig(multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES)
    extra = {"ChecksumAlgorithm": "CRC32", "ChecksumType": "FULL_OBJECT"}
    client.upload_fileobj(body, "test", "parts", ExtraArgs=extra, Config=config)
    etags = {
        "one": whole.hexdigest(),
        "parts": f"{hashlib.md5(b''.join(parts)).hexdigest()}-{len(parts)}",
    }
    for key, etag in etags.items():
        head = client.head_object(Bucket="test", Key=key, ChecksumMode="ENABLED")
        assert head["ETag"].strip('"') == etag
        assert head["ChecksumCRC32"] == text(crc.to_bytes(4, "big"))
    read = 0
    for chunk in client.get_object(Bucket="test", Key="parts")["Body"].iter_chunks(4 * MIB):
        assert chunk == bytes(source.slice(read, len(chunk)))
        read += len(chunk)
    assert read == SIZE
    peak = gateway.peak_bytes()
    print(f"the gateway's memory peaked at {peak // MIB} MiB")
    assert peak < PEAK_BYTES_MAX
    gateway.end()
