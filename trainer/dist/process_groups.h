// The groups of processes that talk: one for gradients, and a second, always on host memory, for
// metrics and the stop consensus, so that collectives of the two never get into each other's order.
// Owned by the training thread; every collective of a group is started from that thread.
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

/// One rank alone has none, unless GroupOptions asks for it: the pointers are empty, nothing is
/// opened and every collective is the identity.
struct ProcessGroups {
  int rank = 0;
  int world_size = 1;
  std::string backend = "solo";  ///< of the gradients: "solo", "gloo", "nccl"
  c10::intrusive_ptr<c10d::ProcessGroup> gradients;
  c10::intrusive_ptr<c10d::ProcessGroup> metrics;
  bool reports_errors = false;  ///< that of the gradients, when asked: NCCL; Gloo throws by itself

  bool solo() const { return gradients == nullptr; }
};

struct GroupOptions {
  bool loopback = true;  ///< all ranks on this host: Gloo and NCCL listen on 127.0.0.1 only, NCCL
                         ///< unless NCCL_SOCKET_IFNAME says otherwise
  /// Otherwise: where Gloo listens, unless GLOO_SOCKET_IFNAME names interfaces; empty: at the
  /// address that this host's name stands for.
  std::string address = {};
  std::chrono::milliseconds timeout{600'000};  ///< of every collective
  cuda::CudaApi* cuda = nullptr;               ///< set: gradients go through NCCL on `device_index`
  int device_index = -1;
  bool of_one = false;         ///< one rank makes its groups too
  bool gpu_over_gloo = false;  ///< tensors on a GPU go through Gloo; `cuda` is null
};

/// Collective: every rank of `env.world_size` calls it with the same store contents. Blocks until
/// all are connected or the timeout passes.
Result<ProcessGroups> make_process_groups(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                          int world_size, const GroupOptions& options);

/// Collective, at the end of a run that went well: what the GPU has still to do is waited for, then
/// the other ranks, and then the connections are closed. In this order nobody pulls the connection
/// out of another's last collective. Throws what LibTorch throws. `cuda` may be null.
void close_groups(const ProcessGroups& groups, cuda::CudaApi* cuda);

}  // namespace ringside::dist
