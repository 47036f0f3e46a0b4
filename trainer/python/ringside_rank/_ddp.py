"""Records when each gradient bucket of DistributedDataParallel was ready on this rank and when it was reduced. A model on the
CPU with a single bucket is measured through its reducer, see _single.py. Every other model gets our comm hook right before its
first backward, when programs have usually registered their own. Our hook calls one that was registered before it, and is
replaced by one that is registered later. Gradients are bitwise identical to those without it."""

import functools
import weakref
from typing import Any, Dict, List, Optional

from . import _collectives, _session, _single, _values

models: Any = weakref.WeakKeyDictionary()  # DDP -> _Reduction, or None: without our comm hook
with_views: List[Any] = []  # weak references to (DDP, _Reduction) whose gradients may be views of their buckets
new: List[Any] = []  # weak references to models without a hook yet
learning: Any = None  # the step of the current backward pass
_joins: Any = weakref.WeakKeyDictionary()  # reducer -> the work that counts the ranks that have not joined, if the mean is over those
_broken: Optional[BaseException] = None  # why a bucket could not be reduced


class _Reduction:
    """The comm hook of one DDP."""

    def __init__(self, model: Any) -> None:
        self.group = model.process_group
        self.size = self.group.size()
        self.reducer = weakref.ref(model.reducer)
        self.own: Any = None  # the program's (state, hook)
        # Address of each gradient before the backward pass: DDP divides gradients that are already in their bucket differently.
        self.places: Dict[int, int] = {}

    def __call__(self, state: Any, bucket: Any) -> Any:
        if self.own is not None:
            return observed(self.own[1])(self.own[0], bucket)
        note = _ready(bucket)
        buffer = bucket.buffer()
        self._divide(bucket, buffer)
        future = self.group.allreduce([buffer]).get_future()
        return future.then(functools.partial(_reduced, note))

    def _divide(self, bucket: Any, buffer: Any) -> None:
        ranks = self._ranks()
        if buffer.is_sparse:
            buffer.div_(ranks)
            return
        if not self.places:
            buffer.mul_(1.0 / ranks)  # a division would round differently
            return
        for parameter, view in zip(bucket.parameters(), bucket.gradients()):
            if self.places.get(id(parameter)) == view.data_ptr():
                view.div_(ranks)
            else:
                view.mul_(1.0 / ranks)

    def _ranks(self) -> int:
        """The number that DDP divides by; DDP waits for the same work."""
        work = _joins.get(self.reducer())
        if work is None:
            return int(self.size)
        work.wait()
        return int(work.get_future().wait()[0].item())

    def note_places(self, model: Any) -> None:
        if self.size & (self.size - 1) == 0 and model.reducer not in _joins:
            return
        self.places = {id(one): one.grad.data_ptr() for one in model.parameters() if one.grad is not None}


def _ready(bucket: Any) -> Optional[list]:
    """The bucket's entry in the step, or None if it is not measured; its collective is counted in any case, as on the other
    ranks."""
    session = _session.current()
    if session is None:
        return None
    try:
        index = bucket.index()
        _collectives.bucket = True
        session.speaker.entered("all-reduce of gradient bucket " + str(index))
        step = learning
        if step is None or not session.speaker.works("buckets") or _values.capturing():
            return None
        buffer = bucket.buffer()
        ready = session.clock.mark()
        if ready is None:
            return None
        note = [index, buffer.numel() * buffer.element_size(), ready, None]
        step.buckets.append(note)
        return note
    except Exception:
        session.speaker.failed("buckets")
        return None


def _mark_reduced(note: Optional[list]) -> None:
    session = _session.current()
    if session is None or note is None:
        return
    try:
        note[3] = session.clock.end_mark()
    except Exception:
        session.speaker.failed("buckets")


def _reduced(note: Optional[list], future: Any) -> Any:
    global _broken
    try:
        value = future.value()[0]
    except Exception as error:
        _broken = error
        raise
    _mark_reduced(note)
    return value


def take_broken() -> Optional[BaseException]:
    global _broken
    broken, _broken = _broken, None
    return broken


