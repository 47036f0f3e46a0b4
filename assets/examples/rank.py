"""A rank of Ringside in Python, without a package. Its records are laid out in protocol/messages/FORMAT.md.
    ringside run -- python3 rank.py          ringside conformance -- python3 rank.py"""
import ctypes
import os
import struct
import sys
import time

HELLO, STEP, EPOCH = 1, 2, 4
STEPS = 300
UNKNOWN = b"\xad\xde\xc0\x7f"


def load():
    library = ctypes.CDLL(os.environ.get("RINGSIDE_RANK_LIBRARY", "libringside_rank.so"))
    library.ringside_problem.restype = ctypes.c_char_p
    library.ringside_post.argtypes = [ctypes.c_uint16, ctypes.c_int64, ctypes.c_char_p, ctypes.c_size_t]
    library.ringside_close.argtypes = [ctypes.c_int64]
    return library


def text(value):
    data = value.encode()
    return struct.pack("<I", len(data)) + data


def number(name):
    return int(os.environ.get(name, "0"))


def main():
    library = load()
    if not library.ringside_open():
        print("not reported.", library.ringside_problem().decode(), file=sys.stderr)

    def post(kind, when, body):
        library.ringside_post(kind, when, body, len(body))

    post(HELLO, 0, struct.pack("<5i", os.getpid(), number("LOCAL_RANK"), number("WORLD_SIZE"),
                               number("RINGSIDE_ATTEMPT"), -1)
         + text("cpu") + text("CPU") + text("") + text("none") + text("rank.py 1")
         + struct.pack("<i6q", 1, time.time_ns(), 0, 0, STEPS, 1, 0))
    first = begin = time.monotonic_ns()
    step, total = 0, 0.0
    while step < STEPS and not library.ringside_stop_request():
        time.sleep(0.01)  # the work; a real one has a forward and a backward
        worked = end = time.monotonic_ns()
        loss = 1 / (step + 1)
        post(STEP, end, struct.pack("<iqif", 0, step, 32, loss)
             + struct.pack("<id", -1, 0.1) + UNKNOWN + struct.pack("<fB", 1, 0)  # the norm is not known
             + struct.pack("<7q", -1, -1, worked - begin, -1, -1, -1, end - begin))
        begin, step, total = end, step + 1, total + 32 * loss
    post(EPOCH, 0, struct.pack("<iBd4qd2qd", 0, 0, total, -1, 32 * step, 0, step, (begin - first) / 1e9,
                               step - 1, 0, 0))  # which were right: not known
    library.ringside_close(500_000_000)


if __name__ == "__main__":
    main()
