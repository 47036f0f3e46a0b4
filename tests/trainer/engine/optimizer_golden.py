#!/usr/bin/env python3
"""Writes optimizer_golden.h: the results of torch.optim's optimizers for 12 numbers after 200 steps with a decreasing rate.

Run with a Python that has torch: optimizer_golden.py > optimizer_golden.h
The gradient of parameter p at step t is sin(p + t / 10) + p / 10, element by element, which optimizer_test.cpp repeats.
"""

import torch

STEPS = 200
CASES = [
    ("sgd", '.momentum = 0', lambda p: torch.optim.SGD(p, 0.1)),
    ("sgd", '.momentum = 0.9, .weight_decay = 0.01', lambda p: torch.optim.SGD(p, 0.1, 0.9, weight_decay=0.01)),
    ("sgd", '.momentum = 0.9, .weight_decay = 0.01, .nesterov = true',
     lambda p: torch.optim.SGD(p, 0.1, 0.9, weight_decay=0.01, nesterov=True)),
    ("adam", "", lambda p: torch.optim.Adam(p, 0.1)),
    ("adam", ".weight_decay = 0.02, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-3",
     lambda p: torch.optim.Adam(p, 0.1, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.02)),
    ("adamw", ".weight_decay = 0.02", lambda p: torch.optim.AdamW(p, 0.1, weight_decay=0.02)),
]


def trained(make):
    parameters = [torch.arange(8).view(2, 4) / 8 - 0.5, torch.arange(4) / 4]
    optimizer = make(parameters)
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = 0.1 if step < 100 else 0.01
        for parameter in parameters:
            parameter.grad = torch.sin(parameter + step / 10) + parameter / 10
        optimizer.step()
    return torch.cat([p.flatten() for p in parameters]).tolist()


def main():
    print("// Where torch.optim of PyTorch " + torch.__version__.split("+")[0] + " takes 12 numbers in 200 steps.")
    print("// Written by optimizer_golden.py.\n#pragma once\n\n#include <array>\n")
    print('#include "protocol/messages/spec/run_spec.h"\n')
    print("struct OptimizerGolden {\n  ringside::messages::OptimizerSpec optimizer;\n  std::array<float, 12> ends;\n};\n")
    print("inline const OptimizerGolden kOptimizerGolden[] = {")
    for name, fields, make in CASES:
        numbers = ", ".join(f"{number:.9g}F" for number in trained(make))
        print(f'{{{{.name = "{name}"{", " if fields else ""}{fields}}}, {{{numbers}}}}},')
    print("};")


if __name__ == "__main__":
    main()
