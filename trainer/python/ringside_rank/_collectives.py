"""Reports every collective of every process group, whoever calls it. Its start is recorded by a hook of the group or, before
torch 2.14, which has no such hook, by a kernel of ours in front of each of c10d's; that kernel does not see collectives within a
DTensor operator. Its end is that of its future or, since Gloo's reduce-scatter, send and receive have none, the end of the wait
for it. On a device it is only known when it was enqueued, not when it ran. A collective is reported when the next step has begun
or, if that takes long, a moment after its start and again at its end. Any thread may call collectives."""

import atexit
import functools
import os
import time
import weakref
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from . import _library, _mesh, _pending, _records, _session, _values

SOURCE = "collectives"
PATIENCE_NS = 1_000_000_000  # maximum delay of a report without a following step
STANDS_NS = int(_pending.SILENT_S * 1e9)  # a step that lasts this long may never end
BUSY_PER_S = 1000  # above this rate only the collectives of every second, fourth, ... step are reported
_MOST = 20_000  # maximum number of unreported collectives while no step ends
_MOST_OPEN = 256
_ALONE = 20  # steps without a collective after which a rank counts as training by itself
_APART = 100  # the same with collectives before training, since ranks that share their weights rarely may do so later
_BARRIER, _SEND, _RECEIVE = 8, 9, 10
_BETWEEN_TWO = _SEND, _RECEIVE

# Operation numbers of protocol/messages/FORMAT.md.
OPERATIONS = {
    "allreduce_": 0, "allreduce_coalesced_": 0, "allgather_": 1, "_allgather_base_": 1, "allgather_coalesced_": 1,
    "allgather_into_tensor_coalesced_": 1, "reduce_scatter_": 2, "_reduce_scatter_base_": 2, "reduce_scatter_tensor_coalesced_": 2,
    "broadcast_": 3, "reduce_": 4, "gather_": 5, "gather_into_tensor_": 5, "scatter_": 6, "alltoall_": 7, "alltoall_base_": 7,
    "barrier": _BARRIER, "send": _SEND, "recv_": _RECEIVE, "recv_any_source_": _RECEIVE,
}

_now = time.monotonic_ns


class Group:
    """`count` counts its collectives; `pairs` counts sends and receives by operation and peer."""

    __slots__ = ("name", "purpose", "backend", "ranks", "dimension", "same_samples", "number", "of_all", "count", "pairs", "told")

    def __init__(self, name: str) -> None:
        self.name = name
        self.purpose = self.backend = self.dimension = ""
        self.same_samples = False  # its ranks work on the same samples
        self.ranks: List[int] = []
        self.number = -1  # this rank's id for it
        self.of_all = False  # all ranks are members
        self.count = 0
        self.pairs: Dict[Tuple[int, int], int] = {}
        self.told: Any = None


class Note:
    """One collective, with the times of its record; `waited` is the end of an observed wait for it."""

    __slots__ = ("group", "operation", "number", "peer", "size", "step", "entered", "issued", "done", "waited", "on_device", "bucket")


