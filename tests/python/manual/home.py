"""Runs the commands that a page shows, line by line, in a separate home folder: small, on CPU slots, without a
window."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import namedtuple

from .commands import read_block, RUN_NAMES

PATIENCE_S = 60  # a command that takes longer belongs in a block marked `long`
FOLLOWING = {"watch", "attach"}  # commands that run until they are interrupted

# Smaller sizes than the commands would use; --set on the command line has precedence.
SIZES = {"RINGSIDE_SET_DEVICES_KIND": "cpu", "RINGSIDE_SET_DATA_TRAIN_SAMPLES": "2000",
         "RINGSIDE_SET_DATA_TEST_SAMPLES": "200", "RINGSIDE_SET_BATCH_SIZE": "200", "RINGSIDE_SET_TRAIN_EPOCHS": "1"}

SCRIPT = '''"""A rank that reports a few steps. As slow.py its first attempt goes on until it is told to stop."""
import os
import time
import ringside_rank as rs

slow = os.path.basename(__file__) == "slow.py" and os.environ.get("RINGSIDE_ATTEMPT", "0") == "0"
step = 0
while step < 20 or slow:
    if rs.stop_requested():
        break
    rs.log(step=step, loss=1 / (step + 1))
    step += 1
    time.sleep(0.01)
'''
LOGGED = "step,loss\n" + "".join(f"{step},{1 / (step + 1)}\n" for step in range(20))
SETTINGS = 'name = "a file"\n\n[model]\nname = "convnet"\n\n[data]\nname = "digits"\n'

Done = namedtuple("Done", "code printed seconds")


class Home:
    """`folder`: created for this home. `ready`: a folder with runs that exist from the beginning."""

    def __init__(self, programs, folder, ready=None):
        self.folder, self.runs, self.work = folder, folder / "runs", folder / "work"
        self.exports = {}
        for path in (folder / "bin", self.work / "DIR"):
            path.mkdir(parents=True)
        if ready:
            shutil.copytree(ready, self.runs, symlinks=True)
        for name in ("python", "python3"):
            (folder / "bin" / name).write_text(f"#!/bin/sh\nexec {sys.executable} \"$@\"\n")
            (folder / "bin" / name).chmod(0o755)
        for place in (self.work, self.work / "DIR"):
            (place / "train.py").write_text(SCRIPT)
        (self.work / "slow.py").write_text(SCRIPT)
        (self.work / "DIR/metrics.csv").write_text(LOGGED)
        (self.work / "my.toml").write_text(SETTINGS)
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("RINGSIDE_", "SLURM_"))}
        places = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "DATA", "STATE")}
        places["XDG_CACHE_HOME"] = str(folder.parent / "cache")  # data sets are generated only once
        self.environment = {**keep, **places, **SIZES, "HOME": str(folder), "RINGSIDE_RUNS_DIR": str(self.runs),
                            "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "",
                            "PATH": f"{programs}:{folder / 'bin'}:{os.environ['PATH']}"}

    def start(self, words):
        return subprocess.Popen(words, cwd=self.work, env={**self.environment, **self.exports}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def call(self, *words, follow=False):
        """Runs a command to its end; `follow`: interrupts it as soon as it has created a run."""
        begin, before = time.monotonic(), len(self.listed()) if follow else 0
        process = self.start(words)
        if follow:
            while process.poll() is None and len(self.listed()) == before and time.monotonic() - begin < PATIENCE_S:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
        try:
            printed = process.communicate(timeout=PATIENCE_S)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return Done(None, process.communicate()[0], time.monotonic() - begin)
        return Done(process.returncode, printed, time.monotonic() - begin)

    def listed(self):
        """All runs as shown by `list`, newest first."""
        done = subprocess.run(["ringside", "list", "--json"], env=self.environment, cwd=self.work, capture_output=True, text=True,
                              timeout=PATIENCE_S)
        return json.loads(done.stdout) if done.returncode == 0 else []

    def states(self, *wanted):
        return [run["id"] for run in self.listed() if run["state"] in wanted]

    def begin_run(self):
        """Starts a run of two ranks that trains until it is stopped; returns its id."""
        done = self.call("ringside", "run", "--ranks", "2", "--detach", "--json", "--", "python", "slow.py")
        assert done.code == 0, done.printed
        deadline = time.monotonic() + PATIENCE_S
        while not self.states("training"):
            assert time.monotonic() < deadline, f"no run trains: {self.listed()}"
            time.sleep(0.02)
        return self.states("training")[0]

    def end_runs(self):
        """Stops runs that are still active."""
        for run in self.states("queued", "starting", "training", "evaluating", "saving", "stopping"):
            self.call("ringside", "stop", run, "--now")

    def prepare(self, words):
        """Prepares what a command needs: an active run, or a stopped one."""
        if words[0] != "ringside" or not RUN_NAMES & set(words):
            return
        if words[1] in ("stop", "stack"):
            self.begin_run()
        newest = self.listed()[:1]
        if words[1] == "resume" and (not newest or newest[0]["state"] != "stopped"):
            self.call("ringside", "stop", self.begin_run())

    def real_words(self, words, deleted):
        """Replaces RUN by the newest run, and a second RUN in the same line by the one before; after `--restore` by the
        run deleted last."""
        newest = deleted if "--restore" in words else [run["id"] for run in self.listed()]
        left = iter(newest)
        return [next(left, word) if word == "RUN" else word for word in words]


def expected_code(line, follow):
    told = re.search(r"exit code (\d+)", line.comment)
    return int(told[1]) if told else 130 if follow else 0


class Runner:
    """Runs pages one after the other; `found` lists problems, `ran` the commands that were run."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.found, self.ran, self.homes = programs, folder, [], [], 0
        first = Home(programs, folder / "first")
        done = first.call("ringside", "run", "demo")
        assert done.code == 0, f"the demo does not run: {done.printed}"
        self.ready = first.runs

    def run(self, page):
        self.homes += 1
        home = Home(self.programs, self.folder / f"home_{self.homes}", self.ready)
        self.write_settings(home, page)
        try:
            for block in page.blocks:
                if block.info == "sh" and not block.needs:
                    self.run_block(home, page, block)
                elif block.info == "sh" and block.needs == ["long"]:
                    self.plan_block(home, page, block)
        finally:
            home.end_runs()

    def write_settings(self, home, page):
        """Writes a settings file that the page shows under the name that its commands use."""
        shown = [block for block in page.blocks if block.info == "toml" and any("[" in text[:1] for _, text in block.lines)]
        if shown and any("my.toml" in text for block in page.blocks for _, text in block.lines):
            (home.work / "my.toml").write_text("\n".join(text for _, text in shown[0].lines) + "\n")

    def run_block(self, home, page, block):
        deleted = []
        for line in read_block(block):
            words = line.words
            if words == ["ringside"]:
                continue  # opens the window
            if words[0] == "export":
                name, _, value = words[1].partition("=")
                home.exports[name] = value.replace("$PWD", str(home.work)).replace("$PATH", home.environment["PATH"])
                continue
            home.prepare(words)
            words = home.real_words(words, deleted)
            if words[:2] == ["ringside", "delete"] and "--restore" not in words:
                deleted = [words[2]]
            follow = words[1] in FOLLOWING and "--detach" not in words
            done = home.call(*words, follow=follow)
            self.note(page, line, done, expected_code(line, follow))
            if words[1] in ("stack", "watch"):
                home.end_runs()

    def plan_block(self, home, page, block):
        """Only plans commands that take long."""
        for line in read_block(block):
            words = home.real_words(line.words, [])
            if words[:2] not in (["ringside", "run"], ["ringside", "sweep"]) or "--detach" in words:
                continue
            dashes = words.index("--") if "--" in words else len(words)
            self.note(page, line, home.call(*words[:dashes], "--dry-run", *words[dashes:]), 0)

    def note(self, page, line, done, wanted):
        self.ran.append((page.name, line.number, line.text, done.seconds))
        print(f"{done.seconds:6.1f} s  {page.name}:{line.number}  {line.text.strip()}", flush=True)
        if done.code != wanted:
            said = "takes too long" if done.code is None else f"ends with {done.code} and not {wanted}"
            self.found.append(page.problem("run", line.number, f"{line.text.strip()}: {said}: {done.printed[-2000:]}"))
