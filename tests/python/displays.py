"""Displays without a screen for tests that open a window, on X11 and on Wayland, and what is on a screenshot."""

import contextlib
import os
import shutil
import struct
import subprocess
import time
import zlib

HAS_WAYLAND = all(map(shutil.which, ("weston", "Xvfb")))


@contextlib.contextmanager
def ended(program):
    try:
        yield program
    finally:
        program.terminate()
        program.wait()


@contextlib.contextmanager
def x11():
    """The variables by which a window finds it."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x900x24", "-nolisten", "tcp", "-ac"]
    with ended(subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)):
        os.close(write)
        with os.fdopen(read) as said:
            yield {"DISPLAY": ":" + said.readline().strip()}


@contextlib.contextmanager
def wayland(folder, scale=1):
    """The variables by which a window finds it; `folder` is made for its socket. Weston shows it on an X11 display, since without a
    screen it has no seat, and GLFW 3.4 ends where there is none."""
    folder.mkdir(mode=0o700)
    variables = {"XDG_RUNTIME_DIR": str(folder), "WAYLAND_DISPLAY": "wayland-test"}
    command = ["weston", "--backend=x11-backend.so", "--use-pixman", "--no-config", "--socket=wayland-test", f"--scale={scale}"]
    with x11() as display:
        environment = {"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(folder), **display}
        with ended(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)) as server:
            until = time.monotonic() + 60
            while not (folder / "wayland-test").exists():
                assert server.poll() is None and time.monotonic() < until, "weston did not start"
                time.sleep(0.02)
            yield variables


def size_and_quarters(picture):
    """Width and height of a PNG of the window, and for each quarter of it the share of rows that have something on them. A row
    counts by its filtered bytes, of which a row of one colour has but a few values."""
    data = picture.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    raw, stride = zlib.decompress(packed), 4 * width + 1
    rows = [raw[stride * row + 1:stride * (row + 1)] for row in range(height)]
    halves = rows[:height // 2], rows[height // 2:]
    columns = slice(0, 2 * width), slice(2 * width, None)
    return (width, height), [sum(len(set(row[part])) > 8 for row in half) / len(half) for half in halves for part in columns]
