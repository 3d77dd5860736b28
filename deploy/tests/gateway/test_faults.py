"""Bytes that change on their way; clients, hashlane and the gateway end and start again."""

import http.client
import re
import socket
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from boto3.s3.transfer import TransferConfig
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import BotoCoreError, ClientError
from support import (
    KEY,
    MIB,
    PATIENCE,
    SECRET,
    Gateway,
    Hashlane,
    Proxy,
    RawUpload,
    checksum,
    code,
    etag,
    fetch,
    message,
    pattern,
    s3,
    signed,
    text,
    until,
)

ALGORITHMS = ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256", "SHA512", "XXHASH3"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_flipped_byte_against_the_trailer(algorithm, tls, tls_client, client, gateway):
    data, blobs = pattern(5 * MIB, 1), gateway.blobs()
    tls.flip_after = 3 * MIB
    with pytest.raises(ClientError) as refused:
        tls_client.put_object(Bucket="test", Key="flipped", Body=data, ChecksumAlgorithm=algorithm)
    assert tls.flip_after == 0
    assert code(refused) == "BadDigest"
    assert gateway.blobs() == blobs
    with pytest.raises(ClientError) as missing:
        client.head_object(Bucket="test", Key="flipped")
    assert code(missing) == "404"


def test_a_flipped_byte_of_a_part(tls, tls_client, gateway):
    names = {"Bucket": "test", "Key": "flipped-part"}
    created = tls_client.create_multipart_upload(**names, ChecksumAlgorithm="SHA256")
    names["UploadId"] = created["UploadId"]
    blobs = gateway.blobs()
    part = {"PartNumber": 1, "Body": pattern(5 * MIB), "ChecksumAlgorithm": "SHA256"}
    tls.flip_after = 2 * MIB
    with pytest.raises(ClientError) as refused:
        tls_client.upload_part(**names, **part)
    assert code(refused) == "BadDigest"
    assert gateway.blobs() == blobs
    assert not tls_client.list_parts(**names).get("Parts")
    tls_client.abort_multipart_upload(**names)


def test_a_flipped_byte_against_content_md5(tls, certificate, client):
    bare = s3(tls.url, certificate[0], request_checksum_calculation="when_required")
    data = pattern(5 * MIB)
    tls.flip_after = 4 * MIB
    with pytest.raises(ClientError) as refused:
        bare.put_object(
            Bucket="test", Key="flipped", Body=data, ContentMD5=text(checksum("MD5", data))
        )
    assert code(refused) == "BadDigest"


def test_a_flipped_byte_of_a_signed_body(cleartext, client, gateway):
    blobs = gateway.blobs()
    cleartext.flip_after = 3 * MIB
    with pytest.raises(ClientError) as refused:
        s3(cleartext.url).put_object(Bucket="test", Key="flipped", Body=pattern(5 * MIB))
    assert code(refused) == "XAmzContentSHA256Mismatch"
    assert gateway.blobs() == blobs


@pytest.mark.parametrize("via", ["header", "trailer"])
def test_a_client_that_goes(via, client, gateway, certificate):
    proxy = Proxy(gateway.port, certificate if via == "trailer" else None)
    sender = s3(proxy.url, certificate[0] if via == "trailer" else None)
    blobs = gateway.blobs()
    proxy.cut_after = 3 * MIB
    with pytest.raises((BotoCoreError, ClientError)):
        sender.put_object(Bucket="test", Key="gone", Body=pattern(5 * MIB))
    until("the bytes are gone", lambda: gateway.blobs() == blobs)
    with pytest.raises(ClientError) as missing:
        client.head_object(Bucket="test", Key="gone")
    assert code(missing) == "404"
    proxy.close()


def test_a_reader_keeps_a_deleted_object(client, gateway, tmp_path):
    data, parts = pattern(64 * MIB, 4), 8
    (tmp_path / "file").write_bytes(data)
    before = gateway.blobs()
    client.upload_file(str(tmp_path / "file"), "test", "read", Config=TransferConfig())
    assert gateway.blobs() == before + parts
    body = client.get_object(Bucket="test", Key="read")["Body"]
    begin = body.read(MIB)
    client.put_object(Bucket="test", Key="read", Body=b"new")
    client.delete_object(Bucket="test", Key="read")
    assert begin + body.read() == data
    until("the bytes are gone", lambda: gateway.blobs() == before)


def test_many_uploads_at_once(client):
    def upload(number):
        data = pattern(3 * MIB + number, number)
        answer = client.put_object(Bucket="test", Key=f"many/{number}", Body=data)
        assert answer["ETag"] == etag(data)
        return client.get_object(Bucket="test", Key=f"many/{number}")["Body"].read() == data

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(upload, range(64)))


