"""Headers that HTTP says to ignore, and conditions with several ETags (RFC 9110)."""

import pytest
from support import checksum, etag, fetch, signed, text

BODY = b"0123456789"


@pytest.fixture(scope="module")
def url(client, gateway):
    client.put_object(Bucket="test", Key="conditional", Body=BODY)
    return f"{gateway.url}/test/conditional"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("bytes=2-4", b"234"),
        ("Bytes=2-4", b"234"),
        ("bytes=8-", b"89"),
        ("bytes=-3", b"789"),
        ("bytes=-99999999999999999999", BODY),
        ("bytes=8-99999999999999999999", b"89"),
        # Ignored.
        ("items=0-1", None),
        ("bytes=5-4", None),
        ("bytes=0-1,3-4", None),
        ("bytes=a-1", None),
        ("bytes=+1-2", None),
        ("bytes=-", None),
        ("bytes", None),
        ("", None),
        # Not satisfiable.
        ("bytes=10-", 416),
        ("bytes=9223372036854775808-", 416),
        ("bytes=99999999999999999999-", 416),
        ("bytes=99999999999999999998-99999999999999999999", 416),
        ("bytes=-0", 416),
    ],
)
def test_ranges(method, asked, expected, url):
    status, headers, answer = signed(url, method, {"Range": asked})
    if expected == 416:
        assert status == 416
        return
    assert (status, headers["Content-Range"] is None) == (
        (200, True) if expected is None else (206, False)
    )
    expected = BODY if expected is None else expected
    assert headers["Content-Length"] == str(len(expected))
    assert answer == (expected if method == "GET" else b"")
    assert headers["ETag"] == etag(BODY)


def test_ranges_of_a_signed_url(client, url):
    presigned = client.generate_presigned_url(
        "get_object", {"Bucket": "test", "Key": "conditional"}
    )
    for asked, expected in (("bytes=1-1", (206, b"1")), ("lines=1-1", (200, BODY))):
        status, _, answer = fetch(presigned, "GET", {"Range": asked})
        assert (status, answer) == expected


RIGHT, WRONG = etag(BODY), etag(b"other")


@pytest.mark.parametrize(
    ("listed", "strongly", "weakly"),
    [
        (RIGHT, True, True),
        (WRONG, False, False),
        (f"{WRONG}, {RIGHT}", True, True),
        (f"{WRONG},{RIGHT}", True, True),
        (f'"a,b" , W/"c", {RIGHT}', True, True),
        (f"W/{RIGHT}", False, True),
        (f"{WRONG}, W/{RIGHT}", False, True),
        (RIGHT.strip('"'), True, True),
        ("*", True, True),
    ],
)
def test_lists_of_etags(listed, strongly, weakly, client, url):
    for method in ("GET", "HEAD"):
        assert signed(url, method, {"If-Match": listed})[0] == (200 if strongly else 412)
        assert signed(url, method, {"If-None-Match": listed})[0] == (304 if weakly else 200)
    written = f"{url}-written"
    client.put_object(Bucket="test", Key="conditional-written", Body=BODY)
    expected = 412 if weakly else 200
    assert signed(written, "PUT", {"If-None-Match": listed}, BODY)[0] == expected
    assert signed(written, "PUT", {"If-Match": listed}, BODY)[0] == (200 if strongly else 412)


def test_malformed_conditions(url):
    for value in ('"a', '"a" "b"', '*, "a"'):
        status, _, answer = signed(url, "GET", {"If-Match": value})
        assert (status, b"<Code>InvalidArgument</Code>" in answer) == (400, True)
    # Dates that are none are ignored.
    assert signed(url, "GET", {"If-Modified-Since": "yesterday"})[0] == 200
    assert signed(url, "GET", {"If-Unmodified-Since": "0"})[0] == 200


@pytest.mark.parametrize("expires", ["0", "-1", "never", "Thu, 01 Dec 1994 16:00:00 GMT"])
def test_any_date_of_expiry(expires, client, gateway):
    names = {"Bucket": "test", "Key": "expires"}
    headers = {"Expires": expires}
    url = f"{gateway.url}/test/expires"
    sha1 = {"x-amz-checksum-sha1": text(checksum("SHA1", b"put"))}
    assert signed(url, "PUT", headers | sha1, b"put")[0] == 200
    copy = {"x-amz-copy-source": "test/expires"}
    for more in ({}, headers | {"x-amz-metadata-directive": "REPLACE"}):
        assert signed(f"{url}-copy", "PUT", copy | more)[0] == 200
        assert signed(f"{url}-copy", "HEAD")[1]["Expires"] == expires
    for method in ("GET", "HEAD"):
        assert signed(url, method)[1]["Expires"] == expires
    status, _, answer = signed(f"{url}?uploads", "POST", headers)
    assert status == 200
    names["UploadId"] = answer.split(b"<UploadId>")[1].split(b"<")[0].decode()
    part = client.upload_part(**names, PartNumber=1, Body=b"part")
    listed = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    client.complete_multipart_upload(**names, MultipartUpload=listed)
    assert signed(url, "HEAD")[1]["Expires"] == expires
    status, answered, _ = signed(f"{url}?response-expires=0", "GET")
    assert (status, answered["Expires"]) == (200, "0")
