#!/usr/bin/env python3
"""Runs on 1, 8, 64 and 128 nodes of eight ranks, as synthetic logs with as many records each.

nodes_bench.py --test-bin BUILD/tests/bin [--records 400000]. Measures reading all logs as one, following them as a live
viewer, and the memory of the model, each per record as a ratio to one node; reading one more step of every rank from growing
logs, and one update of the views of Live, without drawing. Prints one line of JSON.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

NODES = [1, 8, 64, 128]
RANKS = 8
ROUNDS = 200


def told(*command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def measure(program, folder, nodes, records):
    steps = max(1, records // (nodes * RANKS))
    subprocess.run([program, "make", folder, str(nodes), str(RANKS), str(steps)], check=True)
    figures = told(program, "read", folder)
    return figures | told(program, "grow", folder, str(nodes), str(RANKS), str(ROUNDS))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--test-bin", type=Path, required=True)
    parser.add_argument("--records", type=int, default=400_000)
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as temp:
        for nodes in NODES:
            found[nodes] = measure(options.test_bin / "nodes_bench", Path(temp) / f"run_{nodes}", nodes, options.records)
    one = found[1]
    result = {"bench": "nodes", "one_node": one}
    for nodes in NODES[1:]:
        ratios = {
            key: round(found[nodes][name] / one[name], 3)
            for key, name in (("open", "open_s_per_million"), ("follow", "follow_s_per_million"),
                              ("model_memory", "model_mib_per_million"), ("resident", "resident_mib"))
        }
        for name in ("update", "round"):
            ratios[name] = round(found[nodes][name + "_ms"] / one[name + "_ms"], 3)
            ratios[name + "_ms"] = found[nodes][name + "_ms"]
        result[f"nodes_{nodes}"] = ratios
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
