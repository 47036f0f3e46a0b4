"""libringside_rank.so through ctypes. Posting keeps the GIL, since releasing it costs more than the call; closing, which may
wait, releases it. Any thread."""

import _thread
import contextlib
import ctypes
import os
import sys
import warnings
from typing import Any, Callable, List, Optional, Set, Tuple

ABI = 2
_MOST_TEXT = 4000


class Library:
    """Raises OSError if the file cannot be loaded or has another interface version."""

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
        self._open = patient.ringside_open_as
        self._open.restype = ctypes.c_int32
        self._open.argtypes = (ctypes.c_int32, ctypes.c_int32)
        self._close = patient.ringside_close
        self._close.restype = None
        self._close.argtypes = (ctypes.c_int64,)

    def open(self, rank: int, world: int) -> bool:
        return self._open(rank, world) == 1

    @property
    def problem(self) -> str:
        return (self._problem() or b"").decode("utf-8", "replace")

    def close(self, budget_ns: int) -> None:
        self._close(budget_ns)


def start_thread(run: Callable[..., None], *arguments: Any) -> None:
    """Starts a thread that may outlive the interpreter. It is not a `threading.Thread`, since some programs join all of those.
    Returns after it has started, so that a failure to start prints nothing later. Raises RuntimeError if no thread can be
    started."""
    try:
        # The interpreter needs this library to end such a thread, and aborts if it cannot load it at that time.
        ctypes.CDLL("libgcc_s.so.1")
    except OSError:
        pass
    begun = _thread.allocate_lock()
    begun.acquire()
    _thread.start_new_thread(_begin, (begun, run, arguments))
    begun.acquire(timeout=1.0)


def _begin(begun: Any, run: Callable[..., None], arguments: Tuple[Any, ...]) -> None:
    begun.release()
    try:
        run(*arguments)
    except MemoryError:
        pass


_group: Optional[Tuple[int, int]] = None  # (rank, world size) of the last process group of this process


def place() -> Tuple[int, int]:
    """Rank and world size of this process's process group, else those of the environment."""
    global _group
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        _group = distributed.get_rank(), distributed.get_world_size()
    return _group or (int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1")))


def cpus() -> List[int]:
    """Numbers of the CPUs that this process may run on; empty: the system does not say. OpenMP may bind each thread, the main
    one too, to CPUs of its own."""
    found: Set[int] = set()
    try:
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(ProcessLookupError):  # it may have ended
                found |= os.sched_getaffinity(int(thread))
    except Exception:
        return []
    return sorted(found)


def is_alone() -> bool:
    """Whether the agent started a single process, so that ranks started by it are the ranks of the run."""
    return os.environ.get("RINGSIDE_RANK") == "0/1"


def speaker_path(rank: int) -> str:
    """Path of the file that exists once a process of this rank sends telemetry, see trainer/agent/RANKS.md."""
    return os.path.join(rank_folder(rank), "speaker")


def rank_folder(rank: int) -> str:
    return os.path.join(os.environ["RINGSIDE_RUN_DIR"], f"attempt_{os.environ.get('RINGSIDE_ATTEMPT', '0')}", f"rank_{rank}")


def nested(rank: int, world: int) -> bool:
    """Whether this process is a rank that was started within one of several ranks, for example by torchrun or mp.spawn in a
    script; it then sends no telemetry. RINGSIDE_RANK has the original RANK and WORLD_SIZE; another torchrun has another run id."""
    given, told = os.environ.get("RINGSIDE_RANK"), os.environ.get("WORLD_SIZE")
    if given is None or told is None or is_alone():
        return False
    run = os.path.basename(os.environ["RINGSIDE_RUN_DIR"].rstrip("/"))
    if f"{os.environ.get('RANK')}/{told}" != given or (told != "1" and os.environ.get("TORCHELASTIC_RUN_ID", run) != run):
        return True
    return str(world) != told or (is_spawned() and world > 1)


def is_spawned() -> bool:
    """Whether this is a process of multiprocessing, such as those of mp.spawn."""
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


def why_inner_ends() -> str:
    """The exception that ends this process if the script started it as a rank, so that the agent does not see its exit code;
    else empty."""
    if not is_alone() or not (is_spawned() or f"{os.environ.get('RANK')}/{os.environ.get('WORLD_SIZE')}" != "0/1"):
        return ""
    error = sys.exc_info()[1] or getattr(sys, "last_value", None)
    if isinstance(error, SystemExit):
        if not error.code:
            return ""
        error = error.__context__ or error
    return "" if error is None else f"{type(error).__name__}: {error}"[:_MOST_TEXT]


def tell_nested(world: int) -> None:
    """Writes the number of nested ranks to a file, which the agent reports once."""
    try:
        with open(os.path.join(rank_folder(int(os.environ["RINGSIDE_RANK"].split("/")[0])), "nested_ranks"), "x", encoding="utf-8") as file:
            file.write(f"{world}\n")
    except OSError:
        pass


def allow_forks() -> None:
    """Python 3.12 and newer warn about a fork in a process with threads. A program without threads would get this warning
    because of our thread, and would end with -W error."""
    if sys.version_info >= (3, 12):
        warnings.filterwarnings("ignore", r"This process \(pid=\d+\) is multi-threaded", DeprecationWarning)
