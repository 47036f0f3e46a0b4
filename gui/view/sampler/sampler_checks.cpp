// The checks of the Sampler page and its alarm, in words.
#include <array>
#include <utility>

#include "gui/analysis/sampling.h"
#include "gui/model/run_model.h"
#include "gui/view/number_format.h"
#include "gui/view/sampler/sampler_view.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

using analysis::SampleCheck;
using analysis::SampleVerdict;
using analysis::Sampling;

constexpr std::array<std::pair<SampleCheck, const char*>, analysis::kSampleChecks> kTitles{
    {{SampleCheck::kOrder, "Order changes every epoch"},
     {SampleCheck::kMoves, "Samples move between ranks"},
     {SampleCheck::kTwice, "Visited twice"},
     {SampleCheck::kUnvisited, "Unvisited"},
     {SampleCheck::kOverlap, "Shards do not overlap"},
     {SampleCheck::kBatch, "Real global batch"}}};

std::string epoch_of(const model::RunModel& run, std::int32_t pass) {
  return std::to_string(run.shards().passes()[static_cast<std::size_t>(pass)].epoch + 1);
}

/// "15–24", "2".
std::string repeated_epochs(const model::RunModel& run, const Sampling& facts) {
  const auto [first, last] = std::pair(facts.order.first, facts.order.last);
  return epoch_of(run, first) + (first == last ? "" : "–" + epoch_of(run, last));
}

/// The earlier epoch whose order they repeat.
std::string source_epoch(const model::RunModel& run, const Sampling& facts) {
  return epoch_of(run, facts.order.source[static_cast<std::size_t>(facts.order.last)]);
}

std::string order_text(const model::RunModel& run, const Sampling& facts) {
  const analysis::OrderRepeats& order = facts.order;
  if (order.epochs < 2) return of_two_epochs(run);
  if (!order.any())
    return "each of " + count_text(order.epochs) + " epochs has its own" +
           (order.replayed > 0 ? "; a restart replayed " + count_text(order.replayed) : "");
  const std::string text = facts.order_requested ? "no, sampler.shuffle is off: " : "no: ";
  const bool one = facts.order.first == facts.order.last;
  return text + (one ? "epoch " : "epochs ") + repeated_epochs(run, facts) +
         (one ? " repeats epoch " : " repeat epoch ") + source_epoch(run, facts);
}

std::string moves_text(const model::RunModel& run, const Sampling& facts) {
  const auto passes = run.shards().passes();
  if (facts.compared == 0)
    return passes.size() < 2 ? of_two_epochs(run)
                             : "no two epochs that follow each other are known";
  const auto& newest = passes.back();
  std::string text = percent1_text(analysis::expected_migration(newest.parts)) + " expected, ";
  if (facts.still == 0)
    return text + percent1_text(analysis::migration(newest)) + " seen in epoch " +
           std::to_string(newest.epoch + 1);
  return text + "0.0 % seen in " + count_text(facts.still) + " of " + count_text(facts.compared) +
         " epochs, first in " + epoch_of(run, facts.still_from);
}

std::string twice_text(const Sampling& facts) {
  const auto& twice = facts.twice;
  if (twice.most == 0 && twice.shared == 0) return "no sample in any epoch";
  std::string text;
  if (twice.most > 0) {
    text = (twice.fewest == twice.most ? "" : count_text(twice.fewest) + "–") +
           count_text(twice.most) + " per epoch by padding";
  }
  if (twice.shared > 0) add_listed(text, count_text(twice.shared) + " that are no padding");
  if (twice.sample >= 0 && twice.known > 1)
    text += "; sample " + count_text(twice.sample) + " in " + count_text(twice.passes) + " of " +
            plural(twice.known, "epoch", "epochs");
  return text;
}

std::string unvisited_text(const model::RunModel& run, const Sampling& facts) {
  const auto& left = facts.unvisited;
  const std::string size = count_text(run.shards().dataset_size());
  if (run.shards().sampled()) return "not known: only every n-th index is reported";
  if (left.passes == 0) return "no whole epoch yet";
  if (left.most == 0) return "0 of " + size + " in every epoch";
  return count_text(left.most) + " of " + size + " in an epoch, " + count_text(left.never) +
         " in all of " + plural(left.passes, "epoch", "epochs");
}

