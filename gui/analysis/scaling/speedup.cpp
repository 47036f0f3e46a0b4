#include "gui/analysis/scaling/speedup.h"

#include <algorithm>
#include <limits>

#include "gui/analysis/program_work.h"
#include "gui/analysis/stops.h"
#include "gui/analysis/work.h"
#include "gui/model/run_end.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "protocol/messages/data_catalog.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::analysis {
namespace {

/// Why two runs cannot be compared, as a sentence; empty if they do the same work.
std::string different_work(const messages::RunSpec& run, const messages::RunSpec& baseline) {
  const auto differs = [](const char* what, const std::string& ours, const std::string& theirs) {
    return std::string("The baseline has a different ") + what + ": " + theirs + " instead of " +
           ours + ".";
  };
  const bool script = !run.program.argv.empty();
  if (script != !baseline.program.argv.empty())
    return "One of the two is a program of your own, the other our trainer.";
  if (script) return {};  // judged from records by other_program_work()
  if (run.model.name != baseline.model.name)
    return differs("model", run.model.name, baseline.model.name);
  if (run.model.stem != baseline.model.stem)
    return differs("model stem", run.model.stem, baseline.model.stem);
  if (run.model.classes != baseline.model.classes) {
    return differs("number of classes", std::to_string(run.model.classes),
                   std::to_string(baseline.model.classes));
  }
  if (run.data.name != baseline.data.name)
    return differs("data set", run.data.name, baseline.data.name);
  const auto* set = messages::find_data_set(run.data.name);
  const bool generated = set != nullptr && set->source == messages::DataSource::kGenerated;
  if (generated && run.data.train_samples != baseline.data.train_samples) {
    return differs("number of samples", std::to_string(run.data.train_samples),
                   std::to_string(baseline.data.train_samples));
  }
  return {};
}

/// Whether its attempts had different numbers of ranks, so that its times belong to no single
/// number.
bool changed_ranks(const model::RunModel& model) {
  const auto attempts = model.attempts();
  return std::adjacent_find(attempts.begin(), attempts.end(), [](const auto& a, const auto& b) {
           return a.world_size != b.world_size;
         }) != attempts.end();
}

Speedup missing(Speedup result, NoSpeedup reason, std::string why) {
  result.missing = reason;
  result.why = std::move(why);
  return result;
}

std::int64_t samples_of_epochs(const model::RunModel& model, Epoch epochs) {
  std::int64_t samples = 0;
  for (Epoch epoch = 0; epoch < epochs; ++epoch) {
    if (const auto pass = pass_of(model, messages::Phase::kTrain, epoch)) samples += pass->counted;
  }
  return samples;
}

/// Sets the work that both have done and the time each took for it. False if there is none yet.
bool measure(const model::RunModel& run, const model::RunModel& baseline, Speedup& result) {
  result.epochs = std::min(complete_epochs(run), complete_epochs(baseline));
  std::optional<double> ours;
  std::optional<double> theirs;
  if (result.epochs > 0) {
    ours = seconds_to_epoch(run, result.epochs);
    theirs = seconds_to_epoch(baseline, result.epochs);
    result.samples = samples_of_epochs(run, result.epochs);
  } else {
    result.samples = std::min(samples_trained(run), samples_trained(baseline));
    ours = seconds_to_samples(run, result.samples);
    theirs = seconds_to_samples(baseline, result.samples);
  }
  if (!ours || !theirs || *ours <= 0 || *theirs <= 0) return false;
  result.run_s = *ours;
  result.baseline_s = *theirs;
  return true;
}

/// Time of the whole baseline: as measured if all planned epochs are complete, or else at the pace
/// of the compared work.
double whole_baseline_s(const model::RunModel& model, Epoch planned, const Speedup& result) {
  if (const auto measured = seconds_to_epoch(model, planned)) return *measured;
  if (result.epochs > 0)
    return result.baseline_s / static_cast<double>(result.epochs) * static_cast<double>(planned);
  const auto epoch_steps = static_cast<double>(model.steps_per_epoch());
  const double steps = static_cast<double>(model.newest_common_step() + 1);
  const auto trained = static_cast<double>(samples_trained(model));
  if (epoch_steps <= 0 || steps <= 0 || trained <= 0) return result.baseline_s;
  const double all_samples = trained / steps * epoch_steps * static_cast<double>(planned);
  return result.baseline_s / static_cast<double>(result.samples) * all_samples;
}

/// Sets totals whose ratio is the speedup, whatever part of the run is still to come.
void add_totals(const model::RunModel& run, const model::RunModel& baseline, bool ended,
                Speedup& result) {
  const auto planned =
      static_cast<Epoch>(std::clamp<std::int64_t>(run.epochs_planned(), 1, model::kMaxEpochs));
  result.projected = !ended && !seconds_to_epoch(run, planned);
  result.baseline_total_s =
      result.projected ? whole_baseline_s(baseline, planned, result) : result.baseline_s;
  result.run_total_s = result.baseline_total_s / result.speedup;
  result.ideal_total_s = result.baseline_total_s * static_cast<double>(result.baseline_devices) /
                         static_cast<double>(result.devices);
}

/// The pace of the newest steps; including more would only take longer.
double steady_rate(const model::RunModel& model) {
  constexpr Step kEnoughSteps = 10'000;
  return throughput(model, recent_steps(model, kEnoughSteps)).total_per_s;
}

void add_steady(const model::RunModel& run, const model::RunModel& baseline, Speedup& result) {
  const double rate = steady_rate(run);
  const double baseline_rate = steady_rate(baseline);
  if (rate <= 0 || baseline_rate <= 0) return;
  result.steady_speedup = rate / baseline_rate;
  result.warm_up_steps = timed_steps(run).left_out;
}

}  // namespace

