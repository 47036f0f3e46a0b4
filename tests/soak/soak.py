#!/usr/bin/env python3
"""Soak test with random failures: small runs of the built programs, with ranks and agents killed, stopped and continued,
disks filled, and windows opened and closed, at random times from a printed seed. After each round no process of the run
is left, its state is correct, its log is readable, and every record is in it or counted as lost. `./dev soak` starts it."""

import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from processes import listening_sockets, processes_with, sockets_of

PATIENCE_S = 60
LONGEST_MS = 300_000  # limit for runs that are to be ended, so that they end even if this program does not


class Broken(Exception):
    """A promise was not kept."""


def expect(holds, what):
    if not holds:
        raise Broken(what)


def wait_until(holds, what, seconds=PATIENCE_S):
    until = time.monotonic() + seconds
    while not (value := holds()):
        expect(time.monotonic() < until, f"after {seconds} s: {what}")
        time.sleep(0.02)
    return value


def send(pid, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


class Place:
    """The folders, programs and helpers of one soak test. `disk` is a small separate file system, if one can be
    mounted."""

    def __init__(self, build, root, display):
        self.bin, self.tests = build / "bin", build / "tests/bin"
        self.root, self.runs, self.counts = root, root / "disk/runs", root / "counts"
        self.counts.mkdir()
        self.runs.parent.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=640m", "tmpfs", str(self.runs.parent)]
        self.small = subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode == 0
        self.environment = dict(os.environ, RINGSIDE_RUNS_DIR=str(self.runs), OMP_NUM_THREADS="1")
        for name in ("STATE", "CONFIG", "DATA", "CACHE"):
            self.environment[f"XDG_{name}_HOME"] = str(root / name.lower())
        if display:
            self.environment["DISPLAY"] = display
        self.started = []

    def ringside(self, *arguments):
        command = [self.bin / "ringside", *arguments]
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )

    def json_of(self, *arguments):
        done = self.ringside(*arguments, "--json")
        expect(done.returncode == 0, f"ringside {' '.join(arguments)}: exit {done.returncode}: {done.stderr[-300:]}")
        return json.loads(done.stdout if done.stdout.startswith(("{\n", "[")) else done.stdout.splitlines()[-1])

    def start(self, program, *arguments):
        null = subprocess.DEVNULL
        process = subprocess.Popen(
            [self.bin / program, *arguments], env=self.environment, stdin=null, stdout=null, stderr=null
        )
        self.started.append(process)
        return process

    def end_started(self, number=signal.SIGKILL):
        for process in self.started:
            process.send_signal(number)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise Broken(f"{process.args[0]} did not end by signal {number}") from None
        self.started.clear()

    def clear(self):
        """Ends the remaining processes, which all have this soak test's folder in their command line or environment."""
        with contextlib.suppress(Broken):
            self.end_started()
        for pid in processes_with(str(self.root)):
            send(pid, signal.SIGCONT)
            send(pid, signal.SIGKILL)
        for path in (self.runs, self.counts, self.root / "export"):
            shutil.rmtree(path, ignore_errors=True)
        self.counts.mkdir()
        self.free_disk()

    def fill_disk(self):
        with contextlib.suppress(OSError), open(self.runs.parent / "filler", "wb", buffering=0) as filler:
            for size in (1 << 20, 4096, 1):
                with contextlib.suppress(OSError):
                    while filler.write(b"x" * size):
                        pass

    def free_disk(self):
        (self.runs.parent / "filler").unlink(missing_ok=True)


