#include "gui/remote/left_threads.h"

#include <mutex>
#include <utility>
#include <vector>

namespace ringside::remote {
namespace {

struct LeftThreads {
  std::mutex mutex;
  std::vector<std::thread> threads;

  ~LeftThreads() {
    for (std::thread& thread : threads) thread.join();
  }
};

}  // namespace

void leave(std::thread thread) {
  if (!thread.joinable()) return;
  static LeftThreads left;
  const std::lock_guard lock(left.mutex);
  left.threads.push_back(std::move(thread));
}

}  // namespace ringside::remote
