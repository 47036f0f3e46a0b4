// One start of a run: the first one, or a restart after a failure or on request. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/base/ids.h"

namespace ringside::model {

struct Attempt {
  std::int32_t attempt = 0;
  std::int64_t at_ns = 0;  ///< time of its first hello
  Rank world_size = 1;
  Step first_step = 0;  ///< above 0: resumed from a checkpoint
};
inline constexpr std::size_t kKeptAttempts = 1024;

}  // namespace ringside::model
