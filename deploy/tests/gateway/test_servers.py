"""Several hashlane servers, of which one is lost or hangs in the middle of an upload."""

import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import MIB, Gateway, Hashlane, RawUpload, checksum, etag, pattern, s3, text, until
from test_start import ended

DATA = pattern(9 * MIB, 5)


@pytest.fixture
def servers(tmp_path):
    started = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        started.append(Hashlane(tmp_path / name))
    yield started
    for server in started:
        server.kill()


@pytest.fixture
def gateway(tmp_path, servers):
    started = Gateway(tmp_path, servers[0], "--hashlane", servers[1].url)
    s3(started.url).create_bucket(Bucket="test")
    yield started
    started.end()


def busy(servers):
    """The server that digests something."""
    return next((each for each in servers if sum(each.hashed_bytes().values())), None)


def read_back(client, key):
    got = client.get_object(Bucket="test", Key=key, ChecksumMode="ENABLED")
    assert got["Body"].read() == DATA
    assert got["ETag"] == etag(DATA)
    assert got["ChecksumCRC64NVME"] == text(checksum("CRC64NVME", DATA))


@pytest.mark.parametrize("sent", [MIB, 9 * MIB - 1])
@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGSTOP])
def test_another_server_takes_over(fate, sent, servers, gateway):
    client = s3(gateway.url)
    upload = RawUpload(client, "taken-over", len(DATA))
    upload.send(DATA[:sent])
    until("a server has bytes", lambda: busy(servers))
    lost = busy(servers)
    lost.child.send_signal(fate)
    upload.send(DATA[sent:])
    assert upload.answer() == (200, None)
    read_back(client, "taken-over")
    assert gateway.logged("PUT /test/taken-over .*: another hashlane server takes over")
    assert gateway.blobs() == 1
    # All bytes went to the other server, from the first.
    (other,) = [each for each in servers if each is not lost]
    assert other.hashed_bytes()["md5"] == len(DATA)


def test_no_upload_fails(servers, gateway):
    client = s3(gateway.url)

    def upload(number):
        if number == 100:
            servers[0].kill()
        data = pattern(MIB + number, number)
        put = client.put_object(Bucket="test", Key=f"many/{number}", Body=data)
        assert put["ETag"] == etag(data)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(upload, range(200)))
    assert client.list_objects_v2(Bucket="test")["KeyCount"] == 200


def test_a_completion_goes_on(servers, gateway):
    client = s3(gateway.url)
    names = {"Bucket": "test", "Key": "completed"}
    names["UploadId"] = client.create_multipart_upload(**names)["UploadId"]
    part = client.upload_part(**names, PartNumber=1, Body=DATA)
    servers[0].kill()
    listed = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    completed = client.complete_multipart_upload(**names, MultipartUpload=listed)
    assert completed["ETag"] == etag([DATA])


def test_all_servers_are_lost(servers, gateway):
    upload = RawUpload(s3(gateway.url), "lost", len(DATA))
    upload.send(DATA[:MIB])
    until("a server has bytes", lambda: busy(servers))
    for server in servers:
        server.kill()
    upload.send(DATA[MIB:])
    assert upload.answer() == (503, "ServiceUnavailable")
    assert gateway.blobs() == 0


def test_the_only_server_hangs(tmp_path):
    """The client hears of it within the minute that SDKs wait."""
    hashlane = Hashlane(tmp_path)
    gateway = Gateway(tmp_path, hashlane)
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    upload = RawUpload(client, "hung", len(DATA))
    upload.send(DATA[:MIB])
    until("hashlane has bytes", lambda: busy([hashlane]))
    hashlane.child.send_signal(signal.SIGSTOP)
    upload.send(DATA[MIB:])
    assert upload.answer() == (503, "ServiceUnavailable")
    hashlane.kill()
    gateway.end()


def test_a_start_without_one_of_the_servers(tmp_path, hashlane):
    with socket.create_server(("127.0.0.1", 0)) as held:
        absent = f"http://127.0.0.1:{held.getsockname()[1]}"
    gateway = Gateway(tmp_path, hashlane, "--hashlane", absent)
    assert gateway.logged("without one of the hashlane servers so far")
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    client.put_object(Bucket="test", Key="key", Body=DATA, ChecksumAlgorithm="CRC64NVME")
    read_back(client, "key")
    gateway.end()


def test_a_url_that_is_no_server_is_told_at_once(tmp_path, hashlane):
    urls = ["--hashlane", hashlane.url, "--hashlane", hashlane.admin]
    code, told = ended(tmp_path / "objects", *urls)
    assert code == 1
    assert "give the gRPC port of a server" in told


def test_a_local_server_shares_memory(tmp_path):
    path = tmp_path / "socket"
    server = Hashlane(tmp_path, "--listen-unix", str(path))
    server.url = f"unix:{path}"
    try:
        gateway = Gateway(tmp_path, server)
        try:
            client = s3(gateway.url)
            client.create_bucket(Bucket="test")
            put = client.put_object(Bucket="test", Key="local", Body=DATA)
            assert put["ETag"] == etag(DATA)
            assert client.get_object(Bucket="test", Key="local")["Body"].read() == DATA
            assert server.total("hashlane_shared_memory_bytes_total") >= 0.9 * len(DATA)
        finally:
            gateway.end()
    finally:
        server.kill()
