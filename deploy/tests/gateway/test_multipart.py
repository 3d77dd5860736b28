"""Objects that are uploaded in parts."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError
from support import MIB, checksum, code, composite, etag, pattern, s3, split, text

PARTS = split(pattern(12 * MIB + 1, 5), 5 * MIB)
WHOLE = b"".join(PARTS)
METHODS = [
    ("CRC32", "COMPOSITE"),
    ("CRC32", "FULL_OBJECT"),
    ("CRC32C", "COMPOSITE"),
    ("CRC32C", "FULL_OBJECT"),
    ("CRC64NVME", "FULL_OBJECT"),
    ("SHA1", "COMPOSITE"),
    ("SHA256", "COMPOSITE"),
    ("SHA512", "COMPOSITE"),
    ("MD5", "COMPOSITE"),
    ("XXHASH64", "COMPOSITE"),
    ("XXHASH3", "COMPOSITE"),
    ("XXHASH128", "COMPOSITE"),
]


def value(algorithm, kind, parts):
    if kind == "COMPOSITE":
        return composite(algorithm, parts)
    return text(checksum(algorithm, b"".join(parts)))


class Upload:
    """An upload in parts, step by step."""

    def __init__(self, client, key, algorithm=None, kind=None, **more):
        self.client, self.algorithm = client, algorithm
        self.names = {"Bucket": "test", "Key": key}
        asked = {"ChecksumAlgorithm": algorithm, "ChecksumType": kind}
        asked = {name: each for name, each in asked.items() if each}
        created = client.create_multipart_upload(**self.names, **asked, **more)
        self.names["UploadId"] = created["UploadId"]
        self.listed = []

    def part(self, number, data, **more):
        if self.algorithm == "MD5":
            # boto3 does not compute it.
            more.setdefault("ChecksumMD5", text(checksum("MD5", data)))
        elif self.algorithm:
            more.setdefault("ChecksumAlgorithm", self.algorithm)
        answer = self.client.upload_part(**self.names, PartNumber=number, Body=data, **more)
        checksums = {name: each for name, each in answer.items() if name.startswith("Checksum")}
        self.listed.append({"PartNumber": number, "ETag": answer["ETag"]} | checksums)
        return answer

    def parts(self, parts):
        for number, part in enumerate(parts, 1):
            self.part(number, part)
        return self

    def complete(self, listed=None, **more):
        chosen = {"Parts": self.listed if listed is None else listed}
        return self.client.complete_multipart_upload(**self.names, MultipartUpload=chosen, **more)


@pytest.mark.parametrize("via", ["header", "trailer"])
@pytest.mark.parametrize(("algorithm", "kind"), METHODS)
def test_each_checksum(algorithm, kind, via, client, tls_client):
    sender = {"header": client, "trailer": tls_client}[via]
    upload = Upload(sender, f"{algorithm}/{kind}/{via}", algorithm, kind)
    upload.parts(PARTS)
    name = f"Checksum{algorithm}"
    sent = [part[name] for part in upload.listed]
    assert sent == [text(checksum(algorithm, part)) for part in PARTS]
    expected = value(algorithm, kind, PARTS)
    completed = upload.complete(**{name: expected, "ChecksumType": kind})
    object_names = {key: upload.names[key] for key in ("Bucket", "Key")}
    head = client.head_object(**object_names, ChecksumMode="ENABLED")
    for answer in (completed, head):
        assert answer["ETag"] == etag(PARTS)
        assert answer[name] == expected
        assert answer["ChecksumType"] == kind
    assert client.get_object(**object_names)["Body"].read() == WHOLE
    wanted = ["Checksum", "ETag", "ObjectParts", "ObjectSize"]
    attributes = client.get_object_attributes(**object_names, ObjectAttributes=wanted)
    # Without quotes, here alone.
    assert attributes["ETag"] == etag(PARTS).strip('"')
    assert attributes["ObjectSize"] == len(WHOLE)
    assert attributes["Checksum"] == {name: expected, "ChecksumType": kind}
    parts = attributes["ObjectParts"]
    assert parts["TotalPartsCount"] == 3
    assert [part[name] for part in parts["Parts"]] == sent
    assert [part["Size"] for part in parts["Parts"]] == [len(part) for part in PARTS]


def test_s3s_default_without_an_algorithm(gateway):
    bare = s3(gateway.url, request_checksum_calculation="when_required")
    completed = Upload(bare, "bare-parts").parts(PARTS).complete()
    assert completed["ChecksumCRC64NVME"] == text(checksum("CRC64NVME", WHOLE))
    assert completed["ChecksumType"] == "FULL_OBJECT"
    assert completed["ETag"] == etag(PARTS)
    upload = Upload(bare, "bare-parts-with-checksums")
    for number, part in enumerate(PARTS, 1):
        upload.part(number, part, ChecksumAlgorithm="SHA1")
        assert upload.listed[-1]["ChecksumSHA1"] == text(checksum("SHA1", part))
    assert upload.complete()["ChecksumCRC64NVME"] == text(checksum("CRC64NVME", WHOLE))


@pytest.mark.parametrize(("size", "part_bytes"), [(5 * MIB, 8 * MIB), (64 * MIB, 5 * MIB)])
def test_uploads_as_boto3_makes_them(size, part_bytes, client, tls_client, tmp_path):
    data = pattern(size, 9)
    (tmp_path / "file").write_bytes(data)
    config = TransferConfig(multipart_threshold=6 * MIB, multipart_chunksize=part_bytes)
    for name, sender in {"header": client, "trailer": tls_client}.items():
        key = f"transfer/{name}/{size}"
        sender.upload_file(str(tmp_path / "file"), "test", key, Config=config)
        client.download_file("test", key, str(tmp_path / "back"), Config=config)
        assert (tmp_path / "back").read_bytes() == data
        head = client.head_object(Bucket="test", Key=key, ChecksumMode="ENABLED")
        assert head["ETag"] == etag(split(data, part_bytes) if size > part_bytes else data)


def test_parts_in_any_order_at_once_and_again(client, gateway):
    parts = split(pattern(40 * MIB, 2), 5 * MIB)
    blobs = gateway.blobs()
    upload = Upload(client, "order", "CRC64NVME")
    upload.part(3, PARTS[0])
    with ThreadPoolExecutor(4) as pool:
        numbered = list(enumerate(parts, 1))[::-1]
        list(pool.map(lambda each: upload.part(*each), numbered))
    # Of the part that was sent twice, the second.
    listed = sorted(upload.listed[1:], key=lambda part: part["PartNumber"])
    found = client.list_parts(**upload.names, MaxParts=5)
    assert found["IsTruncated"]
    rest = client.list_parts(**upload.names, PartNumberMarker=found["NextPartNumberMarker"])
    found = [part for page in (found, rest) for part in page["Parts"]]
    assert [part["ETag"] for part in found] == [etag(part) for part in parts]
    for wrong_order in (listed[::-1], [listed[0], listed[0]]):
        with pytest.raises(ClientError) as refused:
            upload.complete(wrong_order)
        assert code(refused) == "InvalidPartOrder"
    completed = upload.complete(listed)
    assert completed["ETag"] == etag(parts)
    assert completed["ChecksumCRC64NVME"] == text(checksum("CRC64NVME", b"".join(parts)))
    assert gateway.blobs() == blobs + len(parts)


def test_a_completion_whose_answer_was_lost(client, gateway):
    upload = Upload(client, "again", "SHA256").parts(PARTS)
    first = upload.complete()
    blobs = gateway.blobs()
    again = upload.complete()
    assert "ResponseMetadata" in first
    del first["ResponseMetadata"], again["ResponseMetadata"]
    assert again == first
    assert gateway.blobs() == blobs
    other = {"ETag": etag(b"other")}
    for listed in (upload.listed[:2], [upload.listed[0] | other, *upload.listed[1:]]):
        with pytest.raises(ClientError) as refused:
            upload.complete(listed)
        assert code(refused) == "InvalidPart"
    # The object is another one now.
    client.put_object(Bucket="test", Key="again", Body=b"other")
    with pytest.raises(ClientError) as refused:
        upload.complete()
    assert code(refused) == "NoSuchUpload"


def test_some_of_the_parts(client, gateway):
    blobs = gateway.blobs()
    upload = Upload(client, "some", "SHA256").parts(PARTS)
    listed = [upload.listed[0], upload.listed[2]]
    completed = upload.complete(listed)
    assert completed["ETag"] == etag([PARTS[0], PARTS[2]])
    assert completed["ChecksumSHA256"] == composite("SHA256", [PARTS[0], PARTS[2]])
    assert client.get_object(Bucket="test", Key="some")["Body"].read() == PARTS[0] + PARTS[2]
    assert gateway.blobs() == blobs + 2, "the part that is not in the object is gone"


def test_ranges_over_parts(client):
    Upload(client, "ranges", "CRC32").parts(PARTS).complete()
    edge, end = 5 * MIB, len(WHOLE)
    for first, last in [(0, 0), (edge - 1, edge), (edge, edge + 9), (7, end - 1), (3, 11 * MIB)]:
        got = client.get_object(Bucket="test", Key="ranges", Range=f"bytes={first}-{last}")
        assert got["Body"].read() == WHOLE[first : last + 1]
        assert got["ContentRange"] == f"bytes {first}-{last}/{end}"
    got = client.get_object(Bucket="test", Key="ranges", Range="bytes=-6000000")
    assert got["Body"].read() == WHOLE[-6_000_000:]
    with pytest.raises(ClientError) as refused:
        client.get_object(Bucket="test", Key="ranges", Range=f"bytes={end}-")
    assert code(refused) == "InvalidRange"


def test_one_part_of_an_object(client):
    upload = Upload(client, "one-part", "SHA256").parts(PARTS)
    upload.complete([upload.listed[0], upload.listed[2]])
    client.put_object(Bucket="test", Key="no-parts", Body=b"bytes")
    client.put_object(Bucket="test", Key="nothing", Body=b"")
    size = len(PARTS[0]) + len(PARTS[2])
    for call in (client.get_object, client.head_object):
        names = {"Bucket": "test", "Key": "one-part"}
        got = call(**names, PartNumber=3, ChecksumMode="ENABLED")
        assert got["ResponseMetadata"]["HTTPStatusCode"] == 206
        assert got["PartsCount"] == 2
        assert got["ContentLength"] == len(PARTS[2])
        assert got["ContentRange"] == f"bytes {len(PARTS[0])}-{size - 1}/{size}"
        assert got["ChecksumSHA256"] == text(checksum("SHA256", PARTS[2]))
        assert got["ChecksumType"] == "COMPOSITE"
        assert "Body" not in got or got["Body"].read() == PARTS[2]
        for wrong, status in (
            ({"PartNumber": 2}, 416),
            ({"PartNumber": 1, "Range": "bytes=0-1"}, 400),
        ):
            with pytest.raises(ClientError) as refused:
                call(**names, **wrong)
            assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == status
        got = call(Bucket="test", Key="no-parts", PartNumber=1)
        assert got["ContentRange"] == "bytes 0-4/5"
        assert "PartsCount" not in got
        assert call(Bucket="test", Key="nothing", PartNumber=1)["ContentLength"] == 0


def test_completions_that_do_not_fit(client):
    upload = Upload(client, "misfit", "SHA256").parts(PARTS)
    first, *others = upload.listed

    def but(**more):
        return [first | more, *others]

    other = text(checksum("SHA256", b"other"))
    for listed, more, expected in [
        (but(ETag=etag(b"other")), {}, "InvalidPart"),
        (but(ChecksumSHA256=other), {}, "InvalidPart"),
        ([*upload.listed, first | {"PartNumber": 9}], {}, "InvalidPart"),
        ([{"PartNumber": 1, "ETag": first["ETag"]}, *others], {}, "InvalidRequest"),
        (upload.listed, {"ChecksumSHA256": other}, "BadDigest"),
        (upload.listed, {"ChecksumSHA256": f"{other}-3"}, "BadDigest"),
        (upload.listed, {"ChecksumSHA256": "abc"}, "InvalidRequest"),
        (upload.listed, {"ChecksumCRC32": "AAAAAA=="}, "BadDigest"),
        (upload.listed, {"ChecksumType": "FULL_OBJECT"}, "InvalidRequest"),
        (upload.listed, {"MpuObjectSize": len(WHOLE) + 1}, "InvalidRequest"),
        (upload.listed, {"IfMatch": etag(b"other")}, "NoSuchKey"),
    ]:
        with pytest.raises(ClientError) as refused:
            upload.complete(listed, **more)
        assert code(refused) == expected, (listed, more)
    with pytest.raises(ClientError) as missing:
        client.head_object(Bucket="test", Key="misfit")
    assert code(missing) == "404"
    # The upload is still there.
    completed = upload.complete(MpuObjectSize=len(WHOLE))
    assert completed["ChecksumSHA256"] == composite("SHA256", PARTS)


def test_the_type_of_an_algorithm(client):
    names = {"Bucket": "test", "Key": "type"}
    for algorithm in ("CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"):
        created = client.create_multipart_upload(**names, ChecksumAlgorithm=algorithm)
        assert created["ChecksumAlgorithm"] == algorithm
        expected = "FULL_OBJECT" if algorithm == "CRC64NVME" else "COMPOSITE"
        assert created["ChecksumType"] == expected


def test_a_short_part_must_be_the_last(client):
    upload = Upload(client, "short", "CRC32").parts([b"short", PARTS[0]])
    with pytest.raises(ClientError) as refused:
        upload.complete()
    assert code(refused) == "EntityTooSmall"


def test_parts_that_do_not_fit(client, gateway):
    blobs = gateway.blobs()
    upload = Upload(client, "misfit-parts", "SHA256")
    bare = s3(gateway.url, request_checksum_calculation="when_required")
    for caller, more, expected in [
        (client, {"ChecksumAlgorithm": "CRC32"}, "InvalidRequest"),
        (bare, {}, "InvalidRequest"),
        (bare, {"ContentMD5": text(checksum("MD5", b"other"))}, "InvalidRequest"),
        (client, {"ChecksumSHA256": text(checksum("SHA256", b"other"))}, "BadDigest"),
        (client, {"PartNumber": 0}, "InvalidArgument"),
        (client, {"PartNumber": 10_001}, "InvalidArgument"),
        (client, {"Key": "other"}, "NoSuchUpload"),
        (client, {"UploadId": "none"}, "NoSuchUpload"),
    ]:
        if caller is client:
            more = {"ChecksumAlgorithm": "SHA256"} | more
        with pytest.raises(ClientError) as refused:
            caller.upload_part(**({"PartNumber": 1, "Body": b"abc"} | upload.names | more))
        assert code(refused) == expected, more
    assert gateway.blobs() == blobs


@pytest.mark.parametrize(
    ("algorithm", "kind"), [("SHA256", "FULL_OBJECT"), ("CRC64NVME", "COMPOSITE")]
)
def test_methods_that_do_not_exist(client, algorithm, kind):
    with pytest.raises(ClientError) as refused:
        Upload(client, "method", algorithm, kind)
    assert code(refused) == "InvalidRequest"


def test_abort(client, gateway):
    blobs = gateway.blobs()
    upload = Upload(client, "aborted").parts(PARTS)
    assert gateway.blobs() == blobs + len(PARTS)
    client.abort_multipart_upload(**upload.names)
    assert gateway.blobs() == blobs
    for call in (
        upload.complete,
        lambda: upload.part(1, b""),
        lambda: client.list_parts(**upload.names),
    ):
        with pytest.raises(ClientError) as refused:
            call()
        assert code(refused) == "NoSuchUpload"


def test_completions_at_once(client, gateway):
    """A client that retries before it has the answer."""
    blobs = gateway.blobs()
    callers = 4
    with ThreadPoolExecutor(callers) as pool:
        for _ in range(10):
            upload = Upload(client, "at-once").parts([b"one part"])
            calls = [pool.submit(upload.complete) for _ in range(callers)]
            answers = [call.result() for call in calls]
            assert {each["ETag"] for each in answers} == {etag([b"one part"])}
            assert len({each["ChecksumCRC64NVME"] for each in answers}) == 1
    assert client.get_object(Bucket="test", Key="at-once")["Body"].read() == b"one part"
    assert gateway.blobs() == blobs + 1


def test_a_completion_that_failed_leaves_the_upload(client):
    upload = Upload(client, "failed").parts([b"one part"])
    for _ in range(2):
        with pytest.raises(ClientError) as refused:
            upload.complete(IfMatch="*")
        assert code(refused) == "NoSuchKey"
        assert client.list_parts(**upload.names)["Parts"][0]["Size"] == 8
    assert upload.complete()["ETag"] == etag([b"one part"])


def test_a_bucket_ends_its_uploads(client, gateway):
    blobs = gateway.blobs()
    client.create_bucket(Bucket="ended")
    names = {"Bucket": "ended", "Key": "key"}
    names["UploadId"] = client.create_multipart_upload(**names)["UploadId"]
    part = client.upload_part(**names, PartNumber=1, Body=b"part")
    listed = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    client.delete_bucket(Bucket="ended")
    assert gateway.blobs() == blobs
    client.create_bucket(Bucket="ended")
    for call in (
        lambda: client.list_parts(**names),
        lambda: client.upload_part(**names, PartNumber=2, Body=b"part"),
        lambda: client.complete_multipart_upload(**names, MultipartUpload=listed),
    ):
        with pytest.raises(ClientError) as refused:
            call()
        assert code(refused) == "NoSuchUpload"
    client.delete_bucket(Bucket="ended")
    with pytest.raises(ClientError) as refused:
        client.create_multipart_upload(Bucket="ended", Key="key")
    assert code(refused) == "NoSuchBucket"


def test_the_list_of_uploads(client):
    client.create_bucket(Bucket="uploads")
    begun = []
    for key in ("b/2", "a", "b/1", "a", "c"):
        created = client.create_multipart_upload(
            Bucket="uploads", Key=key, ChecksumAlgorithm="SHA256"
        )
        begun.append((key, created["UploadId"]))
    for size in (1, 2, 1000):
        pages = client.get_paginator("list_multipart_uploads").paginate(
            Bucket="uploads", PaginationConfig={"PageSize": size}
        )
        found = [each for page in pages for each in page["Uploads"]]
        # Of one key, the older first.
        assert [(each["Key"], each["UploadId"]) for each in found] == sorted(begun)
    assert {each["ChecksumAlgorithm"] for each in found} == {"SHA256"}
    within = client.list_multipart_uploads(Bucket="uploads", Prefix="b/", KeyMarker="b/1")
    assert [each["Key"] for each in within["Uploads"]] == ["b/2"]
    for size in (1, 2, 1000):
        pages = client.get_paginator("list_multipart_uploads").paginate(
            Bucket="uploads", Delimiter="/", PaginationConfig={"PageSize": size}
        )
        pages = list(pages)
        found = [each["Key"] for page in pages for each in page.get("Uploads", [])]
        grouped = [each["Prefix"] for page in pages for each in page.get("CommonPrefixes", [])]
        assert (found, grouped) == (["a", "a", "c"], ["b/"])
        assert {page["Delimiter"] for page in pages} == {"/"}
    within = client.list_multipart_uploads(Bucket="uploads", Prefix="b/", Delimiter="/")
    assert [each["Key"] for each in within["Uploads"]] == ["b/1", "b/2"]
    for key, upload in begun:
        client.abort_multipart_upload(Bucket="uploads", Key=key, UploadId=upload)
    assert not client.list_multipart_uploads(Bucket="uploads").get("Uploads")
    with pytest.raises(ClientError) as refused:
        client.list_multipart_uploads(Bucket="no-uploads")
    assert code(refused) == "NoSuchBucket"
