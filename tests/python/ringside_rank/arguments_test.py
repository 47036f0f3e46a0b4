"""Tests arguments that are tried in a script's own calls, and what is left unchanged. Exit code 77: this Python has no torch."""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error})")
    sys.exit(77)

from ringside_rank import _arguments  # noqa: E402
from torch.optim import optimizer as module  # noqa: E402
from torch.nn.parallel import DistributedDataParallel  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402


class Endless(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(())


class Arguments(unittest.TestCase):
    def tried(self, text):
        """Installs the arguments for this test only."""
        places = [(owner, "__init__") for owner in (DataLoader, DistributedDataParallel)]
        for owner, name in [*places, (DistributedDataParallel, "forward"), (torch, "set_num_threads"), (torch, "set_anomaly_enabled")]:
            kept = mock.patch.object(owner, name, getattr(owner, name))
            kept.start()
            self.addCleanup(kept.stop)
        for hooks in (module._global_optimizer_pre_hooks, module._global_optimizer_post_hooks):
            before = dict(hooks)
            self.addCleanup(lambda hooks=hooks, before=before: (hooks.clear(), hooks.update(before)))
        with mock.patch.dict(os.environ, RINGSIDE_ARGUMENTS=text):
            _arguments.install(torch)

    def test_without_the_variable_nothing_is_put_into_torch(self):
        before = DataLoader.__init__
        with mock.patch.dict(os.environ):
            os.environ.pop("RINGSIDE_ARGUMENTS", None)
            _arguments.install(torch)
        self.assertIs(DataLoader.__init__, before)

    def test_a_loader_gets_workers_and_keeps_its_other_arguments(self):
        self.tried("DataLoader.num_workers=2,DataLoader.pin_memory=0")
        data = torch.utils.data.TensorDataset(torch.arange(8))
        for loader in (DataLoader(data, 4), DataLoader(data, batch_size=4, num_workers=0),
                       DataLoader(data, 4, False, None, None, 1)):
            self.assertEqual((loader.num_workers, loader.batch_size, loader.pin_memory), (2, 4, False))
        self.assertEqual([batch[0].tolist() for batch in DataLoader(data, 4)], [[0, 1, 2, 3], [4, 5, 6, 7]])

    def test_an_iterable_data_set_keeps_its_own_and_mistakes_are_those_of_the_script(self):
        self.tried("DataLoader.num_workers=2")
        self.assertEqual(DataLoader(Endless()).num_workers, 0)
        with self.assertRaisesRegex(TypeError, "no_such"):
            DataLoader(Endless(), no_such=1)

    def model(self, **options):
        return self.model_of(torch.nn.Linear(2, 2), **options)

    def model_of(self, net, **options):
        """A DDP of one rank, whose process group ends with the test."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        torch.distributed.init_process_group("gloo", init_method=f"file://{folder.name}/meet", rank=0, world_size=1)
        self.addCleanup(torch.distributed.destroy_process_group)
        return DistributedDataParallel(net, **options)

    def test_the_search_for_unused_parameters_is_turned_off(self):
        self.tried("DistributedDataParallel.find_unused_parameters=0")
        self.assertFalse(self.model(find_unused_parameters=True).find_unused_parameters)

    def test_anomaly_detection_stays_off_however_a_program_turns_it_on(self):
        self.tried("torch.set_detect_anomaly=0")
        for on in (lambda: torch.autograd.set_detect_anomaly(True), lambda: torch.autograd.set_detect_anomaly(True, check_nan=False),
                   lambda: torch.autograd.detect_anomaly(check_nan=True).__enter__()):
            on()
            self.assertFalse(torch.is_anomaly_enabled())

    def test_without_workers_nothing_is_prefetched(self):
        self.tried("DataLoader.prefetch_factor=8")
        data = torch.utils.data.TensorDataset(torch.arange(8))
        self.assertIsNone(DataLoader(data, 4).prefetch_factor)
        self.assertEqual(DataLoader(data, 4, num_workers=1).prefetch_factor, 8)

    def test_workers_that_stay_need_workers(self):
        self.tried("DataLoader.persistent_workers=1")
        data = torch.utils.data.TensorDataset(torch.arange(8))
        self.assertFalse(DataLoader(data, 4).persistent_workers)
        self.assertTrue(DataLoader(data, 4, num_workers=1).persistent_workers)

    def test_threads_stay_whatever_the_script_asks_for(self):
        before = torch.get_num_threads()
        self.addCleanup(torch.set_num_threads, before)
        self.tried("torch.set_num_threads=1")
        torch.set_num_threads(before + 3)
        self.assertEqual(torch.get_num_threads(), 1)

    def test_buckets_of_a_model(self):
        self.tried("DistributedDataParallel.gradient_as_bucket_view=1,DistributedDataParallel.bucket_cap_mb=25,nonsense,A.b=c")
        model = self.model(bucket_cap_mb=1)
        self.assertTrue(model.gradient_as_bucket_view)
        self.assertEqual(model.bucket_bytes_cap, 25 * 2**20)

    def test_a_model_computes_in_bfloat16_and_returns_floats(self):
        self.tried("DistributedDataParallel.bf16=1")
        model = self.model()
        seen = []
        model.module.register_forward_hook(lambda module, inputs, result: seen.append(result.dtype))
        result = model(torch.ones(1, 2))
        result.sum().backward()
        self.assertEqual(seen, [torch.bfloat16])
        self.assertEqual((result.dtype, model.module.weight.grad.dtype), (torch.float32, torch.float32))
        self.assertFalse(torch.is_autocast_enabled("cpu") if hasattr(torch, "get_autocast_dtype") else torch.is_autocast_cpu_enabled())

    def test_convolutions_compute_channels_last(self):
        self.tried("DistributedDataParallel.channels_last=1")
        net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Flatten(), torch.nn.Linear(16, 2))
        before = net[0].weight
        self.model_of(net)
        self.assertIs(net[0].weight, before)  # an optimizer may have it already
        self.assertTrue(net[0](torch.ones(1, 3, 4, 4)).is_contiguous(memory_format=torch.channels_last))

    def accumulated(self, model, passes):
        """The number of all-reduces of gradients in a step of several passes, and the gradient at its end."""
        exchanged = []
        model.register_comm_hook(None, lambda state, bucket: exchanged.append(1) or _done(bucket))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for number in range(passes):
            model(torch.full((1, 2), float(number + 1))).sum().backward()
        gradient = model.module.weight.grad.clone()
        optimizer.step()
        return len(exchanged), gradient

    def test_gradients_of_several_passes_are_exchanged_once(self):
        torch.manual_seed(0)
        self.tried("DistributedDataParallel.no_sync=3")
        model = self.model()
        exchanged, gradient = self.accumulated(model, 3)
        self.assertEqual(exchanged, 1)
        self.assertTrue(torch.equal(gradient, torch.full((2, 2), 6.0)))
        self.assertTrue(model.require_backward_grad_sync)

    def test_passes_beyond_the_announced_ones_are_exchanged_too(self):
        self.tried("DistributedDataParallel.no_sync=3")
        exchanged, gradient = self.accumulated(self.model(), 4)
        self.assertEqual(exchanged, 2)
        self.assertTrue(torch.equal(gradient, torch.full((2, 2), 10.0)))

    def test_a_step_before_the_exchange_ends_the_program(self):
        self.tried("DistributedDataParallel.no_sync=3")
        with self.assertRaisesRegex(RuntimeError, "no_sync=3 does not fit: the optimizer steps after 2 backward passes"):
            self.accumulated(self.model(), 2)

    def test_a_short_run_ends_as_done_after_its_steps(self):
        self.tried("script.steps=2")
        net = torch.nn.Linear(2, 2)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        with self.assertRaises(SystemExit) as ended:
            optimizer.step()
        self.assertEqual(ended.exception.code, 0)

    def test_weights_have_one_number_that_every_bit_counts_in(self):
        net = torch.nn.Linear(2, 2)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        before = _arguments.weights_of(optimizer)
        self.assertEqual(_arguments.weights_of(optimizer), before)
        with torch.no_grad():
            net.bias[0] = torch.nextafter(net.bias[0], torch.tensor(9.0))
        self.assertNotEqual(_arguments.weights_of(optimizer), before)


def _done(bucket):
    future = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future


if __name__ == "__main__":
    unittest.main()
