"""A DDP on CPUs whose gradients fit into one bucket: the reducer itself records when each gradient was ready, and the bucket is
reduced when backward returns. This needs no comm hook, which in Python would cost more than everything else here; the hook
(_ddp.py) is for several buckets, whose end only a hook can observe."""

import time
import weakref
from typing import Any, Dict, List, Optional

from . import _session, _values
from ._steps import DATA

FIRST_BUCKET = "all-reduce of gradient bucket 0"


class Single:
    """`begun_ns` is when the reducer began to wait for gradients, to which its times are relative; 0: it has not."""

    def __init__(self, model: Any, size: int) -> None:
        self.reducer = weakref.ref(model.reducer)
        self.size = size
        self.begun_ns = 0
        self.before: List[int] = model.reducer.get_backward_stats()


_singles: Dict[int, Single] = {}  # by the id of the reducer


def install(torch: Any) -> None:
    from ._replace import replace

    def made(original: Any) -> Any:
        def prepare_for_backward(self: Any, *args: Any, **kwargs: Any) -> Any:
            single = _singles.get(id(self))
            if single is not None:
                single.begun_ns = time.monotonic_ns()
            return original(self, *args, **kwargs)

        return prepare_for_backward

    replace(torch.distributed.Reducer, "prepare_for_backward", made)

    def made_forward(original: Any) -> Any:
        def prepare_for_forward(self: Any, *args: Any, **kwargs: Any) -> Any:
            session = _session.one
            if session is not None and not _is_fed(session.steps) and session.training.here() and "forward" not in session.off \
                    and not _values.capturing():
                try:
                    session.steps.forward_begin()
                except Exception:
                    session.speaker.failed("forward")
            return original(self, *args, **kwargs)

        return prepare_for_forward

    replace(torch.distributed.Reducer, "prepare_for_forward", made_forward)


def _is_fed(steps: Any) -> bool:
    """Whether the open step began with an observed batch, which is then the start of the forward pass."""
    return steps.open is not None and not steps.ended and steps.open.spans[:1] == [DATA]


def _size(model: Any) -> int:
    """Bytes of the only bucket; 0: there may be several, or they are not on CPUs."""
    import torch.distributed as dist

    left_out = set(getattr(model, "parameters_to_ignore", ()))
    parameters = [one for name, one in model.module.named_parameters() if one.requires_grad and not {name, "." + name} & left_out]
    size = sum(one.numel() * one.element_size() for one in parameters)
    limit = min([int(dist._DEFAULT_FIRST_BUCKET_BYTES), model.bucket_bytes_cap, *getattr(model, "bucket_bytes_cap_list", ())])
    alike = {(one.dtype, one.device.type) for one in parameters}
    sparse = any(getattr(one, "sparse", False) for one in model.module.modules())
    fits = size <= limit and len(alike) == 1 and next(iter(alike))[1] == "cpu" and not sparse
    return size if fits and len(model.reducer.get_backward_stats()) == len(parameters) else 0


def watch(model: Any) -> None:
    """Called when a DDP was created, since its first backward belongs to the first step. Models that cannot be measured like
    this get the comm hook."""
    try:
        for key in [key for key, single in _singles.items() if single.reducer() is None]:
            del _singles[key]
        size = _size(model)
        if size > 0:
            _singles[id(model.reducer)] = Single(model, size)
    except Exception:
        pass


def leave(model: Any) -> bool:
    """Stops measuring it here; returns whether it was."""
    return _singles.pop(id(getattr(model, "reducer", None)), None) is not None


def is_watched(model: Any) -> bool:
    single = _singles.get(id(model.reducer))
    return single is not None and single.reducer() is model.reducer


def collect(session: Any, step: Any, from_ns: Any) -> None:
    """Called after a backward that began at `from_ns`."""
    now_ns = time.monotonic_ns()
    for single in _singles.values():
        begun_ns = single.begun_ns
        if not begun_ns:
            continue
        single.begun_ns = 0
        reducer = single.reducer()
        if reducer is None:
            continue
        stats = reducer.get_backward_stats()
        if stats == single.before:
            continue  # a forward pass without a backward
        single.before = stats
        session.speaker.entered(FIRST_BUCKET)
        ready_ns: Optional[int] = begun_ns + max(stats)
        if not isinstance(from_ns, int) or not from_ns <= ready_ns <= now_ns:  # type: ignore[operator]
            ready_ns = None  # the reducer uses a clock that can be set
        step.buckets.append([0, single.size, ready_ns, now_ns])


def forget() -> None:
    """Called when a backward has raised."""
    for single in _singles.values():
        single.begun_ns = 0


def under_way() -> str:
    """The collective of the backward pass in progress, or empty. Any thread."""
    for single in list(_singles.values()):
        reducer = single.reducer()
        if single.begun_ns and reducer is not None:
            now, before = reducer.get_backward_stats(), single.before
            if all(one != other for one, other in zip(now, before)):
                return FIRST_BUCKET
    return ""