class Notes:
    """Collectives and waits that are not reported yet."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.notes: Deque[Note] = deque()
        self.waits: Deque[Tuple[int, int]] = deque()
        self._before: Optional[Note] = None
        self._every = 1
        self._since = _now()
        self._said = 0
        self._step, self._step_since = -1, 0
        # Reported before they were complete, with the rank's own time before each.
        self._open: Deque[Tuple[Note, int]] = deque(maxlen=_MOST_OPEN)
        self._left_out: Dict[Tuple[int, bool], Tuple[Note, int]] = {}  # the newest per group; sends and receives separately

    def say(self, all_of_them: bool = False) -> None:
        """Reports collectives that are followed by a step, or that have waited long enough. One thread at a time."""
        notes, step, now = self.notes, self._session.steps.number, _now()
        if step != self._step:
            self._step, self._step_since = step, now
        while notes and (all_of_them or notes[0].step < step or now - notes[0].entered > PATIENCE_NS):
            note = notes.popleft()
            own = self._own(note)
            self._before = note
            self._said += 1
            if note.step % self._every:
                self._left_out[note.group.number, note.operation in _BETWEEN_TWO] = note, own
                continue
            if self._left_out:
                self._left_out.pop((note.group.number, note.operation in _BETWEEN_TWO), None)
            done = note.done
            if done < 0 and note.step >= step and not note.on_device and note.operation not in _BETWEEN_TWO:
                self._open.append((note, own))
            self._post(note, own, done)
        if self._open:
            self._say_done(step)
        if self._left_out and now - self._step_since > STANDS_NS:
            self._say_left_out()
        if now - self._since > 1_000_000_000:
            if self._said * 1e9 / (now - self._since) > BUSY_PER_S * self._every:
                self._every *= 2
            self._since, self._said = now, 0

    def _say_done(self, step: int) -> None:
        """Reports the end of collectives that are complete by now; those older than the last step are dropped."""
        for _ in range(len(self._open)):
            note, own = self._open.popleft()
            if note.done >= 0:
                self._post(note, own, note.done)
            elif note.step + 1 >= step:
                self._open.append((note, own))

    def _say_left_out(self) -> None:
        """Reports how far this rank has got in each group, since other ranks may be waiting for it."""
        left_out, self._left_out = self._left_out, {}
        for note, own in left_out.values():
            self._post(note, own, note.done)

    def _own(self, note: Note) -> int:
        """This rank's own time before the collective."""
        waits, spent, waited = self.waits, 0, False
        while waits and waits[0][1] <= note.entered:
            begun, ended = waits.popleft()
            spent, waited = spent + ended - begun, True
        before = self._before
        if before is None or before.issued < 0 or note.on_device:
            return -1
        begin = before.issued
        # Waits in C++ are not observed. In a backward pass nothing waits for a bucket before the last one.
        unseen = not waited and before.waited < 0 and not (before.bucket and note.bucket)
        if unseen and begin < before.done <= note.entered:
            begin = before.done
        return max(0, note.entered - begin - spent)

    def _post(self, note: Note, own: int, done: int) -> None:
        group, post = note.group, self._session.speaker.post
        if not group.ranks:
            return
        facts = group.dimension, group.purpose, group.same_samples
        if group.told != facts:
            group.told = facts
            post(_records.GROUP, 0, _records.pack(
                _records.GROUP, group=group.number, name=group.name, dimension=group.dimension, purpose=group.purpose,
                group_backend=group.backend, ranks=group.ranks, same_samples=group.same_samples))
        post(_records.COLLECTIVE, 0, _records.pack_collective(
            note.step, group.number, note.operation, note.number, note.peer, note.size, note.entered,
            note.entered if note.issued < 0 else note.issued, done, own, note.on_device))


_groups: Dict[int, Group] = {}  # by the id of the process group; an id that is used again gets a new entry
_told: List[Group] = []  # by number
_open: Dict[int, Note] = {}  # by the id of the work that may be waited for
_latest: Any = None  # the newest work, so that the program gets the same object
_kept: Any = None  # torch.library.Library with our kernels
_shares = False  # True: this rank exchanges data as it trains, or another rank reports that it does not, or that was reported
bucket = False  # the next collective is a gradient bucket of DDP
has_buckets = False  # a model is wrapped in DDP, which counts its buckets itself
trained: Callable[[], Any] = lambda: None  # the first trained parameter
_newest: Optional[Note] = None  # the last collective, if known
_of_all: Tuple[int, int] = (0, -1)  # number of collectives of all ranks, and the operation of the last one


