#!/usr/bin/env python3
"""Runs as jobs of a real Slurm on two virtual nodes, with the built programs. Skipped except under `./dev test
--slurm`."""

import os
import pathlib
import signal

import on_cluster


class Jobs(on_cluster.OnCluster):
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
        self.assertFalse(self.runs.exists() and list(self.runs.glob("*/place.json")))
        self.assertEqual(self.slurm("squeue", "-h"), "")

    def test_a_control_character_is_refused(self):
        told = self.submit(10, "--partition", "a\nb", code=2)
        self.assertIn("one line", told.stderr)
        self.assertEqual(self.slurm("squeue", "-h"), "")

    def test_a_time_limit_without_time_to_train_is_refused(self):
        told = self.submit(10, "--time", "3", code=2)
        self.assertIn("4 minutes or more", told.stderr)
        self.assertEqual(self.slurm("squeue", "-h"), "")

    def test_a_partition_that_is_not_there_leaves_no_run(self):
        told = self.submit(10, "--partition", "$(touch pwned)", code=1)
        self.assertIn("partition", told.stderr)
        self.assertFalse(list(self.runs.glob("*/place.json")))
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
        # Slurm may send the signal a minute early, at once for a limit of two minutes, so that limit is set after
        # submission.
        self.submit(300, "--time", "60")
        self.wait_for("its steps", lambda: self.counted() > 3)
        self.slurm("scontrol", "update", f"JobId={self.job()}", "TimeLimit=2")
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

    def test_a_preempted_job_of_our_trainer_goes_on_from_its_newest_checkpoint(self):
        if not (on_cluster.PROGRAMS / "ringside-trainer").exists():
            self.skipTest("built without the trainer")
        self.ringside("run", "demo", "--quick", "--slurm", "--nodes", "2", "--set", "devices.world_size=2", "--set", "train.epochs=12",
                      "--set", "baseline.mode=none", "--set", "devices.kind=cpu", "--set", "devices.interface=lo", "--detach")
        self.wait_for("a checkpoint", lambda: list(self.run_folder().glob("checkpoints/*.pt")))
        self.slurm("srun", "--partition=urgent", "--nodes=2", "--exclusive", "true")
        self.wait_for_state("finished", 200)
        self.assertEqual(self.attempts(), 2)
        (resumed,) = [row for row in self.shown_text().splitlines() if "resumed, attempt 1" in row]
        self.assertGreater(int(resumed.split()[-2].replace(",", "")), 0)

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
        self.kill_all_on("n2")  # when a machine goes down its processes end too
        self.wait_for_state("queued", 90)
        self.cluster.start_node("n2")
        self.wait_for_state("finished", 120)
        self.assertEqual([self.counted(0), self.counted(1)], [150, 150])
        self.assertGreaterEqual(self.attempts(), 2)

    def test_a_node_whose_processes_are_all_killed_does_not_end_the_run(self):
        self.submit(100)
        self.wait_for("its steps", lambda: self.counted(1) > 3)
        self.kill_all_on("n2")  # as the kernel does if memory is short, while Slurm still considers the node healthy
        self.wait_for("a second attempt", lambda: self.attempts() == 2, 90)
        self.wait_for_state("finished", 90)
        self.assertEqual([self.counted(0), self.counted(1)], [100, 100])

    def kill_all_on(self, node):
        for pid in self.pids_on(node):
            os.kill(pid, signal.SIGKILL)

    def pids_on(self, node):
        """Processes of our job, found by the variables that Slurm set for them."""
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
    on_cluster.main()