Speedup speedup(const model::RunModel& run, const model::RunModel* baseline, bool ended) {
  Speedup result;
  result.devices = devices_of(run);
  if (baseline == nullptr)
    return missing(result, NoSpeedup::kNoBaseline, "No baseline is selected.");
  result.baseline_devices = devices_of(*baseline);
  result.precision_differs =
      messages::precision_text(run.spec()) != messages::precision_text(baseline->spec());
  if (std::string why = different_work(run.spec(), baseline->spec()); !why.empty()) {
    return missing(result, NoSpeedup::kDifferentWork, std::move(why));
  }
  if (changed_ranks(run) || changed_ranks(*baseline)) {
    return missing(result, NoSpeedup::kDifferentWork,
                   "The number of ranks changed when the run was resumed.");
  }
  if (baseline->newest_common_step() < 0) {
    return missing(result, NoSpeedup::kBaselineTooShort, "No step of the baseline is known yet.");
  }
  if (run.newest_common_step() < 0)
    return missing(result, NoSpeedup::kTooEarly, "This run has not finished a step.");
  if (!run.spec().program.argv.empty()) {
    if (std::string why = other_program_work(run, *baseline, ended); !why.empty())
      return missing(result, NoSpeedup::kDifferentWork, std::move(why));
  }
  if (!measure(run, *baseline, result)) {
    return missing(result, NoSpeedup::kBaselineTooShort,
                   "The two runs have no epochs in common that both measured from the start.");
  }
  if (const Step left_out = timed_steps(run).left_out;
      !ended && result.epochs == 0 && left_out < kWarmUpSteps) {
    return missing(result, NoSpeedup::kTooEarly,
                   "It is given from step " + std::to_string(2 * kWarmUpSteps) +
                       " on: before that most steps are warm-up.");
  }
  result.missing = NoSpeedup::kNone;
  result.speedup = result.baseline_s / result.run_s;
  result.efficiency = result.precision_differs
                          ? std::numeric_limits<double>::quiet_NaN()
                          : result.speedup * static_cast<double>(result.baseline_devices) /
                                static_cast<double>(result.devices);
  result.time_cut = 1 - result.run_s / result.baseline_s;
  add_totals(run, *baseline, ended, result);
  add_steady(run, *baseline, result);
  result.accuracy = shared_validation(run, *baseline);
  return result;
}

std::optional<double> seconds_by(Clock clock, const model::RunModel& model, Epoch epochs) {
  if (clock == Clock::kTraining) return seconds_to_epoch(model, epochs);
  if (epochs < 1 || complete_epochs(model) < epochs) return std::nullopt;
  if (clock == Clock::kWholeRun) {
    const std::int64_t began = began_ns(model);
    if (!model::has_ended(model) || began == 0 || complete_epochs(model) > epochs)
      return std::nullopt;
    return static_cast<double>(model.last_ns() - began) / 1e9 - stopped_s(model);
  }
  double seconds = 0;
  for (Epoch epoch = 0; epoch < epochs; ++epoch) {
    const auto pass = pass_of(model, messages::Phase::kTrain, epoch);
    if (!pass) return std::nullopt;
    seconds += pass->seconds;
  }
  return seconds;
}

std::optional<double> speedup_by(Clock clock, const model::RunModel& run,
                                 const model::RunModel& baseline) {
  const Epoch epochs = std::min(complete_epochs(run), complete_epochs(baseline));
  const auto ours = seconds_by(clock, run, epochs);
  const auto theirs = seconds_by(clock, baseline, epochs);
  if (!ours || !theirs || *ours <= 0 || *theirs <= 0) return std::nullopt;
  return *theirs / *ours;
}

double without_straggler(const Speedup& speedup, const Straggler& late, double mean_step_ns) {
  if (!(mean_step_ns > late.cost_ns)) return speedup.speedup;
  return speedup.speedup * mean_step_ns / (mean_step_ns - late.cost_ns);
}

}  // namespace ringside::analysis
