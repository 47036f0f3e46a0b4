"""A loop on the host whose tensors say that they lie on a device, and whose events have happened when they are made. Prints how
often anything waited for that device: `WAITS n`."""

import sys
import time

import torch
import torch.distributed
from torch.utils.data import DataLoader, TensorDataset

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
READS = ("item", "tolist", "cpu", "numpy", "__float__", "__int__", "__bool__", "__index__", "__array__")
waits = []


class Pinned(torch.Tensor):
    """Memory of the host that copies go to: what is read there waits for nothing."""


class Event:
    def __init__(self, enable_timing=False):
        self._at_ns = 0

    def record(self, stream=None):
        self._at_ns = time.monotonic_ns()

    def query(self):
        return True

    def synchronize(self):
        waits.append("Event.synchronize")

    def elapsed_time(self, other):
        return (other._at_ns - self._at_ns) * 1e-6


def counted(name, original):
    def call(self, *args, **kwargs):
        if not isinstance(self, Pinned):
            waits.append(name)
        return original(self, *args, **kwargs)

    return call


def pretend():
    empty = torch.empty
    torch.empty = lambda *size, pin_memory=False, **more: (
        empty(*size, **more).as_subclass(Pinned) if pin_memory else empty(*size, **more))
    torch.cuda.Event = Event
    torch.cuda.synchronize = lambda *device: waits.append("synchronize")
    for name in READS:
        setattr(torch.Tensor, name, counted(name, getattr(torch.Tensor, name)))
    to = torch.Tensor.to
    torch.Tensor.to = lambda self, *where, **more: (
        self if where and getattr(where[0], "type", "") == "cuda" else to(self, *where, **more))
    torch.Tensor.device = property(lambda self: torch.device("cpu" if isinstance(self, Pinned) else "cuda"))


def main():
    torch.manual_seed(0)
    torch.distributed.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(40, 8), torch.randint(0, 2, (40,))), batch_size=4)
    pretend()
    step = 0
    while step < STEPS:
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            if step % 2:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
    torch.distributed.destroy_process_group()
    print("WAITS", len(waits), *sorted(set(waits)))


main()
