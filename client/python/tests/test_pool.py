"""Which endpoint a call goes to."""

import grpc

from hashlane._errors import HashlaneError
from hashlane._memory import Memory
from hashlane._pool import Pool


def test_equal_endpoints_take_turns_though_another_one_rests() -> None:
    names = ["a", "b", "c"]
    pool = Pool([([name], Memory(name, 0)) for name in names], clock=lambda: 0.0)
    leases = [pool.lease() for _ in names]
    for lease in leases:
        gone = HashlaneError(grpc.StatusCode.UNAVAILABLE, "gone")
        lease.ended(gone if lease.channel == "b" else None)
    calls = dict.fromkeys(names, 0)
    for _ in range(30):
        lease = pool.lease()
        calls[lease.channel] += 1
        lease.ended(None)
    assert calls == {"a": 15, "b": 0, "c": 15}
