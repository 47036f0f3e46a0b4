"""Tests how a try of a planted program is judged, without runs."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from try_trials import PLANTED, command_of, table_row, verdict  # noqa: E402


def row(change, kept=False, study="S-01"):
    return {"change": change, "kept": kept, "study": study, "answer": "", "time": "40.0 % less (30.0 to 50.0)", "pairs": 4}


class Judging(unittest.TestCase):
    def test_what_was_planted_has_to_be_kept(self):
        rows = [row("DataLoader.num_workers=2"), row("torch.set_num_threads=1", kept=True)]
        self.assertEqual(verdict(rows, "torch.set_num_threads="), "found")
        self.assertEqual(verdict(rows, "DataLoader.num_workers="), "MISSED")

    def test_where_nothing_is_slow_nothing_may_be_kept(self):
        self.assertEqual(verdict([row("data.workers=2")], None), "nothing changed")
        self.assertEqual(verdict([row("data.workers=2", kept=True)], None), "WRONG: data.workers=2")

    def test_every_program_has_its_command(self):
        for kind in PLANTED:
            words = command_of(kind, "python3")
            self.assertIn("demo" if kind.startswith("our") else kind, words)

    def test_a_line_of_the_table(self):
        rows = [row("a.b=1", kept=True), row("c.d=2", study=None)]
        self.assertEqual(table_row("threads", rows, "found", 61.4),
                         "| threads | found | `a.b=1` 40.0 % less (30.0 to 50.0), 4 pairs | 1 of 2 | 61 s |")


if __name__ == "__main__":
    unittest.main()
