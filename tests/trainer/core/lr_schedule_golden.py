#!/usr/bin/env python3
"""Writes lr_schedule_golden.h: the rates of torch.optim.lr_scheduler for 200 steps in epochs of 20.

Run with a Python that has torch: lr_schedule_golden.py > lr_schedule_golden.h
"""

import warnings

import torch
from torch.optim import lr_scheduler as schedulers

STEPS, EPOCH = 200, 20
# Name, fields of OptimizerSpec and ScheduleSpec that differ from their defaults, the scheduler, and whether it steps
# after each step; otherwise it steps after each epoch, and one rate per epoch is stored.
CASES = [
    ("step", ".lr = 0.1", '.name = "step", .step_epochs = 3, .milestones = {}', lambda o: schedulers.StepLR(o, 3, 0.1), False),
    ("multistep", ".lr = 0.1", '.name = "multistep", .gamma = 0.3, .milestones = {2, 3, 7}',
     lambda o: schedulers.MultiStepLR(o, [2, 3, 7], 0.3), False),
    ("cosine", ".lr = 0.1", '.name = "cosine", .milestones = {}', lambda o: schedulers.CosineAnnealingLR(o, STEPS), True),
    ("cosine to min_lr", ".lr = 0.02", '.name = "cosine", .milestones = {}, .min_lr = 1e-4',
     lambda o: schedulers.CosineAnnealingLR(o, STEPS, eta_min=1e-4), True),
    ("onecycle", ".lr = 0.1", '.name = "onecycle", .milestones = {}',
     lambda o: schedulers.OneCycleLR(o, 0.1, STEPS, cycle_momentum=False), True),
    ("onecycle by other factors", ".lr = 0.003",
     '.name = "onecycle", .milestones = {}, .rise = 0.12, .div_factor = 10, .final_div_factor = 50',
     lambda o: schedulers.OneCycleLR(o, 0.003, STEPS, pct_start=0.12, div_factor=10, final_div_factor=50,
                                     cycle_momentum=False), True),
    ("warm-up alone", ".lr = 0.1", ".milestones = {}, .warmup_steps = 30, .warmup_factor = 0.01",
     lambda o: schedulers.LinearLR(o, 0.01, total_iters=30), True),
    ("warm-up and cosine", ".lr = 0.1", '.name = "cosine", .milestones = {}, .warmup_steps = 50',
     lambda o: schedulers.ChainedScheduler(
         [schedulers.LinearLR(o, 0.1, total_iters=50), schedulers.CosineAnnealingLR(o, STEPS)]), True),
]


def rates(lr, make, each_step):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=lr)
    scheduler = make(optimizer)
    found = []
    for step in range(STEPS):
        if each_step or step % EPOCH == 0:
            found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if (each_step or (step + 1) % EPOCH == 0) and step + 1 < STEPS:
            scheduler.step()
    return found


def main():
    warnings.simplefilter("ignore")
    print("// What torch.optim.lr_scheduler of PyTorch " + torch.__version__.split("+")[0] + " makes of 200 steps in")
    print("// epochs of 20. Written by lr_schedule_golden.py.\n#pragma once\n")
    print('#include <vector>\n\n#include "protocol/messages/spec/run_spec.h"\n')
    print("struct ScheduleGolden {\n  const char* name;\n  ringside::messages::OptimizerSpec optimizer;")
    print("  ringside::messages::ScheduleSpec schedule;\n  std::vector<double> rates;  ///< 200 of steps, or 10 of epochs\n};\n")
    print("inline const ScheduleGolden kScheduleGolden[] = {")
    for name, optimizer, schedule, make, each_step in CASES:
        numbers = ", ".join(f"{rate:.9g}" for rate in rates(float(optimizer.split("=")[1]), make, each_step))
        print(f'{{"{name}", {{{optimizer}}}, {{{schedule}}}, {{{numbers}}}}},')
    print("};")


if __name__ == "__main__":
    main()
