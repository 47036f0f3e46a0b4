// Reads devices and host every half second on a thread of its own, because a driver may hang for
// minutes. The agent's loop learns of a reading through a descriptor and takes the newest. Ending
// is bounded: a thread that hangs in the driver is left behind. start() and the rest are called by
// the loop; the thread shares one small locked box.
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
    std::int64_t mono_ns = 0;  ///< eight GPUs take a while, one after the other
    messages::DeviceSample sample;
  };
  struct Reading {
    std::int64_t mono_ns = 0;  ///< of the host's
    messages::HostSample host;
    std::vector<Device> devices;
    std::vector<messages::DeviceLink> links;  ///< of the devices, in the first reading only
    std::vector<probe::GpuTrouble> troubles;  ///< each is told once
  };

  /// `probe`: null without GPUs. `uuids`: those to read. `disk`: a path on the disk to watch.
  /// `ranks`: as for set_ranks().
  Sampler(std::shared_ptr<probe::GpuProbe> probe, std::vector<std::string> uuids,
          std::filesystem::path disk, std::int64_t period_ns, std::vector<std::int64_t> ranks = {});
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();

  /// Processes by local rank, 0 for one that is gone.
  void set_ranks(std::vector<std::int64_t> pids);
  /// Readable when a reading waits.
  int ready_fd() const;
  std::optional<Reading> take();
  /// A reading that begins now; none where the driver does not answer within `wait_ns`.
  std::optional<Reading> read_now(std::int64_t wait_ns);

 private:
  struct Box;
  std::shared_ptr<Box> box_;
};

}  // namespace ringside::agent
