"""Tests what is reported of switches for debugging that a program has left on. Exit code 77: this Python has no torch."""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error})")
    sys.exit(77)

from ringside_rank import _ddp, _switches  # noqa: E402
from torch.nn.parallel import DistributedDataParallel  # noqa: E402


class Half(torch.nn.Module):
    """Uses its second layer only if asked to."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.both = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2), True

    def forward(self, values):
        return self.second(self.first(values)) if self.both else self.first(values)


class Switches(unittest.TestCase):
    def reported(self, number=_switches.BEHIND, rank=0):
        """The codes of the notices of a backward pass in that step."""
        codes = []
        speaker = SimpleNamespace(rank=rank, notice=lambda severity, code, text: codes.append(code), failed=self.fail)
        with mock.patch.object(_switches, "done", False):
            _switches.look(SimpleNamespace(steps=SimpleNamespace(number=number), speaker=speaker))
            self.assertEqual(_switches.done, number >= _switches.BEHIND)
        return codes

    def model(self, both, **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        torch.distributed.init_process_group("gloo", init_method=f"file://{folder.name}/meet", rank=0, world_size=1)
        self.addCleanup(torch.distributed.destroy_process_group)
        model = DistributedDataParallel(Half(), **options)
        model.module.both = both
        for _ in range(_switches.BEHIND):
            model(torch.ones(1, 2)).sum().backward()
        _ddp.models[model] = None
        self.addCleanup(_ddp.models.pop, model)
        return model

    def test_nothing_is_reported_of_a_program_that_has_nothing_on(self):
        self.model(True)
        self.assertEqual(self.reported(), [])

    def test_anomaly_detection_is_reported_once_by_the_first_rank_after_the_first_steps(self):
        with torch.autograd.set_detect_anomaly(True):
            self.assertEqual(self.reported(0), [])
            self.assertEqual(self.reported(rank=1), [])
            self.assertEqual(self.reported(), ["anomaly_mode"])

    def test_a_search_for_unused_parameters_is_reported_if_there_are_none(self):
        self.model(True, find_unused_parameters=True)
        self.assertEqual(self.reported(), ["unused_parameters"])

    def test_a_search_that_finds_unused_parameters_is_needed(self):
        self.model(False, find_unused_parameters=True)
        self.assertEqual(self.reported(), [])

    def test_a_static_graph_is_searched_once_anyway(self):
        self.model(True, find_unused_parameters=True, static_graph=True)
        self.assertEqual(self.reported(), [])

    def test_kernels_that_wait_are_reported_only_where_there_are_kernels(self):
        with mock.patch.dict(os.environ, CUDA_LAUNCH_BLOCKING="1"):
            self.assertEqual(self.reported(), [])
            with mock.patch.object(torch.cuda, "is_initialized", return_value=True):
                self.assertEqual(self.reported(), ["launch_blocking"])
                os.environ["CUDA_LAUNCH_BLOCKING"] = "0"
                self.assertEqual(self.reported(), [])


if __name__ == "__main__":
    unittest.main()
