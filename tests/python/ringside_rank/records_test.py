"""Compares the record layouts with the golden bytes of the C++ tests. No torch."""

import math
import re
import struct
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "trainer" / "python")]

import recorder  # noqa: E402
from ringside_rank import _records  # noqa: E402

NAMES = {"RankHello": _records.HELLO, "StepReport": _records.STEP, "BucketReport": _records.BUCKET,
         "EpochReport": _records.EPOCH, "ShardReport": _records.SHARD, "RankState": _records.STATE,
         "ClockSync": _records.CLOCK, "Notice": _records.NOTICE, "Scalar": _records.SCALAR,
         "GroupReport": _records.GROUP, "CollectiveReport": _records.COLLECTIVE}


def golden():
    """Name -> (type, body)."""
    text = (ROOT / "tests/protocol/messages/golden_records_test.cpp").read_text()
    found = {}
    for name, parts in re.findall(r'\{"(\w+)",\s*((?:"[0-9a-f]+"\s*)+)\}', text):
        data = bytes.fromhex("".join(re.findall(r'"([0-9a-f]+)"', parts)))
        kind, header, size = struct.unpack_from("<HHI", data)
        assert len(data) == header + size
        found[name] = (kind, data[header:])
    return found


class Layouts(unittest.TestCase):
    def test_every_record_has_the_golden_bytes(self):
        bodies = golden()
        self.assertEqual(len(bodies), 16)
        for name, kind in NAMES.items():
            with self.subTest(name):
                self.assertEqual(bodies[name][0], kind)
                values = recorder.decode(*bodies[name])
                self.assertEqual(_records.pack(kind, **values), bodies[name][1])

    def test_the_fields_stand_in_the_order_of_the_format(self):
        text = (ROOT / "protocol/messages/FORMAT.md").read_text()
        for name, kind in NAMES.items():
            with self.subTest(name):
                part = re.search(rf"### {kind} {name}\b.*?\n(.*?)(?=\n### |\n\n(?:[A-Z]|###)|\Z)", text, re.S).group(1)
                places = []
                for field, _ in _records.FIELDS[kind]:
                    found = re.search(rf"\b{field}\b", part[places[-1] if places else 0:])
                    self.assertIsNotNone(found, field)
                    places.append((places[-1] if places else 0) + found.end())

    def test_steps_and_scalars_are_packed_as_the_table_has_them(self):
        kind, body = golden()["StepReport"]
        self.assertEqual(_records.pack_step(*recorder.decode(kind, body).values()), body)
        kind, body = golden()["Scalar"]
        self.assertEqual(_records.scalar(*recorder.decode(kind, body).values()), body)

    def test_the_unknown_number_keeps_its_bits_and_no_other_has_them(self):
        self.assertEqual(struct.pack("<f", _records.UNKNOWN), b"\xad\xde\xc0\x7f")
        self.assertNotEqual(struct.pack("<f", math.nan), b"\xad\xde\xc0\x7f")

    def test_a_field_too_many_or_too_few_is_refused(self):
        with self.assertRaises(KeyError):
            _records.pack(_records.CLOCK, peer=0, offset_ns=0)
        with self.assertRaises(TypeError):
            _records.pack(_records.CLOCK, peer=0, offset_ns=0, uncertainty_ns=0, more=1)

    def test_a_shard_comes_in_pieces_and_a_huge_one_is_thinned(self):
        pieces = [recorder.decode(_records.SHARD, body) for body in _records.shard_bodies(2, -1, 50_000, 3, range(40_000))]
        self.assertEqual([piece["offset"] for piece in pieces], [0, 16384, 32768])
        self.assertEqual([index for piece in pieces for index in piece["indices"]], list(range(40_000)))
        self.assertEqual({(p["shard_size"], p["padded"], p["stride"], p["sampler_seed"]) for p in pieces},
                         {(40_000, 3, 1, 2**64 - 1)})
        size = 3 * _records.COMPLETE_SHARD + 5
        pieces = [recorder.decode(_records.SHARD, body) for body in _records.shard_bodies(0, 0, size, 0, range(size))]
        self.assertEqual({piece["stride"] for piece in pieces}, {4})
        self.assertEqual(sum(len(piece["indices"]) for piece in pieces), -(-size // 4))
        self.assertTrue(all(p["indices"][0] == p["offset"] for p in pieces))


if __name__ == "__main__":
    unittest.main()
