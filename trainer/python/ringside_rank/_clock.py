"""Moments and values of a device, read when it has come that far; nothing here waits for it. On the host a moment is a
number of nanoseconds. Training thread, but that moments may be marked in any."""

import math
import time
from collections import deque
from typing import Any, Deque, Optional, Tuple

# Events cost some microseconds each: below this step time only every so many steps are measured in parts.
FINE_ABOVE_NS = 5_000_000
FINE_EVERY = 10


class HostClock:
    """Moments are nanoseconds of CLOCK_MONOTONIC."""

    # So long a step that has ended waits for others, to be said with them: the same work many times in a row costs a fraction.
    # A process that is killed takes what waits with it.
    patience_ns = 100_000_000

    mark = staticmethod(time.monotonic_ns)
    end_mark = staticmethod(time.monotonic_ns)
    at = staticmethod(int)
    sampled = False

    @staticmethod
    def uncertainty_ns() -> int:
        return 0


class Moment:
    """An event on the stream that was current when it was made; `at_ns` once it is known."""

    __slots__ = ("event", "asked_ns", "at_ns")

    def __init__(self, event: Any, asked_ns: int) -> None:
        self.event = event
        self.asked_ns = asked_ns
        self.at_ns: Optional[int] = None


class DeviceClock:
    """Events of a device on the host's clock. An event happens after it was asked for and before it is seen to have
    happened; the tightest of the newest such bounds says where the device's clock stands. `make_event` gives one that was
    recorded on the current stream."""

    patience_ns = 0  # the sooner an event is seen to have happened, the better it is known when it did

    _KEPT = 256

    def __init__(self, make_event: Any) -> None:
        self._make_event = make_event
        self._base: Optional[Moment] = None
        self._base_ns = 0.0  # on the device's clock, of `_base`
        self._lower: Deque[float] = deque(maxlen=self._KEPT)
        self._upper: Deque[float] = deque(maxlen=self._KEPT)
        self._fine = True
        self.sampled = False

    def begin_step(self, number: int, step_ns: int) -> None:
        short = 0 < step_ns < FINE_ABOVE_NS
        self._fine = not short or number % FINE_EVERY == 0
        self.sampled = self.sampled or short

    def mark(self) -> Optional[Moment]:
        return self.end_mark() if self._fine else None

    def end_mark(self) -> Moment:
        asked_ns = time.monotonic_ns()
        return Moment(self._make_event(), asked_ns)

    def at(self, moment: Any) -> Optional[int]:
        """None: the device is not there yet."""
        if isinstance(moment, int):
            return moment  # from before it was known that there is a device
        if moment.at_ns is not None:
            return moment.at_ns
        if not moment.event.query():
            return None
        seen_ns = time.monotonic_ns()
        device_ns = self._device_ns(moment)
        self._lower.append(moment.asked_ns - device_ns)
        self._upper.append(seen_ns - device_ns)
        offset = max(self._lower)
        moment.at_ns = min(round(device_ns + offset), seen_ns)
        moment.event = None if moment is not self._base else moment.event
        return moment.at_ns

    def _device_ns(self, moment: Moment) -> float:
        """Elapsed time is a float of milliseconds: short distances only, so that it stays exact."""
        if self._base is None:
            self._base = moment
            return 0.0
        distance = self._base.event.elapsed_time(moment.event) * 1e6
        here = self._base_ns + distance
        if distance > 1e9:
            self._base.event = None
            self._base, self._base_ns = moment, here
        return here

    def uncertainty_ns(self) -> int:
        if not self._lower:
            return 0
        wide = max(0.0, min(self._upper) - max(self._lower))
        return 0 if wide == 0 else 1 << math.ceil(math.log2(max(wide, 1.0)))


class Later:
    """A number on a device, on its way to the host: `slot` is pinned memory that it is copied to, `event` says when it is
    there."""

    __slots__ = ("_slot", "_event")

    def __init__(self, slot: Any, event: Any) -> None:
        self._slot = slot
        self._event = event

    def read(self) -> Tuple[bool, float]:
        if not self._event.query():
            return False, 0.0
        return True, float(self._slot)


def read(value: Any) -> Tuple[bool, float]:
    """(True, number), or (False, ...) while it is on its way."""
    return value.read() if isinstance(value, Later) else (True, value)
