"""SummaryWriter and wandb (offline) beside a plain loop."""

import os
import tempfile

os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true")
import torch  # noqa: E402
import wandb  # noqa: E402
from torch.utils.tensorboard import SummaryWriter  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    writer = SummaryWriter(folder)
    run = wandb.init(project="x", dir=folder)
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        writer.add_scalar("board/x", step * 2.0, step)
        writer.add_scalar("board/tensor", torch.tensor(step + 0.5), step)
        writer.add_scalars("board/both", {"a": step, "b": step * 4.0}, step)
        wandb.log({"wandb/y": step * 3.0, "words": "no", "within": {"train": {"z": step * 5.0}}})
        run.log({"wandb/z": 1}, step=step)
    writer.close()
    wandb.finish()
print("done")
