"""The trainer's work, written with Python's own DistributedDataParallel: the peer for tests and for the benchmark.

As a program it is one rank, with torchrun's variables and RENDEZVOUS (a file) set.
"""

import argparse
import contextlib
import gzip
import json
import os
import statistics
import struct
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler


class ConvNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, 5)
        self.conv2 = nn.Conv2d(10, 20, 5)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, classes)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2_drop(self.conv2(x)), 2))
        x = F.relu(self.fc1(x.flatten(1)))
        return F.log_softmax(self.fc2(x), 1)


class BasicBlock(nn.Module):
    """The same network as in torchvision, which is not needed here."""

    def __init__(self, inside, outside, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outside)
        self.downsample = None
        if stride != 1 or inside != outside:
            self.downsample = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x):
        kept = x if self.downsample is None else self.downsample(x)
        x = F.relu(self.bn1(self.conv1(x)), inplace=True)
        return F.relu(self.bn2(self.conv2(x)) + kept, inplace=True)


class ResNet18(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        inside = 64
        for i, outside in enumerate((64, 128, 256, 512)):
            first = BasicBlock(inside, outside, 1 if i == 0 else 2)
            setattr(self, f"layer{i + 1}", nn.Sequential(first, BasicBlock(outside, outside, 1)))
            inside = outside
        self.fc = nn.Linear(512, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x)), inplace=True), 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


def make_model(name):
    return ConvNet() if name == "convnet" else ResNet18()


def loss_of(name, output, labels):
    return F.nll_loss(output, labels) if name == "convnet" else F.cross_entropy(output, labels)


def read_idx(path):
    opened = gzip.open(path, "rb") if str(path).endswith(".gz") else open(path, "rb")
    with opened as file:
        data = file.read()
    dimensions = data[3]
    shape = struct.unpack(f">{dimensions}I", data[4 : 4 + 4 * dimensions])
    return torch.frombuffer(bytearray(data[4 + 4 * dimensions :]), dtype=torch.uint8).view(*shape)


def read_digits(folder, part, mean=0.1307, std=0.3081):
    """Images as normalised floats, and labels, of a generated or downloaded MNIST below `folder`."""
    raw = os.path.join(folder, "MNIST", "raw")
    images = read_idx(os.path.join(raw, f"{part}-images-idx3-ubyte"))
    labels = read_idx(os.path.join(raw, f"{part}-labels-idx1-ubyte"))
    return ((images.float() / 255 - mean) / std).unsqueeze(1), labels.long()


def read_shapes(folder, mean, std):
    """Training images of a generated set in CIFAR-10's binary format."""
    raw = os.path.join(folder, "cifar-10-batches-bin")
    names = sorted(n for n in os.listdir(raw) if n.startswith("data_batch"))
    data = b"".join(open(os.path.join(raw, n), "rb").read() for n in names)
    records = torch.frombuffer(bytearray(data), dtype=torch.uint8).view(-1, 3073)
    images = records[:, 1:].reshape(-1, 3, 32, 32).float() / 255
    shape = (1, 3, 1, 1)
    return (images - torch.tensor(mean).view(shape)) / torch.tensor(std).view(shape), records[:, 0].long()


def shard(size, world, rank, epoch, args):
    sampler = DistributedSampler(range(size), num_replicas=world, rank=rank, shuffle=not args.no_shuffle, seed=args.seed,
                                 drop_last=args.padding == "none")
    sampler.set_epoch(0 if args.same_order else epoch)
    return torch.tensor(list(sampler))


def make_optimizer(args, parameters):
    decay = {"weight_decay": args.weight_decay, "fused": args.tuned or None}
    if args.optimizer == "sgd":
        return torch.optim.SGD(parameters, args.lr, momentum=args.momentum, nesterov=args.nesterov, **decay)
    return {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[args.optimizer](parameters, args.lr, **decay)


def make_scheduler(args, optimizer):
    """A scheduler that is stepped after each step. Schedules by epoch are tested elsewhere, against golden numbers."""
    schedulers = [torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=args.warmup_steps)] if args.warmup_steps else []
    if args.schedule == "cosine":
        schedulers.append(torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps))
    if args.schedule == "onecycle":
        schedulers.append(torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, args.steps, cycle_momentum=False))
    return torch.optim.lr_scheduler.ChainedScheduler(schedulers) if schedulers else None


def connect(rank, world):
    dist.init_process_group("gloo", init_method="file://" + os.environ["RENDEZVOUS"], rank=rank, world_size=world)


