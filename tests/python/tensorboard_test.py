"""Compares `ringside export --tensorboard` with `--csv` of the same run: every value, in order, bit by bit in single precision.

tensorboard_test.py CASE --ringside PROGRAM --tool PROGRAM. The case `event_files` reads the files with a small reader
in this file, which follows the description of the format and checks every checksum; `tensorboard` with TensorBoard's own
EventAccumulator. Exit code 77: skipped, with the reason.
"""

import argparse
import csv
import json
import math
import struct
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

RUN = "20261121T134005Z-7f3a1c"
FIELDS_OF_STEP = ["loss", "lr", "grad_norm", "loss_scale", "skipped", "samples", "local_grad_norm",
                  "non_finite_buckets"]
PARTS_OF_STEP = ["step", "data_wait", "host_to_device", "forward", "backward", "exposed_comm", "optimizer"]


def single(value):
    """Bits of the nearest single-precision number; all NaNs are equal."""
    if math.isnan(value):
        return "nan"
    try:
        return struct.pack("<f", value).hex()
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, value)).hex()


def rows(folder, table):
    with open(folder / f"{table}.csv", newline="", encoding="utf-8", errors="surrogateescape") as file:
        return list(csv.DictReader(file))


def add_steps(folder, expected):
    for row in rows(folder, "steps"):
        values = {f"step/{name}": row[name] for name in FIELDS_OF_STEP}
        if row["correct"]:
            values["step/accuracy"] = int(row["correct"]) / int(row["samples"])
        for part in PARTS_OF_STEP:
            if row[f"{part}_ns"]:
                values[f"time_ms/{part}"] = int(row[f"{part}_ns"]) / 1e6
        for tag, value in values.items():
            if value != "":
                expected[f"rank_{row['rank']}", tag].append((int(row["step"]), single(float(value))))


def add_epochs(folder, expected):
    for row in rows(folder, "epochs"):
        values = {"seconds": float(row["seconds"]), "idle_seconds": float(row["idle_seconds"])}
        counted = int(row["counted"])
        if counted:
            values["loss"] = float(row["loss_sum"]) / counted
            values["accuracy"] = int(row["correct"]) / counted
        for name, value in values.items():
            expected[f"rank_{row['rank']}", f"epoch_{row['phase']}/{name}"].append((int(row["epoch"]), single(value)))


def add_scalars(folder, expected):
    for row in rows(folder, "scalars"):
        where = f"rank_{row['rank']}" if row["rank"] else f"node_{row['node']}"
        name = row["name"].encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        tag = "scalar/" + name if name.startswith("step/") else name
        expected[where, tag].append((int(row["step"]), single(float(row["value"]))))


def add_samples(folder, expected):
    """Expects values without steps: event files have the node's newest step, which these tables do not contain."""
    for row in rows(folder, "devices"):
        for name, value in list(row.items())[8:-1]:  # the last column is the attempt
            if value:
                expected[f"node_{row['node']}", f"device_{row['device_index']}/{name}"].append((None, single(float(value))))
    for row in rows(folder, "hosts"):
        for name, value in list(row.items())[5:-1]:
            parts = value.split(";")
            for place, part in enumerate(parts):
                if part:
                    tag = f"host/{name}" + (f"/{place}" if name.startswith("rank_") else "")
                    expected[f"node_{row['node']}", tag].append((None, single(float(part))))


def of_csv(folder):
    expected = defaultdict(list)
    for add in (add_steps, add_epochs, add_scalars, add_samples):
        add(folder, expected)
    return expected


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift, more = at + 1, shift + 7, data[at] & 0x80
        if not more:
            return value, at


def fields(data):
    """(number, value) of each field of a message; the value is bytes, or the integer of its bits."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            size = {1: 8, 5: 4}[kind]
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def read_file(path):
    """Yields (wall time, step, tag, value) and checks the frames."""
    data, at, first = path.read_bytes(), 0, True
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        payload = data[at + 12 : at + 12 + size]
        assert struct.unpack_from("<I", data, at + 8)[0] == masked(data[at : at + 8]), "checksum of a length"
        assert struct.unpack_from("<I", data, at + 12 + size)[0] == masked(payload), "checksum of a record"
        at += 16 + size
        event = dict(fields(payload))
        (wall_time,) = struct.unpack("<d", event[1])
        if first:
            assert event[3] == b"brain.Event:2", event
            first = False
            continue
        for _, value in fields(event[5]):
            parts = dict(fields(value))
            yield wall_time, event[2], parts[1].decode(), struct.unpack("<f", parts[2])[0]


def of_event_files(folder):
    found, times = defaultdict(list), defaultdict(list)
    for path in sorted(folder.glob("*/*tfevents*")):
        for wall_time, step, tag, value in read_file(path):
            found[path.parent.name, tag].append((step, single(value)))
            times[path.parent.name, tag].append(wall_time)
    return found, times


def of_tensorboard(folder):
    try:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    except ImportError as error:
        print(f"SKIPPED: this Python has no TensorBoard ({error}); ./dev test fetches its reader")
        sys.exit(77)
    found, times = defaultdict(list), defaultdict(list)
    for path in sorted(folder.iterdir()):
        accumulator = EventAccumulator(str(path), size_guidance={"scalars": 0}, purge_orphaned_data=True)
        accumulator.Reload()
        for tag in accumulator.Tags()["scalars"]:
            for event in accumulator.Scalars(tag):
                found[path.name, tag].append((event.step, single(event.value)))
                times[path.name, tag].append(event.wall_time)
    return found, times


def compare(expected, found):
    missing, surplus = sorted(set(expected) - set(found)), sorted(set(found) - set(expected))
    assert not missing and not surplus, f"missing {missing[:5]}, too many {surplus[:5]}"
    count = 0
    for key, values in expected.items():
        assert len(values) == len(found[key]), f"{key}: {len(found[key])} values, {len(values)} rows"
        for (step, value), (other_step, other_value) in zip(values, found[key]):
            assert value == other_value, f"{key} at {step}: {other_value}, not {value}"
            assert step is None or step == other_step, f"{key}: step {other_step}, not {step}"
            count += 1
    return count


def check_hard_cases(found):
    assert ("rank_3", "step/loss") not in found, "a loss that was never reported"
    assert any(value == "nan" for _, value in found["rank_1", "step/loss"]), "NaN was lost"
    assert [value for _, value in found["rank_4", "step/loss"]][:2] == [single(math.inf), single(-math.inf)]
    assert len(found["rank_4", "größe/x"]) == 6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", choices=["event_files", "tensorboard"])
    parser.add_argument("--ringside", required=True)
    parser.add_argument("--tool", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as name:
        folder = Path(name)
        subprocess.run([options.tool, folder / "runs", RUN], check=True)
        for kind in ("csv", "tensorboard"):
            command = [options.ringside, "export", RUN, f"--{kind}", folder / kind, "--runs-dir", folder / "runs", "--json"]
            told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        found, times = (of_event_files if options.case == "event_files" else of_tensorboard)(folder / "tensorboard")
        count = compare(of_csv(folder / "csv"), found)
        assert count == told["values"], f"{count} values read, {told['values']} written"
        check_hard_cases(found)
        for key, all_times in times.items():
            assert all(1.79e9 < time < 1.80e9 for time in all_times), f"{key}: {all_times[:3]} is not when it was"
    print(f"{count} values of {len(found)} curves agree")


if __name__ == "__main__":
    main()
