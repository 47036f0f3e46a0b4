#include "gui/analysis/waits.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {

std::vector<const model::RankModel*> joined_ranks(const model::RunModel& model) {
  std::vector<const model::RankModel*> ranks;
  if (static_cast<Rank>(model.ranks().size()) < model.world_size()) return ranks;
  for (const Rank rank : model.ranks()) ranks.push_back(model.rank(rank));
  return ranks;
}

Waits::Waits(const model::RunModel& model, std::vector<const model::RankModel*> ranks, bool resized)
    : model_(model), ranks_(std::move(ranks)), resized_(resized) {
  std::vector<Node> nodes;
  for (const auto* rank : ranks_) {
    const auto found = std::find(nodes.begin(), nodes.end(), rank->node);
    const auto place = static_cast<std::size_t>(found - nodes.begin());
    if (found == nodes.end()) nodes.push_back(rank->node);
    clocks_.push_back({model.clock_history(rank->node), place});
  }
  nodes_ = nodes.size();
}

Ready Waits::ready(std::size_t rank, Step step) const {
  const model::RankModel& of = *ranks_[rank];
  Ready found{of.last_ready_ns.at(static_cast<std::size_t>(step)), of.clock_uncertainty_ns, 0,
              of.node, rank};
  if (of.node == 0) return found;
  const auto* history = clocks_[rank].history;
  found.node_ns =
      history == nullptr ? model::kMaxOffsetNs : history->uncertainty_of(step, found.ns);
  return found;
}

StepRange Waits::read(StepRange range) {
  range_ = {range.begin, std::min(range.end, range.begin + kMostSteps)};
  const auto count = static_cast<std::size_t>(range_.count());
  steps_.assign(count, {});
  of_nodes_.assign(nodes_ > 1 ? nodes_ * count : 0, {});
  for (std::size_t k = 0; k < count; ++k) {
    steps_[k].everybody = resized_ ? model_.world_size_at(range_.begin + static_cast<Step>(k))
                                   : std::numeric_limits<Rank>::max();
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) read_rank(rank);
  return range_;
}

void Waits::read_rank(std::size_t rank) {
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    AtStep& step = steps_[k];
    if (ranks_[rank]->rank >= step.everybody) continue;
    const Ready one = ready(rank, range_.begin + static_cast<Step>(k));
    if (model::is_absent(one.ns)) {
      step.missing = true;
      continue;
    }
    const std::int64_t unsure = one.device_ns + one.node_ns;
    step.most_unsure_ns = std::max(step.most_unsure_ns, unsure);
    if (one.ns > step.slowest.ns) {
      step.second_ns = step.slowest.ns;
      step.slowest = one;
    } else {
      step.second_ns = std::max(step.second_ns, one.ns);
    }
    if (nodes_ < 2 && unsure == 0) continue;
    const Ready& surest = step.surest;
    if (one.ns - unsure > surest.ns - surest.device_ns - surest.node_ns) step.surest = one;
    if (nodes_ < 2) continue;
    Ready& of_node = of_nodes_[clocks_[rank].node * steps_.size() + k];
    if (one.ns > of_node.ns) of_node = one;
  }
}

bool Waits::known(std::size_t k) const { return steps_[k].most_unsure_ns < model::kMaxOffsetNs; }

bool Waits::certain(std::size_t k) const {
  const AtStep& step = steps_[k];
  if (step.slowest.ns - step.second_ns > 2 * step.most_unsure_ns) return true;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (rank == step.slowest.rank || ranks_[rank]->rank >= step.everybody) continue;
    const Ready other = ready(rank, range_.begin + static_cast<Step>(k));
    if (step.slowest.ns - other.ns <= step.slowest.unsure_ns(other)) return false;
  }
  return true;
}

std::int64_t Waits::most_unsure_ns(std::size_t k) const {
  std::int64_t device = 0;
  std::vector<std::int64_t> nodes(nodes_ + 1);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const Ready one = ready(rank, range_.begin + static_cast<Step>(k));
    std::int64_t& worst = nodes[clocks_[rank].node];
    worst = std::max(worst, one.node_ns + one.device_ns);
    device = std::max(device, one.device_ns);
  }
  if (nodes_ < 2) return 2 * device;
  std::partial_sort(nodes.begin(), nodes.begin() + 2, nodes.end(), std::greater<>());
  return std::max(2 * device, nodes[0] + nodes[1]);
}

bool Waits::has(std::size_t rank, std::size_t k) const {
  const auto step = static_cast<std::size_t>(range_.begin) + k;
  return told(k) && known(k) && !model::is_absent(ranks_[rank]->last_ready_ns.at(step));
}

Waits::Wait Waits::of(std::size_t rank, std::size_t k) const {
  const AtStep& step = steps_[k];
  const Ready mine = ready(rank, range_.begin + static_cast<Step>(k));
  Wait wait{0, rank};
  const auto is_for = [&](const Ready& other) {
    const std::int64_t ns = other.ns - mine.ns;
    const std::int64_t unsure = mine.unsure_ns(other);
    return ns > unsure || (ns >= 0 && unsure == 0);
  };
  if (is_for(step.slowest)) return {step.slowest.ns - mine.ns, step.slowest.rank};
  if (nodes_ < 2 && step.most_unsure_ns == 0) return wait;
  // If the slowest of all cannot be distinguished by the clocks, the rank may still have waited for
  // another one.
  const auto consider = [&](const Ready& other) {
    if (is_for(other) && (wait.on == rank || other.ns - mine.ns > wait.ns))
      wait = {other.ns - mine.ns, other.rank};
  };
  consider(step.surest);
  if (nodes_ > 1) consider(of_nodes_[clocks_[rank].node * steps_.size() + k]);
  return wait;
}

}  // namespace ringside::analysis