def install(torch: Any) -> None:
    """Called when torch is imported; the rest is installed with the first group."""
    if not torch.distributed.is_available():
        return
    from torch.distributed import distributed_c10d as c10d

    from ._replace import replace, replace_traced

    def made_register(original: Any) -> Any:
        def _register_process_group(name: Any, group: Any) -> Any:
            result = original(name, group)
            try:
                if not _groups:
                    atexit.register(_end)
                    os.register_at_fork(after_in_child=_awaited.clear)
                _groups[id(group)] = made = Group(str(name))
                if hasattr(group, "register_pre_hook"):
                    _hook(group, made)
                else:
                    _put_in_front(torch)
            except Exception:
                _failed()
            return result

        return _register_process_group

    def made_wait(original: Any) -> Any:
        def wait(self: Any, *args: Any, **kwargs: Any) -> Any:
            begun = _now()
            result = original(self, *args, **kwargs)
            _waited(self, begun)
            return result

        return wait

    _session.on_open(lambda session: _opened(torch, session))
    replace(c10d, "_register_process_group", made_register)
    replace_traced(torch, c10d.Work, "wait", made_wait)
    _mesh.install(torch, lambda pg: _groups.get(id(pg)), _failed)


def _opened(torch: Any, session: Any) -> None:
    session.collectives = notes = Notes(session)

    def say(all_of_them: bool = False) -> None:
        if SOURCE not in session.off:
            try:
                notes.say(all_of_them)
                if not _shares:
                    _say_alone(torch, session, all_of_them)
            except Exception:
                session.speaker.failed(SOURCE)

    session.say_collectives = say
    session.speaker.beside = where


def _say_alone(torch: Any, session: Any, ends: bool) -> None:
    """Reported once, by the first of several ranks; a group created before the instrumentation may be unknown, and so are
    collectives within a DTensor operator."""
    global _shares
    (rank, world), steps = _library.place(), session.steps.number - (session.first_step or 0)
    _shares = rank > 0 or world < 2 or (torch.distributed.is_initialized() and not _groups)
    _shares = _shares or any(one.dimension or one.same_samples for one in _told)
    _shares = _shares or type(trained()).__name__ == "DTensor"
    if not _shares and (steps >= (_APART if _told else _ALONE) or ends and steps > bool(_told)):
        _shares = True
        seen = "carried data between ranks" if _told else "of torch.distributed was seen"
        session.speaker.notice(_records.WARNING, "no_collective", f"in {steps} step{'s' * (steps > 1)} no collective {seen}: "
                               f"unless the {world} ranks share what they learn in another way, each trains by itself")


def where() -> str:
    """The last collective of this rank without DDP. Any thread. Its number counts the collectives of all ranks from 0, which is
    the same on each; a rank that waits in a subgroup has no number, since it is not known to be late."""
    note, (number, operation) = _newest, _of_all
    if note is None or has_buckets:
        return ""
    group = note.group
    waits = note.done < 0 and note.waited < 0
    if (not group.of_all or note.operation in _BETWEEN_TWO) and (waits or not number):
        name = group.dimension or group.purpose or "group " + group.name
        text = f"{_NAMES.get(note.operation, 'a collective')} {note.number} of {name} (ranks {', '.join(map(str, group.ranks))})"
        return text if waits else text + ", done"
    return f"{_NAMES.get(operation, 'a collective')} of all ranks, number {number - 1}" if number else ""


_NAMES = {0: "all-reduce", 1: "all-gather", 2: "reduce-scatter", 3: "broadcast", 4: "reduce", 5: "gather", 6: "scatter",
          7: "all-to-all", _BARRIER: "barrier", _SEND: "send", _RECEIVE: "receive"}


def _end() -> None:
    """Called before Python ends. A remaining hook, or a Gloo thread that calls Python then, would end the process. If a program
    leaves works behind, torch also waits for them when it destroys their groups."""
    for told in _hooked:
        group = told()
        if group is not None:
            group.unregister_pre_hook(_HOOK)
            group.unregister_post_hook(_HOOK)
    while any(one() is not None for one in tuple(_awaited)):
        time.sleep(0.001)


def _failed() -> None:
    session = _session.one
    if session is not None:
        session.speaker.failed(SOURCE)


