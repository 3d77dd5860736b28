"""Copies: real bytes, which go through hashlane again."""

from datetime import timedelta

import pytest
from botocore.exceptions import ClientError
from support import MIB, checksum, code, composite, etag, message, pattern, split, text
from test_objects import read_back

DATA = pattern(11 * MIB + 5, 3)
PARTS = split(DATA, 5 * MIB)
SOURCE = {"Bucket": "test", "Key": "copy/source ä+%41"}
HEADERS = {"ContentType": "text/plain", "CacheControl": "no-store", "Metadata": {"colour": "blue"}}


@pytest.fixture(scope="module")
def source(client):
    client.put_object(**SOURCE, Body=DATA, ChecksumAlgorithm="SHA1", **HEADERS)
    return SOURCE


def test_a_copy(source, client, gateway, hashlane):
    before = hashlane.hashed_bytes()
    copied = client.copy_object(Bucket="test", Key="copy/one", CopySource=source)
    hashed = hashlane.hashed_bytes()
    counted = {name: hashed.get(name, 0) - before.get(name, 0) for name in ("md5", "sha1")}
    through_server = len(DATA) if gateway.hashlane else 0
    assert counted == {"md5": through_server, "sha1": through_server}
    result = copied["CopyObjectResult"]
    assert result["ETag"] == etag(DATA)
    assert result["ChecksumSHA1"] == text(checksum("SHA1", DATA))
    assert result["ChecksumType"] == "FULL_OBJECT"
    read_back(client, "copy/one", DATA, "SHA1")
    got = client.head_object(Bucket="test", Key="copy/one")
    assert {name: got[name] for name in HEADERS} == HEADERS
    assert abs(result["LastModified"] - got["LastModified"]) < timedelta(seconds=2)


@pytest.mark.parametrize("algorithm", ["CRC32", "SHA256", "XXHASH128"])
def test_a_copy_with_another_checksum(algorithm, source, client):
    names = {"Bucket": "test", "Key": f"copy/{algorithm}"}
    client.copy_object(**names, CopySource=source, ChecksumAlgorithm=algorithm)
    read_back(client, names["Key"], DATA, algorithm)


def test_a_copy_with_other_metadata(source, client):
    names = {"Bucket": "test", "Key": "copy/replaced"}
    other = {"ContentType": "text/html", "Metadata": {"size": "large"}}
    client.copy_object(**names, CopySource=source, MetadataDirective="REPLACE", **other)
    got = client.get_object(**names)
    assert got["Body"].read() == DATA
    assert {name: got[name] for name in other} == other
    assert "CacheControl" not in got
    # Onto itself.
    client.put_object(**names, Body=b"bytes", **HEADERS)
    with pytest.raises(ClientError) as refused:
        client.copy_object(**names, CopySource=names)
    assert code(refused) == "InvalidRequest"
    client.copy_object(**names, CopySource=names, MetadataDirective="REPLACE", **other)
    got = client.get_object(**names)
    assert got["Body"].read() == b"bytes"
    assert got["Metadata"] == other["Metadata"]


def test_conditions(source, client, gateway):
    modified = client.head_object(**source)["LastModified"]
    before = modified - timedelta(seconds=1)
    names = {"Bucket": "test", "Key": "copy/condition", "CopySource": source}
    blobs = gateway.blobs()
    for condition in (
        {"CopySourceIfMatch": etag(b"other")},
        {"CopySourceIfNoneMatch": etag(DATA)},
        {"CopySourceIfModifiedSince": modified},
        {"CopySourceIfUnmodifiedSince": before},
    ):
        with pytest.raises(ClientError) as refused:
            client.copy_object(**names, **condition)
        assert code(refused) == "PreconditionFailed"
    with pytest.raises(ClientError) as refused:
        client.copy_object(**names, IfMatch=etag(DATA))
    assert code(refused) == "NoSuchKey"
    assert gateway.blobs() == blobs
    client.copy_object(
        **names, CopySourceIfMatch=etag(DATA), CopySourceIfUnmodifiedSince=before, IfNoneMatch="*"
    )
    with pytest.raises(ClientError) as refused:
        client.copy_object(**names, IfNoneMatch="*")
    assert code(refused) == "PreconditionFailed"


