"""What script_bench.py measures: a plain DDP loop, which prints how long its steps took and what calls cost, as a line of
JSON on rank 0. `tiny`: steps as short as they get, so that hooks show; `usual`: some 20 ms."""

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

KIND, STEPS = sys.argv[1], int(sys.argv[2])
WIDTH, BATCH = (8, 4) if KIND == "tiny" else (1024, 192)
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


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Sequential(
        torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(BATCH * 50, WIDTH), torch.randint(0, 10, (BATCH * 50,)))
    batches = [(torch.randn(BATCH, WIDTH), torch.randint(0, 10, (BATCH,)))]
    loader = DataLoader(data, batch_size=BATCH) if KIND == "tiny" else DataLoader(batches * 50, batch_size=None)
    ends, used = [time.perf_counter_ns()], [time.thread_time_ns()]
    while len(ends) <= STEPS:
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            ends.append(time.perf_counter_ns())
            used.append(time.thread_time_ns())
            if len(ends) > STEPS:
                break
    warm = STEPS // 5
    steps = [b - a for a, b in zip(ends[warm:], ends[warm + 1:])]
    cpu = [b - a for a, b in zip(used[warm:], used[warm + 1:])]
    found = {"step_us": statistics.median(steps) * 1e-3, "cpu_us": statistics.median(cpu) * 1e-3}
    if dist.get_rank() == 0:
        if KIND == "tiny":
            found["calls"] = calls()
        print("BENCH " + json.dumps(found), flush=True)
    dist.destroy_process_group()


main()
