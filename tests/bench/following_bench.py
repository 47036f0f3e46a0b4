#!/usr/bin/env python3
"""Measures whether a window that follows a run slows its ranks down: as many ranks as this machine has cores train on the
CPU, and a window is opened and closed in turns.

following_bench.py --bin BUILD/bin [--rounds 6] [--seconds 6] [--keys 50], under a display (xvfb-run), which draws without a GPU: the worst
case. The window is in a session of its own, like one that a desktop starts. Prints one line of JSON: the mean step time
while the window drew divided by that without it just before, as median, minimum and maximum over the rounds; the longest
time between two frames of the window; and the time from a key until the display shows the sheet that it opens, or the page
after closing it, with four additional busy loops on each core.
"""

import argparse
import csv
import ctypes
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

F1, ESCAPE = 0xFFBE, 0xFF1B
RAIL = (4, 600)  # a pixel that shows only background
SETTLE_S = 3  # processes that start take processor time that is not to be measured


def wait_for(what, seconds, between_s=0.05):
    deadline = time.monotonic() + seconds
    while not what():
        if time.monotonic() > deadline:
            raise SystemExit("it did not begin in time")
        time.sleep(between_s)


def p99(times_ms):
    return round(sorted(times_ms)[(len(times_ms) * 99 + 99) // 100 - 1])


def mean_step_ms(ends_ns, begin_ns, end_ns):
    """Times of rank 0's steps that ended within an interval, from the first to the last."""
    inside = [ns for ns in ends_ns if begin_ns <= ns < end_ns]
    return (inside[-1] - inside[0]) / (len(inside) - 1) / 1e6


class Screen:
    """Sends keys to the display as a real keyboard would (XTEST), and reads its pixels."""

    def __init__(self):
        self.x11, self.xtest = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.x11.XOpenDisplay(None))
        self.x11.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
        self.x11.XDefaultRootWindow.restype = ctypes.c_ulong
        self.x11.XGetImage.restype = ctypes.c_void_p
        self.x11.XGetImage.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_int, ctypes.c_uint,
                                       ctypes.c_uint, ctypes.c_ulong, ctypes.c_int]
        self.x11.XGetPixel.restype = ctypes.c_ulong
        self.x11.XGetPixel.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
        self.x11.XDestroyImage.argtypes = [ctypes.c_void_p]
        # Keys go to the window below the pointer if there is no window manager.
        self.xtest.XTestFakeMotionEvent(self.display, -1, 800, 450, 0)
        self.x11.XFlush(self.display)

    def press(self, keysym):
        code = self.x11.XKeysymToKeycode(self.display, keysym)
        for down in (1, 0):
            self.xtest.XTestFakeKeyEvent(self.display, code, down, 0)
        self.x11.XFlush(self.display)

    def pixel(self, x, y):
        all_planes, z_pixmap = 0xFFFFFFFF, 2
        image = self.x11.XGetImage(self.display, self.x11.XDefaultRootWindow(self.display), x, y, 1, 1, all_planes, z_pixmap)
        value = self.x11.XGetPixel(image, 0, 0)
        self.x11.XDestroyImage(image)
        return value

    def ms_until_change(self, keysym):
        """Waits after a key until the rail on the left changes its colour; it is darker behind a sheet."""
        before = self.pixel(*RAIL)
        begun = time.monotonic()
        self.press(keysym)
        wait_for(lambda: self.pixel(*RAIL) != before, 60, 0.002)
        return (time.monotonic() - begun) * 1e3


