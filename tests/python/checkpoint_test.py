"""Reads checkpoints of ringside-trainer in Python. Exit code 77: skipped, with the reason printed."""

import argparse
import sys
import tempfile
from pathlib import Path

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error}); the lean set of LibTorch holds its libraries only")
    sys.exit(77)

import reference
import trainer_test

STEPS = 5
RULES = {
    "sgd": (torch.optim.SGD, {"lr": 0.01, "momentum": 0.9}, ["momentum_buffer"]),
    "adam": (torch.optim.Adam, {"lr": 0.002}, ["exp_avg", "exp_avg_sq", "step"]),
    "adamw": (torch.optim.AdamW, {"lr": 0.002}, ["exp_avg", "exp_avg_sq", "step"]),
}


def spec_of(folder, name, lr):
    """Trains two ranks for five steps with every setting that affects a checkpoint."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spec.toml").write_text(
        f"""
[devices]
kind = "cpu"
world_size = 2
[data]
root = "{folder.parent / 'data'}"
train_samples = 131
test_samples = 100
[batch]
size = 32
[train]
max_steps = {STEPS}
[optimizer]
name = "{name}"
lr = {lr}
weight_decay = 0.01
[schedule]
name = "cosine"
[checkpoint]
best = true
naming = "ranks_epoch"
""",
        encoding="utf-8",
    )


def check_one(trainer, folder, name):
    kind, options, entries = RULES[name]
    spec_of(folder, name, options["lr"])
    trainer_test.ours(trainer, folder, 2, 0)
    # Five steps are one epoch.
    checkpoints = sorted(path.name for path in (folder / "checkpoints").iterdir())
    assert checkpoints == ["2ranks_epoch_001.pt", "best.pt"], checkpoints
    saved = torch.load(folder / "checkpoints" / "2ranks_epoch_001.pt", weights_only=True)
    model = reference.make_model("convnet")
    model.load_state_dict(saved["model"])
    optimizer = kind(model.parameters(), weight_decay=0.01, **options)
    expected = set(optimizer.param_groups[0])
    missing = expected - set(saved["optimizer"]["param_groups"][0])
    assert not missing, f"{name}: groups lack {missing}"
    optimizer.load_state_dict(saved["optimizer"])
    for number, parameter in enumerate(model.parameters()):
        state = optimizer.state[parameter]
        assert sorted(state) == entries, f"{name}: {sorted(state)}"
        for entry in entries:
            stored = saved["optimizer"]["state"][number][entry]
            assert torch.equal(state[entry], stored), f"{name}: {entry} of {number}"
        if "step" in entries:
            assert state["step"].item() == STEPS and state["step"].dtype == torch.float32, state["step"]
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    assert saved["schedule"]["step"] == STEPS and saved["sampler"]["world_size"] == 2, saved["schedule"]
    assert saved["sampler"]["epoch"] == saved["epoch"] == 1 and saved["sampler"]["samples_into_epoch"] == 0
    best = torch.load(folder / "checkpoints" / "best.pt", weights_only=True)
    assert best["best"]["accuracy"] == saved["best"]["accuracy"] >= 0.0, (best["best"], saved["best"])
    print(f"{name}: loads with weights_only, and torch.optim takes its state")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trainer", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
        for name in RULES:
            check_one(args.trainer, Path(folder) / name, name)
    print("ok")


if __name__ == "__main__":
    main()
