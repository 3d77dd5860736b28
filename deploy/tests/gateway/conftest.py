import os
import subprocess

import pytest
from support import KEY, SECRET, Gateway, Hashlane, Program, Proxy, s3


@pytest.fixture(scope="session", autouse=True)
def _no_settings_of_this_machine():
    for name in [name for name in os.environ if name.startswith("AWS_") or "proxy" in name.lower()]:
        del os.environ[name]
    os.environ |= {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    os.environ |= {"AWS_EC2_METADATA_DISABLED": "true", "AWS_DEFAULT_REGION": "us-east-1"}
    os.environ |= {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}


@pytest.fixture(scope="session", autouse=True)
def _no_program_stays():
    """A test that fails does not end its programs."""
    yield
    for program in Program.started:
        program.kill()


@pytest.fixture(scope="session")
def hashlane(tmp_path_factory):
    started = Hashlane(tmp_path_factory.mktemp("hashlane"))
    yield started
    started.end()


@pytest.fixture(scope="session", params=["server", "embedded"])
def gateway(request, tmp_path_factory, hashlane):
    of_server = hashlane if request.param == "server" else None
    started = Gateway(tmp_path_factory.mktemp("gateway"), of_server)
    yield started
    started.end()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    files = [str(folder / name) for name in ("certificate.pem", "key.pem")]
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    command += " -subj /CN=test -addext subjectAltName=IP:127.0.0.1"
    # hashlane's clients take no certificate of an authority for a server's.
    command += " -addext basicConstraints=CA:FALSE"
    subprocess.run(
        [*command.split(), "-out", files[0], "-keyout", files[1]], check=True, capture_output=True
    )
    return files


@pytest.fixture(scope="session")
def tls(gateway, certificate):
    proxy = Proxy(gateway.port, certificate)
    yield proxy
    proxy.close()


@pytest.fixture
def cleartext(gateway):
    proxy = Proxy(gateway.port)
    yield proxy
    proxy.close()


@pytest.fixture(scope="session")
def client(gateway):
    """Sends checksums in headers, and signs the bytes."""
    made = s3(gateway.url)
    made.create_bucket(Bucket="test")
    return made


@pytest.fixture(scope="session")
def tls_client(client, tls, certificate):
    """Sends checksums in trailers, and does not sign the bytes."""
    return s3(tls.url, certificate[0])
