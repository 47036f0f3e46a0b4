// The last collective that this process entered, to be named when a rank waits or is missing. One
// per process, set by the training thread, read by any.
#pragma once

#include <atomic>
#include <string>

namespace ringside::dist {

inline std::atomic<const char*> last_collective_text{""};

/// `what` must be a literal: only its address is stored.
inline void about_to(const char* what) {
  last_collective_text.store(what, std::memory_order_relaxed);
}

/// Empty before the first collective.
inline std::string last_collective() {
  return last_collective_text.load(std::memory_order_relaxed);
}

}  // namespace ringside::dist
