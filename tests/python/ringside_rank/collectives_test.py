"""Collectives of process groups. Own: which rank was late, from calls entered by hand, without torch. Scripts: small trainings of
each kind over Gloo, under RINGSIDE_SCRIPTS=1. Exit code 77: this Python has no torch, or Scripts were not requested."""

import os
import signal
import sys
import tempfile
import types
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

import ranks  # noqa: E402
import recorder  # noqa: E402
from ringside_rank import _collectives  # noqa: E402

REDUCE, GATHER, SCATTER, BROADCAST = 0, 1, 2, 3
ASKED = os.environ.get("RINGSIDE_SCRIPTS") == "1"


class Made(unittest.TestCase):
    """The calls of one rank, entered by hand."""

    def setUp(self):
        self.said = []
        self.steps = types.SimpleNamespace(number=0)
        speaker = types.SimpleNamespace(post=lambda kind, at_ns, body: self.said.append(recorder.decode(kind, body)))
        self.notes = _collectives.Notes(types.SimpleNamespace(speaker=speaker, steps=self.steps))
        self.group = _collectives.Group("0")
        self.group.ranks, self.group.number, self.group.backend = [0, 1], 0, "gloo"

    def note(self, entered, issued, done=-1, waited=-1, step=0, bucket=False):
        one = _collectives.Note()
        one.group, one.operation, one.number, one.peer, one.size = self.group, REDUCE, len(self.notes.notes), -1, 8
        one.step, one.entered, one.issued, one.done, one.waited = step, entered, issued, done, waited
        one.on_device, one.bucket = False, bucket
        self.notes.notes.append(one)


class Own(Made):
    def own(self):
        self.notes.say(True)
        return [one["own_ns"] for one in self.said if "own_ns" in one]

    def test_what_a_rank_waited_is_not_its_own(self):
        self.note(100, 110, 150, waited=150)
        self.notes.waits.append((112, 150))
        self.note(200, 210)
        self.assertEqual(self.own(), [-1, 200 - 110 - 38])

    def test_without_a_wait_the_rank_computed_all_the_time(self):
        self.note(100, 110, 150, waited=300)  # completed while the rank computed, waited for later
        self.note(200, 210)
        self.assertEqual(self.own(), [-1, 90])

    def test_a_wait_that_is_not_seen_ended_when_it_was_done(self):
        self.note(100, 110, 150)
        self.note(200, 210)
        self.assertEqual(self.own(), [-1, 50])

    def test_only_the_last_bucket_is_waited_for(self):
        self.note(100, 110, 150, bucket=True)
        self.note(200, 210, 250, bucket=True)
        self.note(300, 310)
        self.assertEqual(self.own(), [-1, 90, 50])

    def test_it_is_said_when_the_next_step_has_begun_and_its_group_once(self):
        self.note(_collectives._now(), _collectives._now())
        self.notes.say()
        self.assertEqual(self.said, [])
        self.steps.number = 1
        self.notes.say()
        self.note(_collectives._now(), _collectives._now(), step=1)
        self.notes.say(True)
        self.assertEqual(["ranks" in one for one in self.said], [True, False, False])

    def test_of_very_many_only_some_steps_are_said_and_all_are_counted(self):
        now = _collectives._now()
        for step in range(40):
            for _ in range(100):
                self.note(now, now, step=step)
        self.steps.number = 20
        self.notes._since -= 1_100_000_000
        self.notes.say()
        self.assertEqual(self.notes._every, 2)
        del self.said[:]
        self.steps.number = 40
        self.notes.say()
        self.assertEqual(Counter(one["step"] for one in self.said), {step: 100 for step in range(20, 40, 2)})


class Standing(Made):
    """Cases in which no step follows the entered collectives."""

    def say_at(self, at):
        before, _collectives._now = _collectives._now, lambda: at
        try:
            self.notes.say()
        finally:
            _collectives._now = before
        said = [(one["number"], one["done_ns"]) for one in self.said if "number" in one]
        del self.said[:]
        return said

    def test_a_long_collective_is_reported_and_again_when_it_is_done(self):
        self.note(0, 0)
        note = self.notes.notes[0]
        self.assertEqual(self.say_at(900_000_000), [])
        self.assertEqual(self.say_at(1_100_000_000), [(0, -1)])
        self.assertEqual(self.say_at(2_100_000_000), [])
        note.done = 3_000_000_000
        self.assertEqual(self.say_at(3_100_000_000), [(0, 3_000_000_000)])
        self.assertEqual(self.say_at(4_100_000_000), [])

    def test_what_never_says_that_it_is_done_is_forgotten_with_its_step(self):
        self.note(0, 0)
        self.say_at(1_100_000_000)
        for self.steps.number in (1, 2):
            self.say_at(1_200_000_000)
        self.assertEqual(len(self.notes._open), 0)

    def test_of_left_out_steps_a_rank_that_stands_says_how_far_it_has_come_in_each_group(self):
        self.notes._every = 4
        self.notes._since = 1 << 62
        other = _collectives.Group("1")
        other.ranks, other.number, other.backend = [0, 2], 1, "gloo"
        for step in (1, 2):
            self.note(0, 0, step=step)
        self.note(0, 0, step=2)
        self.notes.notes[-1].group = other
        self.notes.notes[-1].number = 0
        self.steps.number = 3
        self.assertEqual(self.say_at(1_100_000_000), [])
        self.assertEqual(self.say_at(5_000_000_000), [])
        self.assertEqual(self.say_at(6_200_000_000), [(1, -1), (0, -1)])
        self.assertEqual(self.say_at(7_200_000_000), [])


