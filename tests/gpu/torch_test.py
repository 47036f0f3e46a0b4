"""The simulated GPUs through torch.cuda: delays, refusals and consistent sums. Started with the library loaded
first."""

import os
import subprocess
import sys
import tempfile
import unittest

import torch
import torch.distributed as dist
import torch.multiprocessing as spawning


def busy(milliseconds):
    """Enqueues work that takes this many milliseconds on the current stream, at FAKE_KERNEL_US=1000."""
    for _ in range(milliseconds):
        torch.empty(1, device="cuda").fill_(1)


def sums(rank, store):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", store=dist.FileStore(store, 2), rank=rank, world_size=2)
    for kind in (torch.float32, torch.float16, torch.bfloat16, torch.int64):
        given = torch.arange(3_000_000, dtype=torch.float64).remainder(97).add(rank).to(kind)
        both = torch.arange(3_000_000, dtype=torch.float64).remainder(97).mul(2).add(1).to(kind)
        on_device = given.cuda()
        dist.all_reduce(on_device)
        assert torch.equal(on_device.cpu(), both), f"sum of {kind}"
    part = torch.tensor([float(rank), 7.0]).cuda()
    everything = torch.empty(4, device="cuda")
    dist.all_gather_into_tensor(everything, part)
    assert everything.tolist() == [0.0, 7.0, 1.0, 7.0]
    mine = torch.empty(2, device="cuda")
    dist.reduce_scatter_tensor(mine, everything)
    assert mine.tolist() == ([0.0, 14.0] if rank == 0 else [2.0, 14.0])
    dist.broadcast(part, src=1)
    assert part.tolist() == [1.0, 7.0]
    dist.destroy_process_group()


class Rules(unittest.TestCase):
    def setUp(self):
        torch.cuda.synchronize()

    def test_a_copy_happens_in_its_turn(self):
        pinned = torch.ones(4).pin_memory()
        there = torch.zeros(4).cuda()
        busy(500)
        there.copy_(pinned, non_blocking=True)
        pinned.fill_(2)  # too early: the copy has not begun
        self.assertEqual(there.tolist(), [2.0] * 4)

    def test_a_value_that_is_read_before_its_copy_ends_is_old(self):
        there = torch.ones(4).cuda()
        here = torch.zeros(4).pin_memory()
        busy(500)
        here.copy_(there, non_blocking=True)
        done = torch.cuda.Event()
        done.record()
        self.assertFalse(done.query())
        self.assertEqual(here.tolist(), [0.0] * 4)
        done.synchronize()
        self.assertEqual(here.tolist(), [1.0] * 4)

    def test_another_stream_waits_only_if_it_is_made_to(self):
        value = torch.zeros(4).pin_memory()
        there = torch.zeros(4).cuda()
        other = torch.cuda.Stream()
        for told in (False, True):
            there.zero_()
            value.fill_(3 + told)
            torch.cuda.synchronize()
            busy(500)
            there.copy_(value, non_blocking=True)
            if told:
                other.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(other):
                seen = there.cpu()
            self.assertEqual(seen[0].item() == 3 + told, told)
            torch.cuda.synchronize()

    def test_events_tell_the_devices_time_and_only_of_one_device(self):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        busy(20)
        end.record()
        end.synchronize()
        self.assertGreaterEqual(begin.elapsed_time(end), 20 * 1.0001)  # FAKE_DRIFT_PPM=100
        other = torch.cuda.Event(enable_timing=True)
        with torch.cuda.device(1):
            other.record()
            other.synchronize()
        with self.assertRaises(Exception):
            begin.elapsed_time(other)

    def test_a_recording_is_lost_when_somebody_asks(self):
        event = torch.cuda.Event()
        event.record()
        there = torch.ones(4).cuda()
        for ask in (event.query, torch.cuda.synchronize, there.tolist):
            with self.subTest(ask), self.assertRaises(RuntimeError):
                with torch.cuda.graph(torch.cuda.CUDAGraph()):
                    there.add_(1)
                    ask()

    def test_a_replay_does_the_copies_again(self):
        source, target = torch.zeros(4).cuda(), torch.zeros(4).cuda()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            target.copy_(source)
        for value in (1.0, 2.0):
            source.copy_(torch.full((4,), value))
            graph.replay()
            self.assertEqual(target.tolist(), [value] * 4)

    def test_memory_ends(self):
        with self.assertRaises(torch.OutOfMemoryError):
            torch.empty(2 << 30, dtype=torch.uint8, device="cuda")
        torch.empty(1 << 29, dtype=torch.uint8, device="cuda:1")

    def test_a_lost_context_is_learnt_of_later_and_stays(self):
        program = ("import torch\n"
                   "for _ in range(9): torch.empty(4, device='cuda').fill_(1)\n"
                   "for _ in range(2):\n"
                   "    try: torch.cuda.synchronize()\n"
                   "    except RuntimeError as error: print('device-side assert' in str(error))\n")
        told = subprocess.run([sys.executable, "-c", program], env={**os.environ, "FAKE_FAIL": "launch:9:710"},
                              capture_output=True, text=True)
        self.assertEqual(told.stdout.split(), ["True", "True"], told.stderr)

    def test_two_processes_sum(self):
        with tempfile.TemporaryDirectory() as folder:
            spawning.start_processes(sums, (folder + "/store",), nprocs=2, start_method="spawn")


if __name__ == "__main__":
    unittest.main()