class Run:
    """One run of two ranks that has begun to train."""

    def __init__(self, place, rng, trainer, endless, restarts):
        self.place, self.trainer, self.restarts = place, trainer, restarts
        self.sockets, self.watched = set(), False
        step_ms = rng.randint(1, 8)
        steps = LONGEST_MS // step_ms if endless else rng.randint(150, 500)
        spec = place.root / "soak.toml"
        lines = ['name = "soak"', "[devices]", 'kind = "cpu"', "world_size = 2", 'when_busy = "share"']
        lines += ["[baseline]", 'mode = "none"', "[limits]", "grace_s = 5.0", f"restarts = {restarts}"]
        if trainer:
            lines += ["[train]", *(["epochs = 100000", "max_steps = 100000"] if endless else ["epochs = 2"])]
            lines += ["[data]", "train_samples = 2000", "test_samples = 200"]
        else:
            flags = [f"--steps={steps}", f"--step-ms={step_ms}", f"--counts={place.counts}"]
            flags += rng.choice([[], ["--helper=group"], ["--helper=session"], ["--flood=50"]])
            lines += ["[program]", f"argv = {json.dumps([str(place.tests / 'fake_rank'), *flags])}"]
        spec.write_text("\n".join(lines) + "\n")
        made = place.json_of("run", str(spec), "--detach")
        self.folder = pathlib.Path(made["runs"][0]["folder"])
        self.agent = wait_until(self.agent_pid, "the agent is not there")
        self.wait_for_steps(rng.randint(1, 30))

    def agent_pid(self):
        try:
            return json.loads((self.folder / "agent.json").read_text())["agent_pid"]
        except (OSError, ValueError, KeyError):
            return None

    def shown(self):
        return self.place.json_of("show", str(self.folder))

    def ended(self):
        return not self.shown()["live"]

    def wait_for_steps(self, steps, attempt=0):
        def reached():
            shown = self.shown()
            folder = self.folder / f"attempt_{attempt}"
            ranks = [rank for rank in shown["ranks"] if rank["newest_step"] is not None]
            return not shown["live"] or (
                folder.exists() and len(ranks) == 2 and min(rank["newest_step"] for rank in ranks) >= steps
            )

        wait_until(reached, f"step {steps} of attempt {attempt} is not reached")
        for pid in processes_with(str(self.folder)):
            self.sockets |= sockets_of(pid) & listening_sockets()
        self.watched |= bool(processes_with(str(self.folder)))  # otherwise it may have ended before its ports were read

    def ranks(self):
        return [rank["pid"] for rank in sorted(self.shown()["ranks"], key=lambda rank: rank["rank"])]

    def log_stands(self):
        """Whether the log has stopped growing, as it does on a full disk."""
        size = (self.folder / "node_0.log").stat().st_size
        time.sleep(0.3)
        return size == (self.folder / "node_0.log").stat().st_size


# Disturbances that a run survives: none may change how the run ends.


def pause(pid, rng):
    send(pid, signal.SIGSTOP)
    time.sleep(rng.uniform(0.1, 4))
    send(pid, signal.SIGCONT)


def pause_agent(run, rng):
    pause(run.agent, rng)


def pause_rank(run, rng):
    pause(rng.choice(run.ranks()), rng)


def window_comes_and_goes(run, rng):
    window = run.place.start("ringside-dashboard", "--run", str(run.folder))
    time.sleep(rng.uniform(0.1, 4))
    expect(window.poll() is None, f"the window ended by itself with {window.returncode}")
    run.place.end_started(rng.choice([signal.SIGTERM, signal.SIGKILL]))


def follower_comes_and_goes(run, rng):
    run.place.start("ringside", "tail", str(run.folder), "--json", "--all")
    time.sleep(rng.uniform(0.05, 1))
    run.place.end_started(rng.choice([signal.SIGINT, signal.SIGKILL, signal.SIGHUP]))


def disk_full_for_a_while(run, rng):
    run.place.fill_disk()
    time.sleep(rng.uniform(0.2, 3))
    run.place.free_disk()


# Ways to end a run: each returns the state that must then be shown.


def by_itself(run, _):
    return "finished"


def rank_dies(run, rng):
    send(rng.choice(run.ranks()), rng.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT]))
    return "failed"


def rank_dies_twice(run, rng):
    first = run.ranks()
    send(rng.choice(first), signal.SIGKILL)
    wait_until(lambda: not set(first) & set(run.ranks()) or run.ended(), "no new ranks")
    run.wait_for_steps(5, attempt=1)
    return rank_dies(run, rng)


def agent_dies(run, _):
    send(run.agent, signal.SIGKILL)
    return "interrupted"


def agent_is_asked(run, rng):
    send(run.agent, rng.choice([signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]))
    return "stopped"


def stop_command(run, rng):
    done = run.place.ringside("stop", str(run.folder), *rng.choice([[], ["--now"]]))
    expect(done.returncode == 0, f"ringside stop: exit {done.returncode}: {done.stderr.strip()}")
    return "stopped"


def agent_is_asked_on_a_full_disk(run, rng):
    run.place.fill_disk()
    wait_until(run.log_stands, "the log grows on a full disk")
    agent_is_asked(run, rng)
    return "failed" if run.trainer else "stopped"  # a stop that cannot save its checkpoint counts as failed


ENDINGS = [by_itself, by_itself, rank_dies, rank_dies_twice, agent_dies, agent_is_asked, stop_command]


def check(run, state, agent_killed):
    wait_until(lambda: not processes_with(str(run.folder)), "processes of the run are left", 15)
    expect(not run.sockets & listening_sockets(), "a port of the run is still open")
    expect(run.sockets or not run.watched, "no port of the run was seen")
    run.place.free_disk()
    shown = run.shown()
    expect(shown["state"] == state, f"state {shown['state']} ({shown['detail']}), expected {state}")
    log = shown["log"]
    # A flood alone can fill the small disk; whatever filled it, the run reports it.
    disk_was_full = any(notice["code"] == "log_gap" for notice in shown["notices"])
    lost = log["lost_segments"] > 0 and not disk_was_full
    expect(log["skipped_bytes"] == 0 and not lost, f"the log is damaged: {log}")
    expect(agent_killed or log["tail_bytes"] == 0, f"the log has a torn end: {log}")
    done = run.place.ringside("export", str(run.folder), "--force", "--csv", str(run.place.root / "export"))
    expect(done.returncode == 0, f"export: exit {done.returncode}: {done.stderr.strip()}")
    if not agent_killed and not run.trainer and not run.restarts:
        check_losses(run, shown, disk_was_full)


