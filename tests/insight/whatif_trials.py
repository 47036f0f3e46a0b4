#!/usr/bin/env python3
"""Compares the predicted time of steps in which one rank is delayed on purpose, replayed without the delay, with steps that
never had it. A run trains short stretches, every other one with the delay, since the load of a machine changes within seconds:
each is two whole epochs, so that all have the same work, and its first steps are left out. The delayed stretches are replayed
one by one; the mean of their predictions is held against the mean of the clean stretches around each of them. Ranks, phases
and seeds depend on a printed seed; delays are shares of a clean step.
`./dev insight --what-if` starts it; tests/insight.md shows its table."""

import argparse
import itertools
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

PHASES = ("delay_data", "delay_forward", "delay_backward", "delay_bucket", "delay_optimizer")
FACTORS = (0.25, 0.5, 1.0, 2.0)  # in multiples of a clean step
MEDIAN_ERROR, INSIDE = 0.03, 0.9  # required accuracy
EPOCH = 13  # steps
STRETCH, LEFT_OUT = 2 * EPOCH, 2  # steps
DELAYED = 4  # stretches, with a clean one before, between and after them
BATCH = 768
RECIPE = {
    "baseline.mode": "none",
    "batch.size": BATCH,
    "checkpoint.every_epochs": 0,
    "data.train_samples": EPOCH * BATCH,
    "devices.affinity": "cores",  # else the kernel moves ranks that share cores, which no record tells
    "devices.when_busy": "share",
    "evaluate.mode": "none",
    "train.epochs": 100,
    "train.max_steps": (2 + 2 * DELAYED) * STRETCH,
    "inject.from_step": 2 * STRETCH,
    "inject.steps": STRETCH,
    "inject.every": 2 * STRETCH,
}


class Trials:
    def __init__(self, build, root):
        self.ringside, self.root = build / "bin/ringside", root
        self.environment = dict(os.environ, RINGSIDE_INJECT="1", RINGSIDE_RUNS_DIR=str(root / "runs"))
        self.environment["XDG_STATE_HOME"] = str(root / "state")

    def call(self, *arguments):
        command = [self.ringside, *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"ringside {' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr[-500:]}")
        return done.stdout

    def run(self, world, seed, inject=None):
        settings = RECIPE | {"devices.world_size": world, "train.seed": seed, "data.root": self.root / "data"}
        settings |= {f"inject.{key}": value for key, value in (inject or {}).items()}
        sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        return json.loads(self.call("run", "demo", "--quick", *sets, "--json").splitlines()[-1])["experiment"]

    def what_if(self, run, stretch, *change):
        first, last = stretch * STRETCH + LEFT_OUT + 1, (stretch + 1) * STRETCH
        return json.loads(self.call("what-if", run, "--steps", f"{first}-{last}", *change, "--json"))


def trial(trials, world, number, step_ms, rng):
    """One run; `step_ms`: approximate length of a clean step. Its first stretch is its warm-up."""
    factor = FACTORS[number % len(FACTORS)]
    rank, fault = rng.randrange(world), rng.choice(PHASES)
    inject = {"fault": fault, "rank": rank, "delay_ms": round(factor * step_ms, 3)}
    run = trials.run(world, rng.randrange(1 << 20), inject)
    found = [trials.what_if(run, 2 + 2 * i, "--without-rank", str(rank)) for i in range(DELAYED)]
    clean = [trials.what_if(run, 1 + 2 * i)["recorded_step_ns"] / 1e6 for i in range(DELAYED + 1)]
    row = {"world": world, "clean": statistics.fmean(map(statistics.fmean, itertools.pairwise(clean)))}
    row["apart"] = statistics.fmean(abs(after / before - 1) for before, after in itertools.pairwise(clean))
    for name, key in {"took": "recorded_step", "predicted": "predicted_step", "low": "low", "high": "high"}.items():
        row[name] = statistics.fmean(one[f"{key}_ns"] for one in found) / 1e6
    row["error"] = row["predicted"] / row["clean"] - 1
    row["inside"] = row["low"] <= row["clean"] <= row["high"]
    print(
        f"trial {number:2}: {world} ranks, rank {rank} {fault} by {inject['delay_ms']:.2f} ms: took"
        f" {row['took']:.2f}, predicted {row['predicted']:.2f} ({row['low']:.2f} to {row['high']:.2f}), clean"
        f" {' '.join(f'{one:.2f}' for one in clean)} ms: {100 * row['error']:+.1f} %, {'inside' if row['inside'] else 'OUTSIDE'}",
        flush=True,
    )
    return row


def print_table(rows):
    print("| ranks | trials | median error | largest | inside the band | band, half | neighbouring clean stretches differ by |")
    print("|---" * 7 + "|")
    for world in [*sorted({row["world"] for row in rows}), None]:
        some = [row for row in rows if world in (None, row["world"])]
        errors = [abs(row["error"]) for row in some]
        half = statistics.median((row["high"] - row["low"]) / 2 / row["predicted"] for row in some)
        apart = statistics.median(row["apart"] for row in some)
        print(
            f"| {world or 'all'} | {len(some)} | {100 * statistics.median(errors):.1f} % | {100 * max(errors):.1f} % |"
            f" {sum(row['inside'] for row in some)} | {100 * half:.1f} % | {100 * apart:.1f} % |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keep", type=pathlib.Path, help="keep the runs in this folder")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.trials} trials", flush=True)
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="ringside-insight-") as temporary:
        trials = Trials(options.build.resolve(), options.keep or pathlib.Path(temporary))
        step_ms = dict.fromkeys((2, 3, 4), 45.0)
        rows = []
        for number in range(options.trials):
            world = 2 + number % 3
            rows.append(trial(trials, world, number // 3, step_ms[world], rng))
            step_ms[world] = rows[-1]["clean"]
        print_table(rows)
    fine = statistics.median(abs(row["error"]) for row in rows) <= MEDIAN_ERROR
    fine = fine and statistics.fmean(row["inside"] for row in rows) >= INSIDE
    print("as asked for" if fine else "NOT as asked for")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
