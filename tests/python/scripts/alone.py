"""A loop for a single process, started on several ranks by mistake. `join` creates the process group but does not use
it, `same` uses it before training and for a barrier after it, `reduce` for one sum in training."""

import sys

import torch

steps = int(sys.argv[1])
if len(sys.argv) > 2:
    torch.distributed.init_process_group("gloo")
torch.manual_seed(1)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if "same" in sys.argv:
    torch.distributed.broadcast(model.weight.data, 0)
for step in range(steps):
    loss = model(torch.randn(4, 4)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(f"STEP 0 0 {step} {loss.item()!r}", flush=True)
    if "reduce" in sys.argv and step == 1:
        torch.distributed.all_reduce(model.weight.data)
if "same" in sys.argv:
    torch.distributed.barrier()
if len(sys.argv) > 2:
    torch.distributed.destroy_process_group()
