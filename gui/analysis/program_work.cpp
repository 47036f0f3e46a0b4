#include "gui/analysis/program_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/analysis/progress.h"
#include "gui/model/run_end.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "protocol/messages/program_parts.h"

namespace ringside::analysis {
namespace {

struct Work {
  double batch = 0;  ///< mean number of samples in a step, all ranks
  double epoch = 0;  ///< number of samples in an epoch, all ranks; 0: unknown
  double total = 0;
};

Work work_in(const model::RunModel& model) {
  const auto steps = static_cast<double>(model.newest_common_step() + 1);
  Work work;
  work.total = static_cast<double>(samples_trained(model));
  if (steps > 0) work.batch = work.total / steps;
  work.epoch = work.batch * static_cast<double>(model.steps_per_epoch());
  return work;
}

std::string against(const char* what, double ours, double theirs, const std::string& rates) {
  return fmt::format(
      "{} trained {:.0f} samples, of the baseline {:.0f}: not the same work, so there is no "
      "speedup{}.",
      what, ours, theirs, rates);
}

std::string rates_text(const model::RunModel& run, const model::RunModel& baseline) {
  const double ours = throughput(run, recent_steps(run, run.newest_common_step() + 1)).total_per_s;
  const double theirs =
      throughput(baseline, recent_steps(baseline, baseline.newest_common_step() + 1)).total_per_s;
  if (ours <= 0 || theirs <= 0) return {};
  return fmt::format("; samples/s are {:.2f} times those of the baseline", ours / theirs);
}

ComparedWork compared(const model::RunModel& run, const model::RunModel& other, bool ended) {
  ComparedWork work;
  const Work ours = work_in(run);
  const Work theirs = work_in(other);
  if (ours.total <= 0 || theirs.total <= 0) return work;
  work.of_epoch = ours.epoch > 0 && theirs.epoch > 0;
  work.ours = work.of_epoch ? ours.epoch : ours.total;
  work.theirs = work.of_epoch ? theirs.epoch : theirs.total;
  // A program without epochs is compared by its whole run, whose work is known only at its end.
  if (!work.of_epoch && !ended) return work;
  const bool same = std::abs(work.ours - work.theirs) <= std::max(ours.batch, theirs.batch);
  work.verdict = same ? ComparedWork::Verdict::kSame : ComparedWork::Verdict::kOther;
  return work;
}

}  // namespace

ComparedWork compare_work(const model::RunModel& run, const model::RunModel& other) {
  return compared(run, other, model::has_ended(run) && model::has_ended(other));
}

std::string other_program_work(const model::RunModel& run, const model::RunModel& baseline,
                               bool ended) {
  if (run.newest_common_step() < 0 || baseline.newest_common_step() < 0) return {};
  const ComparedWork work = compared(run, baseline, ended && model::has_ended(baseline));
  if (work.ours <= 0) {
    return "The program does not report how many samples a step has, so whether the work was equal "
           "is not known: "
           "rs.log(samples=N) reports it.";
  }
  if (work.verdict != ComparedWork::Verdict::kOther) return {};
  return against(work.of_epoch ? "An epoch" : "This run", work.ours, work.theirs,
                 rates_text(run, baseline));
}

std::string other_program_files(const model::RunModel& run, const model::RunModel& other) {
  const auto& ours = run.program_parts();
  const auto& theirs = other.program_parts();
  if (ours.empty() || theirs.empty()) return {};
  const auto part = messages::difference(ours, theirs);
  if (!part) return {};
  if (part->kind != messages::PartDifference::Kind::kOther)
    return part->name + " is used by one of them alone";
  return part->name == messages::kPackagesPart ? "the packages of its Python changed"
                                               : part->name + " was edited";
}

}  // namespace ringside::analysis
