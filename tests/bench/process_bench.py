#!/usr/bin/env python3
"""Measures start time and resident memory of each program, and the cost of an idle open window.

process_bench.py --bin BUILD/bin [--rounds 5]. Each round trains a short run of two CPU ranks. The log has the times when the
agent began to start them and of each rank's hello, which is sent on joining the group; their memory is read from the kernel
continuously, so that the memory of an idle rank is that at its hello. The newest of these runs is then opened in the window
(on a new display if there is none) to measure processor time over ten idle seconds. Every wait has a deadline, and on a slow
machine there are fewer rounds (--seconds). Prints one line of JSON; what cannot run is "SKIPPED".
"""

import argparse
import csv
import json
import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PROGRAMS = ["ringside", "ringside-agent", "ringside-dashboard", "ringside-trainer"]
RUN_LIMIT_S = 60
RUN = ["baseline.mode=none", "devices.kind=cpu", "devices.world_size=2", "devices.threads=1", "train.epochs=2",
       "data.train_samples=2000", "data.test_samples=200", "batch.size=64", "optimizer.lr=0.01",
       "checkpoint.every_epochs=0"]


class Skipped(Exception):
    pass


def rounds_within(rounds, seconds):
    """Counts up to `rounds`, at least one, and stops early when the time is over."""
    until = time.monotonic() + seconds
    for at in range(rounds):
        if at > 0 and time.monotonic() > until:
            return
        yield at


def start_seconds(program, rounds, seconds):
    """Wall and processor time of `--version`: loading the libraries, and exiting."""
    walls, cpus = [], []
    for _ in rounds_within(rounds, seconds):
        before, begin = os.times(), time.perf_counter()
        subprocess.run([program, "--version"], check=True, capture_output=True, timeout=30)
        after = os.times()
        walls.append(time.perf_counter() - begin)
        cpus.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return {"wall_s": round(statistics.median(walls), 4), "cpu_s": round(statistics.median(cpus), 3)}


