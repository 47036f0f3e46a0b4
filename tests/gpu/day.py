"""A day of measurements on a machine with a GPU, in stages, with the programs of a bundle (`./dev gpu-day`).

Needs only Python 3.10 with torch; must be beside the folder `bundle`. Each stage is a process group with a time limit. Its
result is one JSON line in OUT/results.jsonl; the folders of its runs, without checkpoints, are in OUT/runs-STAGE.tar.xz. A table
is printed at the end. `--on cpu` and `--on fake` rehearse it without a GPU: what needs one is skipped, and times are not judged."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback
from pathlib import Path

from rig import LeftOut, Rig

HERE = Path(__file__).resolve().parent
LARGEST_TAR = 15 << 20


class Day:
    """A stage that is running: its folder, and its measurements so far."""

    def __init__(self, options, stage):
        self.on, self.small, self.bundle = options.on, options.small, Path(options.bundle)
        self.kind = "cpu" if self.on == "cpu" else "cuda"
        self.work = Path(tempfile.mkdtemp(prefix=f"{stage}-", dir=options.work))
        self.measures = []
        torch = subprocess.run([sys.executable, "-c", "import torch; print(torch.__path__[0])"], capture_output=True, text=True)
        self.torch = torch.stdout.strip()
        # Small networks and batches that take almost no time on a CPU slot.
        small = ["model.name=lenet", "batch.size=8", "data.train_samples=128", "data.test_samples=16"] if self.small else []
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
        self.rig = Rig(self.bundle / "bin", self.work,
                       {**kept, "RINGSIDE_TORCH_DIR": self.torch, "OMP_NUM_THREADS": "1", "XDG_DATA_HOME": str(self.work / "data")}, small)

    def check(self, name, value, limit, good):
        """Records a measurement: `value` is the result, `limit` describes the requirement."""
        self.measures.append({"name": name, "value": value, "limit": limit, "good": bool(good)})

    def note(self, name, value):
        self.measures.append({"name": name, "value": value, "limit": "", "good": True})

    def timed(self, name, value, limit, good):
        """Records a time or rate, which is judged only on a GPU."""
        self.check(name, value, limit if self.on == "gpu" else f"{limit}; not judged here", good or self.on != "gpu")

    def needs_gpu(self, why):
        if self.on != "gpu":
            raise LeftOut(f"only a GPU has {why}")

    def needs_cuda(self):
        if self.on == "cpu":
            raise LeftOut("CPU slots have none of it")

    def steps(self, many, few):
        return few if self.small else many

    def trained(self, *settings, ranks=1, **more):
        if self.small:
            settings = [setting for setting in settings if not setting.startswith(("model.name", "batch.", "data."))]
        return self.rig.trained(ranks, *settings, kind=self.kind, **more)

    def losses(self, rank=0):
        rows = [row for row in self.rig.table("steps") if int(row["rank"]) == rank]
        return [float(row["loss"]) for row in sorted(rows, key=lambda row: int(row["step"]))]

    def step_times(self, rank=0):
        """Milliseconds of the second half of the newest run's steps: median, and sorted list."""
        rows = [row for row in self.rig.table("steps") if int(row["rank"]) == rank and int(row["step_ns"]) > 0]
        times = sorted(int(row["step_ns"]) / 1e6 for row in rows[len(rows) // 2:])
        return times[len(times) // 2] if times else float("nan")

    def script(self, way, ranks=1, bare=False):
        """Runs the script loop.py with this number of ranks. Returns the output of rank 0."""
        options = [*(["--devices", "cpu"] if self.on == "cpu" else []), *(["--no-instrument"] if bare else [])]
        self.rig.ringside("run", "--ranks", str(ranks), "--set", "devices.threads=1", *options, "--",
                          sys.executable, "-B", str(HERE / "loop.py"), way)
        return self.rig.printed()

    def command(self, *words, timeout=120, **more):
        done = subprocess.run([str(word) for word in words], env={**self.rig.environment, **more}, capture_output=True, text=True,
                              timeout=timeout)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(str(word) for word in words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def smi(self, fields):
        """Fields of nvidia-smi for the first GPU, as text; empty if there is none."""
        try:
            said = subprocess.run(["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader,nounits"], capture_output=True,
                                  text=True, timeout=20)
        except FileNotFoundError:
            return []
        return [word.strip() for word in said.stdout.splitlines()[0].split(",")] if said.returncode == 0 and said.stdout else []


def find_driver():
    """Folder of the driver's libraries in containers, which the loader does not search."""
    for folder in ("/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"):
        if Path(folder, "libcuda.so.1").exists():
            os.environ["LD_LIBRARY_PATH"] = f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}".rstrip(":")
            os.environ["PATH"] += f":{Path(folder).parent / 'bin'}:{folder}"


def do_stage(options, stage):
    """Runs a stage in a separate process; returns the result as a dictionary."""
    import day_stages
    day = Day(options, stage.name)
    outcome, why = "pass", ""
    began = time.monotonic()
    try:
        getattr(day_stages, stage.name)(day)
        bad = [measure for measure in day.measures if not measure["good"]]
        if bad:
            outcome, why = "fail", "; ".join(f"{one['name']} is {one['value']}, {one['limit']}" for one in bad)
    except LeftOut as left:
        outcome, why = "left out", str(left)
    except Exception as error:
        outcome, why = "fail", f"{type(error).__name__}: {str(error)[-1500:]}" if isinstance(error, AssertionError) else \
            traceback.format_exc()[-1500:]
    result = {"stage": stage.name, "on": options.on, "outcome": outcome, "why": why, "seconds": round(time.monotonic() - began, 1),
              "limit_s": stage.limit_s, "rule": stage.rule, "measures": day.measures}
    Path(options.result).write_text(json.dumps(result))


def end_agents(work):
    """Ends agents of runs that a stage has left behind."""
    for facts in Path(work).glob("*/runs/*/agent.json"):
        try:
            pid = json.loads(facts.read_text())["pid"]
            if str(facts.parent).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
        except (OSError, ValueError, KeyError):
            continue


def run_stage(options, stage, limit_s):
    result = Path(options.work) / f"{stage.name}.json"
    command = [sys.executable, "-B", str(HERE / "day.py"), "--stage", stage.name, "--result", str(result), "--out", str(options.out),
               "--work", options.work, "--on", options.on, "--bundle", str(options.bundle), *(["--small"] if options.small else [])]
    began = time.monotonic()
    child = subprocess.Popen(command, start_new_session=True)
    overrun = False
    try:
        child.wait(limit_s)
    except subprocess.TimeoutExpired:
        overrun = True
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
    end_agents(options.work)
    if result.exists():
        return json.loads(result.read_text())
    why = f"not over after {limit_s:.0f} s" if overrun else f"its process ended with {child.returncode}"
    return {"stage": stage.name, "on": options.on, "outcome": "overrun" if overrun else "fail", "why": why,
            "seconds": round(time.monotonic() - began, 1), "limit_s": stage.limit_s, "rule": stage.rule, "measures": []}


def keep_runs(options, stage):
    """Logs, specifications and output of the stage's runs, if they are small enough to transfer."""
    path = Path(options.out) / f"runs-{stage.name}.tar.xz"
    kept = 0
    with tarfile.open(path, "w:xz", preset=1) as archive:
        for file in sorted(Path(options.work).glob(f"{stage.name}-*/runs/**/*")):
            size = file.stat().st_size if file.is_file() else 0
            if not size or "checkpoints" in file.parts or kept + size > 4 * LARGEST_TAR:
                continue
            kept += size
            archive.add(file, file.relative_to(options.work))
    if not kept or path.stat().st_size > LARGEST_TAR:
        path.unlink()


def table(results):
    width = max((len(result["stage"]) for result in results), default=0)
    lines = []
    for result in results:
        numbers = ", ".join(f"{one['name']} {one['value']}" for one in result["measures"])
        lines.append(f"{result['stage']:{width}}  {result['outcome']:8}  {result['seconds']:6.1f} s of {result['limit_s']:3}  "
                     f"{result['why'][-300:] or numbers[:300]}")
    return "\n".join(lines)


def main():
    import day_stages
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="out", help="folder for the results")
    parser.add_argument("--stages", help="names, separated by commas (default: all, in order)")
    parser.add_argument("--budget", type=float, default=570, metavar="SECONDS", help="of all together; what does not fit is left out")
    parser.add_argument("--on", choices=("gpu", "fake", "cpu"), default="gpu")
    parser.add_argument("--small", action="store_true", help="fewer steps: a rehearsal")
    parser.add_argument("--keep-runs", default="first,bench,nvml_load", help="stages whose run folders come back")
    parser.add_argument("--bundle", default=HERE / "bundle")
    parser.add_argument("--list", action="store_true", help="stages, limits and what passes")
    for internal in ("--stage", "--result", "--work"):
        parser.add_argument(internal, help=argparse.SUPPRESS)
    options = parser.parse_args()
    stages = {stage.name: stage for stage in day_stages.STAGES}
    if options.list:
        for stage in stages.values():
            print(f"{stage.name:13} {stage.limit_s:4} s  {stage.rule}")
        return 0
    if options.stage:
        do_stage(options, stages[options.stage])
        return 0
    find_driver()
    names = options.stages.split(",") if options.stages else list(stages)
    if unknown := [name for name in names if name not in stages]:
        parser.error(f"no stage is called {', '.join(unknown)}; there are {', '.join(stages)}")
    Path(options.out).mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + options.budget
    results = []
    with tempfile.TemporaryDirectory(prefix="gpu-day-", ignore_cleanup_errors=True) as options.work, \
            open(Path(options.out) / "results.jsonl", "a") as lines:
        for name in names:
            stage, left = stages[name], end - time.monotonic()
            if left < min(stage.limit_s, 20):
                results.append({"stage": name, "on": options.on, "outcome": "left out", "why": f"{left:.0f} s of the budget are left",
                                "seconds": 0, "limit_s": stage.limit_s, "rule": stage.rule, "measures": []})
            else:
                print(f"== {name}, at most {stage.limit_s} s", flush=True)
                limit_s = stage.limit_s if options.on == "gpu" else 4 * stage.limit_s  # a rehearsal has no GPU
                results.append(run_stage(options, stage, min(limit_s, left)))
                if name in options.keep_runs.split(","):
                    keep_runs(options, stage)
            lines.write(json.dumps(results[-1]) + "\n")
            lines.flush()
            print(table(results[-1:]), flush=True)
    print("\n" + table(results))
    return 1 if any(result["outcome"] in ("fail", "overrun") for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
