"""Python stacks of this rank's threads on request: the signal below appends them to a file in the rank's folder, even while the
interpreter is blocked in a collective. A requester must check that the file exists: without it there is no handler, and the
signal would end the process."""

import faulthandler
import os
import signal
from typing import Any

SIGNAL = signal.SIGRTMIN + 8
_file: Any = None


def listen(rank: int, attempt: int) -> None:
    """Does nothing if the program uses that signal, or if the folder cannot be written."""
    global _file
    if signal.getsignal(SIGNAL) != signal.SIG_DFL:
        return
    folder = os.path.join(os.environ.get("RINGSIDE_RUN_DIR", ""), f"attempt_{attempt}", f"rank_{rank}")
    try:
        _file = open(os.path.join(folder, "python_stack"), "w", encoding="utf-8")
    except OSError:
        return
    faulthandler.register(SIGNAL, file=_file, all_threads=True, chain=False)
