"""Accelerate: its own loader (which fetches one batch ahead), accumulation, backward, scheduler."""

import sys

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
torch.manual_seed(1)
data = TensorDataset(torch.randn(60, 5), torch.randn(60, 1))
model = torch.nn.Linear(5, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
loader = DataLoader(data, batch_size=5, shuffle=True)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
step, parts = 0, []
for epoch in range(2):
    model.train()
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            parts.append(loss.item() / 2)
            optimizer.step()
            if accelerator.sync_gradients:
                print(f"STEP {accelerator.process_index} {epoch} {step} {sum(parts)!r}", flush=True)
                step, parts = step + 1, []
            optimizer.zero_grad()
if len(sys.argv) > 1:
    torch.save(accelerator.unwrap_model(model).state_dict(), f"{sys.argv[1]}.{accelerator.process_index}")
accelerator.end_training()
