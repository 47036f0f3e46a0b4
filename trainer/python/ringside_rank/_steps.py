"""Turns the boundaries that hooks observe into steps and their phases. Pure: a moment is whatever the caller's clock returns, a
number of nanoseconds on the host or an event of a device, and is only evaluated in `durations`. Training thread only.

A step ends when its optimizer has stepped, and the next one begins there, so that steps are contiguous; only a loader shows
where a step begins that follows none. A step is handed out when something of the next one begins.

Several optimizers may belong to one training, which shows only later: one that learns between two steps of another is part of
that one's round; one that steps again without the other in between is the next training. Until then such steps are handed out
`held`: they have a number, but may become parts of others (`left_out`, and later numbers decrease)."""

from typing import Any, Callable, List, Optional, Sequence, Set, Tuple

Moment = Any  # None: not measured
DATA, FORWARD, BACKWARD, EXPOSED, OPTIMIZER = range(5)
_PLAIN = [DATA, FORWARD, BACKWARD, EXPOSED, OPTIMIZER]

_YOUNG = 4  # initial steps that are held until the next one, which may show that they are parts or a warm-up
_MOST_HELD = 8
_MOST_MEMBERS = 8  # optimizers of a round that are distinguished; some programs have one per parameter
_BY_HAND = 8  # gradient resets without an optimizer after which it is certain that there is none


class Step:
    """One optimizer step under construction. `spans` is a flat list of phase, beginning and end, since Python's garbage
    collector traverses every waiting tuple; `buckets`: [index, bytes, ready, reduced]."""

    end: Moment = None
    pauses: Sequence[Tuple[Moment, Moment]] = ()
    loss: Any = None  # reported by the program; takes precedence over `losses`
    samples: Optional[int] = None
    tokens = 0  # -1: unknown
    correct = -1
    lr: Any = None
    norm: Any = None
    scale: Any = None
    skipped = False
    passage: Any = None  # its pass over the data
    learned = False
    told: Sequence[Tuple[str, float]] = ()  # scalars at its end
    nested = False  # has a backward within its optimizer's step
    inner = False  # the learning rate is that of an optimizer within another
    number = -1
    members: Sequence[int] = ()  # optimizers that stepped in it, that of its loss first; empty: the counted one
    others: Sequence["Step"] = ()  # parts of other optimizers of the round
    held = False  # may become part of another step
    left_out = False  # became part of another step, or was a warm-up
    batches = 0  # number of batches that it used
    divisor: Optional[float] = 0.0  # divisor of the parts of its loss; 0: not examined, None: unknown or inconsistent
    watched: Any = None  # a parameter at its first backward, from _values.watch
    moved = False  # weights changed between two backward calls, and gradients were reset
    rates: Sequence[Tuple[int, Any]] = ()  # of the other optimizers that stepped

    def __init__(self, begin: Moment) -> None:
        self.begin = begin
        self.spans: list = []
        self.buckets: List[list] = []
        self.losses: list = []


def _together(one: Optional[int], other: Optional[int]) -> Optional[int]:
    """The samples of two parts of a step together; None means a part without a batch of its own."""
    if one is None or other is None:
        return other if one is None else one
    return -1 if one < 0 or other < 0 else one + other


