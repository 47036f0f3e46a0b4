"""Tests the AppImage: appimage_test.py FILE, or --build FOLDER to make one from that build. Exit code 77: this system cannot make one."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import displays
import program_wheel_test
from program_wheel_test import PROGRAMS, RANK, ROOT, STEPS

MOST_BYTES = 30_000_000
NAME = "io.ringside.Ringside"


def made(build, tree, out):
    out.mkdir()
    command = [ROOT / "cmake" / "dev" / "appimage.sh", build, tree, out]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


class AppImage(unittest.TestCase):
    build = given = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-appimage-")
        cls.addClassCleanup(folder.cleanup)
        cls.base = Path(folder.name)
        if cls.build:
            subprocess.run([ROOT / "cmake" / "dev" / "bundle.sh", cls.build, cls.base / "tree", *PROGRAMS], check=True)
            program_wheel_test.link(cls.build, cls.base / "tree")
            cls.given = made(cls.build, cls.base / "tree", cls.base / "made")
        cls.file = cls.base / "a folder" / "Ringside here.AppImage"
        cls.file.parent.mkdir()
        shutil.copy(cls.given, cls.file)

    def command(self, *arguments, program=None, **environment):
        words = {"PATH": "/usr/bin:/bin", "HOME": str(self.base / "home"), "RINGSIDE_RUNS_DIR": str(self.base / "runs"), **environment}
        return {"args": [program or self.file, *arguments], "cwd": self.base, "env": words, "text": True}

    def started(self, *arguments, **options):
        return subprocess.run(**self.command(*arguments, **options), capture_output=True, timeout=240)

    def ran(self, *arguments, **options):
        done = self.started(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *arguments, **options):
        done = self.started(*arguments, **options)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def unpacked(self, cache):
        (folder,) = (self.base / cache / "ringside").glob("appimage-*")
        return folder

    def test_it_is_an_appimage_of_the_second_type_and_needs_no_library(self):
        content = self.file.read_bytes()
        self.assertEqual(content[:4] + content[8:11], b"\x7fELFAI\2")
        begin = int(self.ran("--appimage-offset"))
        self.assertEqual(content[begin:begin + 4], b"hsqs")
        self.assertLess(len(content), MOST_BYTES)
        self.assertRegex(self.given.name, r"^Ringside-[0-9.]+-x86_64\.AppImage$")
        listed = subprocess.run(["readelf", "--program-headers", self.file], check=True, capture_output=True, text=True).stdout
        self.assertNotRegex(listed, "INTERP|DYNAMIC")

    def test_a_desktop_finds_its_entry_and_icon(self):
        self.ran("--appimage-extract")
        self.addCleanup(shutil.rmtree, self.base / "squashfs-root")
        root = self.base / "squashfs-root"
        (entry,) = root.glob("*.desktop")
        icon = re.search(r"^Icon=(.*)$", entry.read_text(), re.M)[1]
        for file in (".DirIcon", f"{icon}.svg", f"usr/share/icons/hicolor/scalable/apps/{icon}.svg", f"usr/share/metainfo/{NAME}.metainfo.xml"):
            self.assertGreater((root / file).stat().st_size, 0, file)
        for part in ("squashfuse", "glibc", "GLFW"):
            self.assertTrue((root / "usr" / "licences" / part).exists(), part)

    def test_the_first_start_unpacks_and_later_ones_use_that(self):
        first = self.ran("--version", XDG_CACHE_HOME=str(self.base / "once"))
        self.assertRegex(first, r"^ringside [0-9.]+\n$")
        kept = (self.unpacked("once") / "AppRun").stat()
        self.assertEqual(self.ran("--version", XDG_CACHE_HOME=str(self.base / "once")), first)
        self.assertEqual((self.unpacked("once") / "AppRun").stat(), kept)

    def test_a_first_start_that_was_ended_is_made_up_for(self):
        self.ran("--version", XDG_CACHE_HOME=str(self.base / "ended"))
        folder = self.unpacked("ended")
        whole = (folder / "usr" / "bin" / "ringside").read_bytes()
        (folder / "usr" / "bin" / "ringside").write_bytes(whole[:1000])
        (folder / "AppRun").unlink()
        folder.rename(folder.with_name(folder.name + ".part"))
        self.ran("--version", XDG_CACHE_HOME=str(self.base / "ended"))
        self.assertEqual((self.unpacked("ended") / "usr" / "bin" / "ringside").read_bytes(), whole)

    def test_two_first_starts_at_once_do_not_disturb_each_other(self):
        command = self.command("presets", XDG_CACHE_HOME=str(self.base / "both"))
        both = [subprocess.Popen(**command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        for one in both:
            said, errors = one.communicate(timeout=240)
            self.assertEqual(one.returncode, 0, errors)
            self.assertIn("demo", said)
        self.unpacked("both")

    def test_through_a_link_with_the_name_of_a_program_it_is_that_program(self):
        for name in PROGRAMS:
            link = self.base / "links" / name
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(self.file)
            self.assertRegex(self.ran("--version", program=link), rf"^{name} [0-9.]+\n$")

    def test_what_prevents_unpacking_is_said_with_a_way_out(self):
        self.assertRegex(self.refused("--version", XDG_CACHE_HOME="/proc/nowhere"), "/proc/nowhere/ringside/; set XDG_CACHE_HOME to a folder")
        self.assertIn("--appimage-extract unpacks", self.refused("--appimage-mount"))
        short = self.base / "short.AppImage"
        short.write_bytes(self.file.read_bytes()[:-1_000_000])
        short.chmod(0o755)
        self.assertIn("is damaged or incomplete", self.refused("--version", program=short, XDG_CACHE_HOME=str(self.base / "short")))

    def test_a_script_is_a_rank_and_the_window_shows_its_run(self):
        script = self.base / "rank.py"
        script.write_text(RANK)
        self.ran("run", "--devices", "cpu", "--", "/usr/bin/python3", str(script))
        (rank,) = json.loads(self.ran("show", "last", "--json"))["ranks"]
        self.assertEqual(rank["steps"], STEPS)
        (run,) = (self.base / "runs").glob("*/spec.toml")
        shown = [("x11", displays.x11())]
        if displays.HAS_WAYLAND:
            shown.append(("wayland", displays.wayland(self.base / "runtime")))
        for name, display in shown:
            with self.subTest(name), display as variables:
                picture = self.base / f"{name}.png"
                self.ran(str(run.parent), "--size", "1000x700", "--screenshot", str(picture), "--when", "finished", **variables)
                size, quarters = displays.size_and_quarters(picture)
                self.assertEqual(size, (1000, 700))
                self.assertGreater(min(quarters), 0.1)

    def test_the_same_programs_give_the_same_bytes_elsewhere_and_later(self):
        if not self.build:
            self.skipTest("it was given")
        tree = self.base / "elsewhere" / "of another length"
        shutil.copytree(self.base / "tree", tree, copy_function=shutil.copy)
        self.assertEqual(made(self.build, tree, self.base / "again").read_bytes(), self.given.read_bytes())


if __name__ == "__main__":
    if sys.argv[1] == "--build":
        AppImage.build = sys.argv[2]
        if not (importlib.util.find_spec("glfw") and shutil.which("mksquashfs") and Path("/usr/include/squashfuse").exists()):
            sys.exit(77)  # skipped: './dev test' fetches what is needed to make one
    else:
        AppImage.given = Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
