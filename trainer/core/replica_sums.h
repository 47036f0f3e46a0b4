// Finds ranks whose parameters differ from the others', by each rank's sum of its own. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::core {

/// Ranks whose sum differs from the majority's; all ranks if there is no majority, as with two
/// ranks. Empty if all sums are equal.
std::vector<Rank> ranks_apart(std::span<const std::int64_t> sums);

/// "The parameters of rank 1 differ from those of the others after step 1,000; ..." `equal` is the
/// last number of steps after which all were equal, if any.
std::string replicas_text(const std::vector<Rank>& apart, std::size_t ranks, Step steps,
                          std::optional<Step> equal);

}  // namespace ringside::core