def key_times_ms(options, root, run):
    """Times from a key to the display of what it opened or closed, as (opening, closing), in a window that follows the run,
    on cores with additional load."""
    items = root / "items"
    # All in one session, like the ranks of a run, since the kernel divides cores among sessions first.
    count = 4 * os.cpu_count()
    loops = subprocess.Popen(["sh", "-c", "while :; do :; done & " * count + "wait"], start_new_session=True)
    window = subprocess.Popen([options.bin / "ringside-dashboard", "--run", run, "--runs-dir", root, "--size", "1600x900",
                               "--items", items], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    times = ([], [])
    try:
        wait_for(items.exists, 60)
        screen = Screen()
        time.sleep(SETTLE_S)
        for number in range(2 * options.keys):
            times[number % 2].append(screen.ms_until_change(ESCAPE if number % 2 else F1))
            time.sleep(0.2 + 0.3 * (number % 7) / 7)
    finally:
        os.killpg(loops.pid, signal.SIGKILL)
        loops.wait(20)
        window.terminate()
        window.wait(20)
    return times


def in_turns(options, root, run):
    """[((begin, end) without a window, (begin, end) with one, longest ns between its frames)] in monotonic ns."""
    turns = []
    for number in range(options.rounds):
        alone = time.monotonic_ns()
        time.sleep(options.seconds)
        alone_end = time.monotonic_ns()
        frames = root / f"frames{number}"
        window = subprocess.Popen([options.bin / "ringside-dashboard", "--run", run, "--runs-dir", root, "--size", "1600x900",
                                   "--frames", frames], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  start_new_session=True)
        try:
            wait_for(lambda: frames.exists() and frames.stat().st_size > 0, 20)
            time.sleep(SETTLE_S)
            begin = time.monotonic_ns()
            time.sleep(options.seconds)
            end = time.monotonic_ns()
            drawn = [ns for ns in (int(line.split()[0]) for line in frames.read_text(encoding="utf-8").splitlines())
                     if begin <= ns < end]
            turns.append(((alone, alone_end), (begin, end), max(b - a for a, b in zip(drawn, drawn[1:]))))
        finally:
            window.terminate()
            window.wait(20)
    return turns


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--keys", type=int, default=50)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    ringside = options.bin / "ringside"
    with tempfile.TemporaryDirectory(prefix="ringside-bench-") as folder:
        root = Path(folder)
        started = subprocess.run([ringside, "run", "demo", "--set", "devices.kind=cpu", "--set", "devices.world_size=" +
                                  str(os.cpu_count()), "--set", "baseline.mode=none", "--set", "train.epochs=1000",
                                  "--runs-dir", root, "--detach", "--json"],
                                 check=True, stdout=subprocess.PIPE, text=True, timeout=60)
        run = json.loads(started.stdout.splitlines()[-1])["runs"][-1]
        try:
            wait_for(lambda: "step" in subprocess.run([ringside, "show", run["id"], "--runs-dir", root, "--json"], check=True,
                                                      stdout=subprocess.PIPE, text=True).stdout, 60)
            time.sleep(SETTLE_S)
            turns = in_turns(options, root, run["id"])
            opened, closed = key_times_ms(options, root, run["id"])
        finally:
            subprocess.run([ringside, "stop", run["id"], "--now", "--runs-dir", root], stdout=subprocess.DEVNULL, timeout=60)
        subprocess.run([ringside, "export", run["id"], "--csv", root / "csv", "--runs-dir", root], check=True,
                       stdout=subprocess.DEVNULL, timeout=120)
        with (root / "csv" / "steps.csv").open(encoding="utf-8", newline="") as file:
            ends = sorted(int(row["mono_ns"]) for row in csv.DictReader(file) if row["rank"] == "0")
    ratios = [mean_step_ms(ends, *watched) / mean_step_ms(ends, *alone) for alone, watched, _ in turns]
    print(json.dumps({"bench": "following", "ranks": os.cpu_count(), "watched_to_alone.median": round(statistics.median(ratios), 4),
                      "least": round(min(ratios), 4), "greatest": round(max(ratios), 4),
                      "step_ms": round(statistics.median(mean_step_ms(ends, *alone) for alone, _, _ in turns), 2),
                      "longest_between_frames_ms": round(max(ns for _, _, ns in turns) / 1e6),
                      "key_p50_ms": round(statistics.median(opened + closed)), "key_p99_ms": p99(opened + closed),
                      "open_p50_ms": round(statistics.median(opened)), "open_p99_ms": p99(opened),
                      "close_p50_ms": round(statistics.median(closed)), "close_p99_ms": p99(closed)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
