"""Floating-point operations of a step, compared with torch's own counter, and for ranks over Gloo with numbers calculated by
hand. Exit code 77: this Python has no torch."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error})")
    sys.exit(77)

import ranks  # noqa: E402
from ringside_rank import _flops  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402


def counted(step, precision=torch.float32):
    ours, theirs = _flops._mode(torch), FlopCounterMode(display=False)
    for mode in (ours, theirs):
        with torch.autocast("cpu", torch.bfloat16, enabled=precision != torch.float32), mode:
            step()
    return ours.found, theirs.get_total_flops()


class Counting(unittest.TestCase):
    def test_it_counts_as_torch_does(self):
        for module, shape in ((torch.nn.Linear(8, 4), (16, 8)), (torch.nn.Conv2d(3, 8, 3), (4, 3, 9, 9)),
                              (torch.nn.TransformerEncoderLayer(32, 4, batch_first=True), (4, 10, 32))):
            with self.subTest(type(module).__name__):
                found, total = counted(lambda: module(torch.randn(shape)).square().mean().backward())
                self.assertEqual((set(found), sum(found.values())), ({"float32"}, total))

    def test_the_precision_of_an_operator_is_reported(self):
        module = torch.nn.Linear(8, 4)
        found, total = counted(lambda: module(torch.randn(16, 8)).square().mean().backward(), torch.bfloat16)
        self.assertEqual(found, {"bfloat16": total})

    def test_what_learns_nothing_counts_nothing_and_what_raises_breaks_the_count(self):
        mode, module = _flops._mode(torch), torch.nn.Linear(8, 4)
        with mode, torch.no_grad():
            module(torch.randn(16, 8))
        self.assertEqual((mode.found, mode.broken), ({}, False))
        with mode, self.assertRaises(RuntimeError):
            module(torch.randn(16, 9))
        self.assertTrue(mode.broken)


class Ranks(unittest.TestCase):
    def scalars(self, result):
        self.assertEqual((result.code, [one["code"] for one in result.said["notice"] if one["code"] == "instrument_off"]), (0, []),
                         result.errors[-2000:])
        return [(one["name"], one["step"], one["value"]) for one in result.said["scalar"] if one["name"].startswith("flops/")]

    def test_one_step_is_counted_where_it_is_asked_for_and_learns_the_same(self):
        forward = 2 * 8 * (10 * 16 + 16 * 3)
        weights = []
        with tempfile.TemporaryDirectory() as folder:
            for asked in ("0", "1"):
                base = os.path.join(folder, asked)
                for result in ranks.run("plain.py", "--out", base, RINGSIDE_FLOPS=asked):
                    # Backward computes the gradients of both weights, and of the input of the second.
                    self.assertEqual(self.scalars(result), [("flops/float32 per step", 5, 2.0 * forward + 2 * 8 * 16 * 3)] * int(asked))
                    weights.append([torch.load(f"{base}.{rank}") for rank in range(2)])
        for one in weights[1:]:
            for rank in range(2):
                self.assertTrue(all(torch.equal(one[rank][name], weights[0][rank][name]) for name in one[rank]))

    def test_shards_compute_with_whole_weights(self):
        for result in ranks.run("fsdp2.py", RINGSIDE_FLOPS="1"):
            self.assertEqual(self.scalars(result), [("flops/float32 per step", 5, 2.0 * 4 * (2 * 8 * 16 + 3 * 16 * 2))])


if __name__ == "__main__":
    unittest.main()
