"""Tests what is reported of switches for debugging that a program has left on. Exit code 77: this Python has no torch."""

import os
import sys
import tempfile
import unittest
import weakref
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
    def reported(self, rank=0, passes=_switches.PASSES, model=None, uses=lambda number: True):
        """The codes of the notices of so many backward passes; `uses`: whether a pass uses both layers of the model."""
        codes = []
        speaker = SimpleNamespace(rank=rank, notice=lambda severity, code, text: codes.append(code), failed=self.fail)
        with mock.patch.multiple(_switches, done=False, _passes=0, _needed=weakref.WeakSet()):
            for number in range(passes):
                if model is not None:
                    model.module.both = uses(number)
                    loss = model(torch.ones(1, 2)).sum()
                _switches.look(SimpleNamespace(speaker=speaker))
                if model is not None:
                    loss.backward()
            self.assertEqual(_switches.done, passes >= _switches.PASSES)
        return codes

    def model(self, **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        torch.distributed.init_process_group("gloo", init_method=f"file://{folder.name}/meet", rank=0, world_size=1)
        self.addCleanup(torch.distributed.destroy_process_group)
        model = DistributedDataParallel(Half(), **options)
        _ddp.models[model] = None
        self.addCleanup(_ddp.models.pop, model)
        return model

    def test_nothing_is_reported_of_a_program_that_has_nothing_on(self):
        self.assertEqual(self.reported(model=self.model()), [])

    def test_anomaly_detection_is_reported_once_by_the_first_rank_after_the_first_passes(self):
        with torch.autograd.set_detect_anomaly(True):
            self.assertEqual(self.reported(passes=_switches.PASSES - 1), [])
            self.assertEqual(self.reported(rank=1), [])
            self.assertEqual(self.reported(), ["anomaly_mode"])

    def test_a_search_for_unused_parameters_is_reported_if_there_are_none(self):
        self.assertEqual(self.reported(model=self.model(find_unused_parameters=True)), ["unused_parameters"])

    def test_a_search_that_found_unused_parameters_in_any_pass_is_needed(self):
        model = self.model(find_unused_parameters=True)
        for uses in (lambda number: False, lambda number: number in (2, 4), lambda number: number != 5):
            self.assertEqual(self.reported(model=model, uses=uses), [])

    def test_a_static_graph_is_searched_once_anyway(self):
        self.assertEqual(self.reported(model=self.model(find_unused_parameters=True, static_graph=True)), [])

    def test_compared_collectives_are_reported_of_several_ranks(self):
        detail = mock.patch.object(torch.distributed, "get_debug_level", return_value=torch.distributed.DebugLevel.DETAIL)
        model = self.model()
        with detail, mock.patch.object(torch.distributed, "get_world_size", return_value=2):
            self.assertEqual(self.reported(model=model), ["distributed_debug"])
        with detail:
            self.assertEqual(self.reported(model=model), [])

    def test_kernels_that_wait_are_reported_only_where_there_are_kernels(self):
        with mock.patch.dict(os.environ, CUDA_LAUNCH_BLOCKING="1"):
            self.assertEqual(self.reported(), [])
            with mock.patch.object(torch.cuda, "is_initialized", return_value=True):
                self.assertEqual(self.reported(), ["launch_blocking"])
                os.environ["CUDA_LAUNCH_BLOCKING"] = "0"
                self.assertEqual(self.reported(), [])


if __name__ == "__main__":
    unittest.main()
