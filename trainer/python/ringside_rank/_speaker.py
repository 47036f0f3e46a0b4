"""Sends this process's records: nothing before its hello, nothing in a forked child, nothing if the agent did not start it.
Never raises and never waits, except in `close`. Any thread."""

import os
import sys
import threading
import time
from typing import Any, Callable, List, Optional, Set, Tuple

from . import _records

_HELD = 100_000  # maximum number of records before the hello
_MOST_LEFT_OUT = 100


class Speaker:
    """`library` is as in _library.py; `rank` and `attempt` are from the agent."""

    def __init__(self, library: Any, rank: int, attempt: int) -> None:
        self.rank = rank
        self.attempt = attempt
        self.last_collective = ""
        self.collective = 0  # number of collectives entered
        self.under_way: Callable[[], str] = str  # a collective that was entered but not counted yet, or empty
        self.beside: Callable[[], str] = str  # result of where() if nothing was counted here
        self._library = library
        self._send: Optional[Callable[..., int]] = library.post
        self._held: Optional[List[Tuple[int, int, bytes]]] = []
        self.greeted = False
        self._lock = threading.Lock()
        self._stating = threading.RLock()  # a repeated state must not follow a newer one
        self.off: Set[str] = set()  # sources that were switched off after an exception
        self._left_out: Set[str] = set()  # names of values that were left out
        self._state: Tuple[int, str] = (-1, "")
        os.register_at_fork(after_in_child=self.mute)

    def hello(self, body: bytes) -> None:
        with self._lock:
            held, self._held = self._held, None
            self.greeted = True
        if held is None:
            return
        self.post(_records.HELLO, 0, body)
        for kind, at_ns, record in held:
            self.post(kind, at_ns, record)

    def post(self, kind: int, at_ns: int, body: bytes) -> None:
        """`at_ns` 0 means now."""
        if self._held is not None and self._hold(kind, at_ns or time.monotonic_ns(), body):
            return
        send = self._send
        if send is not None:
            send(kind, at_ns, body, len(body))

    def _hold(self, kind: int, at_ns: int, body: bytes) -> bool:
        with self._lock:
            if self._held is None:
                return False
            if len(self._held) < _HELD:
                self._held.append((kind, at_ns, body))
            return True

    def state(self, state: int, last_step: int, text: str = "") -> None:
        with self._stating:
            if (state, text) == self._state:
                return
            self._state = (state, text)
            self._post_state(last_step, self.last_collective)

    def _post_state(self, last_step: int, last_collective: str) -> None:
        state, text = self._state
        self.post(_records.STATE, 0, _records.pack(
            _records.STATE, state=state, attempt=self.attempt, last_step=last_step, exit_code=-1, signal=-1,
            last_collective=last_collective, text=text, wall_ns=time.time_ns(), about=self.rank))

    @property
    def speaks(self) -> bool:
        return self._send is not None

    def entered(self, collective: str) -> None:
        """Counts a collective of all ranks; the number shows which rank is behind."""
        self.collective += 1
        self.last_collective = collective

    def where(self) -> str:
        """The last collective; empty before the first one."""
        under_way = self.under_way()
        number = self.collective + (1 if under_way else 0)
        return f"{under_way or self.last_collective}, number {number}" if number > 0 else self.beside()

    def stands(self, last_step: int) -> bool:
        """Repeats the state with the last collective while no step ends. Returns False and sends nothing before the first
        collective and while the rank does not train."""
        with self._stating:
            where = self.where()
            said = bool(self.greeted and where and self._state[0] == _records.TRAINING)
            if said:
                self._post_state(last_step, where)
            return said

    def notice(self, severity: int, code: str, text: str) -> None:
        self.post(_records.NOTICE, 0, _records.pack(_records.NOTICE, severity=severity, code=code, text=text))

    def works(self, source: str) -> bool:
        return source not in self.off

    def failed(self, source: str) -> None:
        """Called where an exception of ours is caught: reports it once and switches that source off."""
        if source in self.off:
            return
        self.off.add(source)
        try:
            error = sys.exc_info()[1]
            self.notice(_records.WARNING, "instrument_off",
                        f"{source} is not measured any more: {type(error).__name__}: {error}")
        except Exception:
            pass

    def left_out(self, name: str) -> None:
        """Reports, once for each name, that a value of the program was not a number and is left out."""
        if name not in self._left_out and len(self._left_out) < _MOST_LEFT_OUT:
            self._left_out.add(name)
            self.notice(_records.WARNING, "value_left_out", f"{name} is left out where the script passes something that is not a number of its kind")

    def stop_request(self) -> int:
        return self._library.stop_request() if self._send is not None else 0

    def close(self, budget_ns: int) -> None:
        if self._send is not None:
            self._send = None
            self._library.close(budget_ns)

    def mute(self) -> None:
        self._send = None
        self._held = None
        self.greeted = True
        self._lock = threading.Lock()
        self._stating = threading.RLock()
