"""Scalars that a script logs to TensorBoard or W&B: SummaryWriter.add_scalar and add_scalars, wandb.log. The calls work as
before, and their values are also reported as scalars, at the step that was passed or at the newest one."""

from typing import Any, Dict, Optional

from . import _session
from ._replace import replace
from ._values import number, whole

_MOST_NAMES = 200  # maximum number of names per call
_MOST_STEPS = (1 << 63) - 1


def say(values: Dict[str, Any], step: Optional[int], told: bool = False, mark: str = "", own_step: bool = True) -> None:
    """`told`: the values were passed to our own API, so an invalid one causes a notice. `mark` joins the names of nested dicts
    in the way of that logger. `own_step`: the program numbered the step, if one is given."""
    session = _session.current()
    if session is None or not session.speaker.works("loggers"):
        return
    try:
        place = None if step is None else whole(step, _MOST_STEPS)
        if step is not None and place is None and told:
            session.speaker.left_out("step")
        if mark:
            values = _named(values, mark)
        for name, value in list(values.items())[:_MOST_NAMES]:
            known = None if isinstance(value, (str, bytes, dict, list, tuple)) else number(value)
            if known is not None and (told or step is None or place is not None):
                session.scalar(str(name), session.steps.number if place is None else place, known, own_step and place is not None)
            elif told and value is not None:
                session.speaker.left_out(str(name))
    except Exception:
        session.speaker.failed("loggers")


def _named(values: Any, mark: str, *before: Any) -> Dict[str, Any]:
    """Flattens nested dicts; their names are joined by the mark."""
    if not isinstance(values, dict):
        return {mark.join(map(str, before)): values}
    flat: Dict[str, Any] = {}
    for name, value in list(values.items())[:_MOST_NAMES]:
        flat.update(_named(value, mark, *before, name))
    return flat


def watch_writer(module: Any) -> None:
    def made(original: Any) -> Any:
        def add_scalar(self: Any, tag: str, scalar_value: Any, global_step: Optional[int] = None, *args: Any,
                       **kwargs: Any) -> Any:
            say({tag: scalar_value}, global_step)
            return original(self, tag, scalar_value, global_step, *args, **kwargs)

        return add_scalar

    def made_several(original: Any) -> Any:
        def add_scalars(self: Any, main_tag: str, tag_scalar_dict: Any, global_step: Optional[int] = None, *args: Any,
                        **kwargs: Any) -> Any:
            say({str(main_tag): tag_scalar_dict}, global_step, mark="/")
            return original(self, main_tag, tag_scalar_dict, global_step, *args, **kwargs)

        return add_scalars

    replace(module.SummaryWriter, "add_scalar", made)
    replace(module.SummaryWriter, "add_scalars", made_several)


def watch_wandb(module: Any) -> None:
    """Patches the class, since `wandb.log` is bound when a run begins."""
    from wandb.sdk import wandb_run

    def made(original: Any) -> Any:
        def log(self: Any, data: Any, step: Optional[int] = None, *args: Any, **kwargs: Any) -> Any:
            if isinstance(data, dict):
                say(data, step, mark=".")
            return original(self, data, step, *args, **kwargs)

        return log

    replace(wandb_run.Run, "log", made)
