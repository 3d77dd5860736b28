"""How the gateway starts: its settings, its folder, and the hashlane server that it needs."""

import hashlib
import os
import socket
import subprocess

import pytest
from support import KEY, PATIENCE, SECRET, Gateway, Hashlane, Program, s3, until

KEYS = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
TOKEN = "gateway-token"


def ended(folder, *options, **variables):
    """A start that fails: its exit code, and what it says."""
    program = os.environ["HASHLANE_S3_GATEWAY"]
    command = [program, folder, *map(str, options)]
    command += [] if "--listen" in options else ["--listen", "127.0.0.1:0"]
    env = os.environ | KEYS | variables
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stderr


@pytest.fixture
def with_tokens(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"gateway {hashlib.sha256(TOKEN.encode()).hexdigest()}\n")
    options = ["--clients-tokens-file", str(tokens), "--clients-identity-required"]
    started = Hashlane(tmp_path, *options)
    yield started
    started.end()


@pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "HASHLANE_TOKEN"])
def test_an_empty_variable(name, tmp_path, hashlane):
    code, told = ended(tmp_path / "objects", "--hashlane", hashlane.url, **{name: ""})
    assert code == 2
    assert name in told


@pytest.mark.parametrize("option", ["--access-key", "--secret-key", "--token"])
def test_an_empty_option(option, tmp_path, hashlane):
    code, told = ended(tmp_path / "objects", "--hashlane", hashlane.url, f"{option}=")
    assert code == 2
    assert option in told


def test_an_address_that_is_none(tmp_path):
    code, told = ended(tmp_path / "objects", "--listen", "localhost:9000")
    assert code == 2
    assert "an IP address and a port, as 127.0.0.1:9000" in told


def test_an_address_that_is_taken(tmp_path, gateway, hashlane):
    taken = f"127.0.0.1:{gateway.port}"
    code, told = ended(tmp_path / "objects", "--hashlane", hashlane.url, "--listen", taken)
    assert code == 1
    assert f"cannot listen on {taken}: " in told


def test_an_address_of_hashlane_that_is_none(tmp_path):
    code, told = ended(tmp_path / "objects", "--hashlane", "ftp://127.0.0.1:1")
    assert code == 1
    assert "https://host:port, http://host:port, host:port, unix:/path or embedded:" in told


def test_lanes_of_its_own_beside_a_server(tmp_path, hashlane):
    options = ["--hashlane", "embedded:", "--hashlane", hashlane.url]
    code, told = ended(tmp_path / "objects", *options)
    assert code == 1
    assert "embedded: is an endpoint alone" in told


def test_the_admin_port_is_not_hashlane(tmp_path, hashlane):
    code, told = ended(tmp_path / "objects", "--hashlane", hashlane.admin)
    assert code == 1
    assert "give the gRPC port of a server" in told
    assert told.endswith(" (--hashlane)\n")


@pytest.mark.parametrize("token", [None, "another"])
def test_a_token_that_is_refused(token, tmp_path, with_tokens):
    more = ["--token", token] if token else []
    code, told = ended(tmp_path / "objects", "--hashlane", with_tokens.url, *more)
    assert code == 1
    assert "Unauthenticated" in told
    assert "--token-file" in told
    assert not (tmp_path / "objects").exists()


def test_a_token_from_a_file(tmp_path, with_tokens):
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n")
    gateway = Gateway(tmp_path, with_tokens, "--token-file", str(token), "--token", "another")
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    client.put_object(Bucket="test", Key="key", Body=b"bytes")
    gateway.end()
    missing = tmp_path / "missing"
    code, told = ended(tmp_path / "other", "--token-file", missing)
    assert code == 1
    assert f"{missing}: No such file" in told


def test_a_certificate_that_the_system_does_not_trust(tmp_path, certificate):
    files = ["--tls-certificate", certificate[0], "--tls-key", certificate[1]]
    hashlane = Hashlane(tmp_path, "--tls-listen", "127.0.0.1:0", *files)
    port = hashlane.logged(r"listening .*tls=127\.0\.0\.1:(\d+)")[1]
    hashlane.url = f"https://127.0.0.1:{port}"
    code, told = ended(tmp_path / "objects", "--hashlane", hashlane.url)
    assert code == 1
    assert "invalid peer certificate" in told
    assert "--ca" in told
    gateway = Gateway(tmp_path, hashlane, "--ca", certificate[0])
    client = s3(gateway.url)
    client.create_bucket(Bucket="test")
    client.put_object(Bucket="test", Key="key", Body=b"bytes")
    gateway.end()
    hashlane.end()


def test_a_hashlane_that_starts_later_is_waited_for(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    log = tmp_path / "gateway.log"
    command = [os.environ["HASHLANE_S3_GATEWAY"], str(tmp_path / "objects")]
    command += ["--listen", "127.0.0.1:0", "--hashlane", f"http://127.0.0.1:{port}"]
    gateway = Program(log, command, lambda: "waiting for hashlane" in log.read_text())
    assert gateway.logged(r"start hashlane-server there, or give another URL \(--hashlane\)")
    hashlane = Hashlane(tmp_path, port=port)
    until("the gateway listens", lambda: gateway.logged("listening on"))
    gateway.end()
    hashlane.end()


def test_a_folder_has_one_gateway(gateway, hashlane):
    code, told = ended(gateway.folder, "--hashlane", hashlane.url)
    assert code == 1
    assert f"{gateway.folder}: the folder is served by another gateway" in told


def test_a_folder_with_files_of_others(tmp_path, hashlane):
    folder = tmp_path / "pictures"
    (folder / "2026").mkdir(parents=True)
    (folder / "2026" / "picture.jpg").write_bytes(b"a picture")
    code, told = ended(folder, "--hashlane", hashlane.url)
    assert code == 1
    assert f"{folder}: the folder must be empty, or made by the gateway" in told
    assert [path.name for path in folder.iterdir()] == ["2026"]
    file = folder / "2026" / "picture.jpg"
    code, told = ended(file, "--hashlane", hashlane.url)
    assert code == 1
    assert f"{file}: Not a directory" in told
