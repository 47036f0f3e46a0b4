"""Runs a script as ranks on this machine, instrumented or bare, and returns what each printed and reported. For
tests."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import recorder

HERE = Path(__file__).resolve().parent
PRODUCT = HERE.parents[2] / "trainer" / "python"
SCRIPTS = HERE.parent / "scripts"
PATIENCE_S = 200


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Result:
    """Results of one rank: exit code, output, and records by type."""

    def __init__(self, code, output, errors, said):
        self.code, self.output, self.errors, self.said = code, output, errors, said

    def lines(self, word):
        """Lines that begin with the keyword, as lists of words."""
        return [line.split() for line in self.output.splitlines() if line.startswith(word + " ")]


def environment(rank, world, port, record, instrument=True, **more):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("RINGSIDE_", "TORCHELASTIC_"))}
    env.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), LOCAL_WORLD_SIZE=str(world),
               MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    path = [str(HERE / "recording"), str(PRODUCT)]
    env["RINGSIDE_RUN_DIR"] = str(record)
    env["RINGSIDE_RECORD"] = str(record)
    if instrument:
        path.insert(0, str(PRODUCT / "inject"))
        env["RINGSIDE_INSTRUMENT"] = "1"
    env["PYTHONPATH"] = os.pathsep.join(path)
    env.update(more)
    return env


def run(script, *arguments, world=2, instrument=True, python=(sys.executable,), **more):
    """Runs the ranks; returns a list of Result, by rank. `script`: a path, or a file of tests/python/scripts."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
        running = []
        for rank in range(world):
            running.append(subprocess.Popen(
                [*python, str(SCRIPTS / script), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, env=environment(rank, world, port, folder, instrument, **more)))
        results = []
        try:
            for rank, process in enumerate(running):
                output, errors = process.communicate(timeout=PATIENCE_S)
                results.append(Result(process.returncode, output, errors, recorder.read(folder, rank)))
        finally:
            for process in running:
                process.kill()
    return results
