"""A rank does not reach a collective of its group while others continue: as long as this lasts, the program of --on-alert and
`ringside show` name it with its group; afterwards, or if all ranks arrive, no rank is named. Only under RINGSIDE_SCRIPTS=1
(`./dev test --scripts`). Exit code 77: skipped, with the reason."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "scripts" / "group_hang.py"
PATIENCE_S = 200
ON_ALERT = """#!/bin/sh
printf '%s\\t%s\\t%s\\n' "$RINGSIDE_ALERT" "$RINGSIDE_RANK" "$RINGSIDE_ALERT_TEXT" >> "$0.said"
"""
NAMES = ("rank_hung", "rank_silent")


class GroupHang(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
        self.env.update(RINGSIDE_RUNS_DIR=held.name, OMP_NUM_THREADS="1")
        self.told = self.folder / "on_alert"
        self.told.write_text(ON_ALERT)
        self.told.chmod(0o755)

    def begin(self, kind, slow):
        self.run_ = subprocess.Popen(
            [RINGSIDE, "run", "--ranks", "4", "--devices", "cpu", "--on-alert", str(self.told), "--json", "--", sys.executable, "-B",
             str(SCRIPT), kind, str(self.folder), str(slow)], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end)

    def end(self):
        (self.folder / "go").touch()
        (self.folder / "end").touch()
        errors = self.run_.communicate(timeout=PATIENCE_S)[1]
        return self.run_.returncode, errors

    def heard(self):
        """Alerts about ranks that the program received: (kind, rank, sentence)."""
        said = Path(f"{self.told}.said")
        lines = said.read_text().splitlines() if said.exists() else []
        return [tuple(line.split("\t")) for line in lines if line.split("\t")[0] in NAMES]

    def shown(self):
        shown = subprocess.run([RINGSIDE, "show", "last", "--json"], env=self.env, capture_output=True, text=True, timeout=PATIENCE_S)
        return json.loads(shown.stdout) if shown.returncode == 0 else {"alerts": [], "steps": 0}

    def hung(self):
        return [alert["text"] for alert in self.shown()["alerts"] if alert["kind"] in NAMES]

    def until(self, true, what):
        deadline = time.monotonic() + PATIENCE_S
        while not true():
            self.assertIsNone(self.run_.poll(), what)
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.2)

    def check(self, kind, slow, begin, end):
        self.begin(kind, slow)
        self.until(lambda: self.shown()["steps"] > 0, "it does not run")
        before = len(self.heard())  # a rank whose first step takes long is named, too
        self.until(lambda: len(self.heard()) > before, "nobody is named")
        kind_said, rank, text = self.heard()[before]
        self.assertEqual((kind_said, rank), ("rank_hung", str(slow)), text)
        self.assertTrue(text.startswith(f"Rank {slow} has not entered {begin}"), text)
        self.assertTrue(text.endswith(end), text)
        named = [text.split(" for ")[0]]
        self.until(lambda: [one.split(" for ")[0] for one in self.hung()] == named, "show names another or nobody")
        (self.folder / "go").touch()
        self.until(lambda: not self.hung(), "it is named still, though all go on")
        code, errors = self.end()
        self.assertEqual(code, 0, errors)
        self.assertEqual([one[:2] for one in self.heard()[before:]], [("rank_hung", str(slow))], self.heard())

    def test_in_a_group_by_hand(self):
        self.check("pairs", 3, "all-reduce 48 of pair (r2-r3) for ", "; rank 2 waits.")

    def test_in_a_dimension_of_a_mesh(self):
        self.check("hsdp", 1, "all-gather ", " s; rank 0 waits.")
        self.assertIn(" of shard (r0-r1) for ", self.heard()[-1][2])

    def test_no_rank_is_named_if_all_ranks_come(self):
        self.begin("pairs", -1)
        self.until(lambda: self.shown()["steps"] > 0, "it does not run")
        begun, before = time.monotonic(), len(self.heard())
        self.until(lambda: time.monotonic() - begun > 14, "")  # longer than a hang may last without an alert
        code, errors = self.end()
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.heard()[before:], [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ringside", required=True)
    options, rest = parser.parse_known_args()
    RINGSIDE = options.ringside
    if os.environ.get("RINGSIDE_SCRIPTS") != "1":
        print("SKIPPED: ./dev test --scripts runs it")
        sys.exit(77)
    try:
        from torch.distributed.fsdp import fully_shard  # noqa: F401
    except ImportError as error:
        print(f"SKIPPED: this Python has no torch with fully_shard ({error})")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
