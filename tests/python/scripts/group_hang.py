"""Four ranks in groups of two: pairs (dist.new_group, all-reduce by hand) or hsdp (2 x 2). From step 8 on one rank waits before
the next collective of its group until FOLDER/go exists; all end when FOLDER/end exists."""

import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn

kind, folder, slow = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.manual_seed(0)
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
step = 0


def there(name):
    return os.path.exists(os.path.join(folder, name))


def hold():
    if rank == slow and step == 8:
        deadline = time.monotonic() + 90
        while not there("go") and time.monotonic() < deadline:
            time.sleep(0.05)


class Block(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.number, self.inner = number, nn.Linear(32, 32)

    def forward(self, x):
        if self.number == 1:
            hold()
        return torch.relu(self.inner(x))


model = nn.Sequential(*[Block(number) for number in range(3)])
pair = None
if kind == "hsdp":
    from torch.distributed.fsdp import fully_shard

    mesh = dist.device_mesh.init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    for block in model:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
else:
    pair = [dist.new_group(ranks, group_desc="pair") for ranks in ([0, 1], [2, 3])][rank // 2]
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
ends = torch.zeros(1)
while not ends.item():
    loss = model(torch.randn(8, 32)).square().mean()
    loss.backward()
    if pair is not None:
        for one in model.parameters():
            dist.all_reduce(one.grad, group=pair)
    optimizer.step()
    optimizer.zero_grad()
    step += 1
    time.sleep(0.02)
    ends.fill_(there("end"))
    dist.all_reduce(ends, dist.ReduceOp.MAX)
dist.destroy_process_group()
