"""Callbacks for Lightning, Hugging Face and Accelerate. They report what only the framework knows, such as the number of epochs,
the step at a resume and evaluation results; steps, losses and phases are measured without them. The classes are created on
request, since their base classes belong to the framework."""

import os
import re
import time
from typing import Any, Dict, Optional

from . import _library, _records, _session
from ._loggers import say
from ._values import number

# Metrics of one whole evaluation: not "val_acc_step", and not one of several loaders ("val_acc/dataloader_idx_0").
_NAME = r"(val|valid|validation|eval)[/_. -]?(%s)([_-]epoch)?"
_LOSS = re.compile(_NAME % "loss", re.IGNORECASE)
_ACCURACY = re.compile(_NAME % "acc|accuracy", re.IGNORECASE)


def _named(metrics: Dict[str, Any], names: Any) -> Any:
    """The first single value with such a name."""
    for name, value in metrics.items():
        if isinstance(name, str) and names.fullmatch(name) and hasattr(value, "__float__"):
            return value
    return None


def _begin(step: int, epochs: Any, steps_per_epoch: Any) -> None:
    session = _session.current()
    if session is None:
        return
    try:
        session.reports_results = True
        if step > 0:
            session.resume(int(step))
        for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
            if isinstance(value, int) and value > 0:
                session.told[name] = value
    except Exception:
        session.speaker.failed("the framework's plan")


def _sum_of(mean: Any, counted: int) -> Any:
    """Sum on the device of the mean; None: not a single number."""
    try:
        return None if mean is None else number((mean.double() if hasattr(mean, "double") else mean) * counted)
    except Exception:
        return None


def _end_others() -> None:
    """Evaluations until here have no results that a framework reports."""
    session = _session.current()
    if session is not None:
        session.passes.end_evaluation(time.monotonic_ns(), used=True)
        session.say_judged()


def _judge(metrics: Dict[str, Any]) -> None:
    """Takes a framework's results of the evaluation that has just ended, of one or several loaders."""
    session = _session.current()
    if session is None or not session.speaker.works("evaluation"):
        return
    try:
        session.passes.end_evaluation(time.monotonic_ns(), used=True)
        loss, accuracy = _named(metrics, _LOSS), _named(metrics, _ACCURACY)
        # Repeats count: Lightning's mean includes them, and only with equal counts on all ranks do the ranks' shares add up.
        judged, counts = session.judged, [one.fetched for one in session.judged if one.fetched > 0]
        if not counts or len(counts) < len(judged) or (loss is None and accuracy is None):
            session.say_judged()
            return
        session.judged = []
        counted = sum(counts)
        loss_sum, correct = _sum_of(loss, counted), _sum_of(accuracy, counted)
        session.evaluation(judged[-1].epoch, _records.VALIDATE, sum(one.end_ns - one.begin_ns for one in judged) * 1e-9,
                           float("nan") if loss_sum is None else loss_sum, -1.0 if correct is None else correct, counted,
                           sum(one.batches for one in judged))
    except Exception:
        session.speaker.failed("evaluation")


def _steps_done(trainer: Any) -> Any:
    """Counts steps as Lightning's loggers do: `global_step` counts the steps of every optimizer."""
    loop = getattr(getattr(trainer, "fit_loop", None), "epoch_loop", None)
    return getattr(loop, "_batches_that_stepped", trainer.global_step)


