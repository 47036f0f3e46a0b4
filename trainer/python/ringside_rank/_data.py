"""Instruments torch.utils.data: how long the loop waits for each batch, how many samples the batch sampler drew for it, which
samples DistributedSampler gave this rank, and where a pass begins and ends."""

import functools
import threading
import time
import weakref
from collections import UserDict, deque
from threading import get_ident
from typing import Any, Optional

from . import _library, _records, _session
from ._passes import Pass

_drawn: Any = weakref.WeakKeyDictionary()  # sampler -> (indices, seed, number of iterations)
_told: Any = weakref.WeakKeyDictionary()  # sampler -> the iteration that was reported
_longer: Any = weakref.WeakSet()  # loaders that yield more batches than their length
_torch: Any = None
_default_collate: Any = None
_plain_iter: Any = None  # the default `__iter__`
_PASS, _DEALT = "_ringside_pass", "_ringside_dealt"  # attributes of an iterator
_UNSURE = 64  # batches of a pass after which it is no longer checked whether the pass is training
_SAMPLED = 200  # elements of a batch that are examined for its size


def install(torch: Any) -> None:
    global _torch, _default_collate, _plain_iter
    _torch = torch
    from torch.utils.data import dataloader
    from torch.utils.data.distributed import DistributedSampler

    from ._replace import replace

    _default_collate = dataloader.default_collate
    replace(dataloader.DataLoader, "__iter__", _made_iter)
    _plain_iter = dataloader.DataLoader.__iter__
    replace(dataloader.DataLoader, "_get_iterator", _made_get)
    replace(dataloader._BaseDataLoaderIter, "_next_index", _made_index)
    replace(dataloader._BaseDataLoaderIter, "__next__", _made_next)
    replace(DistributedSampler, "__iter__", _made_draw)
    _session.on_open(_listen)


def _listen(session: Any) -> None:
    session.shards = lambda passage: report_shard(session, passage)
    session.repeats = _repeats
    session.passes.two = lambda one, other: _say_two(session, one, other)


def _made_iter(original: Any) -> Any:
    def __iter__(self: Any) -> Any:
        begun_ns = time.monotonic_ns()
        iterator = original(self)
        passage = getattr(iterator, _PASS, None)
        if passage is None or passage.begin_ns < begun_ns:
            _begin(self, iterator, begun_ns)  # persistent workers share one iterator for all passes
        return iterator

    return __iter__


def _made_get(original: Any) -> Any:
    """Called by loaders with an `__iter__` of their own, too."""
    def _get_iterator(self: Any) -> Any:
        begun_ns = time.monotonic_ns()
        iterator = original(self)
        _begin(self, iterator, begun_ns)
        return iterator

    return _get_iterator


def _begin(loader: Any, iterator: Any, begun_ns: int) -> None:
    session = _session.current()
    if session is None or not session.speaker.works("data"):
        return
    try:
        attributes = getattr(iterator, "__dict__", {})
        attributes.pop(_PASS, None)  # it leaves its previous pass
        if session.passes.leaves(loader):
            session.steps.interrupt()
        passage = session.passes.begin(loader, begun_ns)
        passage.length = _batches(loader)
        passage.ends_it = type(loader).__iter__ is not _plain_iter
        _belong(iterator, passage)
        passage.again = session.steps.again
    except Exception:
        session.speaker.failed("data")


def _belong(iterator: Any, passage: Pass) -> None:
    # Weak references, so that no cycle keeps the loader alive.
    passage.left = functools.partial(_left, weakref.ref(iterator), weakref.ref(passage))
    getattr(iterator, "__dict__", {})[_PASS] = passage


def _go_on(session: Any, iterator: Any, passage: Pass, now_ns: int) -> Pass:
    following = session.passes.go_on(passage, now_ns)
    _belong(iterator, following)
    return following


def _left(iterator: Any, passage: Pass) -> bool:
    """Whether the iterator of this pass was dropped or has started another pass."""
    one = iterator()
    return one is None or getattr(one, _PASS, None) is not passage()