class Steps:
    """`mark` returns the current moment, or None in a step that is only measured as a whole; `end_mark`, initially the same,
    always returns it. `done` receives each finished step. `related` tells of two optimizers whether the first no longer exists
    or shares parameters with the second."""

    def __init__(self, mark: Callable[[], Moment], done: Callable[[Step], None]) -> None:
        self.related: Callable[[int, int], bool] = lambda one, other: False
        self.taken: Callable[[int, int, int], None] = lambda old, new, number: None  # called when another training begins at a step
        self.warmed_up: Callable[[int], None] = lambda count: None  # called with the number of steps left out as a warm-up
        self.mark = mark
        self.end_mark = mark
        self.open: Optional[Step] = None
        self.number = 0  # of the next step
        self.optimizer_steps = 0
        self._done = done
        self.ended = False  # the optimizer of the open step has stepped
        self.follows: Moment = None
        self._edge: Moment = None  # start of the forward pass
        self._fetch: Moment = None
        self._forward: Moment = None  # call of the model since the last backward
        self._placed = False  # fetches or calls show where a forward pass begins
        self.backward_begun: Moment = None
        self._optimizer: Moment = None
        self.inside = 0  # number of optimizers that are stepping
        self._stepping: List[int] = []
        self._closures = 0  # closure calls within the optimizer's step
        self.first: Optional[int] = None  # the optimizer whose steps are counted
        self.group: Set[int] = set()  # optimizers that take turns in each round
        self.held: List[Step] = []
        self.alternate = False  # an optimizer returned after another had replaced it
        self._slow = True  # the next optimizer step may classify the previous ones
        self._young = _YOUNG
        self._before: Optional[int] = None  # the optimizer of the last step that is not held
        self._counted: Set[int] = set()  # optimizers whose steps are, or were, counted
        self.watches = True  # backward calls note a parameter: initially, and when steps have several
        self.watchable = True  # a parameter was found
        self.told = False  # the program reports the end of its steps
        self.backwards = False  # there were backward calls without an optimizer
        self.resets = 0  # gradient resets without an optimizer
        self._cut: Optional[Tuple[int, Moment]] = None  # where a step without an optimizer ends: number of spans, moment
        self._learned: Moment = None  # end of the newest backward

    def current(self) -> Step:
        """The step to which the present moment belongs; begins a new one after the last has ended."""
        if self.ended:
            self.finish()
        if self.open is None:
            self.open = Step(self.follows)
            self._edge = self.follows
        return self.open

    def finish(self) -> None:
        """Hands out the open step if it has ended."""
        step = self.open
        if step is None or not self.ended:
            return
        self.ended = False
        self.open = None
        self.follows = step.end
        if step.number >= 0:
            return  # it became a part of another step
        step.number = self.number
        self.number += 1
        if self._slow and (step.members or (self.first is None and not self.told)):
            step.held = True
            self.held.append(step)
        elif self.held:
            self._release()
        self._done(step)

    def interrupt(self) -> None:
        """The time until the next event of a step belongs to no step."""
        self.finish()
        self.follows = self._forward = None
        if self.open is not None and not self.open.learned and not self.inside:
            self.open = None

    def pause(self, begin: Moment, end: Moment) -> None:
        """Excludes the time between these moments, an evaluation, from all phases and steps."""
        self.finish()
        if self.open is None:
            self.follows = end if self.follows is not None else None
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
            step = self.open = Step(self.follows)
            self._edge = self.follows
        now = self._fetch = self.mark()
        self._placed = True
        if step.learned and self.first is None and self._cut is None:
            self._cut = len(step.spans), self.end_mark() if now is None else now
        if step.begin is None:
            step.begin = self.end_mark() if now is None else now

    def fetch_end(self) -> None:
        if self.open is None:
            return
        now = self._edge = self.mark()
        self.open.spans += DATA, self._fetch, now

    def tell_fetches(self, waits: List[Tuple[Moment, Moment]]) -> None:
        """Adds waits for batches that were fetched before it was known that they belong to this step."""
        self.finish()
        if self.open is None:
            self.open = Step(waits[0][0])
        for begin, end in waits:
            self.open.spans += DATA, begin, end
        self._edge, self._placed = waits[-1][1], True

    def forward_begin(self) -> None:
        """The model is called. Earlier time counts as forward only from the batch on, if its arrival was observed."""
        if self._forward is None:
            self._forward, self._placed = self.mark(), True

    def backward_begin(self) -> Step:
        step = self.open
        if step is None or (self.ended and not self.inside):
            step = self.current()
        now = self.backward_begun = self.mark()
        if self._forward is not None:
            if DATA not in step.spans[::3]:
                self._edge = self._forward
            self._forward = None
        step.spans += FORWARD, self._edge if self._placed else None, now
        step.learned = True
        step.nested = self.inside > 0
        return step

    def backward_end(self, buckets_before: int) -> None:
        step = self.open
        if step is None:
            return
        now = self._edge = self.mark()
        if self.first is None:
            self.backwards = True
            self._learned, self._cut = now, None
        buckets = step.buckets
        if len(buckets) > buckets_before:
            # Hooks are called in bucket order, so the last entry is the last bucket that was ready.
            ready = buckets[-1][2]
            step.spans += BACKWARD, self.backward_begun, ready, EXPOSED, ready, now
        else:
            step.spans += BACKWARD, self.backward_begun, now
        if self.inside:
            self._optimizer = now

    def optimizer_begin(self, which: int) -> Step:
        step = self.open
        if step is None or (self.ended and which in (step.members or (self.first,))):
            step = self.current()
        if which in self._stepping:  # its last step raised
            del self._stepping[self._stepping.index(which):]
        self._stepping.append(which)
        self.inside = len(self._stepping)
        if self.inside == 1:
            self._optimizer = self.mark()
            self._closures = 0
        return step

    def closure_begin(self) -> None:
        """Called when an optimizer calls its closure."""
        self._closures += 1

    @property
    def again(self) -> bool:
        """Whether this step already learned the same: optimizers such as LBFGS call their closure several times."""
        return self.inside > 0 and self._closures > 1

    def optimizer_end(self, which: int) -> None:
        if self._stepping:
            self._stepping.pop()
        inside = self.inside = len(self._stepping)
        self.optimizer_steps += 1
        step = self.open
        if step is None or inside:
            return
        now = self._edge = self.end_mark()
        step.spans += OPTIMIZER, self._optimizer, now
        if which == self.first and not self._slow:  # the usual case
            step.end = now
            self.ended = True
        else:
            self._end(now, which)

    def is_other(self, which: int) -> bool:
        """Whether this is not the optimizer whose steps are counted."""
        return self.first is not None and which != self.first

    def skip(self, which: int) -> None:
        """The optimizer would have stepped here, but its scaler skipped the step."""
        step = self.open or self.current()
        step.skipped = True
        self._end(self.end_mark(), which)

    def whole_begin(self) -> None:
        """Begins a step of which only the beginning and the end are observed."""
        step = self.current()
        step.learned = True
        if step.begin is None:
            step.begin = self.end_mark()

    def whole_end(self) -> None:
        self.optimizer_steps += 1
        self.tell_end()

    def tell_end(self) -> None:
        """The program reports the end of a step."""
        self.told = True
        if self.ended:
            return
        step = self.open or self.current()
        step.end = self.end_mark()
        self.ended = True

    def _end(self, now: Moment, which: int) -> None:
        step: Step = self.open  # type: ignore[assignment]
        step.end = now
        if self.ended:  # another optimizer has already stepped
            members = step.members or (self.first,)
            if which not in members and len(members) < _MOST_MEMBERS:
                step.members = (which, *members) if which == self.first else (*members, which)  # type: ignore[assignment]
            return
        self.ended = True
        step.members = (which,)
        if self.first is None:
            self._forget_resets(step)
            self.first = which
            self._counted.add(which)
        self._young -= self._young > 0
        self._settle(step, which)

    def _settle(self, step: Step, which: int) -> None:
        """Classifies the held steps when an optimizer has stepped for the first time or again."""
        held = self.held
        place = max((i for i, one in enumerate(held) if which in one.members), default=-1)
        if place >= 0:
            self._join(held[place], held[place + 1:])
            if which != self.first and not any(self.first in one.members for one in held[place:]):
                self._take(which, place)
            if self._young and step.passage is None and len(held) == place + 1 and self.group == set():
                return  # possibly a warm-up
            self._release()
        elif held and which == self._before:
            self._join(step, held)
            self._release()
        elif held and self.group.issuperset((held[-1].members[0], which)):
            self._join(held[-1], [step])
            self.open = held[-1]
        else:
            if len(held) >= _MOST_HELD:
                self._release()
            if not self._slow:
                self._before = self.first
            self._slow = True
            if which in self._counted and which != self.first:
                self.alternate = True

    def _join(self, into: Step, parts: List[Step]) -> None:
        """Merges steps of other optimizers into a round."""
        for part in list(parts):
            self.group.update(into.members, part.members)
            into.spans += part.spans
            into.buckets += part.buckets
            into.pauses = [*into.pauses, *part.pauses]
            if part.number >= 0:
                part.left_out = True
                self.number -= 1
                self.held.remove(part)
            behind = part is self.open or part.number > into.number >= 0
            if behind:
                into.end = part.end
            else:
                into.begin = part.begin
                into.number -= into.number >= 0
            into.samples = _together(into.samples, part.samples)
            members, leads = (*into.members, *part.members), part.members[0] == self.first != into.members[0]
            if leads:
                for name in ("losses", "loss", "lr", "norm", "scale", "skipped", "batches", "divisor", "moved", "members", "passage"):
                    mine, its = getattr(into, name), getattr(part, name)
                    setattr(into, name, its)
                    setattr(part, name, mine)
            if leads:
                into.members = (*into.members, *part.members)
            elif behind:  # an earlier one may learn again after it
                into.members = members
            into.others = [*into.others, part, *part.others]

    def _take(self, which: int, place: int) -> None:
        """This optimizer becomes the training from the held step at that place on. The steps before it were another training, or
        a warm-up: initial steps without a loader, on parameters of this optimizer."""
        held, old = self.held, self.first
        before = held[:place]
        first_of_all = before and self._before is None and all(one.passage is None for one in before)
        if first_of_all and self.related(old, which):  # type: ignore[arg-type]
            for one in before:
                one.left_out, one.held = True, False
            held[:] = held[place:]
            for one in held:
                one.number -= place
            self.number -= place
            self.warmed_up(place)
        elif first_of_all and place == 1:
            self.first = which
            self._join(held[1], held[:1])
        else:
            self.taken(old, which, held[place].number)  # type: ignore[arg-type]
        self.first = which
        self._counted.add(which)
        if len(held[-1].members) == 1:
            self.group = set()

    def _release(self) -> None:
        """Releases the held steps, which are now classified."""
        self.watches = self.watchable and (self._young > 0 or any(len(step.losses) > 1 or step.moved for step in self.held))
        for step in self.held:
            step.held = False
        if self.held:
            self._before = (self.held[-1].members or (self.first,))[0]
        self.held = []
        self._slow = self._young > 0 or bool(self.group)

    def hurry(self) -> None:
        """Steps are so long that they should not be held for a warm-up."""
        self._young = min(self._young, 1)

    # Without an optimizer

    def reset(self) -> None:
        """Gradients were reset after the newest backward: the previous step ended, if no optimizer ever steps."""
        step = self.open
        if step is None or not step.learned or self.told or self.first is not None:
            return
        self.resets += 1
        place, moment = self._cut or (len(step.spans), self._learned)
        moment = self.end_mark() if moment is None else moment
        following = Step(moment)
        following.spans, step.spans = step.spans[place:], step.spans[:place]
        step.end = moment
        self._cut = None
        self._slow = self.resets < _BY_HAND
        self.ended = True
        self.finish()
        self.open = following
        if self._edge is not None and not following.spans:
            self._edge = moment

    def _forget_resets(self, step: Step) -> None:
        """There is an optimizer after all, so the held steps were backward calls of its first step."""
        held = [one for one in self.held if not one.members]
        for one in reversed(held):
            one.left_out = True
            one.members = step.members
            step.spans[:0] = one.spans
            step.begin = one.begin
            step.samples = _together(step.samples, one.samples)
            if one.moved:
                step.losses = one.losses
            step.passage = step.passage or one.passage
        if held:
            self.number = held[0].number
            self.held = []
        self._slow = True

    def close(self) -> None:
        """No more events follow."""
        step = self.open
        if self.resets and self.first is None and step is not None and step.learned and not self.ended:
            step.end = self.end_mark() if self._learned is None else self._learned
            self.ended = True
        self.finish()
        held = self.held
        if len(held) > 1 and held[-1].members and held[-1].members[0] != self.first and DATA not in held[-1].spans[::3]:
            self._join(held[-2], held[-1:])
        self._release()


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
    """`at` converts a moment of the clock to nanoseconds."""
    spans = step.spans
    if at is int and not step.pauses and step.begin is not None and spans[::3] == _PLAIN and spans[8] is not None:  # as nearly always
        return Durations([spans[2] - spans[1], spans[5] - spans[4], spans[8] - spans[7], spans[11] - spans[10], spans[14] - spans[13]],
                         step.end - step.begin, step.end)
    phases = [-1] * 5
    end_ns = at(step.end)
    begin_ns = None if step.begin is None else at(step.begin)
    pauses = [(at(begin), at(end)) for begin, end in step.pauses] if step.pauses else []
    unmeasured = []
    parts = iter(spans)
    for phase, begin, end in zip(parts, parts, parts):
        if begin is None or end is None:
            unmeasured.append(phase)
            continue
        from_ns, to_ns = at(begin), min(at(end), end_ns)
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
