"""How a trial of groups is judged: the output of `ringside show` about a rank against the slow part, without runs."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import group_trials  # noqa: E402
from group_trials import Named, members, verdict  # noqa: E402

SENTENCE = ("Rank 2 holds the others up by 21.3 ms a step, by what it does itself: its own time before all-gather 3 of shard "
            "(r2-r3) in a step is longer than theirs (median of 39 steps; the longest in 38 of them).")


def judged(kind, slow, named, late=None, surely=True):
    return verdict(kind, slow, 2, named, late, surely)


class Judging(unittest.TestCase):
    def test_the_sentence_is_taken_apart(self):
        self.assertEqual(group_trials.named_in([SENTENCE]), Named(2, False, "shard", 2, {2, 3}))
        loader = SENTENCE.replace("by what it does itself", "most of it in its data loader").replace("3 of shard", "1 of all ranks")
        self.assertEqual(group_trials.named_in(["Another.", loader]), Named(2, True, "all ranks", 0, {2, 3}))
        self.assertIsNone(group_trials.named_in(["Another."]))
        with self.assertRaises(RuntimeError):  # otherwise each trial would count as "missed" after a change of the sentence
            group_trials.named_in(["Rank 2 holds the others up."])

    def test_members_of_a_group(self):
        self.assertEqual(members("r0-r2, r5"), {0, 1, 2, 5})

    def test_naming_no_rank_is_right_only_below_the_threshold(self):
        self.assertEqual(judged("hsdp 2x2", "layer", None, surely=False), "none")
        self.assertEqual(judged("hsdp 2x2", "layer", None), "missed")

    def test_rank_group_and_place(self):
        right = Named(2, False, "shard", 2, {2, 3})
        self.assertEqual(judged("hsdp 2x2", "layer", right), "right")
        self.assertEqual(judged("hsdp 2x2", "layer", right._replace(rank=3)), "WRONG RANK")
        self.assertEqual(judged("hsdp 2x2", "layer", right._replace(dimension="replicate", ranks={0, 2})), "WRONG GROUP")
        self.assertEqual(judged("hsdp 2x2", "layer", right._replace(place=5)), "WRONG PHASE")
        self.assertEqual(judged("hsdp 2x2", "backward", right._replace(dimension="replicate", ranks={0, 2})), "right")
        self.assertEqual(judged("fsdp2 on 4", "loader", Named(2, False, "dp", 0, {0, 1, 2, 3})), "WRONG PHASE")
        self.assertEqual(judged("fsdp2 on 4", "optimizer", Named(2, False, "dp", 0, {0, 1, 2, 3})), "right")

    def test_what_ddp_says_itself_counts_too(self):
        self.assertEqual(judged("ddp", "layer", None, (2, "forward")), "right")
        self.assertEqual(judged("ddp", "layer", None, (2, "data")), "WRONG PHASE")
        self.assertEqual(judged("ddp", "layer", None, (1, "forward")), "WRONG RANK")


if __name__ == "__main__":
    unittest.main()
