#!/usr/bin/env python3
"""Compares a trace of ten million events in our Timeline page with the same events in Perfetto's page in a browser, on one
virtual display.

timeline_bench.py --test-bin BUILD/tests/bin [--events N] [--rounds 1], under a display of 1920x1080 (xvfb-run). Sides
alternate; a ratio is the median over rounds of theirs / ours (above 1: ours is faster). Prints one line of JSON; a missing
peer is "SKIPPED". The browser is the system's chromium.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import peers

HERE = Path(__file__).resolve().parent
COMPARED = ("open_s", "frame_ms", "worst_frame_ms")


def said_by(command, limit_s):
    try:
        done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=True, timeout=limit_s)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"{command[0]}: {error}", file=sys.stderr)
        return None
    return json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--test-bin", type=Path, required=True)
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--picture", help="a file for a picture of Perfetto's page")
    options = parser.parse_args()
    python = peers.python_with(peers.NEEDED["timeline"]) if shutil.which("chromium") else None
    ours, theirs = [], []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="timeline-bench-") as folder:
            ours.append(said_by([options.test_bin / "timeline_bench", options.events, folder], 300))
            if ours[-1] is None:
                return 1
            picture = [options.picture] if options.picture else []
            peer = said_by([python, HERE / "timeline_peer.py", folder, *picture], 900) if python else None
            theirs += [peer] if peer else []
    result = {**ours[-1], "rounds": options.rounds, "perfetto": theirs[-1] if theirs else "SKIPPED"}
    for key in COMPARED:
        result[key] = statistics.median(one[key] for one in ours)
        if len(theirs) == len(ours):
            result[f"perfetto_to_ours_{key}"] = statistics.median(b[key] / a[key] for a, b in zip(ours, theirs))
        else:
            result[f"perfetto_to_ours_{key}"] = "SKIPPED"
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
