"""`ringside profile` of active runs, of our trainer and of a script: one trace with the operations of both ranks inside of their
steps, a table of differences, and refusals. Exit code 77: this Python has no torch."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "scripts" / "groups.py"
PATIENCE_S = 200
STEPS = 2


class Profile(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
        self.env.update(RINGSIDE_RUNS_DIR=held.name + "/runs", XDG_STATE_HOME=held.name + "/state", OMP_NUM_THREADS="1")

    def ringside(self, *words):
        return subprocess.run([RINGSIDE, *map(str, words)], env=self.env, capture_output=True, text=True, timeout=PATIENCE_S)

    def begin(self, *words):
        self.run_ = subprocess.Popen([RINGSIDE, "run", "--json", *map(str, words)], env=self.env, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            shown = self.ringside("show", "last", "--json")
            if shown.returncode == 0 and json.loads(shown.stdout)["steps"] > 30:
                return
            self.assertIsNone(self.run_.poll(), "it has ended")
            self.assertLess(time.monotonic(), deadline, "it does not train")
            time.sleep(0.2)

    def end(self):
        self.ringside("stop", "last", "--now")
        self.run_.communicate(timeout=PATIENCE_S)

    def check(self, forward):
        file = self.folder / "trace.json"
        done = self.ringside("profile", "last", "--steps", STEPS, "--to", file, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual((told["file"], told["steps"]), (str(file), STEPS))
        self.assertTrue(told["operations"] and all("rank_1_ms" in row for row in told["operations"]))
        events = json.loads(file.read_text(encoding="utf-8"))["traceEvents"]
        self.assertEqual(len([one for one in events if one["ph"] not in "Me"]), told["events"] - sum(one["ph"] == "M" and "ts" in one for one in events))
        for rank in range(2):
            steps = [one for one in events if one.get("cat") == "step" and one["name"].startswith("step ") and one["pid"] == rank]
            self.assertEqual([one["args"]["step"] for one in steps], [told["first_step"] + at for at in range(STEPS)])
            forwards = [one for one in events if one["name"] == forward and one["pid"] == rank]
            for step in steps:
                inside = [one for one in forwards if step["ts"] - 50 <= one["ts"] <= step["ts"] + step["dur"]]
                self.assertGreaterEqual(len(inside), 1, f"step {step['args']['step']} of rank {rank} has none of {len(forwards)}")
            self.assertEqual(len(forwards) % STEPS, 0)
        again = self.ringside("profile", "last", "--to", file)
        self.assertEqual((again.returncode, "exists already" in again.stderr), (2, True), again.stderr)
        self.assertFalse(list((self.folder / "runs").glob("*/profile_request")), "the request is left")

    def check_one_at_a_time(self):
        """A second request is refused while one waits, and a cancelled one is withdrawn."""
        first = subprocess.Popen([RINGSIDE, "profile", "last", "--steps", "1000"], env=self.env, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        self.assertIn("Profiling steps", first.stderr.readline())
        second = self.ringside("profile", "last")
        self.assertEqual((second.returncode, "another profile" in second.stderr), (2, True), second.stderr)
        first.send_signal(signal.SIGINT)
        self.assertEqual(first.wait(PATIENCE_S), 130)
        first.stderr.close()
        self.assertFalse(list((self.folder / "runs").glob("*/profile_request")), "the request is left")

    def test_a_run_of_our_trainer(self):
        self.begin("demo", "--quick", "--set", "devices.world_size=2", "--set", "devices.kind=cpu", "--set", "baseline.mode=none",
                   "--set", "train.epochs=100000", "--set", "devices.when_busy=share", "--set", "evaluate.mode=none",
                   "--set", f"data.root={self.folder}/data")
        self.check("aten::_log_softmax")
        self.end()
        over = self.ringside("profile", "last")
        self.assertEqual((over.returncode, "the run has ended" in over.stderr), (2, True), over.stderr)

    def test_a_script(self):
        if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode:
            self.skipTest("this Python has no torch")
        self.begin("--ranks", "2", "--devices", "cpu", "--set", "devices.when_busy=share", "--", sys.executable, "-B", SCRIPT, "ddp",
                   "--steps", 1000000)
        self.check_one_at_a_time()
        self.check("DistributedDataParallel.forward")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ringside", required=True)
    options, rest = parser.parse_known_args()
    RINGSIDE = options.ringside
    unittest.main(argv=[sys.argv[0], *rest])
