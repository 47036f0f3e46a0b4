"""The script that script_bench.py measures: a plain DDP loop, alternately bare and instrumented within one process; rank 0 prints
the blocks as a line of JSON. `tiny ROUNDS`: steps as short as possible, so that the cost of hooks shows; `usual ROUNDS`: 20 ms, most
of it waiting as for a device. `collectives`: processor time of the training thread for each of many small all-reduces of a step, for
this process alone. `calls`: the cost of a call instead."""

import json
import os
import statistics
import sys
import tempfile
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

KIND = sys.argv[1]
# Measured and warm-up steps of a block, seconds that each step waits, and how often a round turns to the instrumented
# ones.
STEPS, WARM, WAIT_S, TURNS = {"tiny": (40, 20, 0.0, 20), "usual": (20, 5, 0.019, 3), "calls": (0, 0, 0.0, 0),
                              "collectives": (20, 5, 0.0, 0)}[KIND]
WIDTH, BATCH, BATCHES = 64, 16, 1000
CALLS = 2000


def cost_us(call):
    """Time of one of many calls, as the median of rounds."""
    rounds = []
    for _ in range(9):
        begun = time.perf_counter_ns()
        for number in range(CALLS // 10):
            call(number)
        rounds.append((time.perf_counter_ns() - begun) / (CALLS // 10) * 1e-3)
    return statistics.median(rounds)


def calls():
    found = {}
    try:
        import ringside_rank as rs

        if rs.active():
            found["log_us"] = cost_us(lambda number: rs.log(step=number, x=1.0))
            from ringside_rank import _records, _session

            body = _records.scalar("x", 1, 1.0)
            post = _session.current().speaker.post
            found["post_us"] = cost_us(lambda number: post(_records.SCALAR, 0, body))
    except ImportError:
        pass
    with tempfile.TemporaryDirectory() as folder:
        try:
            from torch.utils.tensorboard import SummaryWriter

            writer = SummaryWriter(folder)
            found["add_scalar_us"] = cost_us(lambda number: writer.add_scalar("x", 1.0, number))
            writer.close()
        except ImportError:
            found["add_scalar_us"] = "SKIPPED"
        try:
            os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DIR=folder)
            import wandb

            run = wandb.init(project="bench")
            found["wandb_us"] = cost_us(lambda number: run.log({"x": 1.0}))
            run.finish()
        except Exception as error:
            found["wandb_us"] = f"SKIPPED: {type(error).__name__}"
    return found


class Hooks:
    """Hooks our package into torch and removes it. The agent did not instrument this script."""

    def __init__(self):
        from ringside_rank import _replace, _torch
        from torch.optim import optimizer

        replace, self._places = _replace.replace, []

        def noted(owner, name, made):
            bare = getattr(owner, name, None)
            replace(owner, name, made)
            if bare is not None:
                self._places.append((owner, name, bare, getattr(owner, name)))

        _replace.replace = _torch.replace = noted
        _torch.install(torch)
        self._registries = [(one, dict(one)) for one in (optimizer._global_optimizer_pre_hooks, optimizer._global_optimizer_post_hooks)]

    def put(self, instrumented):
        for owner, name, bare, ours in self._places:
            setattr(owner, name, ours if instrumented else bare)
        for registry, ours in self._registries:
            registry.clear()
            registry.update(ours if instrumented else {})


def training():
    """Continues by one step with each call."""
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Sequential(
        torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(BATCH * BATCHES, WIDTH), torch.randint(0, 10, (BATCH * BATCHES,)))
    loader = DataLoader(data, batch_size=BATCH)
    while True:
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            time.sleep(WAIT_S)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            yield


def block(loop):
    """Microseconds of a step: the median of wall times, and the means of processor times, since a median would exclude
    occasional work such as that of other threads."""
    for _ in range(WARM):
        next(loop)
    ends, thread, process = [time.perf_counter_ns()], time.thread_time_ns(), time.process_time_ns()
    for _ in range(STEPS):
        next(loop)
        ends.append(time.perf_counter_ns())
    thread, process = time.thread_time_ns() - thread, time.process_time_ns() - process
    return {"step_us": statistics.median((b - a) * 1e-3 for a, b in zip(ends, ends[1:])),
            "thread_us": thread * 1e-3 / STEPS, "process_us": process * 1e-3 / STEPS}


def steps():
    """Alternates bare, instrumented, bare blocks."""
    dist.init_process_group("gloo")
    hooks, loops, blocks = Hooks(), {}, []
    for instrumented in (False, True):
        hooks.put(instrumented)
        loops[instrumented] = training()
        block(loops[instrumented])
    for place in range(int(sys.argv[2]) * TURNS * 2 + 1):
        hooks.put(place % 2 == 1)
        blocks.append(block(loops[place % 2 == 1]))
    hooks.put(False)
    dist.destroy_process_group()
    return blocks


def reducing(count, asynchronous):
    """A step with `count` all-reduces of 1 KiB, for block()."""
    weight = torch.nn.Parameter(torch.zeros(8))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    tensor = torch.zeros(256)
    while True:
        for _ in range(count):
            work = dist.all_reduce(tensor, async_op=asynchronous)
            if asynchronous:
                work.wait()
        weight.grad = torch.zeros(8)
        optimizer.step()
        yield


def collectives():
    """Microseconds of a collective, without the rest of the step."""
    dist.init_process_group("gloo")
    count, found = 40, {}
    for name, asynchronous in (("sync_us", False), ("async_us", True)):
        rounds = []
        for _ in range(15):
            none, many = (block(reducing(number, asynchronous))["thread_us"] for number in (0, count))
            rounds.append((many - none) / count)
        found[name] = statistics.median(rounds)
    dist.destroy_process_group()
    return found


def main():
    found = {"calls": calls, "collectives": collectives}.get(KIND, steps)()
    if os.environ["RANK"] == "0":
        print("BENCH " + json.dumps(found), flush=True)


main()
