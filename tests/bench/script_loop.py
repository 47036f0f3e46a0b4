"""What script_bench.py measures: a plain DDP loop, which prints how long its steps took, as a line of JSON on rank 0. `tiny`: steps
as short as they get, so that hooks show; `usual`: 20 ms, most of it waiting as for a device. `calls`: what a call costs instead."""

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
STEPS, WAIT_S = {"tiny": (3000, 0.0), "usual": (300, 0.019), "calls": (0, 0.0)}[KIND]
WIDTH, BATCH, BATCHES = 64, 16, 100
CALLS = 2000


def cost_us(call):
    """Of one of many calls, in the median of rounds."""
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


def steps():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Sequential(
        torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(BATCH * BATCHES, WIDTH), torch.randint(0, 10, (BATCH * BATCHES,)))
    loader = DataLoader(data, batch_size=BATCH)
    ends, thread, process = [], [], []
    while len(ends) < STEPS:
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            time.sleep(WAIT_S)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            ends.append(time.perf_counter_ns())
            thread.append(time.thread_time_ns())
            process.append(time.process_time_ns())
    warm = STEPS // 5
    times = [(b - a) * 1e-3 for a, b in zip(ends[warm:], ends[warm + 1:])]
    dist.destroy_process_group()
    # All of the time, since what is done now and then, as other threads do, is no part of a median.
    return {"step_us": statistics.median(times), "thread_us": (thread[-1] - thread[warm]) * 1e-3 / len(times),
            "process_us": (process[-1] - process[warm]) * 1e-3 / len(times)}


def main():
    found = calls() if KIND == "calls" else steps()
    if os.environ["RANK"] == "0":
        print("BENCH " + json.dumps(found), flush=True)


main()
