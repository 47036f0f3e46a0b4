"""Overrides arguments of the script's own calls and other settings to be tried, without changing the script: RINGSIDE_ARGUMENTS names
them, as in "DataLoader.num_workers=2". Without the variable, torch is not modified here. The workers of a loader with an iterable
data set are not changed, since each worker would read all of it."""

import inspect
import os
import weakref
import zlib
from typing import Any, Dict

_KINDS: Dict[str, Dict[str, Any]] = {
    "DataLoader": {"num_workers": int, "prefetch_factor": int, "pin_memory": bool, "persistent_workers": bool},
    "DistributedDataParallel": {"bucket_cap_mb": float, "gradient_as_bucket_view": bool, "static_graph": bool,
                                "find_unused_parameters": bool, "no_sync": int, "bf16": bool, "channels_last": bool},
    "torch": {"set_num_threads": int, "set_detect_anomaly": bool},
    "script": {"steps": int},
}
WEIGHTS = "weights_crc32"  # the scalar that identifies what was learned


def asked() -> Dict[str, Dict[str, Any]]:
    """The requested arguments by class and name. Invalid or unknown ones are ignored."""
    found: Dict[str, Dict[str, Any]] = {}
    for one in os.environ.get("RINGSIDE_ARGUMENTS", "").split(","):
        owner, _, rest = one.partition(".")
        name, _, value = rest.partition("=")
        kind = _KINDS.get(owner, {}).get(name)
        if kind is not None:
            try:
                found.setdefault(owner, {})[name] = kind(float(value))
            except (ValueError, OverflowError):
                pass
    return found


def install(torch: Any) -> None:
    """Called after all other hooks are installed, so that a script that ends after a step has reported that step."""
    wanted = asked()
    if not wanted:
        return
    from torch.utils.data import DataLoader

    from ._replace import replace

    models = wanted.get("DistributedDataParallel", {})
    passes = models.pop("no_sync", 0)
    if models.pop("bf16", False):
        _autocast(torch)
    if models.pop("channels_last", False):
        _order_channels_last(torch)
    for owner, given in ((DataLoader, wanted.get("DataLoader")), (torch.nn.parallel.DistributedDataParallel, models)):
        if given:
            replace(owner, "__init__", lambda original, given=given: _with(original, given))
    if passes > 1:
        _exchange_once(torch, passes)
    own = wanted.get("torch", {})
    if threads := own.get("set_num_threads"):
        torch.set_num_threads(threads)
        replace(torch, "set_num_threads", lambda original: lambda count: None)
    if "set_detect_anomaly" in own:  # all that switch it call this function
        anomaly = own["set_detect_anomaly"]
        replace(torch, "set_anomaly_enabled", lambda original: lambda mode, *more, **named: original(anomaly, *more, **named))
    if steps := wanted.get("script", {}).get("steps"):
        _end_after(torch, steps)


def _with(original: Any, wanted: Dict[str, Any]) -> Any:
    signature = inspect.signature(original)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            bound = signature.bind(self, *args, **kwargs)
            given = bound.arguments
            values = {name: value for name, value in wanted.items() if name in signature.parameters}
            if _iterable(given.get("dataset")):
                values.pop("num_workers", None)
            if not values.get("num_workers", given.get("num_workers")):
                values.pop("prefetch_factor", None)  # both are invalid without workers
                values.pop("persistent_workers", None)
            given.update(values)
            args, kwargs = bound.args[1:], bound.kwargs
        except TypeError:
            pass  # the original call reports the program's own error
        original(self, *args, **kwargs)

    return __init__


def _iterable(dataset: Any) -> bool:
    from torch.utils.data import IterableDataset

    return isinstance(dataset, IterableDataset)


def _autocast(torch: Any) -> None:
    """Runs the forward pass under autocast to bfloat16. Its results are given to the program as float32, so that a loss outside of the
    model is computed in float32, as autocast would do."""
    from torch.utils._pytree import tree_map

    from ._replace import replace

    def whole(value: Any) -> Any:
        return value.float() if isinstance(value, torch.Tensor) and value.dtype == torch.bfloat16 else value

    def made(original: Any) -> Any:
        def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
            device = next((one.device.type for one in self.parameters()), "cpu")
            with torch.autocast(device, dtype=torch.bfloat16):
                results = original(self, *args, **kwargs)
            return tree_map(whole, results)

        return forward

    replace(torch.nn.parallel.DistributedDataParallel, "forward", made)


def _order_channels_last(torch: Any) -> None:
    """Orders the weights of convolutions channels last before the model is distributed, from where on all that they compute is."""
    from ._replace import replace

    def made(original: Any) -> Any:
        def __init__(self: Any, module: Any, *args: Any, **kwargs: Any) -> None:
            for one in module.parameters():
                if one.dim() == 4:
                    one.data = one.data.contiguous(memory_format=torch.channels_last)
            original(self, module, *args, **kwargs)

        return __init__

    replace(torch.nn.parallel.DistributedDataParallel, "__init__", made)


def _exchange_once(torch: Any, passes: int) -> None:
    """Keeps the gradients of all but the last pass of a step on their rank, as no_sync() does; the last pass reduces their sum.
    DDP reads this state in forward. A program that steps before the last pass would use gradients that were not reduced, so it is ended."""
    from torch.optim import optimizer as optimizers

    from ._replace import replace

    done: Any = weakref.WeakKeyDictionary()  # passes of each model since the optimizer stepped

    def made(original: Any) -> Any:
        def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
            said = self.require_backward_grad_sync
            if torch.is_grad_enabled() and self.training:
                done[self] = done.get(self, 0) + 1
                self.require_backward_grad_sync = said and done[self] >= passes
            try:
                return original(self, *args, **kwargs)
            finally:
                self.require_backward_grad_sync = said

        return forward

    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        early = [count for count in done.values() if count < passes]
        done.clear()
        if early:
            raise RuntimeError(f"DistributedDataParallel.no_sync={passes} does not fit: the optimizer steps after {early[0]} backward "
                               "passes; try the program without it")

    replace(torch.nn.parallel.DistributedDataParallel, "forward", made)
    optimizers.register_optimizer_step_pre_hook(before)


def _end_after(torch: Any, steps: int) -> None:
    """Ends the program with exit code 0 after `steps` optimizer steps; the first rank reports a checksum of the weights."""
    from torch.optim import optimizer as optimizers

    from . import _session

    left = steps

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        nonlocal left
        left -= 1
        if left > 0:
            return
        session = _session.current()
        if session is not None and session.speaker.rank == 0 and session.speaker.works("weights"):
            try:
                session.scalar(WEIGHTS, steps, float(weights_of(optimizer)))
            except Exception:
                session.speaker.failed("weights")
        raise SystemExit(0)

    optimizers.register_optimizer_step_post_hook(after)


def weights_of(optimizer: Any) -> int:
    """A checksum of all that the optimizer learned, bit for bit."""
    import torch

    sum_of_all = 0
    for group in optimizer.param_groups:
        for one in group["params"]:
            plain = one.detach().to("cpu").contiguous().view(-1)
            sum_of_all = zlib.crc32(plain.view(torch.uint8).numpy(), sum_of_all)
    return sum_of_all
