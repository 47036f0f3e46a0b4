"""A DDP loop that profiles four of its own steps in one of torch's ways, and prints how many of them the profiler
saw."""

import argparse
import time

import torch
import torch.distributed as dist

STEPS, FIRST, BEHIND = 14, 9, 13

parser = argparse.ArgumentParser()
parser.add_argument("--way", default="kineto")
way = parser.parse_known_args()[0].way
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if way == "kineto":
    profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
else:
    profile = torch.autograd.profiler.emit_itt()
seen = 0
for step in range(STEPS):
    if step == FIRST:
        profile.__enter__()
    if step == BEHIND:
        profile.__exit__(None, None, None)
    time.sleep(0.05)
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    seen += torch.autograd._profiler_enabled() and FIRST <= step < BEHIND
if way == "kineto":
    seen = sum(event.name == "DistributedDataParallel.forward" for event in profile.events())
print("PROFILED", seen, flush=True)
dist.destroy_process_group()
