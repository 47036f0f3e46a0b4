"""What is put into torch.utils.data: how long the loop waits for each batch, how many samples it has, which of them
DistributedSampler gave this rank, and where a pass begins and ends."""

import functools
import threading
import time
import weakref
from threading import get_ident
from typing import Any, Optional

from . import _library, _records, _session
from ._passes import Pass

_drawn: Any = weakref.WeakKeyDictionary()  # sampler -> (indices, seed, epoch)
_torch: Any = None
_PASS = "_ringside_pass"  # an iterator's attribute
_UNSURE = 64  # batches of a pass after which it is no longer asked whether it may be training
_SAMPLED = 200  # parts of a batch that are looked at for its size


def install(torch: Any) -> None:
    global _torch
    _torch = torch
    from torch.utils.data import dataloader
    from torch.utils.data.distributed import DistributedSampler

    from ._torch import replace

    replace(dataloader.DataLoader, "__iter__", _made_iter)
    replace(dataloader._BaseDataLoaderIter, "__next__", _made_next)
    replace(DistributedSampler, "__iter__", _made_draw)
    _session.on_open(lambda session: setattr(session, "shards", lambda passage: report_shard(session, passage)))


def _made_iter(original: Any) -> Any:
    def __iter__(self: Any) -> Any:
        begun_ns = time.monotonic_ns()
        iterator = original(self)
        session = _session.current()
        if session is not None and session.speaker.works("data"):
            try:
                # Workers that persist have one iterator for all passes: what it was in is left.
                attributes = getattr(iterator, "__dict__", {})
                attributes.pop(_PASS, None)
                if session.passes.leaves(self):
                    session.steps.interrupt()
                passage = session.passes.begin(self, begun_ns)
                attributes[_PASS] = passage
                passage.length = _batches(self)
                passage.left = functools.partial(_left, weakref.ref(iterator), passage)
                passage.again = session.steps.again
            except Exception:
                session.speaker.failed("data")
        return iterator

    return __iter__


def _left(iterator: Any, passage: Pass) -> bool:
    """Nobody has it any more, or it has begun anew."""
    one = iterator()
    return one is None or getattr(one, _PASS, None) is not passage


def _made_next(original: Any) -> Any:
    def __next__(self: Any) -> Any:
        session = _session.one or _session.current()
        passage = getattr(self, _PASS, None)
        if session is None or passage is None or "data" in session.off:
            return original(self)
        timed, begun = True, None
        try:
            if passage.trains and session.training.ident == get_ident() and session.passes.judging is None:
                session.steps.fetch_begin()
            else:
                timed = _fetch_begins(session, passage)
                begun = _mark_unsure(session, passage) if passage.evaluating is not False and not timed else None
        except Exception:
            timed = False
            session.speaker.failed("data")
        try:
            batch = original(self)
        except StopIteration:
            _exhausted(session, passage, timed)
            raise
        try:
            if timed:
                session.steps.fetch_end()
            elif begun is not None:
                passage.waits.append((begun, _mark_unsure(session, passage)))
            if not passage.again:
                session.passes.fetched(passage, batch_size(batch, passage.loader), not timed and _evaluating(session))
        except Exception:
            session.speaker.failed("data")
        return batch

    return __next__


def _mark_unsure(session: Any, passage: Pass) -> Any:
    """A moment of a fetch that may turn out to be one of training; None: no more of them."""
    return session.clock.end_mark() if len(passage.waits) < _UNSURE else None


def _fetch_begins(session: Any, passage: Pass) -> bool:
    """True where the wait is one of the training loop."""
    if passage.evaluating or (passage.evaluating is None and _evaluating(session)):
        return False
    first_elsewhere = not session.training.known and threading.current_thread() is not threading.main_thread()
    if first_elsewhere or not session.training.here():
        passage.elsewhere = True
        return False
    session.passes.end_evaluation(time.monotonic_ns())
    session.steps.fetch_begin()
    return True


def _exhausted(session: Any, passage: Pass, timed: bool) -> None:
    try:
        if timed:
            session.steps.fetch_end()
        if not passage.again and session.passes.exhausted(passage, time.monotonic_ns()):
            session.steps.interrupt()
    except Exception:
        session.speaker.failed("data")


