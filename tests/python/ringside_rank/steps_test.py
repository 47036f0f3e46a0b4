"""Steps and passes derived from their boundaries alone, with times given by the test. No torch."""

import _thread
import concurrent.futures
import sys
import threading
import time
import types
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

from ringside_rank import _data, _session  # noqa: E402
from ringside_rank._passes import Passes  # noqa: E402
from ringside_rank._steps import Steps, durations  # noqa: E402
from ringside_rank._thread import Training  # noqa: E402


class Loop:
    """A training loop: each call lets this much time pass in one part of it."""

    def __init__(self):
        self.now = 1000
        self.done = []
        self.steps = Steps(lambda: self.now, self.done.append)

    def rest(self, time):
        self.now += time

    def fetch(self, time):
        self.steps.fetch_begin()
        self.now += time
        self.steps.fetch_end()

    def backward(self, time, exposed=None):
        step = self.steps.backward_begin()
        before = len(step.buckets)
        self.now += time
        if exposed is not None:
            if self.steps.mark() is not None:
                step.buckets.append([0, 4, self.now, self.now + exposed])
            self.now += exposed
        self.steps.backward_end(before)

    def optimizer(self, time, which=1, inside=lambda: None):
        self.steps.optimizer_begin(which)
        inside()
        self.now += time
        self.steps.optimizer_end(which)

    def times(self, place=-1):
        found = durations(self.done[place], lambda moment: moment)
        return found.phases, found.step_ns


