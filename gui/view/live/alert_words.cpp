// The sentence of every alert: the rank, how often, how much, and why.
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/analysis/alerts/memory.h"
#include "gui/model/machine_model.h"
#include "gui/model/run_model.h"
#include "gui/view/live/device_cells.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/group_table.h"
#include "gui/view/live/node_map.h"
#include "gui/view/number_format.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

using analysis::Alert;
using analysis::AlertKind;
using analysis::BrokenGradient;
using analysis::Cause;

struct SignalName {
  int number;
  const char* name;
};
constexpr std::array<SignalName, 9> kSignals{{{1, "SIGHUP"},
                                              {2, "SIGINT"},
                                              {4, "SIGILL"},
                                              {6, "SIGABRT"},
                                              {7, "SIGBUS"},
                                              {8, "SIGFPE"},
                                              {9, "SIGKILL"},
                                              {11, "SIGSEGV"},
                                              {15, "SIGTERM"}}};

const char* cause_words(Cause cause) {
  constexpr const char* kWords[] = {"",
                                    "loading data",
                                    "copying to the device",
                                    "in its forward pass",
                                    "in its backward pass",
                                    "in its optimizer step"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(Cause::kOptimizer) + 1);
  return kWords[static_cast<std::size_t>(cause)];
}

/// The number of a step as people count it.
std::string step_of(const model::RunModel& model, Step step) {
  return step_text(step, messages::first_step_number(model.spec()));
}

Piece who(Rank rank) { return {rank_name(rank), Style::kStrong}; }

/// The name of a rank, with its node if there are several.
Piece who(Rank rank, const model::RunModel& model) {
  return {rank_name(rank) + on_node(model, rank), Style::kStrong};
}

/// Appends the record's own text, if it has one.
void add_text(Sentence& sentence, const std::string& text, const char* before) {
  if (!text.empty()) sentence.push_back({before + text, Style::kWords});
}

Sentence straggler_main(const Alert& alert, const model::RunModel& model) {
  const auto& late = alert.late;
  Sentence main{who(alert.rank, model),
                {" arrived last in "},
                {percent_text(late.share), Style::kStrongNumber},
                {" of the last "},
                {count_text(late.steps), Style::kStrongNumber},
                {" steps, by "},
                {ms_text(late.late_ns), Style::kStrongNumber}};
  if (late.cause != Cause::kUnknown) {
    const bool verb = late.cause == Cause::kLoadingData || late.cause == Cause::kCopying;
    main.push_back({verb ? ", while " : ", "});
    main.push_back({cause_words(late.cause), Style::kStrong});
  }
  main.push_back({"."});
  return main;
}

Sentence straggler_aside(const Alert& alert, const model::RunModel& model,
                         const analysis::Speedup* speedup) {
  const auto& late = alert.late;
  const bool two = model.world_size() == 2;
  Sentence aside{{two ? "The other waits " : "The others wait ", Style::kDim},
                 {ms_text(late.others_wait_ns), Style::kNumber},
                 {" per step", Style::kDim}};
  if (speedup != nullptr) {
    const auto range = analysis::recent_steps(model);
    const double without = analysis::without_straggler(
        *speedup, late, analysis::step_times(model, alert.rank, range).mean_ns);
    if (without - speedup->speedup >= 0.005) {
      aside.push_back({"; without that the speedup would be ", Style::kDim});
      aside.push_back({speedup_text(without), Style::kNumber});
    }
  }
  aside.push_back({".", Style::kDim});
  return aside;
}

Sentence failed_main(const Alert& alert, const model::RunModel& model) {
  Sentence main{who(alert.rank, model), {" " + ending_text(alert.exit_code, alert.signal)}};
  if (alert.step >= 0) {
    main.push_back({" after step "});
    main.push_back({step_text(alert.step), Style::kStrongNumber});
  }
  const std::string reason = failure_reason(alert.text, alert.rank);
  add_text(main, reason, "; ");
  if (!reason.ends_with('.')) main.push_back({"."});
  return main;
}

Sentence missed_main(const Alert& alert, const model::RunModel& model) {
  return {who(alert.rank, model),
          {" has not entered "},
          {missed_text(model, alert.hang), Style::kStrong},
          {" for "},
          {rough_duration_text(alert.seconds), Style::kStrongNumber},
          {"; " + ranks_in_words(alert.hang.waiting) +
           (alert.hang.waiting.size() == 1 ? " waits." : " wait.")}};
}

