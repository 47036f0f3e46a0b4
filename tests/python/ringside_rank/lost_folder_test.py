"""A run folder that is missing, read-only or full: the script trains to its end with its own exit code, and one line says that
nothing is recorded. With the real library. No torch."""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PRODUCT = Path(__file__).resolve().parents[3] / "trainer" / "python"
LIBRARIES = []
SCRIPT = """
import sys
import ringside_rank as rs
for step in range(3):
    rs.step(loss=1.0, samples=4)
    rs.log(weight=2.0)
with rs.evaluating(0) as result:
    result.add(0.5, 3, 4)
print("END", rs.active(), rs.stop_requested())
sys.exit(int(sys.argv[1]))
"""


def no_room():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def folder_of_rank(run):
    folder = run / "attempt_0" / "rank_0"
    folder.parent.mkdir(parents=True)
    return folder


def gone(run):
    pass


def a_file(run):
    run.write_text("")


def without_its_rank(run):
    run.mkdir()


def without_its_agent(run):
    folder_of_rank(run).mkdir()


def read_only(run):
    folder_of_rank(run).symlink_to("/sys/kernel")  # not writable, even for root


class LostFolder(unittest.TestCase):
    def check(self, prepare, in_child=None):
        for library in LIBRARIES:
            for code in (0, 3):
                with self.subTest(library=library, code=code), tempfile.TemporaryDirectory() as base:
                    run = Path(base) / "run"
                    prepare(run)
                    env = {name: value for name, value in os.environ.items() if not name.startswith(("RINGSIDE_", "TORCHELASTIC_"))}
                    env.update(RANK="0", WORLD_SIZE="1", RINGSIDE_RUN_DIR=str(run), RINGSIDE_ATTEMPT="0", RINGSIDE_NODE="0",
                               RINGSIDE_RANK="0/1", RINGSIDE_RANK_LIBRARY=library, RINGSIDE_INSTRUMENT="1",
                               PYTHONPATH=os.pathsep.join([str(PRODUCT / "inject"), str(PRODUCT)]))
                    done = subprocess.run([sys.executable, "-B", "-c", SCRIPT, str(code)], env=env, capture_output=True, text=True,
                                          timeout=60, preexec_fn=in_child)
                    self.assertEqual((done.returncode, done.stdout), (code, "END False False\n"))
                    self.assertRegex(done.stderr, r"\Aringside_rank: this rank reports nothing: [^\n]+\n\Z")
                    self.assertIn(str(run), done.stderr)

    def test_it_is_gone(self):
        self.check(gone)

    def test_a_file_is_in_its_place(self):
        self.check(a_file)

    def test_the_rank_has_no_folder_in_it(self):
        self.check(without_its_rank)

    def test_no_agent_is_there(self):
        self.check(without_its_agent)

    def test_it_is_read_only(self):
        self.check(read_only)

    def test_it_is_full(self):
        self.check(without_its_agent, no_room)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    given, rest = parser.parse_known_args()
    LIBRARIES += given.library, "/none/libringside_rank.so"
    unittest.main(argv=[sys.argv[0], *rest])
