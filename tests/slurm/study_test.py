#!/usr/bin/env python3
"""Studies as jobs of a real Slurm on two virtual nodes. Skipped except under `./dev test --slurm`."""

import json

import on_cluster


class Study(on_cluster.OnCluster):
    def sweep(self, steps, *options, code=0):
        return self.ringside("sweep", "--slurm", "--world", "1,2x1", *options, "--set", "devices.interface=lo", "--json",
                             "--", *self.rank(steps), code=code)

    def jobs(self):
        """Number, state, begin and end of each job, in the order of submission."""
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
        # The second run had not begun and keeps its folder.
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
        self.assertFalse(list(self.runs.glob("*/place.json")))
        self.assertFalse(list(self.runs.rglob("S-01*")))


class Figure(on_cluster.OnCluster):
    cpus = 4

    def test_e4s_figure_by_one_command_on_one_and_two_nodes(self):
        if not (on_cluster.PROGRAMS / "ringside-trainer").exists():
            self.skipTest("built without the trainer")
        files = self.folder / "figure"
        told = self.ringside("sweep", "e4_figure", "--quick", "--slurm", "--set", "devices.interface=lo", "--set", "devices.kind=cpu",
                             "--set", "model.name=resnet18", "--set", "train.epochs=1", "--export", str(files), "--json", timeout=300)
        study = json.loads(told.stdout.splitlines()[-1])
        self.assertTrue(study["complete"])
        self.assertEqual([row["setting"] for row in study["settings"]],
                         ["baseline-1", "strong-2", "strong-3", "strong-4", "strong-2x3", "strong-2x4"])
        # A batch of 32 over 3 or 6 ranks is 30, like 126 of 128 in the original.
        self.assertEqual([row["global_batch"] for row in study["settings"]], [32, 32, 30, 32, 30, 32])
        self.assertTrue(all(row["speedup"] > 0 for row in study["settings"]))
        self.assertTrue((files / "S-01_speedup.svg").stat().st_size > 0)
        runs = self.runs_listed()
        self.assertEqual([run["state"] for run in runs], ["finished"] * 6)
        logs = [len(list((self.runs / run["id"]).glob("node_*.log"))) for run in runs]
        self.assertEqual(logs, [1, 1, 1, 1, 2, 2])
        names = [name.name for name in (self.runs / runs[5]["id"] / "checkpoints").iterdir()]
        self.assertTrue(any("8ranks_epoch_" in name for name in names), names)


if __name__ == "__main__":
    on_cluster.main()
