"""Which endpoint a call goes to."""

import grpc
import pytest

from hashlane._errors import HashlaneError
from hashlane._memory import Memory
from hashlane._pool import Pool, Retries, Round

GONE = HashlaneError(grpc.StatusCode.UNAVAILABLE, "gone")
WRONG = HashlaneError(grpc.StatusCode.UNAVAILABLE, "x; last error: CERTIFICATE_VERIFY_FAILED")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def attempt(pool: Pool[str], retries: Retries, errors: dict[str, HashlaneError]) -> str:
    """One attempt, and the wait after it. The endpoint's name."""
    lease = pool.lease(retries.done)
    error = errors[lease.channel]
    lease.ended(error)
    wait = retries.after(error, lease.endpoint)
    assert isinstance(pool.clock, Clock)
    pool.clock.now += wait
    return lease.channel


def attempts(
    count: int, pool: Pool[str], retries: Retries, errors: dict[str, HashlaneError]
) -> None:
    for _ in range(count):
        attempt(pool, retries, errors)


def pool_of(*names: str) -> Pool[str]:
    return Pool([([name], Memory(name, 0)) for name in names], clock=Clock())


def test_a_wrong_setup_is_final_once_every_endpoint_has_one() -> None:
    pool = pool_of("wrong", "restarting")
    retries = Retries(pool, 30.0, None)
    busy = HashlaneError(grpc.StatusCode.UNAVAILABLE, "restarts", retry_after=5.0)
    errors = {"wrong": WRONG, "restarting": busy}
    # The wrong one rests less, so it is tried several times before the other one is back.
    tried = [attempt(pool, retries, errors) for _ in range(2)]
    assert tried == ["wrong", "restarting"]
    while tried[-1] != "restarting" or len(tried) == 2:
        tried.append(attempt(pool, retries, errors))
    assert tried.count("wrong") > 2
    # Then the other one has a wrong setup too.
    errors["restarting"] = WRONG
    with pytest.raises(HashlaneError) as caught:
        attempts(100, pool, retries, errors)
    assert caught.value is WRONG


def test_a_round_asks_each_endpoint_once() -> None:
    pool = pool_of("a", "b", "c")
    errors = {"a": GONE, "b": WRONG, "c": GONE}
    # The second time all of them rest.
    for _ in range(2):
        retries = Round(pool, None)
        tried = [attempt(pool, retries, errors) for _ in range(2)]
        with pytest.raises(HashlaneError):
            attempt(pool, retries, errors)
        assert len(set(tried)) == 2
        assert len(retries.done) == 3
    assert isinstance(pool.clock, Clock)
    assert pool.clock.now == 0.0


def test_equal_endpoints_take_turns_though_another_one_rests() -> None:
    names = ["a", "b", "c"]
    pool = Pool([([name], Memory(name, 0)) for name in names], clock=lambda: 0.0)
    leases = [pool.lease() for _ in names]
    for lease in leases:
        lease.ended(GONE if lease.channel == "b" else None)
    calls = dict.fromkeys(names, 0)
    for _ in range(30):
        lease = pool.lease()
        calls[lease.channel] += 1
        lease.ended(None)
    assert calls == {"a": 15, "b": 0, "c": 15}
