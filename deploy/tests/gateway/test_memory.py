"""One GiB, in one request and in parts: the gateway's memory is bounded."""

import hashlib
import zlib

from boto3.s3.transfer import TransferConfig
from support import MIB, Gateway, pattern, s3, text

SIZE = 1 << 30
PART_BYTES = 64 * MIB
PEAK_BYTES_MAX = 96 * MIB


def test_one_gib(tmp_path, hashlane):
    file = tmp_path / "file"
    crc, whole, parts = 0, hashlib.md5(), []
    with file.open("wb") as output:
        for number in range(SIZE // PART_BYTES):
            part = pattern(PART_BYTES, number)
            output.write(part)
            crc = zlib.crc32(part, crc)
            whole.update(part)
            parts.append(hashlib.md5(part).digest())
    gateway = Gateway(tmp_path, hashlane)
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    with file.open("rb") as body:
        client.put_object(Bucket="test", Key="one", Body=body)
    config = TransferConfig(multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES)
    extra = {"ChecksumAlgorithm": "CRC32", "ChecksumType": "FULL_OBJECT"}
    client.upload_file(str(file), "test", "parts", ExtraArgs=extra, Config=config)
    etags = {
        "one": whole.hexdigest(),
        "parts": f"{hashlib.md5(b''.join(parts)).hexdigest()}-{len(parts)}",
    }
    for key, etag in etags.items():
        head = client.head_object(Bucket="test", Key=key, ChecksumMode="ENABLED")
        assert head["ETag"].strip('"') == etag
        assert head["ChecksumCRC32"] == text(crc.to_bytes(4, "big"))
    read = hashlib.md5()
    for chunk in client.get_object(Bucket="test", Key="parts")["Body"].iter_chunks(4 * MIB):
        read.update(chunk)
    assert read.digest() == whole.digest()
    peak = gateway.peak_bytes()
    print(f"the gateway's memory peaked at {peak // MIB} MiB")
    assert peak < PEAK_BYTES_MAX
    gateway.end()
