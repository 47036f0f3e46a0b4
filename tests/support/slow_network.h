// A network between two network namespaces that is slow and loses packets: a process that hands
// each packet on after a delay (tun interfaces, Linux kernel documentation, networking/tuntap), as
// netem does where the kernel has it. Needs root and /dev/net/tun.
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
  /// The interfaces go with it.
  ~SlowNetwork();

  /// Makes an interface of this name in the namespaces of both processes, down and without an
  /// address. Each packet takes `delay`; `lost` of a hundred are lost, by chance that is the same
  /// each time. Returns why it cannot be had; empty: it is there.
  std::string start(pid_t a, pid_t b, const std::string& name, std::chrono::microseconds delay,
                    int lost);
  /// Packets that were lost so far.
  long lost() const { return counts_ == nullptr ? 0 : counts_->lost; }

 private:
  struct Counts {
    volatile long lost = 0;
  };

  pid_t pid_ = -1;
  Counts* counts_ = nullptr;  // shared with the process
};

}  // namespace ringside::testing
