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
    return os.path.join(_rank_folder(os.environ["RANK"]), "speaker")


def _rank_folder(rank: str) -> str:
    return os.path.join(os.environ["RINGSIDE_RUN_DIR"], f"attempt_{os.environ.get('RINGSIDE_ATTEMPT', '0')}", f"rank_{rank}")


def nested() -> bool:
    """Whether another launcher inside of this rank, such as a torchrun in a script, started the process: it does not speak.
    RINGSIDE_RANK says what RANK and WORLD_SIZE were; another torchrun has a run id of its own."""
    given, world = os.environ.get("RINGSIDE_RANK"), os.environ.get("WORLD_SIZE")
    if given is None or world is None:
        return False
    run = os.path.basename(os.environ["RINGSIDE_RUN_DIR"].rstrip("/"))
    return f"{os.environ['RANK']}/{world}" != given or (world != "1" and os.environ.get("TORCHELASTIC_RUN_ID", run) != run)


def tell_nested() -> None:
    """The agent finds the number of ranks there, and says it once."""
    rank = os.environ["RINGSIDE_RANK"].split("/")[0]
    try:
        with open(os.path.join(_rank_folder(rank), "nested_ranks"), "x", encoding="utf-8") as file:
            file.write(os.environ["WORLD_SIZE"] + "\n")
    except OSError:
        pass


def load() -> Any:
    """The library that the agent names; where it cannot be loaded, the connection in Python."""
    try:
        return Library(os.environ["RINGSIDE_RANK_LIBRARY"])
    except (KeyError, OSError, AttributeError):
        from ._wire import Connection

        return Connection()
