#!/usr/bin/env python3
"""What instrumentation costs a script: script_bench.py --bin BUILD/bin [--rounds 7], with a Python that has torch.

The same loop as a run with and without `program.instrument`, in turn within each round. Short steps say what the hooks take,
in microseconds of processor time of the training thread; steps of some 20 ms say what the whole costs. Beside them stand a
control of bare against bare, and one call of ours, of TensorBoard's writer and of wandb offline."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
STEPS = {"tiny": 1500, "usual": 250}


def measure(options, kind, instrument, ranks):
    """What rank 0 printed."""
    with tempfile.TemporaryDirectory(prefix="ringside-bench-") as folder:
        spec = Path(folder) / "run.toml"
        argv = json.dumps([sys.executable, str(HERE / "script_loop.py"), kind, str(STEPS[kind])])
        spec.write_text(f'name = "bench"\n[program]\nargv = {argv}\ninstrument = {str(instrument).lower()}\n'
                        f'[devices]\nkind = "cpu"\nworld_size = {ranks}\nthreads = 1\n[baseline]\nmode = "none"\n')
        subprocess.run([options.bin / "ringside", "run", spec, "--runs-dir", folder, "--json"], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300, cwd=HERE)
        for path in Path(folder).glob("*/attempt_0/rank_0/stdout"):
            for line in path.read_text().splitlines():
                if line.startswith("BENCH "):
                    return json.loads(line[6:])
    raise SystemExit("the loop printed nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    ranks = min(2, os.cpu_count() or 1)
    hooks, ratios, controls, found = [], [], [], {}
    for _ in range(options.rounds):
        bare, watched = (measure(options, "tiny", instrument, 1) for instrument in (False, True))
        hooks.append(watched["cpu_us"] - bare["cpu_us"])
        found = watched["calls"]
        first, watched, second = (measure(options, "usual", instrument, ranks) for instrument in (False, True, False))
        ratios.append(watched["step_us"] / ((first["step_us"] + second["step_us"]) / 2))
        controls.append(second["step_us"] / first["step_us"])
    print(json.dumps({"bench": "script", "hooks_us": statistics.median(hooks), "step_us": first["step_us"],
                      "step_ratio": {"median": statistics.median(ratios), "least": min(ratios), "most": max(ratios)},
                      "control": statistics.median(controls), **found}))


if __name__ == "__main__":
    main()