Sentence silent_main(const Alert& alert, const model::RunModel& model) {
  if (alert.hang.rank != kNoRank) return missed_main(alert, model);
  Sentence main{who(alert.rank, model),
                {" has not finished a step for "},
                {rough_duration_text(alert.seconds), Style::kStrongNumber}};
  if (alert.step >= 0) {
    main.push_back({"; its last one was "});
    main.push_back({step_text(alert.step), Style::kStrongNumber});
  }
  if (!alert.awaited.empty()) {
    main.push_back({"; it has not entered "});
    main.push_back({alert.awaited, Style::kStrong});
    main.push_back({", in which the others wait for it."});
    return main;
  }
  add_text(main, alert.text, "; last collective: ");
  if (alert.kind == AlertKind::kRankHung)
    main.push_back({"; the others are ahead and wait for it"});
  main.push_back({"."});
  return main;
}

Sentence late_log_main(const Alert& alert) {
  return {{"The newest record of "},
          {"node " + std::to_string(alert.node), Style::kStrong},
          {" is "},
          {rough_duration_text(alert.seconds), Style::kStrongNumber},
          {" older than that of the run; what its ranks do now is not known."}};
}

/// "rank 1", "ranks 0 and 2", "every rank"
Piece which_ranks(const std::vector<Rank>& ranks, const model::RunModel& model) {
  const bool every = ranks.size() > 1 && static_cast<Rank>(ranks.size()) >= model.world_size();
  return every ? Piece{"every rank"} : Piece{ranks_in_words(ranks), Style::kStrong};
}

Sentence gradient_main(const Alert& alert, const model::RunModel& model) {
  Sentence main{{"The gradient of "},
                which_ranks(alert.gradient.ranks, model),
                {" was NaN or Inf in step "},
                {step_text(alert.gradient.step), Style::kStrongNumber},
                {", before the all-reduce"}};
  if (alert.broken.step >= 0) {
    main.push_back({"; the loss followed in step "});
    main.push_back({step_text(alert.broken.step), Style::kStrongNumber});
  }
  main.push_back({"."});
  return main;
}

Sentence gradient_aside(const BrokenGradient& gradient, const model::RunModel& model) {
  if (!gradient.all_heard)
    return {{"Not every rank reported that step: another may have been the first.", Style::kDim}};
  if (static_cast<Rank>(gradient.ranks.size()) >= model.world_size())
    return {{"All at once: what the ranks share, weights or learning rate, had gone too far.",
             Style::kDim}};
  return {{"It started there; the gradients of the other ranks were finite.", Style::kDim}};
}

Sentence broken_main(const Alert& alert, const model::RunModel& model) {
  if (alert.gradient.step >= 0) return gradient_main(alert, model);
  Sentence main{{"The loss "}};
  if (alert.rank != kNoRank) {
    main.push_back({"of "});
    main.push_back({"rank " + std::to_string(alert.rank), Style::kStrong});
    const auto others = static_cast<std::int64_t>(alert.broken.ranks.size()) - 1;
    if (others > 0) main.push_back({" and of " + plural(others, "other rank", "other ranks")});
    main.push_back({" "});
  }
  main.insert(main.end(), {{"has been NaN or Inf since step "},
                           {step_of(model, alert.step), Style::kStrongNumber},
                           {", in "},
                           {plural(static_cast<std::int64_t>(alert.count), "step", "steps"),
                            Style::kStrongNumber},
                           {"."}});
  return main;
}

/// The origin of the broken loss, as far as it is known from the reports.
Sentence broken_aside(const Alert& alert, const model::RunModel& model) {
  if (alert.gradient.step >= 0) return gradient_aside(alert.gradient, model);
  switch (alert.broken.no_origin) {
    case analysis::NoOrigin::kNone:
      return {
          {"It started there, before the all-reduce of that step; the losses of the other ranks "
           "were finite.",
           Style::kDim}};
    case analysis::NoOrigin::kOnlyRank:
      return {};
    case analysis::NoOrigin::kAllAtOnce:
      return {
          {"Origin unknown: it appeared on every rank in the same step, so the weights were "
           "already NaN or Inf.",
           Style::kDim}};
    case analysis::NoOrigin::kGradient:
      return {{"Origin unknown: the averaged gradient of the step before was already NaN or Inf.",
               Style::kDim}};
    case analysis::NoOrigin::kNotHeard:
      return {{"Origin unknown: not every rank reported its loss of that step.", Style::kDim}};
  }
  return {};
}

