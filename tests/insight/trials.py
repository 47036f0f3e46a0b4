#!/usr/bin/env python3
"""Runs with and without one rank delayed on purpose: checks that the right rank is named with the right phase, and no rank
without reason. Ranks, phases and delays depend on a printed seed; delays are multiples of the jitter in clean runs.
`./dev insight` starts it; tests/insight.md shows its table."""

import argparse
import collections
import csv
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

PHASES = {
    "delay_data": "data",
    "delay_forward": "forward",
    "delay_backward": "backward",
    "delay_bucket": "backward",
    "delay_optimizer": "optimizer",
}
FACTORS = (0.5, 1.0, 2.0, 4.0)  # in multiples of the jitter
SURELY = 2.0  # from this factor on the rank has to be named
STEPS = 140
SETTLED = 20  # steps
RECIPE = {
    "baseline.mode": "none",
    "checkpoint.every_epochs": 0,
    "devices.when_busy": "share",
    "evaluate.mode": "none",
    "train.epochs": 100,
    "train.max_steps": STEPS,
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
        """Id of a run, and what its records name: (rank, phase), or None."""
        settings = RECIPE | {"devices.world_size": world, "train.seed": seed, "data.root": self.root / "data"}
        settings |= {f"inject.{key}": value for key, value in (inject or {}).items()}
        sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        done = self.call("run", "demo", "--quick", *sets, "--json")
        run = json.loads(done.splitlines()[-1])["experiment"]
        late = [a for a in json.loads(self.call("show", run, "--json"))["alerts"] if a["kind"] == "late_rank"]
        return run, (late[0]["rank"], late[0]["phase"]) if late else None

    def jitter_ms(self, run):
        """Delay of the last rank after the second last if no rank is delayed: the standard deviation over the steps of the time
        when the last bucket of a rank is ready, relative to the mean of the ranks."""
        folder = self.root / "csv" / run
        self.call("export", run, "--csv", folder, "--tables", "buckets")
        ready = collections.defaultdict(dict)
        with open(folder / "buckets.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                step, rank = int(row["step"]), int(row["rank"])
                ready[step][rank] = max(ready[step].get(rank, 0), int(row["ready_ns"]))
        apart = []
        for step, ranks in ready.items():
            if step >= SETTLED:
                mean = statistics.fmean(ranks.values())
                apart += [(at - mean) / 1e6 for at in ranks.values()]
        return statistics.pstdev(apart)


def verdict(named, rank, phase, factor):
    if named is None:
        return "missed" if factor >= SURELY else "none"
    if named[0] != rank:
        return "WRONG RANK"
    return "right" if named[1] == phase else "WRONG PHASE"


def print_table(rows):
    counts = collections.Counter((factor, said) for factor, said in rows)
    words = ["right", "none", "missed", "WRONG RANK", "WRONG PHASE"]
    print("| delay / jitter | trials | " + " | ".join(words) + " |")
    print("|---" * (len(words) + 2) + "|")
    for factor in sorted({factor for factor, _ in rows}):
        cells = [counts[factor, word] for word in words]
        print(f"| {factor:g} | {sum(cells)} | " + " | ".join(map(str, cells)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--clean", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.trials} trials and {options.clean} clean runs", flush=True)
    rng = random.Random(options.seed)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="ringside-insight-") as root:
        trials = Trials(options.build.resolve(), pathlib.Path(root))
        jitter = collections.defaultdict(list)
        for number in range(max(options.clean, 3)):
            world = 2 + number % 3
            run, named = trials.run(world, rng.randrange(1 << 20))
            jitter[world].append(trials.jitter_ms(run))
            bad += named is not None
            said = "nobody" if named is None else f"NAMED {named}"
            print(f"clean {number:2}: {world} ranks, jitter {jitter[world][-1]:.2f} ms: {said}", flush=True)
        rows = []
        for number in range(options.trials):
            world, fault = 2 + number % 3, rng.choice(list(PHASES))
            factor, rank = FACTORS[number // 3 % len(FACTORS)], rng.randrange(world)
            delay = factor * statistics.median(jitter[world])
            inject = {"fault": fault, "rank": rank, "delay_ms": round(delay, 3)}
            _, named = trials.run(world, rng.randrange(1 << 20), inject)
            rows.append((factor, verdict(named, rank, PHASES[fault], factor)))
            bad += rows[-1][1] not in ("right", "none")
            print(
                f"trial {number:2}: {world} ranks, rank {rank} {fault} by {delay:.2f} ms ({factor:g} x): {named}:"
                f" {rows[-1][1]}",
                flush=True,
            )
        print_table(rows)
    print(f"{bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
