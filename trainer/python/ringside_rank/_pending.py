"""Where this rank stands while no step ends: a thread that looks once a second and says which collective was entered last, so
that the rank which has not come so far is found among those that wait for it. Counted is what every rank counts alike: the
gradient buckets of DDP, in their order, or without DDP the collectives of all ranks. What ended a moment ago and waits for
company is said here, too, and each collective that no step comes after. The thread ends with the process, and is not there in a
child of fork."""

import time
from typing import Any

from . import _flight, _library, _memory

LOOK_EVERY_S = 1.0
SILENT_S = 5.0  # below what the agent takes for a stall
LONG_S = 30.0


def begin(session: Any) -> None:
    """Once."""
    try:
        _library.start_thread(_watch, session)
    except RuntimeError:
        session.speaker.failed("where a rank stands")


def _watch(session: Any) -> None:
    watch, before = Watch(session), session.steps.number
    while session.speaker.speaks:
        time.sleep(LOOK_EVERY_S)
        try:
            steps = session.steps.number
            _memory.pace(steps - before)
            before = steps
            session.publish(steps=bool(session.clock.patience_ns))
            watch.look(time.monotonic())
        except Exception:
            session.speaker.failed("where a rank stands")
            return


class Watch:
    def __init__(self, session: Any) -> None:
        self._session = session
        self._step = -1
        self._since = 0.0
        self._told = (-1, "")
        self._stood = self._kept = -1  # steps

    def look(self, now: float) -> None:
        """`now`: seconds."""
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
