"""Unmodified scripts as ranks over Gloo: compares what they print with what they report. Core: always; Scripts: the rest, under
RINGSIDE_SCRIPTS=1 (`./dev test --scripts`). Exit code 77: this Python has no torch."""

import math
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error})")
    sys.exit(77)

import ranks  # noqa: E402
import recorder  # noqa: E402

COMPILES = sys.version_info < (3, 11) or not torch.__version__.startswith("2.0.")
PHASES = ("data_wait_ns", "forward_ns", "backward_ns", "exposed_comm_ns", "optimizer_ns")


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Case(unittest.TestCase):
    def ran(self, results):
        for result in results:
            self.assertEqual(result.code, 0, result.errors[-2000:])
            # Scripts may distribute their samples differently, and leave partial losses undivided.
            self.assertEqual([one for one in result.said["notice"] if one["code"] not in ("samples_unseen", "two_loaders", "loss_mean")], [])
            self.assertEqual(len(result.said["goodbye"]), 1)
        return results

    def check_loss(self, result, place):
        """Checks that the loss of each step is what the script printed, to the last bit of an f32 or the next one,
        since the script may add partial losses in another order."""
        lines, steps = result.lines("STEP"), result.said["step"]
        self.assertEqual(len(lines), len(steps))
        for line, step in zip(lines, steps):
            printed = single(float(line[place]))
            if math.isnan(printed):
                self.assertTrue(step["loss"] is not None and math.isnan(step["loss"]))
            else:
                self.assertLessEqual(abs(step["loss"] - printed), 3e-7 * max(1.0, abs(printed)))

    def check_phases(self, result):
        """Checks that the phases do not overlap and none is longer than the step."""
        for step in result.said["step"]:
            if step["step_ns"] >= 0:
                self.assertLessEqual(sum(max(0, step[name]) for name in PHASES), step["step_ns"])

    def check_same(self, script, *arguments, world=2, option=("--out",)):
        """Checks that weights and output are the same with and without instrumentation."""
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for instrument in (False, True):
                base = os.path.join(folder, f"weights_{instrument}")
                results = ranks.run(script, *arguments, *option, base, world=world, instrument=instrument)
                for result in results:
                    self.assertEqual(result.code, 0, result.errors[-2000:])
                weights = [torch.load(f"{base}.{rank}") for rank in range(world)]
                printed = [result.lines("STEP") + result.lines("EVAL") for result in results]
                found.append((weights, printed, results))
            bare, watched = found
            self.assertEqual(bare[1], watched[1])
            for one, other in zip(bare[0], watched[0]):
                self.assertTrue(all(torch.equal(one[name], other[name]) for name in one))
            self.assertEqual([len(result.said["step"]) for result in bare[2]], [0] * world)
            return self.ran(watched[2])


