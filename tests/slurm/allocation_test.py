#!/usr/bin/env python3
"""Runs inside an allocation of a real Slurm, made by salloc. Skipped except under `./dev test --slurm`."""

import contextlib
import json
import subprocess
import time

import on_cluster


class InAllocation(on_cluster.OnCluster):
    @contextlib.contextmanager
    def allocation(self, nodes=2, *options):
        """Meanwhile programs run with the environment of a shell of salloc."""
        outside, variables = self.environment, self.folder / "variables"
        holder = subprocess.Popen(["salloc", "--quiet", f"--nodes={nodes}", *options, "sh", "-c", f"env -0 >{variables}; exec cat"],
                                  env=outside, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 30
            while not variables.exists() or b"SLURM_JOB_ID=" not in variables.read_bytes():
                self.assertLess(time.monotonic(), deadline, "salloc got nothing")
                time.sleep(0.1)
            self.environment = dict(entry.split("=", 1) for entry in variables.read_text().split("\0") if entry)
            yield self.environment["SLURM_JOB_ID"]
        finally:
            self.environment = outside
            holder.communicate(timeout=30)  # closing its input ends the allocation
            variables.unlink(missing_ok=True)

    def run_here(self, steps, *options, ranks=2, code=0):
        return self.ringside("run", "--slurm", "--ranks", str(ranks), *options, "--set", "devices.interface=lo",
                             "--", *self.rank(steps), code=code)

    def only_job(self):
        return self.slurm("squeue", "-h", "-t", "all", "-o", "%A %T").split()


class Allocation(InAllocation):
    def test_a_run_is_a_step_on_all_nodes_and_leaves_the_allocation(self):
        with self.allocation() as job:
            told = self.run_here(10)
            self.assertIn(f"Inside Slurm job {job}", told.stderr)
            self.assertEqual(self.only_job(), [job, "RUNNING"])
            self.assertEqual(self.shown()["state"], "finished")
        self.assertEqual([self.counted(0), self.counted(1)], [10, 10])
        folder = self.run_folder()
        self.assertTrue((folder / "node_0.log").exists() and (folder / "node_1.log").exists())
        self.assertTrue(json.loads((folder / "place.json").read_text())["as"] == "step")
        self.assertEqual((folder / "slurm.exit").read_text(), "0\n")
        self.wait_for("its end", lambda: self.only_job() == [job, "COMPLETED"])
        self.assertEqual(self.shown()["state"], "finished")

    def test_the_baseline_is_a_step_before_it_on_one_node(self):
        with self.allocation() as job:
            self.run_here(10, "--baseline", "run")
            self.assertEqual(self.only_job(), [job, "RUNNING"])
        runs = self.runs_listed()
        self.assertEqual(sorted((run["world_size"], run["state"]) for run in runs), [(1, "finished"), (2, "finished")])
        logs = sorted(len(list(script.parent.glob("node_*.log"))) for script in self.runs.glob("*/slurm.sh"))
        self.assertEqual(logs, [1, 2])

    def test_a_failed_run_says_so_and_exits_1(self):
        with self.allocation(nodes=1):
            (self.folder / "rank.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
            self.run_here(10, ranks=1, code=1)
            self.assertEqual(self.shown()["state"], "failed")

    def test_a_stop_leaves_the_allocation_and_a_resume_goes_on_in_it(self):
        with self.allocation() as job:
            self.run_here(60, "--detach")
            self.wait_for("its steps", lambda: self.counted(1) > 3)
            self.ringside("stop", "last")
            self.assertEqual(self.shown()["state"], "stopped")
            self.assertLess(self.counted(1), 60)
            self.assertEqual(self.only_job(), [job, "RUNNING"])
            self.ringside("resume", "last")
            self.assertEqual(self.shown()["state"], "finished")
            self.assertEqual([self.counted(0), self.counted(1)], [60, 60])
        self.assertEqual(self.attempts(), 2)

    def test_a_run_that_waits_for_its_baseline_can_be_taken_out(self):
        with self.allocation() as job:
            self.run_here(100000, "--baseline", "run", "--detach")
            self.wait_for("its steps", lambda: self.counted() > 3)
            self.ringside("stop", "last")
            self.ringside("stop", self.runs_listed()[0]["id"])
            runs = self.runs_listed()
            self.assertEqual([run["state"] for run in runs], ["stopped", "stopped"])
            self.assertEqual(self.only_job(), [job, "RUNNING"])

    def test_a_study_is_steps_that_a_stop_takes_out_and_a_resume_goes_on_with(self):
        with self.allocation() as job:
            told = self.ringside("sweep", "--slurm", "--world", "1x1,1x2,2x1", "--repeats", "1", "--set", "devices.interface=lo",
                                 "--detach", "--json", "--", *self.rank(100000))
            study = json.loads(told.stdout)["study"]
            self.wait_for("its steps", lambda: self.counted() > 3)
            self.assertEqual([run["state"] for run in self.runs_listed()[1:]], ["queued", "queued"])
            self.ringside("stop", study)
            self.assertEqual([run["state"] for run in self.runs_listed()], ["stopped"] * 3)
            (self.folder / "rank.py").write_text("", encoding="utf-8")
            table = json.loads(self.ringside("resume", study, "--json").stdout)
            self.assertEqual(self.only_job(), [job, "RUNNING"])
        self.assertTrue(table["complete"])
        # Runs that had not begun keep their folders.
        self.assertEqual([run["state"] for run in self.runs_listed()], ["stopped", "finished", "finished", "finished"])
        folders = [script.parent for script in sorted(self.runs.glob("*/slurm.sh"))]
        self.assertEqual([len(list(folder.glob("node_*.log"))) for folder in folders], [1, 1, 2, 1])
        self.assertTrue(all(json.loads((folder / "place.json").read_text())["as"] == "step" for folder in folders))

    def test_the_end_of_the_allocation_ends_the_run(self):
        with self.allocation():
            self.run_here(100000, "--detach")
            self.wait_for("its steps", lambda: self.counted(1) > 3)
        self.wait_for("its end", lambda: self.shown()["state"] in ("stopped", "failed", "interrupted"))
        self.ringside("resume", "last", code=2)

    def test_what_an_allocation_cannot_change_is_refused(self):
        with self.allocation():
            self.assertIn("--partition cannot be chosen inside an allocation",
                          self.run_here(10, "--partition", "main", code=2).stderr)
            self.assertIn("--nodes 3", self.run_here(10, "--nodes", "3", code=2).stderr)
            self.assertFalse(list(self.runs.glob("*/place.json")))

    def test_fewer_nodes_than_it_has_can_be_asked_for(self):
        with self.allocation():
            self.run_here(10, "--nodes", "1")
            self.assertEqual(len(list(self.run_folder().glob("node_*.log"))), 1)

    def test_a_dry_run_shows_the_step_and_makes_nothing(self):
        with self.allocation() as job:
            told = self.run_here(10, "--dry-run").stdout
            self.assertIn(f"# Inside Slurm job {job}", told)
            self.assertNotIn("--parsable", told)
        self.assertFalse(list(self.runs.glob("*/place.json")))

    def test_without_the_option_a_run_stays_here_and_says_so(self):
        with self.allocation():
            told = self.ringside("run", "--ranks", "1", "--", *self.rank(5))
            self.assertIn("on 2 nodes, and the run stays on this machine; --slurm takes them all", told.stderr)
        self.assertFalse(list(self.runs.glob("*/place.json")))


class AllocationOfGpus(InAllocation):
    gpus = 2

    def test_gpus_that_no_variable_names_are_those_of_a_step(self):
        with self.allocation(2, "--gres=gpu:2") as job:
            told = self.run_here(5, "--set", "devices.kind=auto", "--dry-run").stdout
            self.assertIn('kind = "cuda"', told)
            self.assertIn("world_size = 4", told)
            self.environment["CUDA_VISIBLE_DEVICES"] = ""
            here = self.ringside("run", "--ranks", "1", "--set", "devices.kind=auto", "--", *self.rank(5))
            self.assertIn(f"Slurm job {job}, inside which this is, has 2 on each node for its steps", here.stderr)
        self.assertEqual(self.counted(), 5)


if __name__ == "__main__":
    on_cluster.main()
