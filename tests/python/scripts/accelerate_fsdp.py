"""FSDP as people request it from Accelerate: in its variables, a plugin or the Trainer's arguments. A CPU gets DDP, or
nothing that connects the ranks if the script does not request the CPU either."""

import sys
import tempfile

import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin

kind = sys.argv[1]
torch.manual_seed(1)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 1)

    def forward(self, x, labels):
        return {"loss": (self.linear(x) - labels).square().mean()}


if kind == "trainer":
    from transformers import Trainer, TrainingArguments

    rows = [{"x": torch.randn(4), "labels": torch.randn(1)} for _ in range(24)]
    with tempfile.TemporaryDirectory() as folder:
        Trainer(Net(), TrainingArguments(folder, fsdp="full_shard", use_cpu=True, report_to=[], max_steps=3, save_strategy="no",
                                         disable_tqdm=True), train_dataset=rows).train()
    sys.exit()
plugin = FullyShardedDataParallelPlugin(fsdp_version=2) if kind == "plugin" else None
accelerator = Accelerator(cpu=kind != "alone", fsdp_plugin=plugin)
model = Net()
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1))
for step in range(3):
    loss = model(torch.randn(4, 4), torch.randn(4, 1))["loss"]
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    print(f"STEP {accelerator.process_index} 0 {step} {loss.item()!r}", flush=True)
accelerator.end_training()
