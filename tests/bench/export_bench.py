#!/usr/bin/env python3
"""Compares the CSV export of a finished run with pandas and DuckDB writing the same table.

export_bench.py --test-bin BUILD/tests/bin [--rows 400000] [--rounds 7]. Ours starts from the log file; the peers start
from the table in memory, which favours them. A ratio is the median over rounds of theirs / ours (above 1: ours is
faster), by wall clock and by processor time; the control is ours against ours. The output of every side is read back and
compared bit by bit. Prints one line of JSON; a peer that cannot be installed is "SKIPPED".
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import peers

FLOATS = ["loss", "grad_norm", "loss_scale"]


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(action):
    wall, cpu = time.perf_counter(), cpu_seconds()
    action()
    return {"wall_s": time.perf_counter() - wall, "cpu_s": cpu_seconds() - cpu}


def ours(program, log, folder):
    done = subprocess.run([program, "export", log, folder], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def ratio(theirs, our, key):
    each = [a[key] / b[key] for a, b in zip(theirs, our)]
    return round(statistics.median(each), 2), round(min(each), 2)


def same(path, table, pandas):
    """Checks that every number read back has the exact same value."""
    again = pandas.read_csv(path, float_precision="round_trip", dtype={name: "float32" for name in FLOATS})
    return all(again[name].astype("float64").equals(table[name].astype("float64")) for name in table.columns[1:])


def measure(options, folder):
    import pandas

    program = Path(options.test_bin) / "export_bench"
    log = folder / "node_0.log"
    subprocess.run([program, "make", log, str(options.rows)], check=True)
    out = folder / "ours"
    ours(program, log, out)
    steps = out / "steps.csv"
    table = pandas.read_csv(steps, float_precision="round_trip", dtype={name: "float32" for name in FLOATS})
    writers = {"pandas": lambda: table.to_csv(folder / "pandas.csv", index=False)}
    versions = {"pandas": pandas.__version__}
    try:
        import duckdb

        base = duckdb.connect()
        base.register("frame", table)
        base.execute("create table steps as select * from frame")
        writers["duckdb"] = lambda: base.execute(f"copy steps to '{folder / 'duckdb.csv'}' (header, delimiter ',')")
        versions["duckdb"] = duckdb.__version__
    except ImportError:
        pass
    times = {name: [] for name in ["ours", "control", *writers]}
    for _ in range(options.rounds):
        times["ours"].append(ours(program, log, out))
        for name, write in writers.items():
            times[name].append(timed(write))
        times["control"].append(ours(program, log, out))
    size = steps.stat().st_size
    result = {"bench": "csv_export", "rows": options.rows, "size_bytes": size, "versions": versions,
              "ours_mb_per_s": round(size / 1e6 / statistics.median(t["cpu_s"] for t in times["ours"]), 1)}
    for name in ["control", *writers]:
        for key in ["wall_s", "cpu_s"]:
            middle, worst = ratio(times[name], times["ours"], key)
            result[f"{name}_{key[:-2]}"] = {"median": middle, "worst": worst}
    result["exact"] = {name: same(folder / f"{name}.csv", table, pandas) for name in writers}
    result["exact"]["ours"] = len(table) == options.rows
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--test-bin", required=True)
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    peers.restart_with(peers.NEEDED["csv"])
    if os.environ.get("RINGSIDE_BENCH_PEERS") != "1":
        print(json.dumps({"bench": "csv_export", "pandas": "SKIPPED", "duckdb": "SKIPPED"}))
        return
    with tempfile.TemporaryDirectory(prefix="ringside-bench-") as folder:
        print(json.dumps(measure(options, Path(folder))))


if __name__ == "__main__":
    sys.exit(main())
