#!/usr/bin/env python3
"""Scripts whose ranks use process groups of each kind, with and without one rank that is slow on purpose: checks that `ringside show`
names the right rank, group and place, and no rank without reason. All choices depend on a printed seed; delays are multiples of the
jitter in clean runs of the same kind. `./dev insight --groups` starts it; tests/insight.md shows its table."""

import argparse
import collections
import csv
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

import trials

# Each program with its ranks, and the indices (from 0) of its collectives within a step of their group, by what is slow:
# (dimension, indices). Manual ZeRO has no collective between forward and backward, nor has DDP with its one bucket, so no finer
# cause can be known.
START = {"loader": {0}, "optimizer": {0}}
FSDP = START | {"layer": {1, 2}, "backward": set(range(3, 9))}
KINDS = {
    "ddp": ("ddp", 2, START | {"layer": {0}, "backward": {0}}),
    "fsdp2 on 2": ("fsdp2", 2, FSDP),
    "tp": ("tp", 2, START | {"layer": {1, 2}, "backward": {3, 4}}),
    "zero1": ("zero1", 2, {"loader": {0}, "layer": {0}, "backward": {0}, "optimizer": {1}}),
    "fsdp2 on 4": ("fsdp2", 4, FSDP),
    "hsdp 2x2": ("hsdp", 4, FSDP),
}
DIMENSIONS = {"fsdp2": {"dp"}, "tp": {"tp"}, "hsdp": {"shard"}, "ddp": {"all ranks"}, "zero1": {"all ranks"}}
PHASES = {"loader": "data", "layer": "forward", "backward": "backward", "optimizer": "optimizer"}
STEPS = 60
LEAST = 0.03  # share of a step; a smaller delay names no rank (kLeastGroupExcess)
SAID = re.compile(
    r"(\d+) holds the others up .* a step, (most of it in its data loader|by what it does itself): "
    r"its own time before [\w-]+ (\d+) of (.+) \(([^)]*)\) in a step"
)
Named = collections.namedtuple("Named", "rank loads dimension place ranks")


def members(text):
    """Ranks in a text such as "r0-r1, r3"."""
    found = set()
    for part in text.split(", "):
        ends = [int(one) for one in re.findall(r"\d+", part)]
        found |= set(range(ends[0], ends[-1] + 1))
    return found


def named_in(notes):
    """Rank named by the notes of the table of groups, or None."""
    found = next((match for match in map(SAID.search, notes) if match), None)
    if found is None and any("holds the others up" in note for note in notes):
        raise RuntimeError(f"another sentence: {notes}")
    return found and Named(int(found[1]), found[2].startswith("most"), found[4], int(found[3]) - 1, members(found[5]))


