"""Starts its ranks itself, as many scripts do: `WAY` is spawn (mp.spawn), fork or process (mp.Process), torchrun (a launcher in a
separate process), first (this process is rank 0 and starts the others), slurm (starts none, since it is a task), nccl (starts none, and
needs GPUs if it is a rank) or apart (processes that are in no group). Prints `STEP rank step loss lr` for each step.
`--end HOW:RANK:STEP`: raise, kill, return."""

import argparse
import os
import signal
import socket
import subprocess
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

SIZE = 160


def end(options, rank, step):
    how, who, when = options.end.split(":")
    if rank == int(who) and step == int(when):
        if how == "raise":
            raise ValueError("as asked")
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return how == "return"
    return False


def work(rank, options):
    if options.way != "inside":
        os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", str(options.port)
    alone = options.way == "apart"
    if not alone:
        dist.init_process_group("gloo", rank=rank, world_size=options.world)
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(SIZE, 4), torch.randn(SIZE, 1))
    sampler = DistributedSampler(data, 1 if alone else None, 0 if alone else None)
    model = torch.nn.Linear(4, 1)
    model = model if alone else DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    step = 0
    for epoch in range(options.epochs):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, batch_size=8, sampler=sampler):
            if end(options, rank, step):
                return
            loss = torch.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            os.write(1, f"STEP {rank} {step} {loss.item()!r} {optimizer.param_groups[0]['lr']}\n".encode())
            optimizer.step()
            step += 1
        schedule.step()
    if not alone:
        dist.destroy_process_group()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("way")
    parser.add_argument("--world", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--end", default="none:-1:-1")
    parser.add_argument("--port", type=int, default=free_port())
    given = parser.parse_args()
    print("RANK", os.environ.get("RANK", "unset"), file=sys.stderr)
    if given.way == "inside":
        work(int(os.environ["RANK"]), given)
    elif given.way == "slurm":
        given.world = int(os.environ["SLURM_NTASKS"])
        given.port = 10000 + int(os.environ["SLURM_JOB_ID"]) % 50000
        work(int(os.environ["SLURM_PROCID"]), given)
    elif given.way == "nccl":  # as in scripts that train without a group if they were not started as a rank
        if "RANK" in os.environ:
            dist.init_process_group("nccl")
    elif given.way in ("spawn", "apart"):
        mp.spawn(work, args=(given,), nprocs=given.world)
    elif given.way == "torchrun":
        more = [f"--world={given.world}", f"--epochs={given.epochs}", f"--end={given.end}"]
        sys.exit(subprocess.call([sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(given.world), "--master-port",
                                  str(given.port), __file__, "inside", *more]))
    else:
        made = mp.get_context("fork" if given.way == "fork" else "spawn").Process
        others = [made(target=work, args=(rank, given)) for rank in range(given.way == "first", given.world)]
        for one in others:
            one.start()
        if given.way == "first":
            work(0, given)
        for one in others:
            one.join()
