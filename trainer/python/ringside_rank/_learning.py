"""Facts that a backward pass shows about the session: that it trains, on which device, and on which batch."""

import time
from typing import Any

from . import _data, _ddp, _values


def learn(session: Any, step: Any) -> None:
    """Takes this step's pass and number of samples from the last batch."""
    passes = session.passes
    samples = passes.learn(_data.told_epoch, time.monotonic_ns())
    step.passage = passes.training
    if samples is not None:
        step.batches += 1
        step.samples = -1 if samples < 0 or (step.samples or 0) < 0 else (step.samples or 0) + samples
        step.tokens = -1 if passes.tokens < 0 or step.tokens < 0 else step.tokens + passes.tokens


def begins(session: Any, device: Any) -> None:
    """Called for the first backward, or the first after something else. `device` is that of the loss, if known."""
    _ddp.register_all()
    if not session.placed:
        session.placed = True
        if device is not None and device.type == "cuda":
            session.use_device(_values.device_clock(device))
        session.greet()
    if session.mode_says_evaluation():
        session.evaluation_mode = None  # a model with a backward pass is not being evaluated, whatever its mode
    waits = session.passes.relabel()
    if waits:
        session.steps.tell_fetches(waits)
    session.passes.end_evaluation(time.monotonic_ns())
