"""A plain training script, on GPUs or without one. Argument: a special feature to use."""
import hashlib
import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

way = sys.argv[1]
rank = int(os.environ.get("LOCAL_RANK", 0))
world = int(os.environ.get("WORLD_SIZE", 1))
gpu = torch.cuda.is_available()
if gpu and way not in ("no_set_device", "share"):
    torch.cuda.set_device(rank)
if world > 1 or way == "fsdp2":
    dist.init_process_group("nccl" if gpu and way != "share" else "gloo")
kind = "cuda" if gpu else "cpu"
device = f"cuda:{0 if way == 'share' else rank}" if gpu else "cpu"
torch.manual_seed(0)
layers = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10)
model = nn.Sequential(*layers).to(device)
if way == "fsdp2":
    fully_shard(model)
elif world > 1:
    model = nn.parallel.DistributedDataParallel(model, device_ids=[device] if gpu else None)
run = torch.compile(model) if way == "compile" else model
optimizer = torch.optim.SGD(model.parameters(), 0.1, foreach=True)
scaler = torch.amp.GradScaler(kind, enabled=way == "scaler")
images = torch.randn(16, 3, 8, 8).to(device)
labels = torch.zeros(16, dtype=torch.long).to(device)


def step():
    optimizer.zero_grad()
    with torch.autocast(kind, torch.float16 if gpu else torch.bfloat16, enabled=way == "scaler"):
        loss = nn.functional.cross_entropy(run(images), labels)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return loss


class Moment:
    """A CUDA event with timing, or the host's clock."""

    def __init__(self):
        self.event = torch.cuda.Event(enable_timing=True) if gpu else None
        self.seconds = time.perf_counter()
        if gpu:
            self.event.record()

    def until(self, other):
        return self.event.elapsed_time(other.event) if gpu else 1e3 * (other.seconds - self.seconds)


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
        marks.append(Moment())
        step()
        if way == "memory" and i == 0:
            print("memory", torch.cuda.memory_allocated(), torch.cuda.memory_reserved(), torch.cuda.max_memory_allocated())
        if way == "paused" and i == 20:
            time.sleep(0.2)
    if gpu:
        torch.cuda.synchronize()
    if rank == 0:
        print("times", json.dumps([a.until(b) for a, b in zip(marks, marks[1:])]))
if way != "fsdp2":
    weights = b"".join(tensor.detach().cpu().numpy().tobytes() for tensor in model.state_dict().values())
    print("weights", hashlib.sha256(weights).hexdigest())
print("rank", rank, "done")
if dist.is_initialized():
    dist.destroy_process_group()
