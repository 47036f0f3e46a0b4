"""Two networks with an optimizer each: a step is one of the first optimizer."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(1)
judge = DistributedDataParallel(torch.nn.Linear(4, 1))
maker = DistributedDataParallel(torch.nn.Linear(2, 4))
judges = torch.optim.SGD(judge.parameters(), lr=0.1)
makers = torch.optim.SGD(maker.parameters(), lr=0.2)
for epoch in range(2):
    for (real,) in DataLoader(TensorDataset(torch.randn(20, 4)), batch_size=4):
        made = maker(torch.randn(4, 2))
        judges.zero_grad()
        (judge(made.detach()).mean() - judge(real).mean()).backward()
        judges.step()
        makers.zero_grad()
        (-judge(made).mean()).backward()
        makers.step()
print("done")
dist.destroy_process_group()
