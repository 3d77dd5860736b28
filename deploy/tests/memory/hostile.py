"""Clients of the server's shared memory that break its rules: hostile.py ATTACK SOCKET.

flood    names 1 MiB in messages of 20 bytes, and does not wait until the server has read them
unread   the same, and reads no answer
outside  names ranges outside the memory, call after call
regions  asks for all the memory that there is, again and again
rewrite  changes the bytes while the server reads them
holes    takes the pages of the memory away while the server reads them

It speaks to the server by grpcio and the generated messages, because hashlane's own client would
keep the rules.
"""

import contextlib
import ctypes
import mmap
import os
import socket
import sys
import threading
import time

import grpc
from hashlane.v1 import hash_service_pb2 as pb

MIB = 1 << 20
MEMORY_BYTES = 8 * MIB
METHOD = "/hashlane.v1.HashService/Digest"
# Of fallocate(2).
KEEP_SIZE, PUNCH_HOLE = 1, 2
STREAMS = 8


class Memory:
    """Memory that the server shares, while this exists."""

    def __init__(self, path, wanted=MEMORY_BYTES):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{path}.memory")
        self.socket.sendall(b"HLSM" + (1).to_bytes(4, "big") + wanted.to_bytes(8, "big"))
        reply, descriptors, _, _ = socket.recv_fds(self.socket, 32, 1)
        self.is_granted = len(reply) == 32 and reply[4:8] == bytes(4)
        self.id = reply[8:24].hex()
        self.descriptor = descriptors[0] if descriptors else None

    def close(self):
        self.socket.close()
        if self.descriptor is not None:
            os.close(self.descriptor)


def parts(ranges, count):
    """Messages of parts of `count` ranges each."""
    part = 0
    while True:
        part += 1
        for number in range(count):
            offset, length = next(ranges)
            yield pb.DigestRequest(
                part=part,
                memory=pb.MemoryRange(offset=offset, length=length),
                last=number == count - 1,
            )


def slots(length):
    while True:
        for offset in range(0, MEMORY_BYTES, length):
            yield offset, length


def call(path, memory, requests, reads):
    """Makes one call, to its end."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(f"unix:{path}", options) as channel:
        digest = channel.stream_stream(
            METHOD, pb.DigestRequest.SerializeToString, pb.DigestResponse.FromString
        )
        responses = digest(requests, metadata=[("hashlane-memory", memory.id)])
        if not reads:
            time.sleep(3600)
        with contextlib.suppress(grpc.RpcError):
            for _ in responses:
                pass


def calls(path, ranges, count=64, reads=True):
    """Calls on memory of this process, one after the other, on several threads."""
    memory = Memory(path)

    def run():
        while True:
            call(path, memory, parts(ranges(), count), reads)

    for _ in range(STREAMS):
        threading.Thread(target=run, daemon=True).start()
    return memory


def outside():
    while True:
        yield MEMORY_BYTES - 1, 2
        yield 1 << 63, MIB
        yield 0, 0
        yield 0, (1 << 32) - 1


def attack(name, path):
    if name == "unread":
        return calls(path, lambda: slots(MIB), count=1, reads=False)
    if name == "outside":
        return calls(path, outside, count=1)
    if name == "regions":
        return threading.Thread(target=take_all, args=(path,), daemon=True).start()
    memory = calls(path, lambda: slots(MIB))
    changes = {"rewrite": rewrite, "holes": punch}.get(name)
    if changes:
        threading.Thread(target=changes, args=(memory.descriptor,), daemon=True).start()
    return memory


def take_all(path):
    while True:
        taken = []
        for _ in range(100):
            memory = Memory(path, 64 * MIB)
            taken.append(memory)
            if memory.is_granted:
                mapped = mmap.mmap(memory.descriptor, 64 * MIB)
                # Each page takes memory only now.
                for page in range(0, 64 * MIB, mmap.PAGESIZE):
                    mapped[page] = 1
                mapped.close()
        for memory in taken:
            memory.close()


def rewrite(descriptor):
    mapped = mmap.mmap(descriptor, MEMORY_BYTES)
    for value in range(1 << 62):
        mapped[:] = bytes([value % 256]) * MEMORY_BYTES


def punch(descriptor):
    libc = ctypes.CDLL(None, use_errno=True)
    size = ctypes.c_long
    while True:
        if libc.fallocate(descriptor, KEEP_SIZE | PUNCH_HOLE, size(0), size(MEMORY_BYTES)):
            sys.exit(os.strerror(ctypes.get_errno()))


def main():
    _, name, path = sys.argv
    kept = attack(name, path)
    print(f"{name} attacks", flush=True)
    threading.Event().wait()
    del kept


main()
