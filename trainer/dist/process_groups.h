// The process groups of a rank: one for gradients, and a second, always in host memory, for metrics
// and the stop consensus, so that the collectives of the two cannot get out of order. Owned by the
// training thread, which starts every collective.
#pragma once

#include <chrono>
#include <string>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "protocol/base/result.h"
#include "trainer/dist/environment.h"

namespace ringside::cuda {
class CudaApi;
}

namespace ringside::dist {

/// A single rank has no groups unless GroupOptions requests them: the pointers are empty, nothing
/// is opened, and every collective is the identity.
struct ProcessGroups {
  int rank = 0;
  int world_size = 1;
  std::string backend = "solo";  ///< for gradients: "solo", "gloo", "nccl"
  c10::intrusive_ptr<c10d::ProcessGroup> gradients;
  c10::intrusive_ptr<c10d::ProcessGroup> metrics;
  bool reports_errors = false;  ///< the gradients' group reports errors when polled (NCCL); Gloo
                                ///< throws

  bool solo() const { return gradients == nullptr; }
};

struct GroupOptions {
  bool loopback = true;  ///< all ranks are on this host: Gloo and NCCL listen only on 127.0.0.1
                         ///< (NCCL unless NCCL_SOCKET_IFNAME is set)
  /// Gloo's listening address if not on loopback and GLOO_SOCKET_IFNAME is unset; empty: the
  /// address of this host's name.
  std::string address = {};
  std::chrono::milliseconds timeout{600'000};  ///< for every collective
  cuda::CudaApi* cuda = nullptr;               ///< set: gradients use NCCL on `device_index`
  int device_index = -1;
  bool of_one = false;         ///< creates groups even for a single rank
  bool gpu_over_gloo = false;  ///< GPU tensors are reduced by Gloo; `cuda` is null
};

/// Collective: all `env.world_size` ranks must call it with the same store. Blocks until all are
/// connected or the timeout has passed.
Result<ProcessGroups> make_process_groups(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                          int world_size, const GroupOptions& options);

/// Collective, at the end of a successful run: waits for the GPU's remaining work, then for the
/// other ranks, then closes the connections. With this order no rank closes a connection during
/// another's last collective. Throws what LibTorch throws. `cuda` may be null.
void close_groups(const ProcessGroups& groups, cuda::CudaApi* cuda);

}  // namespace ringside::dist
