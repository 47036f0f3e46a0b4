// Problems of GPUs that the driver reports: XID events, ECC errors, memory with a pending repair.
// An object is used by one thread, the agent's sampler, because a driver may hang in any call.
#pragma once

#include <string>
#include <vector>

#include "protocol/messages/event_records.h"
#include "trainer/probe/nvml_api.h"

namespace ringside::probe {

struct GpuTrouble {
  std::string uuid;
  messages::Notice notice;  ///< the code contains GPU and kind, so that no notice replaces another
};

/// Meaning of an XID (an error number in the driver's log) and advice. Source: NVIDIA's "XID
/// Errors". The text is empty for an XID that only follows from another.
messages::Notice xid_notice(std::int32_t gpu, unsigned long long xid);

class GpuHealth {
 public:
  struct Watched {
    NvmlDevice device = nullptr;
    std::int32_t index = 0;  ///< as shown by nvidia-smi
    std::string uuid;
  };
  GpuHealth(const NvmlApi& api, std::vector<Watched> gpus);
  GpuHealth(const GpuHealth&) = delete;
  GpuHealth& operator=(const GpuHealth&) = delete;
  ~GpuHealth();

  /// Problems since the last call; the first call includes those that are pending from before.
  std::vector<GpuTrouble> look();

 private:
  struct Gpu {
    Watched it;
    bool seen = false;
    bool told_lost = false;
    bool told_ecc = false;  ///< already reported by an XID, which is more specific than a count
    unsigned long long ecc_errors = 0;
  };
  void look_for_events();
  void look_at_memory(Gpu& gpu);
  void look_whether_lost(Gpu& gpu);
  void tell(const Gpu& gpu, messages::Severity severity, const std::string& kind,
            const std::string& text);

  NvmlApi api_;
  std::vector<Gpu> gpus_;
  NvmlEventSet events_ = nullptr;  ///< null: the driver does not report events
  std::vector<GpuTrouble> found_;
};

}  // namespace ringside::probe
