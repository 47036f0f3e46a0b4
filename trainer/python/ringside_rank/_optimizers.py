"""The optimizers of a process, with a number for each, and names for their scalars if there are several; the loss of a step; and
the notices about trainings that follow each other. Training thread only, except for what reporting a step reads."""

import gc
import sys
import weakref
from typing import Any, Dict, List, Set, Tuple

from . import _clock, _records
from ._steps import Step

MOST = 8  # maximum number of optimizers with their own scalars; up to four times as many trainings are reported
_FRAMES = 12
_LOOKED_FOR = 3
_OPTIMIZED = 1  # flag of a code object that is a function

_made = 0
numbers: Dict[int, int] = {}  # id -> number, for existing optimizers
_there: Dict[int, Any] = {}  # number -> weak reference
_names: Dict[int, str] = {}
divided: Set[float] = set()  # divisors that matched the number of parts of a step; the last step of an epoch may have fewer parts
_trainings: List[Tuple[int, int]] = []  # (first step, optimizer) of each unreported training after the first


def watch(session: Any) -> None:
    steps = session.steps
    steps.related = _related
    steps.warmed_up = lambda count: session.speaker.notice(
        _records.INFO, "warm_up", f"{count} step{'s' * (count > 1)} of another optimizer, before the first batch of the training, "
        "left out as a warm-up")
    steps.taken = lambda old, new, number: _taken(session, old, new, number)


def number(session: Any, optimizer: Any) -> int:
    known = numbers.get(id(optimizer))
    return _note(optimizer) if known is None else known


def _note(optimizer: Any) -> int:
    global _made
    _made += 1
    made, place = _made, id(optimizer)
    numbers[place] = made

    def gone(_: Any) -> None:
        _there.pop(made, None)
        if numbers.get(place) == made:
            del numbers[place]

    _there[made] = weakref.ref(optimizer, gone)
    if 1 < made <= 4 * MOST:
        try:
            _find_names()
        except Exception:
            pass  # the program's objects may raise anything; its optimizers have their numbers
    return made


def all_of_them() -> List[Any]:
    """The optimizers that have stepped and still exist."""
    return [one for one in [reference() for reference in list(_there.values())] if one is not None]


def name(which: int) -> str:
    return _names.get(which, f"optimizer {which}")


def _parameters(optimizer: Any) -> List[Any]:
    return [one for group in optimizer.param_groups for one in group["params"]]


def _related(one: int, other: int) -> bool:
    """Whether the first no longer exists, or both share parameters."""
    first, second = (_there[which]() if which in _there else None for which in (one, other))
    if first is None or second is None:
        return True
    return not {id(each) for each in _parameters(first)}.isdisjoint(id(each) for each in _parameters(second))


# Names

def _find_names() -> None:
    """Names each optimizer after the variable of the module whose parameters it has, else after its class if it is the only one
    of that class, else after its own variable. These are names that the program itself uses."""
    found, unnamed = _variables(), {}
    for which, reference in list(_there.items()):
        optimizer = reference()
        if optimizer is None or which in _names:
            continue
        wanted = {id(one) for one in _parameters(optimizer)}
        module = next((key for key, value in found.items() if key != "self" and _has(value, wanted)), None)
        unnamed[which] = optimizer, wanted, module
    classes = _classes({which: wanted for which, (_, wanted, module) in unnamed.items() if module is None})
    for which, (optimizer, _, module) in unnamed.items():
        kind, taken = type(optimizer).__name__, set(_names.values())
        alike = [one for one in _there.values() if type(one()) is type(optimizer)]
        variable = next((key for key, value in found.items() if value is optimizer), None)
        named = [module or classes.get(which), kind if len(alike) == 1 else variable, kind]
        _names[which] = next((one for one in named if one is not None and one not in taken), f"{kind} {which}")


def _has(module: Any, wanted: Set[int]) -> bool:
    """Whether the module has exactly these parameters."""
    count = 0
    try:
        for count, one in enumerate(module.parameters(), 1):
            if id(one) not in wanted:
                return False
    except Exception:  # an optimizer, or a module under construction
        return False
    return count == len(wanted)


def _classes(wanted: Dict[int, Set[int]]) -> Dict[int, str]:
    """Class names of the program's modules with these parameters. Searches all objects, so it is done only for the first
    optimizers."""
    found: Dict[int, str] = {}
    if not wanted or _made > _LOOKED_FOR:
        return found
    import torch

    for one in gc.get_objects():
        kind = type(one)
        if issubclass(kind, torch.nn.Module) and not str(kind.__module__).startswith("torch."):
            found.update((which, kind.__name__) for which, theirs in wanted.items() if which not in found and _has(one, theirs))
    return found


def _variables() -> Dict[str, Any]:
    """Modules and optimizers by their variable names in the calling functions."""
    import torch

    wanted = (torch.nn.Module, torch.optim.Optimizer)
    found: Dict[str, Any] = {}
    frame: Any = sys._getframe(2)
    for _ in range(_FRAMES):
        frame = frame.f_back
        if frame is None:
            break
        if str(frame.f_globals.get("__name__", "")).split(".")[0] in ("torch", "ringside_rank"):
            continue
        # Before 3.13, reading a function's variables changes the dict that its own locals() has returned.
        looked = sys.version_info >= (3, 13) or not frame.f_code.co_flags & _OPTIMIZED
        variables = frame.f_locals if looked else {}
        owner = variables.get("self")
        for scope in (variables, getattr(owner, "__dict__", {}), frame.f_globals):
            for key, value in list(scope.items()):
                if issubclass(type(value), wanted):
                    found.setdefault(key, value)
        if issubclass(type(owner), torch.nn.Module):
            for key, value in owner.named_children():
                found.setdefault(key, value)
    return found


