"""FSDP2 (fully_shard): no comm hook, so that buckets and exposed communication are unknown."""

import sys

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, TensorDataset

dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = dist.device_mesh.init_device_mesh("cpu", (dist.get_world_size(),))
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
for layer in model:
    if isinstance(layer, torch.nn.Linear):
        fully_shard(layer, mesh=mesh)
fully_shard(model, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
step = 0
for epoch in range(2):
    for (x,) in DataLoader(TensorDataset(torch.randn(16, 8)), batch_size=4):
        loss = model(x).square().mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        print(f"STEP {rank} {epoch} {step} {loss.item()!r}", flush=True)
        step += 1
if len(sys.argv) > 1:
    torch.save({name: one.full_tensor() for name, one in model.state_dict().items()}, f"{sys.argv[1]}.{rank}")
dist.destroy_process_group()
