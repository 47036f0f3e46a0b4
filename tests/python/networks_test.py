"""Networks and weights files exchanged between Python and the trainer. Exit code 77: skipped, with the reason.

torchvision and the safetensors package are used if they are installed; otherwise the networks of nets.py and ten lines of
this file replace them.
"""

import argparse
import importlib.util
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error}); the lean set of LibTorch holds its libraries only")
    sys.exit(77)

import nets
import reference

PATIENCE_S = 600
DIGITS, COLOURS = (1, 28, 28), (3, 32, 32)
NETWORKS = [
    ("convnet", "imagenet", 10, DIGITS, 21_840),
    ("lenet", "imagenet", 10, DIGITS, 44_426),
    ("lenet", "imagenet", 10, COLOURS, 62_006),
    ("resnet18", "imagenet", 10, COLOURS, 11_181_642),
    ("resnet18", "cifar", 100, COLOURS, 11_220_132),
    ("resnet34", "cifar_stride2", 10, COLOURS, 21_282_122),
    ("resnet50", "imagenet", 1000, COLOURS, 25_557_032),
]
DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
          "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool}


def installed(name):
    return importlib.util.find_spec(name) is not None


def read_safetensors(path):
    data = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        flat = torch.frombuffer(bytearray(data[begin:end] or b"\0" * 8), dtype=DTYPES[entry["dtype"]])
        tensors[name] = (flat if end > begin else flat[:0]).view(entry["shape"])
    return tensors


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = bytes(tensor.contiguous().view(-1).view(torch.uint8).tolist()) if tensor.numel() else b""
        dtype = next(text for text, known in DTYPES.items() if known == tensor.dtype)
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def tool(program, *words, code=0):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stderr}"
    return done.stderr


def assert_same(found, expected):
    assert list(found) == list(expected) or sorted(found) == sorted(expected), f"{list(found)} {list(expected)}"
    for name, tensor in expected.items():
        assert found[name].dtype == tensor.dtype and found[name].shape == tensor.shape, name
        assert torch.equal(found[name], tensor), name


def assert_close(name, found, expected, tolerance):
    apart = (found.double() - expected.double()).abs().max().item() / max(1.0, expected.double().abs().max().item())
    assert apart <= tolerance, f"{name}: differs by {apart:.1e}"
    return apart


def lived_in(net):
    """Sets batch statistics and scales to values as after some training, so that none is 0 or 1."""
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
            module.weight.data.uniform_(0.5, 1.0)
            module.bias.data.normal_(0, 0.1)
            module.num_batches_tracked.fill_(7)
    return net


def compare_passes(program, folder, name, stem, classes, shape):
    net = lived_in(nets.make(name, stem, classes, shape))
    images, labels = torch.randn(8, *shape), torch.randint(classes, (8,))
    torch.save(net.state_dict(), folder / "weights.pt")
    torch.save({"images": images, "labels": labels}, folder / "in.pt")
    tool(program, "run", name, stem, classes, folder / "in.pt", folder / "weights.pt", folder / "out.pt")
    out = torch.load(folder / "out.pt", weights_only=True)
    net.eval()
    with torch.no_grad():
        apart = assert_close("logits", out["logits"], net(images), 1e-4)
    net.train()
    torch.manual_seed(7)
    loss = reference.loss_of(name, net(images), labels)
    loss.backward()
    assert_close("loss", out["loss"], loss.detach(), 1e-4)
    for key, parameter in net.named_parameters():
        assert_close(key, out["gradient." + key], parameter.grad, 1e-3)
    assert [k[6:] for k in out if k.startswith("state.")] == list(net.state_dict())
    assert [k[9:] for k in out if k.startswith("gradient.")] == [k for k, _ in net.named_parameters()]
    for key, tensor in net.state_dict().items():
        assert_close(key, out["state." + key], tensor, 1e-4)
    return apart


def test_networks(program, folder):
    """Every network has the same seeded weights, logits, loss, gradients and batch statistics as in Python."""
    torch.set_num_threads(1)
    for name, stem, classes, shape, parameters in NETWORKS:
        torch.manual_seed(42)
        fresh = nets.make(name, stem, classes, shape)
        assert sum(p.numel() for p in fresh.parameters()) == parameters, name
        tool(program, "init", name, stem, classes, 42, ",".join(map(str, shape)), folder / "init.pt")
        drawn = torch.load(folder / "init.pt", weights_only=True)
        assert list(drawn) == list(fresh.state_dict())
        assert_same(drawn, fresh.state_dict())
        if name.startswith("resnet") and stem == "imagenet" and installed("torchvision"):
            import torchvision

            torch.manual_seed(42)
            published = getattr(torchvision.models, name)(num_classes=classes)
            assert list(drawn) == list(published.state_dict())
            assert_same(drawn, published.state_dict())
            print(f"{name}: torchvision {torchvision.__version__} draws the same")
        apart = compare_passes(program, folder, name, stem, classes, shape)
        print(f"{name} {stem} {classes}: {parameters} parameters, logits differ by {apart:.1e}")


