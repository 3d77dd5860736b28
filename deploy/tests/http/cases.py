"""PUT /v1/digest as other clients see it. Ends with an error at the first case that fails."""

import argparse
import base64
import hashlib
import http.client
import json
import os
import re
import socket
import subprocess
import tempfile
import urllib.parse

import http_sf

PATH = "/v1/digest"
PATIENCE_SECONDS = 60


def curl(*arguments, stdin=None):
    """The status, the fields and the JSON of a response, as curl sees it."""
    with tempfile.TemporaryDirectory() as folder:
        head, body = f"{folder}/head", f"{folder}/body"
        command = ["curl", "-sS", "--max-time", str(PATIENCE_SECONDS), "-D", head, "-o", body, *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, (arguments, done.stderr)
        blocks = re.split(r"\r?\n\r?\n", open(head).read().strip())
        lines = blocks[-1].splitlines()
        fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        raw = dict((n.lower(), v) for n, v in (line.split(": ", 1) for line in lines[1:] if ": " in line))
        assert fields.keys() == raw.keys()
        return int(lines[0].split()[1]), raw, json.load(open(body))


def check_response(response, data, algorithms):
    status, fields, answer = response
    assert status == 200, response
    assert answer["size_bytes"] == len(data), answer
    expected = {name: hashlib.new(name, data).hexdigest() for name in algorithms}
    assert answer["digests"] == expected, (answer, expected)
    parsed = http_sf.parse(fields["repr-digest"].encode(), tltype="dictionary")
    names = {"sha-256": "sha256", "sha-512": "sha512"}
    assert {names[name] for name in parsed} == set(algorithms) & set(names.values()), parsed
    for name, (digest, parameters) in parsed.items():
        assert digest == hashlib.new(names[name], data).digest(), name
        assert parameters == {}


def uploads(options):
    algorithms = ["md5", "sha1", "sha256", "sha512"]
    query = f"{PATH}?algorithm={','.join(algorithms)}"
    tls = ["--cacert", options.certificate]
    ways = {
        "HTTP/1.1": [options.server + query, "--http1.1"],
        "HTTP/2": [options.server + query, "--http2-prior-knowledge"],
        "TLS, ALPN http/1.1": [options.tls + query, "--http1.1", *tls],
        "TLS, ALPN h2": [options.tls + query, "--http2", *tls],
        "TLS without ALPN": [options.tls + query, "--no-alpn", *tls],
        "through nginx": [options.proxy + query],
    }
    with tempfile.NamedTemporaryFile() as file:
        for length in [0, 1, 1000, 5_000_001]:
            data = os.urandom(length)
            file.seek(0)
            file.truncate()
            file.write(data)
            file.flush()
            for name, arguments in ways.items():
                check_response(curl("-T", file.name, *arguments), data, algorithms)
                # From a pipe the length is not known: chunks, or frames alone.
                check_response(curl("-T", "-", *arguments, stdin=data), data, algorithms)
                print(f"{name}, {length} bytes: as expected")


def expectations(options):
    data, other = b"expected " * 1000, b"another " * 1000
    sha256 = lambda data: base64.b64encode(hashlib.sha256(data).digest()).decode()
    md5 = lambda data: base64.b64encode(hashlib.md5(data).digest()).decode()
    structured = lambda data: http_sf.ser({"sha-256": (hashlib.sha256(data).digest(), {})})
    for field, value in [
        ("Repr-Digest", structured),
        ("Content-Digest", structured),
        ("Content-MD5", md5),
        ("x-amz-checksum-sha256", sha256),
    ]:
        for version in ["--http1.1", "--http2-prior-knowledge"]:
            of = lambda data: ["-H", f"{field}: {value(data)}", version]
            put = ["-T", "-", options.server + PATH]
            status, _, answer = curl(*put, *of(data), stdin=data)
            assert (status, answer["verdict"]) == (200, "match"), answer
            status, fields, answer = curl(*put, *of(other), stdin=data)
            assert (status, answer["reason"]) == (400, "DIGEST_MISMATCH"), answer
            assert fields["content-type"] == "application/problem+json", fields
        print(f"{field}: compared")


def keep_alive(options):
    """Python's own client: many requests on one connection."""
    address = urllib.parse.urlsplit(options.server)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE_SECONDS)
    for length in range(0, 3000, 7):
        data = os.urandom(length)
        connection.request("PUT", PATH, data)
        response = connection.getresponse()
        answer = json.load(response)
        assert answer["digests"]["sha256"] == hashlib.sha256(data).hexdigest()
    print("http.client: many requests on one connection")


# Framing that servers have understood differently (RFC 9112, section 11.2). The body is that of an empty chunked
# message. Another request follows it.
FRAMINGS = [
    "Content-Length: 5",
    "Content-Length: 5\r\nContent-Length: 5",
    "Content-Length: 5\r\nContent-Length: 0",
    "Content-Length: 5, 5",
    "Content-Length: +5",
    "Content-Length: -5",
    "Content-Length: 0x5",
    "Content-Length: 5 0",
    "Content-Length : 5",
    " Content-Length: 5",
    "Content-Length:\t5",
    "Content-Length: 18446744073709551621",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: CHUNKED",
    "Transfer-Encoding:\tchunked",
    "Transfer-Encoding: \x0bchunked",
    "Transfer-Encoding: chunked\x00",
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: identity, chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding : chunked",
    "X: y\r\n Transfer-Encoding: chunked",
    "Transfer-Encoding\x00: chunked",
    "Transfer-Encoding: gzip",
    "X: \rTransfer-Encoding: chunked",
    "X: y\nTransfer-Encoding: chunked",
]
# RFC 9112 allows these, and nginx refuses them. A connection with both fields must not go on (section 6.3).
LEGAL = {
    "Content-Length: 5\r\nContent-Length: 5": 2,
    "Content-Length:\t5": 2,
    "Transfer-Encoding:\tchunked": 2,
    "Transfer-Encoding: chunked\r\nContent-Length: 5": 1,
    "Content-Length: 5\r\nTransfer-Encoding: chunked": 1,
}
BODIES = ["0\r\n\r\n", "0\n\n", "00\r\n\r\n", "0;a=b\r\n\r\n", "0\r\nX: y\r\n\r\n", "0x0\r\n\r\n", "-0\r\n\r\n", " 0\r\n\r\n"]


def statuses(address, request):
    """The statuses of all responses to what is sent on one connection."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
        except ConnectionResetError:
            pass
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answer)]


def framings(options):
    """Whatever hashlane accepts, nginx accepts, and sees as many requests in it, or it is LEGAL."""
    server = urllib.parse.urlsplit(options.server).netloc
    accepted, lenient = 0, []
    for framing in FRAMINGS:
        for body in BODIES:
            head = f"PUT {PATH} HTTP/1.1\r\nHost: x\r\n{framing}\r\n\r\n"
            last = f"PUT {PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            request = (head + body + last).encode("latin-1")
            ours, theirs = statuses(server, request), statuses(options.nginx, request)
            good = [status for status in ours if status == 200]
            if good != ours[: len(good)] or len(good) > LEGAL.get(framing, theirs.count(200)):
                lenient.append((framing, body, ours, theirs))
            accepted += len(good) == 2
    assert not lenient, "\n".join(map(str, lenient))
    assert accepted > 0
    print(f"{len(FRAMINGS) * len(BODIES)} framings: {accepted} accepted whole")


def main():
    parser = argparse.ArgumentParser()
    for name in ["server", "tls", "certificate", "proxy", "nginx"]:
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    uploads(options)
    expectations(options)
    keep_alive(options)
    framings(options)


main()
