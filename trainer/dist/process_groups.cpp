#include "trainer/dist/process_groups.h"

#ifndef USE_C10D_GLOO
#error "USE_C10D_GLOO must be defined for the whole target, else the c10d headers are empty"
#endif

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/debug.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "protocol/messages/forming_phases.h"
#include "trainer/cuda/cuda_api.h"
#include "trainer/dist/forming.h"
#include "trainer/dist/last_collective.h"
#include "trainer/dist/rendezvous.h"

namespace ringside::dist {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

// GLOO_SOCKET_IFNAME is a comma-separated list. Python's torch.distributed reads it, but LibTorch's
// C++ does not.
std::vector<std::shared_ptr<::gloo::transport::Device>> gloo_devices(const GroupOptions& options) {
  using c10d::ProcessGroupGloo;
  if (options.loopback) return {ProcessGroupGloo::createDeviceForHostname("127.0.0.1")};
  const char* interfaces = std::getenv("GLOO_SOCKET_IFNAME");
  if (interfaces == nullptr || *interfaces == '\0') {
    return {options.address.empty() ? ProcessGroupGloo::createDefaultDevice()
                                    : ProcessGroupGloo::createDeviceForHostname(options.address)};
  }
  std::vector<std::shared_ptr<::gloo::transport::Device>> devices;
  std::istringstream names(interfaces);
  for (std::string name; std::getline(names, name, ',');)
    devices.push_back(ProcessGroupGloo::createDeviceForInterface(name));
  return devices;
}

c10::intrusive_ptr<c10d::Backend> make_gloo(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                            int world_size, const GroupOptions& options) {
  auto gloo = c10d::ProcessGroupGloo::Options::create();
  gloo->timeout = options.timeout;
  gloo->devices = gloo_devices(options);
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, world_size, std::move(gloo));
}

Group make_group(const std::string& name, const c10::intrusive_ptr<c10d::Store>& store, int rank,
                 int world_size, const GroupOptions& options, bool on_cuda) {
  auto own = c10::make_intrusive<c10d::PrefixStore>(name, store);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(own, rank, world_size);
  if (on_cuda) {
    group->setDefaultBackend(c10d::ProcessGroup::BackendType::NCCL);
    options.cuda->set_nccl_backend(*group, own, options.device_index, options.timeout);
    return group;
  }
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  const auto gloo = make_gloo(own, rank, world_size, options);
  group->setBackend(c10::kCPU, c10d::ProcessGroup::BackendType::GLOO, gloo);
  if (options.gpu_over_gloo)
    group->setBackend(c10::kCUDA, c10d::ProcessGroup::BackendType::GLOO, gloo);
  return group;
}

// By default NCCL's bootstrap listens on the first interface that is not loopback. NCCL reads the
// variable when the first communicator is created; "=" means an exact match instead of a prefix.
void keep_nccl_on_loopback() { ::setenv("NCCL_SOCKET_IFNAME", "=lo", /*overwrite=*/0); }

}  // namespace

Result<ProcessGroups> make_process_groups(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                          int world_size, const GroupOptions& options) {
  ProcessGroups groups;
  groups.rank = rank;
  groups.world_size = world_size;
  c10d::setDebugLevelFromEnvironment();
  c10::SetGlobalRank(rank);
  if (world_size == 1 && !options.of_one) return groups;
  try {
    const bool on_cuda = options.cuda != nullptr;
    if (on_cuda && options.loopback) keep_nccl_on_loopback();
    groups.backend = on_cuda ? "nccl" : "gloo";
    groups.reports_errors = on_cuda;
    {
      const Forming forming(on_cuda ? messages::kNcclGradients : messages::kGlooGradients,
                            options.timeout);
      groups.gradients = make_group("gradients", store, rank, world_size, options, on_cuda);
    }
    const Forming forming(messages::kGlooMetrics, options.timeout);
    groups.metrics = make_group("metrics", store, rank, world_size, options, false);
    return groups;
  } catch (const std::exception& error) {
    return failure("rank " + std::to_string(rank) + " of " + std::to_string(world_size) +
                   " could not connect to the others: " + describe(error) + nccl_last_words());
  }
}

void close_groups(const ProcessGroups& groups, cuda::CudaApi* cuda) {
  if (groups.solo()) return;
  if (cuda != nullptr) cuda->synchronize();
  about_to("end of the run");
  groups.metrics->barrier()->wait();
  groups.gradients->shutdown();
  groups.metrics->shutdown();
}

}  // namespace ringside::dist
