"""The connection in pure Python, for when libringside_rank.so cannot be loaded: the functions of _library.py over the local
socket of protocol/wire/FORMAT.md. A record costs some microseconds of the interpreter instead of 0.3, and what the agent has not
acknowledged at the end is lost, which the agent reports. Any thread posts; one thread sends."""

import json
import os
import select
import socket
import struct
import threading
import time
from collections import deque
from typing import Any, Deque, List, Optional, Tuple

from . import _library

_FRAME = struct.Struct("<4sHHQiiQQIIiI")
_RECORD = struct.Struct("<HHIiiQq")
_HELLO, _BATCH, _GOODBYE, _GOODBYE_ACK, _STOP, _ACK = range(1, 7)
_GOODBYE_RECORD = 13
_POSTED, _NOT_CONNECTED, _DROPPED = 0, 1, 3
_BATCH_BYTES = 60 << 10
_BODY_BYTES = 1 << 20
_MOST_WAITING = 8 << 20  # unsent bytes
_MOST_KEPT = 16 << 20  # sent and unacknowledged bytes
_LATE_MS = 20


class Connection:
    way = "Python alone, since libringside_rank.so cannot be loaded"

    def __init__(self) -> None:
        self.problem = ""
        self._node, self._attempt = (int(os.environ.get(name, "0")) for name in ("RINGSIDE_NODE", "RINGSIDE_ATTEMPT"))
        self._rank = 0
        self._token = 0
        self._socket: Any = None  # None: nothing is accepted any more
        self._inode = 0
        self._heard = b""
        self._lock = threading.Lock()
        self._waiting: Deque[bytes] = deque()
        self._waiting_bytes = 0
        self._produced = self._dropped = 0
        self._spent_ns = self._longest_ns = 0
        self._number = 0  # of the next batch
        self._kept: Deque[Tuple[int, int]] = deque()  # (number, bytes) of unacknowledged batches
        self._kept_bytes = 0
        self._stop = 0
        self._deadline_ns: Optional[int] = None  # set when it is closed
        self._sends = threading.Lock()  # held by the sending thread

    def open(self, rank: int, world: int) -> bool:
        """Returns False with the reason in `problem`; an empty one means that another process already reports this rank."""
        folder = os.environ["RINGSIDE_RUN_DIR"]
        agent = f"agent_{self._node}" if self._node else "agent"
        speaks = False
        try:
            with open(os.path.join(folder, agent + ".json"), encoding="utf-8") as file:
                self._token = int(json.load(file)["run_token"], 16)
            self._rank = rank
            speaker = _library.speaker_path(rank)
            os.makedirs(os.path.dirname(speaker), exist_ok=True)
            self._become_speaker(speaker)
            speaks = True
            self._socket = self._connect(folder, agent + ".sock")
            self._send(_HELLO, b"", 0)
            self._sends.acquire()
            _library.start_thread(self._run)
        except FileExistsError:
            return False
        except Exception as error:
            self.problem = f"cannot connect to the agent of {folder}: {type(error).__name__}: {error}"
            self._socket = None
            if speaks:  # no process of this rank could in this attempt
                os.unlink(speaker)
            return False
        return True

    def _become_speaker(self, path: str) -> None:
        """The file's existence is what counts, see trainer/agent/RANKS.md; its text is for people."""
        with open(path, "x", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")

    def _connect(self, folder: str, name: str) -> socket.socket:
        one = socket.socket(socket.AF_UNIX)
        inside = os.open(folder, os.O_PATH)
        try:
            one.connect(f"/proc/self/fd/{inside}/{name}")
        finally:
            os.close(inside)
        self._inode = os.fstat(one.fileno()).st_ino
        return one

    def post(self, kind: int, at_ns: int, body: bytes, size: int) -> int:
        begun_ns = time.monotonic_ns()
        with self._lock:
            if self._socket is None or self._deadline_ns is not None:
                return _NOT_CONNECTED
            fits = size <= _BODY_BYTES and self._waiting_bytes + _RECORD.size + size <= _MOST_WAITING
            if fits:
                self._waiting.append(self._record(kind, self._produced, at_ns or begun_ns, body))
                self._waiting_bytes += _RECORD.size + size
            else:
                self._dropped += 1
            self._produced += 1
            spent_ns = time.monotonic_ns() - begun_ns
            self._spent_ns += spent_ns
            self._longest_ns = max(self._longest_ns, spent_ns)
        return _POSTED if fits else _DROPPED

    def stop_request(self) -> int:
        return self._stop

    def close(self, budget_ns: int) -> None:
        with self._lock:
            if self._socket is None or self._deadline_ns is not None:
                return
            self._deadline_ns = time.monotonic_ns() + budget_ns
        self._sends.acquire(timeout=budget_ns * 1e-9)

    def _record(self, kind: int, number: int, at_ns: int, body: bytes) -> bytes:
        return _RECORD.pack(kind, _RECORD.size, len(body), self._node, self._rank, number, at_ns) + body

    # The thread that sends

    def _run(self) -> None:
        try:
            while self._deadline_ns is None:
                while self._kept_bytes < _MOST_KEPT and self._send_batch():
                    pass
                # Posting does not wake this thread, since that would cost the training thread a system call.
                self._listen(_LATE_MS)
            self._say_goodbye()
        except Exception:  # the agent is gone or memory is exhausted: nothing more is accepted
            pass
        finally:
            self._socket = None
            self._sends.release()

    def _send_batch(self) -> bool:
        records: List[bytes] = []
        size = 0
        with self._lock:
            while self._waiting and (not records or size + len(self._waiting[0]) <= _BATCH_BYTES):
                records.append(self._waiting.popleft())
                size += len(records[-1])
            self._waiting_bytes -= size
        if records:
            self._send(_BATCH, b"".join(records), len(records))
        return bool(records)

    def _ours(self) -> int:
        """Our descriptor, unless the program has closed it: its number may then belong to another file."""
        descriptor: int = self._socket.fileno()
        if os.fstat(descriptor).st_ino != self._inode:
            self._socket.detach()
            raise OSError("the connection was closed")
        return descriptor

    def _send(self, kind: int, payload: bytes, count: int) -> None:
        self._ours()
        self._socket.sendall(_FRAME.pack(b"RSWF", 1, kind, self._token, self._node, self._rank, self._number, 0, count, len(payload),
                                         self._attempt, 0) + payload, socket.MSG_NOSIGNAL)
        if kind != _HELLO:
            self._kept.append((self._number, len(payload)))
            self._kept_bytes += len(payload)
            self._number += 1

    def _listen(self, wait_ms: float) -> None:
        readable = select.poll()
        readable.register(self._ours(), select.POLLIN)
        if not readable.poll(wait_ms):
            return
        got = self._socket.recv(1 << 16)
        if not got:
            raise OSError("the agent has gone")
        self._heard += got
        while len(self._heard) >= _FRAME.size:
            _, _, kind, token, _, _, number, _, count, _, _, _ = _FRAME.unpack_from(self._heard)
            self._heard = self._heard[_FRAME.size:]
            if token != self._token:
                continue
            if kind == _STOP:
                self._stop = max(self._stop, 1 if count == 0 else 2)
            elif kind in (_ACK, _GOODBYE_ACK):
                while self._kept and self._kept[0][0] <= number:
                    self._kept_bytes -= self._kept.popleft()[1]

    def _say_goodbye(self) -> None:
        while self._send_batch():
            pass
        body = struct.pack("<4q", self._produced + 1, self._dropped, self._longest_ns, self._spent_ns)
        self._send(_GOODBYE, self._record(_GOODBYE_RECORD, self._produced, time.monotonic_ns(), body), 1)
        while self._kept:
            left_ns = (self._deadline_ns or 0) - time.monotonic_ns()
            if left_ns <= 0:
                break
            self._listen(left_ns / 1e6 + 1)
