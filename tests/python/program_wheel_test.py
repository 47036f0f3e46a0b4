"""Tests the wheels of the programs and of the trainer, installed by pip into an otherwise empty environment:
program_wheel_test.py WHEEL [TRAINERS TORCH], or --build FOLDER [TORCH] to make them from that build. TORCH is the site-packages folder that a trainer
was built for; the tests that train add it to the environment."""

import contextlib
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

import displays

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


# Files that look like a PyTorch to the script that starts the trainer.
OTHER_TORCH = {"__init__.py": "", "version.py": "__version__ = '1.13.1+cpu'\n", "lib/libtorch_cpu.so": ""}


def pack(tree, out, *ringside):
    out.mkdir(exist_ok=True)
    done = subprocess.run([sys.executable, "-B", ROOT / "cmake" / "dev" / "pack_wheel.py", tree, out, *ringside], check=True, capture_output=True,
                          text=True)
    return Path(done.stdout.strip())


def link(*arguments):
    linked = subprocess.run([sys.executable, "-B", ROOT / "cmake" / "dev" / "portable" / "link.py", *arguments])
    if linked.returncode == 77:  # it has printed the reason
        sys.exit(77)
    linked.check_returncode()


class ProgramWheel(unittest.TestCase):
    build = wheel = trainers = torch = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-wheel-")
        cls.addClassCleanup(folder.cleanup)
        cls.base = Path(folder.name)
        if cls.build:
            subprocess.run([ROOT / "cmake" / "dev" / "bundle.sh", cls.build, cls.base / "tree", *PROGRAMS], check=True)
            link(cls.build, cls.base / "tree")
            cls.wheel = pack(cls.base / "tree", cls.base / "made")
            if cls.torch:
                link("--trainer", cls.base / "trainers", cls.build)
                cls.trainers = pack(cls.base / "trainers", cls.base / "made", Path(cls.build) / "bin" / "ringside")
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
        cls.pip("install", "--no-index", "--no-compile", *filter(None, (cls.wheel, cls.trainers)))

    @classmethod
    def files(cls):
        return {path for path in cls.home.rglob("*") if "__pycache__" not in path.parts}

    def started(self, program, *arguments, **environment):
        """Result of a program in an environment without paths of this machine."""
        return subprocess.run([program, *arguments], cwd="/", capture_output=True, text=True, timeout=240,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.base), "RINGSIDE_RUNS_DIR": str(self.base / "runs"), **environment})

    def ran(self, program, *arguments, **environment):
        done = self.started(program, *arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @contextlib.contextmanager
    def lent(self, folder):
        """Adds a folder to the module path of the environment's Python, until the end of the context."""
        (packages,) = (self.home / "lib").glob("python3*/site-packages")
        (packages / "lent.pth").write_text(f"{folder}\n")
        try:
            yield
        finally:
            (packages / "lent.pth").unlink()

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

    def test_the_window_fills_a_screen_of_wayland_at_any_scale(self):
        if not displays.HAS_WAYLAND or not self.installed("ringside-dashboard").exists():
            self.skipTest("weston is not here, or there is no window")
        script = self.base / "shown.py"
        script.write_text(RANK)
        self.ran(self.installed("ringside"), "run", "--name", "shown", "--devices", "cpu", "--", str(self.home / "bin" / "python"), str(script))
        for scale in (1, 2):
            with self.subTest(scale), displays.wayland(self.base / f"scale_{scale}", scale) as display:
                picture = self.base / f"wayland_{scale}.png"
                self.ran(self.installed("ringside-dashboard"), "last", "--size", "1000x700", "--screenshot", str(picture), "--when", "finished",
                         **display)
                size, quarters = displays.size_and_quarters(picture)
                self.assertEqual(size, (1000 * scale, 700 * scale))
                self.assertGreater(min(quarters), 0.1)

    def test_without_a_display_the_window_names_those_of_x11_and_wayland(self):
        if not self.installed("ringside-dashboard").exists():
            self.skipTest("there is no window")
        none = self.started(self.installed("ringside-dashboard"))
        self.assertEqual(none.returncode, 2)
        self.assertIn("neither DISPLAY, for X11, nor WAYLAND_DISPLAY is set", " ".join(none.stderr.split()))
        gone = self.started(self.installed("ringside-dashboard"), DISPLAY="", WAYLAND_DISPLAY="gone", XDG_RUNTIME_DIR=str(self.base))
        self.assertEqual(gone.returncode, 2)
        self.assertIn("Wayland: Failed to connect to display", " ".join(gone.stderr.split()))

    def test_the_trainer_takes_the_torch_of_its_environment(self):
        if not self.torch:
            self.skipTest("there is no trainer, or no LibTorch for it")
        self.assertRegex(self.trainers.name, r"^ringside_ddp_trainer-[0-9.]+-py3-none-manylinux_2_35_x86_64\.whl$")
        with self.lent(self.torch):
            said = json.loads(self.ran(self.installed("ringside"), "run", "demo", "--quick", "--json").splitlines()[-1])
        self.assertEqual([run["state"] for run in said["runs"]], ["finished", "finished"])

    def test_without_a_supported_torch_the_supported_versions_are_named(self):
        if not self.trainers:
            self.skipTest("there is no trainer")
        for name, text in OTHER_TORCH.items():
            path = self.base / "other" / "torch" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        with self.lent(self.base / "other"):
            for program, arguments, code in (("ringside-trainer", ["--version"], 2), ("ringside", ["run", "demo", "--quick"], 1)):
                with self.subTest(program):
                    done = self.started(self.installed(program), *arguments)
                    self.assertEqual(done.returncode, code, done.stderr)
                    self.assertRegex(" ".join(done.stderr.split()), r"is version 1\.13, and there is a trainer for 2\.\d+")
                    self.assertIn("ringside run -- python train.py", done.stderr)

    def test_uninstalled_nothing_is_left(self):
        self.pip("uninstall", "--yes", *(["ringside-ddp-trainer"] if self.trainers else []), "ringside-ddp")
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
        ProgramWheel.build, ProgramWheel.torch = (*sys.argv[2:], None)[:2]
        if not importlib.util.find_spec("glfw"):
            sys.exit(77)  # skipped: './dev test' fetches what is needed to make a wheel
    else:
        ProgramWheel.wheel, *trainers = (Path(argument).resolve() for argument in sys.argv[1:])
        ProgramWheel.trainers, ProgramWheel.torch = trainers or (None, None)
    unittest.main(argv=sys.argv[:1])
