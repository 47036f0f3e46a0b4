"""The wheel of the programs, installed by pip into an environment of its own that has nothing else: program_wheel_test.py WHEEL, or
--build FOLDER to make it of the programs there."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("ringside", "ringside-agent", "ringside-dashboard")
HOME = "lib/ringside-ddp"
MOST_BYTES = 25_000_000
STEPS = 20
RANK = f"""
import ringside_rank
from ringside_rank import _connection
for step in range({STEPS}):
    ringside_rank.step(loss=1 / (step + 1), samples=4)
print("reports by", _connection.load().way)
"""


def pack(tree, out):
    out.mkdir()
    done = subprocess.run([sys.executable, "-B", ROOT / "cmake" / "dev" / "pack_wheel.py", tree, out], check=True, capture_output=True,
                          text=True)
    return Path(done.stdout.strip())


class ProgramWheel(unittest.TestCase):
    build = wheel = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-wheel-")
        cls.addClassCleanup(folder.cleanup)
        cls.base = Path(folder.name)
        if cls.build:
            subprocess.run([ROOT / "cmake" / "dev" / "bundle.sh", cls.build, cls.base / "tree", *PROGRAMS], check=True)
            linked = subprocess.run([sys.executable, "-B", ROOT / "cmake" / "dev" / "portable" / "link.py", cls.build, cls.base / "tree"])
            if linked.returncode == 77:  # said why
                sys.exit(77)
            linked.check_returncode()
            cls.wheel = pack(cls.base / "tree", cls.base / "made")
        cls.home = cls.base / "clean"
        venv.create(cls.home, with_pip=True)
        cls.before = cls.files()
        cls.install()

    @classmethod
    def pip(cls, *arguments):
        subprocess.run([cls.home / "bin" / "python", "-B", "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments], check=True,
                       cwd=cls.base)

    @classmethod
    def install(cls):
        cls.pip("install", "--no-index", "--no-compile", cls.wheel)

    @classmethod
    def files(cls):
        return {path for path in cls.home.rglob("*") if "__pycache__" not in path.parts}

    def ran(self, program, *arguments):
        """What it prints, in an environment that names nothing of this machine."""
        done = subprocess.run([program, *arguments], cwd="/", capture_output=True, text=True, timeout=240,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.base), "RINGSIDE_RUNS_DIR": str(self.base / "runs")})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def installed(self, name):
        return self.home / "bin" / name

    def test_it_is_small_and_puts_all_into_a_folder_of_its_own(self):
        self.assertRegex(self.wheel.name, r"^ringside_ddp-[0-9.]+-py3-none-manylinux_2_28_x86_64\.whl$")
        self.assertLess(self.wheel.stat().st_size, MOST_BYTES)
        prefix = "-".join(self.wheel.name.split("-")[:2])
        with zipfile.ZipFile(self.wheel) as file:
            names = set(file.namelist())
        scripts = {name for name in names if name.startswith(f"{prefix}.data/scripts/")}
        strays = {name for name in names - scripts if not name.startswith((f"{prefix}.data/data/{HOME}/", f"{prefix}.dist-info/"))}
        self.assertEqual(strays, set())
        self.assertEqual({name for name in names if "torch" in name.rsplit("/", 1)[-1] and name.endswith(".so")}, set())
        self.assertIn(f"{prefix}.data/scripts/ringside", scripts)

    def test_its_programs_ask_for_no_newer_machine_than_its_name_says(self):
        if not importlib.util.find_spec("auditwheel"):
            self.skipTest("auditwheel is not here")
        said = subprocess.run([sys.executable, "-B", "-m", "auditwheel", "show", self.wheel], check=True, capture_output=True, text=True).stdout
        self.assertRegex(" ".join(said.split()), r'constrains the platform tag to "manylinux_2_2[0-8]_x86_64"')

    def test_its_bill_of_materials_has_every_part_and_locked_package(self):
        with zipfile.ZipFile(self.wheel) as file:
            names = file.namelist()
            (name,) = [name for name in names if "/sboms/" in name]
            bill = json.loads(file.read(name))
        parts = {part["name"]: part for part in bill["components"]}
        licences = {name.rsplit("/", 1)[-1] for name in names if ".dist-info/licenses/" in name} - {"LICENSE", "NOTICE", "GLFW"}
        self.assertLessEqual(licences, parts.keys())
        locked = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "cmake" / "lock" / "wheel.txt").read_text(), re.M)
        self.assertEqual([(name, parts[name]["version"]) for name, _ in locked], locked)
        self.assertEqual({name for name, _ in locked if parts[name]["scope"] == "required"}, {"glfw"})

    def test_each_program_starts_by_its_name_and_through_a_link(self):
        version = self.wheel.name.split("-")[1]
        for name in PROGRAMS:
            if self.installed(name).exists():
                with self.subTest(name):
                    link = self.base / name
                    link.symlink_to(self.installed(name))
                    for path in (self.installed(name), link):
                        self.assertEqual(self.ran(path, "--version").strip(), f"{name} {version}")

    def test_presets_and_manual_come_with_it(self):
        self.assertIn("demo", self.ran(self.installed("ringside"), "presets"))
        self.assertIn("speedup card", self.ran(self.installed("ringside"), "help", "start"))

    def test_a_script_is_a_rank_and_its_run_can_be_shown(self):
        script = self.base / "rank.py"
        script.write_text(RANK)
        self.ran(self.installed("ringside"), "run", "--devices", "cpu", "--", str(self.home / "bin" / "python"), str(script))
        (rank,) = json.loads(self.ran(self.installed("ringside"), "show", "last", "--json"))["ranks"]
        self.assertEqual(rank["steps"], STEPS)
        self.assertIn(f"reports by {self.home / HOME}/lib/libringside_rank.so", self.ran(self.installed("ringside"), "tail", "last"))

    def test_uninstalled_nothing_is_left(self):
        self.pip("uninstall", "--yes", "ringside-ddp")
        self.addCleanup(self.install)
        self.assertEqual(self.files(), self.before)

    def test_the_same_programs_give_the_same_bytes_elsewhere_and_later(self):
        if not self.build:
            self.skipTest("it was given")
        tree = self.base / "elsewhere" / "of another length"
        shutil.copytree(self.base / "tree", tree, copy_function=shutil.copy)
        self.assertEqual(pack(tree, self.base / "again").read_bytes(), self.wheel.read_bytes())


if __name__ == "__main__":
    if sys.argv[1] == "--build":
        ProgramWheel.build = sys.argv[2]
        if not importlib.util.find_spec("glfw"):
            sys.exit(77)  # skipped: './dev test' fetches what makes a wheel
    else:
        ProgramWheel.wheel = Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
