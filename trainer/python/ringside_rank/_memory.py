"""Device memory at the end of a step, in MiB: what PyTorch's allocator has allocated and reserved, and the parts of parameters,
gradients and optimizer state. Nothing waits for the device, since the allocator counts on the host. Host memory is not counted
by torch and thus unknown. Training thread, except `pace`."""

from typing import Any, Dict, List, Set, Tuple

from . import _optimizers, _values

every = 1 << 62  # interval in steps, a power of two so that all ranks measure in the same steps; initially only step 0
_MIB = float(1 << 20)
_peak = 0  # maximum over all readings, since the program may reset the allocator's own peak
_walked: List[Tuple[int, int, int]] = []  # (optimizer, number of parameters, number of states) of the last report


def pace(steps: int) -> None:
    """`steps` were done in about one second: sets the interval to between one and two seconds, or to one step if that is longer."""
    global every
    if steps > 0:
        every = 1 << (steps - 1).bit_length()


def look(session: Any) -> None:
    """Called after an optimizer step."""
    step = session.steps.open
    if step is None or step.told or not session.speaker.works("memory"):
        return
    try:
        import torch

        device = _values.device()
        sizes = {**_allocator(torch, device), **_parts(torch, device)}
        step.told = [(f"memory/{name} MiB", size / _MIB) for name, size in sizes.items()]
    except Exception:
        session.speaker.failed("memory")


def _allocator(torch: Any, device: Any) -> Dict[str, int]:
    """Bytes allocated for tensors, reserved by the allocator, and the highest allocation so far."""
    global _peak
    if device.type != "cuda" or torch.cuda.get_allocator_backend() != "native":
        return {}
    counted = torch.cuda.memory_stats_as_nested_dict(device)
    allocated = counted["allocated_bytes"]["all"]
    _peak = max(_peak, allocated["peak"])
    return {"allocated": allocated["current"], "reserved": counted["reserved_bytes"]["all"]["current"], "peak": _peak}


def _parts(torch: Any, device: Any) -> Dict[str, int]:
    """Bytes on the device of the parameters that optimizers train, of their gradients and of the optimizers' state. Empty if
    nothing has changed since the last report; a part that cannot be counted, such as sparse gradients, is left out."""
    global _walked
    optimizers = _optimizers.all_of_them()
    now = [(id(one), sum(len(group["params"]) for group in one.param_groups), len(one.state)) for one in optimizers]
    if now == _walked:
        return {}
    _walked = now
    held = [[one for group in optimizer.param_groups for one in group["params"]] for optimizer in optimizers]
    seen: Set[int] = set()
    found = {}
    for name, values in (("parameters", held), ("gradients", [[one.grad for one in parameters] for parameters in held]),
                         ("optimizer", [list(one.state.values()) for one in optimizers])):
        try:
            found[name] = _bytes(torch, values, device, seen)
        except Exception:
            pass
    return found


def _bytes(torch: Any, held: Any, device: Any, seen: Set[int]) -> int:
    """Bytes of the tensors in `held`. Shared memory counts once; a tensor that consists of others, such as an FSDP2 shard,
    counts as those."""
    if isinstance(held, torch.Tensor):
        inner = getattr(held, "__tensor_flatten__", None)
        if inner is not None:
            return _bytes(torch, [getattr(held, name) for name in inner()[0]], device, seen)
        if held.device != device:
            return 0
        storage = held.untyped_storage()
        place = storage.data_ptr()
        if place in seen:
            return 0
        seen.add(place)
        return int(storage.nbytes())
    if isinstance(held, dict):
        held = list(held.values())
    return sum(_bytes(torch, one, device, seen) for one in held) if isinstance(held, (list, tuple)) else 0
