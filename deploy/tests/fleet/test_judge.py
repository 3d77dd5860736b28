"""What the judge says of loads that are known."""

import unittest

from judge import Judge, Sample


def counter(rates, until=20.0):
    """Samples each 250 ms of a counter that grows by rates: (from, bytes a second)."""
    samples, hashed = [], 0.0
    for tick in range(round(until * 4) + 1):
        at = tick / 4
        samples.append(Sample(at, {"md5": hashed}))
        hashed += [rate for start, rate in rates if start <= at][-1] / 4
    return samples


class TestJudge(unittest.TestCase):
    def judge(self, *healthy, gone=()):
        return Judge(["md5"], 5.0, list(healthy), list(gone))

    def test_a_load_that_moves_at_once_is_even_at_once(self):
        samples = {
            "a": counter([(0, 100), (5, 150)]),
            "b": counter([(0, 100), (5, 150)]),
            "c": counter([(0, 100), (5, 0)]),
        }
        self.assertEqual(self.judge("a", "b").even_at(samples, 20.0), 0.0)

    def test_it_is_not_even_while_a_server_that_goes_has_a_share(self):
        samples = {
            "a": counter([(0, 100), (9, 150)]),
            "b": counter([(0, 100), (9, 150)]),
            "c": counter([(0, 100), (9, 0)]),
        }
        even = self.judge("a", "b", gone=["c"]).even_at(samples, 20.0)
        self.assertTrue(3.5 <= even <= 4.0, even)
        self.assertEqual(self.judge("a", "b").even_at(samples, 20.0), 0.0)

    def test_loads_of_several_clients_are_judged_together(self):
        a, b = counter([(0, 100)]), counter([(0, 50)])
        other = [Sample(each.at, {"sha1": each.hashed["md5"]}) for each in counter([(0, 50)])]
        both = [
            Sample(each.at, {**each.hashed, **more.hashed})
            for each, more in zip(b, other, strict=True)
        ]
        judge = Judge(["md5", "sha1"], 5.0, ["a", "b"], [])
        self.assertEqual(judge.even_at({"a": a, "b": both}, 20.0), 0.0)
        self.assertIsNone(judge.even_at({"a": a, "b": b}, 20.0))

    def test_it_is_even_from_when_shares_are_even(self):
        samples = {
            "a": counter([(0, 100), (5, 250), (9, 150)]),
            "b": counter([(0, 100), (5, 50), (9, 150)]),
            "c": counter([(0, 100), (5, 0)]),
        }
        even = self.judge("a", "b").even_at(samples, 20.0)
        # A window may hold a little of the time before: a fifth is allowed.
        self.assertTrue(3.0 <= even <= 4.0, even)

    def test_it_is_not_even_while_the_rate_is_low(self):
        samples = {
            "a": counter([(0, 100), (5, 50), (12, 150)]),
            "b": counter([(0, 100), (5, 50), (12, 150)]),
            "c": counter([(0, 100), (5, 0)]),
        }
        even = self.judge("a", "b").even_at(samples, 20.0)
        self.assertTrue(5.0 < even <= 7.0, even)
        self.assertIsNone(self.judge("a", "b").even_at(samples, 11.0))

    def test_it_is_not_even_if_a_server_gets_nothing(self):
        samples = {name: counter([(0, 100)]) for name in "abc"}
        samples["d"] = counter([(0, 0)])
        self.assertIsNone(self.judge("a", "b", "c", "d").even_at(samples, 20.0))
        self.assertEqual(self.judge("a", "b", "c").even_at(samples, 20.0), 0.0)
        self.assertAlmostEqual(self.judge("a").rate_kept(samples, 20.0), 1.0)

    def test_a_moment_that_is_even_by_chance_does_not_count(self):
        samples = {
            "a": counter([(0, 100), (5, 300), (8, 0), (10, 150)]),
            "b": counter([(0, 100), (5, 0), (8, 300), (10, 150)]),
            "c": counter([(0, 100), (5, 0)]),
        }
        self.assertGreater(self.judge("a", "b").even_at(samples, 20.0), 2.5)


if __name__ == "__main__":
    unittest.main()