def status_mb(pid, field):
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(field + ":")), None)


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def ranks_of(folder):
    """Processes of trainers that have this run folder in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            argv = (entry / "cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        if os.fsencode(folder) in argv and argv[0].endswith(b"ringside-trainer"):
            found.append(int(entry.name))
    return found


class Run:
    """A detached run, watched until its agent has ended."""

    def __init__(self, binaries, runs_dir):
        self.binaries, self.runs_dir = binaries, runs_dir
        command = [str(binaries / "ringside"), "run", "demo", "--runs-dir", str(runs_dir), "--detach", "--json",
                   "--set", f"data.root={runs_dir / 'data'}"]
        for assignment in RUN:
            command += ["--set", assignment]
        begun = subprocess.run(command, check=True, capture_output=True, text=True, timeout=RUN_LIMIT_S)
        facts = json.loads(begun.stdout.splitlines()[-1])["runs"][-1]
        self.id, self.folder = facts["id"], Path(facts["folder"])
        self.agent_peak = 0.0
        self.seen = {}  # pid -> [(monotonic ns, resident MB, processor seconds)]
        self.watch(json.loads((self.folder / "agent.json").read_text(encoding="utf-8"))["agent_pid"])

    def watch(self, agent):
        descriptor = os.pidfd_open(agent)
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        deadline = time.monotonic() + RUN_LIMIT_S
        try:
            while not poll.poll(10):
                if time.monotonic() > deadline:
                    os.kill(agent, 15)
                    raise Skipped(f"a run of a few seconds did not end in {RUN_LIMIT_S} s")
                self.agent_peak = max(self.agent_peak, status_mb(agent, "VmHWM") or 0)
                pids = self.seen if len(self.seen) == 2 else ranks_of(str(self.folder))
                for pid in pids:
                    try:
                        self.seen.setdefault(pid, []).append((time.monotonic_ns(), status_mb(pid, "VmRSS") or 0, cpu_seconds(pid)))
                    except (FileNotFoundError, ProcessLookupError):
                        pass
        finally:
            os.close(descriptor)

    def figures(self):
        """Figures of the ranks: seconds from the start to the last hello; processor seconds and resident MB then;
        highest MB."""
        folder = self.runs_dir / ("csv-" + self.id)
        subprocess.run([str(self.binaries / "ringside"), "export", self.id, "--csv", str(folder), "--runs-dir",
                        str(self.runs_dir)], check=True, capture_output=True, timeout=RUN_LIMIT_S)
        table = rows(folder / "ranks.csv")
        begun = [int(row["mono_ns"]) for row in table if row["state"] == "starting" and row["rank"] in ("", "-1")]
        hellos = {int(row["pid"]): int(row["mono_ns"]) for row in table if row.get("pid") and row.get("host")}
        if not begun or len(hellos) != 2:
            raise Skipped(f"{folder / 'ranks.csv'} names {len(begun)} starts and {len(hellos)} hellos")
        idle = [next((seen for seen in self.seen.get(pid, []) if seen[0] >= said), None) for pid, said in hellos.items()]
        if None in idle:
            raise Skipped("the ranks were over before their memory was read")
        peak = max(seen[1] for times in self.seen.values() for seen in times)
        joined_s = (max(hellos.values()) - min(begun)) / 1e9
        return joined_s, max(seen[2] for seen in idle), max(seen[1] for seen in idle), peak


class Display:
    """The existing display, or a new one."""

    def __enter__(self):
        self.server = None
        if os.environ.get("DISPLAY"):
            return dict(os.environ)
        if not shutil.which("Xvfb"):
            raise Skipped("no display, and no Xvfb")
        ours, theirs = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(theirs), "-screen", "0", "1920x1080x24", "-nolisten", "tcp"],
                                       pass_fds=[theirs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        with os.fdopen(ours) as pipe:
            number = pipe.readline().strip() if select.select([pipe], [], [], 20)[0] else ""
        if not number:
            self.__exit__()
            raise Skipped("Xvfb did not start")
        return dict(os.environ, DISPLAY=":" + number)

    def __exit__(self, *_):
        if self.server:
            self.server.terminate()
            self.server.wait(10)


def window(binaries, runs_dir, run, environment):
    ready = runs_dir / "items.json"
    process = subprocess.Popen([str(binaries / "ringside-dashboard"), "--run", run, "--runs-dir", str(runs_dir), "--items", str(ready)],
                               env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    watch = select.poll()
    descriptor = os.pidfd_open(process.pid)
    watch.register(descriptor, select.POLLIN)

    def closed_within(milliseconds):
        return bool(watch.poll(milliseconds))

    try:
        deadline = time.monotonic() + 30
        while not ready.exists():
            if closed_within(50) or time.monotonic() > deadline:
                raise Skipped("the window did not open")
        if closed_within(3000):  # the charts of a finished run settle
            raise Skipped("the window closed")
        before = cpu_seconds(process.pid)
        if closed_within(10000):
            raise Skipped("the window closed")
        return {"idle_cpu_pct_of_a_core": round((cpu_seconds(process.pid) - before) * 10, 2),
                "resident_mb": round(status_mb(process.pid, "VmRSS"), 1), "resident_anon_mb": round(status_mb(process.pid, "RssAnon"), 1)}
    finally:
        os.close(descriptor)
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def attempt(work):
    try:
        return work()
    except Skipped as reason:
        return f"SKIPPED: {reason}"
    except (subprocess.SubprocessError, OSError) as error:
        return f"SKIPPED: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60, help="for the rounds, about; the window takes 20 more")
    options = parser.parse_args()
    binaries = Path(options.bin).resolve()
    result = {"bench": "processes",
              "start": {name: attempt(lambda name=name: start_seconds(binaries / name, options.rounds, options.seconds / 12))
                        for name in PROGRAMS}}
    with tempfile.TemporaryDirectory(prefix="ringside-bench-") as folder:
        runs_dir = Path(folder)
        runs = []

        def train():
            for _ in rounds_within(options.rounds, options.seconds / 2):
                runs.append(Run(binaries, runs_dir))
            seconds, cpu, idle, peak = zip(*(run.figures() for run in runs))
            return {"rounds": len(runs), "start_to_joined_s": round(statistics.median(seconds), 3),
                    "start_to_joined_worst_s": round(max(seconds), 3), "start_to_joined_cpu_s": round(statistics.median(cpu), 2),
                    "idle_resident_mb": round(statistics.median(idle), 1), "training_resident_mb": round(statistics.median(peak), 1)}

        def look():
            if not runs:
                raise Skipped("no run to open")
            with Display() as environment:
                return window(binaries, runs_dir, runs[-1].id, environment)

        result["rank"] = attempt(train)
        result["agent_resident_mb"] = round(max((run.agent_peak for run in runs), default=0), 1)
        result["window"] = attempt(look)
    print(json.dumps(result))


if __name__ == "__main__":
    sys.exit(main())
