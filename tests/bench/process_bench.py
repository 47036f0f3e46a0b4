#!/usr/bin/env python3
"""Start time and resident memory of each program, and what an open window costs while nothing happens.

process_bench.py --bin BUILD/bin [--rounds 7]. Trains a short run of two ranks, reads the agent's and the ranks' memory from
the kernel and the time from exec to the joined group from the log; then opens that run in the window (where there is a
display) and measures processor time over ten idle seconds. Prints one line of JSON; what cannot run is "SKIPPED".
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

TICKS = os.sysconf("SC_CLK_TCK")
PROGRAMS = ["ringside", "ringside-agent", "ringside-dashboard", "ringside-trainer"]
RUN = ["--set", "baseline.mode=none", "--set", "train.epochs=4", "--set", "devices.kind=cpu"]


def start_seconds(program, rounds):
    """Wall time of `--version`: the loader, the libraries, and out again."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        subprocess.run([program, "--version"], check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    return round(statistics.median(times), 4)


def status_mb(pid, field):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return round(int(line.split()[1]) / 1024, 1)
    return None


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def train(binaries, runs_dir):
    """Runs it detached, watches the agent until it ends, and returns (agent's highest resident MB, id)."""
    command = [str(binaries / "ringside"), "run", "demo", "--runs-dir", str(runs_dir), "--detach", "--json", *RUN]
    begun = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    run = begun["runs"][-1]
    card = Path(run["folder"]) / "agent.json"
    pid = json.loads(card.read_text())["agent_pid"]
    watch = os.pidfd_open(pid)
    peak = 0.0
    poll = select.poll()
    poll.register(watch, select.POLLIN)
    while not poll.poll(200):
        try:
            peak = status_mb(pid, "VmHWM") or peak
        except (FileNotFoundError, ProcessLookupError):
            break
    os.close(watch)
    return peak, run["id"]


def ranks(binaries, runs_dir, run):
    folder = runs_dir / "csv"
    subprocess.run([str(binaries / "ringside"), "export", run, "--csv", str(folder), "--runs-dir", str(runs_dir)], check=True,
                   capture_output=True)
    table = rows(folder / "ranks.csv")
    # The agent says "starting" of a rank when it has forked it; a rank says hello when it has joined the group.
    forked = {r["about"]: int(r["mono_ns"]) for r in table if r["state"] == "starting" and r["rank"] == "-1" and r["about"] != "-1"}
    joined = {r["rank"]: int(r["mono_ns"]) for r in table if r["host"]}
    seconds = [(joined[rank] - forked[rank]) / 1e9 for rank in joined if rank in forked]
    hosts = rows(folder / "hosts.csv")
    column = next(name for name in hosts[0] if "rank_resident" in name)
    sizes = [[int(part) for part in row[column].replace(";", " ").split()] for row in hosts if row[column]]
    resident = [size for row in sizes for size in row if size > 0]
    return {"exec_to_joined_s": round(max(seconds), 3) if seconds else None,
            "training_rank_resident_mb": round(max(resident) / 2**20, 1) if resident else None}


def window(binaries, runs_dir, run):
    if not os.environ.get("DISPLAY"):
        return "SKIPPED: no display"
    ready = runs_dir / "items.json"
    process = subprocess.Popen([str(binaries / "ringside-dashboard"), "--run", run, "--runs-dir", str(runs_dir), "--items", str(ready)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    watch = select.poll()
    fd = os.pidfd_open(process.pid)
    watch.register(fd, select.POLLIN)
    try:
        deadline = time.monotonic() + 30
        while not ready.exists():
            if watch.poll(50) or time.monotonic() > deadline:
                return "SKIPPED: the window did not open"
        if watch.poll(3000):  # the charts of a finished run settle
            return "SKIPPED: the window closed"
        before = cpu_seconds(process.pid)
        if watch.poll(10000):
            return "SKIPPED: the window closed"
        return {"idle_cpu_pct_of_a_core": round((cpu_seconds(process.pid) - before) * 10, 2),
                "resident_mb": status_mb(process.pid, "VmRSS"), "resident_anon_mb": status_mb(process.pid, "RssAnon")}
    finally:
        os.close(fd)
        process.terminate()
        process.wait(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    binaries = Path(options.bin).resolve()
    result = {"bench": "processes", "start_s": {name: start_seconds(binaries / name, options.rounds) for name in PROGRAMS}}
    with tempfile.TemporaryDirectory(prefix="ringside-bench-") as folder:
        runs_dir = Path(folder)
        result["agent_resident_mb"], run = train(binaries, runs_dir)
        result["rank"] = ranks(binaries, runs_dir, run)
        result["window"] = window(binaries, runs_dir, run)
    print(json.dumps(result))


if __name__ == "__main__":
    sys.exit(main())
