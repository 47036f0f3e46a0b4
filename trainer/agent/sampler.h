// Samples devices and host every half second on its own thread, because a driver may hang for
// minutes. The agent's loop is notified through a descriptor and takes the newest sample. Ending is
// bounded: a thread that hangs in the driver is abandoned. The loop calls start() and the rest; the
// thread shares one small locked box.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages/device_records.h"
#include "trainer/probe/gpu_probe.h"

namespace ringside::agent {

class Sampler {
 public:
  struct Device {
    std::int64_t mono_ns = 0;  ///< per GPU, since sampling eight GPUs takes a while
    messages::DeviceSample sample;
  };
  struct Reading {
    std::int64_t mono_ns = 0;  ///< of the host sample
    messages::HostSample host;
    std::vector<Device> devices;
    std::vector<messages::DeviceLink> links;  ///< between the devices, only in the first sample
    std::vector<probe::GpuTrouble> troubles;  ///< each is reported once
  };

  /// `probe` is null without GPUs. `uuids` are the GPUs to sample. `disk` is a path on the disk to
  /// watch. `ranks` as for set_ranks().
  Sampler(std::shared_ptr<probe::GpuProbe> probe, std::vector<std::string> uuids,
          std::filesystem::path disk, std::int64_t period_ns, std::vector<std::int64_t> ranks = {});
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();

  /// Processes by local rank; 0 for one that has ended.
  void set_ranks(std::vector<std::int64_t> pids);
  /// Readable when a sample is available.
  int ready_fd() const;
  std::optional<Reading> take();
  /// A sample that begins now; empty when the driver does not respond within `wait_ns`.
  std::optional<Reading> read_now(std::int64_t wait_ns);

 private:
  struct Box;
  std::shared_ptr<Box> box_;
};

}  // namespace ringside::agent
