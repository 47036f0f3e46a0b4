#!/usr/bin/env python3
"""Measures the cost of instrumentation for a script: script_bench.py --bin BUILD/bin [--rounds 3], with a Python that has torch.

Blocks of bare and of instrumented steps alternate within one process; each instrumented block is compared with the mean of its
bare neighbours. Short steps measure the hooks, in microseconds of processor time of the training thread and of all threads;
steps of 20 ms, most of it waiting as for a device, measure the same with cold caches, and the total cost in wall time, each with
a control of bare against bare. It also counts waits for a device, and times one call of ours, of TensorBoard's writer and of wandb
offline, in a script that is not instrumented."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOOP = HERE / "script_loop.py"
WAITING = HERE.parent / "python" / "scripts" / "device_like.py"


def printed(options, instrument, ranks, word, *command):
    """The text that rank 0 printed after the keyword."""
    with tempfile.TemporaryDirectory(prefix="ringside-bench-") as folder:
        spec = Path(folder) / "run.toml"
        argv = json.dumps([sys.executable, *map(str, command)])
        spec.write_text(f'name = "bench"\n[program]\nargv = {argv}\ninstrument = {str(instrument).lower()}\n'
                        f'[devices]\nkind = "cpu"\nworld_size = {ranks}\nthreads = 1\n[baseline]\nmode = "none"\n')
        subprocess.run([options.bin / "ringside", "run", spec, "--runs-dir", folder, "--json"], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300, cwd=HERE)
        for path in Path(folder).glob("*/attempt_0/rank_0/stdout"):
            for line in path.read_text().splitlines():
                if line.startswith(word + " "):
                    return line[len(word) + 1:]
    raise SystemExit(f"{command[0]} did not print {word}")


def compared(options, kind, ranks):
    """(bare, instrumented, bare) of each turn."""
    blocks = json.loads(printed(options, False, ranks, "BENCH", LOOP, kind, options.rounds))
    return list(zip(blocks[0::2], blocks[1::2], blocks[2::2]))


def collectives(options):
    """Additional time of an instrumented collective: (synchronous, asynchronous) in us of the training thread, medians over
    alternating runs; and the same for bare ones."""
    told = [json.loads(printed(options, instrument, 1, "BENCH", LOOP, "collectives"))
            for _ in range(2 * options.rounds) for instrument in (False, True)]
    bare, seen = ({key: statistics.median(one[key] for one in part) for key in told[0]} for part in (told[0::2], told[1::2]))
    return {"collective_us": seen["sync_us"] - bare["sync_us"], "collective_async_us": seen["async_us"] - bare["async_us"],
            "bare_collective_us": bare["sync_us"], "bare_collective_async_us": bare["async_us"]}


def more(turns, key):
    """Median of the additional time of the instrumented block over the mean of its bare neighbours."""
    return statistics.median(watched[key] - (first[key] + second[key]) / 2 for first, watched, second in turns)


def apart(turns, key):
    """Median difference between neighbouring bare blocks."""
    return statistics.median(abs(second[key] - first[key]) for first, _, second in turns)


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ranks = min(2, os.cpu_count() or 1)
    tiny, usual = compared(options, "tiny", 1), compared(options, "usual", ranks)
    waits = [int(printed(options, instrument, 1, "WAITS", WAITING, 500).split()[0]) for instrument in (False, True)]
    calls = json.loads(printed(options, False, 1, "BENCH", LOOP, "calls"))
    print(json.dumps({
        "bench": "script", "hooks_us": more(tiny, "thread_us"), "apart_us": apart(tiny, "thread_us"),
        "process_us": more(tiny, "process_us"), "cold_us": more(usual, "thread_us"), "cold_apart_us": apart(usual, "thread_us"),
        "step_ms": usual[0][0]["step_us"] * 1e-3, "step_more_us": more(usual, "step_us"),
        "step_ratio": spread([watched["step_us"] * 2 / (first["step_us"] + second["step_us"]) for first, watched, second in usual]),
        "control": spread([second["step_us"] / first["step_us"] for first, _, second in usual]),
        "waits": waits[1] - waits[0], **calls, **collectives(options)}))


if __name__ == "__main__":
    main()
