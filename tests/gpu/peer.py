"""Steps of a network in plain PyTorch, as fast as possible for a setting: NETWORK BATCH WAY STEPS. Prints {"step_ms":
median}."""
import json
import sys
import time

import torch
from nets import make

network, batch, way, steps = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
gpu = torch.cuda.is_available()
device = torch.device("cuda" if gpu else "cpu")
fast = way != "eager"
torch.backends.cudnn.benchmark = fast
layout = torch.channels_last if fast else torch.contiguous_format
model = make(network, "cifar", 10, (3, 32, 32)).to(device, memory_format=layout)
run = torch.compile(model) if way == "compile" else model
optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, fused=gpu or None)
images = torch.randn(batch, 3, 32, 32, device=device).contiguous(memory_format=layout)
labels = torch.randint(0, 10, (batch,), device=device)
times = []
for _ in range(steps):
    if gpu:
        torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(5):
        optimizer.zero_grad()
        with torch.autocast(device.type, torch.bfloat16, enabled=fast):
            loss = torch.nn.functional.cross_entropy(run(images), labels)
        loss.backward()
        optimizer.step()
    if gpu:
        torch.cuda.synchronize()
    times.append((time.perf_counter() - began) / 5 * 1e3)
print(json.dumps({"step_ms": sorted(times[len(times) // 2:])[len(times) // 4]}))
