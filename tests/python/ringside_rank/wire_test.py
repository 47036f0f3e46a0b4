"""The connection in pure Python, against a real agent: wire_test.py --ringside PROGRAM."""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parent / "scripts" / "stoppable.py"
# A rank for which the library that the agent names cannot be loaded.
WITHOUT = 'import os; os.environ["RINGSIDE_RANK_LIBRARY"] = "/none/libringside_rank.so"\n'
RUN = f"import runpy; runpy.run_path({str(SCRIPT)!r})"

class Wire(unittest.TestCase):
    ringside = None

    def conformance(self, code):
        done = subprocess.run([self.ringside, "conformance", "--json", "--", sys.executable, "-B", "-c", code],
                              capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return {check["name"]: check for check in json.loads(done.stdout)["checks"]}

    def test_it_breaks_no_rule_and_says_what_the_library_says(self):
        library, python = (self.conformance(code) for code in (RUN, WITHOUT + RUN))
        for name in ("frames", "hello", "sequence", "goodbye", "steps", "unknown", "epochs", "clock", "end", "stop"):
            with self.subTest(name):
                self.assertEqual(python[name]["verdict"], "pass", python[name])
                self.assertEqual(library[name]["verdict"], "pass", library[name])
        for name in ("frames", "steps", "epochs"):
            self.assertEqual(python[name]["told"], library[name]["told"])

    def test_a_second_process_of_the_rank_stays_silent(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "attempt_0", "rank_0"))
            Path(folder, "agent.json").write_text(json.dumps({"run_token": "0" * 16}))
            Path(folder, "attempt_0", "rank_0", "speaker").write_text("1\n")
            code = WITHOUT + "import ringside_rank as rs; rs.log(x=1); print(rs.active())"
            env = dict(os.environ, RANK="0", RINGSIDE_RUN_DIR=folder, PYTHONPATH=str(HERE.parents[2] / "trainer" / "python"))
            done = subprocess.run([sys.executable, "-B", "-c", code], env=env, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.stdout, done.stderr), ("False\n", ""))

    def rank(self, folder, code, **environment):
        """Returns the output of a rank."""
        os.makedirs(os.path.join(folder, "attempt_0", "rank_0"))
        for name in ("agent.json", "agent_1.json"):
            Path(folder, name).write_text(json.dumps({"run_token": "0" * 16}))
        env = dict(os.environ, RANK="0", RINGSIDE_RUN_DIR=folder, PYTHONPATH=str(HERE.parents[2] / "trainer" / "python"), **environment)
        return subprocess.run([sys.executable, "-B", "-c", WITHOUT + "import ringside_rank as rs; " + code], env=env,
                              capture_output=True, text=True, timeout=60)

    def test_a_rank_of_another_node_speaks_to_its_own_agent_and_has_no_thread_of_threading(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as agent:
            agent.bind(os.path.join(folder, "agent_1.sock"))
            agent.listen()
            done = self.rank(folder, "import threading; print(rs.active(), len(threading.enumerate()))", RINGSIDE_NODE="1")
            self.assertEqual((done.stdout, done.stderr), ("True 1\n", ""))
            with agent.accept()[0] as rank:
                self.assertEqual(rank.recv(4), b"RSWF")

    def test_a_connection_that_cannot_be_made_is_told_and_another_process_may_try(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.rank(folder, "print(rs.active())")
            self.assertEqual(done.stdout, "False\n")
            self.assertRegex(done.stderr, "^ringside_rank: this rank reports nothing: cannot connect to the agent of .*\n$")
            self.assertFalse(Path(folder, "attempt_0", "rank_0", "speaker").exists())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ringside", required=True)
    options, rest = parser.parse_known_args()
    Wire.ringside = options.ringside
    unittest.main(argv=[sys.argv[0], *rest])