class Where(unittest.TestCase):
    """The position that a rank reports, as the others compare it."""

    def setUp(self):
        kept = {name: getattr(_collectives, name) for name in ("_newest", "_of_all", "has_buckets", "_shares")}
        self.addCleanup(lambda: [setattr(_collectives, name, value) for name, value in kept.items()])
        _collectives._newest, _collectives._of_all, _collectives.has_buckets, _collectives._shares = None, (0, -1), False, False
        speaker = types.SimpleNamespace(speaks=True)
        self.steps = types.SimpleNamespace(number=3, ended=False, open=None)
        session = types.SimpleNamespace(speaker=speaker, off=set(), steps=self.steps, first_step=None)
        session.collectives = _collectives.Notes(session)
        before, _collectives._session.one = _collectives._session.one, session
        self.addCleanup(setattr, _collectives._session, "one", before)

    def enter(self, operation, ranks, of_all, dimension=""):
        group = _collectives.Group("7")
        group.ranks, group.of_all, group.dimension, group.count = ranks, of_all, dimension, 41
        return _collectives._enter(100, group, None, operation, -1, 8, False)

    def test_ranks_exchange_with_what_carries_data_between_them_once_they_train(self):
        learns = types.SimpleNamespace(learned=True)
        for number, step, operation, ranks, shares in ((0, None, REDUCE, [0, 1], False), (3, None, _collectives._BARRIER, [0, 1], False),
                                                       (3, None, REDUCE, [0], False), (3, None, REDUCE, [0, 1], True),
                                                       (0, learns, REDUCE, [0, 1], True)):
            with self.subTest(number=number, operation=operation, ranks=ranks):
                _collectives._shares, self.steps.number, self.steps.open = False, number, step
                self.enter(operation, ranks, True)
                self.assertEqual(_collectives._shares, shares)

    def test_collectives_of_all_ranks_are_counted(self):
        self.assertEqual(_collectives.where(), "")
        self.enter(REDUCE, [0, 1, 2, 3], True)
        self.enter(SCATTER, [0, 1, 2, 3], True)
        self.assertEqual(_collectives.where(), "reduce-scatter of all ranks, number 1")

    def test_a_rank_that_waits_among_some_is_not_compared(self):
        self.enter(REDUCE, [0, 1, 2, 3], True)
        note = self.enter(GATHER, [0, 2], False, "dp_shard")
        self.assertEqual(_collectives.where(), "all-gather 41 of dp_shard (ranks 0, 2)")
        note.waited = 200
        self.assertEqual(_collectives.where(), "all-reduce of all ranks, number 0")

    def test_without_any_of_all_ranks_it_says_that_the_last_is_done(self):
        self.enter(GATHER, [0, 2], False, "dp_shard").done = 200
        self.assertEqual(_collectives.where(), "all-gather 41 of dp_shard (ranks 0, 2), done")

    def test_ddp_counts_for_itself(self):
        self.enter(REDUCE, [0, 1], True)
        _collectives.has_buckets = True
        self.assertEqual(_collectives.where(), "")


