"""The wheel of the programs in clean Debian 11, 12 and 13, as an unprivileged user: wheel_roots_test.py WHEEL FOLDER [TORCH].

Needs root for debootstrap and chroot; the systems are kept in FOLDER. Each has Python and the libraries of a desktop (X11, OpenGL),
but neither a compiler nor ZeroMQ. The window is shown on a virtual display of this machine. TORCH, a site-packages folder, is mounted
into the system whose Python it is for. Prints a table: the size of the wheel, the seconds from pip to the first curve, and the system's
libraries that the window had loaded."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

import displays

SUITES = {"bullseye": "Debian 11", "bookworm": "Debian 12", "trixie": "Debian 13"}
PACKAGES = "python3,python3-venv,libgl1,libgl1-mesa-dri,libx11-6,libxrandr2,libxcursor1,libxinerama1,libxi6,libfontconfig1"
USER = 1000
HOME = "/home/tried"
ENV = f"{HOME}/env"
STEPS = 50
RANK = f"""
import ringside_rank
for step in range({STEPS}):
    ringside_rank.step(loss=1 / (step + 1), samples=4)
"""
TORCH_RANK = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(20):
    optimizer.zero_grad()
    model(torch.ones(4, 8)).mean().backward()
    optimizer.step()
dist.destroy_process_group()
"""
ENTER = """
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && { [ -z "$2" ] || mount --bind "$2" "$1/mnt"; } || exit 99
root=$1 user=$3; shift 3
exec chroot --userspec="$user" "$root" "$@"
"""


def make_root(folder, suite):
    """A clean system with a user, kept in the folder."""
    root = folder / suite
    if not (root / "complete").exists():
        shutil.rmtree(root, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, root], check=True, stdout=subprocess.DEVNULL)
        with open(root / "etc" / "passwd", "a") as users:
            users.write(f"tried:x:{USER}:{USER}::{HOME}:/bin/sh\n")
        (root / "complete").touch()
    return root


def entering(root, *arguments, lent="", user=USER, **environment):
    """The command line that runs a program in a root, with no other environment."""
    words = [f"{name}={value}" for name, value in {"HOME": HOME, "LANG": "C.UTF-8", **environment}.items()]
    return ["unshare", "--mount", "--propagation", "private", "bash", "-c", ENTER, "bash", str(root), str(lent), f"{user}:{user}", "env", "-i",
            "-C", HOME if user else "/", *words, *arguments]


class Root(unittest.TestCase):
    """Test cases of one system, which a subclass names."""

    suite = wheel = folder = torch = None
    rows = []

    @classmethod
    def setUpClass(cls):
        cls.root = make_root(cls.folder, cls.suite)
        shutil.rmtree(cls.root / HOME[1:], ignore_errors=True)
        home = cls.root / HOME[1:]
        home.mkdir(parents=True)
        shutil.copy(cls.wheel, home)
        (home / "rank.py").write_text(RANK)
        (home / "train.py").write_text(TORCH_RANK)
        os.chown(home, USER, USER)
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.display = stack.enter_context(displays.x11())["DISPLAY"]
        cls.ran("/usr/bin/python3", "-m", "venv", ENV)
        cls.before = cls.files()

    @classmethod
    def command(cls, *arguments, torch=""):
        return entering(cls.root, *arguments, lent=torch, PATH=f"{ENV}/bin:/usr/bin:/bin")

    @classmethod
    def ran(cls, *arguments, **options):
        done = subprocess.run(cls.command(*arguments, **options), capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    @classmethod
    def pip(cls, *arguments):
        cls.ran("python", "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-cache-dir", *arguments)

    @classmethod
    def files(cls):
        return {path for path in (cls.root / ENV[1:]).rglob("*") if "__pycache__" not in path.parts}

    def show(self, *arguments):
        return json.loads(self.ran("ringside", "show", "last", "--json", *arguments))

    def test_from_pip_to_the_first_curve(self):
        begun = time.monotonic()
        self.pip("install", "--no-index", f"{HOME}/{self.wheel.name}")
        installed = time.monotonic()
        brought = sum(path.lstat().st_size for path in self.files() - self.before)
        self.assertRegex(self.ran("ringside", "--version"), r"^ringside \d")
        self.assertRegex(self.ran("ringside-agent", "--version"), r"^ringside-agent \d")
        self.assertIn("demo", self.ran("ringside", "presets"))
        self.ran("ringside", "run", "--devices", "cpu", "--", "python", "rank.py")
        self.assertEqual(self.show()["ranks"][0]["steps"], STEPS)
        self.ran("env", f"DISPLAY={self.display}", "ringside-dashboard", "last", "--screenshot", f"{HOME}/curve.png", "--when", "finished")
        shown = time.monotonic()
        self.assertGreater((self.root / HOME[1:] / "curve.png").stat().st_size, 10_000)
        self.rows.append((SUITES[self.suite], brought / 1e6, installed - begun, shown - begun, self.loaded()))
        self.without_a_display()
        self.with_torch()
        self.pip("install", "--no-index", "--force-reinstall", f"{HOME}/{self.wheel.name}")
        self.pip("uninstall", "--yes", "ringside-ddp")
        self.assertEqual(self.files(), self.before)

    def without_a_display(self):
        with self.assertRaisesRegex(AssertionError, "neither DISPLAY, for X11, nor WAYLAND_DISPLAY"):
            self.ran("ringside-dashboard")

    def with_torch(self):
        version = "".join(self.ran("python", "-c", "import sys; print('cpython-%d%d' % sys.version_info[:2])").split())
        if not self.torch or not next((self.torch / "torch").glob(f"_C.{version}-*"), None):
            return
        self.ran("env", "PYTHONPATH=/mnt", "ringside", "run", "--ranks", "2", "--devices", "cpu", "--", "python", "train.py", torch=self.torch)
        self.assertEqual([rank["steps"] for rank in self.show()["ranks"]], [20, 20])

    def loaded(self):
        """Libraries of the system that the window has mapped while it shows the run."""
        window = subprocess.Popen(self.command("env", f"DISPLAY={self.display}", "ringside-dashboard", "last"), stdout=subprocess.DEVNULL)
        self.addCleanup(window.wait)
        self.addCleanup(window.terminate)
        until = time.monotonic() + 120
        names = set()
        while "libGLX_mesa.so" not in names:
            self.assertIsNone(window.poll(), "the window closed")
            self.assertLess(time.monotonic(), until, f"no OpenGL in {sorted(names)}")
            time.sleep(0.1)
            paths = re.findall(r"/\S+\.so\S*", Path(f"/proc/{window.pid}/maps").read_text())
            names = {re.sub(r"(-[\d.]+)?\.so.*", ".so", path.rsplit("/", 1)[-1]) for path in paths if "ringside-ddp" not in path}
        return names


def table(rows):
    print("\n| Root | Installed | pip | pip to first curve | Libraries of the system, window open |\n|---|---|---|---|---|")
    for name, size, pip, curve, names in sorted(rows):
        base = sorted(names & {"libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so"})
        print(f"| {name} | {size:.0f} MB | {pip:.1f} s | {curve:.1f} s | {', '.join(base)}; {', '.join(sorted(names - set(base)))} |")


if __name__ == "__main__":
    Root.wheel, Root.folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    Root.torch = Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
    cases = unittest.TestSuite(type(name, (Root,), {"suite": name})("test_from_pip_to_the_first_curve") for name in SUITES)
    done = unittest.TextTestRunner(verbosity=2).run(cases)
    table(Root.rows)
    sys.exit(not done.wasSuccessful())
