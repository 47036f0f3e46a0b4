"""The tests of ranks_test.py with the PyTorch of this Python instead of the build's. Only under RINGSIDE_SCRIPTS=1; exit code 77:
skipped."""

import os
import sys
import unittest

if os.environ.get("RINGSIDE_SCRIPTS") != "1":
    print("SKIPPED: ./dev test --scripts runs these")
    sys.exit(77)

import torch  # noqa: E402

from ranks_test import Core, Scripts  # noqa: E402, F401

if __name__ == "__main__":
    print("PyTorch", torch.__version__, file=sys.stderr)
    unittest.main()
