#include "gui/analysis/findings/fairness.h"

#include <fmt/format.h>

#include <algorithm>

#include "gui/analysis/program_work.h"
#include "gui/analysis/work.h"
#include "gui/model/run_model.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::analysis {

namespace {

/// Whether the study of `run` compares runs by this setting.
bool is_compared(const messages::RunSpec& run, const std::string& setting) {
  const auto& set = run.baseline.set;
  return std::ranges::any_of(
      set, [&](const std::string& assignment) { return assignment.starts_with(setting + "="); });
}

/// Why the load of the run's host is unknown.
std::string missing_text(const model::RunModel& model, const char* which) {
  const std::size_t readings = host_readings(model);
  if (readings >= kFewestReadings)
    return fmt::format("those of {} do not tell its ranks and viewers apart from others", which);
  return fmt::format("{} has {}", which, readings);
}

std::string others_text(const HostLoad& ours, const HostLoad& theirs) {
  return fmt::format("other processes took {:.2f} of {:.0f} cores ({:.2f} during the baseline)",
                     ours.others(), ours.cpus, theirs.others());
}

/// `files`: the contents of both programs are known and equal.
std::string program_text(const ComparedWork& work, bool files, const std::optional<HostLoad>& ours,
                         const std::optional<HostLoad>& theirs) {
  const bool same = work.verdict == ComparedWork::Verdict::kSame;
  std::string known = files ? "command and program files are the same" : "the command is the same";
  if (same)
    known += fmt::format(", and {} trained {:.0f} samples in both",
                         work.of_epoch ? "an epoch" : "the run", work.ours);
  const bool host = ours && theirs;
  const std::string took = host ? "; " + others_text(*ours, *theirs) : "";
  return fmt::format(
      "Fair as far as is known: {}{}. Not known: {}the program's own settings (model, data, "
      "seed){}.",
      known, took, same ? "" : "whether both train the same samples in all, ",
      host ? "" : ", and what other processes took");
}

/// Settings that must not differ between two runs of the same work, but do.
std::vector<std::string> other_settings(const model::RunModel& run, const model::RunModel& other) {
  std::vector<std::string> reasons;
  const bool alone = run.world_size() == 1 || other.world_size() == 1;
  for (const auto& difference : messages::described_differences(run.spec(), other.spec())) {
    const std::string& key = difference.key;
    if (may_differ(key) || (alone && messages::is_sharing(key, run.spec(), other.spec()))) continue;
    if (is_compared(run.spec(), key) || is_compared(other.spec(), key)) continue;
    reasons.push_back(difference.key);
  }
  if (const std::string files = other_program_files(run, other); !files.empty())
    reasons.push_back("their program (" + files + ")");
  return reasons;
}

}  // namespace

bool knows_settings(const model::RunModel& run, const model::RunModel& baseline) {
  return run.spec().program.argv.empty() && baseline.spec().program.argv.empty();
}

bool may_differ(const std::string& setting) {
  return setting == "name" || setting.starts_with("devices.") || setting.starts_with("baseline.") ||
         setting.starts_with("checkpoint.") || setting.starts_with("limits.") ||
         setting.starts_with("batch.") || setting == "data.workers" || setting == "data.root" ||
         setting == "program.cwd" || setting == "optimizer.lr";
}

std::vector<std::string> unfair_in(const model::RunModel& run, const model::RunModel& other) {
  std::vector<std::string> reasons = other_settings(run, other);
  const auto ours = work_of(run);
  const auto theirs = work_of(other);
  if (ours && theirs && ours->global_batch_nominal == theirs->global_batch_nominal &&
      ours->global_batch != theirs->global_batch) {
    reasons.push_back("a real global batch of " + std::to_string(ours->global_batch) + " against " +
                      std::to_string(theirs->global_batch));
  }
  return reasons;
}

bool may_scale(const model::RunModel& run, const model::RunModel& other) {
  return devices_of(run) != devices_of(other) && other_settings(run, other).empty();
}

std::vector<Finding> unfair(const model::RunModel& run, const model::RunModel& baseline) {
  std::vector<Finding> all = machine_differences(run, baseline);
  if (auto settings = unfair_baseline(run, baseline)) all.push_back(std::move(*settings));
  const std::string ours = messages::precision_text(run.spec());
  const std::string theirs = messages::precision_text(baseline.spec());
  if (ours != theirs && knows_settings(run, baseline)) {
    all.push_back({messages::Severity::kInfo, "precision_differs",
                   fmt::format("Precision {} against {}: the speedup is of both together, over the "
                               "whole run.",
                               ours, theirs)});
  }
  const auto work = work_of(run);
  const auto other = work_of(baseline);
  if (work && other && work->global_batch != other->global_batch) {
    all.push_back({messages::Severity::kInfo, "batch_differs",
                   fmt::format("Global batch {} against {}: {} updates per epoch instead of {}, so "
                               "the runs do not learn alike.",
                               work->global_batch, other->global_batch, work->steps_per_epoch,
                               other->steps_per_epoch)});
  }
  return all;
}

bool knows_enough(const model::RunModel& run, const model::RunModel& baseline) {
  return knows_settings(run, baseline) && host_load(run) && host_load(baseline);
}

std::optional<bool> is_fair(const std::vector<Finding>& reasons, const model::RunModel& run,
                            const model::RunModel& baseline) {
  for (const Finding& reason : reasons)
    if (reason.severity == messages::Severity::kWarning) return false;
  return knows_enough(run, baseline) ? std::optional(true) : std::nullopt;
}

std::string fair_text(const model::RunModel& run, const model::RunModel& baseline) {
  const auto ours = host_load(run);
  const auto theirs = host_load(baseline);
  if (!knows_settings(run, baseline)) {
    const bool files = !run.program_parts().empty() && !baseline.program_parts().empty();
    return program_text(compare_work(run, baseline), files, ours, theirs);
  }
  if (!ours || !theirs) {
    std::string missing = ours ? "" : missing_text(run, "this run");
    if (!theirs) add_listed(missing, missing_text(baseline, "the baseline"));
    return fmt::format(
        "Fair as far as is known: same work and settings. What other processes took is not known: "
        "it takes {} readings of the host while it trains (some 3 s), and {}.",
        kFewestReadings, missing);
  }
  return fmt::format("Fair: same work and settings; {}, means of {} and {} readings.",
                     others_text(*ours, *theirs), ours->readings, theirs->readings);
}

}  // namespace ringside::analysis
