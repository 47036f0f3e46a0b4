// The collective that this process entered last, so that a rank that waits, or does not come, can
// be named with it. One for the process, written by the training thread, read by any.
#pragma once

#include <atomic>
#include <string>

namespace ringside::dist {

inline std::atomic<const char*> last_collective_text{""};

/// `what` is a literal: only its address is kept.
inline void about_to(const char* what) {
  last_collective_text.store(what, std::memory_order_relaxed);
}

/// Empty before the first.
inline std::string last_collective() {
  return last_collective_text.load(std::memory_order_relaxed);
}

}  // namespace ringside::dist
