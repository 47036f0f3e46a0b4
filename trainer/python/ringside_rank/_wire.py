"""The connection in Python alone, by pyzmq, where libringside_rank.so cannot be loaded: the calls of _library.py, spoken as
protocol/wire/FORMAT.md has it. A record costs some microseconds of the interpreter instead of 0.3, and what the agent has not
acknowledged at the end is lost, as the agent then says. Any thread posts, one thread here sends."""

import _thread
import json
import os
import struct
import threading
import time
from collections import deque
from typing import Any, Deque, List, Optional, Tuple

import zmq

from . import _library

_FRAME = struct.Struct("<4sHHQiiQQIIiI")
_RECORD = struct.Struct("<HHIiiQq")
_HELLO, _BATCH, _GOODBYE, _GOODBYE_ACK, _STOP, _ACK = range(1, 7)
_GOODBYE_RECORD = 13
_POSTED, _NOT_CONNECTED, _DROPPED = 0, 1, 3
_BATCH_BYTES = 60 << 10
_BODY_BYTES = 1 << 20
_MOST_WAITING = 8 << 20  # bytes that are not sent yet
_MOST_KEPT = 16 << 20  # bytes that are sent and not acknowledged
_LATE_MS = 20


class Connection:
    way = "pyzmq, since libringside_rank.so cannot be loaded"

    def __init__(self) -> None:
        self.problem = ""
        self._node, self._rank, self._attempt = (
            int(os.environ.get(name, "0")) for name in ("RINGSIDE_NODE", "RANK", "RINGSIDE_ATTEMPT"))
        self._token = 0
        self._socket: Any = None
        self._lock = threading.Lock()
        self._waiting: Deque[bytes] = deque()
        self._waiting_bytes = 0
        self._produced = self._dropped = 0
        self._spent_ns = self._longest_ns = 0
        self._number = 0  # of the next batch
        self._kept: Deque[Tuple[int, int]] = deque()  # (number, bytes) of batches that are not acknowledged
        self._kept_bytes = 0
        self._stop = 0
        self._deadline_ns: Optional[int] = None  # once it is closed
        self._sends = threading.Lock()  # held by the thread that sends

    def open(self) -> bool:
        """False, and why in `problem`; an empty one means that nothing is wrong: another process of this rank speaks."""
        folder = os.environ["RINGSIDE_RUN_DIR"]
        speaker = _library.speaker_path()
        speaks = False
        try:
            with open(os.path.join(folder, f"agent_{self._node}.json" if self._node else "agent.json"), encoding="utf-8") as file:
                agent = json.load(file)
            self._token = int(agent["run_token"], 16)
            context = zmq.Context()
            self._socket = context.socket(zmq.DEALER)
            self._socket.curve_serverkey = agent["server_public_key"].encode()
            self._socket.curve_publickey = agent["client_public_key"].encode()
            self._socket.curve_secretkey = agent["client_secret_key"].encode()
            self._socket.routing_id = b"R" + os.urandom(15)
            self._socket.sndhwm = 0  # what is kept is bounded here
            self._become_speaker(speaker)
            speaks = True
            self._socket.connect(agent["telemetry_endpoint"])
            self._send(_HELLO, b"", 0)
            self._sends.acquire()
            # Not one of `threading`: a program may wait for all of those.
            _thread.start_new_thread(self._run, ())
        except FileExistsError:
            return False
        except (OSError, KeyError, ValueError, TypeError, RuntimeError, zmq.ZMQError) as error:
            self.problem = f"cannot connect to the agent of {folder}: {type(error).__name__}: {error}"
            if speaks:  # nobody of this rank could in this attempt
                os.unlink(speaker)
            return False
        return True

    def _become_speaker(self, path: str) -> None:
        """The file is what counts, see trainer/agent/RANKS.md; its text is for people who look."""
        with open(path, "x", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")

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
        with self._sends:
            pass

    def _record(self, kind: int, number: int, at_ns: int, body: bytes) -> bytes:
        return _RECORD.pack(kind, _RECORD.size, len(body), self._node, self._rank, number, at_ns) + body

    # The thread that sends

    def _run(self) -> None:
        try:
            while self._deadline_ns is None:
                while self._kept_bytes < _MOST_KEPT and self._send_batch():
                    pass
                # Nothing wakes it for a post, since that would cost the training thread a system call.
                if self._socket.poll(_LATE_MS):
                    self._listen()
            self._say_goodbye()
        finally:
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

    def _send(self, kind: int, payload: bytes, count: int) -> None:
        self._socket.send(_FRAME.pack(b"RSWF", 1, kind, self._token, self._node, self._rank, self._number, 0, count, len(payload),
                                      self._attempt, 0) + payload)
        if kind != _HELLO:
            self._kept.append((self._number, len(payload)))
            self._kept_bytes += len(payload)
            self._number += 1

    def _listen(self) -> None:
        while self._socket.poll(0):
            message = self._socket.recv()
            if len(message) < _FRAME.size:
                continue
            magic, version, kind, token, _, _, number, _, count, _, _, _ = _FRAME.unpack_from(message)
            if (magic, version, token) != (b"RSWF", 1, self._token):
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
            if left_ns <= 0 or not self._socket.poll(left_ns // 1_000_000 + 1):
                break
            self._listen()
        self._socket.context.destroy(linger=0)
