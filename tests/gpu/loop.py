"""A training script on GPUs, as people write them. Argument: what is peculiar about it."""
import os
import sys
import json

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

way = sys.argv[1]
rank = int(os.environ.get("LOCAL_RANK", 0))
world = int(os.environ.get("WORLD_SIZE", 1))
if way != "no_set_device":
    torch.cuda.set_device(rank)
if world > 1 or way == "fsdp2":
    dist.init_process_group("nccl")
device = f"cuda:{rank}"
layers = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10)
model = nn.Sequential(*layers).to(device)
if way == "fsdp2":
    fully_shard(model)
elif world > 1:
    model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
optimizer = torch.optim.SGD(model.parameters(), 0.1, foreach=True)
images = torch.randn(16, 3, 8, 8).to(device)
labels = torch.zeros(16, dtype=torch.long).to(device)


def step():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss


if way == "graph":
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(20):
        graph.replay()
    torch.cuda.synchronize()
else:
    marks = []
    for i in range(40):
        marks.append(torch.cuda.Event(enable_timing=True))
        marks[-1].record()
        step()
        if way == "paused" and i == 20:
            import time
            time.sleep(0.2)
    torch.cuda.synchronize()
    times = [a.elapsed_time(b) for a, b in zip(marks, marks[1:])]
    if rank == 0:
        print("times", json.dumps(times))
print("rank", rank, "done")
if dist.is_initialized():
    dist.destroy_process_group()
