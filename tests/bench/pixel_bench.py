#!/usr/bin/env python3
"""Measures the time of a record from the call in the trainer to the screen, and the cost of a live window.

pixel_bench.py --bin BUILD/bin --test-bin BUILD/tests/bin [--seconds 12], under a display (xvfb-run). Eight ranks report 100 steps
per second each through the trainer's reporter; the window follows them and records after each frame swap which step of each
rank it shows. The run's log has the time when each step was posted; both times are of the machine's monotonic clock. The
measurement is repeated with 10 steps per second. Prints one line of JSON.
"""

import argparse
import csv
import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RANKS = 8
TICKS = os.sysconf("SC_CLK_TCK")


def spec(program, steps, period_us):
    argv = json.dumps([str(program), str(steps), str(period_us)])
    return (f'name = "paced"\n[program]\nargv = {argv}\n[devices]\nkind = "cpu"\nworld_size = {RANKS}\n'
            '[baseline]\nmode = "none"\n')


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def ended_within(pid_or_descriptor, seconds):
    poll = select.poll()
    poll.register(pid_or_descriptor, select.POLLIN)
    return bool(poll.poll(int(seconds * 1000)))


def frames_of(path):
    """[(monotonic ns after the swap, {rank: newest step shown})]"""
    frames = []
    for line in path.read_text(encoding="utf-8").splitlines():
        stamp, *shown = line.split()
        frames.append((int(stamp), {int(r): int(s) for r, s in (pair.split(":") for pair in shown)}))
    return frames


def posted_of(folder):
    """{rank: {step: monotonic ns of the call}}"""
    posted = {}
    with (folder / "steps.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            posted.setdefault(int(row["rank"]), {})[int(row["step"])] = int(row["mono_ns"])
    return posted


def latencies_ms(frames, posted):
    """Latency of every step that was posted while the window drew: until the first frame that shows this or a later
    step of its rank."""
    begin = frames[0][0]
    found = []
    for rank, steps in posted.items():
        at = 0
        for step in sorted(steps):
            if steps[step] < begin:
                continue
            while at < len(frames) and (frames[at][0] < steps[step] or frames[at][1].get(rank, -1) < step):
                at += 1
            if at == len(frames):
                break
            found.append((frames[at][0] - steps[step]) / 1e6)
    return found


def watched(options, root, per_second):
    """One run with its window: latencies, time between frames, processor time."""
    ringside = options.bin / "ringside"
    recipe, frames_file = root / f"paced{per_second}.toml", root / f"frames{per_second}"
    steps = int(options.seconds * per_second)
    recipe.write_text(spec(options.test_bin / "paced_rank", steps, 1_000_000 // per_second), encoding="utf-8")
    started = subprocess.run([ringside, "run", recipe, "--runs-dir", root, "--detach", "--json"], check=True,
                             stdout=subprocess.PIPE, text=True, timeout=60)
    run = json.loads(started.stdout.splitlines()[-1])["runs"][-1]
    agent = json.loads((Path(run["folder"]) / "agent.json").read_text(encoding="utf-8"))["agent_pid"]
    descriptor = os.pidfd_open(agent)
    window = subprocess.Popen([options.bin / "ringside-dashboard", "--run", run["id"], "--runs-dir", root, "--size", "1600x900",
                               "--frames", frames_file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        begin, begin_cpu = time.monotonic(), cpu_seconds(window.pid)
        if not ended_within(descriptor, options.seconds + 60):
            raise SystemExit("the run did not end")
        used = (cpu_seconds(window.pid) - begin_cpu) / (time.monotonic() - begin)
    finally:
        os.close(descriptor)
        window.terminate()
        window.wait(20)
    csv_folder = root / f"csv{per_second}"
    subprocess.run([ringside, "export", run["id"], "--csv", csv_folder, "--runs-dir", root], check=True, stdout=subprocess.DEVNULL,
                   timeout=120)
    frames = frames_of(frames_file)
    found = sorted(latencies_ms(frames, posted_of(csv_folder)))
    if len(found) < steps:
        raise SystemExit(f"only {len(found)} of {steps * RANKS} steps were seen on the screen")
    between = statistics.median((b[0] - a[0]) / 1e6 for a, b in zip(frames, frames[1:]))
    return {"p50_ms": round(found[len(found) // 2], 2), "p99_ms": round(found[len(found) * 99 // 100], 2),
            "max_ms": round(found[-1], 2), "between_frames_ms": round(between, 2),
            "p99_in_frames": round(found[len(found) * 99 // 100] / between, 2), "steps": len(found),
            "window_pct_of_a_core": round(100 * used, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--test-bin", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=12)
    options = parser.parse_args()
    options.bin, options.test_bin = options.bin.resolve(), options.test_bin.resolve()
    with tempfile.TemporaryDirectory(prefix="ringside-bench-") as folder:
        result = {"bench": "pixel", "ranks": RANKS}
        for per_second in (100, 10):
            result[f"at_{per_second}_hz"] = watched(options, Path(folder), per_second)
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