def _evaluating(session: Any) -> bool:
    return session.told_evaluation or not _torch.is_grad_enabled() or session.mode_says_evaluation()


def _batches(loader: Any) -> Optional[int]:
    try:
        return len(loader)
    except Exception:
        return None


def batch_size(batch: Any, loader: Any) -> int:
    """Length of the first tensor or array in it; what the loader says where there is none, or where that is longer: then its
    first dimension counts something else, as time. -1: not known."""
    first = batch[0] if type(batch) is list and batch else batch
    plain = type(first) is _torch.Tensor and first.dim() > 0  # as nearly always
    size = first.size(0) if plain else _length(batch, 0)
    told = getattr(loader, "batch_size", None)
    if not isinstance(told, int):
        return size
    return size if 0 <= size <= told else told


def _length(part: Any, depth: int) -> int:
    shape = getattr(part, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else -1
    if depth >= 4:
        return -1
    if isinstance(part, dict) or hasattr(part, "keys"):
        parts = [part[key] for key in list(part.keys())[:_SAMPLED]]
    elif isinstance(part, (list, tuple)):
        parts = list(part[:_SAMPLED])
    else:
        parts = list(vars(part).values())[:_SAMPLED] if hasattr(part, "__dict__") else []
    for one in parts:
        size = _length(one, depth + 1)
        if size >= 0:
            return size
    return -1


# Samplers

def _made_draw(original: Any) -> Any:
    def __iter__(self: Any) -> Any:
        iterator = original(self)
        session = _session.current()
        if session is None or not session.speaker.works("samplers"):
            return iterator
        indices = list(iterator)
        try:
            _drawn[self] = (indices, int(getattr(self, "seed", 0)) + (int(self.epoch) if self.shuffle else 0), int(self.epoch))
        except Exception:
            session.speaker.failed("samplers")
        return iter(indices)

    return __iter__


def sampler_of(loader: Any) -> Optional[Any]:
    """The DistributedSampler behind it, also in a batch sampler or in another sampler."""
    from torch.utils.data.distributed import DistributedSampler

    seen = [getattr(loader, "sampler", None), getattr(loader, "batch_sampler", None)]
    for _ in range(4):
        for one in seen:
            if isinstance(one, DistributedSampler):
                return one
        seen = [getattr(one, name, None) for one in seen if one is not None for name in ("sampler", "batch_sampler")]
    return None


def told_epoch(loader: Any) -> Optional[int]:
    sampler = sampler_of(loader)
    return None if sampler is None else int(sampler.epoch)


def dealer(loader: Any) -> str:
    """What deals its samples out: the batch sampler, or the sampler within one that only makes batches."""
    batches = getattr(loader, "batch_sampler", None)
    plain = batches is None or type(batches).__name__ == "BatchSampler"
    name = type(getattr(batches, "sampler", getattr(loader, "sampler", None)) if plain else batches).__name__
    return "an iterable data set" if name == "_InfiniteConstantSampler" else name


def _say_unseen(session: Any, loader: Any) -> None:
    """Once, and of several ranks by the first: they draw alike."""
    if _library.place()[1] < 2 or session.speaker.rank != 0 or session.said_unseen:
        return
    session.said_unseen = True
    own = "" if sampler_of(loader) is None else "'s own order"
    session.speaker.notice(_records.INFO, "samples_unseen",
                           f"samples are dealt out by {dealer(loader)}{own}, and only those of a DistributedSampler are seen: which "
                           "rank drew which is not known")


def report_shard(session: Any, passage: Pass) -> None:
    """When it is certain that the pass is one of training: a run has one data set that is told."""
    if not session.speaker.works("samplers"):
        return
    try:
        sampler = sampler_of(passage.loader)
        drawn = _drawn.get(sampler) if sampler is not None else None
        if drawn is None:
            _say_unseen(session, passage.loader)
            return
        indices, seed, _ = drawn
        size, ranks = len(sampler.dataset), sampler.num_replicas
        own = max(0, -(-(size - sampler.rank) // ranks))
        passage.padded = 0 if sampler.drop_last else max(0, len(indices) - own)
        for body in _records.shard_bodies(passage.epoch, seed, size, passage.padded, indices):
            session.speaker.post(_records.SHARD, 0, body)
    except Exception:
        session.speaker.failed("samplers")
