#include "gui/analysis/whatif/cores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

constexpr double kLeastWait = 0.01;  ///< share of the time; less is rounding

/// CPUs of a node that a rank may use; all of them if none are named.
using CpuSet = std::pair<Node, std::vector<std::int32_t>>;

/// By rank; where the CPUs of two ranks of a node are neither the same nor separate, all of them.
std::vector<CpuSet> cpu_sets(const model::RunModel& model) {
  std::vector<CpuSet> sets;
  for (const Rank rank : model.ranks()) {
    const model::RankModel& known = *model.rank(rank);
    sets.emplace_back(known.node, known.hello ? known.hello->cpus : std::vector<std::int32_t>());
    // OpenMP may bind each thread to one CPU.
    if (known.hello && std::ssize(known.hello->cpus) < known.hello->threads)
      sets.back().second.clear();
    std::ranges::sort(sets.back().second);
  }
  const auto mixed = [](const CpuSet& a, const CpuSet& b) {
    return a.first == b.first && a.second != b.second &&
           (a.second.empty() || b.second.empty() ||
            std::ranges::find_first_of(a.second, b.second) != a.second.end());
  };
  std::vector<Node> shared;
  for (const CpuSet& a : sets)
    if (std::ranges::any_of(sets, [&](const CpuSet& b) { return mixed(a, b); }))
      shared.push_back(a.first);
  for (CpuSet& set : sets)
    if (std::ranges::count(shared, set.first) > 0) set.second.clear();
  return sets;
}

}  // namespace

double Cores::speed(std::size_t group, int computing) const {
  double wanted = per_rank * computing;
  if (full && wanted > all[group]) wanted = all[group] * std::ceil(wanted / all[group]);
  const double left = all[group] * (1 - others);
  return left > 0 && wanted > left ? left / wanted : 1;
}

bool Cores::is_crowded(std::size_t group) const {
  return speed(group, static_cast<int>(std::ranges::count(group_of, group))) < 1 - kLeastWait;
}

bool Cores::are_crowded() const {
  return std::ranges::any_of(group_of, [this](std::size_t group) { return is_crowded(group); });
}

Cores Cores::for_ranks(std::size_t ranks) const {
  Cores cores = *this;
  cores.host_of.clear();
  for (std::size_t i = 0; i < ranks; ++i) cores.host_of.push_back(host_of[i % host_of.size()]);
  cores.group_of = cores.host_of;
  cores.all = of_host;
  return cores;
}

Cores cores_of(const model::RunModel& model) {
  Cores cores;
  std::vector<Node> nodes;
  const std::vector<CpuSet> sets = cpu_sets(model);
  std::vector<CpuSet> groups;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto group = std::ranges::find(groups, sets[i]) - groups.begin();
    cores.group_of.push_back(static_cast<std::size_t>(group));
    if (group == std::ssize(groups)) {
      groups.push_back(sets[i]);
      cores.all.push_back(static_cast<double>(sets[i].second.size()));
    }
    const model::RankModel& known = *model.rank(model.ranks()[i]);
    const auto host = model.hosts().find(known.node);
    const auto node = std::ranges::find(nodes, known.node);
    cores.host_of.push_back(static_cast<std::size_t>(node - nodes.begin()));
    if (node == nodes.end()) {
      nodes.push_back(known.node);
      cores.of_host.push_back(host == model.hosts().end() ? 0 : host->second.latest.cpus);
    }
    if (!known.hello || known.hello->device_index >= 0 || host == model.hosts().end()) continue;
    cores.per_rank = std::max(1, known.hello->threads);
    if (sets[i].second.empty())
      cores.all[static_cast<std::size_t>(group)] = host->second.latest.cpus;
  }
  return cores;
}

}  // namespace ringside::analysis
