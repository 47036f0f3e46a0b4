#include "gui/analysis/fairness.h"

#include "gui/analysis/work.h"
#include "gui/model/run_model.h"
#include "protocol/messages/settings.h"

namespace ringside::analysis {

bool may_differ(const std::string& setting) {
  return setting == "name" || setting.starts_with("devices.") || setting.starts_with("baseline.") ||
         setting.starts_with("checkpoint.") || setting.starts_with("limits.") ||
         setting.starts_with("batch.") || setting == "data.workers" || setting == "data.root" ||
         setting == "optimizer.lr";
}

std::vector<std::string> unfair_in(const model::RunModel& run, const model::RunModel& other) {
  std::vector<std::string> reasons;
  for (const auto& difference : messages::differences(run.spec(), other.spec())) {
    if (!may_differ(difference.key)) reasons.push_back(difference.key);
  }
  const auto ours = work_of(run);
  const auto theirs = work_of(other);
  if (ours && theirs && ours->global_batch_nominal == theirs->global_batch_nominal &&
      ours->global_batch != theirs->global_batch) {
    reasons.push_back("a real global batch of " + std::to_string(ours->global_batch) + " against " +
                      std::to_string(theirs->global_batch));
  }
  return reasons;
}

}  // namespace ringside::analysis
