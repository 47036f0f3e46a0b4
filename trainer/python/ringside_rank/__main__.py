"""`python -m ringside_rank` prints the version and how this process would connect. It sends no telemetry."""

import os

from . import __version__, _connection


def main() -> None:
    print(f"ringside-rank {__version__}")
    if not os.environ.get("RINGSIDE_RUN_DIR"):
        print("outside a run: every call does nothing")
        return
    print(f"reports by {_connection.load().way}")


main()
