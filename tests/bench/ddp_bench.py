#!/usr/bin/env python3
"""Compares the step time of ringside-trainer with Python's DDP on identical work, and with and without telemetry.

Run with a Python that has torch: ddp_bench.py --bin BUILD/bin --test-bin BUILD/tests/bin [--rounds 7] [--case convnet].
Two Gloo ranks of one thread each. The sides alternate within a round; a ratio is the median over rounds of
ours / theirs (below 1: ours takes less time), and a control of ours against ours shows the noise of the machine.
Besides wall time it gives the processor time per step of all threads of a rank, which other load affects less.
Prints a line of JSON after each case, the last with all cases. A missing peer is "SKIPPED".
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import peers

HERE = Path(__file__).resolve().parent
REFERENCE = HERE.parent / "python" / "reference.py"
# Losses are compared over the first steps ("compared"). Later ones drift apart in any two programs that round differently: a
# difference of 1e-7 grows about tenfold every thirty steps of the ConvNet, and every two of ResNet-18 with its BatchNorm.
CASES = {
    "convnet": {"model": "convnet", "data": "digits", "batch": 32, "steps": 320, "warm_up": 20, "compared": 30, "samples": 6400,
                "std": [0.3081], "mean": [0.1307]},
    "resnet18": {"model": "resnet18", "data": "shapes", "batch": 32, "steps": 30, "warm_up": 5, "compared": 20, "samples": 640,
                 "std": [0.5] * 3, "mean": [0.5] * 3},
}


def spec(case, folder, world):
    return f"""
