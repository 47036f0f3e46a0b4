"""CUDA graphs. During a capture our hooks do nothing: see _values.capturing. A graph that contains an optimizer step is a whole
step, and so is each replay of it: its time is known, but not its phases, loss or samples. Any other graph is part of the step
that replays it."""

import weakref
from typing import Any, Set

from . import _learning, _memory, _session, _values

_whole: Any = weakref.WeakSet()
_stepping: Set[int] = set()  # optimizers that step in the current capture


def install(torch: Any) -> None:
    graph = getattr(torch.cuda, "CUDAGraph", None)
    if graph is None or not hasattr(graph, "replay"):
        return
    from ._replace import replace

    def made_end(original: Any) -> Any:
        def capture_end(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            if _stepping:
                _stepping.clear()
                _whole.add(self)
            return result

        return capture_end

    def made_replay(original: Any) -> Any:
        def replay(self: Any, *args: Any, **kwargs: Any) -> Any:
            session = _begins(torch) if self in _whole else None
            result = original(self, *args, **kwargs)
            if session is not None:
                _ended(session)
            return result

        return replay

    replace(graph, "capture_end", made_end)
    replace(graph, "replay", made_replay)


def note_optimizer(which: int) -> None:
    """Notes that this optimizer steps in the running capture."""
    _stepping.add(which)


def _begins(torch: Any) -> Any:
    session = _session.current()
    if session is None or not session.speaker.works("graphs") or not session.training.enter():
        return None
    try:
        _learning.begins(session, torch.device("cuda", torch.cuda.current_device()))
        session.steps.whole_begin()
        _learning.learn(session, session.steps.open)
        return session
    except Exception:
        session.speaker.failed("graphs")
        return None


def _ended(session: Any) -> None:
    try:
        session.steps.whole_end()
        if not session.steps.number % _memory.every:
            _memory.look(session)
    except Exception:
        session.speaker.failed("graphs")
