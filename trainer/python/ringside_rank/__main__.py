"""`python -m ringside_rank`: the version, and by what this process would report. Reports nothing itself."""

import os

from . import __version__, _connection


def main() -> None:
    print(f"ringside-rank {__version__}")
    if not os.environ.get("RINGSIDE_RUN_DIR"):
        print("outside a run: every call does nothing")
        return
    print(f"reports by {_connection.load().way}")


main()
