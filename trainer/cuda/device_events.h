// Events of one device, numbered from 0, in the time of its own clock. This is the only part of GPU
// timing that needs a GPU. Callable from any thread, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringside::cuda {

class StepGraph;

class DeviceEvents {
 public:
  virtual ~DeviceEvents() = default;
  virtual std::size_t size() const = 0;
  /// Records the event after everything enqueued so far on the calling thread's current stream,
  /// replacing an earlier recording. In a step that is being recorded, each replay records the
  /// event that replace() selects.
  virtual void record(std::size_t event) = 0;
  /// From the next replay of `graph` on, records event `now` where event `recorded` was recorded.
  virtual void replace(StepGraph& graph, std::size_t recorded, std::size_t now) = 0;
  /// Records on a separate stream, so that it completes at once even if the device is busy.
  virtual void record_aside(std::size_t event) = 0;
  virtual bool done(std::size_t event) = 0;
  /// Time between two completed events, of which `to` is later; precision of a float in
  /// milliseconds.
  virtual std::int64_t elapsed_ns(std::size_t from, std::size_t to) = 0;
};

}  // namespace ringside::cuda
