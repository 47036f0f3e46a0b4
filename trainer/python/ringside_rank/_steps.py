"""Turns the boundaries that hooks see into steps and their phases. Pure: a moment is whatever the caller's clock gives, a
number of nanoseconds on the host or an event of a device, and is only looked at in `durations`. Training thread only.

A step ends where its (first) optimizer has stepped, and the next begins there, so that steps lie side by side; where one
begins that follows none is known only from a loader. It is handed out when something of the next one begins: until then a second optimizer and what is logged belong to it."""

from typing import Any, Callable, List, Optional, Tuple

Moment = Any  # None: not measured
DATA, FORWARD, BACKWARD, EXPOSED, OPTIMIZER = range(5)

# Steps of other optimizers without one of the first, after which the next one is the first.
_OTHERS = 64


class Step:
    """One optimizer step in the making. `buckets`: [index, bytes, ready, reduced]."""

    __slots__ = ("begin", "end", "spans", "pauses", "buckets", "losses", "loss", "samples", "correct", "lr", "norm",
                 "scale", "skipped", "passage", "learned", "nested",
                 "number")

    def __init__(self, begin: Moment) -> None:
        self.begin = begin
        self.end: Moment = None
        self.spans: List[Tuple[int, Moment, Moment]] = []
        self.pauses: List[Tuple[Moment, Moment]] = []
        self.buckets: List[list] = []
        self.losses: list = []
        self.loss: Any = None  # stated by the program; counts instead of `losses`
        self.samples: Optional[int] = None
        self.correct = -1
        self.lr: Any = None
        self.norm: Any = None
        self.scale: Any = None
        self.skipped = False
        self.passage: Any = None  # the pass over the data that it belongs to
        self.learned = False
        self.nested = False  # learns inside of the step of its optimizer
        self.number = -1


class Steps:
    """`mark` gives the moment of now, or None in a step that is only measured as a whole; `end_mark`, the same to begin with, always
    gives it. `done` takes each finished step."""

    def __init__(self, mark: Callable[[], Moment], done: Callable[[Step], None]) -> None:
        self.mark = mark
        self.end_mark = mark
        self.open: Optional[Step] = None
        self.number = 0  # of the step to come
        self.optimizer_steps = 0
        self._done = done
        self._ended = False  # the open step has its optimizer behind it
        self._follows: Moment = None
        self._edge: Moment = None  # from here on the model computes forward
        self._fetch: Moment = None
        self.backward_begun: Moment = None
        self._optimizer: Moment = None
        self._inside = 0  # optimizers that are stepping
        self._closures = 0  # calls of the closure in the step of the optimizer
        self._first: Optional[int] = None  # the optimizer whose steps are counted
        self._others = 0
        self._several = False  # optimizers

    @property
    def ended(self) -> bool:
        """The open step has had its optimizer; only that of another network may follow."""
        return self._ended

    def current(self) -> Step:
        """The step that what happens now belongs to; begins one after another has ended."""
        if self._ended:
            self.finish()
        if self.open is None:
            self.open = Step(self._follows)
            self._edge = self._follows
        return self.open

    def finish(self) -> None:
        """Hands out the open step if it has ended."""
        step = self.open
        if step is None or not self._ended:
            return
        self._ended = False
        self.open = None
        self._follows = step.end
        step.number = self.number
        self.number += 1
        self._done(step)

    def interrupt(self) -> None:
        """What passes from here until something of a step begins belongs to no step."""
        self.finish()
        self._follows = None
        if self.open is not None and not self.open.learned and not self._inside:
            self.open = None

    def pause(self, begin: Moment, end: Moment) -> None:
        """An evaluation between these moments: part of no phase and of no step."""
        self.finish()
        if self.open is None:
            self._follows = end if self._follows is not None else None
            return
        step = self.open
        if not step.spans:
            step.begin = self._edge = end if step.begin is not None else None
            return
        step.pauses.append((begin, end))

    def fetch_begin(self) -> None:
        step = self.current()
        self._fetch = self.mark()
        if step.begin is None:
            step.begin = self.end_mark() if self._fetch is None else self._fetch

    def fetch_end(self) -> None:
        if self.open is None:
            return
        now = self.mark()
        self.open.spans.append((DATA, self._fetch, now))
        self._edge = now

    def tell_fetches(self, waits: List[Tuple[Moment, Moment]]) -> None:
        """Batches of this step that came before it was known to be one."""
        self.finish()
        if self.open is None:
            self.open = Step(waits[0][0])
        self.open.spans.extend((DATA, begin, end) for begin, end in waits)
        self._edge = waits[-1][1]

    def backward_begin(self) -> Step:
        step = self.open
        if step is None or not (self._inside or self._belongs(step)):
            step = self.current()
        now = self.mark()
        step.spans.append((FORWARD, self._edge, now))
        step.learned = True
        step.nested = self._inside > 0
        self.backward_begun = now
        return step

    def _belongs(self, step: Step) -> bool:
        """Whether a backward behind the optimizer is that of another network, as in a GAN."""
        return self._ended and self._several and any(span[0] == DATA for span in step.spans)

    def backward_end(self, buckets_before: int) -> None:
        step = self.open
        if step is None:
            return
        now = self.mark()
        ready = [bucket[2] for bucket in step.buckets[buckets_before:]]
        if ready:
            # Hooks are called in the order of the buckets: the last that was ready is the last here.
            step.spans.append((BACKWARD, self.backward_begun, ready[-1]))
            step.spans.append((EXPOSED, ready[-1], now))
        else:
            step.spans.append((BACKWARD, self.backward_begun, now))
        self._edge = now
        if self._inside:
            self._optimizer = now

    def optimizer_begin(self, which: int) -> Step:
        if self.open is None or (self._ended and which == self._first):
            self.current()
        self._inside += 1
        if self._inside == 1:
            self._optimizer = self.mark()
            self._closures = 0
        return self.open  # type: ignore[return-value]

    def closure_begin(self) -> None:
        """An optimizer calls the closure that its step was given."""
        self._closures += 1

    @property
    def again(self) -> bool:
        """What is learned now was learned in this step before: an optimizer as LBFGS calls its closure several times."""
        return self._inside > 0 and self._closures > 1

    def optimizer_end(self, which: int) -> None:
        self._inside = max(0, self._inside - 1)
        self.optimizer_steps += 1
        if self.open is None or self._inside:
            return
        now = self.end_mark()
        self.open.spans.append((OPTIMIZER, self._optimizer, now))
        self._edge = now
        self._end(now, which)

    def is_other(self, which: int) -> bool:
        """Not the optimizer whose steps are counted."""
        return self._first is not None and which != self._first

    def skip(self, which: int) -> None:
        """The optimizer would have stepped here, had its scaler let it."""
        step = self.open or self.current()
        step.skipped = True
        self._end(self.end_mark(), which)

    def tell_end(self) -> None:
        """The program says that a step is over."""
        if self._ended:
            return
        step = self.open or self.current()
        step.end = self.end_mark()
        self._ended = True

    def _end(self, now: Moment, which: int) -> None:
        if self._first is None or self._others >= _OTHERS:
            self._first, self._others = which, 0
        self._several = self._several or which != self._first
        if which != self._first and not self._ended:
            self._others += 1
            self._edge = now
            return
        if which == self._first:
            self._others = 0
        self.open.end = now  # type: ignore[union-attr]
        self._ended = True


