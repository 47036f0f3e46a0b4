"""Small trainings of two ranks on CPUs, each slowed down by one common cause: one_worker (a single loader process reads a slow storage),
tiny_buckets, threads (more than there are cores), accumulation (gradients are all-reduced after every backward), anomaly (detection of anomalies is
left on); and tuned, which is not slowed down."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

KINDS = ("one_worker", "tiny_buckets", "threads", "accumulation", "anomaly", "tuned")
parser = argparse.ArgumentParser()
parser.add_argument("kind", choices=KINDS)
parser.add_argument("--steps", type=int, default=200)
options = parser.parse_args()
slow = {kind: options.kind == kind for kind in KINDS}

WIDTH, LAYERS, BATCH = (64, 60, 16) if slow["tiny_buckets"] or slow["anomaly"] else (768, 5, 8) if slow["accumulation"] else (256, 6, 48)
PASSES = 4 if slow["accumulation"] else 1
READ_S = 0.001  # seconds per sample of the slow storage


class Samples(Dataset):
    def __init__(self, count):
        made = torch.Generator().manual_seed(1)
        self.inputs = torch.randn(256, WIDTH, generator=made)
        self.targets = torch.randint(0, 10, (256,), generator=made)
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if slow["one_worker"]:
            time.sleep(READ_S)
        return self.inputs[index % 256], self.targets[index % 256]


torch.manual_seed(0)
if slow["threads"]:
    torch.set_num_threads(4 * (os.cpu_count() or 1))
torch.autograd.set_detect_anomaly(slow["anomaly"])
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
layers = [part for _ in range(LAYERS) for part in (nn.Linear(WIDTH, WIDTH), nn.ReLU())]
model = DistributedDataParallel(nn.Sequential(*layers, nn.Linear(WIDTH, 10)), **({"bucket_cap_mb": 0.001} if slow["tiny_buckets"] else {}))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
samples = Samples(options.steps * PASSES * BATCH * world)
loader = DataLoader(samples, BATCH, sampler=DistributedSampler(samples, world, rank, shuffle=False), num_workers=int(slow["one_worker"]))
for done, (inputs, targets) in enumerate(loader, 1):
    loss = nn.functional.cross_entropy(model(inputs), targets) / PASSES
    loss.backward()
    if done % PASSES == 0:
        optimizer.step()
        optimizer.zero_grad()
dist.destroy_process_group()
