"""Finds the training thread. It may be a different one in each step, if the program's loop hands each step to a thread; of
several threads that train concurrently only the first is reported."""

import sys
import threading
from typing import Any, Callable, List, Optional

# A thread with one of these modules on its stack waits for another thread or for work, unless it waits for a loader.
_WAITS = ("threading", "queue", "concurrent", "asyncio")
_LOADER = "torch.utils.data"
_FRAMES = 8


class Training:
    """`left_out` is called once, when a second thread trains at the same time as the first."""

    def __init__(self, left_out: Callable[[], None]) -> None:
        self._thread: Optional[threading.Thread] = None
        self.ident = 0  # of that thread, which then need not call `enter`
        self._left_out: Optional[Callable[[], None]] = left_out

    @property
    def known(self) -> bool:
        return self._thread is not None

    def here(self) -> bool:
        """Whether this is the training thread, or the main thread that delegates training to another."""
        thread, this = self._thread, threading.current_thread()
        if thread is None or thread is this or not thread.is_alive():
            return True
        return this is threading.main_thread() and _waits(thread)

    def enter(self) -> bool:
        """An event of training happens on this thread: it becomes the training thread, unless another one is busy training."""
        thread, this = self._thread, threading.current_thread()
        if thread is this:
            return True
        if thread is None or not thread.is_alive() or _waits(thread):
            self._thread, self.ident = this, threading.get_ident()
            return True
        told, self._left_out = self._left_out, None
        if told is not None:
            told()
        return False


def _waits(thread: threading.Thread) -> bool:
    """True for a thread that is gone, too: threads that `threading` did not create always count as alive, and their ident may
    have been reused."""
    frame: Any = sys._current_frames().get(thread.ident or 0)
    if frame is None or thread.ident == threading.get_ident():
        return True
    names: List[str] = []
    while frame is not None and len(names) < _FRAMES:
        names.append(str(frame.f_globals.get("__name__", "")))
        frame = frame.f_back
    if any(name.startswith(_LOADER) for name in names):
        return False
    roots = [name.split(".")[0] for name in names]
    return roots[0] in _WAITS or (roots[0] == "selectors" and "asyncio" in roots)
