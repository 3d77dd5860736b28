"""What requests ask for is done or refused, and never ignored."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import urlencode

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from support import KEY, SECRET, checksum, code, etag, fetch, s3, signed, text

TABLE = Path(__file__).parents[3] / "client/s3-gateway/src/requests.txt"
# These choose the operation.
CHOOSING = {"?attributes", "?delete", "?list-type", "?location", "?uploads", "?uploadId"}
CHOOSING |= {"?partNumber", "?versions", "x-amz-copy-source"}
# So do those of operations that ask for what the gateway has not.
OF_OBJECTS = {"GetObjectAcl", "GetObjectLegalHold", "GetObjectRetention", "GetObjectTagging"}
OF_OBJECTS |= {"DeleteObjectTagging"}


def read_table():
    """The rules, by names and operations."""
    rules = {}
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            rule, name, *operations = line.split()
            rules.setdefault(name, {}).update(dict.fromkeys(operations, rule))
    return rules


RULES = read_table()
DELETE = b"<Delete><Object><Key>there</Key></Object></Delete>"
COMPLETE = b"<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>%s</ETag></Part>"
COMPLETE = COMPLETE % etag(b"part").encode() + b"</CompleteMultipartUpload>"
PART = "partNumber=1&uploadId={upload}"
OPERATIONS = {
    "ListBuckets": ("GET", "/", b""),
    "CreateBucket": ("PUT", "/rules-new", b""),
    "DeleteBucket": ("DELETE", "/rules-empty", b""),
    "HeadBucket": ("HEAD", "/rules", b""),
    "GetBucketLocation": ("GET", "/rules?location", b""),
    "ListObjects": ("GET", "/rules", b""),
    "ListObjectsV2": ("GET", "/rules?list-type=2", b""),
    "PutObject": ("PUT", "/rules/new", b"new"),
    "CopyObject": ("PUT", "/rules/new", b""),
    "GetObject": ("GET", "/rules/there", b""),
    "HeadObject": ("HEAD", "/rules/there", b""),
    "GetObjectAttributes": ("GET", "/rules/there?attributes", b""),
    "DeleteObject": ("DELETE", "/rules/there", b""),
    "DeleteObjects": ("POST", "/rules?delete", DELETE),
    "CreateMultipartUpload": ("POST", "/rules/new?uploads", b""),
    "UploadPart": ("PUT", f"/rules/parts?{PART}", b"new"),
    "UploadPartCopy": ("PUT", f"/rules/parts?{PART}", b""),
    "ListParts": ("GET", "/rules/parts?uploadId={upload}", b""),
    "ListMultipartUploads": ("GET", "/rules?uploads", b""),
    "CompleteMultipartUpload": ("POST", "/rules/parts?uploadId={upload}", COMPLETE),
    "AbortMultipartUpload": ("DELETE", "/rules/parts?uploadId={upload}", b""),
    "ListObjectVersions": ("GET", "/rules?versions", b""),
    "PutBucketAcl": ("PUT", "/rules?acl", b""),
    "PutObjectAcl": ("PUT", "/rules/there?acl", b""),
}


def add_questions():
    """Operations that one parameter of the table chooses."""
    known = set(OPERATIONS)
    for name, rules in RULES.items():
        for operation in rules:
            if operation not in {"*", *known} and rules[operation] == "kept":
                path = "/rules/there" if operation in OF_OBJECTS else "/rules"
                method = "DELETE" if operation.startswith("Delete") else "GET"
                OPERATIONS[operation] = (method, path + name, b"")
                CHOOSING.add(name)


add_questions()


def rule_of(operation, name):
    rules = RULES.get(name, {})
    return rules.get(operation) or rules.get("*")


def refused_value(operation, name):
    """A value that is refused for this name, if there is one."""
    return None if rule_of(operation, name) in ("kept", "harmless") else "1"


@pytest.fixture(scope="module")
def names(client):
    client.create_bucket(Bucket="rules")
    client.create_bucket(Bucket="rules-empty")
    client.put_object(Bucket="rules", Key="there", Body=b"there")
    names = {"Bucket": "rules", "Key": "parts"}
    names["UploadId"] = client.create_multipart_upload(**names)["UploadId"]
    client.upload_part(**names, PartNumber=1, Body=b"part")
    return names


def state(client, names):
    """All that a request could have changed."""
    return [
        [bucket["Name"] for bucket in client.list_buckets()["Buckets"]],
        [
            (each["Key"], each["ETag"])
            for each in client.list_objects_v2(Bucket="rules")["Contents"]
        ],
        [each["Key"] for each in client.list_multipart_uploads(Bucket="rules")["Uploads"]],
        [(each["PartNumber"], each["ETag"]) for each in client.list_parts(**names)["Parts"]],
    ]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_is_refused(operation, client, gateway, names):
    method, path, body = OPERATIONS[operation]
    url = gateway.url + path.format(upload=names["UploadId"])
    before, blobs = state(client, names), gateway.blobs()
    unknown = ["x-amz-unknown", "x-amz-checksum-unknown", "x-minio-unknown", "?unknown"]
    own = {"x-amz-copy-source": "rules/there"} if "Copy" in operation else {}
    asked = 0
    for name in [*RULES, *unknown]:
        value = refused_value(operation, name)
        if value is None or name in CHOOSING:
            continue
        asked += 1
        if name.startswith("?"):
            mark = "&" if "?" in url else "?"
            status, _, answer = signed(f"{url}{mark}{name[1:]}={value}", method, own, body)
        else:
            status, _, answer = signed(url, method, own | {name: value}, body)
        expected = (501, b"NotImplemented")
        if rule_of(operation, name) == "owner":
            expected = (403, b"AccessDenied")
        assert status == expected[0], (name, answer)
        assert method == "HEAD" or b"<Code>%s</Code>" % expected[1] in answer, name
    assert asked > len(unknown)
    assert state(client, names) == before
    assert gateway.blobs() == blobs


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=b", "Multipart/Form-Data"])
def test_forms_are_refused(kind, client, gateway, names):
    assert RULES["content-type"]["PostObject"] == "refused"
    form = b'--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nform\r\n'
    form += b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nbytes\r\n--b--\r\n'
    before, blobs = state(client, names), gateway.blobs()
    for send in (fetch, signed):
        status, _, answer = send(f"{gateway.url}/rules", "POST", {"Content-Type": kind}, form)
        assert (status, b"<Code>NotImplemented</Code>" in answer) == (501, True), answer
    assert state(client, names) == before
    assert gateway.blobs() == blobs


def test_what_is_the_default_is_kept(client):
    kept = {"ACL": "private", "StorageClass": "STANDARD"}
    client.put_object(Bucket="test", Key="default", Body=b"x", **kept)
    assert client.get_object(Bucket="test", Key="default", VersionId="null")["Body"].read() == b"x"


def test_the_one_owner_is_expected(client):
    client.put_object(Bucket="test", Key="owned", Body=b"x")
    owner = client.list_buckets()["Owner"]["ID"]
    names = {"Bucket": "test", "ExpectedBucketOwner": owner}
    assert client.get_object(**names, Key="owned")["Body"].read() == b"x"
    copied = {"CopySource": "test/owned", "ExpectedSourceBucketOwner": owner}
    client.copy_object(**names, **copied, Key="copied")
    for wrong in ({"ExpectedBucketOwner": "1"}, {"ExpectedSourceBucketOwner": "1"}):
        with pytest.raises(ClientError) as refused:
            client.copy_object(**(names | copied | wrong), Key="not-copied")
        assert code(refused) == "AccessDenied"


def test_a_signature_of_the_date_in_http(client, gateway):
    url = f"{gateway.url}/test/dated"
    now = format_datetime(datetime.now(UTC), usegmt=True)
    # boto3 signs a Date in place of an x-amz-date, if there is one.
    status, headers, answer = signed(url, "PUT", {"Date": now}, b"x")
    assert (status, headers["ETag"]) == (200, etag(b"x")), answer
    request = AWSRequest("PUT", url, headers={"Date": now}, data=b"x")
    S3SigV4Auth(Credentials(KEY, SECRET), "s3", "us-east-1").add_auth(request)
    assert "x-amz-date" not in request.headers
    for date, expected in (
        ("Mon, 06 Sep 2010 00:00:00 GMT", (403, b"SignatureDoesNotMatch")),
        ("not a date", (400, b"InvalidRequest")),
    ):
        del request.headers["Date"]
        request.headers["Date"] = date
        status, _, answer = fetch(url, "PUT", dict(request.headers.items()), b"x")
        assert (status, expected[1] in answer) == (expected[0], True), answer


def test_headers_in_the_query_of_a_signed_url(client, gateway):
    right = {"x-amz-checksum-crc32": text(checksum("CRC32", b"right"))}
    for headers, body, expected in [
        (right, b"right", (200, b"")),
        (right, b"wrong", (400, b"BadDigest")),
        ({"x-amz-tagging": "a=b"}, b"right", (501, b"NotImplemented")),
        ({"X-Amz-Acl": "public-read"}, b"right", (501, b"NotImplemented")),
    ]:
        url = f"{gateway.url}/test/query?{urlencode(headers)}"
        status, _, answer = signed(url, "PUT", {}, body)
        assert status == expected[0], answer
        assert expected[1] in answer
    assert client.get_object(Bucket="test", Key="query")["Body"].read() == b"right"


def test_delete_object_keeps_its_conditions(client, gateway):
    names = {"Bucket": "test", "Key": "protected"}
    client.put_object(**names, Body=b"bytes")
    modified = client.head_object(**names)["LastModified"]
    blobs = gateway.blobs()
    for condition in (
        {"IfMatch": etag(b"other")},
        {"IfMatchLastModifiedTime": modified - timedelta(seconds=1)},
        {"IfMatchSize": 6},
        {"IfMatch": etag(b"bytes"), "IfMatchSize": 6},
    ):
        with pytest.raises(ClientError) as refused:
            client.delete_object(**names, **condition)
        assert code(refused) == "PreconditionFailed"
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 412
    assert gateway.blobs() == blobs
    for condition in (
        {"IfMatch": etag(b"bytes")},
        {"IfMatch": "*"},
        {"IfMatchLastModifiedTime": modified},
        {"IfMatchSize": 5},
    ):
        client.put_object(**names, Body=b"bytes")
        if "IfMatchLastModifiedTime" in condition:
            condition["IfMatchLastModifiedTime"] = client.head_object(**names)["LastModified"]
        client.delete_object(**names, **condition)
        with pytest.raises(ClientError) as missing:
            client.head_object(**names)
        assert code(missing) == "404"
    # What is not there is deleted already.
    client.delete_object(**names, IfMatch=etag(b"other"))


def test_the_rest_of_an_object_that_is_another_now(client, gateway):
    client.put_object(Bucket="test", Key="rest", Body=b"0123456789")
    modified = client.head_object(Bucket="test", Key="rest")["LastModified"].astimezone(UTC)
    dates = [format_datetime(modified - timedelta(seconds=each), usegmt=True) for each in (0, 1)]
    for known, expected in (
        (etag(b"0123456789"), (206, b"789")),
        (dates[0], (206, b"789")),
        (etag(b"other"), (200, b"0123456789")),
        (f"W/{etag(b'0123456789')}", (200, b"0123456789")),
        (dates[1], (200, b"0123456789")),
    ):
        headers = {"Range": "bytes=7-", "If-Range": known}
        status, _, answer = signed(f"{gateway.url}/test/rest", "GET", headers)
        assert (status, answer) == expected


def test_delete_objects_keeps_its_conditions(client):
    keys = ["conditions/etag", "conditions/modified", "conditions/size", "conditions/version"]
    for key in keys:
        client.put_object(Bucket="test", Key=key, Body=b"bytes")
    modified = client.head_object(Bucket="test", Key=keys[1])["LastModified"]
    wrong = [
        {"ETag": etag(b"other")},
        {"LastModifiedTime": modified - timedelta(seconds=1)},
        {"Size": 6},
        {"VersionId": "other"},
    ]
    right = [
        {"ETag": etag(b"bytes")},
        {"LastModifiedTime": modified},
        {"Size": 5},
        {"VersionId": "null"},
    ]
    objects = [{"Key": key} | condition for key, condition in zip(keys, wrong, strict=True)]
    answer = client.delete_objects(Bucket="test", Delete={"Objects": objects})
    assert "Deleted" not in answer
    codes = [(error["Key"], error["Code"]) for error in answer["Errors"]]
    expected = ["PreconditionFailed"] * 3 + ["NoSuchVersion"]
    assert codes == list(zip(keys, expected, strict=True))
    assert client.list_objects_v2(Bucket="test", Prefix="conditions/")["KeyCount"] == 4
    objects = [{"Key": key} | condition for key, condition in zip(keys, right, strict=True)]
    answer = client.delete_objects(Bucket="test", Delete={"Objects": objects, "Quiet": True})
    assert "Deleted" not in answer
    assert "Errors" not in answer
    assert not client.list_objects_v2(Bucket="test", Prefix="conditions/")["KeyCount"]


def test_delete_objects_takes_a_thousand_keys(client):
    client.put_object(Bucket="test", Key="thousand", Body=b"")
    objects = [{"Key": "thousand"}] * 1001
    with pytest.raises(ClientError) as refused:
        client.delete_objects(Bucket="test", Delete={"Objects": objects})
    assert code(refused) == "MalformedXML"
    client.head_object(Bucket="test", Key="thousand")
    client.delete_objects(Bucket="test", Delete={"Objects": objects[:1000]})


def test_other_regions_are_refused(client):
    place = {"LocationConstraint": "eu-central-1"}
    with pytest.raises(ClientError) as refused:
        client.create_bucket(Bucket="elsewhere", CreateBucketConfiguration=place)
    assert code(refused) == "IllegalLocationConstraintException"


def test_tags_of_a_new_bucket_are_refused(client):
    tags = {"Tags": [{"Key": "a", "Value": "b"}]}
    with pytest.raises(ClientError) as refused:
        client.create_bucket(Bucket="tagged", CreateBucketConfiguration=tags)
    assert code(refused) == "MalformedXML"
    assert "tagged" not in [bucket["Name"] for bucket in client.list_buckets()["Buckets"]]


def test_conditions_of_a_missing_key(client):
    with pytest.raises(ClientError) as refused:
        client.put_object(Bucket="test", Key="not-there", Body=b"x", IfMatch="*")
    assert code(refused) == "NoSuchKey"


def test_dates_of_downloads(client):
    names = {"Bucket": "test", "Key": "dated"}
    client.put_object(**names, Body=b"x")
    modified = client.head_object(**names)["LastModified"]
    before = modified - timedelta(seconds=1)
    for call in (client.get_object, client.head_object):
        call(**names, IfModifiedSince=before, IfUnmodifiedSince=modified)
        for condition, status in (
            ({"IfModifiedSince": modified}, 304),
            ({"IfUnmodifiedSince": before}, 412),
            # An ETag says more than a date.
            ({"IfModifiedSince": before, "IfNoneMatch": etag(b"x")}, 304),
        ):
            with pytest.raises(ClientError) as refused:
                call(**names, **condition)
            answer = refused.value.response["ResponseMetadata"]
            assert answer["HTTPStatusCode"] == status
            if status == 304:
                assert answer["HTTPHeaders"]["etag"] == etag(b"x")
                assert "last-modified" in answer["HTTPHeaders"]
        call(**names, IfMatch=etag(b"x"), IfUnmodifiedSince=before)
        call(**names, IfNoneMatch=etag(b"other"), IfModifiedSince=modified)


def test_answers_as_the_client_asks(client):
    names = {"Bucket": "test", "Key": "asked"}
    client.put_object(**names, Body=b"x", ContentType="text/plain", Metadata={"empty": ""})
    asked = {"ResponseContentType": "text/html", "ResponseContentDisposition": "attachment"}
    asked |= {"ResponseCacheControl": "no-store"}
    got = client.get_object(**names, **asked)
    assert {f"Response{name}": got[name] for name in ("ContentType", "ContentDisposition")} == {
        name: asked[name] for name in ("ResponseContentType", "ResponseContentDisposition")
    }
    assert got["CacheControl"] == "no-store"
    assert got["Metadata"] == {"empty": ""}
    assert client.head_object(**names)["ContentType"] == "text/plain"
    assert client.head_object(**names, **asked)["ContentType"] == "text/html"


def test_a_range_of_a_head(client):
    names = {"Bucket": "test", "Key": "range"}
    client.put_object(**names, Body=b"0123456789")
    head = client.head_object(**names, Range="bytes=2-4")
    assert head["ResponseMetadata"]["HTTPStatusCode"] == 206
    assert (head["ContentLength"], head["ContentRange"]) == (3, "bytes 2-4/10")


def test_the_body_of_delete_objects_is_checked(client, gateway):
    client.put_object(Bucket="test", Key="there", Body=b"there")
    url = f"{gateway.url}/test?delete"
    for name, algorithm, expected in (
        ("content-md5", "MD5", b"BadDigest"),
        ("x-amz-checksum-sha512", "SHA512", b"BadDigest"),
        ("x-amz-checksum-crc32", "CRC32", b"BadDigest"),
    ):
        wrong = {name: text(checksum(algorithm, b"other"))}
        status, _, answer = signed(url, "POST", wrong, DELETE)
        assert status == 400
        assert expected in answer
        client.head_object(Bucket="test", Key="there")
        right = {name: text(checksum(algorithm, DELETE))}
        status, _, answer = signed(url, "POST", right, DELETE)
        assert (status, b"<Deleted><Key>there</Key>" in answer) == (200, True)
        client.put_object(Bucket="test", Key="there", Body=b"there")


def test_each_answer_has_an_id(client, gateway):
    ids = set()
    for method, path in (
        ("GET", "/test"),
        ("GET", "/none"),
        ("HEAD", "/none"),
        ("PUT", "/test/id"),
    ):
        status, headers, answer = signed(gateway.url + path, method)
        assert headers["x-amz-id-2"]
        ids.add(headers["x-amz-request-id"])
        if status != 200 and method != "HEAD":
            assert f"<RequestId>{headers['x-amz-request-id']}</RequestId>".encode() in answer
    assert len(ids) == 4
    # Without a signature too.
    status, headers, _ = fetch(f"{gateway.url}/test")
    assert (status, "x-amz-request-id" in headers) == (403, True)


def test_a_url_is_good_for_a_week(client, gateway):
    client.put_object(Bucket="test", Key="week", Body=b"x")
    signer = s3(gateway.url)
    names = {"Bucket": "test", "Key": "week"}
    week = 7 * 24 * 60 * 60
    for seconds, expected in ((week, 200), (week + 3600, 400)):
        url = signer.generate_presigned_url("get_object", names, ExpiresIn=seconds)
        status, _, answer = fetch(url)
        assert status == expected
        assert status == 200 or b"<Code>AuthorizationQueryParametersError</Code>" in answer


def test_a_region_that_s3_does_not_have(gateway):
    """s3cmd asks with this region, and then with the one that it is told."""
    status, _, answer = signed(f"{gateway.url}/test", "GET", region="US")
    assert status == 400
    assert b"<Code>AuthorizationHeaderMalformed</Code>" in answer
    assert b"<Region>us-east-1</Region>" in answer


def test_keys_that_xml_cannot_write(client, gateway):
    client.create_bucket(Bucket="controls")
    client.put_object(Bucket="controls", Key="a\x01\x1fb", Body=b"")
    status, _, answer = signed(f"{gateway.url}/controls", "GET")
    assert status == 200
    assert answer.startswith(b'<?xml version="1.1"')
    assert b"<Key>a&#x1;&#x1F;b</Key>" in answer


@pytest.mark.parametrize("name", ["a.-b", "a-.b", "xn--a", "sthree-a", "a-s3alias", "a--x-s3"])
def test_bucket_names_that_s3_reserves(name, client, gateway):
    status, _, answer = signed(f"{gateway.url}/{name}", "PUT")
    assert (status, b"<Code>InvalidBucketName</Code>" in answer) == (400, True)
    assert name not in [bucket["Name"] for bucket in client.list_buckets()["Buckets"]]


def test_two_kibibytes_of_metadata(client):
    names = {"Bucket": "test", "Key": "metadata"}
    client.put_object(**names, Metadata={"a": "x" * 1023, "b": "x" * 1023})
    for call in (client.put_object, client.create_multipart_upload):
        with pytest.raises(ClientError) as refused:
            call(**names, Metadata={"a": "x" * 1023, "b": "x" * 1024})
        assert code(refused) == "MetadataTooLarge"


def test_an_empty_key_is_none(client, gateway):
    client.put_object(Bucket="test", Key="there", Body=b"there")
    body = DELETE.replace(b"</Delete>", b"<Object><Key></Key></Object></Delete>")
    digest = {"content-md5": text(checksum("MD5", body))}
    status, _, answer = signed(f"{gateway.url}/test?delete", "POST", digest, body)
    assert (status, b"<Code>MalformedXML</Code>" in answer) == (400, True)
    client.head_object(Bucket="test", Key="there")
