"""Only what is signed, with version 4, is done."""

from urllib.parse import urlsplit

import pytest
from botocore.auth import HmacV1Auth, S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from support import KEY, SECRET, checksum, code, fetch, s3

SECRETS = {"Bucket": "secrets", "Key": "secret"}
UNSIGNED = b"There were headers present in the request which were not signed"
VERSION = b"The authorization mechanism you have provided is not supported. "
VERSION += b"Please use AWS4-HMAC-SHA256."


@pytest.fixture(scope="module")
def secret(client):
    client.create_bucket(Bucket="secrets")
    client.put_object(**SECRETS, Body=b"secret")


def presigned(gateway, operation, **parameters):
    signer = s3(gateway.url)
    parameters = {"Bucket": "test", "Key": "signed"} | parameters
    return signer.generate_presigned_url(operation, parameters)


def is_missing(client):
    return not client.list_objects_v2(Bucket="test", Prefix="signed")["KeyCount"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-amz-copy-source", "secrets/secret"),
        ("X-Amz-Copy-Source", "secrets/secret"),
        ("x-amz-meta-author", "another"),
        ("x-amz-acl", "private"),
        ("x-amz-sdk-checksum-algorithm", "CRC32"),
    ],
)
def test_a_header_added_to_a_signed_url(name, value, client, gateway, secret):
    url = presigned(gateway, "put_object")
    status, _, answer = fetch(url, "PUT", {name: value})
    assert (status, b"<Code>AccessDenied</Code>" in answer) == (403, True), answer
    assert UNSIGNED in answer
    assert name.lower().encode() in answer
    assert is_missing(client)


def test_a_part_of_another_object(client, gateway, secret):
    names = {"Bucket": "test", "Key": "signed"}
    upload = client.create_multipart_upload(**names)["UploadId"]
    url = presigned(gateway, "upload_part", UploadId=upload, PartNumber=1)
    status, _, answer = fetch(url, "PUT", {"x-amz-copy-source": "secrets/secret"})
    assert (status, UNSIGNED in answer) == (403, True)
    assert not client.list_parts(**names, UploadId=upload).get("Parts")
    client.abort_multipart_upload(**names, UploadId=upload)


def test_a_header_added_to_a_signed_request(client, gateway, secret):
    url = f"{gateway.url}/test/signed"
    request = AWSRequest("PUT", url, headers={"x-amz-meta-signed": "yes"}, data=b"bytes")
    S3SigV4Auth(Credentials(KEY, SECRET), "s3", "us-east-1").add_auth(request)
    headers = dict(request.headers.items())
    added = headers | {"x-amz-copy-source": "secrets/secret"}
    status, _, answer = fetch(url, "PUT", added, b"bytes")
    assert (status, UNSIGNED in answer) == (403, True)
    assert is_missing(client)
    # A header that S3 gives no meaning may be added.
    added = headers | {"x-forwarded-for": "192.0.2.1"}
    assert fetch(url, "PUT", added, b"bytes")[0] == 200
    assert client.head_object(Bucket="test", Key="signed")["Metadata"] == {"signed": "yes"}
    client.delete_object(Bucket="test", Key="signed")


def test_headers_that_a_url_signs(client, gateway):
    asked = {"Metadata": {"author": "me"}, "ACL": "private", "ContentType": "text/plain"}
    url = presigned(gateway, "put_object", **asked)
    headers = {"x-amz-meta-author": "me", "x-amz-acl": "private", "content-type": "text/plain"}
    assert fetch(url, "PUT", headers, b"bytes")[0] == 200
    head = client.head_object(Bucket="test", Key="signed")
    assert (head["Metadata"], head["ContentType"]) == ({"author": "me"}, "text/plain")
    another = headers | {"x-amz-meta-author": "another"}
    status, _, answer = fetch(url, "PUT", another, b"bytes")
    assert (status, b"<Code>SignatureDoesNotMatch</Code>" in answer) == (403, True)
    client.delete_object(Bucket="test", Key="signed")


def test_the_digest_of_a_body_may_be_added_to_a_url(client, gateway):
    url = presigned(gateway, "put_object")
    for body, expected in ((b"other", 400), (b"bytes", 200)):
        headers = {"x-amz-content-sha256": checksum("SHA256", b"bytes").hex()}
        assert fetch(url, "PUT", headers, body)[0] == expected
        assert is_missing(client) == (expected != 200)
    assert fetch(url, "PUT", {"x-amz-content-sha256": "UNSIGNED-PAYLOAD"}, b"x")[0] == 200
    client.delete_object(Bucket="test", Key="signed")


def test_version_2_is_refused(client, gateway):
    for operation, method in (("get_object", "GET"), ("put_object", "PUT")):
        signer = s3(gateway.url, signature_version="s3")
        names = {"Bucket": "test", "Key": "signed"}
        url = signer.generate_presigned_url(operation, names)
        assert "&Signature=" in url
        status, _, answer = fetch(url, method, {}, b"x" if method == "PUT" else b"")
        assert (status, b"<Code>InvalidRequest</Code>" in answer) == (400, True), answer
        assert VERSION in answer
    with pytest.raises(ClientError) as refused:
        signer.put_object(**names, Body=b"x")
    assert code(refused) == "InvalidRequest"
    request = AWSRequest("PUT", f"{gateway.url}/test/signed", data=b"x")
    # The date of a request that somebody recorded years ago.
    request.headers["Date"] = "Mon, 06 Sep 2010 00:00:00 GMT"
    auth = HmacV1Auth(Credentials(KEY, SECRET))
    signature = auth.get_signature("PUT", urlsplit(request.url), request.headers)
    headers = {"Date": request.headers["Date"], "Authorization": f"AWS {KEY}:{signature}"}
    status, _, answer = fetch(request.url, "PUT", headers, b"x")
    assert (status, VERSION in answer) == (400, True), answer
    assert is_missing(client)


def test_two_signatures(client, gateway):
    url = presigned(gateway, "put_object")
    headers = {"Authorization": "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c"}
    status, _, answer = fetch(url, "PUT", headers, b"x")
    assert (status, b"<Code>InvalidArgument</Code>" in answer) == (400, True), answer
    assert is_missing(client)
