"""timm: its model, optimizer, scheduler and averaged weights in a loop like that of its train.py."""

import sys

import timm
import timm.optim
import timm.scheduler
import timm.utils
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(1)
model = timm.create_model("test_resnet", pretrained=False, num_classes=3)
average = timm.utils.ModelEmaV3(model, decay=0.99)
model = DistributedDataParallel(model)
optimizer = timm.optim.create_optimizer_v2(model, "lamb", lr=0.01, weight_decay=0.02)
schedule = timm.scheduler.CosineLRScheduler(optimizer, t_initial=2, warmup_t=1, warmup_lr_init=1e-3)
data = TensorDataset(torch.randn(24, 3, 64, 64), torch.randint(0, 3, (24,)))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=4, sampler=sampler, drop_last=True)
step = 0
for epoch in range(2):
    sampler.set_epoch(epoch)
    schedule.step(epoch)
    model.train()
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        timm.utils.dispatch_clip_grad(model.parameters(), 1.0)
        rate = optimizer.param_groups[0]["lr"]
        optimizer.step()
        average.update(model)
        print(f"STEP {rank} {epoch} {step} {loss.item()!r} {rate!r}", flush=True)
        step += 1
if len(sys.argv) > 1:
    torch.save(model.module.state_dict(), f"{sys.argv[1]}.{rank}")
dist.destroy_process_group()