std::string overlap_text(const Sampling& facts) {
  const auto& twice = facts.twice;
  if (twice.shared > 0) return count_text(twice.shared) + " samples of an epoch drawn again";
  if (twice.most == 0) return "no shared sample";
  return twice.most == 1 ? "no shared sample but the padded one"
                         : "no shared samples but the padded ones";
}

std::string batch_text(const Sampling& facts) {
  const auto& batch = facts.batch;
  std::string text = batch.asked > 0 ? count_text(batch.asked) + " asked, " : "";
  text += batch.seen > 0 ? count_text(batch.seen) + " seen" : "no step was reported";
  if (batch.last > 0) text += "; last step " + count_text(batch.last);
  return text;
}

std::string detail_of(const model::RunModel& run, const Sampling& facts, SampleCheck check) {
  switch (check) {
    case SampleCheck::kOrder:
      return order_text(run, facts);
    case SampleCheck::kMoves:
      return moves_text(run, facts);
    case SampleCheck::kTwice:
      return twice_text(facts);
    case SampleCheck::kUnvisited:
      return unvisited_text(run, facts);
    case SampleCheck::kOverlap:
      return overlap_text(facts);
    case SampleCheck::kBatch:
      break;
  }
  return batch_text(facts);
}

std::pair<Shape, Tone> mark_of(SampleVerdict judged) {
  if (judged == SampleVerdict::kPassed) return {Shape::kTick, Tone::kOk};
  if (judged == SampleVerdict::kNote) return {Shape::kWarningTriangle, Tone::kWarning};
  if (judged == SampleVerdict::kFailed) return {Shape::kCross, Tone::kError};
  return {Shape::kRing, Tone::kDim};
}

std::string why_repeated(const model::RunModel& run, const Sampling& facts) {
  const auto first = static_cast<std::size_t>(facts.order.first);
  const auto passes = run.shards().passes();
  if (facts.own_program)
    return "The program has to call set_epoch before each epoch; without it shuffling has no "
           "effect.";
  const bool resumed = first > 0 && passes[first].attempt != passes[first - 1].attempt;
  if (resumed)
    return "Since the run was resumed before epoch " + epoch_of(run, facts.order.first) +
           " set_epoch was not called, so shuffling has no effect.";
  if (!run.spec().sampler.set_epoch)
    return "sampler.set_epoch is off, so shuffling has no effect after the first epoch.";
  return {};
}

}  // namespace

std::vector<SampleCheckView> sample_checks(const model::RunModel& run) {
  std::vector<SampleCheckView> checks;
  if (run.shards().passes().empty()) return checks;
  const Sampling facts = analysis::sampling_of(run);
  for (const auto& [check, title] : kTitles) {
    const bool of_several = check == SampleCheck::kMoves || check == SampleCheck::kOverlap;
    if (of_several && facts.parts < 2) continue;
    const auto [shape, tone] = mark_of(facts.of(check));
    checks.push_back({shape, tone, title, detail_of(run, facts, check)});
  }
  return checks;
}

std::optional<SamplerAlarm> sampler_alarm(const model::RunModel& run) {
  const Sampling facts = analysis::sampling_of(run);
  if (!facts.order.any() || facts.order_requested) return std::nullopt;
  const auto& order = facts.order;
  const bool last = order.last > order.first ||
                    order.source[static_cast<std::size_t>(order.first)] == order.first - 1;
  const bool one = order.first == order.last;
  SamplerAlarm alarm;
  alarm.main = {
      {last ? "Same order as last epoch." : "Same order as an earlier epoch.", Style::kStrong},
      {one ? "  Epoch " : "  Epochs "},
      {repeated_epochs(run, facts), Style::kStrongNumber},
      {one ? " repeats the order of epoch " : " all repeat the order of epoch "},
      {source_epoch(run, facts), Style::kStrongNumber},
      {"."}};
  alarm.why = why_repeated(run, facts);
  alarm.can_fix = !facts.own_program && !run.spec().sampler.set_epoch;
  return alarm;
}

}  // namespace ringside::view
