"""Reads numbers from tensors without waiting for a device: on the host at once; on a device by an asynchronous copy to pinned
memory, which is read when an event after it is complete. Training thread, except `number`."""

import os
import weakref
from typing import Any, Dict, Iterable, Optional, Tuple

from . import _clock, _library

_torch: Any = None
_host: Any = None  # device of host tensors
_SLOTS = 4096
_slots: Any = None
_next = 0
_device: Any = None  # device of the first loss
_scaled: Any = None  # (weak reference to the scaled loss, the loss before scaling, the scale)


def use(torch: Any) -> None:
    global _torch, _host
    _torch = torch
    _host = torch.device("cpu")


def capturing() -> bool:
    """Whether this thread's work is being captured for a CUDA graph: querying the device would then break the graph, and work
    enqueued for us would be repeated in every replay."""
    cuda = _torch.cuda
    return bool(cuda.is_initialized() and cuda.is_current_stream_capturing())


def device_clock(device: Any) -> _clock.DeviceClock:
    """The clock of the losses' device, which need not be the current one."""
    global _device
    _device = device
    cuda = _torch.cuda
    aside = cuda.Stream(device, priority=-1)
    return _clock.DeviceClock(lambda: _event(cuda.current_stream(device)), lambda: _event(aside), capturing)


def _event(stream: Any) -> Any:
    made = _torch.cuda.Event(enable_timing=True)
    made.record(stream)
    return made


def number(value: Any) -> Any:
    """A float, a Later for a value on a device, or None if it is not a single number. Never raises."""
    kind = type(value)
    if kind is float or value is None:
        return value
    try:
        if _torch is not None and kind is _torch.Tensor and value.device == _host:  # the usual case, and each call counts
            return float(value.item()) if value.numel() == 1 else None
        if _torch is None or not isinstance(value, _torch.Tensor):
            return float(value)
        if value.numel() != 1 or value.is_meta or type(value).__name__ == "DTensor":
            return None
        value = value.detach()
        if value.device.type == "cpu":
            return float(value)
        return _later(value) if value.device.type == "cuda" else None
    except Exception:
        return None


def whole(value: Any, most: int = (1 << 31) - 1) -> Optional[int]:
    """The value as a whole number from 0 to `most`; None if it is not one."""
    try:
        known = int(value)
        return known if 0 <= known <= most else None
    except Exception:
        return None


def on_host(value: Any) -> float:
    """The value as a float; 0 for a value on a device."""
    if _torch is not None and isinstance(value, _torch.Tensor) and value.device.type != "cpu":
        return 0.0
    return float(value)


def _later(value: Any) -> Any:
    """Starts a copy to the host; many steps pass before a slot is reused. None while a graph is captured."""
    global _slots, _next
    if capturing():
        return None
    if _slots is None:
        _slots = _torch.empty(_SLOTS, dtype=_torch.float64, pin_memory=True)
    slot = _slots[_next % _SLOTS]
    _next += 1
    slot.copy_(value.reshape(()), non_blocking=True)
    behind = _torch.cuda.Event()
    behind.record(_torch.cuda.current_stream(value.device))  # the stream of the copy
    return _clock.Later(slot, behind)


def loss(tensors: Any) -> Any:
    """The unscaled loss from the arguments of backward; None if it is not a single number."""
    global _scaled
    if _scaled is None and type(tensors) is _torch.Tensor and tensors.is_cpu:
        try:
            return tensors.item()
        except RuntimeError:
            return None
    scaled, _scaled = _scaled, None
    if isinstance(tensors, (list, tuple)):
        if len(tensors) != 1:
            return None
        tensors = tensors[0]
    if not isinstance(tensors, _torch.Tensor):
        return None
    if scaled is None:
        return number(tensors)
    made, of, scale = scaled
    if made() is tensors:
        return number(of)
    return None if scale is None else number(tensors.detach() / scale.detach())


_THROUGH = ("ToCopy", "Clone", "View", "Squeeze", "Unsqueeze", "Alias", "UnsafeView", "Reshape")
_LOOKED_AT = 64  # maximum number of graph nodes


def divisor(tensors: Any, scaled: bool) -> Optional[float]:
    """The whole number by which the program divided the loss before backward, usually its gradient accumulation steps; 1 without
    a division, None if the graph does not show it, as with torch.compile. `scaled`: a GradScaler multiplied the loss last."""
    node = getattr(tensors, "grad_fn", None)
    for _ in range(_LOOKED_AT):
        if node is None:
            return 1.0
        kind, found, digit = node.name().rpartition("Backward")
        if not found or not digit.isdigit():
            return None
        if not scaled and kind in ("Div", "Mul"):
            parts = _whole_part(node, kind)
            if parts != 0:
                return parts
        elif not scaled and kind not in _THROUGH:
            return 1.0
        scaled = False
        node = node.next_functions[0][0]
    return None


