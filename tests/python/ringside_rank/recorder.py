"""A fake libringside_rank.so with the calls of ringside_rank/_library.py: posted records go to a file, from which
`read` returns them, decoded by a separate table in this file that follows FORMAT.md."""

import os
import struct
from array import array

HELLO, STEP, BUCKET, EPOCH, SHARD, STATE, CLOCK, NOTICE, SCALAR, GOODBYE, GROUP, COLLECTIVE = 1, 2, 3, 4, 5, 8, 9, 11, 12, 13, 15, 16
NAMES = {HELLO: "hello", STEP: "step", BUCKET: "bucket", EPOCH: "epoch", SHARD: "shard", STATE: "state", CLOCK: "clock",
         NOTICE: "notice", SCALAR: "scalar", GOODBYE: "goodbye", GROUP: "group", COLLECTIVE: "collective"}
LAYOUTS = {
    HELLO: "pid:i local_rank:i world_size:i attempt:i device_index:i device_uuid:s device_name:s host:s backend:s versions:s "
           "threads:i wall_ns:q parameters:q gradient_bytes:q steps_per_epoch:q epochs:q first_step:q cpus:l loader_workers:i",
    STEP: "epoch:i step:q samples:i loss:f correct:i lr:d grad_norm:f loss_scale:f skipped:B data_wait_ns:q host_to_device_ns:q "
          "forward_ns:q backward_ns:q exposed_comm_ns:q optimizer_ns:q step_ns:q local_grad_norm:f non_finite_buckets:i",
    BUCKET: "epoch:i step:q bucket:i size_bytes:q ready_ns:q reduced_ns:q",
    EPOCH: "epoch:i phase:B loss_sum:d correct:q counted:q padded:q steps:q seconds:d last_step:q padded_correct:q idle_seconds:d",
    SHARD: "epoch:i sampler_seed:Q dataset_size:q shard_size:q padded:q offset:q stride:i indices:l replica:i replicas:i",
    STATE: "state:B attempt:i last_step:q exit_code:i signal:i last_collective:s text:s wall_ns:q about:i",
    CLOCK: "peer:i offset_ns:q uncertainty_ns:q",
    NOTICE: "severity:B code:s text:s",
    SCALAR: "name:s step:q value:d own_step:B",
    GOODBYE: "",
    GROUP: "group:i name:s dimension:s purpose:s group_backend:s ranks:l same_samples:B",
    COLLECTIVE: "step:q group:i operation:B number:q peer:i size_bytes:q entered_ns:q issued_ns:q done_ns:q own_ns:q on_device:B",
}
FRAME = struct.Struct("<HqI")


class Recorder:
    """Writes `folder`/rank_R; only the first process of a rank records."""

    problem = ""

    def __init__(self, folder):
        self._folder = folder
        self._file = None
        self._pid = os.getpid()

    def open(self, rank, world):
        path = os.path.join(self._folder, f"rank_{rank}")
        try:
            os.close(os.open(path + ".lock", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        self._file = open(path, "ab", buffering=0)
        return True

    def post(self, kind, at_ns, body, size):
        assert os.getpid() == self._pid, "a child of fork speaks"
        assert len(body) == size
        decode(kind, body)
        self._file.write(FRAME.pack(kind, at_ns, size) + body)
        return 0

    def stop_request(self):
        return 0

    def close(self, budget_ns):
        self.post(GOODBYE, 0, b"", 0)
        self._file.close()


def decode(kind, body):
    """The fields by name; refuses data that is too short or too long."""
    values, at = {}, 0
    for field in LAYOUTS[kind].split():
        name, layout = field.split(":")
        if layout in "sl":
            (count,) = struct.unpack_from("<I", body, at)
            size = count * (4 if layout == "l" else 1)
            data, at = body[at + 4: at + 4 + size], at + 4 + size
            assert len(data) == size, f"{name} of record {kind} is cut off"
            values[name] = list(array("I", data)) if layout == "l" else data.decode()
        else:
            (values[name],) = struct.unpack_from("<" + layout, body, at)
            if layout == "f" and body[at:at + 4] == b"\xad\xde\xc0\x7f":
                values[name] = None
            at += struct.calcsize("<" + layout)
    assert at == len(body), f"record {kind} has {len(body) - at} bytes too many"
    return values


def read(folder, rank):
    """Type name -> list of its records, each with `at_ns` and `place`, its index among all records."""
    found = {name: [] for name in NAMES.values()}
    path = os.path.join(folder, f"rank_{rank}")
    data = b""
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
    at = place = 0
    while at < len(data):
        kind, at_ns, size = FRAME.unpack_from(data, at)
        at += FRAME.size
        values = decode(kind, data[at:at + size])
        values.update(at_ns=at_ns, place=place)
        found[NAMES[kind]].append(values)
        at += size
        place += 1
    return found
