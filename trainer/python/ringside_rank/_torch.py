"""Instruments torch after its import: hooks before and after every optimizer step, and wrappers of backward,
DistributedDataParallel, GradScaler and clip_grad_norm_. Their results are bitwise unchanged. An exception in our code never
reaches the program: it is reported once, and that hook or wrapper is switched off.

There are no module hooks: they fire twice, and torch.compile warns about them. dist.all_reduce is not wrapped: DDP does not use
it."""

import functools
import os
import time
import weakref
from threading import get_ident
from typing import Any, Dict, Optional

from . import _arguments, _collectives, _data, _ddp, _flops, _graphs, _learning, _memory, _optimizers, _session, _single, _switches, _values
from ._replace import compiling_of, nobodys, replace, replace_traced

NORM_EVERY = 20  # interval in steps
_ACCUMULATES_BY = 100  # steps: whether parts of a batch are divided is known a few steps late
_NORM_SHARE = 0.001  # maximum fraction of the steps' time


def install(torch: Any) -> None:
    """Called once, right after the import of torch."""
    _values.use(torch)
    _hook_optimizers(torch)  # first: before torch 2.0 these hooks do not exist, and nothing is instrumented
    _wrap_backward(torch)
    _wrap_scaler(torch)
    _wrap_clipping(torch)
    _wrap_modes(torch)
    _graphs.install(torch)
    _ddp.install(torch)
    _data.install(torch)
    _collectives.install(torch)
    _collectives.trained = lambda: _trained.get("parameter", int)()
    _session.on_open(_optimizers.watch)
    _session.on_open(lambda session: setattr(session, "facts", lambda: _facts(torch)))
    _arguments.install(torch)


# Backward

def _wrap_backward(torch: Any) -> None:
    compiling = compiling_of(torch)

    def made(original: Any) -> Any:
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            if compiling():  # like `replace_traced`, with one call less per step
                return original(tensors, *args, **kwargs)
            before = None if _inside_backward else _backward_begins(tensors, args, kwargs)
            try:
                original(tensors, *args, **kwargs)
            except BaseException as error:
                broken = None if before is None else _backward_failed(before)
                if broken is None or not isinstance(error, RuntimeError):
                    raise
                raise broken.with_traceback(error.__traceback__) from None
            if before is not None:
                _backward_ended(before)

        return nobodys(backward)

    # Tensor.backward calls it through this name.
    replace(torch.autograd, "backward", made)


_inside_backward = False


