// The rendezvous of the ranks of a run: a file chosen by the agent, or a TCP store as with torchrun
// or by hand. Called once at the start of a rank; the store lives as long as the process groups
// created from it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "protocol/base/result.h"
#include "protocol/host/network.h"
#include "trainer/dist/environment.h"

namespace ringside::dist {

struct RendezvousOptions {
  std::filesystem::path
      file;  ///< file store (one node, our agent); empty: TCP by MASTER_ADDR and MASTER_PORT
  std::chrono::milliseconds timeout{120'000};
};

/// Blocks until the store is reachable, at most `timeout`. A file must be new for each attempt: one
/// that a killed attempt left behind refers to its dead sockets.
Result<c10::intrusive_ptr<c10d::Store>> open_store(const LaunchEnvironment& env,
                                                   const RendezvousOptions& options);

/// Collective: a bad request on every rank that has the same GPU as another, before NCCL reports it
/// less clearly.
Result<void> check_own_device(c10d::Store& store, const LaunchEnvironment& env,
                              const std::string& uuid);

/// True for names and addresses of this host's loopback interface.
bool is_loopback(const std::string& host);

/// The first address of MASTER_ADDR (`resolved`) that an interface in `own` has. Loopback counts
/// only if all ranks are on one host, since /etc/hosts may map a host's own name to it, and other
/// hosts would then connect to themselves. Empty if there is none. Pure.
std::string own_address(const std::vector<std::string>& resolved,
                        const std::vector<NetworkInterface>& own, bool one_host);

/// The address of this host that is nearest to MASTER_ADDR: that address itself, or that of the
/// interface that routes to it. Empty if the name has only loopback addresses.
std::string address_towards(const std::string& master);

/// The message of an exception for users; LibTorch's without its stack trace.
std::string describe(const std::exception& error);

}  // namespace ringside::dist