# Losses

def loss_of(step: Step) -> Tuple[bool, float, str]:
    """(available, value, how it combines several backward calls). The last is empty for one call, for a loss that the program
    reported, and for parts of a mean: the parts of an accumulated batch are usually each divided by their number; if not, the
    loss is their mean."""
    if step.loss is not None:
        return (*_clock.read(step.loss), "")
    losses, batches = step.losses, step.batches
    if not losses:
        return True, _records.UNKNOWN, ""
    calls, total, by = len(losses), 0.0, step.divisor
    if calls == 1 and type(losses[0]) is float and by not in divided:
        return True, losses[0], "first" if step.moved and step.members else ""
    for part in losses:
        if part is None:
            return True, _records.UNKNOWN, ""
        there, number = _clock.read(part)
        if not there:
            return False, 0.0, ""
        total += number
    if step.moved:
        return True, total, "first"
    if by and by > 1 and by in (calls, batches):
        divided.add(by)
    if by in divided and calls < by != batches:  # a program divides the few parts of a last step like those of the others
        return True, total * by / calls, ""
    if calls == 1 or by in divided:
        return True, total, ""
    if batches < 2 or calls % batches or by != 1:
        return True, total, "one" if batches == 1 else "sum"
    return True, total / batches, "mean" if calls == batches else "batches"


def say_curves(session: Any, step: Step) -> bool:
    """Posts loss and learning rate of each of several optimizers; False if a number has not arrived yet."""
    curves: List[Tuple[str, int, float]] = []
    for part in (step, *step.others) if step.others or session.steps.group else ():
        there, value, _ = loss_of(part)
        if not there:
            return False
        if part.losses and part.members[0] <= MOST:
            curves.append(("loss", part.members[0], value))
    for which, rate in ((step.members[0], step.lr), *step.rates) if step.rates else ():
        there, rate = (True, None) if rate is None else _clock.read(rate)
        if not there:
            return False
        if rate is not None and which <= MOST:
            curves.append(("lr", which, rate))
    for kind, which, value in curves:
        session.speaker.post(_records.SCALAR, 0, _records.scalar(f"{kind}/{name(which)}", step.number, value))
    return True


def say_loss(session: Any, several: str, step: Step) -> None:
    """Posted once per kind: how the loss of a step with several backward calls is defined."""
    if several in session.said_losses:
        return
    session.said_losses.add(several)
    calls = len(step.losses)
    what = {"first": "that of the first backward call: the weights moved and gradients were reset before the next one, as in "
                     "sharpness-aware minimisation",
            "mean": f"the mean of {calls} backward calls, one for each batch, since none of their losses was divided",
            "batches": f"the sum of the backward calls of a batch, and the mean over {step.batches} batches",
            "one": f"the sum of {calls} backward calls on one batch",
            "sum": f"the sum of {calls} backward calls: whether each is divided by their number is not seen"}[several]
    session.speaker.notice(_records.INFO, "loss_" + several, f"the loss of a step is {what}")


# Trainings

def _taken(session: Any, old: int, new: int, first_step: int) -> None:
    """An optimizer steps in place of another: this is the next training, unless both exist and share no parameters; then they
    may take turns."""
    _trainings.append((first_step, new))
    if _related(old, new):
        _tell(session)


def _tell(session: Any) -> None:
    waiting, _trainings[:] = list(_trainings), []
    for first_step, which in waiting:
        session.trainings += 1
        speaker, order = session.speaker, session.trainings
        if order > 4 * MOST:
            continue
        if order == 2:
            speaker.post(_records.SCALAR, 0, _records.scalar("training", session.first_step or 0, 1.0))
        speaker.post(_records.SCALAR, 0, _records.scalar("training", first_step, float(order)))
        speaker.notice(_records.INFO, "training_begins", f"training {order} of this process begins with step {first_step + 1}, where "
                       f"another optimizer{_kind(which)} steps in place of the one before")


def _kind(which: int) -> str:
    optimizer = _there[which]() if which in _there else None
    return "" if optimizer is None else f" ({type(optimizer).__name__})"


def close(session: Any) -> None:
    """Reports what was uncertain until now."""
    if _trainings and not session.steps.alternate:
        _tell(session)
    if session.trainings > 1:
        session.speaker.notice(_records.INFO, "trainings", f"{session.trainings} trainings followed each other in this process, and its "
                               "steps are those of all")
    steps, said = session.steps, session.speaker.notice
    if steps.resets and steps.first is None and not steps.told:
        said(_records.INFO, "steps_by_hand", "no optimizer of torch stepped: a step is from one reset of the gradients to the next, and its "
             "learning rate is not known; rs.step(loss=loss, samples=n, lr=lr) once a step says more")
    elif steps.backwards and not steps.number:
        said(_records.WARNING, "no_steps", "backward was called, but no optimizer of torch stepped and no gradient was reset: call "
             "rs.step(loss=loss, samples=n) of ringside_rank once a step")
