"""Each step has an all-reduce of a sparse tensor, and one in a group that torch.distributed does not know."""

import datetime

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
store = dist.PrefixStore("by_hand", dist.distributed_c10d._get_default_store())
group = dist.ProcessGroup(store, rank, world)
backend = dist.ProcessGroupGloo(store, rank, world, datetime.timedelta(seconds=100))
group._register_backend(torch.device("cpu"), dist.ProcessGroup.BackendType.GLOO, backend)
weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
for batch in torch.utils.data.DataLoader(torch.ones(6, 3), batch_size=2):
    (weight * batch).sum().backward()
    group.allreduce([weight.grad]).wait()
    sparse = torch.sparse_coo_tensor([[rank]], [1.0], (4,))
    dist.all_reduce(sparse)
    optimizer.step()
    optimizer.zero_grad()
    print(sparse.to_dense().tolist(), weight.tolist(), flush=True)
dist.destroy_process_group()
