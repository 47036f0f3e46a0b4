"""Runs Ringside's command line as a person would, in a separate environment and runs folder."""

import csv
import json
import subprocess
import time
from pathlib import Path

PATIENCE_S = 300


class LeftOut(Exception):
    """Raised with a reason if a check cannot be done here."""


def until(what, call):
    """Waits until the result of `call` is true and returns it."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        found = call()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"in {PATIENCE_S} s: no {what}")
        time.sleep(0.01)


class Rig:
    def __init__(self, programs, work, environment, settings=()):
        """`programs`: folder of the programs; `work`: folder for this rig only; `settings`: for each training, before
        its own."""
        self.program = str(Path(programs) / "ringside")
        self.work = Path(work)
        self.settings = settings
        self.environment = {**environment, "RINGSIDE_RUNS_DIR": str(self.work / "runs"), "XDG_STATE_HOME": str(self.work / "state")}

    def start(self, *arguments, **more):
        return subprocess.Popen([self.program, *arguments], env={**self.environment, **more}, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def ringside(self, *arguments, code=0, **more):
        """Runs a command to its end. `code`: the expected exit code; None: any."""
        done = subprocess.run([self.program, *arguments], env={**self.environment, **more}, capture_output=True, text=True,
                              timeout=PATIENCE_S)
        if code is not None and done.returncode != code:
            raise AssertionError(f"ringside {' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def train(self, ranks, *settings, kind="cuda"):
        """Arguments for our trainer, with settings as key=value."""
        # One thread, as in the compared run: the agent's share of the cores would override OMP_NUM_THREADS.
        settings = [f"devices.world_size={ranks}", f"devices.kind={kind}", "devices.threads=1", "baseline.mode=none",
                    "train.max_steps=6", *self.settings, *settings]
        return ["run", "shapes_resnet18", "--json", *(word for setting in settings for word in ("--set", setting))]

    def trained(self, ranks, *settings, kind="cuda", **more):
        done = self.ringside(*self.train(ranks, *settings, kind=kind), **more)
        return json.loads(done.stdout.splitlines()[-1])["runs"][-1]

    def start_long(self, ranks, kind="cuda"):
        """Starts a run that trains until it is stopped."""
        run = self.start(*self.train(ranks, "train.max_steps=0", "train.epochs=1000", kind=kind))
        until("step", lambda: list(self.work.glob("runs/*/node_0.log")) and len(self.table("steps")) > 4)
        return run

    def printed(self, rank=0):
        """Standard output of a rank of the newest run."""
        newest = max(self.work.glob("runs/*/spec.toml")).parent
        return (newest / f"attempt_0/rank_{rank}/stdout").read_text()

    def table(self, name):
        self.ringside("export", "last", "--force", "--csv", str(self.work / "csv"))
        with open(self.work / f"csv/{name}.csv") as table:
            return list(csv.DictReader(table))
