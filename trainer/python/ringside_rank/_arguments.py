"""Overrides arguments of the script's own calls without changing the script: RINGSIDE_ARGUMENTS names them, as in
"DataLoader.num_workers=2". Without the variable, torch is not modified here. The workers of a loader with an iterable data set
are not changed, since each worker would read all of it."""

import inspect
import os
from typing import Any, Dict

_KINDS = {"num_workers": int, "pin_memory": bool, "bucket_cap_mb": float, "gradient_as_bucket_view": bool}


def asked() -> Dict[str, Dict[str, Any]]:
    """The requested arguments by class and name. Invalid or unknown ones are ignored."""
    found: Dict[str, Dict[str, Any]] = {}
    for one in os.environ.get("RINGSIDE_ARGUMENTS", "").split(","):
        owner, _, rest = one.partition(".")
        name, _, value = rest.partition("=")
        if name in _KINDS:
            try:
                found.setdefault(owner, {})[name] = _KINDS[name](float(value))
            except (ValueError, OverflowError):
                pass
    return found


def install(torch: Any) -> None:
    wanted = asked()
    if not wanted:
        return
    from torch.utils.data import DataLoader

    from ._replace import replace

    for owner in (DataLoader, torch.nn.parallel.DistributedDataParallel):
        own = wanted.get(owner.__name__)
        if own:
            replace(owner, "__init__", lambda original, own=own: _with(original, own))


def _with(original: Any, wanted: Dict[str, Any]) -> Any:
    signature = inspect.signature(original)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            bound = signature.bind(self, *args, **kwargs)
            given = bound.arguments
            if not ("num_workers" in wanted and _iterable(given.get("dataset"))):
                given.update({name: value for name, value in wanted.items() if name in signature.parameters})
            args, kwargs = bound.args[1:], bound.kwargs
        except TypeError:
            pass  # the program's own error, which it gets from the original call
        original(self, *args, **kwargs)

    return __init__


def _iterable(dataset: Any) -> bool:
    from torch.utils.data import IterableDataset

    return isinstance(dataset, IterableDataset)
