"""Reports once what a program has left on for debugging, each of which makes all of its steps slower. Training thread only."""

import os
from typing import Any, Iterator, Tuple

from . import _ddp, _records

BEHIND = 3  # steps; DDP knows after its second pass which parameters the first one did not use

done = False


def look(session: Any) -> None:
    """Called when a backward pass begins, since anomaly detection may be on around forward and backward alone."""
    global done
    if session.steps.number < BEHIND:
        return
    done = True
    try:
        for severity, code, text in _left_on() if session.speaker.rank == 0 else ():
            session.speaker.notice(severity, code, text)
    except Exception:
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
    if any(_looks_in_vain(model) for model in list(_ddp.models)):
        yield (_records.INFO, "unused_parameters", "find_unused_parameters of DistributedDataParallel is on: every step searches the graph, but "
               "all parameters were used so far")


def _looks_in_vain(model: Any) -> bool:
    if not getattr(model, "find_unused_parameters", False) or getattr(model, "static_graph", False):
        return False
    return bool(model._get_ddp_logging_data().get("unused_parameter_size", -1) == 0)