def _made_next(original: Any) -> Any:
    def __next__(self: Any) -> Any:
        session = _session.one or _session.current()
        passage = getattr(self, _PASS, None)
        if session is None or passage is None or "data" in session.off:
            return original(self)
        timed, begun = True, None
        more_ns = time.monotonic_ns() if passage.batches == passage.length else 0
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
        except Exception:
            _dealt(self)  # drops the size of the failed batch
            raise
        try:
            if more_ns:
                passage = _go_on(session, self, passage, more_ns)
            if timed:
                session.steps.fetch_end()
            elif begun is not None:
                passage.waits.append((begun, _mark_unsure(session, passage)))
            if not passage.again:
                session.passes.fetched(passage, samples_of(self, batch, passage.loader), not timed and _evaluating(session),
                                       tokens_of(batch))
        except Exception:
            session.speaker.failed("data")
        return batch

    return __next__


def _mark_unsure(session: Any, passage: Pass) -> Any:
    """The time of a fetch that may turn out to belong to training; None once enough are stored."""
    return session.clock.end_mark() if len(passage.waits) < _UNSURE else None


def _fetch_begins(session: Any, passage: Pass) -> bool:
    """Returns True if the training loop waits for this batch."""
    if passage.batches and passage.evaluating is False and not passage.trains and _evaluating(session):
        session.passes.turns_out(passage)
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
        if passage.follows and passage.batches < (passage.length or 0):
            _longer.add(passage.loader)  # the batches that followed were not another pass
            session.passes.epoch -= passage.trains
        if not passage.again and session.passes.exhausted(passage, time.monotonic_ns()):
            session.steps.interrupt()
    except Exception:
        session.speaker.failed("data")


def _evaluating(session: Any) -> bool:
    return session.told_evaluation or not _torch.is_grad_enabled() or session.mode_says_evaluation()


def _batches(loader: Any) -> Optional[int]:
    """Number of batches of a pass, if certain: an iterable data set may end anywhere."""
    try:
        return len(loader) if loader._dataset_kind == 0 and loader not in _longer else None
    except Exception:
        return None


# Samples of a batch

def _made_index(original: Any) -> Any:
    def _next_index(self: Any) -> Any:
        index = original(self)
        try:
            if self._dataset_kind == 0:
                found = self.__dict__.get(_DEALT)
                if found is None or found[0] is not self._sampler_iter:
                    found = self.__dict__[_DEALT] = (self._sampler_iter, deque())
                found[1].append(len(index) if self._auto_collation or hasattr(index, "__len__") else -1)
        except Exception:
            self.__dict__.pop(_DEALT, None)
        return index

    return _next_index


