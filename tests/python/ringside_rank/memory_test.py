"""Reported memory of a rank: parts of networks calculated by hand, a fake allocator, and ranks over Gloo. Exit code 77: this
Python has no torch."""

import sys
import types
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error})")
    sys.exit(77)

import ranks  # noqa: E402
from ringside_rank import _memory, _optimizers, _values  # noqa: E402

CPU = torch.device("cpu")


def said(result, name):
    """(step, bytes) of each record."""
    return [(one["step"], one["value"] * (1 << 20)) for one in result.said["scalar"] if one["name"] == f"memory/{name} MiB"]


class Parts(unittest.TestCase):
    def setUp(self):
        _memory._walked = []
        self.addCleanup(_optimizers._there.clear)
        self.addCleanup(_optimizers.numbers.clear)
        self.kept = []

    def parts(self, *optimizers, device=CPU):
        self.kept += optimizers
        for one in optimizers:
            _optimizers.number(None, one)
        return _memory._parts(torch, device)

    def stepped(self, module, make=torch.optim.Adam, loss=lambda module: module(torch.ones(2, 8)).sum()):
        optimizer = make(module.parameters())
        loss(module).backward()
        optimizer.step()
        return optimizer

    def test_parameters_gradients_and_state_are_their_tensors(self):
        size = 4 * (8 * 3 + 3)
        found = self.parts(self.stepped(torch.nn.Linear(8, 3)))
        self.assertEqual(found, {"parameters": size, "gradients": size, "optimizer": 2 * size + 2 * 4})  # Adam counts steps as f32

    def test_what_has_no_gradient_or_state_holds_nothing(self):
        module = torch.nn.Linear(8, 3)
        optimizer = self.stepped(module, lambda parameters: torch.optim.SGD(parameters, 0.1))
        optimizer.zero_grad()
        self.assertEqual(self.parts(optimizer), {"parameters": 108, "gradients": 0, "optimizer": 0})

    def test_memory_parts_are_reported_once_and_again_if_one_is_added(self):
        first = self.stepped(torch.nn.Linear(8, 3))
        self.assertTrue(self.parts(first))
        self.assertEqual(self.parts(first), {})
        second = self.stepped(torch.nn.Linear(8, 1))
        self.assertEqual(self.parts(first, second)["parameters"], 108 + 36)

    def test_shared_memory_counts_once(self):
        module = torch.nn.Linear(8, 3)
        one, other = self.stepped(module), torch.optim.SGD([module.weight], 0.1)
        self.assertEqual(self.parts(one, other)["parameters"], 108)
        flat = torch.zeros(10)
        parameters = [torch.nn.Parameter(flat[:4]), torch.nn.Parameter(flat[4:])]
        self.assertEqual(self.parts(torch.optim.SGD(parameters, 0.1))["parameters"], 108 + 40)

    def test_what_lies_elsewhere_is_no_part(self):
        self.assertEqual(self.parts(self.stepped(torch.nn.Linear(8, 3)), device=torch.device("cuda", 0)),
                         {"parameters": 0, "gradients": 0, "optimizer": 0})

    def test_sparse_gradients_are_unknown(self):
        module = torch.nn.Embedding(10, 4, sparse=True)
        found = self.parts(self.stepped(module, torch.optim.SparseAdam, lambda module: module(torch.tensor([1])).sum()))
        self.assertEqual((found["parameters"], found["optimizer"], "gradients" in found), (160, 320, False))


class Allocator(unittest.TestCase):
    def test_the_peak_stays_where_the_program_sets_it_back(self):
        cuda = torch.device("cuda", 0)
        for current, peak, kept in ((10, 30, 30), (10, 12, 30), (20, 50, 50)):
            made_up = {"allocated_bytes": {"all": {"current": current, "peak": peak}}, "reserved_bytes": {"all": {"current": 64}}}
            with mock.patch.object(torch.cuda, "memory_stats_as_nested_dict", lambda device: made_up), \
                    mock.patch.object(torch.cuda, "get_allocator_backend", lambda: "native"):
                self.assertEqual(_memory._allocator(torch, cuda), {"allocated": current, "reserved": 64, "peak": kept})

    def test_another_allocator_and_processors_tell_nothing(self):
        with mock.patch.object(torch.cuda, "get_allocator_backend", lambda: "cudaMallocAsync"):
            self.assertEqual(_memory._allocator(torch, torch.device("cuda", 0)), {})
        self.assertEqual(_memory._allocator(torch, CPU), {})


class Pace(unittest.TestCase):
    def test_ranks_that_step_together_look_in_the_same_steps(self):
        self.addCleanup(setattr, _memory, "every", _memory.every)
        for steps, every in ((1, 1), (2, 2), (9, 16), (16, 16), (1000, 1024), (0, 1024)):
            _memory.pace(steps)
            self.assertEqual(_memory.every, every)

    def test_a_source_that_raises_is_reported_and_switched_off(self):
        failed = []
        speaker = types.SimpleNamespace(works=lambda source: source not in failed, failed=failed.append)
        session = types.SimpleNamespace(speaker=speaker, steps=types.SimpleNamespace(open=types.SimpleNamespace(told=())))
        with mock.patch.object(_values, "device", side_effect=RuntimeError):
            _memory.look(session)
            _memory.look(session)
        self.assertEqual(failed, ["memory"])


class Ranks(unittest.TestCase):
    def test_shards_are_what_each_rank_holds(self):
        parameters = 4 * (8 * 16 + 16 + 16 * 2 + 2)
        for result in ranks.run("fsdp2.py"):
            self.assertEqual(result.code, 0, result.errors[-2000:])
            self.assertEqual([said(result, name) for name in ("parameters", "gradients")], [[(0, parameters / 2)]] * 2)
            self.assertEqual(said(result, "optimizer"), [(0, parameters + 4 * 4)])

    def test_a_slow_loop_reports_its_parts_once(self):
        result = ranks.run("plain.py", "--delay", "forward:0.5", "--samples", 64, "--epochs", 1, world=1)[0]
        self.assertEqual(result.code, 0, result.errors[-2000:])
        self.assertEqual(len(result.said["step"]), 8)
        self.assertEqual([said(result, name) for name in ("parameters", "gradients", "allocated")], [[(0, 908)], [(0, 908)], []])


if __name__ == "__main__":
    unittest.main()
