// The checks that judge a training by our own analysis or by its log.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gui/analysis/arrivals.h"
#include "gui/doctor/checks.h"
#include "gui/model/rank_model.h"

namespace ringside::doctor {
namespace {

constexpr Step kSettled = 2;  ///< DDP rebuilds its buckets before the second step
constexpr std::int64_t kDelayMs = 20;

Result<std::unique_ptr<Trial>> finished(const Site& site, const messages::RunSpec& spec) {
  auto trial = RINGSIDE_TRY(Trial::start(site, spec));
  RINGSIDE_TRY(trial->finish());
  return trial;
}

/// A single GPU gets a process group of one, so that the reducer, its hook and NCCL are used.
Result<void> exercise_ddp(const Site& site, messages::RunSpec& spec) {
  if (!site.gpu || site.ranks(2) > 1) return {};
  const auto checked = RINGSIDE_TRY(checked_run(site, 1, {"train", "--nccl-alone"}));
  spec.program = checked.program;
  return {};
}

double median_step_ns(const Trial& trial, Step from, std::int32_t samples) {
  std::vector<double> times;
  for (const TimedStep& step : trial.steps()) {
    if (step.report.step >= from && step.report.samples == samples)
      times.push_back(static_cast<double>(step.report.step_ns));
  }
  return median(std::move(times));
}

StepTimes times_of(const Trial& trial) {
  StepTimes times;
  std::map<std::pair<Rank, Step>, std::int64_t> backward_done;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  for (const TimedStep& step : trial.steps()) {
    backward_done[{step.rank, step.report.step}] =
        step.end_ns - std::max<std::int64_t>(step.report.optimizer_ns, 0);
    if (step.rank != 0) continue;
    if (begin_ns == 0) begin_ns = step.end_ns - step.report.step_ns;
    end_ns = step.end_ns;
    times.steps_ns += static_cast<double>(step.report.step_ns);
  }
  times.wall_ns = static_cast<double>(end_ns - begin_ns);
  for (const TimedBucket& bucket : trial.buckets()) {
    const auto done = backward_done.find({bucket.rank, bucket.report.step});
    if (done == backward_done.end()) continue;
    ++times.buckets;
    const bool in_turn = bucket.report.ready_ns <= bucket.report.reduced_ns &&
                         bucket.report.reduced_ns <= done->second;
    times.out_of_turn += in_turn ? 0 : 1;
  }
  return times;
}

Lateness lateness_of(const Trial& trial, Rank delayed) {
  const model::RunModel& model = trial.model();
  const auto clock =
      analysis::arrival_clock(model, {kSettled, static_cast<Step>(model.steps_end())});
  Lateness late{delayed, clock.compared, {}, 0, std::nullopt, {}};
  for (const auto& rank : clock.ranks) late.times_last.push_back(rank.times_last);
  for (Step step = clock.range.begin; step < clock.range.end; ++step) {
    const auto last = analysis::last_arrival(model, step);
    if (last && last->late_ns > kDelayMs * 1'000'000 / 2) ++late.far_behind;
  }
  if (const auto named = analysis::straggler(model, clock)) late.named = named->rank;
  late.drifts_ppm = trial.drifts_ppm();
  return late;
}

}  // namespace

// Full precision is set, as the CPU has no TF32, which convolutions on a GPU use by default.
messages::RunSpec ddp_run(const Site& site) {
  messages::RunSpec spec = short_run(site, site.ranks(2));
  spec.train.precision = "fp32";
  spec.train.deterministic = true;
  spec.train.max_steps = 20;
  return spec;
}

Result<CheckVerdict> check_ddp(const Site& site) {
  messages::RunSpec spec = ddp_run(site);
  RINGSIDE_TRY(exercise_ddp(site, spec));
  const auto together = RINGSIDE_TRY(finished(site, spec));
  spec.devices.kind = "cpu";
  spec.devices.when_busy = "share";
  spec.devices.world_size = 1;
  spec.program = {};
  const auto alone = RINGSIDE_TRY(finished(site, spec));
  const bool equal =
      together->output_of(0).find("parameters equal on all ranks") != std::string::npos;
  return judge_ddp({together->losses(), alone->losses()}, equal, site.ranks(2));
}

// The run has dropout, crops and flips, and 2,000 samples in batches of 64, so that the 32nd batch
// has only 16. The learning rate can be represented exactly as a float, as a recorded step has it
// as a float and an eager one as a double.
messages::RunSpec replay_run(const Site& site) {
  messages::RunSpec spec = short_run(site, site.ranks(2));
  spec.optimizer.lr = 1.0 / 128;
  spec.train.deterministic = true;
  spec.model.name = "convnet";
  spec.data.crop = 28;
  spec.data.crop_padding = 2;
  spec.data.flip = true;
  spec.train.max_steps = 40;
  return spec;
}

// An eager run augments in the loader, a replayed one on the device, inside of the graph.
Result<CheckVerdict> check_replay(const Site& site) {
  constexpr Step kEagerFirst = 12;
  const Rank ranks = site.ranks(2);
  messages::RunSpec spec = replay_run(site);
  RINGSIDE_TRY(exercise_ddp(site, spec));
  const auto eager = RINGSIDE_TRY(finished(site, spec));
  if (site.gpu) {
    spec.train.cuda_graph = true;
    spec.data.on_device = true;
  } else {
    const auto checked = RINGSIDE_TRY(checked_run(site, ranks, {"replay"}));
    spec.program = checked.program;
  }
  const auto replay = RINGSIDE_TRY(finished(site, spec));
  const auto whole = static_cast<std::int32_t>(spec.batch.size / ranks);
  const auto replayed = std::ranges::count_if(replay->steps(), [whole](const TimedStep& step) {
    return step.rank == 0 && step.report.step >= kEagerFirst && step.report.samples == whole;
  });
  return judge_replay({replay->losses(), eager->losses()}, replayed,
                      site.gpu ? median_step_ns(*replay, kEagerFirst, whole) : 0,
                      median_step_ns(*eager, kEagerFirst, whole));
}

Result<CheckVerdict> check_timing(const Site& site) {
  auto spec = RINGSIDE_TRY(checked_run(site, site.ranks(2), {"clock"}));
  // All steps are of one epoch, since the time between two epochs is not part of a step.
  spec.train.max_steps = 31;
  const auto trial = RINGSIDE_TRY(finished(site, spec));
  const auto facts = RINGSIDE_TRY(trial->facts());
  return judge_timing(facts, times_of(*trial), calm_now());
}

Result<CheckVerdict> check_straggler(const Site& site) {
  const Rank ranks = std::max(site.gpu ? site.ranks(4) : 0, 2);
  double calm = calm_now();
  std::vector<Lateness> runs;
  for (Rank delayed = kNoRank; delayed < ranks; ++delayed) {
    std::vector<std::string> arguments{"train"};
    if (delayed != kNoRank) {
      for (const std::string& more : {std::string("--delay-rank"), std::to_string(delayed),
                                      std::string("--delay-ms"), std::to_string(kDelayMs)})
        arguments.push_back(more);
    }
    auto spec = RINGSIDE_TRY(checked_run(site, ranks, arguments));
    spec.train.max_steps = site.quick ? 32 : 102;
    const auto trial = RINGSIDE_TRY(finished(site, spec));
    runs.push_back(lateness_of(*trial, delayed));
    if (runs.back().times_last.empty()) return failure("no rank reported when it was ready");
    calm = std::min(calm, calm_now());
  }
  return judge_straggler(runs, calm);
}

}  // namespace ringside::doctor
