"""Each figure has one value: the sums of the exported CSV equal what `show`, the report and the summary of a run state. Trains
the quick form of the demo, a baseline and two ranks, with the real trainer, and computes each figure from the exported rows
only."""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PATIENCE_S = 300
WARM_UP = 20  # steps that are excluded from all times, as the table of ranks states


def table_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.base = Path(cls.folder.name)
        cls.summary = cls.ringside("run", "demo", "--quick")
        cls.shown = json.loads(cls.ringside("show", "last", "--json"))
        cls.tables = {table["id"]: table["rows"] for table in cls.shown["tables"]}
        cls.ringside("export", "last", "--csv", str(cls.base / "csv"))
        cls.steps = table_of(cls.base / "csv" / "steps.csv")
        cls.passes = table_of(cls.base / "csv" / "epochs.csv")
        cls.ranks = sorted({int(row["rank"]) for row in cls.steps})

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def ringside(cls, *arguments):
        env = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
        env.update(RINGSIDE_RUNS_DIR=str(cls.base / "runs"), XDG_STATE_HOME=str(cls.base / "state"))
        done = subprocess.run([RINGSIDE, *arguments], env=env, capture_output=True, text=True, timeout=PATIENCE_S)
        if done.returncode:
            raise AssertionError(f"ringside {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def passes_of(self, phase, epoch):
        return [row for row in self.passes if row["phase"] == phase and int(row["epoch"]) == epoch]

    def timed(self, rank, column):
        return [int(row[column]) for row in self.steps if int(row["rank"]) == rank and int(row["step"]) >= WARM_UP]

    def test_losses_and_accuracies_of_epochs(self):
        self.assertEqual(self.ranks, [0, 1])
        for row in self.tables["epochs"]:
            epoch = row["epoch"] - 1
            trained, judged = self.passes_of("train", epoch), self.passes_of("validate", epoch)
            self.assertEqual(len(trained), len(self.ranks))
            counted = sum(int(one["counted"]) for one in trained)
            self.assertAlmostEqual(row["train_loss"], sum(float(one["loss_sum"]) for one in trained) / counted, places=5)
            self.assertEqual(row["val_correct"], sum(int(one["correct"]) for one in judged))
            self.assertEqual(row["val_counted"], sum(int(one["counted"]) for one in judged))
            self.assertAlmostEqual(row["val_accuracy"], row["val_correct"] / row["val_counted"], places=12)
            self.assertAlmostEqual(row["train_seconds"], max(float(one["seconds"]) for one in trained), places=6)
        newest = self.tables["epochs"][-1]
        self.assertEqual(self.shown["final_loss"], newest["train_loss"])
        self.assertEqual(self.shown["val_accuracy"], newest["val_accuracy"])
        self.assertRegex(self.summary, rf"\s{newest['val_accuracy'] * 100:.2f}\s")

    def test_losses_of_ranks_are_those_of_their_steps(self):
        for row in self.tables["rank_losses"]:
            for rank in self.ranks:
                own = [one for one in self.steps if int(one["rank"]) == rank and int(one["epoch"]) == row["epoch"] - 1]
                samples = [int(one["samples"]) for one in own]
                mean = sum(float(one["loss"]) * count for one, count in zip(own, samples)) / sum(samples)
                self.assertAlmostEqual(row[f"rank_{rank}"], mean, places=5)

    def test_times_of_steps_and_their_parts(self):
        columns = {"data_wait": "data_wait_ns", "forward": "forward_ns", "backward": "backward_ns",
                   "exposed_comm": "exposed_comm_ns", "optimizer": "optimizer_ns", "step_time": "step_ns"}
        rows = {row["rank"]: row for row in self.tables["rank_metrics"]}
        for key, column in columns.items():
            means = [statistics.fmean(self.timed(rank, column)) / 1e6 for rank in self.ranks]
            for rank, mean in zip(self.ranks, means):
                self.assertAlmostEqual(rows[rank][key], mean, places=5, msg=key)
            self.assertAlmostEqual(rows["All"][key], statistics.fmean(means), places=5, msg=key)
        samples = sum(sum(self.timed(rank, "samples")) for rank in self.ranks)
        seconds = statistics.fmean(sum(self.timed(rank, "step_ns")) for rank in self.ranks) / 1e9
        self.assertAlmostEqual(self.shown["samples_per_s"] / (samples / seconds), 1, places=4)
        self.assertIn(f"{self.shown['samples_per_s']:,.0f}", self.summary)

    def test_the_speedup_is_the_times_beside_it(self):
        baseline = json.loads(self.ringside("show", self.shown["baseline"], "--json"))
        speedup = baseline["train_seconds"] / self.shown["train_seconds"]
        self.assertAlmostEqual(self.shown["speedup"], speedup, places=6)
        bars = {row["part"]: row for row in self.tables["waterfall"]}
        self.assertAlmostEqual(bars["measured"]["x"], speedup, places=6)
        self.assertEqual(bars["measured"]["run_ns"], round(self.shown["train_seconds"] * 1e9))
        lost = sum(row["lost_ns"] for part, row in bars.items() if part not in ("ideal", "measured"))
        self.assertEqual(lost, bars["measured"]["lost_ns"])
        self.assertIn(f"Speedup {speedup:.2f}×", self.summary)
        page = self.base / "report.html"
        self.ringside("report", "last", "--html", str(page))
        self.assertIn(f"{speedup:.2f}×", page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ringside", required=True)
    known, rest = parser.parse_known_args()
    RINGSIDE = known.ringside
    unittest.main(argv=[sys.argv[0], *rest])
