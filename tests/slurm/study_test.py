#!/usr/bin/env python3
"""Studies as jobs of a real Slurm on two virtual nodes. Skipped but under `./dev test --slurm`."""

import json

import on_cluster


class Study(on_cluster.OnCluster):
    def sweep(self, steps, *options, code=0):
        return self.ringside("sweep", "--slurm", "--world", "1,2x1", *options, "--set", "devices.interface=lo", "--json",
                             "--", *self.rank(steps), code=code)

    def jobs(self):
        """Number, state, begin and end of each, in the order in which they were submitted."""
        rows = self.slurm("squeue", "-h", "-t", "all", "-o", "%A %T %S %e").splitlines()
        return sorted((row.split() for row in rows), key=lambda row: int(row[0]))

    def states(self):
        return [run["state"] for run in self.runs_listed()]

    def test_every_run_is_a_job_and_none_disturbs_another(self):
        self.sweep(5, "--repeats", "2")
        self.assertEqual(self.states(), ["finished"] * 4)
        self.wait_for_jobs(4)
        jobs = self.jobs()
        for before, after in zip(jobs, jobs[1:]):
            self.assertLessEqual(before[3], after[2])
        nodes = [len(list(script.parent.glob("node_*.log"))) for script in sorted(self.runs.glob("*/slurm.sh"))]
        self.assertEqual(nodes, [1, 2, 1, 2])

    def wait_for_jobs(self, count):
        self.wait_for("the jobs", lambda: [job[1] for job in self.jobs()] == ["COMPLETED"] * count)

    def test_a_stop_empties_the_queue_and_a_resume_sends_what_is_missing(self):
        study = json.loads(self.sweep(100000, "--repeats", "1", "--detach").stdout)["study"]
        self.wait_for("its steps", lambda: self.counted() > 3)
        self.assertEqual([job[1] for job in self.jobs()], ["RUNNING", "PENDING"])
        self.ringside("stop", study)
        self.wait_for("an empty queue", lambda: self.slurm("squeue", "-h") == "")
        (self.folder / "rank.py").write_text("", encoding="utf-8")
        self.forget_the_queue()
        self.ringside("resume", study)
        # The second had not begun and has kept its folder.
        self.assertEqual(self.states(), ["stopped", "finished", "finished"])
        self.assertEqual(len(self.jobs()), 4)

    def test_a_dry_run_shows_every_job_and_makes_nothing(self):
        told = self.ringside("sweep", "--slurm", "--world", "1,2x1", "--repeats", "1", "--dry-run", "--",
                             *self.rank(5)).stdout
        self.assertEqual(told.count("--parsable"), 2)
        self.assertIn("--nodes=2", told)
        self.assertEqual(self.slurm("squeue", "-h", "-t", "all"), "")

    def test_a_partition_that_is_not_there_leaves_no_study(self):
        self.assertIn("partition", self.sweep(5, "--partition", "nowhere", code=1).stderr)
        self.assertFalse(list(self.runs.glob("*/slurm.json")))
        self.assertFalse(list(self.runs.rglob("S-01*")))


if __name__ == "__main__":
    on_cluster.main()
