#include "gui/doctor/pace.h"

#include <algorithm>

#include "gui/analysis/progress.h"
#include "gui/doctor/work_folder.h"
#include "gui/model/rank_model.h"
#include "protocol/base/clock.h"
#include "protocol/messages/spec/batch_facts.h"

namespace ringside::doctor {
namespace {

using messages::RunSpec;

/// Larger batches cost the same per sample.
constexpr std::int64_t kMostBatch = 8;
/// The smallest batch that batch normalisation can be trained with.
constexpr std::int64_t kLeastBatch = 2;
constexpr std::size_t kSteps = 4;

double seconds_of(const TimedStep& step) { return static_cast<double>(step.report.step_ns) * 1e-9; }

double seconds_since(std::int64_t begin_ns) {
  return static_cast<double>(mono_now_ns() - begin_ns) * 1e-9;
}

std::int64_t smaller_batch(std::int64_t batch) {
  return std::clamp(batch / 4, std::min(kLeastBatch, batch), batch);
}

/// Cost of a run that did not finish; its start-up ends with the rank's first record.
launch::StepCost of_unfinished(const Trial& trial, const RunSpec& spec, std::int64_t begin_ns) {
  const model::RankModel* rank = trial.model().rank(0);
  const std::int64_t hello_ns = rank != nullptr && rank->hello_ns > 0 ? rank->hello_ns : begin_ns;
  return least_cost(trial.steps(), static_cast<double>(hello_ns - begin_ns) * 1e-9,
                    seconds_since(hello_ns), spec);
}

}  // namespace

RunSpec pace_spec(const RunSpec& run) {
  RunSpec spec = run;
  const auto facts = messages::batch_facts(run, run.data.train_samples);
  const std::int64_t batch = facts ? facts->per_rank_batch : run.batch.size;
  spec.name = "pace";
  spec.devices.world_size = 1;
  spec.devices.parallel = "ddp";
  spec.devices.nodes = 1;
  spec.devices.ranks_per_node = 0;
  spec.devices.virtual_nodes = false;
  spec.devices.when_busy = "share";
  spec.batch.size = std::clamp(batch, kLeastBatch, kMostBatch);
  spec.batch.meaning = "per_rank";
  spec.batch.accumulate = 1;
  spec.data.train_samples = spec.batch.size + smaller_batch(spec.batch.size);
  spec.data.test_samples = std::clamp<std::int64_t>(run.data.test_samples, 1, spec.batch.size);
  spec.train.epochs = 2;
  spec.train.max_steps = 0;
  spec.evaluate.reload = false;
  // The run has one evaluation and one checkpoint, like a complete run.
  if (spec.evaluate.mode != "none") spec.evaluate.every_epochs = 2;
  if (spec.checkpoint.every_epochs > 0) spec.checkpoint.every_epochs = 2;
  spec.checkpoint.first_epoch = 0;
  spec.checkpoint.resume = "none";
  spec.baseline = {};
  spec.baseline.mode = "none";
  spec.limits.crash_step = 0;
  spec.limits.restarts = 0;
  spec.limits.grace_s = 1;
  return spec;
}

launch::StepCost cost_of(const PaceTimes& times, const RunSpec& spec) {
  const double large_s = seconds_of(times.steps[2]);
  const double small_s = seconds_of(times.steps[3]);
  const auto large = static_cast<double>(spec.batch.size);
  const auto small = static_cast<double>(smaller_batch(spec.batch.size));
  launch::StepCost cost;
  const bool told_apart = large > small && large_s > small_s;
  cost.sample_s = told_apart ? (large_s - small_s) / (large - small) : large_s / large;
  cost.step_s = std::max(0.0, large_s - large * cost.sample_s);
  cost.evaluated_s = times.evaluate_s / static_cast<double>(spec.data.test_samples);
  const double epochs_s = 2 * (large_s + small_s);
  cost.start_s = std::max(0.0, times.total_s - epochs_s - times.evaluate_s);
  return cost;
}

launch::StepCost least_cost(const std::vector<TimedStep>& ended, double start_s, double waited_s,
                            const RunSpec& spec) {
  launch::StepCost cost;
  cost.at_least = true;
  cost.start_s = start_s;
  double samples = ended.empty() ? static_cast<double>(spec.batch.size) : 0;
  for (const TimedStep& step : ended) samples += step.report.samples;
  double steps_s = ended.empty() ? waited_s : 0;
  for (const TimedStep& step : ended) steps_s += seconds_of(step);
  cost.sample_s = steps_s / std::max(1.0, samples);
  cost.evaluated_s = cost.sample_s / 3;  // an evaluation only runs forward
  return cost;
}

Result<launch::StepCost> measure_pace(const launch::Machine& machine, const PaceRequest& request) {
  const WorkFolder folder;
  if (folder.path().empty()) return failure("no folder could be made for a probe");
  const std::int64_t begin_ns = mono_now_ns();
  const Site site{machine,
                  false,
                  true,
                  folder.path(),
                  request.cancelled,
                  begin_ns + static_cast<std::int64_t>(request.limit_s * 1e9)};
  RunSpec spec = pace_spec(request.spec);
  spec.data.root = (folder.path() / "data").string();
  const auto trial = RINGSIDE_TRY(Trial::start(site, spec));
  const auto finished = trial->finish();
  if (request.cancelled && request.cancelled()) return failure("it was cancelled");
  if (!finished && mono_now_ns() >= site.deadline_ns) return of_unfinished(*trial, spec, begin_ns);
  if (!finished) return pass(finished);
  PaceTimes times{trial->steps(), 0, seconds_since(begin_ns)};
  if (times.steps.size() != kSteps) return failure("the probe trained other steps than asked for");
  times.evaluate_s = analysis::run_times(trial->model()).evaluate_s;
  return cost_of(times, spec);
}

}  // namespace ringside::doctor
