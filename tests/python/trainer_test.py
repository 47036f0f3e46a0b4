"""Tests of ringside-trainer that need a Python with torch. Exit code 77: skipped, with the reason printed."""

import argparse
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
PATIENCE_S = 200
SAMPLES, BATCH, SEED = 640, 16, 42


def environment(rank, world, **more):
    env = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), LOCAL_WORLD_SIZE=str(world))
    env.update({"OMP_NUM_THREADS": "1"}, **more)
    return env


def run_all(commands):
    """Runs the ranks side by side; all must end with 0. Returns their output."""
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


def painted(trainer, folder):
    made = subprocess.run(
        [trainer, "--make-data", "digits", "--data-root", folder / "data", "--train-samples", str(SAMPLES),
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


def assert_same_losses(left, right, expected_steps):
    assert sorted(left) == sorted(right) == expected_steps, f"steps differ: {sorted(left)} {sorted(right)}"
    worst = max(abs(left[s] - right[s]) / max(1.0, abs(right[s])) for s in left)
    assert worst <= 1e-5, f"losses differ by {worst:.2e}: {left} {right}"
    print(f"{len(left)} losses agree, largest difference {worst:.1e}")


def test_losses(trainer, folder):
    """30 steps of two ranks: the same losses as Python's DDP on each rank, dropout included."""
    data = painted(trainer, folder)
    torch.manual_seed(7)
    torch.save(reference.make_model("convnet").state_dict(), folder / "start.pt")
    spec(folder, 2, "max_steps = 30")
    ours(trainer, folder, 2, 0, "--weights-in", folder / "start.pt", "--dump-losses", folder / "ours")
    theirs(folder, 2, "--data", data, "--weights", folder / "start.pt", "--steps", 30, "--losses", folder / "theirs")
    for rank in range(2):
        assert_same_losses(read_losses(folder / f"ours.rank{rank}"), read_losses(folder / f"theirs.rank{rank}"), list(range(30)))


def test_resume(trainer, folder):
    """A checkpoint of ours loads with weights_only, gives the accuracy we printed, and goes on in Python as it does here."""
    data = painted(trainer, folder)
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
    assert_same_losses(read_losses(folder / "ours.rank0"), read_losses(folder / "theirs.rank0"), list(range(20, 30)))


def test_torchrun(trainer, folder):
    """torchrun --no-python starts it; when a rank fails, torchrun's report holds our words."""
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
    parser.add_argument("case", choices=["losses", "resume", "torchrun"])
    parser.add_argument("--trainer", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
        globals()[f"test_{args.case}"](args.trainer, Path(folder))
    print("ok")


if __name__ == "__main__":
    main()
