"""Which optimizer is that of the training, and what the loss of a step is: compares what programs of
tests/python/scripts/optimizers.py print with what they report. Exit code 77: this Python has no torch."""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

try:
    import torch  # noqa: F401
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error})")
    sys.exit(77)

import ranks  # noqa: E402
from ringside_rank._steps import Steps  # noqa: E402


class Optimizers(unittest.TestCase):
    def check(self, *case, rates, notices=(), samples=(8,)):
        """Steps and losses that the program printed; checks that there is no other notice."""
        result = ranks.run("optimizers.py", *case, world=1)[0]
        self.assertEqual((result.code, result.errors), (0, ""))
        steps, lines = result.said["step"], result.lines("STEP")
        self.assertEqual([step["step"] for step in steps], [int(line[1]) for line in lines])
        for step, line in zip(steps, lines):
            self.assertAlmostEqual(step["loss"], float(line[2]), 5)
        self.assertEqual([step["lr"] for step in steps if step["lr"] == step["lr"]], rates)
        self.assertEqual({step["samples"] for step in steps}, set(samples))
        self.assertEqual([one["code"] for one in result.said["notice"]], list(notices))
        return result, {name: [(one["step"], one["value"]) for one in result.said["scalar"] if one["name"] == name]
                        for name in {one["name"] for one in result.said["scalar"]} if not name.startswith("memory/")}

    def test_trainings_that_follow_each_other_have_all_their_steps(self):
        _, curves = self.check("one_after_the_other", rates=[0.1] * 10 + [0.01] * 10, notices=["training_begins", "trainings"])
        self.assertEqual(curves, {"training": [(0, 1.0), (10, 2.0)]})
        result, curves = self.check("folds", rates=[0.1] * 15, notices=["training_begins"] * 2 + ["trainings"])
        self.assertEqual([(one["phase"], one["counted"], one["last_step"]) for one in result.said["epoch"]],
                         [(phase, 40, step) for step in (4, 9, 14) for phase in (0, 1)])
        self.assertEqual(curves, {"training": [(0, 1.0), (5, 2.0), (10, 3.0)]})

    def test_a_warm_up_is_no_part_of_the_training(self):
        result, _ = self.check("warm_up", rates=[0.1] * 5, notices=["warm_up"])
        self.assertEqual([(one["counted"], one["steps"]) for one in result.said["epoch"]], [(40, 5)])

    def test_parts_that_nothing_divides_have_their_mean(self):
        result, _ = self.check("undivided", rates=[0.025] * 5, notices=["loss_mean"])
        self.assertIn("the mean of 4 backward calls", result.said["notice"][0]["text"])

    def test_a_step_that_moves_the_weights_first_has_the_loss_of_before(self):
        self.check("sharpness", rates=[0.1] * 5, notices=["loss_first"])

    def test_two_networks_have_a_curve_each_from_the_first_step_on(self):
        result, curves = self.check("two_networks", rates=[0.01] * 5, notices=["loss_one"])
        self.assertIn("the sum of 2 backward calls on one batch", result.said["notice"][0]["text"])
        lines = result.lines("STEP")
        self.assertEqual(sorted(curves), ["loss/judge", "loss/maker"])
        for name, place in (("loss/judge", 2), ("loss/maker", 3)):
            self.assertEqual([step for step, _ in curves[name]], list(range(5)))
            for (_, value), line in zip(curves[name], lines):
                self.assertAlmostEqual(value, float(line[place]), 5)
        (epoch,) = result.said["epoch"]
        self.assertAlmostEqual(epoch["loss_sum"], sum(8 * float(line[2]) for line in lines), 4)

    def test_an_actor_that_learns_now_and_then_is_no_part_of_the_loss(self):
        _, curves = self.check("delayed", rates=[0.01] * 8, samples=(-1,))
        self.assertEqual([step for step, _ in curves["loss/actor" if sys.version_info >= (3, 13) else "loss/Actor"]], [1, 3, 5, 7])

    def test_two_optimizers_of_one_model_have_their_rates(self):
        _, curves = self.check("two_rates", rates=[0.02] * 5)
        self.assertEqual(curves, {"lr/SGD": [(step, 0.02) for step in range(5)], "lr/AdamW": [(step, 0.3) for step in range(5)]})

    def test_without_an_optimizer_a_step_ends_where_gradients_are_reset(self):
        for way in (("none",), ("zero",), ("none", "2")):  # the last with a new loader for each of two epochs
            with self.subTest(way):
                result, _ = self.check("by_hand", *way, rates=[], samples=(4,), notices=["steps_by_hand"])
                self.assertEqual([(one["counted"], one["steps"]) for one in result.said["epoch"]], [(40, 10)] * len(way))

    def test_backward_calls_that_are_not_steps_are_reported(self):
        result = ranks.run("optimizers.py", "by_hand", "never", world=1)[0]
        self.assertEqual([one["code"] for one in result.said["notice"]], ["no_steps"])


class Sequences(unittest.TestCase):
    """Optimizers by letter, each with a separate backward; `|`: a batch is fetched."""

    def steps(self, text, related=False):
        """Losses of the reported steps; and the steps at which a training begins, or the number of warm-up steps."""
        made, begun, now = [], [], iter(range(10000))
        steps = Steps(lambda: next(now), made.append)
        steps.related = lambda one, other: related
        steps.taken = lambda old, new, number: begun.append(number)
        steps.warmed_up = begun.append
        for letter in text:
            if letter == "|":
                steps.fetch_begin()
                steps.fetch_end()
                continue
            step = steps.backward_begin()
            step.losses.append(letter)
            step.passage = "data" if "|" in text else None
            steps.backward_end(0)
            steps.optimizer_begin(ord(letter))
            steps.optimizer_end(ord(letter))
        steps.close()
        said = [step for step in made if not step.left_out]
        self.assertEqual([step.number for step in said], list(range(len(said))))
        self.assertFalse(any(step.held for step in said))
        return "".join("".join(step.losses) for step in said), begun

    def test_the_order_of_steps_says_what_they_are(self):
        for text, losses, begun, related in (
                ("A" * 9, "A" * 9, [], False),
                ("|A|A|A|A|A|A|B|B|B|B", "AAAAAABBBB", [6], False),
                ("AAAAAABBBB", "AAAAAABBBB", [6], False),
                ("ABBBB", "BBBB", [], False),  # the first optimizer that steps is the one that steps less often
                ("ABBBB", "BBBB", [1], True),
                ("AABBBB", "BBBB", [2], True),
                ("ABABABAB", "AAAA", [], False),
                ("AABAABAAB", "AAAAAA", [], False),
                ("ABCABCABC", "AAA", [], False),
                ("AAAAAAABABABAB", "A" * 10, [], False),
                ("AAAABBBBAAAABBBB", "AAAABBBBAAAABBBB", [4, 8, 12], False),
                ("|AB|AB|AB|AB|CD|CD|CD", "AAAACCC", [4], False),
                ("|A|B", "AB", [], False),
                ("AB", "A", [], False)):
            with self.subTest(text):
                self.assertEqual(self.steps(text, related), (losses, begun))


if __name__ == "__main__":
    unittest.main()
