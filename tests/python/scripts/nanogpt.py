"""A loop in the style of nanoGPT: no DataLoader, the next batch is fetched before backward, accumulation by
require_backward_grad_sync, loss estimates within the loop, and a learning rate set by hand."""

import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(1 + rank)
tokens = torch.randint(0, 32, (4000,))


def get_batch():
    places = torch.randint(len(tokens) - 17, (4,))
    return (torch.stack([tokens[i:i + 16] for i in places]), torch.stack([tokens[i + 1:i + 17] for i in places]))


class Gpt(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(32, 16)
        self.head = torch.nn.Linear(16, 32)

    def forward(self, x, y):
        logits = self.head(self.embedding(x))
        return logits, torch.nn.functional.cross_entropy(logits.view(-1, 32), y.view(-1))


model = DistributedDataParallel(Gpt())
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)


@torch.no_grad()
def estimate_loss():
    model.eval()
    losses = [model(*get_batch())[1].item() for _ in range(20)]
    model.train()
    return sum(losses) / len(losses)


x, y = get_batch()
for step in range(12):
    rate = 1e-3 * (step + 1)
    for group in optimizer.param_groups:
        group["lr"] = rate
    if step % 5 == 0:
        estimate_loss()
    total = 0.0
    for micro in range(3):
        model.require_backward_grad_sync = micro == 2
        _, loss = model(x, y)
        loss = loss / 3
        x, y = get_batch()
        loss.backward()
        total += loss.item()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    print(f"STEP {rank} {step} {total!r} {rate!r}", flush=True)
if len(sys.argv) > 1:
    torch.save(model.state_dict(), f"{sys.argv[1]}.{rank}")
dist.destroy_process_group()
