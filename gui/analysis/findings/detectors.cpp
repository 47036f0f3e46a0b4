// Detectors about how the work was divided and counted; those about time are in time_detectors.cpp.
#include "gui/analysis/findings/detectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gui/analysis/evaluation.h"
#include "gui/analysis/findings/fairness.h"
#include "gui/analysis/sampling.h"
#include "gui/analysis/work.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using messages::Severity;

// The number as text such as "50,000".
std::string count_of(std::int64_t value) {
  std::string text = std::to_string(value < 0 ? -value : value);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return value < 0 ? "-" + text : text;
}

}  // namespace

std::optional<Finding> order_repeated(const model::RunModel& run) {
  const auto epochs = run.shards().epochs();
  std::size_t longest = 0;
  std::size_t same = 1;
  for (std::size_t i = 1; i < epochs.size(); ++i) {
    same = epochs[i].order_hash == epochs[i - 1].order_hash ? same + 1 : 1;
    longest = std::max(longest, same);
  }
  if (longest < 2) return std::nullopt;
  const auto& sampler = run.spec().sampler;
  const bool wished = !sampler.shuffle && run.spec().program.argv.empty();
  const char* why = wished               ? " (sampler.shuffle is off)"
                    : !sampler.set_epoch ? " (sampler.set_epoch is off): same order each epoch"
                                         : ": same order each epoch";
  return Finding{wished ? Severity::kInfo : Severity::kWarning, "order_repeated",
                 fmt::format("{} of {} epochs in a row visited the {} samples in the same order{}.",
                             longest, epochs.size(), count_of(epochs.back().drawn), why)};
}

std::optional<Finding> repeats_counted(const model::RunModel& run) {
  const auto evaluation = newest_evaluation(run);
  if (!evaluation || evaluation->total.padded < 1) return std::nullopt;
  const auto& total = evaluation->total;
  return Finding{
      Severity::kWarning, "repeats_counted",
      fmt::format("The evaluation counts {} of {} samples twice: {:.4f} % ({}/{}) as reported, "
                  "{:.4f} % ({}/{}) without the repeats.",
                  count_of(total.padded), count_of(total.counted), 100 * total.reported(),
                  count_of(total.correct), count_of(total.counted), 100 * total.exact(),
                  count_of(total.correct - total.padded_correct),
                  count_of(total.counted - total.padded))};
}

std::optional<Finding> unread_samples(const model::RunModel& run) {
  const auto& shards = run.shards();
  if (shards.epochs().empty() || shards.sampled()) return std::nullopt;
  const LeftOut left = left_out(run);
  if (left.never < 1 && left.newest < 1) return std::nullopt;
  const auto epochs = static_cast<std::int64_t>(shards.epochs().size());
  return Finding{
      left.never > 0 ? Severity::kWarning : Severity::kInfo, "unread_samples",
      fmt::format(
          "{} of {} training samples are not visited in an epoch; {} were sampled in none of {} "
          "epoch(s).",
          count_of(left.newest), count_of(shards.dataset_size()), count_of(left.never), epochs)};
}

std::optional<Finding> batch_cut(const model::RunModel& run) {
  const auto work = work_of(run);
  if (!work || work->global_batch >= work->global_batch_nominal) return std::nullopt;
  return Finding{
      Severity::kWarning, "batch_cut",
      fmt::format("The global batch is {}, not {}: {} ranks take {} samples each, {} sample(s) of "
                  "every step are lost to rounding.",
                  work->global_batch, work->global_batch_nominal,
                  messages::process_count(run.spec()), work->per_rank_batch,
                  work->global_batch_nominal - work->global_batch)};
}

std::optional<Finding> batch_grew(const model::RunModel& run, const model::RunModel& baseline) {
  const auto ours = work_of(run);
  const auto theirs = work_of(baseline);
  if (!ours || !theirs || ours->global_batch <= theirs->global_batch) return std::nullopt;
  const double lr = lr_used(run, 0).first;
  const double their_lr = lr_used(baseline, 0).first;
  if (!(their_lr > 0) || !(std::abs(lr / their_lr - 1) < 1e-6)) return std::nullopt;
  return Finding{
      Severity::kWarning, "batch_grew",
      fmt::format("The global batch grew from {} to {} while the learning rate stayed {:g}: {} "
                  "updates per epoch instead of {}, at the step size of the smaller batch.",
                  theirs->global_batch, ours->global_batch, lr, count_of(ours->steps_per_epoch),
                  count_of(theirs->steps_per_epoch))};
}

std::optional<Finding> unfair_baseline(const model::RunModel& run,
                                       const model::RunModel& baseline) {
  const auto reasons = unfair_in(run, baseline);
  if (reasons.empty()) return std::nullopt;
  return Finding{Severity::kWarning, "unfair_baseline",
                 fmt::format("Not a fair comparison with the baseline: they differ in {}.",
                             fmt::join(reasons, ", "))};
}

std::optional<Finding> shard_claimed(const model::RunModel& run) {
  const std::int64_t size = test_samples(run.spec());
  const auto evaluation = newest_evaluation(run);
  if (size <= 0 || !evaluation || !evaluation->complete) return std::nullopt;
  const std::int64_t judged = evaluation->total.counted - evaluation->total.padded;
  if (judged >= size || judged <= 0) return std::nullopt;
  return Finding{Severity::kWarning, "shard_claimed",
                 fmt::format("The accuracy of epoch {} is that of {} of {} test samples: a shard, "
                             "not the set.",
                             evaluation->epoch + 1, count_of(judged), count_of(size))};
}

std::optional<Finding> many_writers(const model::RunModel& run) {
  std::map<std::pair<std::string, Step>, std::set<Rank>> writers;
  for (const auto& saved : run.checkpoints())
    writers[{saved.checkpoint.path, saved.checkpoint.step}].insert(saved.stamp.rank);
  for (const auto& [file, ranks] : writers) {
    if (ranks.size() < 2) continue;
    return Finding{Severity::kWarning, "many_writers",
                   fmt::format("{} ranks write the same file {} after step {}: the last one wins, "
                               "and a reader may see a mix of both.",
                               ranks.size(), file.first, file.second)};
  }
  return std::nullopt;
}

std::vector<Finding> findings(const model::RunModel& run, const model::RunModel* baseline) {
  std::vector<Finding> all;
  const auto add = [&](std::optional<Finding> found) {
    if (found) all.push_back(std::move(*found));
  };
  add(order_repeated(run));
  add(repeats_counted(run));
  add(unread_samples(run));
  add(batch_cut(run));
  add(idle_ranks(run));
  if (baseline != nullptr) {
    add(batch_grew(run, *baseline));
    add(unfair_baseline(run, *baseline));
    for (Finding& found : machine_differences(run, *baseline)) all.push_back(std::move(found));
    add(slower_dp(run, *baseline));
    add(slower_amp(run, *baseline));
  }
  add(shard_claimed(run));
  add(cold_timing(run));
  add(many_writers(run));
  add(unmeasured_time(run));
  return all;
}

}  // namespace ringside::analysis
