"""Passes over the data: which loader feeds the training, how many samples a step had, where an epoch begins and ends, and which
passes were evaluations. Pure; training thread only, except that another thread may fetch a batch.

Batches wait in a queue between the loader and the backward pass that uses them, since some frameworks fetch one ahead. A pass is
over when its loader is exhausted and its last batch was used."""

from collections import deque
from typing import Any, Callable, Deque, List, Optional, Tuple

# If more batches than this wait between loader and backward, the program skips the oldest.
_AHEAD = 8
# A pass of at most this many batches may be fetched completely before the first backward.
_ALL_AHEAD = 2


class Pass:
    """One iteration over one loader, and its sums."""

    __slots__ = ("loader", "begin_ns", "epoch", "evaluating", "trains", "waiting", "ahead", "batches", "fetched",
                 "exhausted", "closed", "length", "waits", "loss_sum", "correct", "counted", "steps", "last_step", "padded", "end_ns",
                 "left", "again", "elsewhere", "follows", "beside",
                 "early", "ends_it", "order", "behind", "__weakref__")

    def __init__(self, loader: Any, begin_ns: int) -> None:
        self.loader = loader
        self.begin_ns = begin_ns
        self.end_ns = begin_ns
        self.epoch = 0
        self.evaluating: Optional[bool] = None  # unknown before its first batch
        self.trains = False
        self.waiting: Deque[Tuple[int, int]] = deque()  # (samples, tokens) of each unused batch
        self.ahead = 0  # number of batches that the loop fetches in advance; 0: not known yet
        self.batches = 0
        self.fetched = 0  # samples; negative: unknown
        self.exhausted = False
        self.closed = False
        self.waits: List[Tuple[Any, Any]] = []  # times of fetches that may turn out to be for training
        self.length: Optional[int] = None  # number of batches, if the loader has a length
        self.loss_sum = 0.0
        self.correct = 0
        self.counted = 0
        self.steps = 0
        self.last_step = -1
        self.padded = 0
        self.left: Callable[[], bool] = lambda: False  # whether nothing can fetch from it any more
        self.again = False  # in a closure that its optimizer calls again: only its waits count
        self.elsewhere = False  # a thread other than the training thread fetches, so the data wait is unknown
        self.follows = False  # continues the iterator of the previous pass
        self.early = False  # ended before its loader was exhausted: it is unknown whether its last batch was used
        self.ends_it = False  # a loader with its own `__iter__` ends the pass after `length` batches, while its iterator continues
        self.beside = -1  # number of batches at the last backward, if another loader fed it
        self.order = 0  # sequence number among all passes
        self.behind = 0  # number of passes that had begun at its newest batch