class Durations:
    """Nanoseconds of each phase (-1: not known) and of the whole step, and when it ended."""

    __slots__ = ("phases", "step_ns", "end_ns")

    def __init__(self, phases: List[int], step_ns: int, end_ns: int) -> None:
        self.phases = phases
        self.step_ns = step_ns
        self.end_ns = end_ns


def _overlap(begin: int, end: int, pauses: List[Tuple[int, int]]) -> int:
    spent, reached = 0, begin
    for from_ns, to_ns in sorted(pauses):
        from_ns = max(from_ns, reached)
        to_ns = min(to_ns, end)
        if to_ns > from_ns:
            spent += to_ns - from_ns
            reached = to_ns
    return spent


def durations(step: Step, at: Callable[[Moment], int]) -> Durations:
    """`at` gives the nanoseconds of a moment of the clock."""
    phases = [-1] * 5
    end_ns = at(step.end)
    begin_ns = None if step.begin is None else at(step.begin)
    pauses = [(at(begin), at(end)) for begin, end in step.pauses] if step.pauses else []
    unmeasured = []
    for phase, begin, end in step.spans:
        if begin is None or end is None:
            unmeasured.append(phase)
            continue
        from_ns, to_ns = at(begin), at(end)
        if to_ns > end_ns:
            to_ns = end_ns
        spent = to_ns - from_ns if to_ns > from_ns else 0
        if pauses and spent:
            spent -= _overlap(from_ns, to_ns, pauses)
        phases[phase] = spent if phases[phase] < 0 else phases[phase] + spent
    for phase in unmeasured:
        phases[phase] = -1
    step_ns = -1 if begin_ns is None else max(0, end_ns - begin_ns)
    if pauses and begin_ns is not None:
        step_ns -= _overlap(begin_ns, end_ns, pauses)
    return Durations(phases, step_ns, end_ns)
