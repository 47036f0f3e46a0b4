"""One rank of a plain script sleeps in its loader, forward or backward: `ringside show` names that rank and that phase. Only
under RINGSIDE_SCRIPTS=1 (`./dev test --scripts`). Exit code 77: skipped, with the reason."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "scripts" / "plain.py"
PATIENCE_S = 200
PHASES = {"loader": "data", "forward": "forward", "backward": "backward"}


class LateRank(unittest.TestCase):
    def alerts(self, world, late, phase):
        with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
            env = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
            env.update(RINGSIDE_RUNS_DIR=folder, OMP_NUM_THREADS="1")
            ran = subprocess.run(
                [RINGSIDE, "run", "--ranks", str(world), "--devices", "cpu", "--json", "--", sys.executable, "-B", str(SCRIPT), "--epochs",
                 "4", "--samples", str(64 * world), "--delay", f"{phase}:0.03", "--delay-rank", str(late)],
                env=env, capture_output=True, text=True, timeout=PATIENCE_S)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            shown = subprocess.run([RINGSIDE, "show", "last", "--json"], env=env, capture_output=True, text=True, timeout=PATIENCE_S)
            return [alert for alert in json.loads(shown.stdout)["alerts"] if alert["kind"] == "late_rank"]

    def test_the_rank_and_the_phase_are_named(self):
        for world, late in ((2, 1), (2, 0), (3, 1)):
            for phase, name in PHASES.items():
                with self.subTest(world=world, late=late, phase=phase):
                    self.assertEqual([(one["rank"], one["phase"]) for one in self.alerts(world, late, phase)], [(late, name)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ringside", required=True)
    options, rest = parser.parse_known_args()
    RINGSIDE = options.ringside
    if os.environ.get("RINGSIDE_SCRIPTS") != "1":
        print("SKIPPED: ./dev test --scripts runs it")
        sys.exit(77)
    try:
        import torch  # noqa: F401
    except ImportError as error:
        print(f"SKIPPED: this Python cannot import torch ({error})")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
