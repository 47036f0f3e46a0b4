// What a driver tells of GPUs in trouble: XID events, ECC errors, memory that waits for its repair.
// An object is used by one thread, the agent's sampler, because a driver may hang in any call.
#pragma once

#include <string>
#include <vector>

#include "protocol/messages/event_records.h"
#include "trainer/probe/nvml_api.h"

namespace ringside::probe {

struct GpuTrouble {
  std::string uuid;
  messages::Notice notice;  ///< its code names GPU and kind, so that none hides another
};

/// What an XID, the number of an error in the driver's log, means and what a person can do.
/// Numbers: NVIDIA's "XID Errors". Empty text: one that only follows from others.
messages::Notice xid_notice(std::int32_t gpu, unsigned long long xid);

class GpuHealth {
 public:
  struct Watched {
    NvmlDevice device = nullptr;
    std::int32_t index = 0;  ///< as nvidia-smi shows it
    std::string uuid;
  };
  GpuHealth(const NvmlApi& api, std::vector<Watched> gpus);
  GpuHealth(const GpuHealth&) = delete;
  GpuHealth& operator=(const GpuHealth&) = delete;
  ~GpuHealth();

  /// What is new since the last look; the first one also tells what has waited since before.
  std::vector<GpuTrouble> look();

 private:
  struct Gpu {
    Watched it;
    bool seen = false;
    bool told_lost = false;
    bool told_ecc = false;  ///< by an XID, which says more than a count
    unsigned long long ecc_errors = 0;
  };
  void look_for_events();
  void look_at_memory(Gpu& gpu);
  void look_whether_lost(Gpu& gpu);
  void tell(const Gpu& gpu, messages::Severity severity, const std::string& kind,
            const std::string& text);

  NvmlApi api_;
  std::vector<Gpu> gpus_;
  NvmlEventSet events_ = nullptr;  ///< null: the driver tells of none
  std::vector<GpuTrouble> found_;
};

}  // namespace ringside::probe
