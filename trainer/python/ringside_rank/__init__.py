"""A training script's part of Ringside. Outside a run every call does nothing.

    import ringside_rank as rs

    rs.log(step=i, loss=loss, accuracy=accuracy, anything=x)   # adds to, or overrides, what is measured automatically
    with rs.evaluating(epoch) as result: result.add(loss, correct, count)
    rs.step(loss=loss, samples=64)                             # for loops without an optimizer of torch

No call waits for a device or for the network, and none raises: what cannot be reported is left out. Importing the package also
instruments the script if the agent requested it (RINGSIDE_INSTRUMENT), for interpreters that ignore PYTHONPATH (`python -I`)."""

import os as _os
import time as _time
from typing import Any, Optional

from . import _session
from ._loggers import say as _say
from ._values import number as _number, whole as _whole

__version__ = "1.0.0"
__all__ = ["active", "log", "step", "evaluating", "resumed", "stop_requested", "lightning_callback",
           "huggingface_callback", "accelerate_tracker"]

_TO_STEP = ("loss", "lr", "samples", "correct", "grad_norm")


def active() -> bool:
    """Whether this process is a rank of a run, so that the other calls have an effect."""
    return _session.current() is not None


def log(*, step: Optional[int] = None, **values: Any) -> None:
    """Reports named numbers of this rank. `loss` (mean over the samples), `lr`, `samples`, `correct` and `grad_norm` belong to
    the current step, or to the one that has just ended; so does `accuracy` if the number of samples is known. All other values,
    and those outside a step, are scalars of that name, at `step` or the newest one. Tensors on a device are copied
    asynchronously."""
    session = _session.current()
    if session is None or not session.speaker.works("log"):
        return
    try:
        open_step = session.steps.open if session.training.here() else None
        rest = {}
        for name, value in values.items():
            if open_step is None or not _put(session, open_step, name, value):
                rest[name] = value
        if rest:
            _say(rest, step, told=True)
    except Exception:
        session.speaker.failed("log")


def step(*, samples: Optional[int] = None, epoch: Optional[int] = None, **values: Any) -> None:
    """Ends a step. Only needed in loops without a torch optimizer; otherwise it does the same as `log`."""
    session = _session.current()
    if session is None or not session.training.here() or not session.speaker.works("log"):
        return
    try:
        session.greet()
        session.steps.tell_end()
        if samples is not None:
            values["samples"] = samples
        if epoch is not None:
            session.passes.epoch = session.passes.told = _told(session, "epoch", epoch, session.passes.epoch)
        log(**values)
        if not session.steps.optimizer_steps:
            session.steps.finish()
    except Exception:
        session.speaker.failed("log")


def _told(session: Any, name: str, value: Any, otherwise: Any, most: int = (1 << 31) - 1) -> Any:
    """Returns the value if it is a whole number, else `otherwise`, and posts a notice about the invalid value."""
    known = _whole(value, most)
    if known is None:
        session.speaker.left_out(name)
    return otherwise if known is None else known


def _put(session: Any, open_step: Any, name: str, value: Any) -> bool:
    if name in ("samples", "correct"):
        setattr(open_step, name, _told(session, name, value, getattr(open_step, name)))
    elif name in ("loss", "lr", "grad_norm"):
        known = _number(value)
        if known is None:
            session.speaker.left_out(name)
        else:
            setattr(open_step, "norm" if name == "grad_norm" else name, known)
    elif name == "accuracy" and (open_step.samples or 0) > 0 and isinstance(value, float) and 0 <= value <= 1:
        correct = value * open_step.samples
        if abs(correct - round(correct)) > 1e-3:
            return False
        open_step.correct = round(correct)
    else:
        return False
    return True


def _plain(value: Any) -> Any:
    return value.detach() if hasattr(value, "detach") else value


