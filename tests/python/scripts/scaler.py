"""Mixed precision with a GradScaler on the CPU: scaled losses, a skipped step, clipping."""

import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(1)
model = DistributedDataParallel(torch.nn.Linear(6, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=3)
torch.manual_seed(rank)
for step in range(8):
    x, y = torch.randn(4, 6), torch.randn(4, 2)
    if step == 4:
        x = x * float("inf") if rank == 0 else x
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.mse_loss(model(x), y)
    scale = scaler.get_scale()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    print(f"STEP {rank} {step} {loss.item()!r} {scale!r} {norm.item()!r}", flush=True)
if len(sys.argv) > 1:
    torch.save(model.state_dict(), f"{sys.argv[1]}.{rank}")
dist.destroy_process_group()