def check_losses(run, shown, disk_was_full):
    """Checks that records which exiting fake ranks reported as produced are in the log or counted as lost."""
    missing = 0
    for rank in shown["ranks"]:
        counts = run.place.counts / f"rank_{rank['rank']}"
        if rank["exit_code"] != 0 or not counts.exists():
            return
        missing += int(counts.read_text().split()[0]) - rank["records"]
    lost = shown["lost_records"]
    # Only a minimum of lost records is known, and reported as such, for a rank whose goodbye never came.
    if any(notice["code"] == "no_goodbye" for notice in shown["notices"]):
        expect(0 < lost <= missing + 1000 * disk_was_full, f"{lost} are counted as lost, {missing} are missing")
        return
    # On a full disk the agent also loses records of its own.
    expect(lost == missing or (disk_was_full and missing < lost < missing + 1000),
           f"{missing} records of the ranks are missing, {lost} are counted as lost")


def play(place, rng):
    """Runs one round; returns a description of what was done."""
    trainer = (place.bin / "ringside-trainer").exists() and rng.random() < 0.15
    endings = ENDINGS + ([agent_is_asked_on_a_full_disk] if place.small else [])
    ending = rng.choice(endings)
    disturbances = [pause_agent, pause_rank, follower_comes_and_goes]
    disturbances += [disk_full_for_a_while] * place.small
    disturbances += [window_comes_and_goes] * ("DISPLAY" in place.environment)
    chosen = [rng.choice(disturbances) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
    done = ["trainer" if trainer else "fake ranks"]
    try:
        run = Run(place, rng, trainer, ending is not by_itself, 1 if ending is rank_dies_twice else 0)
        for disturb in chosen:
            if run.ended():
                break
            done.append(disturb.__name__)
            disturb(run, rng)
        done.append(ending.__name__)
        state = ending(run, rng)
        wait_until(run.ended, "the run does not end")
        check(run, state, ending is agent_dies)
    except (Broken, subprocess.TimeoutExpired) as problem:
        raise Broken(f"{', '.join(done)}: {problem}") from None
    return done


@contextlib.contextmanager
def screen():
    """A separate display, or None."""
    if not shutil.which("Xvfb"):
        print("SKIPPED: windows, for there is no Xvfb")
        yield None
        return
    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    try:
        yield ":" + os.read(read_end, 16).decode().strip()
    finally:
        server.terminate()
        server.wait()
        os.close(read_end)


def soak(options, root, display):
    place = Place(options.build, root, display)
    if not place.small:
        print("SKIPPED: full disks, for no small file system can be mounted here")
    until = time.monotonic() + options.minutes * 60
    number, broken, tally = options.round or 0, [], {}
    while time.monotonic() < until:
        try:
            for what in play(place, random.Random(f"{options.seed}:{number}")):
                tally[what] = tally.get(what, 0) + 1
        except Broken as problem:
            broken.append(number)
            print(f"round {number}: {problem}", flush=True)
            kept = options.build / f"soak/{options.seed}-{number}"
            shutil.rmtree(kept, ignore_errors=True)
            if place.runs.exists():
                shutil.copytree(place.runs, kept / "runs")
            print(f"  its run is kept in {kept}; again: --seed {options.seed} --round {number}", flush=True)
        finally:
            place.clear()
        number += 1
        if options.round is not None:
            break
    print(f"{number - (options.round or 0)} rounds, {len(broken)} broke a promise; seed {options.seed}")
    print(", ".join(f"{count} x {what}" for what, count in sorted(tally.items())))
    return 1 if broken else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="such as build/release")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--round", type=int, help="only this one")
    options = parser.parse_args()
    options.build = options.build.resolve()
    # A program started in the background or by nohup ignores these signals, and so would its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # Mounts in a separate mount namespace disappear with this process.
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    may = subprocess.run([*unshare, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    if may and "RINGSIDE_SOAK" not in os.environ:
        os.environ["RINGSIDE_SOAK"] = "1"
        os.execvp(unshare[0], [*unshare, sys.executable, "-B", *sys.argv])
    print(f"seed {options.seed}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="soak") as root, screen() as display:
        root = pathlib.Path(root)
        try:
            return soak(options, root, display)
        finally:
            for pid in processes_with(str(root)):
                send(pid, signal.SIGKILL)
            subprocess.run(["umount", "-q", root / "disk"], stderr=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    sys.exit(main())
