// How the ranks of a run find each other: a file that the agent names, or a TCP store as torchrun
// and people by hand use it. Called once at the start of a rank; the store lives as long as the
// process groups made from it.
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

/// Blocks until the store can be reached, at most `timeout`. A file must be new for every attempt:
/// one that a killed attempt left behind leads to its dead sockets.
Result<c10::intrusive_ptr<c10d::Store>> open_store(const LaunchEnvironment& env,
                                                   const RendezvousOptions& options);

/// Collective: a bad request on every rank that has the same GPU as another, which NCCL would
/// refuse in words of its own.
Result<void> check_own_device(c10d::Store& store, const LaunchEnvironment& env,
                              const std::string& uuid);

/// True for names and addresses of this host's loopback interface.
bool is_loopback(const std::string& host);

/// The first of the addresses that MASTER_ADDR stands for which one of the interfaces `own` has.
/// Loopback counts only where all ranks are on one host: /etc/hosts may give a host's own name
/// such an address, at which the others would find themselves. Empty: none. Pure.
std::string own_address(const std::vector<std::string>& resolved,
                        const std::vector<NetworkInterface>& own, bool one_host);

/// The address of this host that is nearest to MASTER_ADDR: that address itself, or that of the
/// interface by which it is reached. Empty if the name has only loopback addresses.
std::string address_towards(const std::string& master);

/// The text of an exception for a person: for LibTorch's own without the stack trace.
std::string describe(const std::exception& error);

}  // namespace ringside::dist