class StepsTest(unittest.TestCase):
    def setUp(self):
        self.loop = Loop()

    def one(self, rest=0):
        self.loop.fetch(10)
        self.loop.rest(5)
        self.loop.steps.forward_begin()  # forward began with fetching the batch
        self.loop.rest(15)
        self.loop.backward(30, 5)
        self.loop.optimizer(7)
        self.loop.rest(rest)

    def test_a_step_has_its_phases_and_the_next_begins_where_it_ended(self):
        self.one(rest=3)
        self.one()
        self.loop.steps.finish()
        self.assertEqual(self.loop.times(0), ([10, 20, 30, 5, 7], 72))
        self.assertEqual(self.loop.times(1), ([10, 20, 30, 5, 7], 75))
        self.assertEqual([step.number for step in self.loop.done], [0, 1])

    def test_parts_of_an_accumulated_batch_add_up(self):
        for part in range(3):
            self.loop.fetch(10)
            self.loop.rest(20)
            self.loop.backward(30, 5 if part == 2 else None)
        self.loop.optimizer(7)
        self.loop.steps.finish()
        self.assertEqual(self.loop.times(), ([30, 60, 90, 5, 7], 192))

    def test_what_runs_inside_of_the_optimizer_is_no_part_of_it(self):
        def closure():
            self.loop.rest(20)
            self.loop.backward(30, 5)

        for _ in range(2):
            self.loop.fetch(10)
            self.loop.optimizer(7, inside=closure)
        self.loop.steps.finish()
        self.assertEqual(self.loop.times(), ([10, 20, 30, 5, 7], 72))

    def test_a_closure_that_is_called_again_is_reported(self):
        seen = []

        def closures():
            for _ in range(3):
                self.loop.steps.closure_begin()
                self.loop.steps.interrupt()  # its loader restarts
                seen.append(self.loop.steps.again)

        for _ in range(2):
            self.loop.optimizer(7, inside=closures)
        self.assertEqual(seen, [False, True, True] * 2)
        self.assertFalse(self.loop.steps.again)
        self.loop.steps.finish()
        self.assertEqual(len(self.loop.done), 2)

    def test_without_a_loader_the_first_beginning_is_unknown_and_the_others_follow(self):
        for _ in range(2):
            self.loop.rest(20)
            self.loop.backward(30)
            self.loop.optimizer(7)
        self.loop.steps.finish()
        self.assertEqual(self.loop.times(0), ([-1, -1, 30, -1, 7], -1))
        self.assertEqual(self.loop.times(1), ([-1, -1, 30, -1, 7], 57))  # what is before backward need not be forward

    def learn(self, *forwards):
        for spent in forwards:
            self.loop.steps.forward_begin()
            self.loop.rest(spent)
        self.loop.backward(30)
        self.loop.optimizer(7)
        self.loop.steps.finish()

    def test_without_a_loader_forward_begins_when_the_model_is_called(self):
        self.loop.steps.forward_begin()  # not trained on
        self.loop.rest(99)
        self.loop.steps.interrupt()
        for _ in range(2):
            self.loop.rest(50)
            self.learn(10, 10)
        self.assertEqual([self.loop.times(place) for place in (0, 1)], [([-1, 20, 30, -1, 7], length) for length in (-1, 107)])

    def test_an_evaluation_between_two_steps_belongs_to_none(self):
        self.one()
        begin = self.loop.now
        self.loop.rest(500)
        self.loop.steps.pause(begin, self.loop.now)
        self.one()
        self.loop.steps.finish()
        self.assertEqual(self.loop.times(1), ([10, 20, 30, 5, 7], 72))

    def test_an_evaluation_within_a_step_is_taken_out_once(self):
        self.loop.fetch(10)
        begin = self.loop.now
        self.loop.rest(500)
        self.loop.steps.pause(begin + 100, self.loop.now)  # reported by the loader and by the model's mode
        self.loop.steps.pause(begin, self.loop.now)
        self.loop.rest(20)
        self.loop.backward(30)
        self.loop.optimizer(7)
        self.loop.steps.finish()
        self.assertEqual(self.loop.times(), ([10, 20, 30, -1, 7], 67))

    def test_after_an_interruption_a_step_begins_with_its_first_batch(self):
        self.one()
        self.loop.fetch(3)  # finds the loader exhausted
        self.loop.steps.interrupt()
        self.loop.rest(999)
        self.one()
        self.loop.steps.finish()
        self.assertEqual(len(self.loop.done), 2)
        self.assertEqual(self.loop.times(1), ([10, 20, 30, 5, 7], 72))

    def test_a_second_optimizer_belongs_to_the_step_of_the_first(self):
        for _ in range(3):
            self.loop.fetch(10)
            self.loop.backward(30)
            self.loop.optimizer(7, 1)
            self.loop.optimizer(2, 2)
        self.loop.steps.finish()
        self.assertEqual([self.loop.times(i) for i in range(3)], [([10, 0, 30, -1, 9], 49)] * 3)

    def test_two_networks_that_learn_in_turn_are_one_step(self):
        for _ in range(4):
            self.loop.fetch(10)
            self.loop.backward(30)
            self.loop.optimizer(7, 1)
            self.loop.backward(4)
            self.loop.optimizer(2, 2)
        self.loop.steps.finish()
        self.assertEqual([step.number for step in self.loop.done if not step.left_out], [0, 1, 2, 3])
        self.assertEqual(self.loop.times(), ([10, 0, 34, -1, 9], 53))

    def test_a_skipped_step_counts(self):
        self.loop.fetch(10)
        self.loop.backward(30)
        self.loop.steps.skip(1)
        self.one()
        self.loop.steps.finish()
        self.assertEqual([step.skipped for step in self.loop.done], [True, False])
        self.assertEqual(self.loop.times(0), ([10, 0, 30, -1, -1], 40))

    def test_what_is_not_measured_of_a_phase_makes_it_unknown(self):
        moments = iter([0, 10, None, None, None, 50])
        steps = Steps(lambda: next(moments), self.loop.done.append)
        steps.fetch_begin()
        steps.fetch_end()
        steps.backward_begin()
        steps.backward_end(0)
        steps.optimizer_begin(1)
        steps.optimizer_end(1)
        steps.finish()
        self.assertEqual(self.loop.times(), ([10, -1, -1, -1, -1], 50))

    def test_steps_without_parts_have_a_beginning_and_an_end(self):
        self.loop.steps.mark = lambda: None
        for _ in range(3):
            self.one(rest=4)
        self.loop.steps.finish()
        self.assertEqual([self.loop.times(place) for place in range(3)], [([-1] * 5, length) for length in (72, 76, 76)])


