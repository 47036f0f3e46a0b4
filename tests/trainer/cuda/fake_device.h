// A device with its own fast or slow clock, and work that takes time, beside a host whose clock
// advances with everything that it does. Elapsed times are floats in milliseconds and never
// negative, as in CUDA.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "trainer/cuda/device_events.h"

namespace ringside::testing {

/// Owned by the test, since the timeline owns only the interface to it.
struct FakeDevice {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kCall_ns = 2'000;   ///< host time of a driver call
  static constexpr std::int64_t kStart_ns = 6'000;  ///< until work begins on an idle device

  explicit FakeDevice(double drift_ppm) : rate(1.0 + drift_ppm * 1e-6) {}

  double rate;                               ///< of its clock
  std::int64_t host_ns = 5'000'000'000'000;  ///< the current time
  std::int64_t busy_until_ns = 0;            ///< of its stream, in host time
  bool aside_starves = false;                ///< other streams make no progress
  std::vector<std::int64_t> done_ns = std::vector<std::int64_t>(1024, 0);  ///< of the events
  std::vector<std::size_t> replaced;  ///< events of the next replay
  std::size_t newest = 0;             ///< event that was recorded last

  /// Enqueues work.
  void work(std::int64_t ns) { busy_until_ns = std::max(busy_until_ns, host_ns + kStart_ns) + ns; }
  /// A replay, which takes this long for each of its events.
  void replay(std::int64_t ns) {
    for (const std::size_t event : replaced) {
      work(ns);
      done_ns[event] = busy_until_ns;
    }
    replaced.clear();
  }
  void hang() { busy_until_ns = kNever; }
  void host_waits(std::int64_t ns) { host_ns += ns; }
  /// The device's clock at a host time.
  std::int64_t own_ns(std::int64_t at_ns) const {
    return 77'000'000'000 + static_cast<std::int64_t>(static_cast<double>(at_ns) * rate);
  }
};

class FakeEvents final : public cuda::DeviceEvents {
 public:
  explicit FakeEvents(FakeDevice& device) : device_(device) {}
  std::size_t size() const override { return device_.done_ns.size(); }
  void record(std::size_t event) override {
    device_.host_ns += FakeDevice::kCall_ns;
    device_.done_ns[event] =
        std::max(device_.busy_until_ns, device_.host_ns + FakeDevice::kStart_ns);
    device_.newest = event;
  }
  void replace(cuda::StepGraph&, std::size_t, std::size_t now) override {
    device_.host_ns += FakeDevice::kCall_ns;
    device_.replaced.push_back(now);
  }
  void record_aside(std::size_t event) override {
    device_.host_ns += FakeDevice::kCall_ns;
    device_.done_ns[event] = device_.aside_starves
                                 ? std::max(device_.busy_until_ns, device_.host_ns)
                                 : device_.host_ns + FakeDevice::kStart_ns;
  }
  bool done(std::size_t event) override {
    device_.host_ns += FakeDevice::kCall_ns;
    return device_.done_ns[event] <= device_.host_ns;
  }
  std::int64_t elapsed_ns(std::size_t from, std::size_t to) override {
    const std::int64_t span_ns =
        device_.own_ns(device_.done_ns[to]) - device_.own_ns(device_.done_ns[from]);
    if (!done(from) || !done(to) || span_ns < 0) throw std::logic_error("no such span");
    const auto span_ms = static_cast<float>(static_cast<double>(span_ns) * 1e-6);
    return static_cast<std::int64_t>(static_cast<double>(span_ms) * 1e6);
  }

 private:
  FakeDevice& device_;
};

}  // namespace ringside::testing
