#!/usr/bin/env python3
"""Does `ringside try` find what slows down the programs of planted.py, and change nothing in the one that is not slowed down? Each program is tried
as a person would, and so is a recipe of our trainer with too many threads in its settings. `./dev insight --try` runs it; the result is the table
in tests/insight.md."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PLANTED = {
    "one_worker": "DataLoader.num_workers=",
    "tiny_buckets": "DistributedDataParallel.bucket_cap_mb=",
    "threads": "torch.set_num_threads=",
    "accumulation": "DistributedDataParallel.no_sync=",
    "anomaly": "torch.set_detect_anomaly=",
    "tuned": None,
    "our_threads": "devices.threads=",
    "our_tuned": None,
}
OURS = {"our_threads": 8, "our_tuned": 1}  # threads per rank, of two ranks
PATIENCE_S = 1800


def verdict(rows, wanted):
    """Judges the table of a try against the planted cause. `wanted`: how the name of the right change begins; None: no change helps."""
    kept = [row["change"] for row in rows if row["kept"]]
    if wanted is None:
        return "nothing changed" if not kept else "WRONG: " + ", ".join(kept)
    return "found" if any(name.startswith(wanted) for name in kept) else "MISSED"


def command_of(kind, python):
    if kind not in OURS:
        return ["--ranks", "2", "--devices", "cpu", "--", python, "-B", str(HERE / "planted.py"), kind]
    sets = {"devices.world_size": 2, "devices.threads": OURS[kind], "devices.when_busy": "share", "baseline.mode": "none"}
    return ["demo", "--quick", *(word for key, value in sets.items() for word in ("--set", f"{key}={value}"))]


def trial(ringside, kind, options, environment):
    begun = time.monotonic()
    words = [ringside, "try", "--budget", options.budget, "--json", *command_of(kind, options.python)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f"{kind}: exit {done.returncode}: {done.stderr[-800:]}")
    rows = json.loads(done.stdout.splitlines()[-1])["rows"]
    said = verdict(rows, PLANTED[kind])
    print(f"{kind}: {said}, {time.monotonic() - begun:.0f} s", flush=True)
    for row in rows:
        print(f"    {row['change']}: {row['answer']}; {row['time'] or '–'}; numbers {row['numbers'] or '–'}", flush=True)
    return rows, said, time.monotonic() - begun


def table_row(kind, rows, said, seconds):
    tried = [row for row in rows if row["study"]]
    kept = "; ".join(f"`{row['change']}` {row['time']}, {row['pairs']} pairs" for row in rows if row["kept"]) or "–"
    return f"| {kind} | {said} | {kept} | {len(tried)} of {len(rows)} | {seconds:.0f} s |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=sys.executable, help="one that has torch")
    parser.add_argument("--budget", default="3m")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the runs in this folder")
    parser.add_argument("kinds", nargs="*", default=list(PLANTED), help=", ".join(PLANTED))
    options = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory(prefix="ringside-insight-") as temporary:
        root = options.keep or pathlib.Path(temporary)
        environment = dict(os.environ, RINGSIDE_RUNS_DIR=str(root / "runs"), XDG_STATE_HOME=str(root / "state"))
        for kind in options.kinds:
            lines.append((kind, *trial(options.build.resolve() / "bin/ringside", kind, options, environment)))
    print("| program | verdict | kept: time of equal work | tried | took |")
    print("|---" * 5 + "|")
    for line in lines:
        print(table_row(*line))
    bad = sum(said.split(":")[0] not in ("found", "nothing changed") for _, _, said, _ in lines)
    print(f"{bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
