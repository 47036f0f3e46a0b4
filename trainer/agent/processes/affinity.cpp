#include "trainer/agent/processes/affinity.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace ringside::agent {
namespace {

using probe::CpuPlace;
using Cpus = std::vector<int>;

// CPUs that ranks can have to themselves: whole cores if there are enough, else hardware threads.
std::vector<Cpus> units_of(const std::vector<CpuPlace>& places, std::size_t ranks) {
  std::vector<Cpus> cores;
  std::vector<Cpus> threads;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool same = i > 0 && places[i].node == places[i - 1].node &&
                      places[i].package == places[i - 1].package &&
                      places[i].core == places[i - 1].core;
    if (!same) cores.emplace_back();
    cores.back().push_back(places[i].cpu);
    threads.push_back({places[i].cpu});
  }
  return cores.size() >= ranks ? cores : threads;
}

// The share of rank `at` of so many.
Cpus share_of(const std::vector<CpuPlace>& places, std::size_t at, std::size_t ranks) {
  const std::vector<Cpus> units = units_of(places, ranks);
  if (units.size() < ranks) return units[at % units.size()];
  Cpus share;
  for (std::size_t i = at * units.size() / ranks; i < (at + 1) * units.size() / ranks; ++i)
    share.insert(share.end(), units[i].begin(), units[i].end());
  return share;
}

}  // namespace

std::vector<Cpus> cpus_of_ranks(const std::string& affinity, const std::vector<CpuPlace>& places,
                                const std::vector<int>& near) {
  std::vector<Cpus> shares(near.size());
  if (affinity == "none" || places.empty()) return shares;
  std::map<int, std::vector<CpuPlace>> nodes;
  for (const CpuPlace& place : places) nodes[place.node].push_back(place);
  const auto is_known = [&nodes](int node) { return nodes.count(node) > 0; };
  const auto ranks_near = [&near](int node) {
    return static_cast<std::size_t>(std::count(near.begin(), near.end(), node));
  };
  // A node with too few allowed cores for its ranks would make them share while others are idle.
  const bool near_gpus = std::all_of(near.begin(), near.end(), [&](int node) {
    return is_known(node) && units_of(nodes.at(node), 1).size() >= ranks_near(node);
  });
  std::map<int, std::size_t> taken;  // ranks so far on each node
  for (std::size_t i = 0; i < near.size(); ++i) {
    const auto in_turn =
        std::next(nodes.begin(), static_cast<std::ptrdiff_t>(i * nodes.size() / near.size()));
    if (affinity == "numa") {
      const auto& own = is_known(near[i]) ? nodes.at(near[i]) : in_turn->second;
      for (const CpuPlace& place : own) shares[i].push_back(place.cpu);
    } else if (near_gpus) {
      shares[i] = share_of(nodes.at(near[i]), taken[near[i]]++, ranks_near(near[i]));
    } else {
      shares[i] = share_of(places, i, near.size());
    }
  }
  return shares;
}

}  // namespace ringside::agent
