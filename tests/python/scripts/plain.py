"""A plain DDP loop. Prints its own figures for each step, so that a test can compare them."""

import argparse
import contextlib
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--samples", type=int, default=97)
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--accumulate", type=int, default=1)
parser.add_argument("--own-hook", action="store_true")
parser.add_argument("--late-hook", action="store_true")
parser.add_argument("--views", action="store_true")
parser.add_argument("--zeros", action="store_true")
parser.add_argument("--clip", action="store_true")
parser.add_argument("--no-set-epoch", action="store_true")
parser.add_argument("--compile", action="store_true")
parser.add_argument("--raise-at", type=int, default=-1)
parser.add_argument("--delay", default="", help="PHASE:SECONDS")
parser.add_argument("--delay-rank", type=int, default=-1, help="of this rank alone")
parser.add_argument("--width", type=int, default=16)
parser.add_argument("--out", default="")
options = parser.parse_args()
phase, _, seconds = options.delay.partition(":")


def delay(here):
    if here == phase and options.delay_rank in (-1, int(os.environ["RANK"])):
        time.sleep(float(seconds))


class Slow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        delay("forward")
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        delay("backward")
        return grad


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(10, options.width)
        self.second = torch.nn.Linear(options.width, 3)

    def forward(self, x):
        x = self.first(x)
        return self.second(torch.relu(Slow.apply(x) if phase else x))


class Data(TensorDataset):
    asked = 0

    def __getitem__(self, index):
        self.asked += 1
        if self.asked % options.batch == 0:
            delay("loader")
        return super().__getitem__(index)


def own_hook(process_group, bucket):
    return (dist.all_reduce(bucket.buffer().div_(dist.get_world_size()), async_op=True).get_future()
            .then(lambda future: future.value()[0]))


dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(1)
data = Data(torch.randn(options.samples, 10), torch.randint(0, 3, (options.samples,)))
model = DistributedDataParallel(Net(), gradient_as_bucket_view=options.views)
if options.own_hook:
    model.register_comm_hook(None, own_hook)
trained = torch.compile(model) if options.compile else model
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 5, 0.5)
sampler = DistributedSampler(data, seed=3)
loader = DataLoader(data, batch_size=options.batch, sampler=sampler, num_workers=options.workers)
step = 0
total = 0.0
for epoch in range(options.epochs):
    model.train()
    if not options.no_set_epoch:
        sampler.set_epoch(epoch)
    samples = 0
    for number, (x, y) in enumerate(loader):
        last = (number + 1) % options.accumulate == 0 or number + 1 == len(loader)
        with contextlib.nullcontext() if last else model.no_sync():
            loss = torch.nn.functional.cross_entropy(trained(x), y) / options.accumulate
            if options.late_hook and step == 0 and total == 0.0:
                model.register_comm_hook(None, own_hook)
            loss.backward()
        total += loss.item()
        samples += len(y)
        if not last:
            continue
        if options.clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        norm = torch.cat([p.grad.flatten() for p in model.parameters()]).norm().item()
        rate = optimizer.param_groups[0]["lr"]
        optimizer.step()
        delay("optimizer")
        optimizer.zero_grad(set_to_none=not options.zeros)
        schedule.step()
        mean = total * options.accumulate / (number % options.accumulate + 1)  # the last step of an epoch may have fewer parts
        print(f"STEP {rank} {epoch} {step} {mean!r} {samples} {rate!r} {norm!r}", flush=True)
        step += 1
        total, samples = 0.0, 0
        if step == options.raise_at:
            raise RuntimeError("as asked")
    model.eval()
    with torch.no_grad():
        for x, y in DataLoader(data, batch_size=32):
            time.sleep(0.002)
            trained(x)
if options.out:
    torch.save(model.state_dict(), f"{options.out}.{rank}")
dist.destroy_process_group()
