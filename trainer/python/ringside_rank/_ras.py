"""Saves what NCCL's RAS (a thread of NCCL 2.24 and newer in every process) knows about the job when no step ends, beside the
rank's output. NCCL counts the collectives of each communicator itself, so this is evidence independent of our records. Runs on
its own thread, since RAS queries the other processes and may wait for them."""

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
    """Writes the file and reports the problems that RAS finds. Does nothing if nobody responds, or if another job may respond:
    all processes of a user that use NCCL listen on the same port."""
    try:
        address = os.environ.get("NCCL_RAS_ADDR", _ADDRESS)
        host, port = _parts(address)
        text = _ask(host, port) if "NCCL_RAS_ADDR" in os.environ or only_this_run_listens(port) else ""
        if not text:
            return
        path = os.path.join(_library.rank_folder(speaker.rank), FILE)
        with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(text)
        speaker.notice(_records.INFO, "nccl_ras", f"NCCL's RAS at {address}: {words(text)}; "
                       f"all of it is in {os.sep.join(path.split(os.sep)[-3:])}")
    except ConnectionRefusedError:
        return
    except Exception:
        speaker.failed("NCCL's RAS")


def only_this_run_listens(port: int) -> bool:
    """Checks which processes of this host listen on this port, by the kernel's tables and the processes' environments."""
    sockets = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table, encoding="ascii") as lines:
            sockets |= {fields[9] for fields in map(str.split, lines) if fields[3] == "0A" and fields[1].endswith(f":{port:04X}")}
    if not sockets:
        return False
    own = os.fsencode("RINGSIDE_RUN_DIR=" + os.environ["RINGSIDE_RUN_DIR"])
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                if own in file.read().split(b"\0"):
                    links = [os.readlink(f"/proc/{process}/fd/{number}") for number in os.listdir(f"/proc/{process}/fd")]
                    sockets -= {link[len("socket:["):-1] for link in links}
        except OSError:  # it has ended or belongs to another user
            continue
    return not sockets


def words(text: str) -> str:
    """The text under the underlined headings "Errors" and "Warnings"."""
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


def _parts(address: str) -> Tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def _ask(host: str, port: int) -> str:
    """Returns the reply, after which the connection closes; after a timeout, what has arrived."""
    answer, end = b"", time.monotonic() + _PATIENCE_S
    with socket.create_connection((host, port), timeout=1.0) as one:
        one.sendall(b"verbose status\n")
        while len(answer) < _MOST_BYTES and time.monotonic() < end:
            one.settimeout(max(0.1, end - time.monotonic()))
            try:
                got = one.recv(1 << 16)
            except socket.timeout:
                break
            if not got:
                break
            answer += got
    return answer.decode("utf-8", "replace")
