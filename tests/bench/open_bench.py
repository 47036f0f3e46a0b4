#!/usr/bin/env python3
"""Compares opening a finished run with TensorBoard's own reader on the same steps.

open_bench.py --test-bin BUILD/tests/bin [--steps 10000] [--ranks 2] [--rounds 7]. Both sides have eight scalars per step
and rank (loss, samples, rate, and times). TensorBoard's EventAccumulator loads its event files, one folder per rank, as
its backend does; ours reads the log into the model and computes the 1,920 pixel columns of a first plot. The ratio is
theirs / ours by processor time (above 1: ours is faster). Prints one line of JSON; a missing peer is "SKIPPED".
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import peers

TAGS = ["loss", "samples", "lr", "data_wait", "forward", "backward", "exposed_comm", "step_time"]


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def write_events(folder, steps, ranks):
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    for rank in range(ranks):
        writer = EventFileWriter(str(folder / f"rank_{rank}"))
        for step in range(steps):
            for tag in TAGS:
                value = Summary.Value(tag=tag, simple_value=float(step % 97))
                writer.add_event(Event(wall_time=float(step), step=step, summary=Summary(value=[value])))
        writer.close()


def read_events(folder, ranks):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    start = cpu_seconds()
    kept = 0
    for rank in range(ranks):
        accumulator = EventAccumulator(str(folder / f"rank_{rank}"))
        accumulator.Reload()
        kept += len(accumulator.Scalars("loss"))
    return cpu_seconds() - start, kept


def measure(options, folder):
    import tensorboard

    program = Path(options.test_bin) / "open_bench"
    log = folder / "node_0.log"
    subprocess.run([program, "make", log, str(options.steps), str(options.ranks)], check=True)
    write_events(folder / "events", options.steps, options.ranks)
    each, controls, ours, kept = [], [], [], 0
    for _ in range(options.rounds):
        mine = json.loads(subprocess.run([program, "open", log], check=True, capture_output=True, text=True).stdout)
        theirs, kept = read_events(folder / "events", options.ranks)
        again = json.loads(subprocess.run([program, "open", log], check=True, capture_output=True, text=True).stdout)
        ours.append(mine)
        each.append(theirs / mine["open_cpu_s"])
        controls.append(again["open_cpu_s"] / mine["open_cpu_s"])
    scalars = options.steps * options.ranks * len(TAGS)
    return {"bench": "open_run", "steps": options.steps, "ranks": options.ranks, "scalars": scalars,
            "versions": {"tensorboard": tensorboard.__version__},
            "ours_records_per_s": round(ours[0]["records"] / statistics.median(o["open_cpu_s"] for o in ours)),
            "tensorboard_cpu": {"median": round(statistics.median(each), 1), "worst": round(min(each), 1)},
            "bare_read_cpu": {"median": round(statistics.median(o["bare_over_open"] for o in ours), 3)},
            "control_cpu": {"median": round(statistics.median(controls), 2)},
            "points_kept_per_rank": {"ours": options.steps, "tensorboard": kept // options.ranks}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--test-bin", required=True)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    peers.restart_with(peers.NEEDED["open"])
    if os.environ.get("RINGSIDE_BENCH_PEERS") != "1":
        print(json.dumps({"bench": "open_run", "tensorboard": "SKIPPED"}))
        return
    with tempfile.TemporaryDirectory(prefix="ringside-bench-") as folder:
        print(json.dumps(measure(options, Path(folder))))


if __name__ == "__main__":
    sys.exit(main())
