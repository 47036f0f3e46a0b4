"""Lightning: forward and backward run inside of the optimizer's step."""

import os
import sys
import tempfile

import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(5, 3)
        self.done = 0

    def training_step(self, batch, number):
        loss = torch.nn.functional.cross_entropy(self.linear(batch[0]), batch[1])
        self.log("train_loss", loss)
        print(f"STEP {self.global_rank} {self.current_epoch} {self.done} {loss.item()!r}", flush=True)
        self.done += 1
        return loss

    def validation_step(self, batch, number):
        output = self.linear(batch[0])
        self.log("val_loss", torch.nn.functional.cross_entropy(output, batch[1]), sync_dist=True)
        self.log("val_acc", (output.argmax(1) == batch[1]).float().mean(), sync_dist=True)

    def on_validation_epoch_end(self):
        metrics = self.trainer.callback_metrics
        if not self.trainer.sanity_checking and "val_loss" in metrics:
            print(f"EVAL {self.global_rank} {metrics['val_loss'].item()!r} {metrics['val_acc'].item()!r}", flush=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def data(size):
    torch.manual_seed(2)
    return TensorDataset(torch.randn(size, 5), torch.randint(0, 3, (size,)))


torch.manual_seed(1)
model = Model()
with tempfile.TemporaryDirectory() as folder:
    trainer = lightning.Trainer(
        accelerator="cpu", devices=int(os.environ["WORLD_SIZE"]), strategy="ddp", max_epochs=2, logger=False,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder)
    trainer.fit(model, DataLoader(data(40), batch_size=4, shuffle=True), DataLoader(data(16), batch_size=8))
if len(sys.argv) > 1:
    torch.save(model.state_dict(), f"{sys.argv[1]}.{model.global_rank}")
