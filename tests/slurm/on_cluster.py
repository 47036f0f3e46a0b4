"""Shared by tests that call the built programs on a real Slurm of two virtual nodes."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import cluster

SKIPPED = 77
PROGRAMS = pathlib.Path(os.environ.get("RINGSIDE_BIN", pathlib.Path(__file__).parents[2] / "build/release/bin"))

# A rank that counts, continues at its last number after a restart, and exits cleanly on SIGTERM at any time.
RANK = """\
import os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
count = pathlib.Path(sys.argv[2] + os.environ["RANK"])
done = int(count.read_text()) if count.exists() else 0
while done < int(sys.argv[1]):
    done += 1
    part = count.with_name(count.name + ".part")
    part.write_text(str(done))
    part.replace(count)
    time.sleep(0.1)
"""


class OnCluster(unittest.TestCase):
    gpus = 0  # per node
    cpus = 2
    shared = None  # one cluster for all cases of a class whose tests do not change it

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ringside-slurm-")))
        own = self.folder / "cluster"
        self.cluster = self.shared or self.enterContext(cluster.Cluster(own, cpus=self.cpus, gpus=self.gpus))
        self.runs = self.folder / "runs"
        (self.folder / "rank.py").write_text(RANK, encoding="utf-8")
        self.environment = dict(self.cluster.environment, XDG_STATE_HOME=str(self.folder / "state"),
                                XDG_RUNTIME_DIR=str(self.folder), RINGSIDE_RUNS_DIR=str(self.runs))

    def ringside(self, *words, code=0, timeout=100):
        answer = subprocess.run([PROGRAMS / "ringside", *words], env=self.environment, capture_output=True, text=True,
                                timeout=timeout, check=False)
        self.assertEqual(answer.returncode, code, f"{words}: {answer.stdout}{answer.stderr}{self.job_output()}")
        return answer

    def submit(self, steps, *options, nodes=2, code=0, detach=True):
        command = ["run", "--slurm", "--nodes", str(nodes), "--ranks", str(nodes), *options, "--set", "devices.interface=lo"]
        command += ["--detach"] if detach else []
        return self.ringside(*command, "--", *self.rank(steps), code=code)

    def rank(self, steps):
        return [sys.executable, str(self.folder / "rank.py"), str(steps), str(self.folder / "count_")]

    def job_output(self):
        return "".join(path.read_text(errors="replace")[-3000:] for path in self.runs.glob("*/slurm.out"))

    def run_folder(self):
        (folder,) = (path.parent for path in self.runs.glob("*/place.json"))
        return folder

    def job(self):
        return json.loads((self.run_folder() / "place.json").read_text())["job"]

    def forget_the_queue(self):
        """Removes saved answers of squeue, which would otherwise be reused for half a minute."""
        (self.folder / "state/ringside/slurm_queue.json").unlink(missing_ok=True)

    def runs_listed(self):
        """All runs, oldest first."""
        return sorted(json.loads(self.ringside("list", "--json").stdout), key=lambda run: run["id"])

    def shown(self):
        self.forget_the_queue()
        (row,) = self.runs_listed()
        return row

    def shown_text(self):
        self.shown()
        return self.ringside("show", "last").stdout

    def slurm(self, *argv):
        return subprocess.run(argv, env=self.environment, capture_output=True, text=True, timeout=60, check=True).stdout

    def wait_for(self, what, holds, seconds=60):
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                self.fail(f"{what}: {self.ringside('list').stdout} {self.slurm('squeue', '--states=all')} {self.job_output()}")
            time.sleep(0.2)

    def counted(self, rank=0):
        count = self.folder / f"count_{rank}"
        text = count.read_text() if count.exists() else ""
        return int(text) if text else 0

    def attempts(self):
        return len(list(self.run_folder().glob("attempt_*")))

    def wait_for_state(self, state, seconds=60):
        self.wait_for(state, lambda: self.shown()["state"] == state, seconds)


def main():
    if not os.environ.get("RINGSIDE_SLURM"):
        print("SKIPPED: ./dev test --slurm runs it")
        sys.exit(SKIPPED)
    if absent := cluster.missing():
        print(f"SKIPPED: {', '.join(absent)} missing")
        sys.exit(SKIPPED)
    if not (PROGRAMS / "ringside").exists():
        print(f"SKIPPED: no programs in {PROGRAMS}")
        sys.exit(SKIPPED)
    unittest.main("__main__", verbosity=2)
