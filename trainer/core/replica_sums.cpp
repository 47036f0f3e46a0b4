#include "trainer/core/replica_sums.h"

#include <algorithm>
#include <functional>

namespace ringside::core {

std::vector<Rank> ranks_apart(std::span<const std::int64_t> sums) {
  std::vector<Rank> apart;
  if (std::adjacent_find(sums.begin(), sums.end(), std::not_equal_to<>()) == sums.end())
    return apart;
  const auto usual = std::find_if(sums.begin(), sums.end(), [&](std::int64_t sum) {
    return 2 * static_cast<std::size_t>(std::count(sums.begin(), sums.end(), sum)) > sums.size();
  });
  for (std::size_t rank = 0; rank < sums.size(); ++rank) {
    if (usual == sums.end() || sums[rank] != *usual) apart.push_back(static_cast<Rank>(rank));
  }
  return apart;
}

std::string replicas_text(const std::vector<Rank>& apart, std::size_t ranks, Step steps,
                          std::optional<Step> equal) {
  std::string text = "the parameters of rank";
  if (apart.size() > 1) text += "s";
  for (std::size_t i = 0; i < apart.size(); ++i) {
    const char* const between = i == 0 ? " " : i + 1 == apart.size() ? " and " : ", ";
    text += between + std::to_string(apart[i]);
  }
  text += apart.size() == ranks ? " differ"
          : apart.size() > 1    ? " differ from the others'"
                                : " differ from those of the others";
  text += " after " + std::to_string(steps) + " steps";
  if (equal) text += "; after " + std::to_string(*equal) + " all were equal";
  return text + "; from there on the ranks train different models, and the run will fail";
}

}  // namespace ringside::core
