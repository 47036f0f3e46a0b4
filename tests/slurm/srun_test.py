#!/usr/bin/env python3
"""Ranks that a person's own srun starts, one task per rank, on a real Slurm. Skipped except under `./dev test
--slurm`."""

import json
import pathlib
import signal
import subprocess
import tempfile

import cluster
import on_cluster

TRAINER = on_cluster.PROGRAMS / "ringside-trainer"


class Srun(on_cluster.OnCluster):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="ringside-slurm-"))
        cls.shared = cls.enterClassContext(cluster.Cluster(pathlib.Path(folder)))

    def setUp(self):
        super().setUp()
        # A cancelled job frees its nodes a moment later.
        self.wait_for("free nodes", lambda: self.slurm("squeue", "-h") == "")

    def begin(self, *words, per_node=2, options=()):
        """Starts `srun` on both nodes in the background."""
        command = ["srun", "--nodes=2", f"--ntasks-per-node={per_node}", *options, on_cluster.PROGRAMS / "ringside", *words]
        process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def finish(self, process, code=0):
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, out + err)
        return out + err

    def run_there(self, steps, *options, code=0, **where):
        return self.finish(self.begin("run", *options, "--set", "devices.interface=lo", "--", *self.rank(steps), **where), code)

    def step(self):
        return json.loads((self.run_folder() / "place.json").read_text())["srun_step"]

    def nobody_is_left(self):
        return not subprocess.run(["pgrep", "-f", str(self.folder / "rank.py")], capture_output=True, check=False).stdout

    def test_every_task_is_a_rank_with_its_node(self):
        told = self.run_there(10)
        self.assertIn("srun has started 4 tasks on 2 nodes: each is a rank", told)
        self.assertEqual([self.counted(rank) for rank in range(4)], [10] * 4)
        shown = self.shown()
        self.assertEqual((shown["state"], shown["world_size"]), ("finished", 4))
        folder = self.run_folder()
        self.assertTrue((folder / "node_0.log").exists() and (folder / "node_1.log").exists())
        self.assertEqual((folder / "slurm.exit").read_text(), "0\n")

    def test_slurms_numbers_are_those_of_the_ranks(self):
        script = "echo $RANK $SLURM_PROCID $LOCAL_RANK $SLURM_LOCALID $GROUP_RANK $SLURM_NODEID"
        self.finish(self.begin("run", "--no-instrument", "--set", "devices.interface=lo", "--", "sh", "-c", script))
        told = [(self.run_folder() / f"attempt_0/rank_{rank}/stdout").read_text().split() for rank in range(4)]
        self.assertEqual(told, [[*"000000"], [*"111100"], [*"220011"], [*"331111"]])

    def test_our_trainer_trains_in_the_tasks(self):
        if not TRAINER.exists():
            self.skipTest("built without the trainer")
        self.finish(self.begin("run", "demo", "--quick", "--set", "baseline.mode=none", "--set", "devices.interface=lo",
                               "--set", "devices.kind=cpu", "--set", "train.epochs=1"))
        shown = self.shown()
        self.assertEqual((shown["state"], shown["world_size"]), ("finished", 4))

    def test_a_rank_that_fails_is_named_and_srun_has_its_exit_code(self):
        (self.folder / "rank.py").write_text("import os, time\nif os.environ['RANK'] == '3': raise SystemExit(7)\ntime.sleep(600)\n",
                                             encoding="utf-8")
        told = self.run_there(10, code=1)
        self.assertIn("rank 3", told)
        self.assertEqual(self.shown()["state"], "failed")
        self.assertTrue(self.nobody_is_left())

    def test_with_kill_on_bad_exit_the_end_is_still_told(self):
        (self.folder / "rank.py").write_text("raise SystemExit(7)\n", encoding="utf-8")
        told = self.run_there(10, code=1, options=["--kill-on-bad-exit=1"])
        self.assertIn("exit code 7", told)
        self.assertEqual(self.shown()["state"], "failed")

    def test_a_stop_and_a_resume_in_the_tasks_of_another_step(self):
        first = self.begin("run", "--set", "devices.interface=lo", "--", *self.rank(60))
        self.wait_for("its steps", lambda: self.counted(3) > 3)
        self.ringside("stop", "last")
        self.finish(first, code=1)
        self.assertEqual(self.shown()["state"], "stopped")
        self.finish(self.begin("resume", "last"))
        self.assertEqual([self.counted(rank) for rank in range(4)], [60] * 4)
        self.assertEqual((self.shown()["state"], self.attempts()), ("finished", 2))

    def test_scancel_of_the_step_stops_it_in_order(self):
        process = self.begin("run", "--set", "devices.interface=lo", "--", *self.rank(100000))
        self.wait_for("its steps", lambda: self.counted(3) > 3)
        self.slurm("scancel", "--signal=USR2", self.step())
        self.finish(process, code=1)
        self.assertEqual(self.shown()["state"], "stopped")
        self.assertTrue(self.nobody_is_left())

    def test_a_step_that_is_killed_is_over_though_its_allocation_lives(self):
        holder = subprocess.Popen(["salloc", "--quiet", "--nodes=2", "--ntasks-per-node=2", "sh", "-c", "echo $SLURM_JOB_ID; exec cat"], text=True,
                                  env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(holder.communicate)
        job = holder.stdout.readline().strip()
        process = self.begin("run", "--set", "devices.interface=lo", "--", *self.rank(100000), options=[f"--jobid={job}"])
        self.wait_for("its steps", lambda: self.counted(3) > 3)
        self.slurm("scancel", "--signal=KILL", self.step())
        process.communicate(timeout=60)
        # The state depends on whether the agent could record its end before it was killed.
        self.wait_for("its end", lambda: self.shown()["state"] in ("interrupted", "failed"))
        self.assertIn("RUNNING", self.slurm("squeue", "-h", f"--jobs={job}", "-o", "%T"))
        self.wait_for("the end of its ranks", self.nobody_is_left)

    def test_a_stop_at_once_is_told_by_the_run_itself(self):
        process = self.begin("run", "--set", "devices.interface=lo", "--", *self.rank(100000))
        self.wait_for("its steps", lambda: self.counted(3) > 3)
        self.slurm("scancel", "--signal=TERM", self.step())
        process.communicate(timeout=60)
        self.wait_for("its end", lambda: self.shown()["state"] == "stopped")
        self.assertTrue(self.nobody_is_left())

    def test_ctrl_c_stops_it_and_leaves_nobody(self):
        process = self.begin("run", "--set", "devices.interface=lo", "--", *self.rank(100000))
        self.wait_for("its steps", lambda: self.counted(3) > 3)
        # srun waits for a second SIGINT within a second, and two at the same time would count as one.
        self.wait_for("the end of srun", lambda: process.poll() is not None or process.send_signal(signal.SIGINT))
        self.wait_for("its end", lambda: self.shown()["state"] in ("stopped", "failed", "interrupted"))
        self.wait_for("the end of its ranks", self.nobody_is_left)
        agents = ["pgrep", "-f", f"ringside-agent.*{self.runs}"]
        self.wait_for("the end of its agents", lambda: not subprocess.run(agents, capture_output=True, check=False).stdout, 20)

    def test_one_task_on_each_node_of_a_jobs_script_is_in_order(self):
        script = self.folder / "job.sh"
        script.write_text(f"#!/bin/sh\nsrun {on_cluster.PROGRAMS}/ringside run --set devices.interface=lo -- true\n", encoding="utf-8")
        self.slurm("sbatch", "--wait", "--nodes=2", "--ntasks-per-node=1", f"--output={self.folder}/job.out", str(script))
        self.assertEqual((self.shown()["state"], self.shown()["world_size"]), ("finished", 2))

    def test_what_cannot_be_is_said_once_and_holds_nobody_up(self):
        told = self.finish(self.begin("run", "no_such_preset"), code=2)
        self.assertEqual(told.count("no_such_preset"), 1)
        cyclic = self.finish(self.begin("run", "--", "true", options=["--distribution=cyclic"]), code=2)
        self.assertIn("--distribution=block", cyclic)
        self.assertFalse(list(self.runs.glob("*/spec.toml")))


if __name__ == "__main__":
    on_cluster.main()
