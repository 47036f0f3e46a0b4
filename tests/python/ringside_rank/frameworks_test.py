"""Unmodified scripts of common frameworks as ranks over Gloo. Only under RINGSIDE_SCRIPTS=1; exit code 77: skipped, or a framework is
missing."""

import importlib.util
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

if os.environ.get("RINGSIDE_SCRIPTS") != "1":
    print("SKIPPED: ./dev test --scripts runs these")
    sys.exit(77)
NEEDED = ("torch", "lightning", "transformers", "accelerate", "timm", "tensorboard", "wandb")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
if MISSING:
    print(f"SKIPPED: this Python has no {', '.join(MISSING)}")
    sys.exit(77)

import ranks  # noqa: E402
from ranks_test import Case  # noqa: E402


class Frameworks(Case):
    def test_accelerate(self):
        for world in (1, 2):
            for result in self.check_same("accelerate_loop.py", world=world, option=()):
                self.check_loss(result, 4)
                self.check_phases(result)
                steps = result.said["step"]
                self.assertEqual({step["samples"] for step in steps}, {10})
                self.assertEqual([(one["epoch"], one["counted"]) for one in result.said["epoch"]], [(0, 60 // world), (1, 60 // world)])

    def test_hugging_face_trainer(self):
        for world in (1, 2):
            for result in self.check_same("huggingface_trainer.py", world=world, option=()):
                steps = result.said["step"]
                self.check_phases(result)
                self.assertEqual(len(steps), 12 if world == 1 else 6)
                self.assertEqual({step["samples"] for step in steps}, {8})
                self.assertTrue(all(step["grad_norm"] is not None for step in steps))
                if world == 1:  # it prints the rounded mean of all ranks
                    for line, step in zip(result.lines("STEP"), steps):
                        self.assertAlmostEqual(step["loss"], float(line[3]), 3)
                judged = {one["epoch"]: one for one in result.said["epoch"] if one["phase"] == 1}
                self.assertEqual(len(judged), len([one for one in result.said["epoch"] if one["phase"] == 1]))
                for line, epoch in zip(result.lines("EVAL"), (0, 1)):
                    self.assertAlmostEqual(judged[epoch]["loss_sum"] / judged[epoch]["counted"], float(line[2]), 5)
                (hello,) = result.said["hello"]
                self.assertEqual((hello["epochs"], hello["steps_per_epoch"]), (2, 6 // world))
                told = [one["text"] for one in result.said["notice"]]
                self.assertEqual(len(told), 1 if world > 1 and hello["local_rank"] == 0 else 0)
                self.assertTrue(all("dealt out by BatchSamplerShard" in text for text in told))

    def test_lightning(self):
        for world in (1, 2):
            for result in self.check_same("lightning_fit.py", world=world, option=()):
                self.check_loss(result, 4)
                self.check_phases(result)
                self.assertTrue(all(step["forward_ns"] > 0 and step["optimizer_ns"] > 0 for step in result.said["step"]))
                (hello,) = result.said["hello"]
                self.assertEqual((hello["epochs"], hello["steps_per_epoch"]), (2, 10 // world))
                judged = {one["epoch"]: one for one in result.said["epoch"] if one["phase"] == 1}
                self.assertEqual(len(judged), len([one for one in result.said["epoch"] if one["phase"] == 1]))
                self.assertEqual(sorted(judged), [0, 1])
                for line, epoch in zip(result.lines("EVAL"), (0, 1)):
                    self.assertAlmostEqual(judged[epoch]["loss_sum"] / judged[epoch]["counted"], float(line[2]), 5)
                    self.assertEqual(judged[epoch]["correct"], round(float(line[3]) * judged[epoch]["counted"]))

    def test_timm(self):
        for result in self.check_same("timm_loop.py", option=()):
            self.check_loss(result, 4)
            self.assertEqual([step["lr"] for step in result.said["step"]], [float(line[5]) for line in result.lines("STEP")])
            self.assertEqual(len(result.said["shard"]), 2)

    def test_fully_sharded(self):
        for result in self.check_same("fsdp2.py", option=()):
            self.check_loss(result, 4)
            self.assertEqual(result.said["bucket"], [])
            self.assertEqual({(step["exposed_comm_ns"], step["grad_norm"]) for step in result.said["step"]}, {(-1, None)})

    def test_fsdp_that_accelerate_leaves_out_is_reported(self):
        text = "Accelerate was asked for FSDP and leaves it out on a CPU: each rank has the whole model"
        variables = {"ACCELERATE_USE_FSDP": "true", "FSDP_VERSION": "2"}
        ddp = {"fsdp_left_out": text + ", in DistributedDataParallel"}
        alone = {"fsdp_left_out": text, "no_collective": "in 3 steps no collective of torch.distributed was seen: unless the 2 ranks "
                                                         "share what they learn in another way, each trains by itself"}
        for kind, more, world, told in (("variables", variables, 2, ddp), ("plugin", {}, 2, ddp), ("trainer", {}, 2, ddp),
                                        ("alone", variables, 2, alone), ("variables", variables, 1, {})):
            with self.subTest(kind=kind, world=world):
                results = ranks.run("accelerate_fsdp.py", kind, world=world, **more)
                for rank, result in enumerate(results):
                    self.assertEqual((result.code, len(result.said["step"])), (0, 3), result.errors[-2000:])
                    said = {one["code"]: one["text"] for one in result.said["notice"] if one["code"] != "samples_unseen"}
                    self.assertEqual(said, {} if rank else told)

    def test_loggers(self):
        result = self.ran(ranks.run("loggers.py", world=1))[0]
        scalars = {(one["name"], one["step"]): one["value"] for one in result.said["scalar"]}
        for step in range(3):
            self.assertEqual([scalars[name, step] for name in ("board/x", "board/tensor", "wandb/z")], [step * 2.0, step + 0.5, 1.0])
            self.assertEqual([scalars[name, step] for name in ("board/both/a", "board/both/b")], [step, step * 4.0])
        self.assertEqual([one["value"] for one in result.said["scalar"] if one["name"] == "wandb/y"], [0.0, 3.0, 6.0])
        self.assertEqual([one["value"] for one in result.said["scalar"] if one["name"] == "within.train.z"], [0.0, 5.0, 10.0])


if __name__ == "__main__":
    unittest.main()