def _hook(pg: Any, group: Group) -> None:
    """Removed only at the end, since removing a hook within a hook ends the process. Keeps no reference to the process group."""
    entered: Dict[int, Note] = {}
    told = weakref.ref(pg)
    _hooked[:] = [one for one in _hooked if one() is not None] + [told]

    def before(call: Any) -> None:
        try:
            at = _now()
            operation = _operation_of(call.name.name)
            given = call.input_tensors or call.output_tensors
            tensor = given[0] if given else None
            note = _enter(at, group, told(), operation, call.root if operation in _BETWEEN_TWO else -1,
                          0 if operation == _BARRIER else _bytes(given), tensor is not None and not tensor.is_cpu)
            if note is not None:
                entered[call.op_id] = note
        except Exception:
            _failed()

    def after(call: Any) -> None:
        try:
            note = entered.pop(call.op_id, None)
            if note is not None:
                note.issued = _now()
                if not note.on_device and call.work is not None:
                    _follow(note, call.work, not call.async_op)
        except Exception:
            _failed()

    pg.register_pre_hook(_HOOK, before)
    pg.register_post_hook(_HOOK, after)


_HOOK = 0x52494E47
_hooked: List[Any] = []  # weak references to the groups with hooks
_FAMILIES = (("ALLREDUCE", 0), ("ALLGATHER", 1), ("REDUCE_SCATTER", 2), ("BROADCAST", 3), ("REDUCE", 4), ("GATHER", 5), ("SCATTER", 6),
             ("ALLTOALL", 7), ("BARRIER", _BARRIER), ("SEND", _SEND), ("RECV", _RECEIVE))


@functools.lru_cache(maxsize=None)
def _operation_of(name: str) -> int:
    """The operation of a variant, by torch's name for it."""
    return next((operation for family, operation in _FAMILIES if family in name), 255)


def _put_in_front(torch: Any) -> None:
    """Uses a dispatch key that has no other function. The kernel below is called without the GIL, like the original: a Gloo
    thread that drops a tensor may need the GIL while the call waits for that thread."""
    global _kept
    if _kept is not None:
        return
    _kept = torch.library.Library("c10d", "IMPL")
    for name, operation in OPERATIONS.items():
        if hasattr(torch.ops.c10d, name):
            call = getattr(torch.ops.c10d, name).default
            _kept.impl(name, _kernel(torch, call, operation), "ADInplaceOrView", with_keyset=True)


def _kernel(torch: Any, call: Any, operation: int) -> Any:
    below, plain = torch._C._after_ADInplaceOrView_keyset, (torch.Tensor, torch.nn.Parameter)
    unbox, unbox_work = torch._C._distributed_c10d.ProcessGroup.unbox, torch._C._distributed_c10d.Work.unbox
    redispatch, arguments = call.redispatch, [one.name for one in call._schema.arguments]
    at = arguments.index("process_group")  # preceded by the tensors to send, and before them those to receive
    peer_at = at + 1 if operation >= _SEND and "tag" in arguments[at + 2:] else 0
    waited_at = arguments.index("async_op") if "async_op" in arguments else len(arguments)

    def kernel(keys: Any, *args: Any) -> Any:
        note = None
        try:
            entered = _now()
            tensor = _first(args[at - 1]) if operation != _BARRIER else args[0]
            tensor = _first(args[0]) if tensor is None else tensor
            if type(tensor) in plain:  # otherwise torch only infers the result's metadata
                pg = unbox(args[at])
                size = 0 if operation == _BARRIER else _bytes(args[at - 1]) or _bytes(args[0])
                group = _groups.get(id(pg))
                if group is not None:  # otherwise it was created without torch.distributed
                    note = _enter(entered, group, pg, operation, args[peer_at] if peer_at else -1, size, not tensor.is_cpu)
        except Exception:
            _failed()
        result = redispatch(keys & below, *args)
        if note is not None:
            try:
                note.issued = _now()
                if not note.on_device:
                    # Arguments with their default value are omitted.
                    synchronous = len(args) > waited_at and not args[waited_at]
                    _follow(note, unbox_work(result[-1] if type(result) is tuple else result), synchronous)
            except Exception:
                _failed()
        return result

    return kernel


