"""Hugging Face Trainer with a small model; evaluates each epoch."""

import sys
import tempfile

import torch
from transformers import Trainer, TrainerCallback, TrainingArguments


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)

    def forward(self, x, labels=None):
        logits = self.linear(x)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


class Data(torch.utils.data.Dataset):
    def __init__(self, size):
        torch.manual_seed(3)
        self.x, self.y = torch.randn(size, 4), torch.randint(0, 2, (size,))

    def __len__(self):
        return len(self.y)

    def __getitem__(self, index):
        return {"x": self.x[index], "labels": self.y[index]}


class Print(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            print(f"STEP {args.process_index} {state.global_step - 1} {logs['loss']!r} {logs['learning_rate']!r}", flush=True)

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        print(f"EVAL {args.process_index} {metrics['eval_loss']!r} {metrics['eval_accuracy']!r}", flush=True)


torch.manual_seed(1)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder, per_device_train_batch_size=4, gradient_accumulation_steps=2, num_train_epochs=2, logging_steps=1,
        eval_strategy="epoch", save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, max_grad_norm=1.0)
    trainer = Trainer(
        Net(), arguments, train_dataset=Data(48), eval_dataset=Data(20), callbacks=[Print()],
        compute_metrics=lambda got: {"accuracy": float((got.predictions.argmax(-1) == got.label_ids).mean())})
    trainer.train()
    if len(sys.argv) > 1:
        torch.save(trainer.accelerator.unwrap_model(trainer.model).state_dict(), f"{sys.argv[1]}.{arguments.process_index}")