def learn(args, network, model, x, y):
    """Forward and backward in parts with one all-reduce: no_sync() for all but the last. Returns the loss of the whole
    batch."""
    if args.accumulate == 1:
        loss = loss_of(args.model, network(x), y)
        loss.backward()
        return loss
    size = -(-args.batch // args.accumulate)
    parts = list(zip(x.split(size), y.split(size)))
    total = 0.0
    for number, (images, labels) in enumerate(parts):
        last = number + 1 == len(parts)
        with contextlib.nullcontext() if last or network is model else network.no_sync():
            loss = loss_of(args.model, network(images), labels) * (len(images) / len(x))
            loss.backward()
        total += loss.item()
    return total


def read_images(args):
    """Loads all data as tensors before the first step, since loaders are not compared."""
    if args.model == "convnet":
        return read_digits(args.data, "train")
    return read_shapes(args.data, [0.5] * 3, [0.5] * 3)


def restore(args, start, optimizer):
    """Returns the scheduler and the first step. Learning rates depend only on the step, so it is stepped up to
    there."""
    first = 0
    if "optimizer" in start:
        optimizer.load_state_dict(start["optimizer"])
        first = start["step"]
        for group in optimizer.param_groups:
            group["lr"] = args.lr
    scheduler = make_scheduler(args, optimizer)
    for _ in range(first if scheduler else 0):
        scheduler.step()
    return first, scheduler


def train(args, on_step):
    """Runs the steps and calls `on_step(step, loss, seconds)` after each. Connects the ranks unless they are
    connected."""
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    if args.device == "cuda":
        torch.backends.cudnn.allow_tf32 = False
        torch.use_deterministic_algorithms(True)
    images, labels = (tensor.to(args.device) for tensor in read_images(args))
    model = make_model(args.model).to(args.device)
    start = torch.load(args.weights, weights_only=True)
    model.load_state_dict(start if "model" not in start else start["model"])
    if world > 1 and not dist.is_initialized():
        connect(rank, world)
    network = DistributedDataParallel(model, gradient_as_bucket_view=args.tuned) if world > 1 else model
    optimizer = make_optimizer(args, model.parameters())
    first, scheduler = restore(args, start, optimizer)
    samples = len(images) // world if args.padding == "none" else -(-len(images) // world)
    steps_per_epoch = samples // args.batch if args.drop_last else -(-samples // args.batch)
    network.train()
    for step in range(first, args.steps):
        epoch, inside = divmod(step, steps_per_epoch)
        if inside == 0 or step == first:
            indices = shard(len(images), world, rank, epoch, args).to(args.device)
            order_images, order_labels = images[indices], labels[indices]
        begin = time.perf_counter()
        x = order_images[inside * args.batch : (inside + 1) * args.batch]
        y = order_labels[inside * args.batch : (inside + 1) * args.batch]
        torch.manual_seed(args.seed + 1 + step * world + rank)
        loss = learn(args, network, model, x, y)
        optimizer.step()
        optimizer.zero_grad(set_to_none=not args.tuned)
        if scheduler:
            scheduler.step()
        value = loss.item() if torch.is_tensor(loss) else loss
        on_step(step, value, time.perf_counter() - begin)


def write_losses(path, losses):
    with open(f"{path}.rank{os.environ['RANK']}", "w", encoding="utf-8") as file:
        file.writelines(f"{step} {loss:.9g}\n" for step, loss in losses)


def make_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="convnet")
    parser.add_argument("--data", required=True)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="cuda: one rank, fp32 and deterministic")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--drop-last", action="store_true")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--optimizer", choices=["sgd", "adam", "adamw"], default="sgd")
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--weight-decay", type=float, default=0.0)
    parser.add_argument("--nesterov", action="store_true")
    parser.add_argument("--schedule", choices=["constant", "cosine", "onecycle"], default="constant")
    parser.add_argument("--warmup-steps", type=int, default=0)
    parser.add_argument("--no-shuffle", action="store_true")
    parser.add_argument("--same-order", action="store_true", help="set_epoch is never called")
    parser.add_argument("--padding", choices=["repeat", "none"], default="repeat")
    parser.add_argument("--tuned", action="store_true", help="bucket views and the fused optimizer, as ours")
    parser.add_argument("--losses", help="write 'step loss' lines to FILE.rankN")
    parser.add_argument("--warm-up", type=int, default=20, help="steps left out of the median that is printed")
    return parser


def run_all(path):
    """Several runs of one set of ranks, one line of arguments each, since importing torch takes longer than most
    runs."""
    connect(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    with open(path, encoding="utf-8") as file:
        for arguments in json.load(file):
            args = make_parser().parse_args(arguments)
            losses = []
            train(args, lambda step, loss, took: losses.append((step, loss)))
            write_losses(args.losses, losses)
    dist.destroy_process_group()


def main():
    if sys.argv[1] == "--all":
        run_all(sys.argv[2])
        return
    args = make_parser().parse_args()
    losses, seconds, used = [], [], []
    train(args, lambda step, loss, took: (losses.append((step, loss)), seconds.append(took), used.append(time.process_time())))
    if dist.is_initialized():
        dist.destroy_process_group()
    if args.losses:
        write_losses(args.losses, losses)
    if os.environ["RANK"] == "0":
        timed = seconds[args.warm_up :] or seconds
        timed_used = used[args.warm_up :] or used
        cpu_ms = (timed_used[-1] - timed_used[0]) / max(1, len(timed_used) - 1) * 1e3
        print(json.dumps({"median_step_ms": statistics.median(timed) * 1e3, "cpu_step_ms": cpu_ms, "steps": len(timed)}))


if __name__ == "__main__":
    main()
