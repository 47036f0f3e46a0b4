"""Unusual loops, by name: ranks that join early, a backward that fails, an optimizer that calls its closure again, everything
compiled, batches that are only inspected, two loaders in parallel, a thread for each backward. Prints `STEP rank loss`."""

import argparse
import os
import threading

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("case")
parser.add_argument("--out", default="")
options = parser.parse_args()


class Failing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        raise RuntimeError("as asked")


def learn(batches):
    for x, y in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        print(f"STEP {rank} {loss.item()!r}", flush=True)


def join():
    learn(loader)
    with model.join(divide_by_initial_world_size=False):
        learn([(x[place:place + 4], y[place:place + 4]) for place in range(3 + 2 * rank)])


def fail():
    for number, (part, target) in enumerate(loader):
        optimizer.zero_grad()
        try:
            answer = model.module(part)
            loss = torch.nn.functional.cross_entropy(Failing.apply(answer) if number == 2 else answer, target)
            loss.backward()
        except RuntimeError as error:
            print(f"CAUGHT {error}", flush=True)
            continue
        optimizer.step()
        print(f"STEP {rank} {loss.item()!r}", flush=True)


def closure():
    solver = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)
    for part, target in loader:
        def loss():
            solver.zero_grad()
            value = torch.nn.functional.cross_entropy(model(part), target)
            value.backward()
            return value

        print(f"STEP {rank} {solver.step(loss).item()!r}", flush=True)


def whole():
    """Each call of the closure passes over all data; it prints the mean of the batches."""
    solver = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)

    def loss():
        solver.zero_grad()
        total = 0.0
        for part, target in loader:
            value = torch.nn.functional.cross_entropy(model(part), target)
            value.backward()
            total += value.item()
        return total

    for _ in range(2):
        print(f"STEP {rank} {solver.step(loss) / len(loader)!r}", flush=True)


def look():
    for _ in range(2):
        for x, y in loader:
            next(iter(loader))
            learn([(x, y)])


def pairs():
    """One step for each of the two."""
    for _ in range(2):
        for one, other in zip(DataLoader(loader.dataset, batch_size=4), loader):
            learn([one, other])


def threads():
    for part, target in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(part), target)
        thread = threading.Thread(target=loss.backward)
        thread.start()
        thread.join()
        optimizer.step()
        print(f"STEP {rank} {loss.item()!r}", flush=True)


def compiled():
    @torch.compile(backend="eager", fullgraph=True)
    def clip():
        model.train()
        return torch.nn.utils.clip_grad_norm_(model.module.parameters(), 1.0)

    @torch.compile(backend="eager")
    def step():
        optimizer.step()

    for part, target in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(part), target)
        loss.backward()
        clip()
        step()
        print(f"STEP {rank} {loss.item()!r}", flush=True)


def leave():
    """One rank exits; the other prints the error of DDP."""
    for number, (part, target) in enumerate(loader):
        if number == 2 and rank == 1:
            os._exit(0)
        try:
            torch.nn.functional.cross_entropy(model(part), target).backward()
        except RuntimeError as error:
            print(f"CAUGHT {type(error).__name__} {str(error).split(']')[0]} {len(str(error).splitlines())}", flush=True)
            os._exit(0)


dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(1)
x, y = torch.randn(20, 6), torch.randint(0, 3, (20,))
model = DistributedDataParallel(torch.nn.Linear(6, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(x, y), batch_size=5)
globals()[options.case]()
if options.out:
    torch.save(model.state_dict(), f"{options.out}.{rank}")
dist.destroy_process_group()