Sentence changed_main(const Alert& alert, const model::RunModel& model) {
  const analysis::Change& change = alert.change;
  if (alert.kind == AlertKind::kDiverged)
    return {{"The loss has risen to "},
            {loss_text(change.now), Style::kStrongNumber},
            {" from "},
            {loss_text(change.before), Style::kStrongNumber},
            {" at step "},
            {step_of(model, change.before_step), Style::kStrongNumber},
            {"."}};
  if (alert.kind == AlertKind::kLossSpike)
    return {{"The loss leaped to "},
            {loss_text(change.now), Style::kStrongNumber},
            {" at step "},
            {step_of(model, change.before_step), Style::kStrongNumber},
            {"; it was "},
            {loss_text(change.before), Style::kStrongNumber},
            {" before."}};
  return {{"A step takes "},
          {ms_text(change.now), Style::kStrongNumber},
          {", "},
          {decimal_text(change.now / change.before, 1), Style::kStrongNumber},
          {" times the "},
          {ms_text(change.before), Style::kStrongNumber},
          {" of the first steps."}};
}

Sentence machine_main(const Alert& alert, const model::RunModel& model) {
  if (alert.kind == AlertKind::kDiskLow) {
    Sentence main{{gib_text(static_cast<double>(alert.disk.free_bytes)), Style::kStrongNumber},
                  {" are free on the disk of the run"}};
    if (model.hosts().size() > 1) main.push_back({" on node " + std::to_string(alert.node)});
    main.push_back({"."});
    return main;
  }
  Sentence main{{"The GPU "}};
  if (alert.rank != kNoRank) {
    main.push_back({"of "});
    main.push_back({"rank " + std::to_string(alert.rank), Style::kStrong});
  } else {
    main.push_back({alert.code, Style::kStrong});
  }
  main.push_back({" has been throttled for "});
  main.push_back({rough_duration_text(alert.seconds), Style::kStrongNumber});
  main.push_back({": " + throttle_text(alert.slowed_by) + "."});
  return main;
}

/// Rounds to two digits, since a forecast is not exact.
std::string about_steps(double steps) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(steps)) - 1));
  return plural(static_cast<std::int64_t>(std::round(steps / unit) * unit), "step", "steps");
}

Sentence memory_main(const Alert& alert, const model::RunModel& model) {
  const analysis::MemoryCreep& creep = alert.creep;
  Sentence main{
      {"The memory of "},
      {"rank " + std::to_string(alert.rank) + on_node(model, alert.rank), Style::kStrong},
      {" grows by "},
      {decimal_text(creep.bytes_per_step / analysis::kMib, 2) + " MiB", Style::kStrongNumber},
      {" a step"}};
  if (creep.steps) {
    main.push_back({"; at this rate it runs out in about "});
    main.push_back({about_steps(*creep.steps), Style::kStrongNumber});
    main.push_back({", " + rough_duration_text(*creep.steps * creep.seconds_per_step)});
  }
  main.push_back({"."});
  return main;
}

Sentence log_problem_main(const Alert& alert) {
  return {{"The log cannot be written", Style::kStrong},
          {": " + alert.text + (alert.text.ends_with('.') ? "" : ".")}};
}

Sentence aside_of(const Alert& alert, const model::RunModel& model,
                  const analysis::Speedup* speedup) {
  switch (alert.kind) {
    case AlertKind::kStraggler:
      return straggler_aside(alert, model, speedup);
    case AlertKind::kMismatch:
      return {
          {"Members of a group must enter the same collectives in the same order, else they wait "
           "forever or get each other's data.",
           Style::kDim}};
    case AlertKind::kLossNotFinite:
      return broken_aside(alert, model);
    case AlertKind::kDiverged:
      return {{alert.change.before_step > 0 ? "Most of the progress is lost."
                                            : "That is worse than at the start.",
               Style::kDim}};
    case AlertKind::kDiskLow:
      return {{"Checkpoints and the log of the run need ", Style::kDim},
              {gib_text(static_cast<double>(alert.disk.wanted_bytes)), Style::kNumber},
              {".", Style::kDim}};
    case AlertKind::kMemoryGrows:
      return {
          {gib_text(alert.creep.allocated_bytes), Style::kNumber},
          {" are allocated at the end of a step, and nothing gives it back: a loss or an output "
           "that is kept without detach() holds all that it was computed from.",
           Style::kDim}};
    case AlertKind::kLogProblem:
      return {
          {"Training continues, but its records are being lost. Free some space there; recording "
           "resumes by itself.",
           Style::kDim}};
    default:
      return {};
  }
}

