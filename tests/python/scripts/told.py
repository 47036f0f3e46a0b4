"""A loop without torch and its optimizers that reports what it does."""

import os
import threading

import ringside_rank as rs

rank = int(os.environ["RANK"])
weight = 1.0
for step in range(6):
    weight -= 0.1 * weight
    rs.step(loss=weight, samples=4, correct=3, lr=0.1)
    rs.log(step=step, weight=weight, nothing=None, words="x")
    if step == 2:
        with rs.evaluating(0) as result:
            result.add(0.5, 3, 4)
            result.add(1.0, 1, 4)
thread = threading.Thread(target=lambda: rs.log(step=9, elsewhere=1))
thread.start()
thread.join()
if os.fork() == 0:
    rs.log(step=10, child=1)
    os._exit(0)
os.wait()
print("active", rs.active(), rs.stop_requested())
