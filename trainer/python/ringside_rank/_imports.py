"""Calls a function right after a module was imported, whoever imports it. A failing import fails in the same way as without it:
same error, same frames."""

import sys
from typing import Any, Callable, Dict, Optional

_waiting: Dict[str, Callable[[Any], None]] = {}
_finding = False


def after(name: str, call: Callable[[Any], None]) -> None:
    """Calls `call` with the module after its import, or now if it is already imported. Exceptions in `call` are dropped."""
    module = sys.modules.get(name)
    if module is not None:
        _call(call, module)
        return
    if not _waiting:
        sys.meta_path.insert(0, _Finder)  # type: ignore[arg-type]
    _waiting[name] = call


def _call(call: Callable[[Any], None], module: Any) -> None:
    try:
        call(module)
    except Exception as error:
        from . import _session

        text = f"{module.__name__} cannot be instrumented: {error}"
        _session.on_open(lambda session: session.speaker.notice(1, "instrument_off", text))


class _Finder:
    """A finder that asks the other finders for the module, and wraps its loader to be called after the import."""

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> Optional[Any]:
        global _finding
        if name not in _waiting or _finding:
            return None
        _finding = True
        try:
            spec = None
            for finder in sys.meta_path:
                find = getattr(finder, "find_spec", None)
                spec = find(name, path, target) if find is not None and finder is not cls else None
                if spec is not None:
                    break
        finally:
            _finding = False
        if spec is not None and hasattr(spec.loader, "exec_module"):
            _listen(spec.loader, name)
        return spec


def _listen(loader: Any, name: str) -> None:
    original = loader.exec_module

    def _call_with_frames_removed(module: Any) -> None:
        del loader.exec_module
        original(module)
        _imported(name, module)

    # Python omits frames with this name in this file from the traceback of a failed import.
    code = _call_with_frames_removed.__code__
    _call_with_frames_removed.__code__ = code.replace(co_filename="<frozen importlib._bootstrap_external>")
    try:
        loader.exec_module = _call_with_frames_removed
    except AttributeError:
        pass


def _imported(name: str, module: Any) -> None:
    call = _waiting.pop(name, None)
    if not _waiting and _Finder in sys.meta_path:
        sys.meta_path.remove(_Finder)  # type: ignore[arg-type]
    if call is not None:
        _call(call, module)