class Passes:
    """`opened` and `over` are called for training passes, `evaluating` and `evaluated` for evaluations."""

    def __init__(self, opened: Callable[[Pass], None], over: Callable[[Pass], None], evaluating: Callable[[Pass], None],
                 evaluated: Callable[[Pass], None]) -> None:
        self.training: Optional[Pass] = None
        self.epoch = -1  # of the newest training pass
        self.first_step_known = False
        self._base: Optional[int] = None
        self._fed: List[Pass] = []
        self.newest: Optional[Pass] = None  # the pass of the last fetched batch
        self.judging: Optional[Pass] = None
        self.tokens = -1  # tokens of the last used batch; -1: unknown
        self._opened, self._over, self._evaluating, self._evaluated = opened, over, evaluating, evaluated
        self.two: Optional[Callable[[Pass, Pass], None]] = None  # called once if two loaders feed each step
        self.told = -1  # the epoch reported by the program
        self._begun = 0

    def begin(self, loader: Any, now_ns: int) -> Pass:
        passage = Pass(loader, now_ns)
        self._begun += 1
        passage.order = self._begun
        self.end_evaluation(now_ns, loader)
        return passage

    def go_on(self, passage: Pass, now_ns: int) -> Pass:
        """Continues with a new pass on the same iterator, which yields more batches than a pass has, such as that of a loader
        shared by all epochs."""
        passage.left = lambda: False
        following = self.begin(passage.loader, now_ns)
        following.length, following.again, following.elsewhere = passage.length, passage.again, passage.elsewhere
        following.ends_it = passage.ends_it
        following.follows = True
        return following

    def leaves(self, loader: Any) -> bool:
        """The loader is iterated again: whether its previous pass was abandoned, or its unused batches were only inspected. If
        the previous pass continues in parallel, it is the one that counts."""
        looked_at = [one for one in self._fed if one.loader is loader and one.left()]
        self._fed = [one for one in self._fed if one not in looked_at]
        if self.training is not None and self.training.loader is loader:
            return self.training.left()
        return bool(looked_at)

    def fetched(self, passage: Pass, samples: int, evaluating: bool, tokens: int = -1) -> None:
        self.newest = passage
        passage.behind = self._begun
        if passage.evaluating is None:
            passage.evaluating = evaluating
            if evaluating:
                self.judging = passage
                self._evaluating(passage)
        passage.batches += 1
        passage.fetched = -1 if samples < 0 or passage.fetched < 0 else passage.fetched + samples
        waiting = passage.waiting
        waiting.append((samples, tokens))
        while len(waiting) > (passage.ahead or _AHEAD):
            waiting.popleft()
        if not passage.trains and not passage.evaluating and passage not in self._fed:
            self._fed.append(passage)

    def turns_out(self, passage: Pass) -> None:
        """The pass is an evaluation: its first batch was fetched before the model was switched to evaluation mode."""
        passage.evaluating = True
        passage.waiting.clear()
        self._fed = [one for one in self._fed if one is not passage]
        self.judging = passage
        self._evaluating(passage)

    def exhausted(self, passage: Pass, now_ns: int) -> bool:
        """Returns True if the time until the next step belongs to no step."""
        if passage.exhausted:
            return False
        passage.exhausted = True
        if not passage.closed:
            passage.end_ns = now_ns
        # All batches of a short pass may be fetched before the first is used.
        if passage in self._fed and (passage.evaluating or passage.batches > _ALL_AHEAD):
            self._fed.remove(passage)
        if passage.evaluating:
            self.judging = None
            self._evaluated(passage)
            return False
        if passage.trains and passage.closed:
            return True
        if passage is self.training and not passage.waiting:
            self._close(passage, now_ns)
            return True
        return False

    def end_evaluation(self, now_ns: int, loader: Any = None, used: bool = False) -> None:
        """Ends the evaluation because training continues or another evaluation begins, since some loops do not exhaust the
        loader. `used`: all fetched batches were used, as when a framework reports the end of its evaluation."""
        passage = self.judging
        if passage is not None and (loader is None or passage.loader is loader):
            passage.early = not used and not (passage.ends_it and passage.batches == passage.length)
            self.exhausted(passage, now_ns)

    def relabel(self) -> List[Tuple[Any, Any]]:
        """A backward follows the newest batch: a pass that looked like an evaluation, since the model was in that mode, is
        training. Returns the fetch times; empty if nothing changed."""
        passage = self.newest
        trains = self.training is not None and self.training.waiting
        if passage is None or not passage.evaluating or passage.exhausted or trains:
            return []
        self.judging = None
        passage.evaluating = False
        self._fed.append(passage)
        return passage.waits

    def learn(self, told_epoch: Callable[[Any], Optional[int]], now_ns: int) -> Optional[int]:
        """A backward begins: returns the number of samples of its batch; None: no new batch, or none was observed. The loader
        that fed the first backward is the one that counts."""
        old = self.training
        if self._fed and (old is None or old.exhausted or not old.waiting or old.left()):
            self._adopt(told_epoch, now_ns)
        passage = self.training
        if passage is None or not passage.waiting:
            return None
        if passage.ahead == 0:
            passage.ahead = len(passage.waiting)
        if self._fed and self.two is not None:
            self._look_beside(passage)
        samples, self.tokens = passage.waiting.popleft()
        return samples

    def _look_beside(self, passage: Pass) -> None:
        """Reports two loaders if both yielded a batch since the last step, twice in a row."""
        for one in self._fed:
            if one.loader is passage.loader or one.evaluating or one.batches == one.beside:
                continue
            if one.beside >= 0 and self.two is not None:
                self.two(passage, one)
                self.two = None
            one.beside = one.batches

    def step_ended(self, now_ns: int) -> bool:
        """Returns True if that was the last step of its pass."""
        passage = self.training
        if passage is None:
            return False
        passage.end_ns = now_ns
        if passage.waiting or not (passage.exhausted or passage.batches == passage.length):
            return False
        self._close(passage, now_ns)
        return True

    def close(self, now_ns: int) -> None:
        if self.training is not None:
            self._close(self.training, now_ns)

    def _adopt(self, told_epoch: Callable[[Any], Optional[int]], now_ns: int) -> None:
        old = self.training
        going = [one for one in self._fed if not one.left()]
        if not going and old is not None and not old.exhausted and not old.left():
            return  # batches that were only inspected
        candidate = (going or self._fed)[-1]
        if old is not None and not old.exhausted and candidate.loader is not old.loader:
            return  # a loader in addition to the one that feeds training
        if old is not None:
            self._close(old, now_ns)
        self._fed.clear()
        candidate.trains = True
        candidate.epoch = self._number(told_epoch(candidate.loader))
        self.training = candidate
        self._opened(candidate)

    def _number(self, told: Optional[int]) -> int:
        """Epoch number from 0. A set_epoch value takes precedence, minus one if the first was 1 and nothing was resumed;
        a first one above 1 belongs to a run that was resumed, and most count from 0."""
        if told is not None and self._base is None:
            self._base = 1 if told == 1 and not self.first_step_known else 0
        if told is not None and told - (self._base or 0) > self.epoch:
            self.epoch = told - (self._base or 0)
        else:
            self.epoch += 1
        return self.epoch

    def _close(self, passage: Pass, now_ns: int) -> None:
        if passage.closed:
            return
        passage.closed = True
        if passage.exhausted:
            passage.end_ns = max(passage.end_ns, now_ns)
        if self.training is passage:
            self.training = None
            # Batches fetched from other loaders in parallel start no pass of their own, unless that began after the last batch.
            self._fed = [one for one in self._fed if one.loader is passage.loader or one.order > passage.behind]
        self._over(passage)