def _first(given: Any) -> Any:
    """The first tensor in lists or nested lists."""
    while isinstance(given, (list, tuple)):
        if not given:
            return None
        given = given[0]
    return given


def _bytes(given: Any) -> int:
    if isinstance(given, (list, tuple)):
        return sum([_bytes(one) for one in given])
    if given.is_sparse:
        return _bytes([given._indices(), given._values()])
    return int(given.nbytes)


def _enter(entered: int, group: Group, pg: Any, operation: int, peer: int, size: int, on_device: bool) -> Optional[Note]:
    """Counts every collective, and records those that will be reported."""
    global bucket, _newest, _of_all, _shares
    if not group.ranks:
        _learn(group, pg)
    _newest = None
    if operation in _BETWEEN_TWO:
        peer = group.ranks[peer] if 0 <= peer < len(group.ranks) else -1
        number = group.pairs[operation, peer] = group.pairs.get((operation, peer), -1) + 1
    else:
        number = group.count
        group.count += 1
        if group.of_all:
            _of_all = _of_all[0] + 1, operation
    session, is_bucket = _session.one, bucket
    bucket = False
    if not _shares and session is not None and operation != _BARRIER and len(group.ranks) > 1:
        _shares = session.steps.number > (session.first_step or 0) or getattr(session.steps.open, "learned", False)
    if session is None or SOURCE in session.off or not session.speaker.speaks or (on_device and _values.capturing()):
        return None
    notes = session.collectives.notes
    if len(notes) >= _MOST:
        return None
    note = Note()
    note.group, note.operation, note.number, note.peer = group, operation, number, peer
    steps = session.steps
    note.step = steps.number + 1 if steps.ended else steps.number
    note.entered, note.size = entered, size
    note.issued = note.done = note.waited = -1
    note.on_device, note.bucket = on_device, is_bucket
    notes.append(note)
    _newest = note
    return note


def _learn(group: Group, pg: Any) -> None:
    """Looks up the ranks of a group, which are unknown before it is created and after it is destroyed."""
    from torch.distributed import distributed_c10d as c10d

    ranks = c10d._world.pg_group_ranks.get(pg)
    if not ranks:
        return
    group.ranks = sorted(ranks, key=lambda rank: ranks[rank])
    group.purpose = str(getattr(pg, "group_desc", ""))
    group.backend = str(c10d.get_backend(pg))
    if group.purpose.startswith("mesh_") and not group.dimension:
        group.dimension = group.purpose[len("mesh_"):]
    _mesh.learn_sharing(group)
    again = sum(1 for one in _told if one.ranks == group.ranks and one.name.split("/")[0] == group.name)
    if again:
        group.name += f"/{again + 1}"  # destroyed and created again
    group.of_all = len(ranks) == _library.place()[1]
    group.number = len(_told)
    _told.append(group)


def _follow(note: Note, work: Any, synchronous: bool) -> None:
    global _latest
    if len(_open) >= _MOST_OPEN:
        _open.pop(next(iter(_open)), None)  # some are waited for in C++
    _latest = work
    _open[id(work)] = note
    if synchronous or note.operation in _mute or not ("gloo" in note.group.backend or note.group.backend == "undefined"):
        return  # the wait follows, or its end is never known
    try:
        future = work.get_future()
    except RuntimeError:
        _mute.add(note.operation)
        return

    def done(_: Any) -> None:
        if note.done < 0:
            note.done = _now()

    _awaited.append(weakref.ref(done))
    future.add_done_callback(done)


_mute: set = set()  # operations whose works have no future
_awaited: Deque[Any] = deque(maxlen=4 * _MOST_OPEN)  # weak references to callbacks that Gloo's threads call and then drop


def _waited(work: Any, begun: int) -> None:
    global _latest
    session = _session.one
    if session is None:
        return
    ended = _now()
    if work is _latest:
        _latest = None
    note = _open.pop(id(work), None)
    if note is not None:
        note.waited = ended
        if note.done < 0:
            note.done = ended
    waits = session.collectives.waits
    if len(waits) < _MOST:
        waits.append((begun, ended))
