"""Whole runs on simulated GPUs, of our trainer and of other scripts. Only under RINGSIDE_GPU=1 (`./dev test --gpu`);
otherwise exit code 77: skipped."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from rig import PATIENCE_S, Rig, until

HERE = Path(__file__).resolve().parent

# Measures of `doctor --gpu` that need a kernel to compute; the other measures of these checks also hold here.
COMPUTED = {"load": {"compute", "convolution"}, "copies": {"bits"}, "ddp": {"loss"}, "amp": {"skipped", "halved", "moved_after"}}


class Runs(unittest.TestCase):
    def setUp(self):
        self.base = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.base / "use").mkdir()

    def rig(self, gpus, **more):
        """A rig with this number of GPUs; all rigs of a test share the runs folder."""
        test_bin = BUILD / "tests/bin"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RINGSIDE_", "CUDA_"))}
        return Rig(BUILD / "bin", self.base, {
            **kept, "OMP_NUM_THREADS": "1", "LD_PRELOAD": str(test_bin / "fake_gpu/libcuda.so.1"),
            "LD_LIBRARY_PATH": str(test_bin / "fake_driver"), "FAKE_GPUS": str(gpus), "FAKE_USE": str(self.base / "use"), **more})

    def script(self, ranks, way, **more):
        """Runs a script, instrumented; returns its output and the steps that Ringside has recorded."""
        rig = self.rig(ranks, **more)
        rig.ringside("run", "--ranks", str(ranks), "--", sys.executable, "-B", str(HERE / "loop.py"), way)
        return [rig.printed(rank) for rank in range(ranks)], rig.table("steps")

    def test_eight_gpus_train_and_each_rank_has_its_own(self):
        run = self.rig(8).trained(8, "model.name=lenet", "data.train_samples=512")
        self.assertEqual((run["state"], run["world_size"]), ("finished", 8))
        devices = {(row["rank"], row["device_uuid"]) for row in self.rig(8).table("ranks") if row.get("device_uuid")}
        self.assertEqual(len({uuid for _, uuid in devices}), 8, devices)

    def test_a_replayed_step_has_its_phases_and_its_buckets(self):
        rig = self.rig(2)
        rig.trained(2, "train.cuda_graph=true", "train.max_steps=20")
        replayed = [row for row in rig.table("steps") if int(row["step"]) > 12]
        self.assertEqual(len(replayed), 14)
        for row in replayed:
            phases = [int(row[name]) for name in ("forward_ns", "backward_ns", "exposed_comm_ns", "optimizer_ns")]
            self.assertTrue(all(phase >= 0 for phase in phases) and 0 < sum(phases) <= int(row["step_ns"]), row)
        buckets = {}
        for row in rig.table("buckets"):
            buckets.setdefault(int(row["step"]), []).append(row["bucket"])
            self.assertLessEqual(int(row["ready_ns"]), int(row["reduced_ns"]), row)
        self.assertEqual(sorted(buckets[19]), sorted(buckets[5]))

    def test_the_trainer_reports_the_counts_of_its_allocator(self):
        rig = self.rig(1)
        rig.trained(1, "model.name=lenet")
        said = {row["name"]: float(row["value"]) for row in rig.table("scalars") if row["step"] == "0"}
        allocated, reserved, peak = (said[f"memory/{name} MiB"] for name in ("allocated", "reserved", "peak"))
        self.assertTrue(0 < allocated <= peak <= reserved, said)

    def test_every_way_of_computing_trains(self):
        for gpus, *settings in ((1, "train.precision=fp16"), (2, "devices.parallel=dp"), (2, "batch.accumulate=2"),
                                (2, "train.precision=bf16", "train.cuda_graph=true", "train.max_steps=16"),
                                (2, "model.sync_batchnorm=true")):
            with self.subTest(settings):
                self.assertEqual(self.rig(gpus).trained(gpus, *settings)["state"], "finished")

    def test_a_batch_that_does_not_fit_says_what_to_lower(self):
        rig = self.rig(1, FAKE_MEMORY=str(400 << 20))
        said = rig.ringside(*rig.train(1, "batch.size=512"), code=1)
        self.assertIn("batch.size", said.stderr + said.stdout)

    def test_a_step_is_recorded_in_the_memory_that_eager_ones_leave(self):
        # Eager steps take 1.5 GB, and so does the recorded step.
        self.rig(1, FAKE_MEMORY=str(2400 << 20)).trained(1, "train.cuda_graph=true", "train.max_steps=20", "batch.size=256",
                                                         "data.train_samples=8192")

    def test_a_value_that_a_kernel_cannot_use_comes_with_advice(self):
        rig = self.rig(1, FAKE_FAIL="launch:700:710")
        said = rig.ringside(*rig.train(1), code=1)
        self.assertIn("not below model.classes", said.stderr + said.stdout)

    def notices(self, rig):
        return {row["code"]: row["text"] for row in rig.table("notices")}

    def test_the_drivers_report_on_a_failed_gpu_is_in_the_failure(self):
        for code, xid, words in ((214, 48, "a double-bit error in its memory"), (700, 31, "a fault of the program, not of the GPU")):
            with self.subTest(xid):
                rig = self.rig(1, FAKE_FAIL=f"launch:700:{code}")
                said = rig.ringside(*rig.train(1), code=1)
                self.assertIn(f"rank 0: GPU 0 reports XID {xid}: {words}", self.notices(rig).get(f"gpu_0_xid_{xid}", ""))
                if xid == 48:
                    self.assertIn(f"reports XID {xid}", said.stderr)

    def test_a_gpu_that_falls_off_its_bus_is_reported_during_the_run(self):
        rig = self.rig(2)
        run = rig.start_long(2)
        (self.base / "use/xid").write_text("1 79\n")
        until("word of it", lambda: "fallen off its bus" in self.notices(rig).get("gpu_1_xid_79", ""))
        rig.ringside("stop", "last", "--now")
        run.wait(PATIENCE_S)

    def test_who_waits_for_a_group_names_the_rank_that_did_not_come(self):
        for hangs, named, where in (("device:1", "rank 1 (still getting ready) did not come to", "the exchange of device names"),
                                    ("connect:1", "which rank is missing is not known", "NCCL's connection of the gradients")):
            with self.subTest(hangs):
                rig = self.rig(2, FAKE_HANG=hangs)
                said = rig.ringside(*rig.train(2, "model.name=lenet", "limits.collective_timeout_s=1"), code=1).stderr
                for words in (named, where, *(["NCCL's last words: NCCL INFO Bootstrap"] if hangs == "connect:1" else [])):
                    self.assertIn(words, said)
                self.assertNotIn("exit code 0", said)

    def test_stop_saves_and_resume_goes_on(self):
        rig = self.rig(2)
        run = rig.start_long(2)
        rig.ringside("stop", "last")
        run.wait(PATIENCE_S)
        before = max(int(row["step"]) for row in rig.table("steps"))
        resumed = rig.start("resume", "last")
        until("step after it", lambda: max(int(row["step"]) for row in rig.table("steps")) > before + 2)
        rig.ringside("stop", "last", "--now")
        resumed.wait(PATIENCE_S)
        steps = sorted(int(row["step"]) for row in rig.table("steps") if row["rank"] == "0")
        self.assertEqual(steps, list(range(steps[0], steps[0] + len(steps))), "a step was lost or done twice")

    def test_a_killed_rank_ends_the_run_and_leaves_nothing(self):
        run = self.rig(2).start_long(2)
        ranks = [int(file.name) for file in (self.base / "use").iterdir()]  # each process that uses a GPU has a file there
        self.assertEqual(len(ranks), 2)
        os.kill(ranks[0], signal.SIGKILL)
        self.assertEqual(run.wait(PATIENCE_S), 1)
        self.assertEqual([rank for rank in ranks if Path(f"/proc/{rank}").exists()], [])

    def test_a_script_without_set_device_is_measured_on_its_own_gpu(self):
        printed, steps = self.script(2, "no_set_device", FAKE_KERNEL_US="300")
        self.check_times(printed[0], steps)

    def test_step_times_of_a_script_are_those_of_the_device(self):
        printed, steps = self.script(1, "paused", FAKE_KERNEL_US="300", FAKE_DRIFT_PPM="100")
        self.check_times(printed[0], steps)

    def check_times(self, printed, steps):
        own = json.loads(printed.split("times ")[1].splitlines()[0])
        ours = [float(row["step_ns"]) / 1e6 for row in steps if row["rank"] == "0" and row["step_ns"] != "-1"]
        # Ringside's steps end with the optimizer, the script's with the beginning of the next, so its first step has no
        # beginning.
        self.assertEqual(len(ours), len(own))
        self.assertLess(abs(sum(ours[:-1]) / sum(own[1:]) - 1), 0.02)

    def test_a_script_that_records_its_whole_step_lives(self):
        printed, _ = self.script(1, "graph")
        self.assertIn("rank 0 done", printed[0])

    def test_a_sharded_script_trains_on_one_and_on_two(self):
        for ranks in (1, 2):
            printed, steps = self.script(ranks, "fsdp2")
            self.assertIn("rank 0 done", printed[0])
            self.assertEqual(len(steps), 40 * ranks)

    def test_a_script_reports_allocator_counts_and_their_parts(self):
        rig = self.rig(2)
        rig.ringside("run", "--ranks", "2", "--", sys.executable, "-B", str(HERE / "loop.py"), "memory")
        for rank in range(2):
            printed = rig.printed(rank).split("memory ")[1].splitlines()[0].split()
            said = {row["name"]: int(float(row["value"]) * 2**20) for row in rig.table("scalars") if (row["rank"], row["step"]) == (str(rank), "0")}
            names = [f"memory/{name} MiB" for name in ("allocated", "reserved", "peak", "parameters", "gradients", "optimizer")]
            allocated, *others = [int(size) for size in printed]  # the script has released its loss, one block of 512 bytes
            self.assertEqual([said[name] for name in names[:3]], [allocated + 512, *others])
            # Weights and biases; SGD without momentum has no state. The allocator rounds each tensor up.
            size = 4 * (3 * 8 * 9 + 8 + 8 + 8 + 288 * 10 + 10)
            self.assertEqual([said[name] for name in names[3:]], [size, size, 0])
            self.assertLess(2 * size, said[names[0]])

    def test_doctor_comes_to_numbers_on_one_and_on_eight(self):
        for gpus in (1, 8):
            done = subprocess.run([BUILD / "bin/ringside", "doctor", "--gpu", "--quick", "--json"], env=self.rig(gpus).environment,
                                  capture_output=True, text=True, timeout=2 * PATIENCE_S)
            checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
            for name, check in checks.items():
                with self.subTest(gpus=gpus, name=name):
                    self.assertEqual(bool(check["measures"]), name != "nvml", check)
            for name in ("identity", "sums", "replay", "timing", "ends"):
                with self.subTest(gpus=gpus, name=name):
                    self.assertEqual(checks[name]["outcome"], "pass", checks[name])
            for name, numbers in COMPUTED.items():
                with self.subTest(gpus=gpus, name=name):
                    failed = {measure["what"] for measure in checks[name]["measures"]
                              if not measure["holds"] and measure["what"] != "bandwidth"}  # depends on the load of the machine
                    self.assertEqual(failed, numbers, checks[name])
            # The limit includes the exit time of a process that only held a GPU.
            ended = checks["ends"]["measures"][0]
            self.assertGreater(ended["against"], 2.0005, ended)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=lambda path: Path(path).resolve(), required=True)
    options, rest = parser.parse_known_args()
    BUILD = options.build
    if os.environ.get("RINGSIDE_GPU") != "1":
        print("SKIPPED: only with ./dev test --gpu")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *rest])
