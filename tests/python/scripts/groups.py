"""Small trainings with process groups of each kind: ddp, fsdp2, hsdp (2 x half the ranks), tp, tp_unnamed (a mesh without names),
zero1 and muon (optimizers sharded by hand), zero (ZeroRedundancyOptimizer), fsdp1, replicate and bare (all_reduce by hand). From the
third step on one rank may be slow in its loader, in a layer's forward or backward, or in its optimizer."""

import argparse
import time

import torch
import torch.distributed as dist
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("kind")
parser.add_argument("--steps", type=int, default=8)
parser.add_argument("--slow", default="")  # loader, layer, backward, optimizer
parser.add_argument("--delay", type=float, default=0.03)
parser.add_argument("--slow-rank", type=int, default=1)
parser.add_argument("--width", type=int, default=32)
parser.add_argument("--out", default="")
options = parser.parse_args()

torch.manual_seed(0)
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
step = 0


def slows(where):
    return options.slow == where and rank == options.slow_rank and step >= 3


class SlowBackward(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x.view_as(x)

    @staticmethod
    def backward(context, grad):
        time.sleep(options.delay)
        return grad


class Optimizer(torch.optim.SGD):
    def step(self, closure=None):
        if slows("optimizer"):
            time.sleep(options.delay)
        super().step(closure)


class Block(nn.Module):
    def __init__(self, width, number):
        super().__init__()
        self.number = number
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        if self.number == 1 and slows("layer"):
            time.sleep(options.delay)
        x = x + self.down(torch.relu(self.up(x)))
        return SlowBackward.apply(x) if self.number == 1 and slows("backward") else x


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 8 * options.steps

    def __getitem__(self, index):
        if slows("loader") and index % 8 == 0:
            time.sleep(options.delay)
        own = 0 if options.kind.startswith("tp") else 1000 * rank
        return torch.randn(options.width, generator=torch.Generator().manual_seed(index + own))


class Zero1(Optimizer):
    """Each rank stores and updates its part of one flat parameter."""

    def __init__(self, model):
        self.whole = list(model.parameters())
        flat = torch.cat([one.detach().reshape(-1) for one in self.whole])
        self.flat = torch.cat([flat, flat.new_zeros(-len(flat) % world)])
        self.part = nn.Parameter(self.flat.chunk(world)[rank].clone())
        super().__init__([self.part], lr=0.1, momentum=0.9)

    def step(self, closure=None):
        grad = torch.cat([one.grad.reshape(-1) for one in self.whole])
        grad = torch.cat([grad, grad.new_zeros(len(self.flat) - len(grad))])
        self.part.grad = torch.empty_like(self.part)
        dist.reduce_scatter_tensor(self.part.grad, grad)
        super().step()
        dist.all_gather_into_tensor(self.flat, self.part.detach())
        at = 0
        for one in self.whole:
            one.data.copy_(self.flat[at:at + one.numel()].view_as(one))
            one.grad = None
            at += one.numel()


class Muon(Optimizer):
    """Whole parameters of equal shape are distributed over the ranks; each updates its own by the direction of the
    momentum only."""

    @torch.no_grad()
    def step(self, closure=None):
        alike = {}
        for one in self.param_groups[0]["params"]:
            alike.setdefault(one.shape, []).append(one)
        for shape, parameters in alike.items():
            for at in range(0, len(parameters), world):
                part = parameters[at:at + world]
                filled = [one.grad for one in part] + [torch.zeros(shape)] * (world - len(part))
                own, whole = torch.empty(shape), torch.empty(world * shape[0], *shape[1:])
                dist.reduce_scatter_tensor(own, torch.cat(filled), async_op=True).wait()
                if rank < len(part):
                    momentum = self.state[part[rank]].setdefault("momentum", torch.zeros(shape)).mul_(0.9).add_(own / world)
                    part[rank].sub_(momentum / (momentum.norm() + 1e-7), alpha=self.param_groups[0]["lr"])
                    own = part[rank].clone()
                dist.all_gather_into_tensor(whole, own, async_op=True).wait()
                for one, new in zip(part, whole.chunk(world)):
                    one.copy_(new)


model = nn.Sequential(*[Block(options.width, number) for number in range(3)])
if options.kind in ("fsdp2", "hsdp"):
    from torch.distributed.fsdp import fully_shard

    shape, names = ((world,), ("dp",)) if options.kind == "fsdp2" else ((2, world // 2), ("replicate", "shard"))
    mesh = dist.device_mesh.init_device_mesh("cpu", shape, mesh_dim_names=names)
    for block in model:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
elif options.kind.startswith("tp"):
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = dist.device_mesh.init_device_mesh("cpu", (world,), mesh_dim_names=("tp",) if options.kind == "tp" else None)
    parallelize_module(model, mesh, {"*.up": ColwiseParallel(), "*.down": RowwiseParallel()})
elif options.kind == "replicate":
    from torch.distributed._composable import replicate

    replicate(model, device_mesh=dist.device_mesh.init_device_mesh("cpu", (world,), mesh_dim_names=("dp_replicate",)))
elif options.kind == "fsdp1":
    from torch.distributed.fsdp import FullyShardedDataParallel

    blocks = [FullyShardedDataParallel(block, device_id=torch.device("cpu")) for block in model]
    model = FullyShardedDataParallel(nn.Sequential(*blocks), device_id=torch.device("cpu"))
elif options.kind in ("ddp", "zero"):
    model = nn.parallel.DistributedDataParallel(model)
if options.kind == "zero":
    from torch.distributed.optim import ZeroRedundancyOptimizer

    optimizer = ZeroRedundancyOptimizer(model.parameters(), Optimizer, lr=0.1, momentum=0.9)
else:
    kind = Muon if options.kind == "muon" else Optimizer
    optimizer = Zero1(model) if options.kind == "zero1" else kind(model.parameters(), lr=0.1, momentum=0.9)
for batch in torch.utils.data.DataLoader(Rows(), batch_size=8):
    loss = model(batch).square().mean()
    loss.backward()
    if options.kind == "bare":
        for one in model.parameters():
            dist.all_reduce(one.grad)
            one.grad /= world
    optimizer.step()
    optimizer.zero_grad()
    print(f"STEP {rank} {step} {loss.item()!r}", flush=True)
    step += 1
if options.out:
    whole = {name: one.full_tensor() if hasattr(one, "full_tensor") else one for name, one in model.state_dict().items()}
    torch.save(whole, f"{options.out}.{rank}")
dist.destroy_process_group()
