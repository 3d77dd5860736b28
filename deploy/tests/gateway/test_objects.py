"""Objects that are uploaded at once."""

import pytest
from botocore.exceptions import ClientError
from support import KEY, MIB, SECRET, checksum, code, etag, message, pattern, s3, signed, text

FIVE = ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"]
ALL = [*FIVE, "SHA512", "XXHASH64", "XXHASH3", "XXHASH128"]


def read_back(client, key, data, algorithm):
    """The object is the bytes, and has the values of another computation."""
    expected = text(checksum(algorithm, data))
    got = client.get_object(Bucket="test", Key=key, ChecksumMode="ENABLED")
    assert got["Body"].read() == data
    head = client.head_object(Bucket="test", Key=key, ChecksumMode="ENABLED")
    for answer in (got, head):
        assert answer["ETag"] == etag(data)
        assert answer[f"Checksum{algorithm}"] == expected
        assert answer["ChecksumType"] == "FULL_OBJECT"
        assert answer["ContentLength"] == len(data)
    unasked = client.head_object(Bucket="test", Key=key)
    assert not [name for name in unasked if name.startswith("Checksum")]


@pytest.mark.parametrize("via", ["header", "trailer"])
@pytest.mark.parametrize("algorithm", ALL)
def test_each_checksum(algorithm, via, client, tls_client, gateway, hashlane):
    sender = {"header": client, "trailer": tls_client}[via]
    key, data = f"{algorithm}/{via}", pattern(5 * MIB + 1, len(algorithm))
    before = hashlane.hashed_bytes()
    put = sender.put_object(Bucket="test", Key=key, Body=data, ChecksumAlgorithm=algorithm)
    sent = put["ResponseMetadata"]["HTTPHeaders"]
    assert sent["x-amz-checksum-type"] == "FULL_OBJECT"
    assert put[f"Checksum{algorithm}"] == text(checksum(algorithm, data))
    assert put["ETag"] == etag(data)
    after = hashlane.hashed_bytes()
    hashed = {name: after[name] - before.get(name, 0) for name in after}
    # Every byte, once for each digest, and nothing else.
    names = ["md5", algorithm.lower()] if gateway.hashlane else []
    expected = dict.fromkeys(names, len(data))
    assert {name: count for name, count in hashed.items() if count} == expected
    read_back(client, key, data, algorithm)


@pytest.mark.parametrize("size", [0, 1, 5 * MIB, 64 * MIB])
def test_the_clients_default(size, client, tls_client):
    for name, sender in {"header": client, "trailer": tls_client}.items():
        key, data = f"default/{name}/{size}", pattern(size, 3)
        sender.put_object(Bucket="test", Key=key, Body=data)
        # boto3's own default.
        read_back(client, key, data, "CRC32")


def test_s3s_default_without_a_checksum(gateway, client):
    bare = s3(gateway.url, request_checksum_calculation="when_required")
    data = pattern(70_001)
    put = bare.put_object(Bucket="test", Key="bare", Body=data)
    assert put["ChecksumCRC64NVME"] == text(checksum("CRC64NVME", data))
    read_back(client, "bare", data, "CRC64NVME")


def test_a_checksum_of_the_clients_own(client):
    data = pattern(100_000)
    for name in [*ALL, "MD5"]:
        own = {f"Checksum{name}": text(checksum(name, data))}
        client.put_object(Bucket="test", Key=f"own/{name}", Body=data, **own)
        read_back(client, f"own/{name}", data, name)
        own = {f"Checksum{name}": text(checksum(name, b"other"))}
        with pytest.raises(ClientError) as refused:
            client.put_object(Bucket="test", Key=f"wrong/{name}", Body=data, **own)
        assert code(refused) == "BadDigest"
        told = f"The {name} you specified did not match the calculated checksum."
        assert message(refused) == told
    assert not client.list_objects_v2(Bucket="test", Prefix="wrong/")["KeyCount"]