def observed(hook: Any) -> Any:
    """Calls the program's own hook unchanged."""

    @functools.wraps(hook)
    def watched(state: Any, bucket: Any) -> Any:
        note = _ready(bucket)
        future = hook(state, bucket)
        if note is not None:
            try:
                future.add_done_callback(lambda done: _mark_reduced(note))
            except Exception:
                note[3] = note[2]
                _session.current().speaker.failed("buckets")  # type: ignore[union-attr]
        return future

    return watched


def install(torch: Any) -> None:
    if not torch.distributed.is_available():
        return
    from torch.nn.parallel import DistributedDataParallel as model_class

    from ._replace import replace

    def made_init(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            _collectives.has_buckets = True
            original(self, *args, **kwargs)
            new.append(weakref.ref(self))
            _single.watch(self)

        return __init__

    def made_register(original: Any) -> Any:
        def register_comm_hook(self: Any, state: Any, hook: Any) -> None:
            reduction = models.get(self)
            if reduction is not None and reduction.own is None:
                self._check_comm_hook(hook)
                self._comm_hooks[:] = [(hook, state)]
                reduction.own = (state, hook)
                return
            _single.leave(self)
            original(self, state, observed(hook))
            models[self] = None

        return register_comm_hook

    def made_builtin(original: Any) -> Any:
        def _register_builtin_comm_hook(self: Any, *args: Any, **kwargs: Any) -> None:
            _single.leave(self)
            original(self, *args, **kwargs)
            models[self] = None

        return _register_builtin_comm_hook

    def made_join(original: Any) -> Any:
        def _set_forward_pass_work_handle(self: Any, work: Any, use_static_world_size: bool) -> None:
            original(self, work, use_static_world_size)
            _joins[self] = None if use_static_world_size else work

        return _set_forward_pass_work_handle

    _single.install(torch)
    _session.on_open(lambda session: setattr(session.speaker, "under_way", _single.under_way))
    replace(torch.distributed.Reducer, "_set_forward_pass_work_handle", made_join)
    replace(model_class, "__init__", made_init)
    replace(model_class, "register_comm_hook", made_register)
    replace(model_class, "_register_builtin_comm_hook", made_builtin)


def register_all() -> None:
    """Called before the first backward pass after a DDP was created."""
    while new:
        model = new.pop()()
        if model is None:
            continue
        _values.gradients_are_whole(True)
        if model in models or not _may_watch(model):
            _single.leave(model)
            continue
        if _single.is_watched(model):
            models[model] = None
            continue
        reduction = _Reduction(model)
        # A function, since DDP logs its name.
        model_hook = functools.wraps(_ringside_allreduce)(lambda state, bucket, made=reduction: made(state, bucket))
        model_hook.__signature__ = None  # type: ignore[attr-defined]
        import torch.distributed as dist

        dist._register_comm_hook(model.reducer, None, model_hook)
        models[model] = reduction
        if getattr(model, "gradient_as_bucket_view", False):
            with_views.append((weakref.ref(model), weakref.ref(reduction)))


def _ringside_allreduce(state: Any, bucket: Any) -> Any:
    """Only provides the name of our hook."""


def _may_watch(model: Any) -> bool:
    """False if the mean is not over all ranks, or if DDP communicates without its reducer; it is then left unchanged."""
    joined = getattr(getattr(model, "_join_config", None), "enable", False)
    return not (joined or getattr(model, "mixed_precision", None) is not None
                or getattr(model, "_use_python_reducer", False)
                or getattr(model, "_delay_all_reduce_all_params", False) or not hasattr(model, "reducer"))


def note_places() -> None:
    """Called when a backward pass begins."""
    for one, other in with_views:
        model, reduction = one(), other()
        if model is not None and reduction is not None:
            reduction.note_places(model)


def sizes() -> Dict[str, Any]:
    """Number of parameters, and bytes of all-reduced gradients, of the models that train."""
    parameters = [one for model in list(models) for one in model.parameters() if one.requires_grad]
    if not parameters:
        return {}
    return {"parameters": sum(one.numel() for one in parameters),
            "gradient_bytes": sum(one.numel() * one.element_size() for one in parameters)}
