"""Tests the wheel in a clean environment: wheel_test.py [FOLDER OF A WHEEL]; without a folder it is built here. Exit
code 77: this Python has no tools to build it."""

import ast
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "trainer" / "python" / "ringside_rank"

CALLS = """
import math
import ringside_rank as rs
odd = [None, math.nan, object(), "x", b"x", [1], {}, 10 ** 400, lambda: 1, 1j, type]
for value in odd:
    rs.log(loss=value, anything=value, samples=value); rs.log(step=value, x=value); rs.step(samples=value, epoch=value, lr=value)
    with rs.evaluating(value) as result: result.add(value, value); result.set(loss=value, correct=value)
rs.resumed(3)
print(rs.__version__, rs.active(), rs.stop_requested())
"""


def wheel_of(folder):
    (found,) = Path(folder).glob("ringside_rank-*.whl")
    return found


def build(folder):
    subprocess.run([ROOT / "cmake" / "dev" / "wheel.sh", sys.executable, folder], check=True)
    return wheel_of(folder)


class Wheel(unittest.TestCase):
    given = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ringside-wheel-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.wheel = wheel_of(cls.given) if cls.given else build(os.path.join(cls.folder.name, "made"))
        home = os.path.join(cls.folder.name, "clean")
        venv.create(home, with_pip=True)
        cls.python = os.path.join(home, "bin", "python")
        subprocess.run([cls.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", cls.wheel],
                       check=True, cwd=home)

    def ran(self, *arguments, **environment):
        """Output and errors of the clean Python, which must exit with 0."""
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("RINGSIDE", "PYTHON")) and name != "RANK"}
        done = subprocess.run([self.python, *arguments], cwd=self.folder.name, env=dict(env, **environment), capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip(), done.stderr.strip()

    def version(self):
        return self.wheel.name.split("-")[1]

    def test_it_is_for_every_python_and_holds_the_package_alone(self):
        self.assertRegex(self.wheel.name, r"^ringside_rank-[0-9.]+-py3-none-any\.whl$")
        with zipfile.ZipFile(self.wheel) as file:
            names = file.namelist()
            (metadata,) = [file.read(name).decode() for name in names if name.endswith("METADATA")]
        ours = {"ringside_rank/" + path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
        self.assertEqual({name for name in names if ".dist-info/" not in name}, ours)
        self.assertIn("ringside_rank/py.typed", ours)
        self.assertTrue(any(name.endswith("LICENSE") for name in names))
        for line in ("Name: ringside-rank", "Requires-Python: >=3.9", "License-Expression: MIT", "# ringside-rank"):
            self.assertIn(line, metadata.splitlines())

    def test_the_oldest_python_that_it_claims_can_read_it(self):
        for path in PACKAGE.glob("*.py"):
            ast.parse(path.read_text(), str(path), feature_version=(3, 9))

    def test_outside_a_run_every_call_does_nothing(self):
        for environment in ({}, {"RANK": "0"}, {"RANK": "0", "RINGSIDE_INSTRUMENT": "1"}):
            with self.subTest(environment):
                self.assertEqual(self.ran("-W", "error", "-c", CALLS, **environment), (f"{self.version()} False False", ""))

    def test_in_a_run_that_cannot_be_reached_one_line_says_so(self):
        output, errors = self.ran("-c", CALLS, RANK="0", RINGSIDE_RUN_DIR="/none", RINGSIDE_RANK_LIBRARY="/none/lib.so")
        self.assertEqual(output, f"{self.version()} False False")
        self.assertRegex(errors, r"^ringside_rank: this rank reports nothing: cannot connect to the agent of /none: [^\n]+$")

    def test_it_tells_its_version(self):
        output, _ = self.ran("-m", "ringside_rank")
        self.assertEqual(output, f"ringside-rank {self.version()}\noutside a run: every call does nothing")
        output, _ = self.ran("-m", "ringside_rank", RINGSIDE_RUN_DIR="/none", RINGSIDE_RANK_LIBRARY="/none/lib.so")
        self.assertIn("\nreports by Python alone", output)

    def test_the_same_sources_give_the_same_bytes(self):
        if self.given:
            self.skipTest("it was given")
        again = build(os.path.join(self.folder.name, "again"))
        self.assertEqual(again.read_bytes(), self.wheel.read_bytes())


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]):
        Wheel.given = os.path.abspath(sys.argv.pop(1))
    elif importlib.util.find_spec("flit_core") is None:
        print("SKIPPED: this Python has no flit_core; ./dev test --scripts fetches one")
        sys.exit(77)
    unittest.main()
