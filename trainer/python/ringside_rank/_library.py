"""libringside_rank.so through ctypes. Posting keeps the GIL, since giving it away costs more than the call; closing, which may
wait, gives it away. Any thread."""

import ctypes
import os
from typing import Any

ABI = 1


class Library:
    """Raises OSError where the file cannot be loaded, or speaks another version."""

    def __init__(self, path: str) -> None:
        self.way = path
        quick = ctypes.PyDLL(path)
        quick.ringside_abi.restype = ctypes.c_int32
        quick.ringside_abi.argtypes = ()
        if quick.ringside_abi() != ABI:
            raise OSError(f"{path} speaks version {quick.ringside_abi()}, not {ABI}")
        self.post = quick.ringside_post
        self.post.restype = ctypes.c_int
        self.post.argtypes = (ctypes.c_uint16, ctypes.c_int64, ctypes.c_char_p, ctypes.c_size_t)
        self.stop_request = quick.ringside_stop_request
        self.stop_request.restype = ctypes.c_int32
        self.stop_request.argtypes = ()
        self._problem = quick.ringside_problem
        self._problem.restype = ctypes.c_char_p
        self._problem.argtypes = ()
        patient = ctypes.CDLL(path)
        self._open = patient.ringside_open
        self._open.restype = ctypes.c_int32
        self._open.argtypes = ()
        self._close = patient.ringside_close
        self._close.restype = None
        self._close.argtypes = (ctypes.c_int64,)

    def open(self) -> bool:
        return self._open() == 1

    @property
    def problem(self) -> str:
        return (self._problem() or b"").decode("utf-8", "replace")

    def close(self, budget_ns: int) -> None:
        self._close(budget_ns)


def speaker_path() -> str:
    """The file is there while a process of this rank speaks, see trainer/agent/RANKS.md."""
    attempt, rank = os.environ.get("RINGSIDE_ATTEMPT", "0"), os.environ["RANK"]
    return os.path.join(os.environ["RINGSIDE_RUN_DIR"], f"attempt_{attempt}", f"rank_{rank}", "speaker")


def load() -> Any:
    """The library that the agent names; where it cannot be loaded, the connection in Python. An OSError says why there is
    neither."""
    try:
        return Library(os.environ["RINGSIDE_RANK_LIBRARY"])
    except KeyError:
        why = "RINGSIDE_RANK_LIBRARY is not set"
    except (OSError, AttributeError) as error:
        why = str(error)
    try:
        from ._wire import Connection
    except ImportError:
        raise OSError(f"{why}; without it the package pyzmq is needed") from None
    return Connection()
