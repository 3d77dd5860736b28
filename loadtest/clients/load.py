"""Sends parts with client/python: threads, or asyncio. README.md says what it prints and waits for."""

import argparse
import asyncio
import hashlib
import sys
import time
from concurrent import futures

import hashlane
import hashlane.aio

# Data repeats after so many different messages.
RING_MESSAGES = 16


class Load:
    """What all streams send, and what they expect."""

    def __init__(self, args):
        self.args = args
        period = bytes(range(251)) * (args.chunk_bytes // 251 + 2)
        ring = [period[7 * i % 251 :][: args.chunk_bytes] for i in range(RING_MESSAGES)]
        pieces = [ring[i % RING_MESSAGES] for i in range(args.part_chunks)]
        self.data = memoryview(b"".join(pieces))
        self.algorithms = args.algorithms.split(",")
        # The digests of the first n pieces.
        self.digests = [[]]
        digests = [hashlib.new(name) for name in self.algorithms]
        for piece in pieces:
            for digest in digests:
                digest.update(piece)
            self.digests.append([digest.digest() for digest in digests])

    def parts(self, index, left):
        """The parts of one stream: their data and their digests."""
        # First parts differ in length, so that streams do not end in step.
        following = 1 + (self.args.part_chunks - 1) * index // self.args.streams
        while left > 0:
            pieces = min(following, left)
            yield self.data[: pieces * self.args.chunk_bytes], self.digests[pieces]
            left -= pieces
            following = self.args.part_chunks

    def each(self, load_bytes):
        """The pieces of each stream."""
        return load_bytes // self.args.streams // self.args.chunk_bytes


def check(answer, digests):
    if [digest.raw for digest in answer.digests] != digests:
        raise RuntimeError(f"a wrong digest: {answer}")


def options(args):
    return {"connections": args.connections, "shared_memory_bytes": args.shared_memory_bytes}


class Threads:
    def __init__(self, load):
        self.load = load
        args = load.args
        self.client = hashlane.Client(args.server, **options(args))
        self.pool = futures.ThreadPoolExecutor(args.streams)

    def stream(self, index, left):
        for data, digest in self.load.parts(index, left):
            check(self.client.digest(data, *self.load.algorithms), digest)

    def run(self, load_bytes):
        count = self.load.args.streams
        list(self.pool.map(self.stream, range(count), [self.load.each(load_bytes)] * count))


class Asyncio:
    def __init__(self, load):
        self.load = load
        self.loop = asyncio.new_event_loop()
        self.loop.run_until_complete(self.connect())

    async def connect(self):
        args = self.load.args
        self.client = hashlane.aio.Client(args.server, **options(args))

    async def stream(self, index, left):
        for data, digest in self.load.parts(index, left):
            check(await self.client.digest(data, *self.load.algorithms), digest)

    async def all(self, each):
        await asyncio.gather(*(self.stream(i, each) for i in range(self.load.args.streams)))

    def run(self, load_bytes):
        self.loop.run_until_complete(self.all(self.load.each(load_bytes)))


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("kind", choices=["threads", "asyncio"])
    parser.add_argument("--server", required=True)
    parser.add_argument("--algorithms", default="sha256")
    for name, default in (
        ("connections", 4),
        ("streams", 32),
        ("chunk-bytes", 64 << 10),
        ("part-chunks", 128),
        ("warmup-bytes", 0),
        ("bytes", 0),
        ("shared-memory-bytes", 32 << 20),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    load = Load(args)
    runner = Threads(load) if args.kind == "threads" else Asyncio(load)
    runner.run(args.warmup_bytes)
    print("ready", flush=True)
    if not sys.stdin.readline():
        raise SystemExit("hashlane load: nobody said go")
    started = time.monotonic()
    runner.run(args.bytes)
    sent = load.each(args.bytes) * args.streams * args.chunk_bytes
    print("done", sent, time.monotonic() - started, flush=True)
    # Whoever measures looks at this process before it ends.
    sys.stdin.read()


if __name__ == "__main__":
    main()