def test_uploads_of_one_key_at_once(client, gateway):
    blobs = gateway.blobs()
    datas = [pattern(MIB + number, number) for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda data: client.put_object(Bucket="test", Key="one", Body=data), datas))
    got = client.get_object(Bucket="test", Key="one")
    assert (data := got["Body"].read()) in datas
    assert got["ETag"] == etag(data)
    assert gateway.blobs() == blobs + 1


@pytest.mark.parametrize("sends_all", [True, False])
def test_hashlane_goes_and_comes_back(sends_all, tmp_path):
    hashlane = Hashlane(tmp_path)
    gateway = Gateway(tmp_path, hashlane)
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    client.put_object(Bucket="test", Key="before", Body=b"before")

    upload = RawUpload(client, "during", 9 * MIB)
    upload.send(pattern(MIB))
    until("hashlane has bytes", lambda: sum(hashlane.hashed_bytes().values()) > MIB)
    hashlane.kill()
    if sends_all:
        upload.send(pattern(8 * MIB))
    assert upload.answer() == (503, "ServiceUnavailable")
    with pytest.raises(ClientError) as refused:
        client.put_object(Bucket="test", Key="after", Body=b"after")
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 503
    assert message(refused) == "hashlane cannot be reached. Please try again."
    assert gateway.logged(
        r"\d{4}-\d\d-\d\dT\S+Z .*: PUT /test/after [0-9A-F]{16}: ServiceUnavailable: \w+"
    )
    assert gateway.blobs() == 1
    # Objects can still be read.
    assert client.get_object(Bucket="test", Key="before")["Body"].read() == b"before"

    again = Hashlane(tmp_path, port=hashlane.port)
    # SDKs try again by themselves.
    patient = s3(gateway.url, retries={"total_max_attempts": 5})
    patient.put_object(Bucket="test", Key="after", Body=b"after")
    assert client.get_object(Bucket="test", Key="after")["Body"].read() == b"after"
    gateway.end()
    again.end()


def test_a_completion_without_hashlane_fails_in_time(tmp_path):
    hashlane = Hashlane(tmp_path)
    gateway = Gateway(tmp_path, hashlane)
    # Two values, each tried again for as long as the client library does, would take a minute.
    client = s3(gateway.url, read_timeout=45)
    client.create_bucket(Bucket="test")
    names = {"Bucket": "test", "Key": "parts"}
    names["UploadId"] = client.create_multipart_upload(**names)["UploadId"]
    part = client.upload_part(**names, PartNumber=1, Body=b"part")
    listed = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    hashlane.kill()
    with pytest.raises(ClientError) as refused:
        client.complete_multipart_upload(**names, MultipartUpload=listed)
    assert code(refused) == "ServiceUnavailable"
    again = Hashlane(tmp_path, port=hashlane.port)
    patient = s3(gateway.url, retries={"total_max_attempts": 5})
    completed = patient.complete_multipart_upload(**names, MultipartUpload=listed)
    assert completed["ETag"] == etag([b"part"])
    gateway.end()
    again.end()


def test_a_client_that_stalls(tmp_path):
    hashlane = Hashlane(tmp_path, "--part-idle-timeout", "1s")
    gateway = Gateway(tmp_path, hashlane)
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    upload = RawUpload(client, "stalled", 2 * MIB)
    upload.send(pattern(MIB))
    refusals = ("hashlane_refusals_total", "reason")
    until("the stream is idle", lambda: hashlane.counted(*refusals).get("STREAM_IDLE"))
    upload.send(pattern(MIB))
    assert upload.answer() == (400, "RequestTimeout")
    assert gateway.blobs() == 0
    gateway.end()
    hashlane.end()


def test_a_client_that_stalls_without_a_server(tmp_path):
    gateway = Gateway(tmp_path, None, "--idle-timeout", "1")
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    upload = RawUpload(client, "stalled", 2 * MIB)
    upload.send(pattern(MIB))
    until("there are bytes", lambda: gateway.blobs() == 1)
    until("the bytes are gone", lambda: gateway.blobs() == 0)
    upload.send(pattern(MIB))
    assert upload.answer() == (400, "RequestTimeout")
    gateway.end()


def test_hashlane_has_no_room(tmp_path):
    hashlane = Hashlane(tmp_path, "--streams-max", "1")
    gateway = Gateway(tmp_path, hashlane)
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    upload = RawUpload(client, "first", 2 * MIB)
    upload.send(pattern(MIB))
    until("the first upload has its stream", lambda: sum(hashlane.hashed_bytes().values()))
    with pytest.raises(ClientError) as refused:
        client.put_object(Bucket="test", Key="second", Body=b"second")
    assert code(refused) == "SlowDown"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 503
    upload.send(pattern(MIB, 1))
    assert upload.answer() == (200, None)
    gateway.end()
    hashlane.end()


