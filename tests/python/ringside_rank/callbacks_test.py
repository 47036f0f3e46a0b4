"""Reports of a framework's callback about an evaluation, under names that people choose. No torch, no framework."""

import sys
import types
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

import recorder  # noqa: E402
from ringside_rank import _callbacks, _loggers, _records, _session  # noqa: E402
from ringside_rank._passes import Pass  # noqa: E402


class Library:
    def __init__(self):
        self.said = []

    def post(self, kind, at_ns, body, size):
        self.said.append((kind, recorder.decode(kind, body)))
        return 0


class Evaluations(unittest.TestCase):
    def setUp(self):
        self.library = Library()
        self.session = _session.Session(self.library)
        self.passage = Pass(None, 0)
        self.passage.fetched, self.passage.batches, self.passage.end_ns, self.passage.epoch = 40, 5, 2_000_000_000, 3
        self.session.passes.epoch = 3

    def told(self, metrics, sanity_checking=False):
        """Accuracy for Live from metrics that Lightning has after its validation, per metric: (epoch, correct,
        counted)."""
        self.session.judged = [self.passage] if self.session.passes.epoch >= 0 and not sanity_checking else []
        callback = _callbacks.lightning_class(object)()
        trainer = types.SimpleNamespace(sanity_checking=sanity_checking, callback_metrics=metrics)
        with mock.patch.object(_session, "one", self.session), mock.patch.object(_session, "_tried", True):
            callback.on_validation_end(trainer, None)
        said, self.library.said = self.library.said, []
        self.assertEqual([one["code"] for kind, one in said if kind == _records.NOTICE], [])
        return [(one["epoch"], one["correct"], one["counted"]) for kind, one in said if kind == _records.EPOCH]

    def test_a_validation_accuracy_by_any_of_its_names(self):
        for name in ("val_acc", "val_accuracy", "valid_acc", "validation_accuracy", "val/acc", "valid/accuracy", "eval_accuracy",
                     "val_acc_epoch", "Val_Acc", "val-acc", "val.acc", "valacc"):
            with self.subTest(name):
                self.assertEqual(self.told({"train_acc": 0.9, name: 0.75}), [(3, 30, 40)])

    def test_a_metric_that_is_not_the_validation_accuracy_stays_a_curve(self):
        for name in ("acc", "train_acc", "test_acc", "val_acc_step", "val_acc/dataloader_idx_0", "val_top5_acc", "interval_acc"):
            with self.subTest(name):
                self.assertEqual(self.told({name: 0.75}), [])

    def test_what_is_no_fraction_is_unknown(self):
        for value in (75.0, -0.5, float("nan"), float("inf")):
            with self.subTest(value):
                self.assertEqual(self.told({"val_acc": value}), [(3, -1, 40)])
        self.assertEqual(self.told({"val_acc": [0.1, 0.2]}), [(3, -1, 40)])

    def test_shares_of_the_ranks_add_up_to_the_reported_number(self):
        # 7 of 16 on two ranks with 8 each; 7 of 20 that two ranks padded to 16 each.
        for told, fetched, shares in ((7 / 16, 8, [3, 4]), (0.35, 16, [-1, -1]), (0.5, 8, [4, 4])):
            self.passage.fetched = fetched
            found = []
            for rank in (0, 1):
                self.session.speaker.rank = rank
                with mock.patch.dict("os.environ", {"WORLD_SIZE": "2"}):
                    found += [correct for _, correct, _ in self.told({"val_acc": told})]
            with self.subTest(told):
                self.assertEqual(found, shares)

    def test_repeated_samples_count_where_a_framework_includes_them(self):
        # Ranks, samples and repeats of each rank, mean, sum of the shares: 18 samples on 4 ranks, 19 on 2 and 6 on 4.
        for fetched, repeats, told, total in ((5, (0, 0, 1, 1), 9 / 18, 10), (5, (0, 0, 1, 1), 13 / 20, 13), (10, (0, 1), 13 / 20, 13),
                                              (2, (0, 0, 1, 1), 4 / 8, 4)):
            found, world = [], len(repeats)
            for rank, padded in enumerate(repeats):
                self.passage.fetched, self.passage.padded, self.session.speaker.rank = fetched, padded, rank
                with mock.patch.dict("os.environ", {"WORLD_SIZE": str(world)}):
                    found += self.told({"val_acc": told})
            with self.subTest(fetched=fetched, world=world, told=told):
                self.assertEqual([counted for _, _, counted in found], [fetched] * world)
                self.assertEqual(sum(correct for _, correct, _ in found), total)

    def test_with_two_optimizers_points_stand_at_steps_and_not_at_what_lightning_counts(self):
        callback = _callbacks.lightning_class(object)()
        loop = types.SimpleNamespace(epoch_loop=types.SimpleNamespace(_batches_that_stepped=9))
        trainer = types.SimpleNamespace(global_step=18, fit_loop=loop, logged_metrics={"d_loss": 0.5}, max_epochs=4,
                                        num_training_batches=9, accumulate_grad_batches=1)
        with mock.patch.object(_session, "one", self.session), mock.patch.object(_session, "_tried", True):
            callback.on_train_start(trainer, None)
            self.assertEqual(self.session.first_step, 9)
            callback.on_train_epoch_end(trainer, None)
        self.session.speaker.hello(b"")
        self.assertEqual([(one["step"], one["own_step"]) for kind, one in self.library.said if kind == _records.SCALAR], [(8, 0)])

    def test_a_step_that_the_program_gives_is_marked_as_its_own_number(self):
        with mock.patch.object(_session, "one", self.session), mock.patch.object(_session, "_tried", True):
            _loggers.say({"x": 1.0}, 100)
            _loggers.say({"x": 2.0}, None)
        self.session.speaker.hello(b"")
        self.assertEqual([(one["step"], one["own_step"]) for kind, one in self.library.said if kind == _records.SCALAR], [(100, 1), (0, 0)])

    def evaluated(self, loader=None, fetched=40):
        self.session.passes.epoch = 3
        passage = self.session.passes.begin(loader, 0)
        self.session.passes.fetched(passage, fetched, True)
        self.session.passes.exhausted(passage, 1_000_000_000)

    def rows(self):
        self.session.speaker.hello(b"")
        return [(one["counted"], one["correct"]) for kind, one in self.library.said if kind == _records.EPOCH]

    def test_a_framework_that_reports_results_has_one_row_per_evaluation(self):
        callback = _callbacks.lightning_class(object)()
        trainer = types.SimpleNamespace(sanity_checking=False, callback_metrics={"val_acc": 0.75}, global_step=0, max_epochs=4,
                                        num_training_batches=9)
        with mock.patch.object(_session, "one", self.session), mock.patch.object(_session, "_tried", True):
            callback.on_train_start(trainer, None)
            for loaders in (1, 2):
                callback.on_validation_start(trainer, None)
                for _ in range(loaders):
                    self.evaluated()
                callback.on_validation_end(trainer, None)
            self.evaluated()  # of which the framework reports nothing
            self.session.say_judged()
        self.assertEqual(self.rows(), [(40, 30), (80, 60), (40, -1)])

    def test_results_that_cannot_be_read_delay_no_later_evaluation(self):
        with mock.patch.object(_session, "one", self.session), mock.patch.object(_session, "_tried", True):
            self.session.greet()
            self.session.reports_results = True
            self.evaluated()
            with mock.patch.object(_callbacks, "_named", side_effect=RuntimeError("unreadable")):
                _callbacks._judge({"val_acc": 0.75})
            self.evaluated(fetched=8)
        self.assertEqual(self.rows(), [(40, -1), (8, -1)])

    def test_before_the_first_epoch_nothing_is_reported(self):
        self.assertEqual(self.told({"val_acc": 0.75}, sanity_checking=True), [])
        self.session.passes.epoch = -1
        self.assertEqual(self.told({"val_acc": 0.75}), [])


if __name__ == "__main__":
    unittest.main()