[devices]
kind = "cpu"
world_size = {world}
[model]
name = "{case['model']}"
[data]
name = "{case['data']}"
root = "{folder}"
train_samples = {case['samples']}
test_samples = 32
mean = {case['mean']}
std = {case['std']}
[batch]
size = {case['batch']}
meaning = "per_rank"
[train]
epochs = 1000
max_steps = {case['steps']}
[evaluate]
mode = "none"
[checkpoint]
every_epochs = 0
"""


def side_by_side(commands):
    running = [subprocess.Popen(c, env=e, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for c, e in commands]
    outputs = [process.communicate(timeout=900)[0] for process in running]
    for process, output in zip(running, outputs):
        if process.returncode != 0:
            raise SystemExit(f"a rank ended with {process.returncode}:\n{output}")
    return outputs


def environment(rank, world, **more):
    env = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), LOCAL_WORLD_SIZE=str(world))
    env.update({"OMP_NUM_THREADS": "1"}, **more)
    return env


class Bench:
    def __init__(self, args, case, root):
        self.args, self.case, self.root = args, case, root
        self.trainer = str(Path(args.bin) / "ringside-trainer")
        self.runs = 0
        made = subprocess.run([Path(args.bin) / "ringside-data", "make", case["data"], "--root", root / "data", "--samples",
                               str(case["samples"]), "--test-samples", "32"], check=True, capture_output=True, text=True)
        self.data = made.stdout.strip()
        self.weights = root / "start.pt"
        first = spec(case, root / "data", 1).replace(f"max_steps = {case['steps']}", "max_steps = 1")
        (root / "start.toml").write_text(first, encoding="utf-8")
        side_by_side([([self.trainer, "--spec", str(root / "start.toml"), "--weights-out", str(self.weights)],
                       environment(0, 1))])

    def folder(self):
        self.runs += 1
        folder = self.root / f"run-{self.runs}"
        (folder / "attempt_0").mkdir(parents=True)
        return folder

    def ours(self, telemetry=False):
        """Median time and mean processor time of a step of rank 0 in ms, and its losses."""
        folder = self.folder()
        (folder / "spec.toml").write_text(spec(self.case, self.root / "data", 2), encoding="utf-8")
        sink = None
        if telemetry:
            sink = subprocess.Popen([str(Path(self.args.test_bin) / "telemetry_sink"), str(folder), "2"],
                                    stdout=subprocess.PIPE, text=True)
            assert sink.stdout.readline() == "ready\n"
        command = [self.trainer, "--run-dir", str(folder), "--weights-in", str(self.weights), "--dump-losses", str(folder / "l")]
        side_by_side([(command, environment(r, 2, RINGSIDE_ATTEMPT="0", RINGSIDE_NODE="0")) for r in range(2)])
        if sink:
            sink.communicate(timeout=60)
        lines = [line.split() for line in (folder / "l.rank0").read_text(encoding="utf-8").splitlines()]
        warm_up = self.case["warm_up"]
        times = [int(line[2]) / 1e6 for line in lines[warm_up:]]
        used = (int(lines[-1][3]) - int(lines[warm_up][3])) / 1e6 / (len(lines) - warm_up - 1)
        return (statistics.median(times), used), [float(line[1]) for line in lines]

    def theirs(self, tuned):
        folder = self.folder()
        command = [sys.executable, str(REFERENCE), "--model", self.case["model"], "--data", self.data, "--weights",
                   str(self.weights), "--batch", str(self.case["batch"]), "--steps", str(self.case["steps"]),
                   "--warm-up", str(self.case["warm_up"]), "--losses", str(folder / "l")] + (["--tuned"] if tuned else [])
        outputs = side_by_side([(command, environment(r, 2, RENDEZVOUS=str(folder / "meet"))) for r in range(2)])
        losses = [float(line.split()[1]) for line in (folder / "l.rank0").read_text(encoding="utf-8").splitlines()]
        said = json.loads(outputs[0].splitlines()[-1])
        return (said["median_step_ms"], said["cpu_step_ms"]), losses


def summary(ratios):
    return {"median": round(statistics.median(ratios), 3), "best": round(min(ratios), 3), "worst": round(max(ratios), 3)}


def measure(bench, rounds, with_python, until):
    """Runs as many rounds as end before `until`, at least one."""
    times = {"ours": [], "ours_again": [], "telemetry": [], "python": [], "python_tuned": []}
    worst_loss = 0.0
    longest = 0.0
    for done in range(rounds):
        begun = time.monotonic()
        if done > 0 and begun + longest > until:
            break
        mine, my_losses = bench.ours()
        times["ours"].append(mine)
        if with_python:
            for name, tuned in (("python", False), ("python_tuned", True)):
                took, losses = bench.theirs(tuned)
                times[name].append(took)
                pairs = zip(my_losses[:bench.case["compared"]], losses)
                worst_loss = max(worst_loss, max(abs(a - b) / max(1.0, abs(b)) for a, b in pairs))
        if bench.case["model"] == "convnet":  # in a longer step the difference would be even smaller
            times["telemetry"].append(bench.ours(telemetry=True)[0])
        times["ours_again"].append(bench.ours()[0])
        longest = max(longest, time.monotonic() - begun)
    result = {"rounds": len(times["ours"])}
    for part, (unit, suffix) in enumerate((("step_ms", ""), ("cpu_step_ms", "_cpu"))):
        taken = {name: [t[part] for t in both] for name, both in times.items()}
        result[unit] = {name: round(statistics.median(t), 3) for name, t in taken.items() if t}
        result["control" + suffix] = summary([a / b for a, b in zip(taken["ours_again"], taken["ours"])])
        for name in ("python", "python_tuned"):
            ratios = [a / b for a, b in zip(taken["ours"], taken[name])]
            result[f"ours_over_{name}{suffix}"] = summary(ratios) if ratios else "SKIPPED"
        if not taken["telemetry"]:
            continue
        if taken["python"]:
            ratios = [a / b for a, b in zip(taken["telemetry"], taken["python"])]
            result["telemetry_over_python" + suffix] = summary(ratios)
        around = [(a + b) / 2 for a, b in zip(taken["ours"], taken["ours_again"])]
        result["telemetry_over_none" + suffix] = summary([a / b for a, b in zip(taken["telemetry"], around)])
    result["valid"] = abs(result["control"]["median"] - 1.0) <= 0.15
    result["valid_cpu"] = abs(result["control_cpu"]["median"] - 1.0) <= 0.15
    result["largest_loss_difference"] = worst_loss
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--test-bin", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no round is begun that would end later")
    parser.add_argument("--case", choices=[*CASES, "all"], default="all")
    args = parser.parse_args()
    try:
        import torch

        with_python = torch.__version__
    except ImportError:
        peers.restart_with(peers.NEEDED["ddp"])
        with_python = ""
    results = {"bench": "ddp", "cores": os.cpu_count(), "torch": with_python or "SKIPPED: no torch in this Python"}
    names = list(CASES) if args.case == "all" else [args.case]
    end = time.monotonic() + args.seconds
    for at, name in enumerate(names):
        until = time.monotonic() + (end - time.monotonic()) / (len(names) - at)
        with tempfile.TemporaryDirectory(prefix="ringside-bench-") as root:
            bench = Bench(args, CASES[name], Path(root))
            results[name] = measure(bench, args.rounds, bool(with_python), until)
        print(json.dumps(results), flush=True)


if __name__ == "__main__":
    main()