def test_more_than_5_gib(client, gateway):
    blobs = gateway.blobs()
    upload = RawUpload(client, "large", (5 << 30) + 1)
    assert upload.answer() == (400, "EntityTooLarge")
    assert gateway.blobs() == blobs


def test_a_new_start_finds_the_objects(tmp_path, hashlane):
    gateway = Gateway(tmp_path, hashlane)
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    data = pattern(100_000)
    for key in ("a", "b", "b"):
        client.put_object(Bucket="test", Key=key, Body=data, ChecksumAlgorithm="SHA1")
    client.put_object(Bucket="test", Key="deleted", Body=data)
    client.delete_object(Bucket="test", Key="deleted")
    upload = client.create_multipart_upload(Bucket="test", Key="c")
    names = {name: upload[name] for name in ("Bucket", "Key", "UploadId")}
    client.upload_part(**names, PartNumber=1, Body=data)
    record = min((gateway.folder / "test").glob("*.json"))
    gateway.kill()
    # As if a crash had come before the old object of a key was deleted.
    older = record.with_name(f"{1:016x}.json")
    older.write_text(re.sub('("(etag|blob)":")', r"\1older", record.read_text()))
    (gateway.folder / ".blobs" / "unused").write_bytes(b"x")
    gateway = Gateway(tmp_path, hashlane)
    client = s3(gateway.url)
    found = client.list_objects_v2(Bucket="test")["Contents"]
    assert [(each["Key"], each["ETag"]) for each in found] == [("a", etag(data)), ("b", etag(data))]
    head = client.head_object(Bucket="test", Key="b", ChecksumMode="ENABLED")
    assert head["ChecksumSHA1"] == text(checksum("SHA1", data))
    assert client.get_object(Bucket="test", Key="a")["Body"].read() == data
    assert gateway.blobs() == 2
    assert not older.exists()
    with pytest.raises(ClientError) as refused:
        client.list_parts(**names)
    assert code(refused) == "NoSuchUpload"
    gateway.end()


