#!/usr/bin/env python3
"""Compares a frame of our chart with the same values in ImPlot and in pyqtgraph, on one virtual display.

frame_bench.py --test-bin BUILD/tests/bin [--rounds 3], under a display of 1920x1080 (xvfb-run). Sides alternate; a ratio is
the median over rounds of theirs / ours (above 1: ours is faster), by wall time and by processor time. Prints one line of
JSON; a missing peer is "SKIPPED". On Debian, PyQt5 needs the packages libxcb-icccm4, libxcb-keysyms1 and libxcb-xinerama0.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import peers

HERE = Path(__file__).resolve().parent
CASES = ("8x3800", "64x3800", "8x1M")


def said_by(command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=True, timeout=120)
    return json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])


def platform_of_qt(python):
    """Draws to the display, or to memory if libraries for it are missing, which saves pyqtgraph the way to the X
    server."""
    for platform in ("xcb", "offscreen"):
        command = [python, HERE / "frame_peer.py", "--try"]
        environment = dict(os.environ, QT_QPA_PLATFORM=platform)
        if subprocess.run(command, env=environment, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return platform
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--test-bin", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    python = peers.python_with(peers.NEEDED["frame"])
    platform = platform_of_qt(python) if python is not None else None
    if platform is None:
        print("pyqtgraph is SKIPPED: it cannot open a window here", file=sys.stderr)
    else:
        os.environ["QT_QPA_PLATFORM"] = platform
    ours, implot, theirs = [], [], []
    for _ in range(options.rounds):
        ours.append(said_by([options.test_bin / "frame_bench"]))
        implot.append(said_by([options.test_bin / "implot_peer"]))
        if platform is not None:
            theirs.append(said_by([python, HERE / "frame_peer.py"]))
    result = {"bench": "frame", "renderer": ours[0]["renderer"], "rounds": options.rounds, "pyqtgraph_platform": platform}
    for case in CASES:
        for suffix in ("ms", "cpu_ms"):
            mine = [one[f"{case}_{suffix}"] for one in ours]
            sides = {"implot": [one[f"{case}_{suffix}"] for one in implot]}
            if theirs:
                sides["pyqtgraph"] = [one[case][suffix] for one in theirs]
            result[f"{case}_{suffix}"] = statistics.median(mine)
            for name, times in sides.items():
                result[f"{case}_{name}_{suffix}"] = statistics.median(times)
                result[f"{case}_{name}_to_ours_{suffix}"] = statistics.median(b / a for a, b in zip(mine, times))
        if not theirs:
            result[f"{case}_pyqtgraph_to_ours_ms"] = "SKIPPED"
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