class evaluating:
    """`with evaluating(epoch) as result:` encloses a validation (`phase="test"`: a test). Call `result.add(loss, correct,
    count)` after each batch, where loss is its mean, or `result.set(loss=..., accuracy=..., count=...)` once."""

    def __init__(self, epoch: Optional[int] = None, phase: str = "validate") -> None:
        self._epoch = epoch
        self._phase = 2 if isinstance(phase, str) and phase == "test" else 1
        self._loss_sum: Any = None  # sum of the reported values; None: nothing was reported
        self._correct: Any = None
        self._count = 0
        self._batches = 0
        self._begin: Any = None
        self._begin_ns = 0

    def __enter__(self) -> "evaluating":
        self._begin_ns = _time.monotonic_ns()
        session = _session.current()
        if session is not None:
            try:
                session.steps.finish()
                session.greet()
                session.publish()
                session.told_evaluation = True
                self._begin = session.clock.end_mark()
                session.speaker.state(3, session.steps.number - 1)
            except Exception:
                session.speaker.failed("evaluation")
        return self

    def add(self, loss: Any = None, correct: Any = None, count: int = 0) -> None:
        """Adds one batch. Values on a device are summed up there."""
        session = _session.current()
        if session is None:
            return
        counted = _told(session, "count", count, 0)
        self._batches += 1
        self._count += counted
        for name, part, share in (("_loss_sum", loss, counted), ("_correct", correct, 1)):
            if part is None:
                continue
            try:
                so_far = getattr(self, name)
                setattr(self, name, _plain(part) * share + (0.0 if so_far is None else so_far))
            except Exception:
                setattr(self, name, float("nan"))  # a sum with a missing part would be wrong
                session.speaker.left_out(f"the {name[1:]} of an evaluation")

    def set(self, loss: Any = None, accuracy: Any = None, correct: Any = None, count: int = 0) -> None:
        """Sets the result of the whole evaluation and replaces what add() has summed up."""
        self._loss_sum = self._correct = None
        self._count = 0
        session = _session.current()
        if correct is None and accuracy is not None and session is not None:
            try:
                correct = accuracy * _told(session, "count", count, 0)
            except Exception:
                session.speaker.left_out("the accuracy of an evaluation")
        self.add(loss, correct, count)

    def __exit__(self, *error: Any) -> None:
        session = _session.current()
        if session is None:
            return
        try:
            session.told_evaluation = False
            if self._begin is not None:
                session.steps.pause(self._begin, session.clock.end_mark())
            if error[0] is None:
                epoch = None if self._epoch is None else _told(session, "epoch", self._epoch, None)
                loss_sum, correct = _number(self._loss_sum), _number(self._correct)
                for name, told, known in (("loss_sum", self._loss_sum, loss_sum), ("correct", self._correct, correct)):
                    if told is not None and known is None:
                        session.speaker.left_out(f"the {name} of an evaluation")
                session.evaluation(
                    epoch, self._phase, (_time.monotonic_ns() - self._begin_ns) * 1e-9,
                    float("nan") if loss_sum is None else loss_sum, -1.0 if correct is None else correct, self._count, self._batches)
            session.speaker.state(2, session.steps.number - 1)
        except Exception:
            session.speaker.failed("evaluation")


def resumed(step: int) -> None:
    """Sets how many steps were done before; call it before the first one. Detected automatically with optimizers that count
    steps, such as Adam."""
    session = _session.current()
    if session is None:
        return
    try:
        known = _told(session, "the step that is resumed from", step, None, (1 << 63) - 1)
        if known is not None:
            session.resume(known)
    except Exception:
        session.speaker.failed("a resume")


def stop_requested() -> bool:
    """Whether the run was asked to stop, so that a script can save first. SIGTERM follows some seconds later."""
    session = _session.current()
    return session is not None and session.speaker.stop_request() > 0


def lightning_callback() -> Any:
    """A callback for `Trainer(callbacks=[...])`; added automatically in an instrumented script."""
    from ._callbacks import lightning_class

    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback  # type: ignore[no-redef]
    return lightning_class(Callback)()


def huggingface_callback() -> Any:
    """A callback for `Trainer(callbacks=[...])`; added automatically in an instrumented script."""
    from transformers import TrainerCallback

    from ._callbacks import huggingface_class

    return huggingface_class(TrainerCallback)()


def accelerate_tracker() -> Any:
    """A tracker for `Accelerator(log_with=[...])`."""
    from accelerate.tracking import GeneralTracker

    from ._callbacks import accelerate_class

    return accelerate_class(GeneralTracker)()


if ("RANK" in _os.environ or "RINGSIDE_RANK" in _os.environ) and _os.environ.get("RINGSIDE_INSTRUMENT") == "1":
    try:
        from . import _instrument

        _instrument.install()
    except Exception:
        pass
