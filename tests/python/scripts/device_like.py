"""A loop on the host whose tensors claim to be on the second of two devices, while the first is the current one, and whose events
are complete when they are recorded. Prints the number of waits for that device, `WAITS n`, the devices on which events were
recorded, `DEVICES ...`, and the number of queries while a graph was captured, `TOUCHED n`.
    device_like.py [STEPS] [graph|log]    graph: the steps after the third replay a captured step
                                          log: a number is logged before the first step, and only then CUDA is initialized"""

import sys
import time
import types

import torch
import torch.distributed
from torch.utils.data import DataLoader, TensorDataset

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
KIND = sys.argv[2] if len(sys.argv) > 2 else ""
EAGER = 3
READS = ("item", "tolist", "cpu", "numpy", "__float__", "__int__", "__bool__", "__index__", "__array__")
waits = []
devices = set()
touched = []
cuda = {"up": KIND != "log", "capturing": False}


class Pinned(torch.Tensor):
    """Host memory that copies go to: reading from it waits for nothing."""


class Stream:
    def __init__(self, device=None, priority=0):
        self.device = torch.device("cuda", 0) if device is None else device


class Event:
    def __init__(self, enable_timing=False):
        self._at_ns = 0

    def record(self, stream=None):
        refuse_in_capture()
        devices.add((stream or Stream()).device.index)
        self._at_ns = time.monotonic_ns()

    def query(self):
        refuse_in_capture()
        return True

    def synchronize(self):
        waits.append("Event.synchronize")

    def elapsed_time(self, other):
        return (other._at_ns - self._at_ns) * 1e-6


class Graph:
    def capture_begin(self):
        cuda["capturing"] = True

    def capture_end(self):
        cuda["capturing"] = False

    def replay(self):
        time.sleep(0.001)


def refuse_in_capture():
    if cuda["capturing"]:
        touched.append(1)
        raise RuntimeError("operation not permitted when stream is capturing")


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
    torch.cuda.Event, torch.cuda.Stream, torch.cuda.current_stream = Event, Stream, Stream
    torch.cuda.is_available, torch.cuda.is_initialized = (lambda: True), (lambda: cuda["up"])
    torch.cuda.is_current_stream_capturing, torch.cuda.current_device = (lambda: cuda["capturing"]), (lambda: 0)
    torch.cuda.get_allocator_backend = lambda: "native"
    torch.cuda.memory_stats_as_nested_dict = lambda device: {
        "allocated_bytes": {"all": {"current": (1 + device.index) << 20, "peak": 3 << 20}}, "reserved_bytes": {"all": {"current": 4 << 20}}}
    torch.cuda.get_device_properties = lambda number: types.SimpleNamespace(uuid=f"GPU-{number}", name="made up")
    torch.cuda.synchronize = lambda *device: waits.append("synchronize")
    for name in READS:
        setattr(torch.Tensor, name, counted(name, getattr(torch.Tensor, name)))
    to = torch.Tensor.to
    torch.Tensor.to = lambda self, *where, **more: (
        self if where and getattr(where[0], "type", "") == "cuda" else to(self, *where, **more))
    torch.Tensor.device = property(lambda self: torch.device("cpu") if isinstance(self, Pinned) else torch.device("cuda", 1))
    torch.Tensor.is_cpu = property(lambda self: isinstance(self, Pinned))


def watched_graph():
    """Stands for torch.cuda.CUDAGraph, which cannot be created without a device."""
    try:
        from ringside_rank import _graphs
        _graphs.install(types.SimpleNamespace(cuda=types.SimpleNamespace(CUDAGraph=Graph, current_device=lambda: 1), device=torch.device))
    except ImportError:
        pass
    return Graph()


def main():
    torch.manual_seed(0)
    torch.distributed.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(40, 8), torch.randint(0, 2, (40,))), batch_size=4)
    pretend()
    if KIND == "log":
        import ringside_rank
        ringside_rank.log(before=1.0)
        cuda["up"] = True
    graph = watched_graph() if KIND == "graph" else None
    step = 0
    while step < STEPS:
        for x, y in loader:
            step += 1
            if graph is not None and step > EAGER + 1:
                graph.replay()
                continue
            if graph is not None and step > EAGER:
                graph.capture_begin()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            if step % 2 == 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if graph is not None and step > EAGER:
                graph.capture_end()
                graph.replay()
    torch.distributed.destroy_process_group()
    print("WAITS", len(waits), *sorted(set(waits)))
    print("DEVICES", *sorted(devices))
    print("TOUCHED", len(touched))


main()
