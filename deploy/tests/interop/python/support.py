"""What the cases share: where the server is, made-up bytes, and its metrics."""

import base64
import hashlib
import os
import re
import time
import unittest
import urllib.request
import zlib

MIB = 1 << 20
# No condition of these tests takes so long, on any machine.
PATIENCE = 30.0
SHA256 = "ALGORITHM_SHA256"
# Three parts of 5 MiB of 'A', 'B' and 'C', as S3 answers them.
COMPOSITE = "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3"
ETAG = "b2add96cc9702bbf4efb0ccdfc6b7747-3"


def variable(name):
    """A variable that interop.sh sets; without it nothing can be tested."""
    value = os.environ.get(name)
    if not value:
        raise SystemExit(f"{name} is not set: run deploy/tests/interop.sh")
    return value


ADDRESS = variable("HASHLANE_ADDRESS")
ADMIN = variable("HASHLANE_ADMIN")
_PATTERN = bytes(range(251)) * (9 * MIB // 251)


def pattern(length, seed=0):
    """`length` bytes of period 251, so that swapped blocks show."""
    start = seed * 7 % 251
    return _PATTERN[start : start + length]


def sha256(data):
    return hashlib.sha256(data).digest()


# What Python can compute by itself, by the contract's names in lower case.
DIGESTS = {
    "sha256": sha256,
    "sha224": lambda data: hashlib.sha224(data).digest(),
    "sha512": lambda data: hashlib.sha512(data).digest(),
    "sha384": lambda data: hashlib.sha384(data).digest(),
    "sha1": lambda data: hashlib.sha1(data).digest(),
    "md5": lambda data: hashlib.md5(data).digest(),
    "crc32": lambda data: zlib.crc32(data).to_bytes(4, "big"),
}


def base64_of(data):
    return base64.b64encode(data).decode()


def pieces(data, length):
    """`data` in chunks of `length`; an empty one if there is no data."""
    return [data[at : at + length] for at in range(0, len(data), length)] or [b""]


def composed_parts():
    return [sha256(letter * (5 * MIB)) for letter in (b"A", b"B", b"C")]


def metric(name, **labels):
    """The sum of the samples of `name` that have all `labels`."""
    text = urllib.request.urlopen(f"{ADMIN}/metrics", timeout=PATIENCE).read().decode()
    total, found = 0.0, False
    for line in text.splitlines():
        sample = re.fullmatch(rf"{name}(?:\{{(.*)\}})? (\S+)", line)
        if sample:
            found = True
            if all(f'{label}="{value}"' in (sample[1] or "") for label, value in labels.items()):
                total += float(sample[2])
    if not found:
        raise AssertionError(f"no metric {name}")
    return total


class Case(unittest.TestCase):
    maxDiff = None

    def until(self, what, condition):
        """Waits until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f"still not so: {what}")
            time.sleep(0.01)