class Core(Case):
    def test_a_plain_loop_says_what_it_prints_and_learns_the_same(self):
        results = self.check_same("plain.py", "--clip")
        for rank, result in enumerate(results):
            self.check_loss(result, 4)
            self.check_phases(result)
            said = result.said
            for number, (line, step) in enumerate(zip(result.lines("STEP"), said["step"])):
                self.assertEqual((step["step"], step["epoch"], step["samples"], step["lr"]),
                                 (number, int(line[2]), int(line[5]), float(line[6])))
                self.assertEqual((step["skipped"], step["loss_scale"], step["correct"]), (0, 1.0, -1))
            # Unknown if the process was preempted between the reducer's clock reading and ours.
            self.assertLessEqual(sum(step["exposed_comm_ns"] < 0 for step in said["step"]), 2)
            (hello,) = said["hello"]
            self.assertEqual((hello["world_size"], hello["backend"], hello["parameters"], hello["gradient_bytes"]), (2, "gloo", 227, 908))
            self.assertEqual(hello["cpus"], sorted(os.sched_getaffinity(0)))
            self.assertEqual([(one["epoch"], one["phase"], one["counted"], one["steps"], one["padded"]) for one in said["epoch"]],
                             [(0, 0, 49, 7, rank), (0, 1, 97, 4, 0), (1, 0, 49, 7, rank), (1, 1, 97, 4, 0)])
            sums = [sum(step["loss"] * step["samples"] for step in said["step"] if step["epoch"] == epoch) for epoch in (0, 1)]
            self.assertEqual([one["loss_sum"] for one in said["epoch"] if one["phase"] == 0], sums)
            self.assertEqual([state["state"] for state in said["state"]], [2, 3, 2, 3, 2])
            self.assertEqual({bucket["step"] for bucket in said["bucket"]}, set(range(14)))
            for bucket in said["bucket"]:
                step = said["step"][bucket["step"]]
                begin = step["at_ns"] - step["step_ns"]
                self.assertTrue(begin <= bucket["ready_ns"] <= bucket["reduced_ns"] <= step["at_ns"])
        shards = [[shard for shard in result.said["shard"]] for result in results]
        self.assertEqual([[(one["epoch"], one["sampler_seed"]) for one in shard] for shard in shards], [[(0, 3), (1, 4)]] * 2)
        self.assertEqual([one for result in results for one in result.said["notice"]], [])
        drawn = shards[0][0]["indices"] + shards[1][0]["indices"][:-1]
        self.assertEqual(sorted(drawn), list(range(97)))

    def test_accumulation_and_workers(self):
        for result in self.ran(ranks.run("plain.py", "--accumulate", 4, "--workers", 1)):
            self.check_loss(result, 4)
            self.check_phases(result)
            self.assertEqual([step["samples"] for step in result.said["step"]], [32, 17] * 2)
            self.assertEqual(len(result.said["bucket"]), 4)

    def test_the_loss_of_a_last_step_of_one_part_is_not_divided(self):
        for result in self.ran(ranks.run("plain.py", "--accumulate", 3)):
            self.check_loss(result, 4)
            self.assertEqual([step["samples"] for step in result.said["step"]], [24, 24, 1] * 2)

    @unittest.skipUnless(hasattr(torch.amp, "GradScaler"), "this torch has no scaler for processors")
    def test_a_scaler(self):
        for result in self.ran(ranks.run("scaler.py")):
            self.check_loss(result, 3)
            steps = result.said["step"]
            self.assertEqual([step["skipped"] for step in steps], [0] * 4 + [1] + [0] * 3)
            self.assertEqual([step["loss_scale"] for step in steps], [float(line[4]) for line in result.lines("STEP")])
            for line, step in zip(result.lines("STEP"), steps):
                if not step["skipped"]:
                    self.assertEqual(step["grad_norm"], float(line[5]))

    def test_ranks_that_share_nothing_say_so_once(self):
        told = r"in \d+ steps no collective (of torch.distributed was seen|carried data between ranks): unless the 2 ranks share what they " \
               "learn in another way, each trains by itself"
        for world, options, alone in ((2, [25], True), (2, [3, "join"], True), (2, [25, "reduce"], False), (1, [25], False),
                                      (2, [105, "same"], True), (2, [25, "same"], True), (2, [25, "same", "reduce"], False)):
            for rank, result in enumerate(ranks.run("alone.py", *options, world=world)):
                self.assertEqual((result.code, len(result.said["step"])), (0, options[0]), result.errors[-2000:])
                said = [one["text"] for one in result.said["notice"]]
                self.assertEqual(len(said), 1 if alone and not rank else 0)
                self.assertRegex("".join(said), told if said else "^$")

    def test_a_delay_is_seen_where_it_is(self):
        for phase, field in (("loader", "data_wait_ns"), ("forward", "forward_ns"), ("backward", "backward_ns")):
            with self.subTest(phase):
                result = self.ran(ranks.run("plain.py", "--epochs", 1, "--delay", f"{phase}:0.05", "--samples", 64, world=1))[0]
                steps = result.said["step"][1:]
                times = {name: sorted(step[name] for step in steps)[len(steps) // 2] for name in PHASES}
                self.assertEqual(max(times, key=times.get), field)
                self.assertGreaterEqual(times[field], 50_000_000)
                self.assertLess(sum(max(0, time) for name, time in times.items() if name != field), 30_000_000)

    def test_nothing_waits_for_a_device(self):
        bare, watched = (ranks.run("device_like.py", world=1, instrument=i)[0] for i in (False, True))
        self.assertEqual((watched.code, watched.errors), (0, ""))
        self.assertEqual(watched.lines("WAITS"), bare.lines("WAITS"))
        self.assertEqual({one["code"] for one in watched.said["notice"]} - {"instrument_sampled"}, set())
        steps = watched.said["step"]
        self.assertEqual([step["step"] for step in steps], list(range(60)))
        self.assertTrue(all(step["loss"] is not None and step["step_ns"] > 0 for step in steps))
        self.assertGreater(sum(step["grad_norm"] is not None for step in steps), 30)
        # Phases of short steps are measured only in every tenth.
        self.assertGreaterEqual(sum(step["forward_ns"] >= 0 for step in steps), 6)
        self.assertEqual([bucket["step"] for bucket in watched.said["bucket"]], [s["step"] for s in steps if s["exposed_comm_ns"] >= 0])
        self.check_phases(watched)

    def check_device(self, *arguments):
        result = ranks.run("device_like.py", *arguments, world=1)[0]
        self.assertEqual((result.code, result.errors), (0, ""))
        self.assertEqual({one["code"] for one in result.said["notice"]} - {"instrument_sampled"}, set())
        self.assertEqual([result.lines(word) for word in ("DEVICES", "TOUCHED")], [[["DEVICES", "1"]], [["TOUCHED", "0"]]])
        self.assertEqual((result.said["hello"][-1]["device_uuid"], result.said["hello"][-1]["device_index"]), ("GPU-1", 1))
        self.assertTrue(result.said["clock"])
        return result

    def test_events_are_on_the_device_of_the_loss_whatever_the_current_one_is(self):
        said = self.check_device().said
        self.assertEqual(len(said["hello"]), 1)
        memory = {one["name"]: one["value"] for one in said["scalar"] if one["step"] == 0}
        self.assertEqual([memory[f"memory/{name} MiB"] for name in ("allocated", "reserved", "peak", "parameters")], [2, 4, 3, 72 / (1 << 20)])

    def test_a_device_is_found_whoever_speaks_first(self):
        result = self.check_device(20, "log")
        self.assertEqual([one["device_uuid"] for one in result.said["hello"]], ["cpu", "GPU-1"])
        self.assertEqual(*[one["pid"] for one in result.said["hello"]])
        self.assertTrue(all(step["loss"] is not None for step in result.said["step"]))

    def test_a_step_in_a_graph_is_captured_in_peace_and_each_replay_is_one(self):
        steps = self.check_device(40, "graph").said["step"]
        self.assertEqual([step["step"] for step in steps], list(range(40)))
        self.assertEqual([step["loss"] is None for step in steps], [False] * 3 + [True] * 37)
        self.assertEqual({step["samples"] for step in steps}, {4})
        self.assertTrue(all(step["step_ns"] >= 900_000 and step["forward_ns"] == -1 for step in steps[4:]))

    def loaders(self, *names):
        """Name -> reported values, after checking samples and epochs of each step and evaluation."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, str(ranks.SCRIPTS / "loaders.py"), *names], capture_output=True, text=True,
                                  env=ranks.environment(0, 1, ranks.free_port(), folder), timeout=ranks.PATIENCE_S)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            found = {name: recorder.read(os.path.join(folder, name), 0) for name in names}
        for part in done.stdout.split("CASE ")[1:]:
            name, *lines = part.split("\n")
            said = found[name]
            with self.subTest(name):
                for word, had in (("STEP", [(one["epoch"], one["samples"]) for one in said["step"]]),
                                  ("EVAL", [(one["epoch"], one["counted"]) for one in said["epoch"] if one["phase"] == 1])):
                    told = [tuple(map(int, line.split()[1:])) for line in lines if line.startswith(word)]
                    self.assertEqual(had, told, word)
                self.assertEqual([one["code"] for one in said["notice"]], ["two_loaders"] if name == "pairs" else [])
        return found

    def test_samples_and_epochs_whatever_the_loader(self):
        found = self.loaders("endless", "endless_workers", "reset", "forever", "images", "time_first", "whole", "ready_made", "stream",
                             "own_collate", "ahead", "late", "glimpse", "longer", "broken", "no_loader", "pairs", "words")
        for name, passes in (("endless", [(0, 30, 4), (1, 30, 4), (2, 30, 4)]), ("ahead", [(0, 8, 1), (1, 8, 1), (2, 8, 1)]),
                             ("stream", [(0, 22, 4), (1, 22, 4)]), ("no_loader", [])):
            trained = [one for one in found[name]["epoch"] if one["phase"] == 0]
            self.assertEqual([(one["epoch"], one["counted"], one["steps"]) for one in trained], passes, name)
        self.assertEqual([one["steps"] for one in found["glimpse"]["epoch"] if one["phase"] == 1], [-1, -1])
        rates = [one for one in found["words"]["scalar"] if one["name"] == "tokens per s, with padding"]
        for number, (step, tokens, one) in enumerate(zip(found["words"]["step"], (24, 12), rates)):
            self.assertEqual(one["step"], number)
            self.assertAlmostEqual(one["value"] * step["step_ns"] / 1e9, tokens)
        self.assertIn("those of the DataLoader of TensorDataset (batches of 3), not those of", found["pairs"]["notice"][0]["text"])

    def test_what_a_script_sees_of_us(self):
        results = [ranks.run("imports.py", world=1, instrument=instrument)[0] for instrument in (False, True)]
        self.assertEqual(results[0].output, results[1].output)
        self.assertIn("OWN True", results[1].output)


@unittest.skipUnless(os.environ.get("RINGSIDE_SCRIPTS") == "1", "./dev test --scripts")
class Scripts(Case):
    def test_the_bits_stay_the_same(self):
        for world, arguments in ((1, ()), (3, ()), (3, ("--own-hook",)), (3, ("--late-hook",)), (3, ("--views", "--zeros")),
                                 (3, ("--views", "--accumulate", 4)), (2, ("--workers", 2))):
            with self.subTest(world=world, arguments=arguments):
                for result in self.check_same("plain.py", *arguments, world=world):
                    self.check_loss(result, 4)
                    self.assertEqual(len(result.said["bucket"]), len(result.said["step"]))

    def test_scalers_and_nanogpt_at_three_ranks(self):
        for script, place in (("scaler.py", 3), ("nanogpt.py", 3))[not hasattr(torch.amp, "GradScaler"):]:
            with self.subTest(script):
                for result in self.check_same(script, world=3, option=()):
                    self.check_loss(result, place)

    def test_estimates_in_the_loop_are_no_part_of_a_step(self):
        result = self.ran(ranks.run("nanogpt.py", world=1))[0]
        self.check_phases(result)
        self.assertEqual([step["data_wait_ns"] for step in result.said["step"]], [-1] * 12)
        self.assertEqual([step["lr"] for step in result.said["step"]], [float(line[4]) for line in result.lines("STEP")])

    def test_two_networks(self):
        for result in self.ran(ranks.run("gan.py")):
            self.assertEqual([(one["counted"], one["steps"]) for one in result.said["epoch"]], [(20, 5)] * 2)
            self.assertEqual({step["lr"] for step in result.said["step"]}, {0.1})

    def test_awkward_loops_learn_the_same(self):
        cases = [("join", None), ("fail", 2), ("closure", 2), ("threads", 2), ("compiled", 2)]
        for case, losses in cases if COMPILES else cases[:-1]:
            with self.subTest(case):
                for result in self.check_same("awkward.py", case):
                    self.assertNotIn("ringside", result.errors)
                    if losses:
                        self.check_loss(result, losses)
                        self.assertEqual({step["samples"] for step in result.said["step"]}, {5})

    def test_what_a_loop_makes_of_its_loaders(self):
        for case, losses, epochs in (("whole", 2, [(0, 20, 1), (1, 20, 1)]), ("look", 2, [(0, 20, 4), (1, 20, 4)]),
                                     ("pairs", 2, [(0, -1, 7), (1, -1, 7)])):
            with self.subTest(case):
                for result in self.check_same("awkward.py", case):
                    self.check_loss(result, losses)
                    self.assertEqual([(one["epoch"], one["counted"], one["steps"]) for one in result.said["epoch"]], epochs)
                    self.assertEqual({step["samples"] for step in result.said["step"]}, {"whole": {20}, "look": {5}, "pairs": {5, -1}}[case])
                    self.assertEqual([step["step"] for step in result.said["step"] if step["data_wait_ns"] < 0], [7, 15] if case == "pairs" else [])
                    self.assertTrue(all(math.isnan(one["loss_sum"]) == (case == "pairs") for one in result.said["epoch"]))

    def test_a_broken_connection_is_reported_as_ddp_does(self):
        bare, watched = (ranks.run("awkward.py", "leave", instrument=i)[0] for i in (False, True))
        self.assertIn("CAUGHT RuntimeError", bare.output)
        # The line of Gloo that reports it differs between runs.
        self.assertEqual(*[re.sub(r"\.cc:\d+", ".cc", result.output) for result in (watched, bare)])

    @unittest.skipUnless(COMPILES, "this torch cannot compile for this Python")
    def test_a_compiled_model(self):
        for result in self.check_same("plain.py", "--compile", "--epochs", 1):
            self.check_loss(result, 4)
            self.assertEqual(len(result.said["bucket"]), len(result.said["step"]))

    def test_a_repeated_order_is_told(self):
        result = self.ran(ranks.run("plain.py", "--no-set-epoch", world=1))[0]
        self.assertEqual([(one["epoch"], one["sampler_seed"]) for one in result.said["shard"]], [(0, 3), (1, 3)])
        self.assertEqual(*[one["indices"] for one in result.said["shard"]])

    def test_an_exception_ends_as_it_would(self):
        bare, watched = (ranks.run("plain.py", "--raise-at", 3, world=1, instrument=i)[0] for i in (False, True))
        self.assertEqual((watched.code, watched.errors), (bare.code, bare.errors))
        self.assertEqual(len(watched.said["step"]), 3)
        self.assertEqual(len(watched.said["goodbye"]), 1)

    def test_signals_end_it_as_they_would(self):
        # Signals that a background process ignores are ignored by its children too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            codes = []
            for instrument in (False, True):
                with tempfile.TemporaryDirectory() as folder:
                    process = subprocess.Popen([sys.executable, str(ranks.SCRIPTS / "plain.py"), "--epochs", "100000"],
                                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                               env=ranks.environment(0, 1, ranks.free_port(), folder, instrument))
                    process.stdout.readline()
                    process.send_signal(number)
                    begun = time.monotonic()
                    self.addCleanup(process.kill)
                    process.communicate(timeout=60)
                    codes.append(process.returncode)
                    self.assertLess(time.monotonic() - begun, 20)
            self.assertEqual(codes[0], codes[1], number)


if __name__ == "__main__":
    unittest.main()