@unittest.skipUnless(ASKED, "./dev test --scripts")
class Scripts(unittest.TestCase):
    """Collectives of each kind of program in a step, on every rank; the weights are the same with and without
    instrumentation."""

    def check(self, kind, world, dimensions, a_step, first=1):
        import torch

        with tempfile.TemporaryDirectory() as folder:
            both = []
            for instrument in (False, True):
                base = os.path.join(folder, str(instrument))
                results = ranks.run("groups.py", kind, "--out", base, world=world, instrument=instrument)
                for result in results:  # Gloo sometimes aborts a bare one at its very end
                    self.assertIn(result.code, (0,) if instrument else (0, -signal.SIGABRT), result.errors[-2000:])
                both.append(([torch.load(f"{base}.{rank}") for rank in range(world)], [one.lines("STEP") for one in results]))
        (bare, printed), (watched, printed_too) = both
        self.assertEqual(printed, printed_too)
        for one, other in zip(bare, watched):
            self.assertTrue(all(torch.equal(one[name], other[name]) for name in one))
        for rank, result in enumerate(results):
            self.assertEqual([one for one in result.said["notice"] if one["code"] != "samples_unseen"], [])
            said = {one["group"]: one for one in result.said["group"]}
            self.assertEqual(sorted(one["dimension"] for one in said.values()), sorted(dimensions))
            self.assertTrue(all(rank in one["ranks"] and one["group_backend"] == "gloo" for one in said.values()))
            self.assertEqual({one["same_samples"] for one in said.values()}, {int(kind.startswith("tp"))})
            self.assertEqual([(one["step"], one["samples"]) for one in result.said["step"]], [(step, 8) for step in range(8)])
            for line, one in zip(result.lines("STEP"), result.said["step"]):
                self.assertAlmostEqual(one["loss"], float(line[3]), 5)
            for step in range(first, 7):
                calls = [one for one in result.said["collective"] if one["step"] == step]
                self.assertEqual(Counter((said[one["group"]]["dimension"], one["operation"]) for one in calls), a_step)
                for one in calls:
                    self.assertTrue(one["entered_ns"] <= one["issued_ns"] <= one["done_ns"], one)
                    self.assertGreater(one["size_bytes"], 0)
                    self.assertGreaterEqual(one["own_ns"], 0)
            for group in said:
                numbers = [one["number"] for one in result.said["collective"] if one["group"] == group]
                self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))

    def test_fsdp2(self):
        self.check("fsdp2", 2, ["dp"], {("dp", GATHER): 6, ("dp", SCATTER): 3})

    def test_hsdp(self):
        self.check("hsdp", 4, ["shard", "replicate"],
                   {("shard", GATHER): 6, ("shard", SCATTER): 3, ("replicate", REDUCE): 3})

    def test_tensor_parallel(self):
        self.check("tp", 2, ["tp"], {("tp", REDUCE): 5})

    def test_tensor_parallel_over_a_mesh_without_names(self):
        self.check("tp_unnamed", 2, [""], {("", REDUCE): 5})

    def test_zero_by_hand(self):
        self.check("zero1", 2, [""], {("", GATHER): 1, ("", SCATTER): 1})

    def test_whole_parameters_dealt_out_by_hand(self):
        self.check("muon", 2, [""], {("", GATHER): 8, ("", SCATTER): 8})

    def test_an_optimizer_that_shards_its_state(self):
        self.check("zero", 2, [""], {("", REDUCE): 1, ("", BROADCAST): 12}, first=2)

    def test_fsdp_of_old(self):
        self.check("fsdp1", 2, [""], {("", GATHER): 6, ("", SCATTER): 3})

    def test_replicate(self):
        self.check("replicate", 2, ["dp_replicate"], {("dp_replicate", REDUCE): 1}, first=2)

    def test_all_reduce_by_hand(self):
        self.check("bare", 2, [""], {("", REDUCE): 12})

    def test_a_work_that_nobody_waits_for_ends_no_process(self):
        for how in ("exit", "destroy", "none"):
            bare, watched = (ranks.run("left_works.py", how, world=2, instrument=one) for one in (False, True))
            for one, other in zip(bare, watched):
                self.assertEqual((one.code, other.code), (0, 0), other.errors[-2000:])
                self.assertEqual(one.lines("WEIGHTS"), other.lines("WEIGHTS"))
                self.assertEqual(len(other.said["collective"]), 4 if how == "none" else 5)

    def test_sparse_tensors_and_groups_made_by_hand(self):
        bare, watched = (ranks.run("odd_collectives.py", world=2, instrument=one) for one in (False, True))
        for one, other in zip(bare, watched):
            self.assertEqual((one.code, other.code), (0, 0), other.errors[-2000:])
            self.assertEqual(one.output, other.output)
            self.assertEqual([notice for notice in other.said["notice"] if notice["code"] == "instrument_off"], [])
            self.assertEqual([call["size_bytes"] for call in other.said["collective"]], [12, 12, 12])


if __name__ == "__main__":
    if sys.argv[1:] == ["Scripts"]:
        try:
            from torch.distributed.fsdp import fully_shard  # noqa: F401
        except ImportError as error:
            print(f"SKIPPED: this Python has no torch with fully_shard ({error})")
            sys.exit(77)
        if not ASKED:
            print("SKIPPED: ./dev test --scripts")
            sys.exit(77)
    unittest.main()