class TrainingTest(unittest.TestCase):
    """Detection of the thread that trains."""

    def setUp(self):
        self.left_out = []
        self.training = Training(lambda: self.left_out.append(1))

    def in_thread(self, call):
        found = []
        thread = threading.Thread(target=lambda: found.append(call()))
        thread.start()
        thread.join()
        return found[0]

    def test_each_step_may_have_a_thread_of_its_own(self):
        for _ in range(3):
            self.assertTrue(self.in_thread(self.training.enter))
            self.assertTrue(self.training.here())  # that thread has ended
        self.assertTrue(self.training.enter())
        self.assertTrue(self.in_thread(self.training.enter))  # while this thread waits for it
        self.assertEqual(self.left_out, [])

    def test_a_thread_that_threading_did_not_make_holds_nobody_up_when_it_is_gone(self):
        found, over = [], _thread.allocate_lock()
        over.acquire()

        def train():
            found.append(self.training.enter())
            over.release()

        _thread.start_new_thread(train, ())
        over.acquire()
        self.wait_until(lambda: self.in_thread(self.training.enter))
        self.assertEqual((found, self.left_out), ([True], []))

    def test_the_main_thread_is_at_it_while_it_waits_for_a_worker_that_stays(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            for _ in range(2):
                self.assertTrue(pool.submit(self.training.enter).result())
                self.wait_until(self.training.here)
                self.wait_until(self.training.enter)

    def wait_until(self, holds):
        deadline = time.monotonic() + 30
        while not holds():
            self.assertLess(time.monotonic(), deadline)

    def test_of_two_that_train_at_a_time_one_counts_and_that_is_told_once(self):
        done = False
        entered = threading.Event()

        def train():
            self.training.enter()
            entered.set()
            while not done:
                pass

        other = threading.Thread(target=train)
        other.start()
        entered.wait()
        try:
            self.wait_until(lambda: not self.training.enter())
            self.assertFalse(self.training.enter())
            self.assertFalse(self.training.here())
        finally:
            done = True
            other.join()
        self.assertEqual(self.left_out, [1])
        self.assertTrue(self.training.enter())


class PassesTest(unittest.TestCase):
    def setUp(self):
        self.said = []
        self.passes = Passes(lambda p: self.said.append(("opened", p.epoch)), lambda p: self.said.append(("over", p.epoch)),
                             lambda p: self.said.append(("evaluating",)), lambda p: self.said.append(("evaluated", p.fetched)))

    def learn(self, told=None):
        return self.passes.learn(lambda loader: told, 0)

    def run_pass(self, loader, sizes, told=None, ahead=0):
        """Fetches `ahead` batches before it trains."""
        samples = []
        one = self.passes.begin(loader, 0)
        for place, size in enumerate(sizes):
            self.passes.fetched(one, size, False)
            if place >= ahead:
                samples.append(self.learn(told))
                self.passes.step_ended(0)
        self.passes.exhausted(one, 0)
        for _ in range(min(ahead, len(sizes))):
            samples.append(self.learn(told))
            self.passes.step_ended(0)
        return samples

    def test_each_backward_has_the_samples_of_its_batch(self):
        self.assertEqual(self.run_pass("a", [8, 8, 3]), [8, 8, 3])
        self.assertEqual(self.said, [("opened", 0), ("over", 0)])

    def test_a_loader_that_is_read_completely_before_training_continues_is_no_evaluation(self):
        self.run_pass("a", [8, 8, 3])
        one = self.passes.begin("made anew", 0)
        for _ in range(5):
            self.passes.fetched(one, 8, False)
        self.passes.exhausted(one, 0)
        for _ in range(5):
            self.learn()
            self.passes.step_ended(0)
        self.assertNotIn("evaluated", [one[0] for one in self.said])

    def test_a_batch_that_is_fetched_ahead_is_learned_from_later(self):
        self.assertEqual(self.run_pass("a", [8, 8, 3], ahead=1), [8, 8, 3])
        self.assertEqual(self.run_pass("a", [8, 8, 3], ahead=1), [8, 8, 3])
        self.assertEqual(self.said, [("opened", 0), ("over", 0), ("opened", 1), ("over", 1)])

    def test_a_second_backward_of_a_batch_adds_no_samples(self):
        one = self.passes.begin("a", 0)
        self.passes.fetched(one, 8, False)
        self.assertEqual([self.learn(), self.learn()], [8, None])

    def test_an_evaluation_in_the_middle_ends_nothing(self):
        one = self.passes.begin("a", 0)
        self.passes.fetched(one, 8, False)
        self.learn()
        other = self.passes.begin("b", 0)
        self.passes.fetched(other, 100, True)
        self.passes.fetched(other, 20, True)
        self.assertFalse(self.passes.exhausted(other, 0))
        self.passes.fetched(one, 4, False)
        self.assertEqual(self.learn(), 4)
        self.assertEqual(self.said, [("opened", 0), ("evaluating",), ("evaluated", 120)])

    def test_an_evaluation_that_fetches_no_further_than_it_needs_ends_when_training_goes_on(self):
        other = self.passes.begin("b", 0)
        self.passes.fetched(other, 100, True)
        self.passes.end_evaluation(7)
        self.passes.end_evaluation(8)
        self.assertEqual((self.said, other.end_ns), ([("evaluating",), ("evaluated", 100)], 7))

    def test_what_a_backward_follows_is_training_whatever_it_looked_like(self):
        one = self.passes.begin("a", 0)
        one.waits.append((1, 2))
        self.passes.fetched(one, 8, True)
        self.assertEqual((self.passes.relabel(), self.learn(), self.passes.relabel()), ([(1, 2)], 8, []))
        self.passes.fetched(one, 4, True)
        self.assertEqual((self.learn(), self.said), (4, [("evaluating",), ("opened", 0)]))

    def test_a_loader_that_says_its_length_need_not_be_asked_for_more(self):
        one = self.passes.begin("a", 0)
        one.length = 1
        self.passes.fetched(one, 8, False)
        self.learn()
        self.passes.fetched(self.passes.begin("b", 0), 5, False)  # with steps that end at the first backward of the next
        self.assertTrue(self.passes.step_ended(5))
        self.assertTrue(self.passes.exhausted(one, 6))
        self.assertEqual((self.said, one.end_ns), ([("opened", 0), ("over", 0)], 5))
        self.assertEqual(self.learn(), 5)

    def test_of_two_loaders_side_by_side_one_counts(self):
        first, second = self.passes.begin("a", 0), self.passes.begin("b", 0)
        for _ in range(3):
            self.passes.fetched(second, 5, False)
            self.passes.fetched(first, 8, False)
            self.assertEqual(self.learn(), 8)
        self.assertEqual(self.said, [("opened", 0)])

    def test_epochs_are_what_set_epoch_says_from_zero(self):
        for told in (1, 2, 2, 2, 7):
            self.run_pass("a", [1], told)
        self.assertEqual([epoch for word, epoch in self.said if word == "opened"], [0, 1, 2, 3, 6])

    def test_a_resumed_run_keeps_its_epochs(self):
        for known, epoch in ((True, 3), (False, 10)):  # also if only its first number shows that it was resumed
            self.setUp()
            self.passes.first_step_known = known
            self.run_pass("a", [1], epoch)
            self.assertEqual(self.said[0], ("opened", epoch))

    def test_a_pass_that_is_left_ends_with_the_next_of_its_loader(self):
        one = self.passes.begin("a", 0)
        self.passes.fetched(one, 8, False)
        self.learn()
        one.left = lambda: True
        self.assertTrue(self.passes.leaves("a"))
        other = self.passes.begin("a", 0)
        self.passes.fetched(one, 8, False)  # not trained on
        self.passes.fetched(other, 5, False)
        self.assertEqual(self.learn(), 5)
        self.assertEqual(self.said, [("opened", 0), ("over", 0), ("opened", 1)])

    def test_a_pass_is_left_also_where_all_passes_have_one_iterator(self):
        """A loader with persistent workers."""
        class Iterator:
            pass

        iterator, loader, interrupts = Iterator(), [1, 2, 3], []
        session = types.SimpleNamespace(passes=self.passes, speaker=types.SimpleNamespace(works=lambda source: True),
                                        steps=types.SimpleNamespace(interrupt=lambda: interrupts.append(1), again=False))
        begin = _data._made_iter(lambda loader: iterator)
        with mock.patch.object(_session, "one", session), mock.patch.object(_session, "_tried", True):
            begin(loader)
            passage = getattr(iterator, _data._PASS)
            self.passes.fetched(passage, 5, False)
            self.passes.learn(lambda loader: None, 1)
            self.assertIs(self.passes.training, passage)
            begin(loader)
        self.assertEqual(interrupts, [1])

    def test_a_batch_that_is_only_looked_at_ends_nothing(self):
        look = self.passes.begin("a", 0)
        self.passes.fetched(look, 8, False)
        look.left = lambda: True
        self.assertTrue(self.passes.leaves("a"))
        one = self.passes.begin("a", 0)
        for size in (7, 6):
            self.passes.fetched(one, size, False)
            self.look("a")  # before the batch is trained on
            self.assertEqual(self.learn(), size)
            self.look("a")
        self.assertIsNone(self.learn())
        self.assertFalse(self.passes.leaves("b"))
        self.assertEqual(self.said, [("opened", 0)])

    def look(self, loader):
        self.assertFalse(self.passes.leaves(loader))
        look = self.passes.begin(loader, 0)
        self.passes.fetched(look, 8, False)
        look.left = lambda: True

    def test_a_loop_that_makes_a_pass_for_each_batch(self):
        for _ in range(2):
            one = self.passes.begin("a", 0)
            self.passes.fetched(one, 8, False)
            one.left = lambda: True
            self.assertEqual(self.learn(), 8)
            self.assertTrue(self.passes.leaves("a"))
        self.assertEqual(self.said, [("opened", 0), ("over", 0), ("opened", 1)])

    def test_the_last_batch_beside_a_pass_that_is_over_begins_none(self):
        first, second = self.passes.begin("a", 0), self.passes.begin("b", 0)
        second.length = 1
        self.passes.fetched(first, 5, False)
        self.passes.fetched(second, 8, False)
        self.assertEqual(self.learn(), 8)
        self.passes.fetched(first, 5, False)
        self.assertTrue(self.passes.step_ended(0))
        self.assertIsNone(self.learn())
        self.assertEqual(self.said, [("opened", 0), ("over", 0)])


if __name__ == "__main__":
    unittest.main()