def some_tensors():
    matrix = torch.arange(6.0).view(2, 3)
    return {"b": torch.arange(3, dtype=torch.uint8), "t": matrix.t(), "part": matrix[1], "half": torch.ones(5).half(),
            "brain": torch.full((1, 2), -2.0).bfloat16(), "count": torch.tensor(1 << 40), "empty": torch.empty(0, 4),
            "double": torch.tensor([0.1, -0.2]).double(), "int": torch.tensor([-7], dtype=torch.int32),
            "short": torch.tensor([-300], dtype=torch.int16), "char": torch.tensor([-3], dtype=torch.int8),
            "flag": torch.tensor([True, False]), "parameter": torch.nn.Parameter(torch.ones(2)).detach(), "é \"x\"": matrix}


def test_files(program, folder):
    """Files saved by Python can be read and written files can be read by Python: both formats, every data type."""
    tensors = some_tensors()
    torch.save(tensors, folder / "python.pt")
    write_safetensors(folder / "python.safetensors", tensors)
    for source in ("python.pt", "python.safetensors"):
        tool(program, "convert", folder / source, folder / "ours.pt")
        assert_same(torch.load(folder / "ours.pt", weights_only=True), tensors)
        tool(program, "convert", folder / source, folder / "ours.safetensors")
        assert_same(read_safetensors(folder / "ours.safetensors"), tensors)
    if installed("safetensors"):
        from safetensors import torch as library

        assert_same(library.load_file(folder / "ours.safetensors"), tensors)
        library.save_file({k: v.contiguous().clone() for k, v in tensors.items()}, folder / "library.safetensors")
        tool(program, "convert", folder / "library.safetensors", folder / "ours.pt")
        assert_same(torch.load(folder / "ours.pt", weights_only=True), tensors)
        print("the safetensors package agrees")


def test_checkpoints(program, folder):
    """Checkpoints of Python programs, parameter names of DDP, and refused files."""
    net = nets.make("resnet18", "cifar", 10, COLOURS)
    optimizer = torch.optim.AdamW(net.parameters())
    net(torch.randn(2, *COLOURS)).sum().backward()
    optimizer.step()
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [3, 5])
    names = {"module." + name: tensor for name, tensor in net.state_dict().items()}
    for entry in ("model", "state_dict", "model_state_dict", "MODEL_STATE"):
        torch.save({entry: names, "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict(), "epoch": 3,
                    "best": 0.5, "args": {"lr": [0.1], "shape": torch.Size([2, 3]), "device": torch.device("cpu")},
                    "rng": torch.get_rng_state()}, folder / "checkpoint.pt")
        tool(program, "convert", folder / "checkpoint.pt", folder / "out.safetensors")
        assert_same(read_safetensors(folder / "out.safetensors"), net.state_dict())

    beside = {"args": argparse.Namespace(lr=0.1), "model": names, "optimizer": optimizer.state_dict(), "folder": folder}
    for holder, names_object in ((net, "nets ResNet"), (beside, "argparse Namespace")):
        torch.save(holder, folder / "pickled.pt")
        said = tool(program, "convert", folder / "pickled.pt", folder / "out.pt", code=2)
        assert names_object in said, said
        line = re.search(r'python -c "(.*)" FILE', said).group(1)
        subprocess.run([sys.executable, "-c", line, folder / "pickled.pt"], check=True, env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)})
        tool(program, "convert", folder / "pickled.pt.new", folder / "kept.pt")
        assert_same(torch.load(folder / "kept.pt", weights_only=True), net.state_dict())
    torch.save(net.state_dict(), folder / "legacy.pt", _use_new_zipfile_serialization=False)
    tool(program, "convert", folder / "legacy.pt", folder / "today.pt")
    assert_same(torch.load(folder / "today.pt", weights_only=True), net.state_dict())
    torch.save({"images": torch.zeros(1, *COLOURS), "labels": torch.zeros(1).long()}, folder / "in.pt")
    said = tool(program, "run", "resnet18", "imagenet", 100, folder / "in.pt", folder / "checkpoint.pt", folder / "out.pt",
                code=2)
    assert "conv1.weight is [64, 3, 3, 3] in it and [64, 3, 7, 7] here; fc.weight is [10, 512] in it" in said, said
    assert not (folder / "out.pt").exists()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=["networks", "files", "checkpoints"])
    parser.add_argument("--tool", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
        globals()[f"test_{args.case}"](args.tool, Path(folder))
    print("ok")


if __name__ == "__main__":
    main()
