"""Prints what a script can notice of our package: failed imports, the path, the modules."""

import sys
import traceback

for name in ("no_such_module", "torch.no_such_part", "wandb_of_nobody"):
    try:
        __import__(name)
    except ImportError as error:
        print("ERROR", type(error).__name__, error)
        print("FRAMES", len(traceback.extract_tb(error.__traceback__)))
print("OWN", getattr(sys, "ran_own_sitecustomize", False))
print("SITE", sys.modules["sitecustomize"].__file__.endswith("recording/sitecustomize.py"))
print("INJECT", any(folder.endswith("inject") for folder in sys.path))
