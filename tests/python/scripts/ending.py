"""Trains until something ends it, with `--gloo` as plain DDP, otherwise without torch. Each rank has a helper process
that would outlive it. Prints `PID pid` at the beginning and `STEP n` for each step."""

import argparse
import os
import signal
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--gloo", action="store_true")
parser.add_argument("--steps", type=int, default=1000000)
parser.add_argument("--end", default="", help="HOW:RANK:STEP, in the first attempt")
parser.add_argument("--on-term", default="", help="save: exits with 0; ignore")
parser.add_argument("--asks", action="store_true", help="looks whether it is asked to stop")
parser.add_argument("--late", action="store_true", help="never gets to its first step")
options = parser.parse_args()
rank = int(os.environ["RANK"])
how, who, when = (options.end or "::-1").split(":")


def say(line):
    print(line, flush=True)


def saved(number, frame):
    say("SAVED")
    os._exit(0)


def end(step):
    if step != int(when) or rank != int(who) or os.environ["RINGSIDE_ATTEMPT"] != "0":
        return
    if how == "raise":
        raise ValueError("as asked")
    sys.exit(int(how))


def bare():
    import ringside_rank as rs

    while True:
        yield rs.stop_requested
        rs.step(loss=1.0, samples=4)
        time.sleep(0.002)


def gloo():
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    import ringside_rank as rs

    dist.init_process_group("gloo")
    model = DistributedDataParallel(torch.nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    while True:
        yield rs.stop_requested
        optimizer.zero_grad()
        model(torch.ones(3, 4)).square().mean().backward()
        optimizer.step()
        time.sleep(0.002)


if options.on_term:
    signal.signal(signal.SIGTERM, saved if options.on_term == "save" else signal.SIG_IGN)
subprocess.Popen(["sleep", "1000"])
say(f"PID {os.getpid()}")
while options.late:
    time.sleep(1)
for step, stop_requested in zip(range(options.steps), gloo() if options.gloo else bare()):
    say(f"STEP {step}")
    end(step)
    if options.asks and stop_requested():
        say("ASKED")
        break
