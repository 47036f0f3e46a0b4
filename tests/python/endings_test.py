"""How a script run as ranks ends, for each possible cause: state, exit code, message, and no process left. `Bare` loops without
torch, `Gloo` in plain DDP, only under RINGSIDE_SCRIPTS=1 (`./dev test --scripts`). Exit code 77: skipped, with the reason."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE / "scripts" / "ending.py"
PATIENCE_S = 120


def until(what, call):
    """Waits until the result of `call` is true and returns it."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        found = call()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"in {PATIENCE_S} s: no {what}")
        time.sleep(0.01)


def environment(base):
    env = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
    env.update(RINGSIDE_RUNS_DIR=str(base / "runs"), XDG_STATE_HOME=str(base / "state"), OMP_NUM_THREADS="1")
    return env


class Run:
    """`ringside run` of the script, in a separate process group, as a shell starts it."""

    def __init__(self, base, options, arguments):
        self.base = base
        self.out, self.err = base / "out", base / "err"
        command = [RINGSIDE, "run", "--ranks", "2", "--devices", "cpu", "--json", *options, "--", sys.executable, "-B", str(SCRIPT)]
        with open(self.out, "w") as out, open(self.err, "w") as err:
            self.process = subprocess.Popen([*command, *arguments], stdout=out, stderr=err, env=environment(base),
                                            start_new_session=True)

    def ringside(self, *arguments):
        return subprocess.run([RINGSIDE, *arguments], env=environment(self.base), capture_output=True, text=True, timeout=PATIENCE_S)

    def printed(self, rank, attempt=0):
        found = sorted(self.base.glob(f"runs/*/attempt_{attempt}/rank_{rank}/stdout"))
        return found[0].read_text() if found else ""

    def wait_for(self, word, attempt=0):
        """Waits until each rank has printed the keyword; returns the text after it, by rank."""
        def seen():
            texts = [[line for line in self.printed(rank, attempt).splitlines() if line.startswith(word)] for rank in (0, 1)]
            return all(texts) and [lines[-1].split()[-1] for lines in texts]
        return until(word, seen)

    def end(self):
        """Returns (exit code, the run as shown by `show`)."""
        code = self.process.wait(PATIENCE_S)
        return code, self.shown()

    def shown(self):
        return json.loads(self.ringside("show", "last", "--json").stdout)

    def left(self):
        """Processes of a rank or its helpers, found by their inherited environment."""
        mark, found = str(self.base / "runs").encode(), []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes() and b"RANK=" in (process / "environ").read_bytes():
                    found.append(int(process.name))
            except OSError:
                pass
        return found


def kill_rank(run):
    os.kill(int(run.wait_for("PID")[1]), signal.SIGKILL)


def interrupt(run):
    os.killpg(run.process.pid, signal.SIGINT)


def stop(run):
    done = run.ringside("stop", "last")
    assert done.returncode == 0, done.stderr


def nothing(run):
    pass


# Arguments of the script, what is done to it after its third step, and the outcome: exit code, state, message.
ENDINGS = (
    ("a rank is killed", [], kill_rank, 1, "failed", "rank 1: killed by SIGKILL"),
    ("Ctrl-C", [], interrupt, 130, "stopped", "asked by Ringside's window or a command"),
    ("an exception", ["--end", "raise:1:5"], nothing, 1, "failed", "ValueError: as asked"),
    ("an exit code", ["--end", "3:0:5"], nothing, 1, "failed", "rank 0: exit code 3"),
    ("stop", [], stop, 1, "stopped", "asked by Ringside's window or a command"),
    ("stop, and it looks for it", ["--asks"], stop, 1, "stopped", "asked by Ringside's window or a command"),
    ("stop, and it saves on TERM", ["--on-term", "save"], stop, 1, "stopped", "asked by Ringside's window or a command"),
    ("stop, and it ignores TERM", ["--on-term", "ignore"], stop, 1, "stopped", "asked by Ringside's window or a command"),
    ("the end", ["--steps", "9"], nothing, 0, "finished", ""),
)


class Endings:
    MODE: list = []

    def start(self, options=(), arguments=()):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(folder.cleanup)
        # The time that a rank gets after a request to stop, and again after SIGTERM: enough for those that comply.
        grace_s = 60 if {"--asks", "save"} & {*arguments} else 2
        run = Run(Path(folder.name), ["--set", f"limits.grace_s={grace_s}", *options], [*self.MODE, *arguments])
        self.addCleanup(run.process.kill)
        return run

    def check(self, run, code, state, said):
        found, shown = run.end()
        self.assertEqual((found, shown["state"]), (code, state), run.err.read_text() + run.printed(0) + run.printed(1))
        self.assertIn(said, shown["detail"])
        until("end of all processes", lambda: not run.left())

    def test_each_ending(self):
        for name, arguments, act, code, state, said in ENDINGS:
            with self.subTest(name):
                run = self.start(arguments=arguments)
                if act is not nothing:
                    run.wait_for("STEP 3")
                    # A rank that has not reported yet cannot receive the request and gets SIGTERM at once.
                    until("step of each rank", lambda: all(rank["steps"] for rank in run.shown()["ranks"]))
                    act(run)
                self.check(run, code, state, said)
                self.assertEqual("SAVED" in run.printed(0), "save" in arguments)
                # The rank that reads the request first exits, and the other may not read it any more.
                self.assertEqual("ASKED" in run.printed(0) + run.printed(1), "--asks" in arguments)

    def test_a_stop_before_the_first_step(self):
        run = self.start(arguments=["--late"])
        run.wait_for("PID")
        stop(run)
        self.check(run, 1, "stopped", "asked by Ringside's window or a command")

    def test_a_restart_after_a_failure(self):
        run = self.start(["--restarts", "1"], ["--end", "raise:1:5", "--steps", "9"])
        self.check(run, 0, "finished", "")
        self.assertTrue(run.printed(1, attempt=1).endswith("STEP 8\n"))

    def test_a_failed_run_is_run_again(self):
        run = self.start(arguments=["--end", "raise:1:5", "--steps", "9"])
        self.check(run, 1, "failed", "ValueError: as asked")
        again = run.ringside("resume", "last")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(run.shown()["state"], "finished")
        self.assertTrue(run.printed(0, attempt=1).endswith("STEP 8\n"))


class Bare(Endings, unittest.TestCase):
    pass


class Gloo(Endings, unittest.TestCase):
    MODE = ["--gloo"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=("Bare", "Gloo"))
    parser.add_argument("--ringside", required=True)
    options, rest = parser.parse_known_args()
    RINGSIDE = options.ringside
    if options.case == "Gloo":
        if os.environ.get("RINGSIDE_SCRIPTS") != "1":
            print("SKIPPED: ./dev test --scripts runs it")
            sys.exit(77)
        try:
            import torch  # noqa: F401
        except ImportError as error:
            print(f"SKIPPED: this Python cannot import torch ({error})")
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], *(rest or [options.case])])
