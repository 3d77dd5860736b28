"""When the load is even again, from samples of the servers' counters.

The judge looks at what balances the load: at each client's own load, or behind a proxy at the load
of all clients, which a proxy does not tell apart. The load is even in a window of 3 s if

- each server that should have a share hashed a fifth more or less than its fair share of what they
  hashed together,
- each server that is gone, or drains, hashed less than a twentieth of a fair share, and
- all servers together hashed at least four fifths of what they hashed in a window before the fault.
  (If a server is slow or starved, that is not asked: calls on it take longer, so the load itself is
  less.)

It is even again from the start of the first window that is even, and each of the next ones for 1 s.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass

WINDOW_SECONDS = 3.0
HOLD_SECONDS = 1.0
TOLERANCE = 0.2
RATE_KEPT_MIN = 0.8
GONE_SHARE_MAX = 0.05


@dataclass(frozen=True)
class Sample:
    """What a server had hashed of each algorithm at a time, in bytes."""

    at: float
    hashed: dict[str, float]


Samples = dict[str, list[Sample]]


def hashed_between(samples: list[Sample], algorithms: list[str], start: float, end: float) -> float:
    """Bytes that a server hashed, interpolated. A server without samples there hashed nothing."""
    return sum(
        _hashed_at(samples, each, end) - _hashed_at(samples, each, start) for each in algorithms
    )


def _hashed_at(samples: list[Sample], algorithm: str, at: float) -> float:
    index = bisect.bisect_left(samples, at, key=lambda each: each.at)
    if not samples or index == 0:
        return samples[0].hashed.get(algorithm, 0.0) if samples else 0.0
    before = samples[index - 1]
    had = before.hashed.get(algorithm, 0.0)
    if index == len(samples):
        return had
    after = samples[index]
    share = (at - before.at) / (after.at - before.at)
    return had + share * (after.hashed.get(algorithm, 0.0) - had)


class Judge:
    """Judges a load. Each client has an algorithm of its own."""

    def __init__(
        self,
        algorithms: list[str],
        fault_at: float,
        healthy: list[str],
        gone: list[str],
        rate_min: float = RATE_KEPT_MIN,
    ) -> None:
        self.algorithms = algorithms
        self.fault_at = fault_at
        # The servers that should share the load after the fault, and those without a share. A
        # server in neither is slow: it takes what it can.
        self.healthy, self.gone = healthy, gone
        self.rate_min = rate_min

    def bytes_of_all(self, samples: Samples, start: float) -> float:
        end = start + WINDOW_SECONDS
        return sum(hashed_between(each, self.algorithms, start, end) for each in samples.values())

    def is_even(self, samples: Samples, start: float, bytes_before: float) -> bool:
        end = start + WINDOW_SECONDS
        shares = [
            hashed_between(samples[name], self.algorithms, start, end) for name in self.healthy
        ]
        fair = sum(shares) / len(shares)
        if fair <= 0 or self.bytes_of_all(samples, start) < self.rate_min * bytes_before:
            return False
        left = [hashed_between(samples[name], self.algorithms, start, end) for name in self.gone]
        if any(share > GONE_SHARE_MAX * fair for share in left):
            return False
        return all(abs(share - fair) <= TOLERANCE * fair for share in shares)

    def before(self, samples: Samples) -> float:
        """Bytes in the last window before the fault."""
        return self.bytes_of_all(samples, self.fault_at - WINDOW_SECONDS)

    def even_at(self, samples: Samples, now: float) -> float | None:
        """Seconds from the fault until the load is even again, if it is by now."""
        before = self.before(samples)
        step = 0.25
        held = round(HOLD_SECONDS / step)
        run = 0
        start = self.fault_at
        while start + WINDOW_SECONDS <= now:
            run = run + 1 if self.is_even(samples, start, before) else 0
            if run > held:
                return start - held * step - self.fault_at
            start += step
        return None

    def rate_kept(self, samples: Samples, now: float) -> float:
        """What all servers hash in the last window, over what they hashed before the fault."""
        before = self.before(samples)
        return self.bytes_of_all(samples, now - WINDOW_SECONDS) / before if before else 0.0
