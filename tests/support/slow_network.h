// A slow network with packet loss between two network namespaces: a process forwards each packet
// after a delay (tun interfaces, Linux kernel documentation, networking/tuntap), as netem does in
// kernels that have it. Needs root and /dev/net/tun.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

namespace ringside::testing {

class SlowNetwork {
 public:
  SlowNetwork() = default;
  SlowNetwork(const SlowNetwork&) = delete;
  SlowNetwork& operator=(const SlowNetwork&) = delete;
  /// Ends the process, and the interfaces with it.
  ~SlowNetwork();

  /// Makes an interface of this name in the namespaces of both processes, down and without an
  /// address. Each packet takes `delay`; `lost` percent of them are lost, pseudo-randomly but the
  /// same in each run. Returns why this failed; empty: it succeeded.
  std::string start(pid_t a, pid_t b, const std::string& name, std::chrono::microseconds delay,
                    int lost);
  /// Number of lost packets so far.
  long lost() const { return counts_ == nullptr ? 0 : counts_->lost; }

 private:
  struct Counts {
    volatile long lost = 0;
  };

  pid_t pid_ = -1;
  Counts* counts_ = nullptr;  // shared with the process
};

}  // namespace ringside::testing
