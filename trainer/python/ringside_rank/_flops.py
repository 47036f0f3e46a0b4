"""Counts the floating-point operations of one step by data type if RINGSIDE_FLOPS is 1, using the formulas of torch's
FlopCounterMode but not its module hooks, about which torch.compile warns. In that step each operator costs a Python call, and
compiled code runs uncompiled. Forward and backward count, including recomputation and padding; operations without gradients,
such as an evaluation, do not. Kernels without a formula in torch count as 0. Training thread and autograd threads."""

import os
from typing import Any, Dict

BEHIND = 4  # the count starts at the end of this step; steps before may be a warm-up

done = os.environ.get("RINGSIDE_FLOPS") != "1"
_counting: Any = None  # the mode, and the number of modes that were active before it


def look(session: Any, which: int) -> None:
    """Called after an optimizer step."""
    global done, _counting
    steps = session.steps
    if steps.is_other(which) or steps.open is None or not steps.ended:
        return
    try:
        import torch

        modes = torch._C._len_torch_dispatch_stack()
        if _counting is None:
            if steps.number < BEHIND:
                return
            if modes:  # the program's own mode may end within the step and would remove ours instead
                raise RuntimeError("the program has a dispatch mode of its own")
            _counting = _mode(torch)
            _counting.__enter__()
            return
        done, counted = True, _counting
        counted.on = False
        if modes != 1:
            raise RuntimeError("the program has begun a dispatch mode within a step")
        counted.__exit__(None, None, None)
        if not counted.broken:
            steps.open.told = [*steps.open.told, *((f"flops/{kind} per step", float(flops)) for kind, flops in counted.found.items())]
    except Exception:
        done = True
        session.speaker.failed("floating-point operations")


def _mode(torch: Any) -> Any:
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils.flop_counter import flop_registry

    class Mode(TorchDispatchMode):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.found: Dict[str, int] = {}
            self.on = True
            self.broken = False  # an operator raised, and may have been retried

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            try:
                result = func(*args, **kwargs)
            except BaseException:
                self.broken = True
                raise
            try:
                if self.on and (torch.is_grad_enabled() or torch._C._current_autograd_node() is not None):
                    self._add(func._overloadpacket, args, kwargs, result)
            except Exception:  # an older torch, or a special kind of operator
                self.broken = True
            return result

        def _add(self, operator: Any, args: Any, kwargs: Any, result: Any) -> None:
            formula = flop_registry.get(operator)
            if formula is None:
                return
            given = next(one for one in args if isinstance(one, torch.Tensor))
            kind = str(given.dtype).replace("torch.", "")
            if given.is_cuda and kind == "float32":
                backends = torch.backends
                kind = "tf32" if (backends.cudnn if "conv" in str(operator) else backends.cuda.matmul).allow_tf32 else kind
            self.found[kind] = self.found.get(kind, 0) + int(formula(*args, **kwargs, out_val=result))

    return Mode()
