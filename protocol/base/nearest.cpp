#include "protocol/base/nearest.h"

#include <algorithm>
#include <numeric>

namespace ringside {
namespace {

// Levenshtein distance with one row (Wagner and Fischer, 1974).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view typed, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(typed.size() / 2, 1) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(typed, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view typed, std::span<const std::string> candidates) {
  const std::string near = nearest_name(typed, candidates);
  if (!near.empty()) return ", did you mean \"" + near + "\"?";
  std::string known = "; known: ";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    known += (i == 0 ? "" : ", ") + candidates[i];
  }
  return known;
}

}  // namespace ringside
