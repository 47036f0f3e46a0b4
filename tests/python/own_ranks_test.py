"""Ranks that a script starts itself, under `ringside run`: each with the steps, losses and learning rates that it prints, and the
name of the rank that fails. Exit code 77: skipped, with the reason."""

import argparse
import csv
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE / "scripts" / "own_ranks.py"
PATIENCE_S = 240


def single(text):
    """Rounds a number to 32 bits as records do, so that both sides are compared bit by bit."""
    return struct.unpack("f", struct.pack("f", float(text)))[0]


class Run:
    """Runs `ringside run` of the script to its end."""

    def __init__(self, base, *arguments, options=()):
        self.base = base
        env = {name: value for name, value in os.environ.items() if not name.startswith(("RINGSIDE_", "TORCHELASTIC_"))}
        env.update(RINGSIDE_RUNS_DIR=str(base / "runs"), XDG_STATE_HOME=str(base / "state"), OMP_NUM_THREADS="1")
        self.env = env
        self.done = self.ringside("run", "--devices", "cpu", "--json", *options, "--", sys.executable, "-B", str(SCRIPT), *arguments)

    def ringside(self, *arguments):
        return subprocess.run([RINGSIDE, *arguments], env=self.env, capture_output=True, text=True, timeout=PATIENCE_S)

    def shown(self):
        return json.loads(self.ringside("show", "last", "--json").stdout)

    def steps(self):
        """(rank, step) -> (loss, lr) from the log."""
        done = self.ringside("export", "last", "--csv", str(self.base / "csv"))
        assert done.returncode == 0, done.stderr
        with open(self.base / "csv" / "steps.csv", encoding="utf-8") as file:
            return {(int(row["rank"]), int(row["step"])): (single(row["loss"]), float(row["lr"])) for row in csv.DictReader(file)}

    def printed(self):
        """The same values as printed by the ranks."""
        text = "".join(path.read_text() for path in self.base.glob("runs/*/attempt_0/rank_*/stdout"))
        lines = [line.split() for line in text.splitlines() if line.startswith("STEP ")]
        return {(int(rank), int(step)): (single(loss), float(lr)) for _, rank, step, loss, lr in lines}


class OwnRanks(unittest.TestCase):
    def run_script(self, *arguments, options=()):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Run(Path(folder.name), *arguments, options=options)

    def check_all_seen(self, *arguments, options=()):
        run = self.run_script(*arguments, options=options)
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(json.loads(run.done.stdout.splitlines()[-1])["runs"][0]["world_size"], 2)
        printed = run.printed()
        self.assertEqual(len(printed), 40)
        self.assertEqual(run.steps(), printed)
        self.assertEqual(len({rank["pid"] for rank in run.shown()["ranks"]}), 2)
        return run

    def test_ranks_of_mp_spawn_are_those_of_the_run(self):
        self.check_all_seen("spawn")

    def test_so_are_forked_processes(self):
        self.check_all_seen("fork")

    def test_so_are_those_of_a_launcher_in_a_process_of_its_own(self):
        self.check_all_seen("torchrun")

    def test_so_are_those_of_a_script_that_is_the_first_of_them_itself(self):
        self.check_all_seen("first")

    def test_a_script_may_be_started_without_the_variables_of_a_rank(self):
        run = self.check_all_seen("spawn", options=("--as", "script"))
        (environment,) = (path.read_text() for path in run.base.glob("runs/*/attempt_0/rank_0/stderr"))
        self.assertEqual([line for line in environment.splitlines() if line.startswith("RANK")], ["RANK unset"])

    def test_one_of_several_processes_without_a_group_is_shown_with_a_notice(self):
        run = self.run_script("apart")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(len(run.steps()), 40)  # one rank's, as both print the same number
        said = [one["text"] for one in run.shown()["notices"] if one["code"] == "nested_ranks"]
        self.assertEqual(said, ["several processes of the script train, as ranks of no group: only the one that came first is shown; a "
                                "script of one training each shows them all"])

    def test_a_task_of_slurm_is_a_rank(self):
        self.check_all_seen("slurm", options=("--as", "slurm", "--ranks", "2"))

    def test_a_program_of_slurm_is_told_how_to_start_it(self):
        self.assertIn("ringside run --as slurm --ranks 2 -- ", self.failed("slurm", options=("--ranks", "2")))

    def test_a_script_that_needs_gpus_as_a_rank_is_told_how_to_start_it(self):
        self.assertIn("ringside run --as script -- ", self.failed("nccl"))
        self.assertEqual(self.run_script("nccl", options=("--as", "script")).done.returncode, 0)

    def failed(self, *arguments, options=()):
        run = self.run_script(*arguments, options=options)
        self.assertEqual(run.done.returncode, 1, run.done.stdout)
        return run.done.stderr

    def test_a_rank_that_raises_is_named_with_its_reason(self):
        self.assertIn("rank 1: failed after step 5", self.failed("spawn", "--end", "raise:1:5"))

    def test_a_rank_that_leaves_the_others_is_named(self):
        self.assertIn("rank 1: ended with exit code 0 after step 5 while rank 0 waited", self.failed("process", "--end", "return:1:5"))

    def test_a_rank_that_is_killed_is_named_by_its_script(self):
        self.assertIn("process 1 terminated with signal SIGKILL", self.failed("spawn", "--end", "kill:1:5"))

    def test_a_script_that_is_started_twice_is_told_how_to_start_it(self):
        said = self.failed("spawn", "--port", "29871", options=("--ranks", "2"))
        self.assertIn("the script starts its ranks itself", said)
        self.assertIn("leave out --ranks", said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ringside", required=True)
    options, rest = parser.parse_known_args()
    RINGSIDE = options.ringside
    try:
        import torch

        assert torch.distributed.is_gloo_available()
    except Exception as error:
        print(f"SKIPPED: no PyTorch with Gloo: {error}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
