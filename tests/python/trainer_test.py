"""Tests of ringside-trainer that need a Python with torch. Exit code 77: skipped, with the reason printed."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error}); the lean set of LibTorch holds its libraries only")
    sys.exit(77)

import reference

HERE = Path(__file__).resolve().parent
PATIENCE_S = 600
SAMPLES, BATCH, SEED = 640, 16, 42


def environment(rank, world, **more):
    env = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), LOCAL_WORLD_SIZE=str(world))
    env.update({"OMP_NUM_THREADS": "1"}, **more)
    return env


def run_all(commands):
    """Runs the ranks in parallel; all must exit with 0. Returns their output."""
    running = [
        subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for command, env in commands
    ]
    outputs = []
    try:
        for process in running:
            outputs.append(process.communicate(timeout=PATIENCE_S)[0])
    finally:
        for process in running:
            process.kill()
    for process, output in zip(running, outputs):
        assert process.returncode == 0, f"exit code {process.returncode}\n{output}"
    return outputs


def generated(trainer, folder, name="digits", samples=SAMPLES):
    made = subprocess.run(
        [Path(trainer).parent / "ringside-data", "make", name, "--root", folder / "data", "--samples", str(samples),
         "--test-samples", "100"], check=True, capture_output=True, text=True, timeout=PATIENCE_S)
    return Path(made.stdout.strip())


def spec(folder, world, train, more=""):
    text = f"""
