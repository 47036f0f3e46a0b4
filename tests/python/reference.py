"""What the trainer does, written with Python's own DistributedDataParallel: the peer for tests and for the benchmark.

As a program it is one rank, with torchrun's variables and RENDEZVOUS (a file) set.
"""

import argparse
import gzip
import json
import os
import statistics
import struct
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
    """As in torchvision, which is not needed for this."""

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
    """Images as normalised floats and labels of a painted or downloaded MNIST below `folder`."""
    raw = os.path.join(folder, "MNIST", "raw")
    images = read_idx(os.path.join(raw, f"{part}-images-idx3-ubyte"))
    labels = read_idx(os.path.join(raw, f"{part}-labels-idx1-ubyte"))
    return ((images.float() / 255 - mean) / std).unsqueeze(1), labels.long()


def read_shapes(folder, mean, std):
    """The training images of a painted set in CIFAR-10's binary form."""
    raw = os.path.join(folder, "cifar-10-batches-bin")
    names = sorted(n for n in os.listdir(raw) if n.startswith("data_batch"))
    data = b"".join(open(os.path.join(raw, n), "rb").read() for n in names)
    records = torch.frombuffer(bytearray(data), dtype=torch.uint8).view(-1, 3073)
    images = records[:, 1:].reshape(-1, 3, 32, 32).float() / 255
    shape = (1, 3, 1, 1)
    return (images - torch.tensor(mean).view(shape)) / torch.tensor(std).view(shape), records[:, 0].long()


def shard(size, world, rank, seed, epoch):
    sampler = DistributedSampler(range(size), num_replicas=world, rank=rank, shuffle=True, seed=seed)
    sampler.set_epoch(epoch)
    return torch.tensor(list(sampler))


def train(args, on_step):
    """Runs the steps; `on_step(step, loss, seconds)` after each."""
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    # All data as tensors before the first step: the loaders are not what is compared.
    if args.model == "convnet":
        images, labels = read_digits(args.data, "train")
    else:
        images, labels = read_shapes(args.data, [0.5] * 3, [0.5] * 3)
    model = make_model(args.model)
    start = torch.load(args.weights, weights_only=True)
    saved = start if "model" not in start else start["model"]
    model.load_state_dict(saved)
    if world > 1:
        dist.init_process_group("gloo", init_method="file://" + os.environ["RENDEZVOUS"], rank=rank, world_size=world)
        network = DistributedDataParallel(model, gradient_as_bucket_view=args.tuned)
    else:
        network = model
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=args.momentum, fused=args.tuned or None)
    first = 0
    if "optimizer" in start:
        optimizer.load_state_dict(start["optimizer"])
        first = start["step"]
    steps_per_epoch = -(-(-(-len(images) // world)) // args.batch)
    network.train()
    for step in range(first, args.steps):
        epoch, inside = divmod(step, steps_per_epoch)
        if inside == 0 or step == first:
            indices = shard(len(images), world, rank, args.seed, epoch)
            order_images, order_labels = images[indices], labels[indices]
        begin = time.perf_counter()
        x = order_images[inside * args.batch : (inside + 1) * args.batch]
        y = order_labels[inside * args.batch : (inside + 1) * args.batch]
        torch.manual_seed(args.seed + 1 + step * world + rank)
        loss = loss_of(args.model, network(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=not args.tuned)
        value = loss.item()
        on_step(step, value, time.perf_counter() - begin)
    if world > 1:
        dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="convnet")
    parser.add_argument("--data", required=True)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--tuned", action="store_true", help="bucket views and the fused optimizer, as ours")
    parser.add_argument("--losses", help="write 'step loss' lines to FILE.rankN")
    parser.add_argument("--warm-up", type=int, default=20, help="steps left out of the median that is printed")
    args = parser.parse_args()
    losses, seconds = [], []
    train(args, lambda step, loss, took: (losses.append((step, loss)), seconds.append(took)))
    rank = os.environ["RANK"]
    if args.losses:
        with open(f"{args.losses}.rank{rank}", "w", encoding="utf-8") as file:
            file.writelines(f"{step} {loss:.9g}\n" for step, loss in losses)
    if rank == "0":
        timed = seconds[args.warm_up :] or seconds
        print(json.dumps({"median_step_ms": statistics.median(timed) * 1e3, "steps": len(timed)}))


if __name__ == "__main__":
    main()
