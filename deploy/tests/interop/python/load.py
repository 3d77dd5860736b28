"""Sends Digest streams with grpcio. What it prints and waits for is in loadtest/clients/README.md."""

import argparse
import asyncio
import hashlib
import sys
import time

import grpc

from hashlane.v1 import hash_service_pb2 as pb
from hashlane.v1 import hash_service_pb2_grpc as rpc

# A part is cut from a ring of so many different messages.
RING_MESSAGES = 16


class Load:
    """What all streams send, and what they expect."""

    def __init__(self, args, channels):
        self.args = args
        self.stubs = [rpc.HashServiceStub(channel) for channel in channels]
        period = bytes(range(251)) * (args.chunk_bytes // 251 + 2)
        data = [period[7 * i % 251 :][: args.chunk_bytes] for i in range(RING_MESSAGES)]
        self.ring = [pb.DigestRequest(data=chunk) for chunk in data]
        # The digest of the first n messages.
        self.digests = [b""]
        digest = hashlib.sha256()
        for i in range(args.part_chunks):
            digest.update(data[i % RING_MESSAGES])
            self.digests.append(digest.digest())

    async def part(self, stub, messages):
        """Sends a part of so many messages and checks its digest."""
        call = stub.Digest()
        for i in range(messages):
            await call.write(self.ring[i % RING_MESSAGES])
        await call.done_writing()
        answers = [answer async for answer in call]
        if [d.digest for answer in answers for d in answer.digests] != [self.digests[messages]]:
            raise RuntimeError(f"a part of {messages} messages has a wrong digest: {answers}")

    async def stream(self, index, left):
        # First parts differ in length, so that streams do not end in step.
        args = self.args
        following = 1 + (args.part_chunks - 1) * index // args.streams
        while left > 0:
            messages = min(following, left)
            await self.part(self.stubs[index % len(self.stubs)], messages)
            left -= messages
            following = args.part_chunks

    async def run(self, load_bytes):
        """Sends bytes over all streams at once and tells how many that were."""
        each = load_bytes // self.args.streams // self.args.chunk_bytes
        await asyncio.gather(*(self.stream(index, each) for index in range(self.args.streams)))
        return each * self.args.streams * self.args.chunk_bytes


async def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--server", required=True)
    for name, default in (
        ("connections", 4),
        ("streams", 32),
        ("chunk-bytes", 64 << 10),
        ("part-chunks", 128),
        ("warmup-bytes", 0),
        ("bytes", 0),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    # Channels of the same options would share one connection.
    own = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(args.server, options=own) for _ in range(args.connections)]
    load = Load(args, channels)
    await load.run(args.warmup_bytes)
    print("ready", flush=True)
    if not sys.stdin.readline():
        raise SystemExit("grpcio load: nobody said go")
    started = time.monotonic()
    sent = await load.run(args.bytes)
    print("done", sent, time.monotonic() - started, flush=True)
    # Whoever measures looks at this process before it ends.
    sys.stdin.read()
    for channel in channels:
        await channel.close()


if __name__ == "__main__":
    asyncio.run(main())
