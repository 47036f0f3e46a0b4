"""A training script's part of Ringside. Outside a run every call does nothing.

    import ringside_rank as rs

    rs.log(step=i, loss=loss, accuracy=accuracy, anything=x)   # adds to, or overrides, what is seen by itself
    with rs.evaluating(epoch) as result: result.add(loss, correct, count)
    rs.step(loss=loss, samples=64)                             # for loops without an optimizer of torch

Nothing here waits for a device or for the network, and nothing raises: what cannot be said is left out. Importing the
package also instruments the script where the agent asked for it (RINGSIDE_INSTRUMENT), for interpreters that were started
so that they leave out PYTHONPATH (`python -I`)."""

import os as _os
import time as _time
from typing import Any, Optional

from . import _session

__version__ = "1.0.0"
__all__ = ["active", "log", "step", "evaluating", "resumed", "stop_requested", "lightning_callback",
           "huggingface_callback", "accelerate_tracker"]

_TO_STEP = ("loss", "lr", "samples", "correct", "grad_norm")


def active() -> bool:
    """Whether this process is a rank of a run that somebody may be watching."""
    return _session.current() is not None


def log(*, step: Optional[int] = None, **values: Any) -> None:
    """Named numbers of this rank. `loss` (mean over the samples), `lr`, `samples`, `correct`, `grad_norm` go to the step
    that is going on, or to the one that has just ended; `accuracy` too where the samples are known; all else, and those
    outside a step, are curves of that name, at `step` or the newest one. Tensors on a device are copied asynchronously."""
    session = _session.current()
    if session is None or not session.speaker.works("log"):
        return
    try:
        open_step = session.steps.open if session.training.here() else None
        rest = {}
        for name, value in values.items():
            if open_step is None or not _put(open_step, name, value):
                rest[name] = value
        if rest:
            from ._loggers import say

            say(rest, step)
    except Exception:
        session.speaker.failed("log")


def step(*, samples: Optional[int] = None, epoch: Optional[int] = None, **values: Any) -> None:
    """A step is over. Only for loops that no optimizer of torch steps; elsewhere it says the same as `log`."""
    session = _session.current()
    if session is None or not session.training.here() or not session.speaker.works("log"):
        return
    try:
        session.greet()
        session.steps.tell_end()
        if samples is not None:
            values["samples"] = samples
        if epoch is not None:
            session.passes.epoch = int(epoch)
        log(**values)
        if not session.steps.optimizer_steps:
            session.steps.finish()
    except Exception:
        session.speaker.failed("log")


def _put(open_step: Any, name: str, value: Any) -> bool:
    from ._values import number

    if name in ("samples", "correct"):
        setattr(open_step, name, int(value))
    elif name in ("loss", "lr", "grad_norm"):
        setattr(open_step, "norm" if name == "grad_norm" else name, number(value))
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
    """`with evaluating(epoch) as result:` is a validation (`phase="test"`: a test). `result.add(loss, correct, count)` after
    each batch, loss being its mean; or once `result.set(loss=..., accuracy=..., count=...)`."""

    def __init__(self, epoch: Optional[int] = None, phase: str = "validate") -> None:
        self._epoch = epoch
        self._phase = 2 if phase == "test" else 1
        self._loss_sum: Any = 0.0
        self._correct: Any = 0.0
        self._count = 0
        self._batches = 0
        self._told_loss = False
        self._told_correct = False
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
        """Of one batch. What lies on a device is added up there."""
        self._batches += 1
        self._count += int(count)
        if _session.current() is None:
            return
        try:
            if loss is not None:
                self._loss_sum = self._loss_sum + _plain(loss) * int(count)
                self._told_loss = True
            if correct is not None:
                self._correct = self._correct + _plain(correct)
                self._told_correct = True
        except Exception:
            pass

    def set(self, loss: Any = None, accuracy: Any = None, correct: Any = None, count: int = 0) -> None:
        """Of all of it."""
        self._loss_sum, self._correct, self._count = 0.0, 0.0, 0
        self.add(loss, accuracy * count if correct is None and accuracy is not None else correct, count)

    def __exit__(self, *error: Any) -> None:
        session = _session.current()
        if session is None:
            return
        try:
            session.told_evaluation = False
            if self._begin is not None:
                session.steps.pause(self._begin, session.clock.end_mark())
            if error[0] is None:
                from ._values import number

                session.evaluation(
                    self._epoch, self._phase, (_time.monotonic_ns() - self._begin_ns) * 1e-9,
                    number(self._loss_sum) if self._told_loss else float("nan"),
                    number(self._correct) if self._told_correct else -1.0, self._count, self._batches)
            session.speaker.state(2, session.steps.number - 1)
        except Exception:
            session.speaker.failed("evaluation")


def resumed(step: int) -> None:
    """So many steps were done before: call it before the first one. Seen by itself with optimizers that count, as Adam."""
    session = _session.current()
    if session is not None:
        session.resume(int(step))


def stop_requested() -> bool:
    """Whether somebody asked the run to stop: a script that looks can save first. SIGTERM comes some seconds later."""
    session = _session.current()
    return session is not None and session.speaker.stop_request() > 0


def lightning_callback() -> Any:
    """For `Trainer(callbacks=[...])`; where the script is instrumented it is there already."""
    from ._callbacks import lightning_class

    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback  # type: ignore[no-redef]
    return lightning_class(Callback)()


def huggingface_callback() -> Any:
    """For `Trainer(callbacks=[...])`; where the script is instrumented it is there already."""
    from transformers import TrainerCallback

    from ._callbacks import huggingface_class

    return huggingface_class(TrainerCallback)()


def accelerate_tracker() -> Any:
    """For `Accelerator(log_with=[...])`."""
    from accelerate.tracking import GeneralTracker

    from ._callbacks import accelerate_class

    return accelerate_class(GeneralTracker)()


if "RANK" in _os.environ and _os.environ.get("RINGSIDE_INSTRUMENT") == "1":
    try:
        from . import _instrument

        _instrument.install()
    except Exception:
        pass
