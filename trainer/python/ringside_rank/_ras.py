"""What NCCL's RAS, a thread of NCCL 2.24 and newer in every process, knows of the job where no step ends: kept beside what the rank
printed. NCCL counts the collectives of each communicator on its own, so this is evidence from another source than our records. On a
thread of its own, since RAS asks the other processes, and may wait for them."""

import os
import socket
import time
from typing import Any, List, Tuple

from . import _library, _records

FILE = "nccl_ras.txt"
_ADDRESS = "localhost:28028"
_PATIENCE_S = 30.0
_MOST_BYTES = 1 << 20
_MOST_LINES = 4


def keep(speaker: Any) -> None:
    """Writes the file and says what RAS finds wrong. Nothing where nobody answers."""
    try:
        text = _ask(*_address())
    except OSError:
        return
    if not text:
        return
    path = os.path.join(_library.rank_folder(speaker.rank), FILE)
    try:
        with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(text)
        speaker.notice(_records.INFO, "nccl_ras", f"NCCL's RAS at {os.environ.get('NCCL_RAS_ADDR', _ADDRESS)}: {words(text)}; "
                       f"all of it is in {os.sep.join(path.split(os.sep)[-3:])}")
    except Exception:
        speaker.failed("NCCL's RAS")


def words(text: str) -> str:
    """What stands under "Errors" and "Warnings", which are underlined."""
    found: List[str] = []
    lines, inside = [line.strip() for line in text.splitlines()], False
    for line, below in zip(lines, [*lines[1:], ""]):
        if below and not below.strip("="):
            inside = line in ("Errors", "Warnings")
        elif inside and line.strip("="):
            found.append(line)
    if not found:
        return "no errors and no warnings"
    return ", ".join(found[:_MOST_LINES]) + (", ..." if len(found) > _MOST_LINES else "")


def _address() -> Tuple[str, int]:
    host, _, port = os.environ.get("NCCL_RAS_ADDR", _ADDRESS).rpartition(":")
    return host.strip("[]"), int(port) if port.isdigit() else 0


def _ask(host: str, port: int) -> str:
    """It closes the connection behind its answer."""
    answer, end = b"", time.monotonic() + _PATIENCE_S
    with socket.create_connection((host, port), timeout=1.0) as one:
        one.sendall(b"verbose status\n")
        while len(answer) < _MOST_BYTES:
            one.settimeout(max(0.1, end - time.monotonic()))
            got = one.recv(1 << 16)
            if not got:
                break
            answer += got
    return answer.decode("utf-8", "replace")