[devices]
kind = "cpu"
world_size = {world}
[data]
root = "{folder / 'data'}"
train_samples = {SAMPLES}
test_samples = 100
mean = [0.1307]
std = [0.3081]
[batch]
size = {BATCH}
meaning = "per_rank"
[train]
seed = {SEED}
{train}
[optimizer]
lr = 0.01
momentum = 0.9
{more}
"""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spec.toml").write_text(text, encoding="utf-8")


def ours(trainer, folder, world, attempt, *arguments):
    for rank in range(world):
        (folder / f"attempt_{attempt}" / f"rank_{rank}").mkdir(parents=True, exist_ok=True)
    command = [trainer, "--run-dir", str(folder), *map(str, arguments)]
    return run_all([(command, environment(r, world, RINGSIDE_ATTEMPT=str(attempt))) for r in range(world)])


def theirs(folder, world, *arguments):
    command = [sys.executable, str(HERE / "reference.py"), "--batch", str(BATCH), "--seed", str(SEED), *map(str, arguments)]
    rendezvous = str(folder / "python_rendezvous")
    return run_all([(command, environment(r, world, RENDEZVOUS=rendezvous)) for r in range(world)])


def read_losses(path):
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return {int(fields[0]): float(fields[1]) for fields in (line.split() for line in lines)}


def assert_same_losses(left, right, expected_steps, tolerance=1e-5, name=""):
    assert sorted(left) == sorted(right) == expected_steps, f"{name}: steps differ: {sorted(left)} {sorted(right)}"
    worst = max(abs(left[s] - right[s]) / max(1.0, abs(right[s])) for s in left)
    assert worst <= tolerance, f"{name}: losses differ by {worst:.2e}: {left} {right}"
    return worst


class Case:
    """One run of two ranks on both sides: fields of the spec by section, and the equivalent arguments of reference.py.
    131 samples cannot be divided by two, nor those of a rank by the batch of 16; 12 steps are more than two epochs. In
    longer runs any two programs that round differently diverge, earlier with small batches."""

    def __init__(self, name, arguments="", model="convnet", samples=131, steps=12, batch=(), resume=None, **sections):
        self.name, self.model, self.steps, self.resume = name, model, steps, resume
        self.batch = {"size": 16, "meaning": "per_rank", **dict(batch)}
        self.arguments, self.sections = arguments.split(), sections
        self.data, self.samples = "digits" if model == "convnet" else "shapes", samples
        self.first = 0

    def spec(self, folder, world=2):
        mean, std = ([0.1307], [0.3081]) if self.model == "convnet" else ([0.5] * 3, [0.5] * 3)
        sections = {
            "devices": {"kind": "cpu", "world_size": world},
            "model": {"name": self.model},
            "data": {"name": self.data, "root": str(folder / "data"), "train_samples": self.samples, "test_samples": 100,
                     "mean": mean, "std": std},
            "batch": self.batch,
            "train": {"seed": SEED, "max_steps": self.steps, "epochs": 1000},
            "evaluate": {"mode": "none"},
            "checkpoint": {"every_epochs": 0},
        }
        for section, fields in self.sections.items():
            sections[section] = {**sections.get(section, {}), **fields}
        if self.resume:
            sections["checkpoint"]["resume"] = str(self.resume)
        lines = []
        for section, fields in sections.items():
            lines += [f"[{section}]"] + [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
        return "\n".join(lines) + "\n"


ADAPTIVE = dict(optimizer={"name": "adamw", "lr": 0.001, "weight_decay": 0.01},
                schedule={"name": "cosine", "warmup_steps": 5, "warmup_factor": 0.1})
ADAPTIVE_ARGUMENTS = "--optimizer adamw --lr 0.001 --weight-decay 0.01 --schedule cosine --warmup-steps 5"
CASES = [
    Case("30 steps of the defaults", samples=640, steps=30),
    Case("accumulation in parts of 6, 6 and 4", "--accumulate 3", batch={"accumulate": 3}),
    Case("no shuffling", "--no-shuffle", sampler={"shuffle": False}),
    Case("the same order each epoch", "--same-order", sampler={"set_epoch": False}),
    Case("the tail left out instead of repeats", "--padding none", sampler={"padding": "none"}),
    Case("the short batch left out", "--drop-last", batch={"drop_last": True}),
    Case("nesterov, weight decay, one-cycle", "--nesterov --weight-decay 0.001 --schedule onecycle --lr 0.05",
         optimizer={"nesterov": True, "weight_decay": 0.001, "lr": 0.05}, schedule={"name": "onecycle"}),
    Case("adamw, cosine and warm-up", ADAPTIVE_ARGUMENTS, checkpoint={"every_epochs": 0, "every_steps": 6}, **ADAPTIVE),
    Case("resnet18", model="resnet18", samples=40, batch={"size": 8}, steps=5),
    Case("resnet18 in two parts", "--accumulate 2", model="resnet18", samples=40, batch={"accumulate": 2, "size": 8}, steps=4),
]


def resumed_case(of, folder):
    """The second half of a case that saved a checkpoint in the middle."""
    case = Case(of.name + ", resumed", " ".join(of.arguments), of.model, of.samples, of.steps, of.batch, **of.sections)
    case.first = of.steps // 2
    case.resume = folder / f"checkpoints/step_{case.first:06}.pt"
    assert case.resume.exists(), f"no checkpoint was written to {case.resume}"
    return case


def test_trajectories(trainer, folder):
    """Every loss of two ranks equals that of Python's DDP, with dropout too; and a resumed run equals the original
    one."""
    data = {(case.data, case.samples): generated(trainer, folder, case.data, case.samples) for case in CASES}
    for model in ("convnet", "resnet18"):
        torch.manual_seed(7)
        torch.save(reference.make_model(model).state_dict(), folder / f"{model}.pt")
    cases = list(CASES)
    jobs = []
    for number, case in enumerate(cases):  # the list grows during the loop
        here = folder / f"case_{number}"
        here.mkdir()
        (here / "spec.toml").write_text(case.spec(folder), encoding="utf-8")
        weights = case.resume or folder / f"{case.model}.pt"
        ours(trainer, here, 2, 0, *([] if case.resume else ["--weights-in", weights]), "--dump-losses", here / "ours")
        arguments = ["--model", case.model, "--data", data[case.data, case.samples], "--weights", weights, "--batch", case.batch["size"],
                     "--steps", case.steps, "--seed", SEED, "--losses", here / "theirs", *case.arguments]
        jobs.append([str(a) for a in arguments])
        if "every_steps" in case.sections.get("checkpoint", {}) and not case.resume:
            cases.append(resumed_case(case, here))
    (folder / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    command = [sys.executable, str(HERE / "reference.py"), "--all", str(folder / "jobs.json")]
    run_all([(command, environment(r, 2, RENDEZVOUS=str(folder / "python_rendezvous"))) for r in range(2)])
    for number, case in enumerate(cases):
        worst = 0.0
        for rank in range(2):
            left, right = (read_losses(folder / f"case_{number}" / f"{side}.rank{rank}") for side in ("ours", "theirs"))
            worst = max(worst, assert_same_losses(left, right, list(range(case.first, case.steps)), name=case.name))
        print(f"{case.name}: {case.steps - case.first} losses on each rank agree, largest difference {worst:.1e}")


def test_resume(trainer, folder):
    """A checkpoint of ours loads with weights_only, gives the accuracy that we printed, and training continues in
    Python as it does here."""
    data = generated(trainer, folder)
    spec(folder, 1, "max_steps = 20")
    output = ours(trainer, folder, 1, 0)[0]
    path = folder / "checkpoints" / "stop_step_000020.pt"
    saved = torch.load(path, weights_only=True)
    assert saved["step"] == 20 and saved["epoch"] == 0 and "[optimizer]" in saved["spec"], saved.keys()

    model = reference.make_model("convnet")
    model.load_state_dict(saved["model"])
    model.eval()
    images, labels = reference.read_digits(data, "t10k")
    with torch.no_grad():
        logits = model(images)
    correct = 100.0 * (logits.argmax(1) == labels).float().mean().item()
    loss = reference.loss_of("convnet", logits, labels).item()
    validated = [line for line in output.splitlines() if "validate" in line][-1]
    assert f"loss {loss:.4f}  accuracy {correct:6.2f} %" in validated, f"{validated} but Python: {loss:.4f} {correct:.2f}"

    spec(folder, 1, "max_steps = 30", f'[checkpoint]\nresume = "{path}"')
    ours(trainer, folder, 1, 0, "--dump-losses", folder / "ours")
    theirs(folder, 1, "--data", data, "--weights", path, "--steps", 30, "--losses", folder / "theirs")
    worst = assert_same_losses(read_losses(folder / "ours.rank0"), read_losses(folder / "theirs.rank0"), list(range(20, 30)))
    print(f"10 losses after the resume agree, largest difference {worst:.1e}")


def test_torchrun(trainer, folder):
    """torchrun --no-python starts the trainer; if a rank fails, torchrun's report contains our message."""
    spec(folder, 2, "epochs = 1")
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--no-python", "--nproc-per-node", "2"]
    env = {k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE")}
    arguments = [trainer, "--spec", str(folder / "spec.toml"), "--out", str(folder / "out")]
    done = subprocess.run(launch + arguments, env=env, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "parameters equal on all ranks" in done.stdout, done.stdout + done.stderr
    assert (folder / "out" / "checkpoints" / "epoch_001.pt").exists()

    failed = subprocess.run(launch + arguments + ["--weights-in", "/nowhere/weights.pt"], env=env, capture_output=True,
                            text=True, timeout=PATIENCE_S)
    assert failed.returncode != 0
    assert "there is no file /nowhere/weights.pt" in failed.stderr, failed.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=["trajectories", "resume", "torchrun"])
    parser.add_argument("--trainer", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
        globals()[f"test_{args.case}"](args.trainer, Path(folder))
    print("ok")


if __name__ == "__main__":
    main()
