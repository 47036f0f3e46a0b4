"""Reports once what a program has left on for debugging, each of which makes all of its steps slower. Training thread only."""

import os
import weakref
from typing import Any, Iterator, Tuple

from . import _ddp, _records

PASSES = 10  # backward passes before the report; DDP keeps its figures of so many at least

done = False
_passes = 0
_needed: Any = weakref.WeakSet()  # models with a parameter that a pass did not use, and models without figures


def look(session: Any) -> None:
    """Called when a backward pass begins, since anomaly detection may be on around forward and backward alone."""
    global done, _passes
    _passes += 1
    done = _passes >= PASSES
    try:
        if session.speaker.rank == 0:
            if _passes > 1:  # DDP knows in a pass what the one before did not use
                _needed.update(model for model in list(_ddp.models) if not _looks_in_vain(model))
            for severity, code, text in _left_on() if done else ():
                session.speaker.notice(severity, code, text)
    except Exception:
        done = True
        session.speaker.failed("switches for debugging")


def _left_on() -> Iterator[Tuple[int, str, str]]:
    import torch

    if torch.is_anomaly_enabled():
        yield (_records.WARNING, "anomaly_mode", "anomaly detection of torch.autograd is on: it keeps a traceback of every operation, and the "
               "backward pass looks for NaN after each")
    if torch.cuda.is_initialized() and os.environ.get("CUDA_LAUNCH_BLOCKING", "0") not in ("", "0"):
        yield _records.WARNING, "launch_blocking", "CUDA_LAUNCH_BLOCKING is set: the program waits for every kernel before it starts the next"
    dist = torch.distributed
    if dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1 and dist.get_debug_level() == dist.DebugLevel.DETAIL:
        yield _records.WARNING, "distributed_debug", "TORCH_DISTRIBUTED_DEBUG is DETAIL: ranks compare every collective before it starts"
    if any(model not in _needed for model in list(_ddp.models)):
        yield (_records.INFO, "unused_parameters", "find_unused_parameters of DistributedDataParallel is on: every step searches the graph, but "
               f"rank 0 used all parameters in each of its first {PASSES - 1} passes")


def _looks_in_vain(model: Any) -> bool:
    if not getattr(model, "find_unused_parameters", False) or getattr(model, "static_graph", False):
        return False
    return bool(model._get_ddp_logging_data().get("unused_parameter_size", -1) == 0)
