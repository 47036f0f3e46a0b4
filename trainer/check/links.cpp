#include <algorithm>
#include <array>
#include <utility>

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/check/all_reduce.h"
#include "trainer/check/step_bench.h"
#include "trainer/dist/consensus.h"

namespace ringside::check {
namespace {

constexpr int kAllReduceRounds = 3;
constexpr double kRound_s = 0.05;
constexpr double kLongest_s = 1;  ///< per all-reduce: larger sizes are not measured
constexpr double kMostTimes = 500;
constexpr double kWindow_s = 0.4;
constexpr double kQuickWindow_s = 0.1;
constexpr double kMostSteps = 1000;
constexpr int kFirstSteps = 3;      ///< warm-up, in which libraries initialize
constexpr int kRecordedSteps = 13;  ///< until a GPU has recorded a step

/// The mean of a value, equal on all ranks, which therefore decide alike. Waits for all ranks.
double mean_over(const dist::ProcessGroups& groups, double value) {
  std::array<double, 1> values{value};
  dist::sum_over_ranks(groups, values);
  return values[0] / groups.world_size;
}

int times_in(double seconds, double one_s, double most) {
  return static_cast<int>(std::clamp(seconds / one_s, 1.0, most));
}

double median_of(std::array<double, kAllReduceRounds> values) {
  std::sort(values.begin(), values.end());
  return values[kAllReduceRounds / 2];
}

Facts time_sizes(const CheckRank& rank, const engine::RankParts& parts) {
  Facts sizes = Facts::array();
  const auto options = at::TensorOptions(parts.placement.device).dtype(at::kFloat);
  double one_s = 0;
  for (std::int64_t bytes = 4; bytes <= largest_bytes(rank) && one_s < kLongest_s; bytes *= 4) {
    at::Tensor tensor = at::zeros({bytes / 4}, options);
    // The first one connects and allocates memory.
    (void)seconds_of_one(parts, tensor, 1);
    one_s = mean_over(parts.groups, seconds_of_one(parts, tensor, 1));
    const int times = times_in(kRound_s, one_s, kMostTimes);
    std::array<double, kAllReduceRounds> rounds{};
    for (double& seconds : rounds)
      seconds = mean_over(parts.groups, seconds_of_one(parts, tensor, times));
    sizes.push_back({{"size_bytes", bytes}, {"seconds", median_of(rounds)}});
  }
  return sizes;
}

/// Lets this rank train by itself from here on. Returns the groups that still connect the ranks.
Result<dist::ProcessGroups> leave_the_others(engine::RankParts& parts) {
  dist::ProcessGroups groups = std::exchange(parts.groups, {});
  auto alone =
      dist::DistributedModel::create(parts.network->named_parameters(),
                                     parts.network->named_buffers(), parts.groups, *parts.timeline);
  if (!alone) return pass(alone);
  parts.replica = std::move(*alone);
  parts.optimizer =
      std::make_unique<engine::Optimizer>(parts.replica->parameters(), parts.spec.optimizer);
  return groups;
}

/// Seconds per step.
double time_steps(StepBench& bench, const engine::DeviceBatch& batch, int steps) {
  const std::int64_t begin_ns = mono_now_ns();
  for (int i = 0; i < steps; ++i) bench.step(batch);
  (void)bench.finish();
  return static_cast<double>(mono_now_ns() - begin_ns) / 1e9 / steps;
}

/// Times steps of rank 0 while the others sleep, and of all ranks at once, alternately.
Result<Facts> time_copies(const CheckRank& rank, engine::RankParts& parts) {
  const auto groups = RINGSIDE_TRY(leave_the_others(parts));
  StepBench bench(parts);
  RINGSIDE_TRY(bench.begin());
  const auto batch = RINGSIDE_TRY(bench.next_batch());
  time_steps(bench, batch, parts.spec.train.cuda_graph ? kRecordedSteps : kFirstSteps);
  const double step_s = mean_over(groups, time_steps(bench, batch, kFirstSteps));
  const int steps = times_in(rank.quick ? kQuickWindow_s : kWindow_s, step_s, kMostSteps);
  Facts alone = Facts::array();
  Facts together = Facts::array();
  for (int round = 0; round < kAllReduceRounds; ++round) {
    (void)mean_over(groups, 0);
    if (parts.is_first_rank()) alone.push_back(time_steps(bench, batch, steps));
    (void)mean_over(groups, 0);
    together.push_back(time_steps(bench, batch, steps));
  }
  return Facts{{"batch", batch.size()}, {"alone_s", alone}, {"together_s", together}};
}

}  // namespace

Result<Facts> links(const CheckRank& rank) {
  log_transport(rank);
  const auto prepared = RINGSIDE_TRY(prepare(rank));
  engine::RankParts& parts = *prepared;
  if (parts.groups.solo()) return bad_request("between one device and itself there is no link");
  Facts facts{{"backend", parts.groups.backend},
              {"device", parts.placement.name},
              {"threads", parts.threads},
              {"transport", ""}};
  facts["sizes"] = time_sizes(rank, parts);
  facts["transport"] = transport_of(rank, parts);
  const auto copies = RINGSIDE_TRY(time_copies(rank, parts));
  facts.update(copies);
  return facts;
}

}  // namespace ringside::check
