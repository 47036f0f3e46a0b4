"""Python imports this module first if the agent put its folder on PYTHONPATH. It instruments the script when the script imports
torch, and runs the user's own sitecustomize, which this one hides. It removes its traces, so that scripts see the usual modules
and path."""


def _own_first():
    import os
    import sys

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != here]
    if ("RANK" in os.environ or "RINGSIDE_RANK" in os.environ) and os.environ.get("RINGSIDE_INSTRUMENT") == "1":
        try:
            import ringside_rank  # noqa: F401
        except Exception:
            pass
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    sys.modules.pop("sitecustomize", None)
    spec = PathFinder.find_spec("sitecustomize")
    if spec is None or spec.loader is None:
        # The error that Python would raise; site ignores it, and no module of this name remains.
        raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop("sitecustomize", None)
        raise


_own_first()
