"""Tests the .deb of a build: deb_test.py BUILD_DIR, or an existing .deb. Exit code 77: this system cannot make one."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("ringside", "ringside-agent", "ringside-dashboard")


def said(*command, **environment):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd="/", env={**os.environ, **environment}).stdout


def made(build, folder):
    folder.mkdir()
    return Path(said(ROOT / "cmake" / "dev" / "deb.sh", build, folder, DEB_LEVEL="1").strip())


class Deb(unittest.TestCase):
    build = deb = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-deb-")
        cls.addClassCleanup(folder.cleanup)
        cls.base = Path(folder.name)
        if cls.build:
            cls.deb = made(cls.build, cls.base / "made")
        cls.tree = cls.base / "tree"
        said("dpkg-deb", "-x", cls.deb, cls.tree)

    def test_programs_start_by_their_links_and_find_each_other(self):
        for name in PROGRAMS:
            if (self.tree / "usr" / "bin" / name).exists():
                self.assertRegex(said(self.tree / "usr" / "bin" / name, "--version"), rf"^{name} [0-9.]+\n$")
        self.assertIn("demo", said(self.tree / "usr" / "bin" / "ringside", "presets"))

    def test_pages_completion_and_the_entry_of_the_desktop_lie_where_they_are_looked_for(self):
        share = self.tree / "usr" / "share"
        for link in (self.tree / "usr" / "bin").iterdir():
            self.assertTrue((share / "man" / "man1" / f"{link.name}.1.gz").exists(), link.name)
        for name in ("bash-completion/completions/ringside", "zsh/vendor-completions/_ringside", "fish/vendor_completions.d/ringside.fish"):
            self.assertTrue((share / name).exists(), name)
        if (self.tree / "usr" / "bin" / "ringside-dashboard").exists():
            self.assertTrue((share / "applications" / "io.ringside.Ringside.desktop").exists())

    def test_its_bill_of_materials_has_every_library_and_locked_package(self):
        bill = json.loads((self.tree / "usr/share/doc/ringside/sbom.cdx.json").read_text())
        parts = {(part["name"], part["version"]) for part in bill["components"]}
        facts = json.loads(said(self.tree / "usr" / "bin" / "ringside", "--version", "--json"))
        self.assertLessEqual({(library["name"], library["version"]) for library in facts["libraries"]}, parts)
        torch = [library["version"] for library in facts["libraries"] if library["name"] == "LibTorch"]
        for lock in ("full", "lean"):
            text = (ROOT / "cmake" / "lock" / f"torch-{lock}.txt").read_text()
            if torch and f"torch=={torch[0]} " in text:
                self.assertLessEqual(set(re.findall(r"^([\w.-]+)==(\S+)", text, re.M)), parts)
                break

    def test_the_same_build_gives_the_same_bytes(self):
        if not self.build:
            self.skipTest("it was given")
        self.assertEqual(made(self.build, self.base / "again").read_bytes(), self.deb.read_bytes())


if __name__ == "__main__":
    if Path(sys.argv[1]).is_dir():
        Deb.build = Path(sys.argv[1]).resolve()
        if not shutil.which("dpkg-shlibdeps"):
            sys.exit(77)  # skipped: './dev deb' installs what is needed to make one
    else:
        Deb.deb = Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