def _whole_part(node: Any, kind: str) -> Optional[float]:
    """The divisor of one node of the graph; 0 if its factor is not 1 / a whole number. Only Python numbers count, which torch
    saves in the widest type; a computed divisor, such as the sum of a mask, gives 1. None if the program has unpack hooks, which
    are not called."""
    raw = getattr(node, "_raw_saved_other", None)
    if raw is None or getattr(raw, "unpack_hook", raw) is not None:
        return None
    by = raw.data
    if by is None or by.numel() != 1 or by.dtype not in (_torch.float64, _torch.int64):
        return 1.0
    if by.device != _host or not float(by):
        return None
    parts = float(by) if kind == "Div" else 1 / float(by)
    return float(round(parts)) if parts > 1.5 and abs(parts - round(parts)) < 1e-6 * parts else 0.0


def is_scaled() -> bool:
    return _scaled is not None


def watch(tensors: Any) -> Optional[list]:
    """A parameter that the loss depends on, to detect later whether it was updated or its gradient was reset."""
    waiting, seen = [getattr(tensors, "grad_fn", None)], 0
    while waiting and seen < _LOOKED_AT:
        node, seen = waiting.pop(), seen + 1
        if node is None:
            continue
        variable = getattr(node, "variable", None)
        if isinstance(variable, _torch.nn.Parameter) or (variable is not None and not waiting and variable.requires_grad):
            return [weakref.ref(variable), variable._version, -1]
        waiting += [following[0] for following in node.next_functions]
    return None


def note_gradient(watched: list) -> None:
    """Called at the end of backward."""
    variable = watched[0]()
    watched[2] = -1 if variable is None or variable.grad is None else variable.grad._version


def was_reset(watched: Optional[list]) -> Tuple[bool, bool]:
    """(whether the gradient was reset since backward ended, whether the weights changed)."""
    variable = None if watched is None else watched[0]()
    if watched is None or variable is None:
        return False, False
    moved, gradient = variable._version != watched[1], variable.grad
    if gradient is None or watched[2] < 0:
        return watched[2] >= 0, moved
    if gradient._version == watched[2]:
        return False, moved
    # Other tensor types are shared by ranks, and others are on a device.
    plain = type(gradient) is _torch.Tensor and gradient.device == _host
    return moved if not plain else not bool(gradient.reshape(-1)[:_LOOKED_AT].any()), moved


def note_scaled(made: Any, of: Any, scale: Any) -> None:
    global _scaled
    if made is not of:
        _scaled = (weakref.ref(made), of.detach(), scale)


_whole = False


def gradients_are_whole(whole: bool) -> None:
    """True with DDP or a single process: gradients are averaged and not sharded."""
    global _whole
    _whole = whole


def whole_gradients() -> bool:
    return _whole or _library.place()[1] == 1


def norm(gradients: Iterable[Any]) -> Any:
    """The L2 norm of all gradients together; None if one is sparse or not a plain tensor."""
    with _torch.no_grad():
        dense = [gradient.detach() for gradient in gradients if gradient is not None]
        if not dense or any(type(one) is not _torch.Tensor or one.is_sparse for one in dense):
            return None
        if len({one.device for one in dense}) != 1:
            return None
        norms = _torch._foreach_norm(dense, 2.0)
        return number(_torch.linalg.vector_norm(_torch.stack([one.float() for one in norms]), 2.0))


def device() -> Any:
    """The device of the first loss."""
    return _host if _device is None else _device


def device_facts() -> Dict[str, Any]:
    cuda = _torch.cuda
    if not (cuda.is_available() and cuda.is_initialized()):
        return {"device_index": -1, "device_uuid": "cpu", "device_name": _processor()}
    device = cuda.current_device() if _device is None or _device.index is None else _device.index
    properties = cuda.get_device_properties(device)
    uuid = str(getattr(properties, "uuid", ""))
    uuid = uuid if not uuid or uuid.startswith("GPU-") else "GPU-" + uuid
    numbers = dict(part.split("=", 1) for part in os.environ.get("RINGSIDE_GPUS", "").split(",") if "=" in part)
    return {"device_index": int(numbers.get(uuid, device)), "device_uuid": uuid,
            "device_name": properties.name}


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return "CPU"
