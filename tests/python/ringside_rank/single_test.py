"""When the only bucket of a DDP was ready, according to its reducer, which is fake here. No torch."""

import sys
import time
import types
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

from ringside_rank import _single  # noqa: E402


class Reducer:
    def __init__(self):
        self.stats = [0, 0]

    def get_backward_stats(self):
        return list(self.stats)


class Collecting(unittest.TestCase):
    def setUp(self):
        self.entered = []
        self.reducer = Reducer()
        self.single = _single.Single(types.SimpleNamespace(reducer=self.reducer), 8)
        _single._singles[id(self.reducer)] = self.single
        self.addCleanup(_single._singles.clear)
        self.step = types.SimpleNamespace(buckets=[])
        self.session = types.SimpleNamespace(speaker=types.SimpleNamespace(entered=self.entered.append))

    def forward(self):
        self.single.begun_ns = time.monotonic_ns()
        return self.single.begun_ns

    def test_a_bucket_is_ready_with_its_last_gradient_and_reduced_when_backward_returns(self):
        begun_ns = self.forward()
        self.reducer.stats = [3, 2]
        _single.collect(self.session, self.step, begun_ns)
        ((index, size, ready_ns, reduced_ns),) = self.step.buckets
        self.assertEqual((index, size, ready_ns), (0, 8, begun_ns + 3))
        self.assertLessEqual(reduced_ns, time.monotonic_ns())
        self.assertEqual(self.entered, [_single.FIRST_BUCKET])

    def test_a_backward_without_exchange_has_none(self):
        _single.collect(self.session, self.step, 0)  # in no_sync the reducer does not prepare
        self.forward()
        _single.collect(self.session, self.step, 0)  # it prepared, but no backward followed
        self.forward()
        self.reducer.stats = [3, 2]
        _single.forget()  # an exception was raised
        _single.collect(self.session, self.step, 0)
        self.assertEqual((self.step.buckets, self.entered), ([], []))

    def test_a_time_outside_of_the_backward_is_unknown(self):
        begun_ns = self.forward()
        self.reducer.stats = [3, 2]
        _single.collect(self.session, self.step, begun_ns + 4)
        self.assertIsNone(self.step.buckets[0][2])

    def test_a_collective_is_under_way_when_every_gradient_is_ready(self):
        self.forward()
        self.assertEqual(_single.under_way(), "")
        self.reducer.stats = [3, 0]
        self.assertEqual(_single.under_way(), "")
        self.reducer.stats = [3, 4]
        self.assertEqual(_single.under_way(), _single.FIRST_BUCKET)
        _single.collect(self.session, self.step, 0)
        self.assertEqual(_single.under_way(), "")

    def test_a_reducer_that_is_gone_is_no_matter(self):
        self.forward()
        del self.reducer
        _single.collect(self.session, self.step, 0)
        self.assertEqual((_single.under_way(), self.step.buckets), ("", []))


if __name__ == "__main__":
    unittest.main()
