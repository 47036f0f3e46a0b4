// Runs on a device mesh for tests: ranks in row-major order, a process group for each row of each
// dimension, and their telemetry. Times in ms.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "protocol/messages/group_records.h"
#include "tests/gui/analysis/made_run.h"

namespace ringside::support {

using MadeMesh =
    std::vector<std::pair<std::string, Rank>>;  ///< names and sizes, the last one varies fastest

struct MadeGroups {
  MadeMesh mesh;
  Step steps = 60;
  Rank late = kNoRank;    ///< spends 20 ms more before the first collective of a step
  Rank silent = kNoRank;  ///< its collectives are lost
  bool on_device = false;
};

inline Rank rank_count(const MadeMesh& mesh) {
  Rank ranks = 1;
  for (const auto& [name, size] : mesh) ranks *= size;
  return ranks;
}

/// Sends the telemetry of one rank in one step: an all-gather and a reduce-scatter in the last
/// dimension, and an all-reduce in each of the others.
inline void say_step(MadeRun& run, const MadeGroups& made, Rank rank, Step step) {
  using messages::Collective;
  const double begin = 100.0 * static_cast<double>(step);
  const double late = made.late == kNoRank ? 0 : 20;
  const auto after = [](std::size_t group) { return 10 * static_cast<double>(group); };
  const auto say = [&](std::size_t group, Collective operation, Step number, double entered,
                       double own) {
    messages::CollectiveReport body;
    body.step = step;
    body.group = static_cast<std::int32_t>(group);
    body.operation = static_cast<std::uint8_t>(operation);
    body.number = number;
    body.size_bytes = 1'000'000 * static_cast<std::int64_t>(group + 1);
    body.entered_ns = body.issued_ns = MadeRun::kStart + MadeRun::ns(entered);
    body.done_ns = MadeRun::kStart + MadeRun::ns(begin + 14 + late + after(group));
    body.own_ns = MadeRun::ns(own);
    body.on_device = made.on_device ? 1 : 0;
    if (rank != made.silent) run.say(rank, begin + 90, body);
  };
  const std::size_t last = made.mesh.size() - 1;
  for (std::size_t group = 0; group < last; ++group)
    say(group, Collective::kAllReduce, step, begin + 10 + late + after(group), 5);
  const double own =
      10 + 0.1 * static_cast<double>((rank + step) % 3) + (rank == made.late ? late : 0);
  say(last, Collective::kAllGather, 2 * step, begin + own, own);
  say(last, Collective::kReduceScatter, 2 * step + 1, begin + 12 + late + after(last), 5);
  MadeRun::Parts parts;
  parts.step = 100;
  run.step(rank, step, begin + 100, parts);
}

inline void join_groups(MadeRun& run, const MadeMesh& mesh) {
  for (Rank rank = 0; rank < run.ranks(); ++rank) {
    Rank stride = run.ranks();
    for (std::size_t i = 0; i < mesh.size(); ++i) {
      const auto& [name, size] = mesh[i];
      stride /= size;
      const Rank first = rank - rank / stride % size * stride;
      std::vector<std::int32_t> ranks;
      for (Rank k = 0; k < size; ++k) ranks.push_back(first + k * stride);
      run.say(rank, 0,
              messages::GroupReport{static_cast<std::int32_t>(i), name + std::to_string(first),
                                    name, "mesh_" + name, "gloo", std::move(ranks),
                                    static_cast<std::uint8_t>(name == "pp" || name == "tp")});
    }
  }
}

inline MadeRun run_of(const MadeGroups& made) {
  messages::RunSpec spec;
  spec.devices.world_size = rank_count(made.mesh);
  spec.program.argv = {"python", "train.py"};
  MadeRun run(spec);
  join_groups(run, made.mesh);
  for (Step step = 0; step < made.steps; ++step) {
    for (Rank rank = 0; rank < run.ranks(); ++rank) say_step(run, made, rank, step);
  }
  return run;
}

inline MadeMesh hsdp_2x2() { return {{"dp_replicate", 2}, {"dp_shard", 2}}; }
/// 64 ranks in 16 groups.
inline MadeMesh hsdp_8x8() { return {{"dp_replicate", 8}, {"dp_shard", 8}}; }

}  // namespace ringside::support