def test_content_md5(gateway, client):
    data, blobs = pattern(6 * MIB), gateway.blobs()
    for value, expected in {
        text(checksum("MD5", b"other")): "BadDigest",
        text(b"short"): "InvalidDigest",
        "no base64": "InvalidDigest",
    }.items():
        with pytest.raises(ClientError) as refused:
            client.put_object(Bucket="test", Key="md5", Body=data, ContentMD5=value)
        assert code(refused) == expected
    with pytest.raises(ClientError) as missing:
        client.head_object(Bucket="test", Key="md5")
    assert code(missing) == "404"
    assert gateway.blobs() == blobs
    client.put_object(Bucket="test", Key="md5", Body=data, ContentMD5=text(checksum("MD5", data)))
    read_back(client, "md5", data, "CRC32")


def test_headers_that_contradict(gateway):
    bare = s3(gateway.url, request_checksum_calculation="when_required")
    right = {name: text(checksum(name, b"abc")) for name in ALL}
    for headers, told in [
        ({"ChecksumCRC32": right["CRC32"], "ChecksumSHA1": right["SHA1"]}, "Multiple"),
        ({"ChecksumCRC32": "AAAA"}, "Value for x-amz-checksum-crc32 header is invalid."),
        ({"ChecksumCRC32": right["CRC32"], "ChecksumAlgorithm": "SHA1"}, "sdk-checksum"),
    ]:
        with pytest.raises(ClientError) as refused:
            bare.put_object(Bucket="test", Key="contradiction", Body=b"abc", **headers)
        assert code(refused) == "InvalidRequest"
        assert told in message(refused)


def test_a_refused_upload_leaves_the_old_object(gateway, client):
    client.put_object(Bucket="test", Key="kept", Body=b"old")
    blobs = gateway.blobs()
    wrong = text(checksum("MD5", b"other"))
    with pytest.raises(ClientError):
        client.put_object(Bucket="test", Key="kept", Body=b"new", ContentMD5=wrong)
    read_back(client, "kept", b"old", "CRC32")
    client.put_object(Bucket="test", Key="kept", Body=b"newer")
    read_back(client, "kept", b"newer", "CRC32")
    assert gateway.blobs() == blobs, "the bytes of the old object are gone"


def test_conditions(client):
    client.put_object(Bucket="test", Key="condition", Body=b"1", IfNoneMatch="*")
    for condition in ({"IfNoneMatch": "*"}, {"IfMatch": etag(b"2")}):
        with pytest.raises(ClientError) as refused:
            client.put_object(Bucket="test", Key="condition", Body=b"2", **condition)
        assert code(refused) == "PreconditionFailed"
    client.put_object(Bucket="test", Key="condition", Body=b"3", IfMatch=etag(b"1"))
    for condition, expected in {"IfMatch": (b"1", "412"), "IfNoneMatch": (b"3", "304")}.items():
        data, status = expected
        with pytest.raises(ClientError) as refused:
            client.head_object(Bucket="test", Key="condition", **{condition: etag(data)})
        assert code(refused) == status


def test_headers_and_metadata_come_back(tls_client, client):
    headers = {
        "ContentType": "text/plain",
        "CacheControl": "no-store",
        "ContentEncoding": "deflate, gzip",
    }
    metadata = {"Metadata": {"colour": "blue"}}
    tls_client.put_object(Bucket="test", Key="headers", Body=b"x", **headers, **metadata)
    got = client.get_object(Bucket="test", Key="headers")
    # Without the aws-chunked of the request.
    assert {name: got[name] for name in headers} == headers
    assert got["Metadata"] == metadata["Metadata"]


