"""Layouts of the records in protocol/messages/FORMAT.md as one table, and their encoding. Pure."""

import math
import struct
from array import array
from typing import Any, Dict, Iterable, List, Sequence, Tuple

HELLO, STEP, BUCKET, EPOCH, SHARD, STATE, CLOCK, NOTICE, SCALAR, GROUP, COLLECTIVE = 1, 2, 3, 4, 5, 8, 9, 11, 12, 15, 16

# The f32 that means "not measured"; any other NaN is a computed value.
UNKNOWN: float = struct.unpack("<f", b"\xad\xde\xc0\x7f")[0]

TRAIN, VALIDATE, TEST = 0, 1, 2
STARTING, TRAINING, EVALUATING, FAILED = 1, 2, 3, 7
INFO, WARNING = 0, 1

SHARD_INDICES = 16384  # maximum per record
COMPLETE_SHARD = 1 << 20  # samples; of a larger shard every n-th one is reported

# Type -> (field, kind); kinds: letters of struct, "text", and "indices" for a list of u32.
FIELDS: Dict[int, Tuple[Tuple[str, str], ...]] = {
    HELLO: (("pid", "i"), ("local_rank", "i"), ("world_size", "i"), ("attempt", "i"), ("device_index", "i"),
            ("device_uuid", "text"), ("device_name", "text"), ("host", "text"), ("backend", "text"),
            ("versions", "text"), ("threads", "i"), ("wall_ns", "q"), ("parameters", "q"), ("gradient_bytes", "q"),
            ("steps_per_epoch", "q"), ("epochs", "q"), ("first_step", "q"), ("cpus", "indices"), ("loader_workers", "i")),
    STEP: (("epoch", "i"), ("step", "q"), ("samples", "i"), ("loss", "f"), ("correct", "i"), ("lr", "d"),
           ("grad_norm", "f"), ("loss_scale", "f"), ("skipped", "B"), ("data_wait_ns", "q"),
           ("host_to_device_ns", "q"), ("forward_ns", "q"), ("backward_ns", "q"), ("exposed_comm_ns", "q"),
           ("optimizer_ns", "q"), ("step_ns", "q"), ("local_grad_norm", "f"), ("non_finite_buckets", "i")),
    BUCKET: (("epoch", "i"), ("step", "q"), ("bucket", "i"), ("size_bytes", "q"), ("ready_ns", "q"),
             ("reduced_ns", "q")),
    EPOCH: (("epoch", "i"), ("phase", "B"), ("loss_sum", "d"), ("correct", "q"), ("counted", "q"), ("padded", "q"),
            ("steps", "q"), ("seconds", "d"), ("last_step", "q"), ("padded_correct", "q"), ("idle_seconds", "d")),
    SHARD: (("epoch", "i"), ("sampler_seed", "Q"), ("dataset_size", "q"), ("shard_size", "q"), ("padded", "q"),
            ("offset", "q"), ("stride", "i"), ("indices", "indices"), ("replica", "i"), ("replicas", "i")),
    STATE: (("state", "B"), ("attempt", "i"), ("last_step", "q"), ("exit_code", "i"), ("signal", "i"),
            ("last_collective", "text"), ("text", "text"), ("wall_ns", "q"), ("about", "i")),
    CLOCK: (("peer", "i"), ("offset_ns", "q"), ("uncertainty_ns", "q")),
    NOTICE: (("severity", "B"), ("code", "text"), ("text", "text")),
    SCALAR: (("name", "text"), ("step", "q"), ("value", "d"), ("own_step", "B")),
    GROUP: (("group", "i"), ("name", "text"), ("dimension", "text"), ("purpose", "text"), ("group_backend", "text"), ("ranks", "indices"),
            ("same_samples", "B")),
    COLLECTIVE: (("step", "q"), ("group", "i"), ("operation", "B"), ("number", "q"), ("peer", "i"), ("size_bytes", "q"),
                 ("entered_ns", "q"), ("issued_ns", "q"), ("done_ns", "q"), ("own_ns", "q"), ("on_device", "B")),
}

# Precompiled, since these are sent in every step.
_pack_step = struct.Struct("<" + "".join(kind for _, kind in FIELDS[STEP])).pack
pack_bucket = struct.Struct("<" + "".join(kind for _, kind in FIELDS[BUCKET])).pack
pack_collective = struct.Struct("<" + "".join(kind for _, kind in FIELDS[COLLECTIVE])).pack


def pack_step(*values: Any) -> bytes:
    try:
        return _pack_step(*values)
    except (struct.error, OverflowError):
        return b"".join(_field(kind, value) for (_, kind), value in zip(FIELDS[STEP], values))


def _field(kind: str, value: Any) -> bytes:
    """A value of the wrong type becomes unknown; a number that is too large becomes infinite."""
    try:
        return struct.pack("<" + kind, value)
    except (struct.error, OverflowError):
        if kind == "f" and isinstance(value, float):
            return struct.pack("<f", math.copysign(math.inf, value))
        return struct.pack("<" + kind, float("nan") if kind in "fd" else -1 if kind in "iq" else 0)


def text(value: str) -> bytes:
    data = value.encode("utf-8", "replace")
    return struct.pack("<I", len(data)) + data


def scalar(name: str, step: int, value: float, own_step: bool = False) -> bytes:
    return text(name) + struct.pack("<qdB", step, value, own_step)


def pack(kind: int, **values: Any) -> bytes:
    """Every field must be named; a misspelled one raises KeyError or TypeError."""
    parts: List[bytes] = []
    for name, layout in FIELDS[kind]:
        value = values.pop(name)
        if layout == "text":
            parts.append(text(value))
        elif layout == "indices":
            parts.append(struct.pack("<I", len(value)) + _u32(value))
        else:
            parts.append(_field(layout, value))
    if values:
        raise TypeError(f"no field {sorted(values)} in record {kind}")
    return b"".join(parts)


def _u32(values: Sequence[int]) -> bytes:
    data = array("I", values)
    return data.tobytes() if data.itemsize == 4 else struct.pack(f"<{len(values)}I", *values)


def shard_bodies(epoch: int, seed: int, dataset_size: int, padded: int, indices: Sequence[int], replica: int = -1,
                 replicas: int = -1) -> Iterable[bytes]:
    """The records of one shard, split into pieces and sampled if it is very large."""
    size = len(indices)
    stride = max(1, -(-size // COMPLETE_SHARD))
    piece = SHARD_INDICES * stride
    for offset in range(0, size, piece):
        yield pack(SHARD, epoch=epoch, sampler_seed=seed & 0xFFFFFFFFFFFFFFFF, dataset_size=dataset_size,
                   shard_size=size, padded=padded, offset=offset, stride=stride,
                   indices=indices[offset:offset + piece:stride], replica=replica, replicas=replicas)
