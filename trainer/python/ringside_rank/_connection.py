"""The connection to the agent: the library that the agent names, or the implementation in Python."""

import os
from typing import Any

from . import _library


def load() -> Any:
    """Loads the library that the agent names; falls back to the connection in Python."""
    try:
        return _library.Library(os.environ["RINGSIDE_RANK_LIBRARY"])
    except (KeyError, OSError, AttributeError):
        from ._wire import Connection

        return Connection()
