"""Keeps sending parts until its standard input ends, then tells what became of them: README.md."""

import argparse
import collections
import collections.abc
import hashlib
import json
import os
import random
import sys
import threading
import time
import traceback

import hashlane

# All parts are slices of this many random bytes.
DATA_BYTES = 1 << 20
# The most bytes of an ordinary part, and the bytes of a part that takes a second.
PART_BYTES_MAX = 64 << 10
SLOW_PART_BYTES = 64 << 10
SLOW_PART_PIECES = 8
SLOW_PIECE_PAUSE = 0.125


class Tried(collections.abc.Sequence):
    """The bytes of a part in pieces. Counts how often they are read from the beginning."""

    def __init__(self, data, is_slow, count):
        self._is_slow, self._count = is_slow, count
        size = -(-len(data) // SLOW_PART_PIECES) if is_slow else len(data)
        self._pieces = [data[at : at + size] for at in range(0, len(data), size)]

    def __len__(self):
        return len(self._pieces)

    def __getitem__(self, index):
        return self._pieces[index]

    def __iter__(self):
        self._count()
        for piece in self._pieces:
            if self._is_slow:
                time.sleep(SLOW_PIECE_PAUSE)
            yield piece


class Load:
    def __init__(self, client, interval_seconds):
        self.client = client
        self.interval_seconds = interval_seconds
        self.data = random.Random(0).randbytes(DATA_BYTES)
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.counts = collections.Counter(parts=0, tries=0, corrupted=0, wrong=0, lost=0)
        # Errors that the client raised after its retries, and how often.
        self.errors = collections.Counter()
        self.slowest_seconds = 0.0

    def count(self, *names):
        with self.lock:
            self.counts.update(names)

    def send(self, data, kind, is_slow):
        """Sends a part. False: the answer is wrong."""
        digest = hashlib.md5(data).hexdigest()
        if kind == 2:
            changed = bytearray(data)
            changed[len(data) // 2] ^= 1
            data = bytes(changed)
        source = Tried(data, is_slow, lambda: self.count("tries"))
        if kind == 0:
            return self.client.digest(source, hashlane.Algorithm.MD5).digests[0].hex == digest
        expected = hashlane.Digest.from_hex(hashlane.Algorithm.MD5, digest)
        return self.client.verify(source, expected).is_match == (kind == 1)

    def work(self, index):
        try:
            self.work_on(index)
        except BaseException:
            # Not an outcome of a part: the load is broken.
            traceback.print_exc()
            os._exit(1)

    def work_on(self, index):
        chance = random.Random(index)
        is_slow = index % 2 == 1
        # Workers do not begin in step.
        due = time.monotonic() + chance.random() * self.interval_seconds
        while not self.is_over.wait(max(0.0, due - time.monotonic())):
            due = max(due + self.interval_seconds, time.monotonic())
            size = SLOW_PART_BYTES if is_slow else chance.randint(1, PART_BYTES_MAX)
            at, kind = chance.randrange(DATA_BYTES - size), chance.randrange(3)
            started = time.monotonic()
            self.count("parts", *(["corrupted"] if kind == 2 else []))
            try:
                if not self.send(self.data[at : at + size], kind, is_slow):
                    self.count("wrong")
            except hashlane.HashlaneError as error:
                self.count("lost")
                with self.lock:
                    self.errors[str(error)] += 1
            with self.lock:
                self.slowest_seconds = max(self.slowest_seconds, time.monotonic() - started)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", required=True, help="host:port, separated by commas")
    parser.add_argument("--workers", type=int, default=24)
    parser.add_argument("--interval-ms", type=int, default=100)
    parser.add_argument("--algorithm", choices=["md5"], default="md5")
    args = parser.parse_args()
    with hashlane.Client(*args.servers.split(",")) as client:
        load = Load(client, args.interval_ms / 1000)
        workers = [
            threading.Thread(target=load.work, args=(index,)) for index in range(args.workers)
        ]
        for worker in workers:
            worker.start()
        sys.stdin.read()
        load.is_over.set()
        for worker in workers:
            worker.join()
    found = dict(load.counts, errors=load.errors, slowest_seconds=load.slowest_seconds)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
