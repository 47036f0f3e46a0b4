"""Passes over the data: which loader feeds the training, how many samples a step had, where an epoch begins and ends, what
was an evaluation. Pure; training thread only, but that a batch may be fetched in another.

Batches wait in a queue between the loader and the backward that learns from them, since some frameworks fetch one ahead:
a pass is over when its loader is exhausted and its last batch is learned from."""

from collections import deque
from typing import Any, Callable, Deque, List, Optional

# More batches than this between loader and backward are skipped ones.
_AHEAD = 8


class Pass:
    """One iteration of one loader, and the sums over it."""

    __slots__ = ("loader", "begin_ns", "epoch", "evaluating", "trains", "waiting", "ahead", "batches", "fetched",
                 "exhausted", "closed", "loss_sum", "correct", "counted", "steps", "last_step", "padded", "end_ns")

    def __init__(self, loader: Any, begin_ns: int) -> None:
        self.loader = loader
        self.begin_ns = begin_ns
        self.end_ns = begin_ns
        self.epoch = 0
        self.evaluating: Optional[bool] = None  # not known before its first batch
        self.trains = False
        self.waiting: Deque[int] = deque()
        self.ahead = 0  # batches that the loop fetches before it needs them; 0: not known yet
        self.batches = 0
        self.fetched = 0  # samples; below 0: not known
        self.exhausted = False
        self.closed = False
        self.loss_sum = 0.0
        self.correct = 0
        self.counted = 0
        self.steps = 0
        self.last_step = -1
        self.padded = 0


class Passes:
    """`opened` and `over` are told of training passes, `evaluated` of evaluations."""

    def __init__(self, opened: Callable[[Pass], None], over: Callable[[Pass], None],
                 evaluating: Callable[[Pass], None], evaluated: Callable[[Pass], None]) -> None:
        self.training: Optional[Pass] = None
        self.epoch = -1  # of the newest training pass
        self.first_step_known = False
        self._base: Optional[int] = None
        self._fed: List[Pass] = []
        self._opened, self._over, self._evaluating, self._evaluated = opened, over, evaluating, evaluated

    def begin(self, loader: Any, now_ns: int) -> Pass:
        passage = Pass(loader, now_ns)
        old = self.training
        if old is not None and old.loader is loader:
            self._close(old, now_ns)
        return passage

    def fetched(self, passage: Pass, samples: int, evaluating: bool) -> None:
        if passage.evaluating is None:
            passage.evaluating = evaluating
            if evaluating:
                self._evaluating(passage)
        passage.batches += 1
        passage.fetched = -1 if samples < 0 or passage.fetched < 0 else passage.fetched + samples
        if passage.evaluating:
            return
        passage.waiting.append(samples)
        while len(passage.waiting) > (passage.ahead or _AHEAD):
            passage.waiting.popleft()
        if not passage.trains and passage not in self._fed:
            self._fed.append(passage)

    def exhausted(self, passage: Pass, now_ns: int) -> bool:
        """True when what passes until the next step belongs to no step."""
        passage.exhausted = True
        passage.end_ns = now_ns
        if passage in self._fed:
            self._fed.remove(passage)
        if passage.evaluating:
            self._evaluated(passage)
            return False
        if passage is self.training and not passage.waiting:
            self._close(passage, now_ns)
            return True
        return False

    def learn(self, told_epoch: Callable[[Any], Optional[int]], now_ns: int) -> Optional[int]:
        """A backward begins: the samples of the batch it learns from; None: no new batch, or none is seen. The loader
        that fed the first backward is the one that counts."""
        if self._fed and (self.training is None or self.training.exhausted or not self.training.waiting):
            self._adopt(told_epoch, now_ns)
        passage = self.training
        if passage is None or not passage.waiting:
            return None
        if passage.ahead == 0:
            passage.ahead = len(passage.waiting)
        return passage.waiting.popleft()

    def step_ended(self, now_ns: int) -> bool:
        """True when that was the last of its pass."""
        passage = self.training
        if passage is None or not passage.exhausted or passage.waiting:
            return False
        self._close(passage, now_ns)
        return True

    def close(self, now_ns: int) -> None:
        if self.training is not None:
            self._close(self.training, now_ns)

    def _adopt(self, told_epoch: Callable[[Any], Optional[int]], now_ns: int) -> None:
        candidate = self._fed[-1]
        old = self.training
        if old is not None and not old.exhausted and candidate.loader is not old.loader:
            return  # another loader beside the one that trains
        if old is not None:
            self._close(old, now_ns)
        self._fed.clear()
        candidate.trains = True
        candidate.epoch = self._number(told_epoch(candidate.loader))
        self.training = candidate
        self._opened(candidate)

    def _number(self, told: Optional[int]) -> int:
        """From 0; what set_epoch said counts, less one where the first was 1 and nothing was resumed."""
        if told is not None and self._base is None:
            self._base = 0 if self.first_step_known else min(told, 1)
        if told is not None and told - (self._base or 0) > self.epoch:
            self.epoch = told - (self._base or 0)
        else:
            self.epoch += 1
        return self.epoch

    def _close(self, passage: Pass, now_ns: int) -> None:
        if passage.closed:
            return
        passage.closed = True
        passage.end_ns = max(passage.end_ns, now_ns)
        if self.training is passage:
            self.training = None
        self._over(passage)
