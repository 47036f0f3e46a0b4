#include "gui/analysis/alerts/blame.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using messages::State;

/// The number in "rank 3" at the start of a text, which is removed from it.
std::optional<std::int32_t> take_number(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  std::int32_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + word.size(), end, number);
  if (read.ec != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

}  // namespace

Blame blame_in(std::string_view verdict) {
  Blame blame;
  blame.node = take_number(verdict, "node ");
  if (blame.node) {
    const std::size_t host = verdict.starts_with(" (") ? verdict.find(')') : verdict.npos;
    if (host != verdict.npos) verdict.remove_prefix(host + 1);
    if (!verdict.starts_with(": ")) return blame;
    verdict.remove_prefix(2);
  }
  blame.rank = take_number(verdict, "rank ").value_or(kNoRank);
  return blame;
}

Failures failures(const model::RunModel& model) {
  const auto& run = model.run_state();
  const bool run_failed = run && run->state == State::kFailed;
  const Blame blame = run_failed ? blame_in(run->text) : Blame();
  const auto is_victim = [&](Rank rank) {
    if (blame.rank != kNoRank) return rank != blame.rank;
    return blame.node && model.rank(rank)->node != *blame.node;
  };
  Failures found;
  for (const Rank number : model.ranks()) {
    const model::RankModel& rank = *model.rank(number);
    if (rank.state && !rank.left && rank.state->state == State::kFailed)
      found.ranks.push_back(number);
  }
  const auto order = [&](Rank rank) {
    return std::tuple(is_victim(rank), model.rank(rank)->state_ns);
  };
  std::stable_sort(found.ranks.begin(), found.ranks.end(),
                   [&](Rank a, Rank b) { return order(a) < order(b); });
  if (!found.ranks.empty() && !is_victim(found.ranks.front())) found.first = found.ranks.front();
  const bool names_a_node = blame.node && blame.rank == kNoRank;
  found.run_says_it = run_failed && (found.first == kNoRank || names_a_node);
  return found;
}

}  // namespace ringside::analysis
