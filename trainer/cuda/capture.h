// The order in which a step is recorded for a CUDA graph. Pure of CUDA, so that a made-up device
// can tell whether it is right.
#pragma once

namespace ringside::cuda {

/// Runs `work` while `device` only records what it enqueues. What was enqueued before is complete
/// then, and the memory that the allocator keeps for later is given back: a graph has memory of its
/// own, for which the allocator gives nothing back while it is recorded.
template <class Device, class Work>
void capture(Device& device, const Work& work) {
  device.synchronize();
  device.empty_cache();
  device.begin_capture();
  work();
  device.end_capture();
}

}  // namespace ringside::cuda
