"""A fake device with a clock that runs fast or slow and work that takes time, and a host whose clock advances with each call: the
Python counterpart of tests/trainer/cuda/fake_device.h, with events as in torch.cuda."""

import struct

CALL_NS = 2_000  # host time of one driver call
START_NS = 6_000  # until work begins on an idle device


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Device:
    def __init__(self, drift_ppm=0.0):
        self.rate = 1.0 + drift_ppm * 1e-6
        self.host_ns = 5_000_000_000_000
        self.busy_until_ns = 0
        self.aside_starves = False  # other streams make no progress
        self.capturing = False  # work is only recorded
        self.events = 0

    def now(self):
        return self.host_ns

    def work(self, ns):
        """Enqueues work; returns the time when it will be done."""
        self.busy_until_ns = max(self.busy_until_ns, self.host_ns + START_NS) + ns
        return self.busy_until_ns

    def own_ns(self, at_ns):
        return 77_000_000_000 + int(at_ns * self.rate)

    def event(self):
        self.host_ns += CALL_NS
        return Event(self, max(self.busy_until_ns, self.host_ns + START_NS))

    def aside(self):
        self.host_ns += CALL_NS
        return Event(self, max(self.busy_until_ns, self.host_ns) if self.aside_starves else self.host_ns + START_NS)


class Event:
    def __init__(self, device, done_ns):
        self.device, self.done_ns = device, done_ns
        self.device.events += 1
        assert not device.capturing, "an event is recorded into a graph"

    def query(self):
        assert not self.device.capturing, "operation not permitted when stream is capturing"
        self.device.host_ns += CALL_NS
        return self.done_ns <= self.device.host_ns

    def elapsed_time(self, other):
        assert self.query() and other.query()
        span_ns = self.device.own_ns(other.done_ns) - self.device.own_ns(self.done_ns)
        assert span_ns >= 0
        return single(span_ns * 1e-6)