def test_damaged_records(hashlane, tmp_path):
    gateway = Gateway(tmp_path, hashlane)
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    client.create_bucket(Bucket="other")
    kept = {}
    for key in ("cut", "empty", "whole"):
        before = gateway.records("test")
        client.put_object(Bucket="test", Key=key, Body=key.encode())
        (record,) = gateway.records("test") - before
        kept[key] = (record, record.read_bytes())
    gateway.end()
    # As after a crash of the machine.
    record, whole = kept["cut"]
    record.write_bytes(whole[: len(whole) // 2])
    kept["empty"][0].write_bytes(b"")
    foreign = gateway.folder / "other" / "notes.txt"
    foreign.write_text("of somebody else")
    ignored = [record, kept["empty"][0], foreign]
    for _ in range(2):
        gateway = Gateway(tmp_path, hashlane)
        client = s3(gateway.url)
        for path in ignored:
            assert gateway.logged(re.escape(f"warning: {path} is no record of an object"))
        listed = client.list_objects_v2(Bucket="test")["Contents"]
        assert [each["Key"] for each in listed] == ["whole"]
        for key in ("cut", "empty"):
            with pytest.raises(ClientError) as missing:
                client.get_object(Bucket="test", Key=key)
            assert code(missing) == "NoSuchKey"
        client.put_object(Bucket="test", Key="empty", Body=b"again")
        assert client.get_object(Bucket="test", Key="empty")["Body"].read() == b"again"
        with pytest.raises(ClientError) as refused:
            client.delete_bucket(Bucket="other")
        assert code(refused) == "BucketNotEmpty"
        client.delete_object(Bucket="test", Key="empty")
        gateway.end()
        # Nothing is lost.
        assert foreign.read_text() == "of somebody else"
        assert record.read_bytes() == whole[: len(whole) // 2]
        assert gateway.blobs() == 3
    record.write_bytes(whole)
    kept["empty"][0].unlink()
    foreign.unlink()
    gateway = Gateway(tmp_path, hashlane)
    client = s3(gateway.url)
    assert not gateway.logged("warning")
    assert client.get_object(Bucket="test", Key="cut")["Body"].read() == b"cut"
    assert gateway.blobs() == 2
    client.delete_bucket(Bucket="other")
    gateway.end()


def test_a_refusal_before_the_bytes_ends_the_connection(gateway):
    """Else the bytes of the client's next request would be taken for those of this one."""
    at = urlsplit(gateway.url)
    with socket.create_connection((at.hostname, at.port), timeout=PATIENCE) as peer:
        peer.sendall(
            b"PUT /test/held-back HTTP/1.1\r\nHost: gateway\r\n"
            b"Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n"
        )
        head, _, _ = b"".join(iter(lambda: peer.recv(4096), b"")).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 403 ")
    assert b"connection: close" in head.lower().split(b"\r\n")


@pytest.mark.parametrize(
    ("header", "value", "expected"),
    [
        ("X-Amz-Decoded-Content-Length", "100001", "IncompleteBody"),
        ("X-Amz-Decoded-Content-Length", "99999", "IncompleteBody"),
        ("X-Amz-Trailer", "x-amz-checksum-sha1", "MalformedTrailerError"),
        ("X-Amz-Trailer", "x-amz-other", "InvalidRequest"),
    ],
)
def test_bytes_that_are_not_as_announced(
    header, value, expected, tls, certificate, client, gateway
):
    def announce(request, **_):
        del request.headers[header], request.headers["X-Amz-Sdk-Checksum-Algorithm"]
        request.headers[header] = value

    blobs = gateway.blobs()
    sender = s3(tls.url, certificate[0])
    sender.meta.events.register("before-sign.s3.PutObject", announce)
    with pytest.raises(ClientError) as refused:
        sender.put_object(Bucket="test", Key="announced", Body=pattern(100_000))
    assert code(refused) == expected
    assert gateway.blobs() == blobs


@pytest.mark.parametrize("end", ["", "0", "0\r\n", "0\r\n{trailer}", "0\r\n{trailer}\r\n"])
@pytest.mark.parametrize("data", [b"bytes", b"\r\n\r\n"])
def test_chunks_without_their_end(end, data, client, gateway):
    trailer = f"x-amz-checksum-crc32:{text(checksum('CRC32', data))}"
    url = f"{gateway.url}/test/without-end"
    headers = {"x-amz-decoded-content-length": str(len(data)), "content-encoding": "aws-chunked"}
    headers |= {"x-amz-trailer": "x-amz-checksum-crc32"}
    request = AWSRequest("PUT", url, headers=headers)
    auth = S3SigV4Auth(Credentials(KEY, SECRET), "s3", "us-east-1")
    auth.payload = lambda _: "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    auth.add_auth(request)
    headers = dict(request.headers.items())
    blobs = gateway.blobs()
    cut = b"%x\r\n%s\r\n" % (len(data), data) + end.format(trailer=trailer).encode()
    status, _, answer = fetch(url, "PUT", headers, cut)
    assert (status, b"<Code>IncompleteBody</Code>" in answer) == (400, True), answer
    assert gateway.blobs() == blobs
    whole = b"%x\r\n%s\r\n0\r\n%s\r\n\r\n" % (len(data), data, trailer.encode())
    assert fetch(url, "PUT", headers, whole)[0] == 200
    names = {"Bucket": "test", "Key": "without-end"}
    assert client.get_object(**names)["Body"].read() == data
    client.delete_object(**names)


def test_an_old_record_that_stays(gateway, client):
    records = gateway.records("test")
    client.put_object(Bucket="test", Key="stays", Body=b"old")
    (old,) = gateway.records("test") - records
    # As if the disk refused to remove it.
    old.unlink()
    names = {"Bucket": "test", "Key": "stays"}
    names["UploadId"] = client.create_multipart_upload(**names)["UploadId"]
    part = client.upload_part(**names, PartNumber=1, Body=b"new")
    listed = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    client.complete_multipart_upload(**names, MultipartUpload=listed)
    assert client.get_object(Bucket="test", Key="stays")["Body"].read() == b"new"
    assert gateway.logged("cannot remove an old record")


@pytest.mark.parametrize(
    ("path", "headers", "expected"),
    [
        ("/test/large", {"x-amz-tagging": "a=b"}, 501),
        ("/none/large", {}, 404),
        ("/test/large", {"content-md5": "no base64"}, 400),
    ],
)
def test_a_refusal_comes_to_who_sends_all_first(path, headers, expected, gateway, client):
    status, answered, _ = signed(gateway.url + path, "PUT", headers, pattern(64 * MIB))
    assert status == expected
    assert "close" not in answered.get("connection", "")


def test_forms_are_refused_at_their_first_bytes(gateway, client):
    address = urlsplit(gateway.url).netloc
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    connection.putrequest("POST", "/test")
    connection.putheader("Content-Type", "multipart/form-data; boundary=b")
    connection.putheader("Content-Length", str(1 << 30))
    head = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
    # The rest never comes.
    connection.endheaders(head.encode() + pattern(100_000))
    answer = connection.getresponse()
    assert answer.status == 501
    assert b"<Code>NotImplemented</Code>" in answer.read()
    connection.close()


def test_keys_are_needed(gateway, client):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{gateway.url}/test/kept")
    assert refused.value.code == 403
