"""Events and values of a device that are read after the device has reached them, without waiting for it. On the host an event is
a number of nanoseconds. Training thread, except that any thread may record an event."""

import time
from typing import Any, Callable, Optional, Tuple

# An event costs some microseconds: with shorter steps than this, phases are measured only every so many steps.
FINE_ABOVE_NS = 5_000_000
FINE_EVERY = 10


class HostClock:
    """Events are nanoseconds of CLOCK_MONOTONIC."""

    # How long a finished step may wait to be reported together with others, which costs much less than reporting each by itself. If
    # the process is killed, the waiting steps are lost.
    patience_ns = 100_000_000

    mark = staticmethod(time.monotonic_ns)
    end_mark = staticmethod(time.monotonic_ns)
    at = staticmethod(int)
    sampled = False

    @staticmethod
    def uncertainty_ns() -> int:
        return 0


class Moment:
    """An event; `at_ns` is set once known. `reference` is the current reference when the event was recorded, or None."""

    __slots__ = ("event", "reference", "asked_ns", "at_ns")

    def __init__(self, event: Any, reference: Any, asked_ns: int) -> None:
        self.event = event
        self.reference = reference
        self.asked_ns = asked_ns
        self.at_ns: Optional[int] = None


class Offset:
    """Offset of a device's clock, computed as in trainer/cuda/device_clock.h: it lies between two bounds, which each event that
    was recorded and seen complete on the host narrows, and elapsed time widens."""

    _DRIFT = 100e-6  # assumed maximum relative drift of two clocks

    def __init__(self) -> None:
        self._known = False
        self._lowest_ns = self._highest_ns = self._at_ns = 0  # bounds of host minus device, and the host time for which they hold

    def _drift_in(self, span_ns: int) -> int:
        return int(self._DRIFT * max(span_ns, 0))

    def observe(self, device_ns: int, recorded_ns: int, seen_ns: int) -> None:
        """Adds an observation. If it contradicts the bounds, it replaces them: a clock was set."""
        since = self._drift_in(seen_ns - recorded_ns)
        lowest, highest = recorded_ns - device_ns - since, seen_ns - device_ns + since
        wider = self._drift_in(seen_ns - self._at_ns)
        if self._known and lowest <= self._highest_ns + wider and highest >= self._lowest_ns - wider:
            lowest, highest = max(self._lowest_ns - wider, lowest), min(self._highest_ns + wider, highest)
        self._known = True
        self._lowest_ns, self._highest_ns, self._at_ns = lowest, highest, seen_ns

    def to_host(self, device_ns: int) -> int:
        return device_ns + self._lowest_ns + int((self._highest_ns - self._lowest_ns) / 2)

    def uncertainty_ns(self, host_ns: int) -> int:
        return (self._highest_ns - self._lowest_ns + 1) // 2 + self._drift_in(abs(host_ns - self._at_ns))


class DeviceClock:
    """Converts events of a device to host time, as in trainer/cuda/event_timeline.h: they are timed relative to a reference
    event and converted by the estimated offset of the device's clock. From time to time an event on a separate stream compares
    the clocks. `make_event` records an event after the current work, `make_aside` one that does not wait for other work.
    `capturing` returns whether work is being captured for a CUDA graph: then events can be neither created nor queried, and host
    time is used."""

    patience_ns = 0  # events are polled often, since an event's time is known better the sooner it is seen complete

    COMPARE_EVERY_NS = 250_000_000
    COMPARE_AT_MOST_NS = 100_000  # maximum time of a comparison on the training thread
    REFERENCE_EVERY_NS = 10_000_000_000  # a float in milliseconds loses microseconds after some ten seconds

    def __init__(self, make_event: Callable[[], Any], make_aside: Callable[[], Any], capturing: Callable[[], bool] = bool,
                 now: Callable[[], int] = time.monotonic_ns) -> None:
        self._make_event, self._make_aside, self.capturing, self._now = make_event, make_aside, capturing, now
        self._offset = Offset()
        self._reference: Any = None  # (completed event, its time on the device)
        self._compared_ns = 0
        self._lag_ns = 0  # from recording the newest known event to knowing its time
        self._fine = True
        self.sampled = False
        self._compare()

    def begin_step(self, number: int, step_ns: int) -> None:
        short = 0 < step_ns < FINE_ABOVE_NS
        self._fine = not short or number % FINE_EVERY == 0
        self.sampled = self.sampled or short

    def mark(self) -> Any:
        return self.end_mark() if self._fine else None

    def end_mark(self) -> Any:
        if self.capturing():
            return self._now()
        asked_ns = self._now()
        return Moment(self._make_event(), self._reference, asked_ns)

    def at(self, moment: Any) -> Optional[int]:
        """The host time of an event; None if the device has not reached it."""
        if isinstance(moment, int):
            return moment  # recorded before it was known that there is a device
        if moment.at_ns is not None:
            return moment.at_ns
        if self.capturing():
            return None
        if self._now() - self._compared_ns >= self.COMPARE_EVERY_NS:
            self._compare()
        if not moment.event.query():
            return None
        seen_ns = self._now()
        self._lag_ns = seen_ns - moment.asked_ns
        device_ns = self._observe(moment.reference, moment.event, moment.asked_ns, seen_ns, 2 * self.REFERENCE_EVERY_NS)
        moment.at_ns = min(max(self._offset.to_host(device_ns), moment.asked_ns), seen_ns)
        moment.event = moment.reference = None
        return moment.at_ns

    def _compare(self) -> None:
        asked_ns = self._compared_ns = self._now()
        event = self._make_aside()
        while not event.query():
            if self._now() - asked_ns > self.COMPARE_AT_MOST_NS:
                return
        self._observe(self._reference, event, asked_ns, self._now(), self.REFERENCE_EVERY_NS)

    def _observe(self, reference: Any, event: Any, asked_ns: int, seen_ns: int, reference_every_ns: int) -> int:
        """Time of an event on the device's clock. If comparisons do not complete, the events of steps become the references."""
        reference = reference or self._reference
        device_ns = 0 if reference is None else int(reference[1] + reference[0].elapsed_time(event) * 1e6)
        self._offset.observe(device_ns, asked_ns, seen_ns)
        if self._reference is None or device_ns - self._reference[1] >= reference_every_ns:
            self._reference = event, device_ns
        return device_ns

    def uncertainty_ns(self) -> int:
        """The uncertainty, rounded up to a power of two so that it rarely changes."""
        if self._reference is None:
            return 0
        wide = self._offset.uncertainty_ns(self._now() + max(self._lag_ns, self.COMPARE_EVERY_NS))
        return 1 << max(wide - 1, 0).bit_length()


class Later:
    """A number that is being copied from a device: `slot` is the pinned memory that it is copied to, `event` is complete when it
    has arrived."""

    __slots__ = ("_slot", "_event")

    def __init__(self, slot: Any, event: Any) -> None:
        self._slot = slot
        self._event = event

    def read(self) -> Tuple[bool, float]:
        if not self._event.query():
            return False, 0.0
        return True, float(self._slot)


def read(value: Any) -> Tuple[bool, float]:
    """(True, number), or (False, ...) if it has not arrived yet."""
    return value.read() if isinstance(value, Later) else (True, value)
