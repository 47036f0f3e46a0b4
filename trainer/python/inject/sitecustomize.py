"""Python imports this first if the agent put this folder on PYTHONPATH. Instruments the script when it imports torch, and runs the
sitecustomize of the user's own, which this one hides. Removes its traces, so that scripts see the usual modules and path."""


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
        # As Python would say it; site takes that for what it is, and nothing of this name stays.
        raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop("sitecustomize", None)
        raise


_own_first()
