"""Reports where this rank is while no step ends: once per second a thread sends the last collective, so that a rank that is
behind can be found among those that wait for it. The number is equal on all ranks: that of DDP's gradient buckets in their order
or, without DDP, of the collectives of all ranks. The thread also sends finished steps that wait to be sent together, and
collectives that no step follows. It ends with the process, and does not exist in a forked child."""

import time
from typing import Any

from . import _flight, _library, _memory, _profile

LOOK_EVERY_S = 1.0
SILENT_S = 5.0  # less than the agent's stall limit
LONG_S = 30.0


def begin(session: Any) -> None:
    """Called once."""
    try:
        _library.start_thread(_watch, session)
    except RuntimeError:
        session.speaker.failed("the progress of a rank")


def _watch(session: Any) -> None:
    watch, before = Watch(session), session.steps.number
    while session.speaker.speaks:
        _profile.look()
        time.sleep(LOOK_EVERY_S)
        try:
            steps = session.steps.number
            _memory.pace(steps - before)
            before = steps
            session.publish(steps=bool(session.clock.patience_ns))
            watch.look(time.monotonic())
        except Exception:
            session.speaker.failed("the progress of a rank")
            return


class Watch:
    def __init__(self, session: Any) -> None:
        self._session = session
        self._step = -1
        self._since = 0.0
        self._told = (-1, "")
        self._stood = self._kept = -1  # step numbers

    def look(self, now: float) -> None:
        """`now` is in seconds."""
        speaker, step = self._session.speaker, self._session.steps.number
        where = speaker.where()
        if step != self._step:
            self._step, self._since = step, now
        elif now - self._since >= SILENT_S and (step, where) != self._told:
            self._told = (step, where)
            self._stood = step if speaker.stands(step - 1) else -1
        elif now - self._since >= LONG_S and self._stood == step != self._kept and speaker.works("flight recorder"):
            self._kept = step
            try:
                _flight.keep(speaker, now - self._since)
            except Exception:
                speaker.failed("flight recorder")
