"""Replaces functions of a library by wrappers."""

import functools
from typing import Any


def replace(owner: Any, name: str, made: Any) -> None:
    """Replaces a function by `made(original)`, with the original's name and signature."""
    original = getattr(owner, name, None)
    if original is not None:
        setattr(owner, name, functools.wraps(original)(made(original)))


def replace_traced(torch: Any, owner: Any, name: str, made: Any) -> None:
    """Like `replace`, but torch.compile traces the original function."""
    compiling = compiling_of(torch)

    def both(original: Any) -> Any:
        watched = made(original)

        def call(*args: Any, **kwargs: Any) -> Any:
            return original(*args, **kwargs) if compiling() else watched(*args, **kwargs)

        return nobodys(call)

    replace(owner, name, both)


def compiling_of(torch: Any) -> Any:
    """torch's function that returns whether torch.compile is tracing its caller; in a torch without it, one that returns False."""
    return getattr(getattr(torch, "compiler", None), "is_compiling", bool)


def nobodys(call: Any) -> Any:
    """Gives the function's code another file name, since torch.compile skips functions of our files."""
    call.__code__ = call.__code__.replace(co_filename="<ringside>")
    return call
