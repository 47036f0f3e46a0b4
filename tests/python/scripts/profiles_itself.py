"""A DDP loop that profiles four of its steps, and prints how many of them its own profile has."""

import time

import torch
import torch.distributed as dist

STEPS, FIRST, BEHIND = 14, 9, 13

dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
for step in range(STEPS):
    if step == FIRST:
        profile.start()
    if step == BEHIND:
        profile.stop()
    time.sleep(0.05)
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
print("PROFILED", sum(event.name == "DistributedDataParallel.forward" for event in profile.events()), flush=True)
dist.destroy_process_group()
