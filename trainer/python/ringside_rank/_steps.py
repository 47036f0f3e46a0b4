"""Turns the boundaries that hooks see into steps and their phases. Pure: a moment is whatever the caller's clock gives, a
number of nanoseconds on the host or an event of a device, and is only looked at in `durations`. Training thread only.

A step ends where its (first) optimizer has stepped, and the next begins there, so that steps lie side by side; where one
begins that follows none is known only from a loader. It is handed out when something of the next one begins: until then a second optimizer and what is logged belong to it."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

Moment = Any  # None: not measured
DATA, FORWARD, BACKWARD, EXPOSED, OPTIMIZER = range(5)

# Steps of other optimizers without one of the first, after which the next one is the first.
_OTHERS = 64


class Step:
    """One optimizer step in the making. `spans`: phase, beginning and end of each, one behind the other, since Python's garbage
    collector looks through every tuple that waits; `buckets`: [index, bytes, ready, reduced]."""

    end: Moment = None
    pauses: Sequence[Tuple[Moment, Moment]] = ()
    loss: Any = None  # stated by the program; counts instead of `losses`
    samples: Optional[int] = None
    tokens = 0  # -1: not known
    correct = -1
    lr: Any = None
    norm: Any = None
    scale: Any = None
    skipped = False
    passage: Any = None  # the pass over the data that it belongs to
    learned = False
    nested = False  # learns inside of the step of its optimizer
    number = -1

    def __init__(self, begin: Moment) -> None:
        self.begin = begin
        self.spans: list = []
        self.buckets: List[list] = []
        self.losses: list = []


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
        self.ended = False  # the open step has had its optimizer; only that of another network may follow
        self._follows: Moment = None
        self._edge: Moment = None  # from here on the model computes forward
        self._fetch: Moment = None
        self._forward: Moment = None  # the model was called, and nothing was learned since
        self.backward_begun: Moment = None
        self._optimizer: Moment = None
        self.inside = 0  # optimizers that are stepping
        self._closures = 0  # calls of the closure in the step of the optimizer
        self._first: Optional[int] = None  # the optimizer whose steps are counted
        self._others = 0
        self._several = False  # optimizers

    def current(self) -> Step:
        """The step that what happens now belongs to; begins one after another has ended."""
        if self.ended:
            self.finish()
        if self.open is None:
            self.open = Step(self._follows)
            self._edge = self._follows
        return self.open

    def finish(self) -> None:
        """Hands out the open step if it has ended."""
        step = self.open
        if step is None or not self.ended:
            return
        self.ended = False
        self.open = None
        self._follows = step.end
        step.number = self.number
        self.number += 1
        self._done(step)

    def interrupt(self) -> None:
        """What passes from here until something of a step begins belongs to no step."""
        self.finish()
        self._follows = self._forward = None
        if self.open is not None and not self.open.learned and not self.inside:
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
        step.pauses = [*step.pauses, (begin, end)]

    def fetch_begin(self) -> None:
        if self.ended:
            self.finish()
        step = self.open
        if step is None:
            step = self.open = Step(self._follows)
            self._edge = self._follows
        now = self._fetch = self.mark()
        if step.begin is None:
            step.begin = self.end_mark() if now is None else now

    def fetch_end(self) -> None:
        step = self.open
        if step is None:
            return
        now = self._edge = self.mark()
        step.spans += DATA, self._fetch, now

    def tell_fetches(self, waits: List[Tuple[Moment, Moment]]) -> None:
        """Batches of this step that came before it was known to be one."""
        self.finish()
        if self.open is None:
            self.open = Step(waits[0][0])
        for begin, end in waits:
            self.open.spans += DATA, begin, end
        self._edge = waits[-1][1]

    def forward_begin(self) -> None:
        """The model is called. What passed before that is forward only from the batch on, where one was seen to come."""
        if self._forward is None:
            self._forward = self.mark()

    def backward_begin(self) -> Step:
        step = self.open
        if step is None or (self.ended and not (self.inside or self._belongs(step))):
            step = self.current()
        now = self.backward_begun = self.mark()
        if self._forward is not None:
            if DATA not in step.spans[::3]:
                self._edge = self._forward
            self._forward = None
        step.spans += FORWARD, self._edge, now
        step.learned = True
        step.nested = self.inside > 0
        return step

    def _belongs(self, step: Step) -> bool:
        """Whether a backward behind its optimizer is that of another network, as in a GAN."""
        return self._several and DATA in step.spans[::3]

    def backward_end(self, buckets_before: int) -> None:
        step = self.open
        if step is None:
            return
        now = self._edge = self.mark()
        buckets = step.buckets
        if len(buckets) > buckets_before:
            # Hooks are called in the order of the buckets: the last that was ready is the last here.
            ready = buckets[-1][2]
            step.spans += BACKWARD, self.backward_begun, ready, EXPOSED, ready, now
        else:
            step.spans += BACKWARD, self.backward_begun, now
        if self.inside:
            self._optimizer = now

    def optimizer_begin(self, which: int) -> Step:
        step = self.open
        if step is None or (self.ended and which == self._first):
            step = self.current()
        self.inside += 1
        if self.inside == 1:
            self._optimizer = self.mark()
            self._closures = 0
        return step

    def closure_begin(self) -> None:
        """An optimizer calls the closure that its step was given."""
        self._closures += 1

    @property
    def again(self) -> bool:
        """What is learned now was learned in this step before: an optimizer as LBFGS calls its closure several times."""
        return self.inside > 0 and self._closures > 1

    def optimizer_end(self, which: int) -> None:
        inside = self.inside = self.inside - 1 if self.inside else 0
        self.optimizer_steps += 1
        step = self.open
        if step is None or inside:
            return
        now = self._edge = self.end_mark()
        step.spans += OPTIMIZER, self._optimizer, now
        if which == self._first and not self._others:  # as nearly always
            step.end = now
            self.ended = True
        else:
            self._end(now, which)

    def is_other(self, which: int) -> bool:
        """Not the optimizer whose steps are counted."""
        return self._first is not None and which != self._first

    def skip(self, which: int) -> None:
        """The optimizer would have stepped here, had its scaler let it."""
        step = self.open or self.current()
        step.skipped = True
        self._end(self.end_mark(), which)

    def whole_begin(self) -> None:
        """A step of which only the beginning and the end are seen."""
        step = self.current()
        step.learned = True
        if step.begin is None:
            step.begin = self.end_mark()

    def whole_end(self) -> None:
        self.optimizer_steps += 1
        self.tell_end()

    def tell_end(self) -> None:
        """The program says that a step is over."""
        if self.ended:
            return
        step = self.open or self.current()
        step.end = self.end_mark()
        self.ended = True

    def _end(self, now: Moment, which: int) -> None:
        if self._first is None or self._others >= _OTHERS:
            self._first, self._others = which, 0
        self._several = self._several or which != self._first
        if which != self._first and not self.ended:
            self._others += 1
            self._edge = now
            return
        if which == self._first:
            self._others = 0
        self.open.end = now  # type: ignore[union-attr]
        self.ended = True


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
    spans = iter(step.spans)
    for phase, begin, end in zip(spans, spans, spans):
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
