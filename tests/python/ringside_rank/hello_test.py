"""What a rank says of itself in its hello. No torch."""

import sys
import types
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

import recorder  # noqa: E402
from ringside_rank import _records, _session  # noqa: E402


class Loader:
    @property
    def num_workers(self):
        raise RuntimeError("no workers yet")


class Hello(unittest.TestCase):
    def setUp(self):
        self.said = []
        self.session = _session.Session(types.SimpleNamespace(post=self.post))

    def post(self, kind, at_ns, body, size):
        self.said.append((kind, recorder.decode(kind, body)))
        return 0

    def hello(self):
        self.session.greet()
        (hello,) = [one for kind, one in self.said if kind == _records.HELLO]
        return hello

    def test_a_loader_that_raises_when_asked_for_its_workers_stops_no_hello(self):
        self.session.facts = lambda: {"device_name": "a device"}
        self.session.passes.newest = self.session.passes.begin(Loader(), 0)
        hello = self.hello()
        self.assertEqual((hello["loader_workers"], hello["device_name"]), (-1, "a device"))

    def test_a_loader_says_its_workers(self):
        self.session.passes.newest = self.session.passes.begin(types.SimpleNamespace(num_workers=3), 0)
        self.assertEqual(self.hello()["loader_workers"], 3)

    def test_cpus_are_those_of_all_threads(self):
        masks = {0: {2}, 11: {2}, 12: {0, 2}, 13: {1}}  # 0: the calling thread

        def mask(thread):
            if thread not in masks:
                raise ProcessLookupError(thread)  # it has just ended
            return masks[thread]

        with mock.patch("os.listdir", lambda path: ["11", "14", "12", "13"]), mock.patch("os.sched_getaffinity", mask):
            self.assertEqual(self.hello()["cpus"], [0, 1, 2])


if __name__ == "__main__":
    unittest.main()
