"""The AWS command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import MIB, checksum, composite, etag, pattern, split, text
from test_objects import ALL, FIVE

CRCS = ["CRC32", "CRC32C", "CRC64NVME"]


@pytest.fixture(scope="module")
def aws(gateway, client, tls, certificate, tmp_path_factory):
    """Runs `aws`, with TLS and so with trailers, or without."""
    config = tmp_path_factory.mktemp("aws") / "config"
    config.write_text("[default]\ns3 =\n  multipart_threshold = 6MB\n  multipart_chunksize = 5MB\n")
    env = os.environ | {"AWS_CONFIG_FILE": str(config), "AWS_CA_BUNDLE": certificate[0]}
    # By itself the command line would send the bytes again.
    env["AWS_MAX_ATTEMPTS"] = "1"

    def run(*arguments, via="trailer", fails=False):
        url = {"header": gateway.url, "trailer": tls.url}[via]
        command = [sys.executable, "-m", "no_alpn", "--endpoint-url", url, *map(str, arguments)]
        here = Path(__file__).parent
        done = subprocess.run(command, env=env, cwd=here, capture_output=True, text=True)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else done.stdout

    return run


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "small"
    path.write_bytes(pattern(5 * MIB, 6))
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "large"
    path.write_bytes(pattern(64 * MIB, 8))
    return path


@pytest.mark.parametrize("algorithm", ALL)
def test_cp_of_one_request(algorithm, aws, small, client, tmp_path):
    key = f"cli/{algorithm}"
    aws("s3", "cp", small, f"s3://test/{key}", "--checksum-algorithm", algorithm)
    head = client.head_object(Bucket="test", Key=key, ChecksumMode="ENABLED")
    assert head[f"Checksum{algorithm}"] == text(checksum(algorithm, small.read_bytes()))
    assert head["ETag"] == etag(small.read_bytes())
    if algorithm == "CRC64NVME":
        aws("s3", "cp", f"s3://test/{key}", tmp_path / "back", "--checksum-mode", "ENABLED")
        assert (tmp_path / "back").read_bytes() == small.read_bytes()


@pytest.mark.parametrize(
    ("algorithm", "via"), [(each, "trailer") for each in FIVE] + [("CRC32", "header")]
)
def test_cp_in_parts(algorithm, via, aws, large, client):
    key, data = f"cli/parts/{algorithm}/{via}", large.read_bytes()
    aws("s3", "cp", large, f"s3://test/{key}", "--checksum-algorithm", algorithm, via=via)
    head = client.head_object(Bucket="test", Key=key, ChecksumMode="ENABLED")
    parts = split(data, 5 * MIB)
    whole = {
        "COMPOSITE": lambda: composite(algorithm, parts),
        "FULL_OBJECT": lambda: text(checksum(algorithm, data)),
    }
    assert head[f"Checksum{algorithm}"] == whole[head["ChecksumType"]]()
    assert (head["ChecksumType"] == "FULL_OBJECT") == (algorithm == "CRC64NVME")
    assert head["ETag"] == etag(parts)


def test_the_default(aws, large, client, tmp_path):
    aws("s3", "cp", large, "s3://test/cli/default")
    head = client.head_object(Bucket="test", Key="cli/default", ChecksumMode="ENABLED")
    data = large.read_bytes()
    kinds = {name: head[f"Checksum{name}"] for name in CRCS if f"Checksum{name}" in head}
    ((name, value),) = kinds.items()
    if head["ChecksumType"] == "FULL_OBJECT":
        assert value == text(checksum(name, data))
    else:
        assert value == composite(name, split(data, 5 * MIB))
    aws("s3", "cp", "s3://test/cli/default", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == data


def test_s3api(aws, small, tls):
    data = small.read_bytes()
    names = ["--bucket", "test", "--key", "cli/api"]
    for algorithm in FIVE:
        put = json.loads(
            aws("s3api", "put-object", *names, "--body", small, "--checksum-algorithm", algorithm)
        )
        assert put[f"Checksum{algorithm}"] == text(checksum(algorithm, data))
        assert put["ETag"] == etag(data)
    attributes = ["--object-attributes", "Checksum", "ObjectSize"]
    found = json.loads(aws("s3api", "get-object-attributes", *names, *attributes))
    assert found["ObjectSize"] == len(data)
    assert found["Checksum"]["ChecksumSHA256"] == text(checksum("SHA256", data))
    tls.flip_after = 3 * MIB
    refused = aws("s3api", "put-object", *names, "--body", small, fails=True)
    assert "(BadDigest)" in refused
    assert tls.flip_after == 0


def test_ls_sync_and_rm(aws, tmp_path):
    for number in range(12):
        path = tmp_path / "folder" / str(number % 3) / str(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pattern(1000 + number, number))
    aws("s3", "mb", "s3://synced")
    aws("s3", "sync", tmp_path / "folder", "s3://synced")
    assert [line.split()[1] for line in aws("s3", "ls", "s3://synced").splitlines()] == [
        "0/",
        "1/",
        "2/",
    ]
    assert aws("s3", "sync", tmp_path / "folder", "s3://synced") == ""
    aws("s3", "sync", "s3://synced", tmp_path / "back")
    subprocess.run(["diff", "-r", tmp_path / "folder", tmp_path / "back"], check=True)
    aws("s3", "rb", "--force", "s3://synced")


def test_cp_and_mv_between_urls(aws, small, large, client, tmp_path):
    for source in (small, large):
        url = f"s3://test/cli/moved/{source.name}"
        aws("s3", "cp", source, f"{url}-1")
        aws("s3", "cp", f"{url}-1", f"{url}-2")
        aws("s3", "mv", f"{url}-2", f"{url}-3")
        aws("s3", "cp", f"{url}-3", tmp_path / source.name)
        assert (tmp_path / source.name).read_bytes() == source.read_bytes()
    found = client.list_objects_v2(Bucket="test", Prefix="cli/moved/")["Contents"]
    names = [each["Key"].removeprefix("cli/moved/") for each in found]
    assert names == ["large-1", "large-3", "small-1", "small-3"]