def test_sources_that_are_none(client):
    names = {"Bucket": "test", "Key": "copy/none"}
    for source, expected in (
        ({"Bucket": "test", "Key": "none"}, "NoSuchKey"),
        ({"Bucket": "none", "Key": "none"}, "NoSuchBucket"),
        (SOURCE | {"VersionId": "other"}, "NoSuchVersion"),
    ):
        with pytest.raises(ClientError) as refused:
            client.copy_object(**names, CopySource=source)
        assert code(refused) == expected
    client.copy_object(**names, CopySource=SOURCE | {"VersionId": "null"})


@pytest.mark.parametrize(("algorithm", "kind"), [("SHA256", "COMPOSITE"), ("CRC32", "FULL_OBJECT")])
def test_copies_of_parts(algorithm, kind, source, client):
    names = {"Bucket": "test", "Key": f"copy/parts/{algorithm}"}
    asked = {"ChecksumAlgorithm": algorithm, "ChecksumType": kind}
    names["UploadId"] = client.create_multipart_upload(**names, **asked)["UploadId"]
    listed, begin = [], 0
    for number, part in enumerate(PARTS, 1):
        copied = client.upload_part_copy(
            **names,
            PartNumber=number,
            CopySource=source,
            CopySourceRange=f"bytes={begin}-{begin + len(part) - 1}",
            CopySourceIfMatch=etag(DATA),
        )["CopyPartResult"]
        begin += len(part)
        assert copied["ETag"] == etag(part)
        value = copied[f"Checksum{algorithm}"]
        assert value == text(checksum(algorithm, part))
        listed.append({"PartNumber": number, "ETag": copied["ETag"], f"Checksum{algorithm}": value})
    done = client.complete_multipart_upload(**names, MultipartUpload={"Parts": listed})
    assert done["ETag"] == etag(PARTS)
    assert done[f"Checksum{algorithm}"] == (
        composite(algorithm, PARTS) if kind == "COMPOSITE" else text(checksum(algorithm, DATA))
    )
    del names["UploadId"]
    assert client.get_object(**names)["Body"].read() == DATA
    # An object in parts is copied into one.
    client.copy_object(Bucket="test", Key="copy/whole", CopySource=names)
    read_back(client, "copy/whole", DATA, algorithm)


def test_parts_that_cannot_be_copied(source, client, gateway):
    names = {"Bucket": "test", "Key": "copy/misfit"}
    names["UploadId"] = client.create_multipart_upload(**names)["UploadId"]
    blobs = gateway.blobs()
    for more, expected in (
        ({"CopySourceRange": f"bytes=0-{len(DATA)}"}, "InvalidArgument"),
        ({"CopySourceRange": "bytes=5-4"}, "InvalidArgument"),
        ({"CopySourceRange": "bytes=5-"}, "InvalidArgument"),
        ({"CopySourceIfNoneMatch": etag(DATA)}, "PreconditionFailed"),
        ({"PartNumber": 10_001}, "InvalidArgument"),
        ({"UploadId": "none"}, "NoSuchUpload"),
    ):
        with pytest.raises(ClientError) as refused:
            client.upload_part_copy(**({"PartNumber": 1, "CopySource": source} | names | more))
        assert code(refused) == expected
    assert gateway.blobs() == blobs
    client.abort_multipart_upload(**names)


def test_a_source_that_is_damaged(client, gateway):
    before = set((gateway.folder / ".blobs").iterdir())
    client.put_object(Bucket="test", Key="copy/damaged", Body=b"bytes")
    (blob,) = set((gateway.folder / ".blobs").iterdir()) - before
    for damage in (b"bytez", b"byte"):
        blob.write_bytes(damage)
        with pytest.raises(ClientError) as refused:
            client.copy_object(
                Bucket="test",
                Key="copy/of-damaged",
                CopySource={"Bucket": "test", "Key": "copy/damaged"},
            )
        assert code(refused) == "InternalError"
        assert "log of the gateway" in message(refused)
    assert gateway.logged('the stored bytes of "copy/damaged" are damaged')
    with pytest.raises(ClientError):
        client.head_object(Bucket="test", Key="copy/of-damaged")