def test_lists(client):
    client.create_bucket(Bucket="lists")
    keys = ["a", "a/1", "a/2", "b/1", "b/2/3", "c", "ä %41+&<>", "z" * 1024]
    for key in keys:
        client.put_object(Bucket="lists", Key=key, Body=key.encode())
    ordered = sorted(keys, key=str.encode)
    for name in ("list_objects", "list_objects_v2"):
        for size in (1, 2, 1000):
            config = {"PageSize": size}
            pages = client.get_paginator(name).paginate(Bucket="lists", PaginationConfig=config)
            found = [each["Key"] for page in pages for each in page.get("Contents", [])]
            assert found == ordered
            pages = client.get_paginator(name).paginate(
                Bucket="lists", Delimiter="/", PaginationConfig=config
            )
            pages = list(pages)
            found = [each["Key"] for page in pages for each in page.get("Contents", [])]
            assert found == [key for key in ordered if "/" not in key]
            groups = [each["Prefix"] for page in pages for each in page.get("CommonPrefixes", [])]
            assert groups == ["a/", "b/"]
    within = client.list_objects_v2(Bucket="lists", Prefix="b/", Delimiter="/")
    assert [each["Key"] for each in within["Contents"]] == ["b/1"]
    assert [each["Prefix"] for each in within["CommonPrefixes"]] == ["b/2/"]
    with pytest.raises(ClientError) as refused:
        client.delete_bucket(Bucket="lists")
    assert code(refused) == "BucketNotEmpty"
    client.delete_object(Bucket="lists", Key="a")
    # What is not there is deleted too.
    rest = [{"Key": key} for key in keys]
    client.delete_objects(Bucket="lists", Delete={"Objects": rest})
    client.delete_bucket(Bucket="lists")
    assert "lists" not in [bucket["Name"] for bucket in client.list_buckets()["Buckets"]]


def test_pages_of_buckets(client):
    names = [f"paged-{number}" for number in range(3)]
    for name in names:
        client.create_bucket(Bucket=name)
    found = client.list_buckets(Prefix="paged-", MaxBuckets=2)
    assert found["Prefix"] == "paged-"
    assert [bucket["Name"] for bucket in found["Buckets"]] == names[:2]
    token = found["ContinuationToken"]
    found = client.list_buckets(Prefix="paged-", MaxBuckets=2, ContinuationToken=token)
    assert [bucket["Name"] for bucket in found["Buckets"]] == names[2:]
    assert "ContinuationToken" not in found
    with pytest.raises(ClientError) as refused:
        client.list_buckets(MaxBuckets=10_001)
    assert code(refused) == "InvalidArgument"


def test_an_empty_delimiter_is_none(client):
    for list_objects in (client.list_objects, client.list_objects_v2):
        assert "Delimiter" not in list_objects(Bucket="test", Delimiter="")


def test_a_list_with_the_last_character(client):
    client.create_bucket(Bucket="last")
    last = "\U0010ffff"
    for key in ("a/1", f"a/{last}b", "b", f"{last}/1", f"{last}/2"):
        client.put_object(Bucket="last", Key=key, Body=b"")
    for marker in ("", "a/", f"{last}/"):
        found = client.list_objects_v2(Bucket="last", Delimiter="/", StartAfter=marker)
        groups = [each["Prefix"] for each in found.get("CommonPrefixes", [])]
        assert groups == [group for group in ("a/", f"{last}/") if group > marker]
        assert [each["Key"] for each in found.get("Contents", [])] == ["b"] * (marker < "b")
        assert not found["IsTruncated"]
    found = client.list_objects_v2(Bucket="last", Delimiter=last)
    assert [each["Prefix"] for each in found["CommonPrefixes"]] == [f"a/{last}", last]
    assert [each["Key"] for each in found["Contents"]] == ["a/1", "b"]


def test_names_that_xml_cannot_write(client):
    client.create_bucket(Bucket="encoded")
    keys = ["\x01/\x02", "\x01a b+%41<&>ä"]
    for key in keys:
        client.put_object(Bucket="encoded", Key=key, Body=b"")
    for list_objects in (client.list_objects, client.list_objects_v2):
        # boto3 asks for the encoding, and decodes.
        found = list_objects(Bucket="encoded", MaxKeys=1)
        assert [each["Key"] for each in found["Contents"]] == keys[:1]
        # Whoever asks by himself decodes by himself.
        asked = {"Prefix": "\x01", "Delimiter": "/", "EncodingType": "url"}
        found = list_objects(Bucket="encoded", **asked)
        assert found["EncodingType"] == "url"
        assert found["Prefix"] == "%01"
        assert found["Delimiter"] == "/"
        assert [each["Prefix"] for each in found["CommonPrefixes"]] == ["%01/"]
        assert [each["Key"] for each in found["Contents"]] == ["%01a%20b%2B%2541%3C%26%3E%C3%A4"]
        with pytest.raises(ClientError) as refused:
            list_objects(Bucket="encoded", EncodingType="other")
        assert code(refused) == "InvalidArgument"
    pages = client.get_paginator("list_objects").paginate(
        Bucket="encoded", PaginationConfig={"PageSize": 1}
    )
    assert [each["Key"] for page in pages for each in page["Contents"]] == keys


