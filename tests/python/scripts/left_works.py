"""Both ranks end while an all-reduce is in progress that nothing waits for: apart from torch's own waiting, the second rank
reaches it after the first has ended. `destroy`: destroys the groups before; `none`: has no such all-reduce. Prints the
weights."""

import sys
import time

import torch
import torch.distributed as dist

torch.manual_seed(0)
torch.set_num_threads(1)
dist.init_process_group("gloo")
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in torch.utils.data.DataLoader(torch.ones(8, 4), batch_size=4):
    model(batch).sum().backward()
    for one in model.parameters():
        dist.all_reduce(one.grad)
    optimizer.step()
    optimizer.zero_grad()
print("WEIGHTS", [one.tolist() for one in model.parameters()], flush=True)
if dist.get_rank() == 1:
    time.sleep(2)
if "none" not in sys.argv:
    work = dist.all_reduce(torch.ones(1000), async_op=True)
if "destroy" in sys.argv:
    dist.destroy_process_group()
