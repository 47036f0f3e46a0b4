#include "trainer/dist/forming.h"

#include <cstdlib>
#include <mutex>

#include "protocol/base/clock.h"
#include "protocol/host/text_tail.h"
#include "trainer/dist/last_collective.h"

namespace ringside::dist {
namespace {

struct FormingStep {
  const char* phase = nullptr;  ///< null: no phase in progress
  std::int64_t begin_ns = 0;
  std::chrono::nanoseconds limit{0};
};

std::mutex forming_mutex;
FormingStep forming_now;

}  // namespace

Forming::Forming(const char* phase, std::chrono::milliseconds limit) {
  about_to(phase);
  const std::lock_guard<std::mutex> lock(forming_mutex);
  forming_now = {phase, mono_now_ns(), limit};
}

Forming::~Forming() {
  const std::lock_guard<std::mutex> lock(forming_mutex);
  forming_now = {};
}

std::string overdue_forming(std::int64_t now_ns) {
  const std::lock_guard<std::mutex> lock(forming_mutex);
  if (forming_now.phase == nullptr ||
      now_ns - forming_now.begin_ns <= (forming_now.limit + kOwnWords).count())
    return {};
  return "the ranks did not come together: no end of \"" + std::string(forming_now.phase) +
         "\" within limits.collective_timeout_s (" +
         std::to_string(
             std::chrono::duration_cast<std::chrono::seconds>(forming_now.limit).count()) +
         " s); look at the output of the other ranks" + nccl_last_words();
}

void keep_nccl_words(const std::filesystem::path& file) {
  if (std::getenv("NCCL_DEBUG") != nullptr) return;
  ::setenv("NCCL_DEBUG", "INFO", 1);
  ::setenv("NCCL_DEBUG_SUBSYS", "INIT,BOOTSTRAP,NET", 0);
  ::setenv("NCCL_DEBUG_FILE", file.c_str(), 0);
}

std::string nccl_last_words() {
  const char* file = std::getenv("NCCL_DEBUG_FILE");
  const auto lines = last_lines(file != nullptr ? file : "", 1);
  return lines.empty() ? std::string() : "; NCCL's last words: " + lines.front();
}

}  // namespace ringside::dist
