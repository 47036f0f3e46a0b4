// The sequence of calls for recording a CUDA graph. Independent of CUDA, so that tests can check it
// with a fake device.
#pragma once

namespace ringside::cuda {

/// Runs `work` while `device` only records what it enqueues. Before that, all enqueued work is
/// completed and the allocator's cached memory is released: a graph has its own memory pool, and
/// the allocator releases nothing while recording.
template <class Device, class Work>
void capture(Device& device, const Work& work) {
  device.synchronize();
  device.empty_cache();
  device.begin_capture();
  work();
  device.end_capture();
}

}  // namespace ringside::cuda
