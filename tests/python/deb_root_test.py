"""The .deb in a clean Debian 12: installed, used by an unprivileged user, purged. deb_root_test.py DEB FOLDER; needs root for
debootstrap and chroot. The system is that of the wheel's test, kept in FOLDER; the test works on a copy."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from wheel_roots_test import HOME, RANK, STEPS, USER, entering, make_root

SYSTEM = "/usr/sbin:/usr/bin:/sbin:/bin"
# Folders in which the package manager, man and the user keep files after a purge.
KEPT = ("proc", "dev", "tmp", "home", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log")


class Deb(unittest.TestCase):
    deb = folder = None

    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory(prefix="ringside-deb-")
        cls.addClassCleanup(work.cleanup)
        cls.root = Path(work.name) / "root"
        subprocess.run(["cp", "-a", make_root(cls.folder, "bookworm"), cls.root], check=True)
        for name in ("resolv.conf", "hosts"):
            shutil.copy(f"/etc/{name}", cls.root / "etc" / name)
        shutil.copy(cls.deb, cls.root / "ringside.deb")
        home = cls.root / HOME[1:]
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        (home / "rank.py").write_text(RANK)
        os.chown(home, USER, USER)

    @classmethod
    def ran(cls, *arguments, user=USER):
        done = subprocess.run(entering(cls.root, *arguments, user=user, PATH=SYSTEM, DEBIAN_FRONTEND="noninteractive"), capture_output=True,
                              text=True, timeout=600)
        if done.returncode:
            raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def system(self, *arguments):
        return self.ran(*arguments, user=0)

    def files(self):
        found = set()
        for place, folders, names in os.walk(self.root):
            here = Path(place).relative_to(self.root)
            folders[:] = [name for name in folders if str(here / name) not in KEPT and name != "__pycache__"]
            found.update(str(here / name) for name in (*folders, *names))
        return found

    def test_installed_used_and_purged(self):
        depends = subprocess.run(["dpkg-deb", "-f", self.deb, "Depends"], check=True, capture_output=True, text=True).stdout.strip()
        version = subprocess.run(["dpkg-deb", "-f", self.deb, "Version"], check=True, capture_output=True, text=True).stdout.strip()
        self.system("apt-get", "update", "-qq")
        self.system("apt-get", "satisfy", "-y", "-qq", "--no-install-recommends", depends, "man-db")
        before = self.files()
        begun = time.monotonic()
        self.system("dpkg", "-i", "/ringside.deb")
        seconds = time.monotonic() - begun
        for program in ("ringside", "ringside-agent", "ringside-dashboard"):
            self.assertEqual(self.ran(program, "--version"), f"{program} {version}\n")
        for page in ("ringside", "ringside-dashboard", "ringside-agent"):
            self.assertIn("User Commands", self.ran("man", "-P", "cat", page))
        self.assertIn("demo", self.ran("ringside", "presets"))
        self.assertEqual(self.ran("bash", "-c", ". /usr/share/bash-completion/completions/ringside; COMP_LINE='ringside swe' COMP_POINT=12 "
                                  "_ringside 2>/dev/null; echo ${COMPREPLY[*]}"), "sweep\n")
        self.ran("ringside", "run", "--devices", "cpu", "--", "python3", "rank.py")
        self.assertEqual(json.loads(self.ran("ringside", "show", "last", "--json"))["ranks"][0]["steps"], STEPS)
        brought = self.files() - before
        self.system("apt-get", "purge", "-y", "-qq", "ringside")
        self.assertEqual(self.files() ^ before, set())
        print(f"\n{self.deb.name}: {self.deb.stat().st_size / 1e6:.1f} MB, {len(brought)} files and folders, installed in {seconds:.1f} s, purged")


if __name__ == "__main__":
    Deb.deb, Deb.folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1])
