"""One rank of a program without DistributedDataParallel is slow: `ringside show` names that rank and the group where it shows,
and no rank if all are alike. Only under RINGSIDE_SCRIPTS=1 (`./dev test --scripts`). Exit code 77: skipped, with the reason."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "scripts" / "groups.py"
PATIENCE_S = 400


class LateInGroup(unittest.TestCase):
    def shown(self, world, *arguments):
        """The table of groups of a run, as a list of rows, and its notes."""
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
            env = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
            env.update(RINGSIDE_RUNS_DIR=folder, OMP_NUM_THREADS="1")
            ran = subprocess.run([RINGSIDE, "run", "--ranks", str(world), "--devices", "cpu", "--json", "--", sys.executable, "-B",
                                  str(SCRIPT), *arguments, "--steps", "60", "--delay", "0.15"],
                                 env=env, capture_output=True, text=True, timeout=PATIENCE_S)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            shown = subprocess.run([RINGSIDE, "show", "last", "--json"], env=env, capture_output=True, text=True, timeout=PATIENCE_S)
            return next(table for table in json.loads(shown.stdout)["tables"] if table["id"] == "groups")

    def check(self, world, kind, slow, late, said):
        with self.subTest(kind=kind, slow=slow, late=late):
            table = self.shown(world, kind, "--slow", slow, "--slow-rank", str(late))
            self.assertEqual(len(table["notes"]), 1, table)
            self.assertTrue(table["notes"][0].startswith(f"Rank {late} holds the others up by "), table)
            self.assertIn(said, table["notes"][0])

    def test_fsdp2(self):
        self.check(2, "fsdp2", "loader", 1, "most of it in its data loader: its own time before all-gather 1 of dp (r0-r1) in a step")
        self.check(2, "fsdp2", "layer", 0, "its own time before all-gather 3 of dp (r0-r1) in a step")

    def test_hsdp(self):
        self.check(4, "hsdp", "layer", 1, "all-gather 3 of shard (r0-r1) in a step")

    def test_tensor_parallel(self):
        self.check(2, "tp", "layer", 1, "all-reduce 2 of tp")

    def test_zero_by_hand(self):
        self.check(2, "zero1", "layer", 1, "reduce-scatter 1 of all ranks (r0-r1) in a step")

    def test_no_rank_is_named_if_all_ranks_are_alike(self):
        for world, kind in ((2, "fsdp2"), (2, "tp"), (2, "zero1"), (4, "hsdp")):
            with self.subTest(kind=kind):
                self.assertEqual(self.shown(world, kind).get("notes", []), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ringside", required=True)
    options, rest = parser.parse_known_args()
    RINGSIDE = options.ringside
    if os.environ.get("RINGSIDE_SCRIPTS") != "1":
        print("SKIPPED: ./dev test --scripts runs it")
        sys.exit(77)
    try:
        from torch.distributed.fsdp import fully_shard  # noqa: F401
    except ImportError as error:
        print(f"SKIPPED: this Python has no torch with fully_shard ({error})")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
