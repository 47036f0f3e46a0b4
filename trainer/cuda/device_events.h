// Events of one device, by number from 0: moments of its own clock. The only part of a GPU's times
// that needs a GPU. Callable from any thread, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringside::cuda {

class StepGraph;

class DeviceEvents {
 public:
  virtual ~DeviceEvents() = default;
  virtual std::size_t size() const = 0;
  /// When everything enqueued so far on the current stream of the calling thread is done. Takes the
  /// place of what was recorded with this event before.
  /// In a step that is being recorded: at each replay, as told by replace().
  virtual void record(std::size_t event) = 0;
  /// Makes `now` take note of the moment that `recorded` took note of when the graph was recorded,
  /// from the next replay of `graph` on.
  virtual void replace(StepGraph& graph, std::size_t recorded, std::size_t now) = 0;
  /// Records beside all other work, so that it is over at once whatever the device is busy with.
  virtual void record_aside(std::size_t event) = 0;
  virtual bool done(std::size_t event) = 0;
  /// Time between two events that are done, the later one last; as exact as a float of
  /// milliseconds.
  virtual std::int64_t elapsed_ns(std::size_t from, std::size_t to) = 0;
};

}  // namespace ringside::cuda
