#include "trainer/core/batch_memory.h"

#include <algorithm>

namespace ringside::core {
namespace {

constexpr std::int64_t kLeastKept = 2;  ///< one is copied while the next is in use
constexpr std::int64_t kLeastAhead = 1;

}  // namespace

BatchMemory fit_batches(const BatchMemory& wanted, std::int64_t bytes, std::int64_t limit_bytes) {
  if (bytes <= 0) return wanted;
  const std::int64_t room = limit_bytes / bytes;
  BatchMemory given = wanted;
  given.kept = std::clamp(room - wanted.ahead, std::min(kLeastKept, wanted.kept), wanted.kept);
  given.ahead = std::clamp(room - given.kept, std::min(kLeastAhead, wanted.ahead), wanted.ahead);
  return given;
}

}  // namespace ringside::core
