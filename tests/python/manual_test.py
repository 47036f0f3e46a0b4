"""Tests the manual and the README: what they show exists (`commands`), works (`runs`) and is explained in only one place
(`pages`). Each case also plants an error of each kind in memory and expects it to be found."""

import argparse
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.dont_write_bytecode = True
from manual import commands, home, pages  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FEWEST_LINES = 20  # minimum number of lines that are run: with fewer, most of the manual would be marked `long`


def told(problems):
    return "\n".join(f"{one.page}:{one.line}: {one.kind}: {one.text}" for one in problems)


def page_of(text, name="planted"):
    return pages.Page(name, text)


def manual():
    return pages.read_pages(ROOT_OF_PAGES / "README.md", ROOT_OF_PAGES / "assets/manual")


class Pages(unittest.TestCase):
    GOOD = "# Planted\n\nFind what was planted on purpose.\n\n## Find it\n\nText.\n"

    def problems(self, *changes, readme=None):
        """Problems of the real pages, or of a correct page with `changes`, which are pairs of old and new text."""
        text = self.GOOD
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        all_pages = [*manual(), page_of(text)]
        row = "\n| plant | [planted](assets/manual/planted.md) |\n"
        all_pages[0] = page_of(all_pages[0].text + row if readme is None else readme(all_pages[0].text + row), "README")
        return [(one.kind, one.page) for one in pages.check_pages(all_pages, ROOT_OF_PAGES)]

    def test_every_page_is_in_order(self):
        self.assertGreater(len(manual()), 1)
        problems = list(pages.check_pages(manual(), ROOT_OF_PAGES))
        self.assertEqual([], problems, told(problems))

    def test_a_good_page_is_found_good(self):
        self.assertNotIn("planted", [page for _, page in self.problems()])

    def test_problems_of_a_page_are_reported(self):
        planted = {
            "opening": [("# Planted\n\n", "# Planted\n"), ("# Planted", "Planted"), ("purpose.", "purpose. And more.")],
            "fence": [("Text.", "```sh\nringside"), ("Text.", "```bash\n```"), ("Text.", "```\n```"),
                      ("Text.", "```sh tomorrow\n```"), ("Text.", "```toml gpu\n```")],
            "heading": [("## Find it", "# Find it"), ("## Find it", "#### Find it")],
            "markdown": [("Text.", "![a picture](live.png)"), ("Text.", "A <b>bold</b> word."), ("Text.", "- one\n  - two"),
                         ("Text.", "> said")],
            "link": [("Text.", "[it](nowhere.md)"), ("Text.", "[it](start.md#nowhere)"), ("Text.", "[it](#nowhere)"),
                     ("Text.", "[it](../../README.md)"), ("Text.", "[it](https://example.org)")],
            "sentence": [("Text.", "It is said twice on purpose. It is said **twice**\non purpose."),
                         ("Text.", "So find what was planted.\n\n- Find what was planted on purpose.")],
        }
        for kind, changes in planted.items():
            for change in changes:
                with self.subTest(kind=kind, change=change):
                    self.assertIn((kind, "planted"), self.problems(change))

    def test_a_sentence_of_another_page_is_found(self):
        first = next(sentence for _, sentence in manual()[0].sentences() if len(sentence.split()) > pages.FEWEST_WORDS)
        self.assertIn(("sentence", "planted"), self.problems(("Text.", first)))

    def test_problems_of_the_readme_are_reported(self):
        size = "x" * pages.README_MOST_BYTES
        row = "| [planted](assets/manual/planted.md) |"
        cases = [("size", lambda text: text + size), ("topics", lambda text: text.replace("assets/manual/planted.md", "LICENSE")),
                 ("topics", lambda text: text + row), ("topics", lambda text: text + row.replace("planted.md", "nowhere.md")),
                 ("link", lambda text: text + "[it](nowhere/nothing.md)"),
                 ("link", lambda text: text + "[it](assets/manual/planted.md#nowhere)")]
        for kind, change in cases:
            with self.subTest(kind=kind):
                self.assertIn((kind, "README"), self.problems(readme=change))


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.checker = commands.Checker(commands.Programs(PROGRAMS, ROOT / "dev"))

    def test_every_command_that_is_shown_exists(self):
        problems = [problem for page in manual() for problem in self.checker.check(page)]
        self.assertEqual([], problems, told(problems))

    def test_a_good_line_is_found_good(self):
        for line in ("ringside run demo --set train.epochs=5", "ringside show last   # what became of it", "ringside",
                     "ringside run --ranks 2 --env OMP_NUM_THREADS=4 -- python train.py --lr 0.1", "./dev test",
                     "srun --ntasks 8 ringside resume RUN", "export PATH=$PWD/bin:$PATH", "ringside data get mnist --root DIR"):
            with self.subTest(line=line):
                self.assertEqual([], list(self.checker.check(page_of(f"```sh\n{line}\n```"))))

    def test_problems_of_a_line_are_reported(self):
        for line in ("ringsite run demo", "ringside walk", "ringside run demo --quik", "ringside run dmo",
                     "ringside data fetch mnist", "ringside data get mnst",
                     "ringside run demo --set train.epoch=5", "ringside show NAME", "ringside show S-02", "ringside attach ssh://bax",
                     "ringside run -- python other.py", "ringside list; ringside show last", "ringside run demo \\", "./dev walk",
                     "ringside doctor --links --preset dmo", "srun ringside walk", "ringside-agent --walk DIR", "ringside run 'demo",
                     "ringside watch runs/exp1", "ringside list last", "ringside data get mnist --rot DIR", "ringside sweep e9_table",
                     "ringside run -- ringsite", "ringside export RUN --csv TABLES"):
            with self.subTest(line=line):
                self.assertNotEqual([], list(self.checker.check(page_of(f"```sh\n{line}\n```"))))

    def test_code_within_text_is_read_too(self):
        for code in ("ringside walk", "ringside run demo --quik", "--quik", "./dev walk"):
            with self.subTest(code=code):
                self.assertNotEqual([], list(self.checker.check(page_of(f"Take `{code}`."))))
        self.assertEqual([], list(self.checker.check(page_of("Take `ringside run --quick` or `--quick` or `./dev run`."))))


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.runner = home.Runner(PROGRAMS, Path(folder.name))

    def setUp(self):
        self.runner.found.clear()
        self.runner.ran.clear()

    def test_commands_shown_in_the_manual_work(self):
        for page in manual():
            if not ONLY or page.name in ONLY:
                self.runner.run(page)
        self.assertEqual([], self.runner.found, told(self.runner.found))
        print(f"{len(self.runner.ran)} lines in {sum(seconds for *_, seconds in self.runner.ran):.0f} s")
        if not ONLY:
            self.assertGreaterEqual(len(self.runner.ran), FEWEST_LINES)

    def test_what_does_not_work_is_found(self):
        for wrong in ("ringside show nothing", "ringside list   # exit code 2", "ringside show nothing   # exit code 1"):
            with self.subTest(line=wrong):
                self.runner.found.clear()
                self.runner.run(page_of(f"```sh\n{wrong}\n```"))
                self.assertEqual(["run"], [one.kind for one in self.runner.found])
        self.runner.found.clear()
        self.runner.run(page_of("```sh long\nringside run demo --set devices.world_size=0\n```"))
        self.assertEqual(["run"], [one.kind for one in self.runner.found])

    def test_a_command_that_runs_too_long_is_reported(self):
        with unittest.mock.patch.object(home, "PATIENCE_S", 0.5):
            self.runner.run(page_of("```sh\ntail -f /dev/null\n```"))
        self.assertEqual(["run"], [one.kind for one in self.runner.found])

    def test_a_page_whose_commands_work_has_no_problem(self):
        self.runner.run(page_of("```sh\nringside show RUN\nringside show nothing   # exit code 2\n```\n```sh gpu\nfalse\n```"))
        self.assertEqual([], self.runner.found)
        self.assertEqual(2, len(self.runner.ran))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=["pages", "commands", "runs"])
    parser.add_argument("--build", type=Path, help="the build folder, whose bin has the programs")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder of README.md and assets/manual")
    parser.add_argument("--only", action="append", default=[], help="of runs: this page (repeatable)")
    given = parser.parse_args()
    PROGRAMS, ROOT_OF_PAGES, ONLY = given.build and given.build.resolve() / "bin", given.root.resolve(), given.only
    unittest.main(argv=[sys.argv[0], given.case.capitalize()], verbosity=2)