def lightning_class(base: Any) -> Any:
    class RingsideCallback(base):  # type: ignore[misc]
        """Reports what only Lightning knows."""

        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            steps = getattr(trainer, "num_training_batches", None)
            accumulate = getattr(trainer, "accumulate_grad_batches", 1)
            whole = isinstance(steps, int) and isinstance(accumulate, int) and accumulate > 0
            _begin(_steps_done(trainer), trainer.max_epochs, -(-steps // accumulate) if whole else None)

        def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
            _end_others()

        def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
            if not trainer.sanity_checking:
                _judge(dict(trainer.callback_metrics))

        def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            say(dict(trainer.logged_metrics), max(0, _steps_done(trainer) - 1), own_step=False)

    return RingsideCallback


def huggingface_class(base: Any) -> Any:
    class RingsideCallback(base):  # type: ignore[misc]
        """Reports what only the Trainer knows."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            epochs = int(state.num_train_epochs) if float(state.num_train_epochs).is_integer() else 0
            whole = epochs > 0 and state.max_steps % epochs == 0
            _begin(state.global_step, epochs, state.max_steps // epochs if whole else None)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            say(dict(logs or {}), max(0, state.global_step - 1), own_step=False)

        def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **kwargs: Any) -> None:
            _judge(dict(metrics or {}))

        def on_predict(self, *args: Any, **kwargs: Any) -> None:
            _end_others()

    return RingsideCallback


def accelerate_class(base: Any) -> Any:
    class RingsideTracker(base):  # type: ignore[misc]
        """`Accelerator(log_with=[RingsideTracker()])` reports what is logged to Ringside."""

        name = "ringside"
        requires_logging_directory = False
        main_process_only = False

        @property
        def tracker(self) -> Any:
            return _session.current()

        def store_init_configuration(self, values: Dict[str, Any]) -> None:
            pass

        def log(self, values: Dict[str, Any], step: Optional[int] = None, **kwargs: Any) -> None:
            say(values, step)

    return RingsideTracker


def _wrap_init(owner: Any, add: Any) -> None:
    from ._replace import replace

    def made(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            try:
                add(self)
            except Exception:
                pass

        return __init__

    replace(owner, "__init__", made)


def _has_one(callbacks: Any) -> bool:
    return any(type(one).__name__ == "RingsideCallback" for one in callbacks)


def watch_lightning(module: Any) -> None:
    def add(trainer: Any) -> None:
        base = next(one for one in type(trainer.callbacks[0]).__mro__ if one.__name__ == "Callback") \
            if trainer.callbacks else __import__(module.__name__.rsplit(".trainer.", 1)[0], fromlist=["x"]).Callback
        if not _has_one(trainer.callbacks):
            trainer.callbacks.insert(0, lightning_class(base)())

    _wrap_init(module.Trainer, add)


def watch_transformers(module: Any) -> None:
    def add(trainer: Any) -> None:
        if not _has_one(trainer.callback_handler.callbacks):
            trainer.add_callback(huggingface_class(module.TrainerCallback)())

    _wrap_init(module.Trainer, add)


def watch_accelerate(module: Any) -> None:
    """Accelerate, and with it the Trainer, silently leaves out FSDP on CPUs."""
    from ._replace import replace

    def made(original: Any) -> Any:
        def prepare_model(self: Any, model: Any, *args: Any, **kwargs: Any) -> Any:
            prepared = original(self, model, *args, **kwargs)
            try:
                if not (kwargs.get("evaluation_mode") or args[1:2] == (True,)):
                    _say_whole(self, prepared)
            except Exception:
                pass
            return prepared

        return prepare_model

    replace(module.Accelerator, "prepare_model", made)


_said_whole = False


def _say_whole(accelerator: Any, model: Any) -> None:
    """Posted once, by the first of several ranks: what Accelerate made in place of FSDP, judging by the model itself."""
    global _said_whole
    rank, world = _library.place()
    asked = os.environ.get("ACCELERATE_USE_FSDP", "").lower() == "true"
    session = _session.current() if asked and rank == 0 and world > 1 and not _said_whole else None
    if session is None or accelerator.device.type != "cpu":
        return
    kinds = {type(one).__name__ for one in (*model.modules(), *model.parameters())}
    if not kinds & {"DTensor", "FullyShardedDataParallel"} and any(one.requires_grad for one in model.parameters()):
        _said_whole = True
        how = ", in DistributedDataParallel" if "DistributedDataParallel" in kinds else ""
        session.speaker.notice(_records.WARNING, "fsdp_left_out",
                               f"Accelerate was asked for FSDP and leaves it out on a CPU: each rank has the whole model{how}")
