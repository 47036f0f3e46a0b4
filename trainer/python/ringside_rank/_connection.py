"""The connection to the agent: the library that it names, else the one in Python."""

import os
from typing import Any

from . import _library


def load() -> Any:
    """The library that the agent names; where it cannot be loaded, the connection in Python."""
    try:
        return _library.Library(os.environ["RINGSIDE_RANK_LIBRARY"])
    except (KeyError, OSError, AttributeError):
        from ._wire import Connection

        return Connection()