def _dealt(iterator: Any) -> int:
    """The number of indices that the sampler drew for the batch that arrived; workers are some batches ahead."""
    sizes = iterator.__dict__.get(_DEALT, (None, ()))[1]
    if not sizes:
        return -1
    if len(sizes) > 1 and not getattr(iterator, "_in_order", True) and any(size != sizes[0] for size in sizes):
        sizes.extend([-1] * len(sizes))  # it is unknown which batch arrived, and will be for all of these
        for _ in range(len(sizes) // 2):
            sizes.popleft()
    return int(sizes.popleft())


def samples_of(iterator: Any, batch: Any, loader: Any) -> int:
    """Number of samples by the batch sampler; for an iterable data set, what is certain about its batches. -1: unknown."""
    if iterator._dataset_kind == 0:
        return _dealt(iterator)
    told = loader.batch_size
    if not iterator._auto_collation or told is None:
        return -1
    if iterator._drop_last:
        return int(told)
    if iterator._collate_fn is _default_collate:
        return _length(batch, 0)  # default_collate only stacks samples along the first dimension
    fetcher = getattr(iterator, "_dataset_fetcher", None)
    return int(told) if fetcher is not None and not fetcher.ended else -1


def tokens_of(batch: Any) -> int:
    """Number of tokens, padding included; -1: not text."""
    if type(batch) is list or type(batch) is tuple:  # the usual case
        return -1
    try:
        if not isinstance(batch, (dict, UserDict)) or "input_ids" not in batch:  # iterating or indexing other types may have side effects
            return -1
        tokens = batch["input_ids"]
        return int(tokens.numel()) if not tokens.is_floating_point() and tokens.dim() else -1
    except Exception:
        return -1


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
            asked = _drawn[self][2] + 1 if self in _drawn else 1
            _drawn[self] = (indices, int(getattr(self, "seed", 0)) + (int(self.epoch) if self.shuffle else 0), asked)
        except Exception:
            session.speaker.failed("samplers")
        return iter(indices)

    return __iter__


def sampler_of(loader: Any) -> Optional[Any]:
    """The DistributedSampler of a loader, which may be within a batch sampler or another sampler."""
    from torch.utils.data.distributed import DistributedSampler

    seen = [getattr(loader, "sampler", None), getattr(loader, "batch_sampler", None)]
    for _ in range(4):
        for one in seen:
            if isinstance(one, DistributedSampler):
                return one
        seen = [getattr(one, name, None) for one in seen if one is not None for name in ("sampler", "batch_sampler")]
    return None


def _repeats(passage: Any) -> int:
    """How many samples of an evaluation its sampler or Accelerate's repeated, so that all ranks have as many."""
    sampler, shard = sampler_of(passage.loader), getattr(passage.loader, "batch_sampler", None)
    try:
        if sampler is not None and sampler in _drawn:
            own = -(-(len(sampler.dataset) - sampler.rank) // sampler.num_replicas)
        elif type(shard).__name__ == "BatchSamplerShard" and not shard.drop_last:
            size, batch, ranks, rank = len(shard.batch_sampler.sampler), shard.batch_size, shard.num_processes, shard.process_index
            if shard.split_batches:
                part = batch // ranks
                own = size // batch * part + min(max(size % batch - rank * part, 0), part)
            else:
                own = sum(min(batch, size - i * batch) for i in range(rank, -(-size // batch), ranks))
        else:
            return 0
        return max(0, passage.fetched - own)
    except Exception:
        return 0


def told_epoch(loader: Any) -> Optional[int]:
    sampler = sampler_of(loader)
    return None if sampler is None else int(sampler.epoch)


def dealer(loader: Any) -> str:
    """The object that draws the samples: the batch sampler, or the sampler within one that only forms batches."""
    batches = getattr(loader, "batch_sampler", None)
    plain = batches is None or type(batches).__name__ == "BatchSampler"
    name = type(getattr(batches, "sampler", getattr(loader, "sampler", None)) if plain else batches).__name__
    return "an iterable data set" if name == "_InfiniteConstantSampler" else name


def _named(loader: Any) -> str:
    size = getattr(loader, "batch_size", None)
    return f"the DataLoader of {type(loader.dataset).__name__}" + ("" if size is None else f" (batches of {size})")


def _say_two(session: Any, one: Pass, other: Pass) -> None:
    if session.speaker.rank == 0:
        session.speaker.notice(_records.INFO, "two_loaders",
                               f"two loaders feed each step: samples and epochs are those of {_named(one.loader)}, not those of "
                               f"{_named(other.loader)}; rs.log(samples=N) reports another number")


def _say_unseen(session: Any, loader: Any) -> None:
    """Reported once, by the first of several ranks, since all draw in the same way."""
    if _library.place()[1] < 2 or session.speaker.rank != 0 or session.said_unseen:
        return
    session.said_unseen = True
    own = "" if sampler_of(loader) is None else "'s own order"
    session.speaker.notice(_records.INFO, "samples_unseen",
                           f"samples are dealt out by {dealer(loader)}{own}, and only those of a DistributedSampler are seen: which "
                           "rank drew which is not known")


def report_shard(session: Any, passage: Pass) -> None:
    """Called when the pass is certain to be for training; only one data set of a run is reported."""
    if not session.speaker.works("samplers"):
        return
    try:
        sampler = sampler_of(passage.loader)
        drawn = _drawn.get(sampler) if sampler is not None else None
        if drawn is None:
            _say_unseen(session, passage.loader)
            return
        indices, seed, asked = drawn
        if passage.follows and asked != _told.get(sampler, 0) + 1:
            return  # workers have already requested a later one
        _told[sampler] = asked
        size, ranks = len(sampler.dataset), sampler.num_replicas
        own = max(0, -(-(size - sampler.rank) // ranks))
        passage.padded = 0 if sampler.drop_last else max(0, len(indices) - own)
        for body in _records.shard_bodies(passage.epoch, seed, size, passage.padded, indices, sampler.rank, ranks):
            session.speaker.post(_records.SHARD, 0, body)
    except Exception:
        session.speaker.failed("samplers")
