"""A rank without PyTorch that reports its steps and passes, and exits on request."""

import time

import ringside_rank as rs

EPOCHS, STEPS = 2, 50

for epoch in range(EPOCHS):
    for number in range(STEPS):
        time.sleep(0.01)
        rs.step(loss=1 / (number + 1), samples=32, epoch=epoch, lr=0.1)
        rs.log(weight=number * 0.5)
        if rs.stop_requested():
            break
    with rs.evaluating(epoch) as result:
        result.add(loss=0.5, correct=3, count=4)
    if rs.stop_requested():
        break
