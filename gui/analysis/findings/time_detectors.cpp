// Detectors about where the time went and about times that are not meaningful.
#include <fmt/format.h>

#include "gui/analysis/evaluation.h"
#include "gui/analysis/findings/detectors.h"
#include "gui/analysis/scaling/pace.h"
#include "gui/analysis/step_parts.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::analysis {
namespace {

using messages::Severity;
using model::Metric;

std::string slower_text(const char* what, const Pace& run, const Pace& other,
                        const std::string& than) {
  return fmt::format(
      "{} is slower than {}: {:.0f} samples/s instead of {:.0f} ({:.2f}x), beyond the noise of {} "
      "and {} timed steps.",
      what, than, run.samples_per_s, other.samples_per_s, run.samples_per_s / other.samples_per_s,
      run.steps, other.steps);
}

/// Whether the run is known to compute in this precision; unknown for a custom program.
bool computes_in(const model::RunModel& model, bool reduced) {
  const auto& precision = model.spec().train.precision;
  return messages::is_described(model.spec(), "train.precision") &&
         reduced == (precision == "fp16" || precision == "bf16");
}

}  // namespace

std::optional<Finding> slower_dp(const model::RunModel& run, const model::RunModel& baseline) {
  if (run.spec().devices.parallel != "dp" || run.spec().devices.world_size < 2) return std::nullopt;
  const auto ours = pace_of(run);
  const auto theirs = pace_of(baseline);
  if (!ours || !theirs || !surely_slower(*ours, *theirs)) return std::nullopt;
  const std::string what =
      fmt::format("DataParallel on {} devices (one process, threads, scatter and gather)",
                  run.spec().devices.world_size);
  return Finding{Severity::kWarning, "slower_dp",
                 slower_text(what.c_str(), *ours, *theirs, "the baseline")};
}

std::optional<Finding> slower_amp(const model::RunModel& run, const model::RunModel& baseline) {
  const bool same_devices = run.spec().devices.world_size == baseline.spec().devices.world_size;
  if (!computes_in(run, true) || !computes_in(baseline, false) || !same_devices)
    return std::nullopt;
  const auto ours = pace_of(run);
  const auto theirs = pace_of(baseline);
  if (!ours || !theirs || !surely_slower(*ours, *theirs)) return std::nullopt;
  return Finding{Severity::kWarning, "slower_amp",
                 slower_text(("Autocast to " + run.spec().train.precision).c_str(), *ours, *theirs,
                             messages::precision_text(baseline.spec()))};
}

std::optional<Finding> idle_ranks(const model::RunModel& run) {
  double idle = 0;
  double whole = 0;
  int ranks = 0;
  for (const auto& time : idle_times(run)) {
    if (time.idle_seconds < 0.05 || time.share() < 0.01) continue;
    idle += time.idle_seconds;
    whole += time.epoch_seconds;
    ++ranks;
  }
  if (ranks == 0) return std::nullopt;
  return Finding{
      Severity::kWarning, "idle_ranks",
      fmt::format("{} of {} ranks were idle for {:.1f} % of their epochs ({:.2f} s each) while "
                  "others evaluated.",
                  ranks, run.world_size(), 100 * idle / whole, idle / ranks)};
}

std::optional<Finding> cold_timing(const model::RunModel& run) {
  const Step steps = run.newest_common_step() + 1;
  if (steps < 1 || run.ranks().empty()) return std::nullopt;
  const Rank rank = run.ranks().front();
  if (steps < 2 * kWarmUpSteps) {
    return Finding{Severity::kInfo, "cold_timing",
                   fmt::format("Times rest on {} steps; the first {} are warm-up as a rule, so "
                               "speedups of this run mean little.",
                               steps, kWarmUpSteps)};
  }
  const StepRange cold{0, kWarmUpSteps};
  const double warm_ns = step_times(run, rank, {kWarmUpSteps, steps}).p50_ns;
  const double cold_ns = step_times(run, rank, cold).mean_ns;
  const double extra = (cold_ns - warm_ns) * static_cast<double>(kWarmUpSteps);
  const double share = extra / (warm_ns * static_cast<double>(steps) + extra);
  if (!(share > 0.05)) return std::nullopt;
  return Finding{Severity::kInfo, "cold_timing",
                 fmt::format("{:.0f} % of the time of all {} steps is the start-up of the first {} "
                             "({:.1f} ms each, {:.1f} ms later).",
                             100 * share, steps, kWarmUpSteps, cold_ns / 1e6, warm_ns / 1e6)};
}

std::optional<Finding> unmeasured_time(const model::RunModel& run) {
  const auto timed = timed_steps(run);
  if (timed.range.count() < kWarmUpSteps) return std::nullopt;
  const auto ranks = step_parts(run, timed.range);
  if (ranks.empty()) return std::nullopt;
  const StepParts mean = mean_of(ranks);
  const double step_ns = mean.mean_step_ns();
  const double other_ns = mean.mean_ns(Part::kOther);
  const bool timed_at_all = mean.known[static_cast<std::size_t>(Part::kForward)] ||
                            mean.known[static_cast<std::size_t>(Part::kBackward)];
  if (!timed_at_all || !(other_ns > 0.2 * step_ns)) return std::nullopt;
  return Finding{
      Severity::kWarning, "unmeasured_time",
      fmt::format(
          "{:.0f} % of a step ({:.2f} of {:.2f} ms) is not covered by a timer: waiting that "
          "falls between two of them shows in neither.",
          100 * other_ns / step_ns, other_ns / 1e6, step_ns / 1e6)};
}

}  // namespace ringside::analysis
