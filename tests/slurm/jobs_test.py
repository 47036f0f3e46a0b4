#!/usr/bin/env python3
"""Runs as jobs of a real Slurm on two virtual nodes, through the built programs. Skipped but under `./dev test --slurm`."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cluster

SKIPPED = 77
PROGRAMS = pathlib.Path(os.environ.get("RINGSIDE_BIN", pathlib.Path(__file__).parents[2] / "build/release/bin"))

# A rank that goes on where it was, counts, and leaves in order when it is asked to.
RANK = """\
import os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
count = pathlib.Path(sys.argv[2] + os.environ["RANK"])
done = int(count.read_text()) if count.exists() else 0
while done < int(sys.argv[1]):
    done += 1
    count.write_text(str(done))
    time.sleep(0.1)
"""


class Jobs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ringside-slurm-")))
        self.cluster = self.enterContext(cluster.Cluster(self.folder / "cluster"))
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
        return self.ringside(*command, "--", sys.executable, str(self.folder / "rank.py"), str(steps),
                             str(self.folder / "count_"), code=code)

    def job_output(self):
        return "".join(path.read_text(errors="replace")[-3000:] for path in self.runs.glob("*/slurm.out"))

    def run_folder(self):
        (folder,) = (path.parent for path in self.runs.glob("*/slurm.json"))
        return folder

    def job(self):
        return json.loads((self.run_folder() / "slurm.json").read_text())["job"]

    def shown(self):
        # What squeue said is looked up anew: nobody waits half a minute for it here.
        (self.folder / "state/ringside/slurm_queue.json").unlink(missing_ok=True)
        (row,) = json.loads(self.ringside("list", "--json").stdout)
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
                self.fail(f"{what}: {self.shown()} {self.slurm('squeue', '--states=all')} {self.job_output()}")
            time.sleep(0.2)

    def counted(self, rank=0):
        count = self.folder / f"count_{rank}"
        text = count.read_text() if count.exists() else ""
        return int(text) if text else 0

    def attempts(self):
        return len(list(self.run_folder().glob("attempt_*")))

    def wait_for_state(self, state, seconds=60):
        self.wait_for(state, lambda: self.shown()["state"] == state, seconds)

    def test_a_run_on_two_nodes_ends_finished(self):
        told = self.submit(10, "--time", "5", detach=False)
        self.assertIn("finished", (told.stdout + told.stderr).lower())
        self.assertEqual(self.shown()["state"], "finished")
        self.assertEqual([self.counted(0), self.counted(1)], [10, 10])
        folder = self.run_folder()
        self.assertTrue((folder / "node_0.log").exists() and (folder / "node_1.log").exists())
        self.wait_for("the job", lambda: self.slurm("squeue", "-h", "-t", "all", "-o", "%T", "-j", self.job()).strip()
                      == "COMPLETED")

    def test_a_dry_run_shows_what_sbatch_would_get_and_makes_nothing(self):
        told = self.submit(10, "--time", "5", "--dry-run", detach=False).stdout
        self.assertIn("--parsable", told)
        self.assertIn("--time=5", told)
        self.assertIn('"$RINGSIDE_SLURM_AGENT"', told)
        self.assertFalse(self.runs.exists() and list(self.runs.glob("*/slurm.json")))
        self.assertEqual(self.slurm("squeue", "-h"), "")

    def test_a_control_character_is_refused(self):
        told = self.submit(10, "--partition", "a\nb", code=2)
        self.assertIn("one line", told.stderr)
        self.assertEqual(self.slurm("squeue", "-h"), "")

    def test_a_partition_that_is_not_there_leaves_no_run(self):
        told = self.submit(10, "--partition", "$(touch pwned)", code=1)
        self.assertIn("partition", told.stderr)
        self.assertFalse(list(self.runs.glob("*/slurm.json")))
        self.assertFalse((pathlib.Path.cwd() / "pwned").exists())

    def test_a_stop_ends_the_run_and_its_job(self):
        self.submit(100000)
        self.wait_for("its steps", lambda: self.counted() > 3)
        self.ringside("stop", "last")
        self.assertEqual(self.shown()["state"], "stopped")
        self.wait_for("the job", lambda: self.slurm("squeue", "-h") == "")

    def test_a_job_that_waits_says_why_and_can_be_taken_out(self):
        self.submit(10, "--sbatch-option", "hold")
        self.wait_for_state("queued")
        self.assertIn("held by its owner", self.ringside("list").stdout)
        self.ringside("stop", "last")
        self.assertEqual(self.shown()["state"], "stopped")
        self.assertEqual(self.slurm("squeue", "-h"), "")

    def test_before_its_time_limit_it_goes_back_into_the_queue_and_on(self):
        # Slurm may send the signal a minute early: at once with a limit of two.
        self.submit(300, "--time", "2")
        self.wait_for("a second attempt", lambda: self.attempts() >= 2, 120)
        self.wait_for_state("finished", 120)
        self.assertEqual(self.counted(), 300)

    def test_a_requeue_by_hand_goes_on_in_the_same_folder(self):
        self.submit(100)
        self.wait_for("its steps", lambda: self.counted() > 3)
        self.slurm("scontrol", "requeue", self.job())
        self.wait_for("a second attempt", lambda: self.attempts() == 2, 90)
        self.wait_for_state("finished", 90)
        self.assertEqual(self.counted(), 100)

    def test_a_job_that_is_cancelled_by_hand_was_stopped(self):
        self.submit(100000)
        self.wait_for("its steps", lambda: self.counted() > 3)
        self.slurm("scancel", self.job())
        self.wait_for_state("stopped")
        self.wait_for("Slurm's word", lambda: "cancelled" in self.shown_text())

    def test_a_node_that_dies_does_not_end_the_run(self):
        self.submit(150)
        self.wait_for("its steps", lambda: self.counted(1) > 3)
        self.cluster.stop("n2", signal.SIGKILL)
        for pid in self.pids_on("n2"):  # with a machine its processes go too
            os.kill(pid, signal.SIGKILL)
        self.wait_for_state("queued", 90)
        self.cluster.start_node("n2")
        self.wait_for_state("finished", 120)
        self.assertEqual([self.counted(0), self.counted(1)], [150, 150])
        self.assertGreaterEqual(self.attempts(), 2)

    def pids_on(self, node):
        """Processes of our job, by the variables that Slurm gave them."""
        wanted = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_JOB_ID={self.job()}".encode(),
                  f"RINGSIDE_SLURM_RUN={self.run_folder()}".encode()}
        pids = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                variables = set((entry / "environ").read_bytes().split(b"\0")) if entry.name.isdigit() else set()
            except OSError:
                continue
            if wanted <= variables:
                pids.append(int(entry.name))
        return pids


if __name__ == "__main__":
    if not os.environ.get("RINGSIDE_SLURM"):
        print("SKIPPED: ./dev test --slurm runs it")
        sys.exit(SKIPPED)
    if absent := cluster.missing():
        print(f"SKIPPED: {', '.join(absent)} missing")
        sys.exit(SKIPPED)
    if not (PROGRAMS / "ringside").exists():
        print(f"SKIPPED: no programs in {PROGRAMS}")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