def test_ranges_of_an_empty_object(client):
    client.put_object(Bucket="test", Key="empty", Body=b"")
    for asked in ("bytes=-5", "bytes=0-"):
        with pytest.raises(ClientError) as refused:
            client.get_object(Bucket="test", Key="empty", Range=asked)
        assert code(refused) == "InvalidRange"


def test_a_bucket_that_is_there_can_be_created_again(client):
    created = client.create_bucket(Bucket="again")
    client.put_object(Bucket="again", Key="key", Body=b"bytes")
    # In us-east-1 S3 answers so. In other regions it is an error.
    again = client.create_bucket(Bucket="again")
    assert again["Location"] == created["Location"]
    assert client.get_object(Bucket="again", Key="key")["Body"].read() == b"bytes"


def test_names_that_do_not_exist(gateway, client):
    for call, expected in {
        lambda: client.get_object(Bucket="test", Key="none"): "NoSuchKey",
        lambda: client.get_object(Bucket="none", Key="none"): "NoSuchBucket",
        lambda: client.put_object(Bucket="none", Key="none", Body=b""): "NoSuchBucket",
        lambda: client.create_bucket(Bucket="192.0.2.1"): "InvalidBucketName",
        lambda: client.get_object(Bucket="test", Key="k" * 1025): "KeyTooLongError",
        lambda: client.list_parts(Bucket="test", Key="none", UploadId="none"): "NoSuchUpload",
        lambda: s3(gateway.url, keys=("another", SECRET)).list_buckets(): "InvalidAccessKeyId",
        lambda: s3(gateway.url, keys=(KEY, "another")).list_buckets(): "SignatureDoesNotMatch",
    }.items():
        with pytest.raises(ClientError) as refused:
            call()
        assert code(refused) == expected
        # S3 says a sentence.
        assert message(refused).endswith("."), expected


def test_an_algorithm_named_as_minio_names_it(client, gateway):
    """minio-go names the algorithm of its trailers in x-amz-checksum-algorithm."""
    url = f"{gateway.url}/test/named"
    right = {"x-amz-checksum-crc32c": text(checksum("CRC32C", b"bytes"))}
    status, headers, _ = signed(
        url, "PUT", {"x-amz-checksum-algorithm": "CRC32C"} | right, b"bytes"
    )
    assert status == 200
    assert headers["x-amz-checksum-crc32c"] == right["x-amz-checksum-crc32c"]
    names = {"Bucket": "test", "Key": "named"}
    upload = client.create_multipart_upload(**names)["UploadId"]
    part = f"{url}?partNumber=1&uploadId={upload}"
    assert signed(part, "PUT", {"x-amz-checksum-algorithm": "CRC32C"} | right, b"bytes")[0] == 200
    client.abort_multipart_upload(**names, UploadId=upload)
    for headers in (
        {"x-amz-checksum-algorithm": "CRC32"} | right,
        {"x-amz-checksum-algorithm": "CRC31"},
    ):
        status, _, answer = signed(url, "PUT", headers, b"other")
        assert (status, b"<Code>InvalidRequest</Code>" in answer) == (400, True), answer
    assert client.get_object(**names)["Body"].read() == b"bytes"
    # Without a checksum, it is the algorithm of the object's.
    status, headers, _ = signed(url, "PUT", {"x-amz-checksum-algorithm": "SHA1"}, b"alone")
    assert (status, headers["x-amz-checksum-sha1"]) == (200, text(checksum("SHA1", b"alone")))


def test_other_users_cannot_read_the_files(client, gateway):
    before = gateway.records("test") | gateway.records(".blobs")
    client.put_object(Bucket="test", Key="mode", Body=b"bytes")
    made = (gateway.records("test") | gateway.records(".blobs")) - before
    assert [path.stat().st_mode & 0o777 for path in made] == [0o600] * 2
