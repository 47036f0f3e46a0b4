"""One rank's session in one run: its steps, its passes and the records that report them. Created at the first event that belongs
to training; None in every other process. Functions that hooks call are cheap, and each hook catches the exceptions of this
module."""

import os
import sys
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Set, Tuple

from . import _clock, _connection, _library, _optimizers, _pending, _profile, _records, _stack
from ._passes import Pass, Passes
from ._speaker import Speaker
from ._steps import Step, Steps, durations
from ._thread import Training
from ._values import whole

_CLOSE_NS = 500_000_000
_TOKENS = "tokens per s, with padding"  # of this rank, in one step
_WARM_UP_NS = 2_000_000_000  # after this time no step is held back to see whether it was a warm-up
_MOST_WAITING = 4096  # items queued behind a step whose buckets are not all reduced


class Session:
    """`library` is as in _library.py. Steps and passes belong to the training thread."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self.joined = not _library.is_alone()  # otherwise joined at the hello: a script may start its ranks itself, which are known by then
        self.speaker = Speaker(library, _library.place()[0] if self.joined else 0, int(os.environ.get("RINGSIDE_ATTEMPT", "0")))
        self.off = self.speaker.off
        self.clock: Any = _clock.HostClock()
        self.placed = False  # the device of the losses is known
        self.steps = Steps(_clock.HostClock.mark, self._step_done)
        self.passes = Passes(self._opened, self._over, self._evaluating, self._evaluated)
        self.facts: Callable[[], Dict[str, Any]] = dict
        self.shards: Callable[[Pass], None] = lambda passage: None
        self.collectives: Any = None  # _collectives.Notes
        self.say_collectives: Callable[..., None] = lambda all_of_them=False: None
        self.told: Dict[str, int] = {}  # from a framework or the program: epochs, steps_per_epoch
        self.first_step: Optional[int] = None
        self.training = Training(lambda: self.speaker.notice(
            _records.WARNING, "instrument_threads", "several threads train at a time: only the steps of the first are seen"))
        self.evaluation_mode: Any = None  # (since when, weak reference to the trained model) while it is in evaluation mode
        self.told_evaluation = False  # the program marks its evaluations itself
        self._queue: Deque[Any] = deque()  # steps, and all else as (kind, item)
        self._publishing = threading.Lock()
        self._publish_at_ns = 0
        self._step_ns = 0
        self._begun_ns, self._reported = time.monotonic_ns(), -1
        self._uncertainty_ns = 0
        self._said_sampled = False
        self.said_losses: Set[str] = set()
        self.trainings = 1  # number of trainings of this process
        self.said_unseen = False
        self._unlearned: Optional[Pass] = None
        self._unfinished: Optional[Pass] = None  # a pass that is over, but whose last step continues
        self.reports_results = False  # a framework reports the results of each evaluation after it
        self.judged: List[Pass] = []  # evaluations whose results it has yet to report
        self.repeats: Callable[[Pass], int] = lambda passage: 0

    # Start

    def use_device(self, clock: Any) -> None:
        """Called with the first loss on a device, whose events are the times from now on. Repeats a hello without a device."""
        self.clock = clock
        self.steps.mark = clock.mark
        self.steps.end_mark = clock.end_mark
        if self.speaker.greeted:
            self.speaker.post(_records.HELLO, 0, self._hello())

    def resume(self, step: int) -> None:
        """Sets the number of steps that were trained before this process started."""
        if self.first_step is None or not self.speaker.greeted:
            self.first_step = self.steps.number = step
            self.passes.first_step_known = step > 0

    def greet(self) -> None:
        if self.speaker.greeted:
            return
        with _opening:
            if not self.joined and not self._join():
                self.speaker.mute()
                _leave(self)
                return
            self.joined = True
        self.speaker.hello(self._hello())
        _pending.begin(self)
        self.speaker.state(_records.TRAINING, self.steps.number - 1)

    def _join(self) -> bool:
        rank, world = _library.place()
        if not join(self._library, rank, world, self.placed):
            return False
        self.speaker.rank = rank
        return True

    def _hello(self) -> bytes:
        rank, world = _library.place()
        local_rank = rank if _library.is_alone() else _number("LOCAL_RANK", 0)  # for ranks of a script the agent knows only one node
        facts: Dict[str, Any] = {
            "pid": os.getpid(), "local_rank": local_rank, "world_size": world, "attempt": self.speaker.attempt, "device_index": -1,
            "device_uuid": "cpu", "device_name": "", "host": os.uname().nodename, "backend": "", "versions": "",
            "threads": _number("OMP_NUM_THREADS", 1), "wall_ns": time.time_ns(), "parameters": -1, "gradient_bytes": -1,
            "steps_per_epoch": 0, "epochs": 0, "first_step": self.first_step or 0, "cpus": _library.cpus(),
            "loader_workers": -1}
        try:
            facts.update(self.facts())
            workers = whole(getattr(getattr(self.passes.newest, "loader", None), "num_workers", None))
            facts["loader_workers"] = -1 if workers is None else workers
        except Exception:
            self.speaker.failed("the device, the versions and the loader's workers")
        facts.update(self.told)
        return _records.pack(_records.HELLO, **facts)

    def mode_says_evaluation(self) -> bool:
        """Whether the model is still in evaluation mode, since frameworks may leave that mode without an observable call."""
        if self.evaluation_mode is None:
            return False
        model = self.evaluation_mode[1]()
        if model is None or model.training:
            self.leave_evaluation_mode()
        return self.evaluation_mode is not None

    def leave_evaluation_mode(self) -> None:
        if self.evaluation_mode is not None:
            self.steps.pause(self.evaluation_mode[0], self.clock.end_mark())
            self.evaluation_mode = None

    # Passes

    def _opened(self, passage: Pass) -> None:
        self.say_judged()
        self._say_unfinished()
        self.shards(passage)
        self.speaker.state(_records.TRAINING, self.steps.number - 1)

    def _over(self, passage: Pass) -> None:
        self.steps.finish()
        step = self.steps.open
        if step is not None and step.learned and step.passage is passage:
            self._unfinished = passage
            return
        self._queue.append(("pass", passage))
        self.publish()

    def _say_unfinished(self) -> None:
        passage, self._unfinished = self._unfinished, None
        if passage is not None:
            self._queue.append(("pass", passage))

    def _evaluating(self, passage: Pass) -> None:
        self.steps.finish()
        self.publish()
        if self.passes.epoch >= 0 and not self.told_evaluation:
            self.speaker.state(_records.EVALUATING, self.steps.number - 1)

    def _evaluated(self, passage: Pass) -> None:
        self.steps.pause(passage.begin_ns, passage.end_ns)
        if self.told_evaluation:
            return
        passage.padded, passage.epoch, passage.last_step = self.repeats(passage), max(self.passes.epoch, 0), self.steps.number - 1
        if self.passes.epoch < 0:
            self._unlearned = passage  # a test, unless training follows
            return
        self.judged.append(passage)
        if not (self.reports_results and self.speaker.works("evaluation")):
            self.say_judged()
        self.speaker.state(_records.TRAINING, self.steps.number - 1)

    def say_judged(self) -> None:
        """Posts the evaluations whose results nobody reports."""
        judged, self.judged = self.judged, []
        for passage in judged:
            self._post_pass(passage, _records.VALIDATE)

    def evaluation(self, epoch: Optional[int], phase: int, seconds: float, loss_sum: Any, correct: Any, counted: int,
                   batches: int) -> None:
        """Queues an evaluation reported by the program or a framework; its sums may not have arrived from a device yet."""
        self.greet()
        epoch = max(self.passes.epoch, 0) if epoch is None else epoch
        self._queue.append(("evaluation", (epoch, phase, seconds, loss_sum, correct, counted, batches,
                                           self.steps.number - 1, time.monotonic_ns())))
        self.publish()

    def _say_evaluation(self, item: Tuple[Any, ...]) -> bool:
        epoch, phase, seconds, loss_sum, correct, counted, batches, last_step, at_ns = item
        there, loss_sum = _clock.read(loss_sum)
        has_correct, correct = _clock.read(correct)
        if there and has_correct:
            self.speaker.post(_records.EPOCH, at_ns, _records.pack(
                _records.EPOCH, epoch=epoch, phase=phase, loss_sum=loss_sum, correct=self._own_part(correct, counted),
                counted=counted, padded=0, steps=batches, seconds=seconds, last_step=last_step, padded_correct=0, idle_seconds=0.0))
        return there and has_correct

    def _own_part(self, correct: float, counted: int) -> int:
        """This rank's share of a mean over all ranks, such that the shares add up to its count. -1 (unknown) if it is not a
        fraction, such as a percentage, or no whole number of samples, for example because of unreported padding."""
        world = _library.place()[1]
        if not 0 <= correct <= counted:
            return -1
        total = correct * world
        return (round(total) + self.speaker.rank) // world if abs(total - round(total)) < 0.02 else -1

    def _post_pass(self, passage: Pass, phase: int) -> None:
        trained = phase == _records.TRAIN
        counted = passage.counted if trained else -1 if passage.early or passage.fetched < 0 else passage.fetched - passage.padded
        self.speaker.post(_records.EPOCH, passage.end_ns, _records.pack(
            _records.EPOCH, epoch=passage.epoch, phase=phase, loss_sum=passage.loss_sum if trained else float("nan"),
            correct=passage.correct if trained else -1, counted=counted, padded=passage.padded if trained else 0,
            steps=passage.steps if trained else -1 if passage.early else passage.batches,
            seconds=(passage.end_ns - passage.begin_ns) * 1e-9, last_step=passage.last_step, padded_correct=0, idle_seconds=0.0))

    # Steps

    def _step_done(self, step: Step) -> None:
        if step.passage is None:
            step.passage = self.passes.training
        self._queue.append(step)
        if self.judged:
            self.say_judged()
        if self._unfinished is not None:
            self._say_unfinished()
        patience_ns = self.clock.patience_ns
        steps = self.steps
        if not patience_ns and (not steps.group or steps.number % 2 == 0):  # otherwise the next step may become part of this one
            self.clock.begin_step(steps.number, self._step_ns)
        now_ns = time.monotonic_ns()
        if step.held and now_ns - self._begun_ns > _WARM_UP_NS:
            steps.hurry()
        passage = self.passes.training
        if passage is not None:
            passage.end_ns = now_ns
            if (passage.exhausted or passage.batches == passage.length) and self.passes.step_ended(now_ns):
                self.steps.interrupt()
        if now_ns >= self._publish_at_ns:
            self._publish_at_ns = now_ns + patience_ns
            self.publish()
        _profile.between(self)

    def scalar(self, name: str, step: int, value: Any, own_step: bool = False) -> None:
        """`own_step`: the program gave the number of the step. Callable from any thread."""
        if isinstance(value, _clock.Later):
            self._queue.append(("scalar", (name, step, value, own_step, time.monotonic_ns())))
        else:
            self.greet()
            self.speaker.post(_records.SCALAR, 0, _records.scalar(name, step, value, own_step))

    def publish(self, steps: bool = True) -> bool:
        """Posts everything that is known by now, or only the collectives; True if nothing is left."""
        if not self._publishing.acquire(blocking=False):
            return False
        try:
            self.say_collectives()
            queue = self._queue
            while queue and steps:
                item = queue[0]
                try:
                    if not (self._say_step(item) if type(item) is Step else getattr(self, "_say_" + item[0])(item[1])):
                        return False
                except Exception:  # retrying would fail in the same way
                    self.speaker.left_out("a step" if type(item) is Step else "one " + item[0])
                queue.popleft()
            return True
        finally:
            self._publishing.release()

    def _say_scalar(self, item: Tuple[str, int, Any, bool, int]) -> bool:
        name, step, value, own_step, at_ns = item
        there, number = _clock.read(value)
        if there:
            self.speaker.post(_records.SCALAR, at_ns, _records.scalar(name, step, number, own_step))
        return there

    def _say_pass(self, passage: Pass) -> bool:
        if passage.steps:
            self._post_pass(passage, _records.TRAIN)
        return True

    def _say_step(self, step: Step) -> bool:
        at = self.clock.at
        if step.held or step.left_out:
            return step.left_out
        if at(step.end) is None:
            return False
        lr, norm, scale = step.lr, step.norm, step.scale
        if type(lr) is not float or norm is not None or scale is not None:
            there, (lr, norm, scale) = _read_all((lr, norm, scale))
            if not there:
                return False
        there, loss, several = _optimizers.loss_of(step)
        if not there or (step.members and not _optimizers.say_curves(self, step)):
            return False
        if several:
            _optimizers.say_loss(self, several, step)
        for bucket in step.buckets:
            if bucket[3] is None:
                if len(self._queue) < _MOST_WAITING:
                    return False
                step.buckets = [bucket for bucket in step.buckets if bucket[3] is not None]
                break
        times = durations(step, at)
        self._step_ns = times.step_ns
        passage = step.passage
        epoch = self.passes.told if passage is None else passage.epoch
        phases = times.phases
        if phases[0] < 0 and passage is not None and not passage.elsewhere:
            phases[0] = 0  # there is a loader, and nothing waited for it
        post = self.speaker.post
        if not self.clock.patience_ns:
            self._say_clock()
        post(_records.STEP, times.end_ns, _records.pack_step(
            epoch, step.number, -1 if step.samples is None else step.samples, loss, step.correct,
            float("nan") if lr is None else lr, _records.UNKNOWN if norm is None else norm, 1.0 if scale is None else scale,
            step.skipped, phases[0], -1, phases[1], phases[2], phases[3], phases[4], times.step_ns,
            _records.UNKNOWN, -1))
        if step.tokens > 0 and times.step_ns > 0:
            post(_records.SCALAR, times.end_ns, _records.scalar(_TOKENS, step.number, step.tokens / times.step_ns * 1e9))
        for name, value in step.told:
            post(_records.SCALAR, times.end_ns, _records.scalar(name, step.number, value))
        for index, size, ready, reduced in step.buckets:
            if ready is not None:
                post(_records.BUCKET, 0, _records.pack_bucket(epoch, step.number, index, size, at(ready), at(reduced)))
        if passage is not None:
            _add(step, loss, passage)
        return True

    def _say_clock(self) -> None:
        uncertainty_ns = self.clock.uncertainty_ns()
        if uncertainty_ns != self._uncertainty_ns:
            self._uncertainty_ns = uncertainty_ns
            node = _number("RINGSIDE_NODE", 0)
            self.speaker.post(_records.CLOCK, 0, _records.pack(
                _records.CLOCK, peer=node, offset_ns=0, uncertainty_ns=uncertainty_ns))
        if self.clock.sampled and not self._said_sampled:
            self._said_sampled = True
            self.speaker.notice(_records.INFO, "instrument_sampled",
                                f"steps are shorter than {_clock.FINE_ABOVE_NS // 1_000_000} ms, so that the parts of only "
                                f"every {_clock.FINE_EVERY}th are measured")

    # The end

    def close(self) -> None:
        """Posts what is left; waits for the device and the agent at most half a second each."""
        now_ns = time.monotonic_ns()
        self.steps.close()
        self.passes.end_evaluation(now_ns)
        self.passes.close(now_ns)
        self.say_judged()
        self._say_unfinished()
        if self._unlearned is not None and self.passes.epoch < 0:
            self.greet()
            self._post_pass(self._unlearned, _records.TEST)
        while not self.publish() and time.monotonic_ns() - now_ns < _CLOSE_NS:
            time.sleep(0.002)
        self.say_collectives(True)
        if self._queue or self.steps.number:
            self.greet()
        _optimizers.close(self)
        if error := self.speaker.greeted and _library.why_inner_ends():
            self.speaker.state(_records.FAILED, self.steps.number - 1, error)
        self.speaker.close(_CLOSE_NS)


def _number(variable: str, otherwise: int) -> int:
    """A number from a variable, which the script may change; for a list, such as OMP_NUM_THREADS, its first number."""
    known = whole(os.environ.get(variable, "").split(",")[0])
    return otherwise if known is None else known


def _read_all(values: Tuple[Any, ...]) -> Tuple[bool, List[Any]]:
    """The numbers, some of which may be unknown; False if one has not arrived yet."""
    read = [(True, None) if value is None else _clock.read(value) for value in values]
    return all(there for there, _ in read), [number for _, number in read]


def _add(step: Step, loss: float, passage: Pass) -> None:
    """Sums over only part of a pass would be wrong: what is unknown for one step becomes unknown for the pass."""
    samples = -1 if step.samples is None else step.samples
    known = samples >= 0 and (step.loss is not None or (bool(step.losses) and None not in step.losses))
    passage.loss_sum += loss * samples if known else float("nan")
    passage.correct = -1 if step.correct < 0 or passage.correct < 0 else passage.correct + step.correct
    passage.counted = -1 if samples < 0 or passage.counted < 0 else passage.counted + samples
    passage.steps += 1
    passage.last_step = step.number


# One per process.

one: Optional[Session] = None
_tried = False
_opening = threading.Lock()
_listeners: list = []


def current() -> Optional[Session]:
    """The session of this process, or None where it has none. Opens it on the first call."""
    return one if _tried else _open()


def on_open(listener: Callable[[Session], None]) -> None:
    """Calls `listener` with the session, now or when it opens."""
    _listeners.append(listener)
    if one is not None:
        listener(one)


def _open() -> Optional[Session]:
    global one, _tried
    with _opening:
        if _tried:
            return one
        try:
            one = _connect()
        except Exception as error:
            one = None
            _untold(f"{type(error).__name__}: {error}")
        _tried = True
    if one is not None:
        import atexit

        atexit.register(_close)
        if _library.is_spawned():  # a forked process of this kind ends without atexit
            from multiprocessing import util

            util.Finalize(None, _close, exitpriority=0)
        os.register_at_fork(after_in_child=_forget)
        for listener in _listeners:
            try:
                listener(one)
            except Exception:
                one.speaker.failed("what was imported before")
    return one


def _connect() -> Optional[Session]:
    if not os.environ.get("RINGSIDE_RUN_DIR") or not ("RANK" in os.environ or _library.is_alone()):
        return None
    data = sys.modules.get("torch.utils.data")
    if data is not None and data.get_worker_info() is not None:
        return None  # a worker that loads data does not train
    rank, world = _library.place()
    if _library.nested(rank, world):
        _library.tell_nested(world)
        return None
    _library.allow_forks()
    library = _connection.load()
    if not _library.is_alone() and not join(library, rank, world):
        return None
    return Session(library)


def join(library: Any, rank: int, world: int, learns: bool = False) -> bool:
    """Whether this process is the one that reports this rank from now on."""
    if not library.open(rank, world):
        spoken = os.path.exists(_library.speaker_path(rank))
        if library.problem and not spoken:
            _untold(library.problem)
        if spoken and (world > 1 or learns) and _library.is_alone():
            _library.tell_nested(world)  # the script starts its ranks twice, or processes that are not ranks
        return False
    try:
        _stack.listen(rank, int(os.environ.get("RINGSIDE_ATTEMPT", "0")))
    except Exception:
        pass
    return True


def _leave(session: Session) -> None:
    """Another process already reports this rank."""
    global one
    if one is session:
        one = None


def _untold(why: str) -> None:
    try:
        print(f"ringside_rank: this rank reports nothing: {why}", file=sys.stderr)
    except Exception:
        pass


def _close() -> None:
    if one is not None:
        try:
            one.close()
        except Exception:
            one.speaker.close(_CLOSE_NS)


def _forget() -> None:
    """Runs in a forked child, which does not report for its parent; unless the parent has reported, it may be a rank."""
    global one, _tried, _opening
    _tried = _tried and (one is None or one.joined)
    one, _opening = None, threading.Lock()