Sentence counted_main(const Alert& alert, const model::RunModel& model) {
  const auto count = static_cast<std::int64_t>(alert.count);
  switch (alert.kind) {
    case AlertKind::kRecordsLost:
      return {{plural(count, "record", "records"), Style::kStrongNumber},
              {" of "},
              {"rank " + std::to_string(alert.rank), Style::kStrong},
              {count == 1 ? " was lost in transit; training was not affected."
                          : " were lost in transit; training was not affected."}};
    case AlertKind::kRestarted:
      return {alert.rank == kNoRank ? Piece{"The run", Style::kStrong} : who(alert.rank),
              {alert.rank == kNoRank && alert.step > 0 ? " was resumed " : " was restarted "},
              {plural(count, "time", "times"), Style::kStrongNumber},
              {", now from step "},
              {step_of(model, alert.step), Style::kStrongNumber},
              {"."}};
    default:
      if (alert.code == analysis::kTooManyNames)
        return {{plural(count, "value", "values"), Style::kStrongNumber},
                {" of names beyond those that are kept "},
                {count == 1 ? "is" : "are"},
                {" not shown; the CSV has all of them."}};
      return {{plural(count, "record", "records"), Style::kStrongNumber},
              {count == 1 ? " was" : " were"},
              {" not valid and skipped."}};
  }
}

Sentence said_main(const Alert& alert) {
  Sentence main;
  if (alert.kind == AlertKind::kRunFailed) main.push_back({"The run failed", Style::kStrong});
  if (alert.kind == AlertKind::kDidNotDie)
    main = {who(alert.rank), {" did not exit after it was asked to stop"}};
  if (alert.kind == AlertKind::kNotice) {
    if (alert.rank != kNoRank) main = {who(alert.rank), {": "}};
    main.push_back({alert.text});
    return main;
  }
  add_text(main, alert.text, ": ");
  main.push_back({"."});
  return main;
}

Sentence main_of(const Alert& alert, const model::RunModel& model) {
  switch (alert.kind) {
    case AlertKind::kMismatch:
      return {{mismatch_text(model, alert.mismatch), Style::kStrong}};
    case AlertKind::kLossNotFinite:
      return broken_main(alert, model);
    case AlertKind::kDiverged:
    case AlertKind::kSlowSteps:
    case AlertKind::kLossSpike:
      return changed_main(alert, model);
    case AlertKind::kDiskLow:
    case AlertKind::kSlowedDevice:
      return machine_main(alert, model);
    case AlertKind::kMemoryGrows:
      return memory_main(alert, model);
    case AlertKind::kLogProblem:
      return log_problem_main(alert);
    case AlertKind::kStraggler:
      return straggler_main(alert, model);
    case AlertKind::kRankFailed:
      return failed_main(alert, model);
    case AlertKind::kRankSilent:
    case AlertKind::kRankHung:
      return silent_main(alert, model);
    case AlertKind::kLogLate:
      return late_log_main(alert);
    case AlertKind::kRecordsLost:
    case AlertKind::kRefusedRecords:
    case AlertKind::kRestarted:
      return counted_main(alert, model);
    case AlertKind::kRunFailed:
    case AlertKind::kDidNotDie:
    case AlertKind::kNotice:
      return said_main(alert);
    case AlertKind::kCount:
      break;
  }
  return {};
}

}  // namespace

std::string signal_name(int signal) {
  for (const SignalName& known : kSignals) {
    if (known.number == signal) return known.name;
  }
  return "signal " + std::to_string(signal);
}

std::string ending_text(int exit_code, int signal) {
  if (signal > 0)
    return signal == 9 ? "was killed (SIGKILL)" : "was terminated by " + signal_name(signal);
  return exit_code >= 0 ? "ended with exit code " + std::to_string(exit_code) : "failed";
}

std::string failure_reason(const std::string& text, Rank rank) {
  const std::string head = "rank " + std::to_string(rank) + ": ";
  const std::size_t at = text.find(head);
  const bool of_node = at != text.npos && at > 1 && text.substr(at - 2, 2) == ": ";
  if (at != 0 && !of_node) return text;
  const std::size_t reason = text.find(": ", at + head.size());
  return reason == std::string::npos ? "" : text.substr(reason + 2);
}

EventView event_view(const Alert& alert, const model::RunModel& model,
                     const analysis::Speedup* speedup) {
  EventView event;
  event.rank = alert.rank;
  event.step = alert.step;
  event.main = main_of(alert, model);
  event.aside = aside_of(alert, model, speedup);
  switch (alert.severity) {
    case messages::Severity::kError:
      event.tone = Tone::kError;
      break;
    case messages::Severity::kWarning:
      event.tone = Tone::kWarning;
      break;
    case messages::Severity::kInfo:
      event.tone = Tone::kInfo;
      break;
  }
  const bool ended = alert.kind == AlertKind::kRankFailed || alert.kind == AlertKind::kRunFailed;
  event.shape = ended                                         ? Shape::kCross
                : alert.severity == messages::Severity::kInfo ? Shape::kDot
                                                              : Shape::kWarningTriangle;
  if (alert.kind == AlertKind::kRankSilent || alert.kind == AlertKind::kRankHung)
    event.shape = Shape::kHexagon;
  return event;
}

}  // namespace ringside::view