class GroupTrials(trials.Trials):
    def __init__(self, build, root, python):
        super().__init__(build, root)
        self.python = python

    def run_kind(self, kind, delay_ms=0.0, slow="", rank=0):
        """Id of a run, the rank named by groups, the rank named by DDP's own clock, and the length of a step in ms."""
        program, world, _ = KINDS[kind]
        script = pathlib.Path(__file__).resolve().parents[1] / "python/scripts/groups.py"
        words = [program, "--steps", STEPS, "--width", 128, "--slow", slow, "--delay", f"{delay_ms / 1e3:.6f}", "--slow-rank", rank]
        command = ["run", "--json", "--ranks", str(world), "--devices", "cpu", "--set", "devices.when_busy=share", "--",
                   self.python, str(script), *map(str, words)]
        try:
            done = self.call(*command)
        except RuntimeError as error:
            # PyTorch 2.11 keeps Gloo's threads after destroy_process_group, and about one bare program in 300 aborts at its exit.
            if not re.search("SIGABRT|without an active exception", str(error)):
                raise
            print(f"again, aborted at its exit: {kind}", flush=True)
            done = self.call(*command)
        told = json.loads(done.splitlines()[-1])
        run = told["experiment"]
        shown = json.loads(self.call("show", run, "--json"))
        notes = [note for table in shown["tables"] if table["id"] == "groups" for note in table.get("notes", [])]
        late = [alert for alert in shown["alerts"] if alert["kind"] == "late_rank"]
        step_ms = told["runs"][-1]["train_seconds"] / STEPS * 1e3
        return run, named_in(notes), (late[0]["rank"], late[0]["phase"]) if late else None, step_ms

    def own_jitter_ms(self, run):
        """Deviation of a rank's own time in a step from the mean of the ranks: the standard deviation over the steps."""
        folder = self.root / "csv" / run
        self.call("export", run, "--csv", folder, "--tables", "collectives")
        own = collections.defaultdict(lambda: collections.defaultdict(float))
        with open(folder / "collectives.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if int(row["step"]) >= trials.SETTLED and row["own_ns"] and int(row["own_ns"]) >= 0:
                    own[int(row["step"])][int(row["rank"])] += int(row["own_ns"]) / 1e6
        return statistics.pstdev(
            at - statistics.fmean(ranks.values()) for ranks in own.values() if len(ranks) > 1 for at in ranks.values()
        )


def verdict(kind, slow, rank, named, late, surely):
    program, _, places = KINDS[kind]
    if named is None and late is None:
        return "missed" if surely else "none"
    if (named and named.rank != rank) or (late and late[0] != rank):
        return "WRONG RANK"
    if late and late[1] != PHASES[slow]:
        return "WRONG PHASE"
    if named is None:
        return "right"
    # A delay in backward may show in the all-reduce of the other dimension, between the shards.
    dimensions = DIMENSIONS[program] | ({"replicate"} if program == "hsdp" and slow == "backward" else set())
    if named.dimension not in dimensions or rank not in named.ranks:
        return "WRONG GROUP"
    right = named.loads == (slow == "loader") and (named.dimension == "replicate" or named.place in places[slow])
    return "right" if right else "WRONG PHASE"


def print_table(rows):
    words = ["right", "none", "missed", "WRONG RANK", "WRONG GROUP", "WRONG PHASE"]
    print("| delay / jitter | trials | " + " | ".join(words) + " |")
    print("|---" * (len(words) + 2) + "|")
    for factor in sorted({factor for factor, _ in rows}):
        cells = [sum(one == (factor, word) for one in rows) for word in words]
        print(f"| {factor:g} | {sum(cells)} | " + " | ".join(map(str, cells)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--python", required=True, help="with torch 2.11 or newer")
    parser.add_argument("--trials", type=int, default=72)
    parser.add_argument("--clean", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    kinds = list(KINDS)
    print(f"seed {options.seed}, {options.trials} trials, {options.clean} clean runs, load {os.getloadavg()[0]:.1f}", flush=True)
    rng = random.Random(options.seed)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="ringside-insight-") as root:
        runner = GroupTrials(options.build.resolve(), pathlib.Path(root), options.python)
        jitter, step = collections.defaultdict(list), collections.defaultdict(list)
        for number in range(max(options.clean, min(len(kinds), options.trials))):
            kind = kinds[number % len(kinds)]
            run, named, late, step_ms = runner.run_kind(kind)
            step[kind].append(step_ms)
            jitter[kind].append(runner.own_jitter_ms(run))
            bad += named is not None or late is not None
            said = f"NAMED {named} {late}" if named or late else "nobody"
            print(f"clean {number:2}: {kind}, jitter {jitter[kind][-1]:.2f} ms of {step_ms:.1f}, load {os.getloadavg()[0]:.1f}: {said}", flush=True)
        rows = []
        for number in range(options.trials):
            kind, slow = kinds[number % len(kinds)], rng.choice(list(PHASES))
            factor, rank = trials.FACTORS[(number + number // len(kinds)) % len(trials.FACTORS)], rng.randrange(KINDS[kind][1])
            delay = factor * statistics.median(jitter[kind])
            # A delay equal to the limit is named half of the time, so it must be longer by the jitter.
            surely = factor >= trials.SURELY and delay >= LEAST * statistics.median(step[kind]) + statistics.median(jitter[kind])
            _, named, late, _ = runner.run_kind(kind, delay, slow, rank)
            rows.append((factor, verdict(kind, slow, rank, named, late, surely)))
            bad += rows[-1][1] not in ("right", "none")
            print(f"trial {number:2}: {kind}, rank {rank} {slow} by {delay:.2f} ms ({factor:g} x), load {os.getloadavg()[0]:.1f}: "
                  f"{named} {late}: {rows[-1][1]}", flush=True)
        print_table(rows)
    print(f"{bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
