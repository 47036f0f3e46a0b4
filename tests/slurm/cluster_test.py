#!/usr/bin/env python3
"""The cluster of cluster.py works: two nodes, jobs on both, a cancelled job. Skipped except under `./dev test
--slurm`."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cluster

SKIPPED = 77


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="ringside-slurm-"))
        cls.cluster = cls.enterClassContext(cluster.Cluster(pathlib.Path(cls.folder)))

    def slurm(self, *argv):
        answer = subprocess.run(argv, env=self.cluster.environment, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return answer.stdout

    def test_a_step_runs_on_both_nodes(self):
        told = self.slurm("srun", "--nodes=2", "--ntasks-per-node=1", "sh", "-c", "echo $SLURM_NODEID $SLURM_PROCID $SLURMD_NODENAME")
        self.assertEqual(sorted(told.splitlines()), ["0 0 n1", "1 1 n2"])

    def test_a_cancelled_job_says_so(self):
        job = self.slurm("sbatch", "--parsable", "--output=/dev/null", "--wrap=sleep 600").strip()
        self.slurm("scancel", job)
        self.slurm("srun", "--dependency=afterany:" + job, "true")
        self.assertEqual(self.slurm("squeue", "--noheader", "--states=all", "--format=%T", "--job=" + job).strip(), "CANCELLED")

    def test_nobody_listens_beyond_loopback(self):
        pids = {str(process.pid) for process in self.cluster.daemons.values()}
        listening = [line for line in subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout.splitlines()
                     if any(f"pid={pid}," in line for pid in pids)]
        self.assertEqual(len(listening), 3)  # slurmctld and two slurmd; munged has a socket in its folder
        for line in listening:
            self.assertTrue(line.split()[3].startswith("127.0.0.1:"), line)


if __name__ == "__main__":
    if not os.environ.get("RINGSIDE_SLURM"):
        print("SKIPPED: ./dev test --slurm runs it")
        sys.exit(SKIPPED)
    if absent := cluster.missing():
        print(f"SKIPPED: {', '.join(absent)} missing")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
