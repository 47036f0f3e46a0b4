"""Lists what is instrumented, by the module after whose import it happens."""

from typing import Any

from . import _imports


def _torch(module: Any) -> None:
    from . import _torch as ours

    ours.install(module)


def _dynamo(rules: Any) -> None:
    """Keeps torch.compile from tracing or compiling our functions."""
    rules.add(__package__)


def _tensorboard(module: Any) -> None:
    from . import _loggers

    _loggers.watch_writer(module)


def _wandb(module: Any) -> None:
    from . import _loggers

    _loggers.watch_wandb(module)


def _lightning(module: Any) -> None:
    from . import _callbacks

    _callbacks.watch_lightning(module)


def _transformers(module: Any) -> None:
    from . import _callbacks

    _callbacks.watch_transformers(module)


def _accelerate(module: Any) -> None:
    from . import _callbacks

    _callbacks.watch_accelerate(module)


_HOOKS = {
    "torch": _torch,
    "torch._dynamo.trace_rules": _dynamo,
    "torch.utils.tensorboard.writer": _tensorboard,
    "tensorboardX.writer": _tensorboard,
    "wandb": _wandb,
    "lightning.pytorch.trainer.trainer": _lightning,
    "pytorch_lightning.trainer.trainer": _lightning,
    "transformers.trainer": _transformers,
    "accelerate.accelerator": _accelerate,
}
_done = False


def install() -> None:
    """Installs the instrumentation; calling it again has no effect."""
    global _done
    if _done:
        return
    _done = True
    for name, call in _HOOKS.items():
        _imports.after(name, call)