def _backward_begins(tensors: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """(session, step, number of buckets and losses, samples and batches before), or None if it is not measured."""
    global _inside_backward
    session = _session.one or _session.current()
    if session is None or "backward" in session.off or _values.capturing():
        return None
    try:
        if session.training.ident != get_ident() and not session.training.enter():
            return None
        steps, passes = session.steps, session.passes
        newest, step = passes.newest, steps.open
        again = step is not None and bool(step.losses) and not steps.ended and not steps.inside
        if again:
            _learn_again(session, step, tensors)
        if _ddp.new or not session.placed or session.evaluation_mode is not None or passes.judging is not None or (
                newest is not None and newest.evaluating):
            _learning.begins(session, _device_of(tensors))
        step = steps.backward_begin()
        before = session, step, len(step.buckets), len(step.losses), step.samples, step.batches
        if not steps.ended and not (steps.inside and steps.again):
            _learning.learn(session, step)
            if not step.losses and _flops.done and (_optimizers.divided or steps.number < _ACCUMULATES_BY):
                step.divisor = _quietly(_values.divisor, tensors, _values.is_scaled())
            if not step.moved:
                given = args[0] if args else kwargs.get("grad_tensors")
                step.losses.append(_values.loss(tensors) if given is None else None)
            if steps.watches and step.watched is None:
                step.watched = _quietly(_values.watch, tensors)
                steps.watchable = step.watched is not None
                steps.watches = steps.watchable
        if _ddp.with_views:
            _ddp.note_places()
        if not _switches.done:
            _switches.look(session)
        _ddp.learning = step
        _inside_backward = True
        return before
    except Exception:
        session.speaker.failed("backward")
        return None


def _quietly(look: Any, *of: Any) -> Any:
    """Graph nodes come from many sources; what raises when examined is unknown."""
    try:
        return look(*of)
    except Exception:
        return None


def _learn_again(session: Any, step: Any, tensors: Any) -> None:
    """A second backward in a step: a part of a batch, another loss or, if gradients were reset, the only one that counts."""
    steps = session.steps
    steps.watches = steps.watchable
    found = _quietly(_values.divisor, tensors, _values.is_scaled())
    step.divisor = found if step.divisor in (0.0, found) else None
    reset, moved = _quietly(_values.was_reset, step.watched) or (False, False)
    if not reset:
        return
    step.moved = step.moved or moved
    if steps.first is None:
        steps.reset()
    elif not step.moved:
        del step.losses[:]


def _device_of(tensors: Any) -> Any:
    """The device of one loss, or of the first of several."""
    if isinstance(tensors, (list, tuple)):
        tensors = tensors[0] if tensors else None
    return getattr(tensors, "device", None)


def _backward_ended(before: Any) -> None:
    global _inside_backward
    session, step, buckets = before[:3]
    _inside_backward = False
    _ddp.learning = None
    try:
        _single.collect(session, step, session.steps.backward_begun)
        session.steps.backward_end(buckets)
        if step.watched is not None:
            _quietly(_values.note_gradient, step.watched)
    except Exception:
        session.speaker.failed("backward")


def _backward_failed(before: Any) -> Optional[BaseException]:
    """Undoes a failed backward, since a program may continue with the next batch. Returns the connection error that DDP would
    have raised without our hook; None for any other error."""
    session, step, _, losses, samples, step.batches = before
    _single.forget()
    _backward_ended(before)
    del step.losses[losses:]
    step.samples = samples
    step.tokens = -1
    step.buckets[:] = [note for note in step.buckets if note[3] is not None]
    return _ddp.take_broken()


# Optimizers

def _hook_optimizers(torch: Any) -> None:
    from torch.optim import optimizer as module

    module.register_optimizer_step_pre_hook(_before_step)
    module.register_optimizer_step_post_hook(_after_step)

    def made(original: Any) -> Any:
        def load_state_dict(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            _note_resume(self)
            return result

        return load_state_dict

    replace(torch.optim.Optimizer, "load_state_dict", made)


def _before_step(optimizer: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """New arguments for the step, or None: unchanged."""
    global _inside_backward
    session = _session.one or _session.current()
    if session is None or "optimizer" in session.off:
        return None
    if _values.capturing():
        _graphs.note_optimizer(id(optimizer))
        return None
    try:
        if session.training.ident != get_ident() and not session.training.enter():
            return None
        _inside_backward = False  # in case a backward raised
        steps = session.steps
        step = steps.open
        if steps.number >= _norm["next"] and step is not None and step.learned:
            _measure_norm(session, step, optimizer)
        which = _optimizers.numbers.get(id(optimizer)) or _optimizers.number(session, optimizer)
        _note_optimizer(session, steps.optimizer_begin(which), optimizer, which)
        return _with_counted_closure(session, args, kwargs) if kwargs or len(args) > 1 else None
    except Exception:
        session.speaker.failed("optimizer")
        return None


def _with_counted_closure(session: Any, args: Any, kwargs: Any) -> Optional[Any]:
    closure = args[1] if len(args) > 1 else kwargs.get("closure")
    if not callable(closure):
        return None

    @functools.wraps(closure)
    def counted(*given: Any, **named: Any) -> Any:
        session.steps.closure_begin()
        return closure(*given, **named)

    if len(args) > 1:
        return (args[0], counted, *args[2:]), kwargs
    return args, {**kwargs, "closure": counted}


def _after_step(optimizer: Any, args: Any, kwargs: Any) -> None:
    session = _session.one or _session.current()
    if session is None or "optimizer" in session.off or _values.capturing():
        return
    try:
        if session.training.ident != get_ident() and not session.training.here():
            return
        steps = session.steps
        step = steps.open
        nested = step is not None and step.nested
        which = _optimizers.numbers.get(id(optimizer)) or _optimizers.number(session, optimizer)
        steps.optimizer_end(which)
        if nested:
            _measure_norm(session, step, optimizer)
        if not steps.number % _memory.every:
            _memory.look(session)
        if not _flops.done:
            _flops.look(session, which)
    except Exception:
        session.speaker.failed("optimizer")


def _note_optimizer(session: Any, step: Any, optimizer: Any, which: int) -> None:
    """Uses the learning rate of the counted optimizer, or of the one that it wraps."""
    groups, steps = optimizer.param_groups, session.steps
    if groups:
        lr = groups[0].get("lr")
        lr = lr if type(lr) is float else _values.number(lr)
        inner = steps.inside > 1
        if step.lr is None or (inner and not step.inner) or not (inner or steps.is_other(which)):
            step.lr, step.inner = lr, inner
        elif not inner and len(step.rates) < _optimizers.MOST:
            step.rates = [*step.rates, (which, lr)]
    if which != _trained.get("by") and not steps.is_other(which):
        first = groups[0]["params"][0] if groups and groups[0]["params"] else None
        _trained.update(by=which, parameter=(lambda: None) if first is None else weakref.ref(first))


_trained: Dict[str, Any] = {}  # the counted optimizer, and a reference to its first parameter


def _note_resume(optimizer: Any) -> None:
    """Adam and similar optimizers count steps, which shows where a checkpoint resumes."""
    try:
        done = [_values.on_host(state["step"]) for state in optimizer.state.values() if "step" in state]
        session = _session.current()
        if session is not None and not session.speaker.greeted and done and max(done) > 0:
            session.resume(int(max(done)))
    except Exception:
        pass


# Gradient norm: the one that clipping computes anyway, otherwise measured at an interval

_norm = {"next": 0}


def _wrap_clipping(torch: Any) -> None:
    def made(original: Any) -> Any:
        def clip_grad_norm_(*args: Any, **kwargs: Any) -> Any:
            norm = original(*args, **kwargs)
            session = _session.current()
            if session is not None and session.training.here() and session.speaker.works("gradient norm") and not _values.capturing():
                try:
                    kind = args[2] if len(args) > 2 else kwargs.get("norm_type", 2.0)
                    step = session.steps.open
                    if step is not None and float(kind) == 2.0 and type(norm) is torch.Tensor:
                        step.norm = _values.number(norm)
                except Exception:
                    session.speaker.failed("gradient norm")
            return norm

        return clip_grad_norm_

    module = torch.nn.utils.clip_grad
    replace_traced(torch, module, "clip_grad_norm_", made)
    torch.nn.utils.clip_grad_norm_ = module.clip_grad_norm_


def _measure_norm(session: Any, step: Any, optimizer: Any) -> None:
    """Unknown with FSDP, where gradients are shards, and for fused optimizers, where they are still scaled."""
    number = session.steps.number
    if step.norm is not None or number < _norm["next"] or not _values.whole_gradients() or getattr(optimizer, "grad_scale", None) is not None:
        return
    begun_ns = time.monotonic_ns()
    value = _values.norm([one.grad for group in optimizer.param_groups for one in group["params"]])
    spent_ns = time.monotonic_ns() - begun_ns
    _norm["next"] = number + NORM_EVERY
    if session._step_ns > 0:
        _norm["next"] = number + max(NORM_EVERY, int(spent_ns / (_NORM_SHARE * session._step_ns)))
    if value is not None:
        step.norm = value


# Mixed precision

def _wrap_scaler(torch: Any) -> None:
    scaler = getattr(getattr(torch, "amp", None), "GradScaler", None) or torch.cuda.amp.GradScaler

    def made_scale(original: Any) -> Any:
        def scale(self: Any, outputs: Any) -> Any:
            result = original(self, outputs)
            if _session.current() is not None and isinstance(outputs, torch.Tensor) and not _values.capturing():
                _values.note_scaled(result, outputs, getattr(self, "_scale", None))
            return result

        return scale

    def made_step(original: Any) -> Any:
        def step(self: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            session = _session.current()
            if session is None or not session.speaker.works("loss scale") or not session.training.enter() or _values.capturing():
                return original(self, optimizer, *args, **kwargs)
            before = _scaler_begins(session, self)
            result = original(self, optimizer, *args, **kwargs)
            if before >= 0:
                _scaler_ended(session, before, optimizer)
            return result

        return step

    replace_traced(torch, scaler, "scale", made_scale)
    replace_traced(torch, scaler, "step", made_step)


def _scaler_begins(session: Any, scaler: Any) -> int:
    """Number of optimizer steps before; -1: the scaler is disabled."""
    try:
        scale = getattr(scaler, "_scale", None)
        if scale is None or not scaler.is_enabled():
            return -1
        step = session.steps.open
        if step is not None:
            step.scale = _values.number(scale)
        return int(session.steps.optimizer_steps)
    except Exception:
        session.speaker.failed("loss scale")
        return -1


def _scaler_ended(session: Any, before: int, optimizer: Any) -> None:
    try:
        if session.steps.optimizer_steps == before:
            step = session.steps.open
            which = _optimizers.number(session, optimizer)
            if step is not None:
                _note_optimizer(session, step, optimizer, which)
            session.steps.skip(which)
    except Exception:
        session.speaker.failed("loss scale")


# Evaluation, detected by the mode of the trained model

_changing_mode = False


def _wrap_modes(torch: Any) -> None:
    def made(original: Any) -> Any:
        def train(self: Any, mode: bool = True) -> Any:
            global _changing_mode
            if _changing_mode:
                return original(self, mode)
            _changing_mode = True
            try:
                result = original(self, mode)
            finally:
                _changing_mode = False
            _mode_changed(self, mode)
            return result

        return train

    replace_traced(torch, torch.nn.Module, "train", made)


def _mode_changed(module: Any, training: bool) -> None:
    session = _session.current() if _trained else None
    if session is None or not session.training.here() or not session.speaker.works("evaluation") or _values.capturing():
        return
    try:
        parameter = _trained["parameter"]()
        if parameter is None or not any(one is parameter for one in module.parameters()):
            return  # another model, such as a teacher
        if training:
            session.leave_evaluation_mode()
        elif session.evaluation_mode is None:
            session.evaluation_mode = (session.clock.end_mark(), weakref.ref(module))
    except Exception:
        session.speaker.failed("evaluation")


# Facts for the hello

def _facts(torch: Any) -> Dict[str, Any]:
    facts: Dict[str, Any] = {"versions": f"PyTorch {torch.__version__}", "threads": torch.get_num_threads()}
    dist = torch.distributed
    if dist.is_available() and dist.is_initialized():
        facts["world_size"] = dist.get_world_size()
        facts["backend"] = str(dist.get_backend())
    elif facts.get("world_size", int(os.environ.get("WORLD_SIZE", "1"))) == 1:
        facts["backend"] = "solo"
    facts.update(_values.device_facts())
    facts.update(_ddp.sizes())
    return facts
