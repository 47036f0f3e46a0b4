#include "gui/view/scaling/waterfall_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

using analysis::Loss;
using analysis::LostTime;
using analysis::Waterfall;

Paint paint_of(Loss loss) {
  // The order is that of analysis::Loss.
  constexpr Paint kPaints[] = {Paint::kDataWait,  Paint::kWaitSlowest, Paint::kAllReduce,
                               Paint::kAllReduce, Paint::kBackward,    Paint::kOther,
                               Paint::kOptimizer, Paint::kEvaluation,  Paint::kEvaluation,
                               Paint::kOther};
  static_assert(std::size(kPaints) == analysis::kLosses);
  return kPaints[index_of(loss)];
}

/// Number of decimals of seconds that suits the length of the run.
int decimals_of(const Waterfall& all) {
  return all.run_ns >= 100'000'000'000 ? 1 : all.run_ns >= 10'000'000'000 ? 2 : 3;
}

std::string signed_text(double value, int decimals, const char* unit) {
  const std::string text = decimal_text(value, decimals) + unit;
  return value > 0 ? "+" + text : text;
}

WaterfallEvidence evidence_of(const LostTime& part) {
  WaterfallEvidence evidence;
  evidence.between_steps = !analysis::is_of_steps(part.loss);
  evidence.own_work =
      part.loss == Loss::kDataWait || part.loss == Loss::kImbalance || part.loss == Loss::kCompute;
  evidence.steps = part.worst;
  if (part.slow) evidence.rank = part.slow->rank;
  return evidence;
}

/// Whether a part has a bar. A part that neither run has, such as checkpoints if none are written,
/// has none.
bool has_row(const LostTime& part) {
  return part.measured && (part.run_ns != 0 || part.ideal_ns != 0);
}

/// The name of a part. Compute is called slower or faster only if the difference is more than
/// noise.
std::string bar_label(const LostTime& part) {
  if (part.loss != Loss::kCompute) return loss_word(part.loss);
  if (part.is_noise()) return "Compute";
  return part.lost_ns() < 0 ? "Faster compute" : loss_word(part.loss);
}

void add_rows(const Waterfall& all, WaterfallView& view) {
  double at = all.ideal;
  for (const LostTime& part : all.parts) {
    if (!has_row(part)) continue;
    WaterfallRow row;
    row.key = analysis::name_of(part.loss);
    // All-reduce of a baseline with itself is not a gain of the run.
    row.gain = part.lost_ns() < 0 && !part.is_noise() && part.loss != Loss::kOwnExchange;
    row.label = bar_label(part);
    row.text = loss_sentence(all, part);
    row.hint = loss_hint(all, part);
    row.seconds = signed_text(static_cast<double>(part.lost_ns()) / 1e9, decimals_of(all), " s");
    row.x = signed_text(-part.x, 2, "×");
    row.paint = paint_of(part.loss);
    row.hollow = part.loss == Loss::kNotMeasured;
    row.from = at;
    at -= part.x;
    row.to = at;
    row.evidence = evidence_of(part);
    view.rows.push_back(std::move(row));
  }
}

void add_axis(WaterfallView& view) {
  double low = std::min(view.ideal.at, view.measured.at);
  double high = std::max(view.ideal.at, view.measured.at);
  for (const WaterfallRow& row : view.rows) {
    low = std::min(low, row.to);
    high = std::max(high, row.to);
  }
  const double room = std::max(0.12 * (high - low), 0.005 * high);
  view.cut = low - room > 0.25 * high;
  view.axis.low = view.cut ? low - room : std::min(0.0, low - room);
  view.axis.high = high > std::max(view.ideal.at, view.measured.at) ? high + room / 3 : high;
  view.axis.ticks = linear_ticks(view.axis.low, view.axis.high, 8);
  view.axis.unit = "×";
}

std::string seconds_of(const Waterfall& all, std::int64_t ns) {
  return decimal_text(static_cast<double>(ns) / 1e9, decimals_of(all)) + " s";
}

void add_ends(const Waterfall& all, const std::string& device, WaterfallView& view) {
  const auto& speedup = all.speedup;
  view.ideal.label = "Ideal on " + plural(speedup.devices, device, device + "s");
  view.ideal.text = "baseline " + seconds_of(all, all.baseline_ns) + " divided by " +
                    decimal_text(all.ideal, all.ideal == std::floor(all.ideal) ? 0 : 2);
  view.ideal.seconds = seconds_of(all, all.ideal_ns);
  view.ideal.x = speedup_text(all.ideal);
  view.ideal.at = all.ideal;
  view.measured.label = "Measured";
  view.measured.text = speedup.precision_differs ? "precision differs: no efficiency"
                                                 : "efficiency " + percent_text(speedup.efficiency);
  view.measured.seconds = seconds_of(all, all.run_ns);
  view.measured.x = speedup_text(speedup.speedup);
  view.measured.at = speedup.speedup;
}

std::string window_text(const analysis::Speedup& speedup) {
  return speedup.epochs > 0
             ? "same " + plural(speedup.epochs, "epoch", "epochs")
             : "same " + plural(speedup.samples, "sample", "samples") + " of the first epoch";
}

/// Why a run would beat the ideal without waiting: the part that explains at least half of that.
std::string above_the_ideal(const Waterfall& all) {
  const double above_ns =
      static_cast<double>(all.baseline_ns) * (1 / all.ideal - 1 / all.without_waiting);
  const auto gives_half = [&](std::int64_t gained_ns) {
    return static_cast<double>(gained_ns) >= 0.5 * above_ns;
  };
  const LostTime& compute = all.part(Loss::kCompute);
  if (gives_half(-all.part(Loss::kTransfer).lost_ns() - all.part(Loss::kOwnExchange).lost_ns()))
    return ", more than the ideal, which has in it what the baseline exchanged with itself.";
  if (gives_half(-compute.lost_ns()) && !compute.is_noise())
    return ", more than the ideal, as it computes faster than the baseline did.";
  return ", more than the ideal.";
}

/// The main cause of the loss that remains without waiting and exchange; the machine, if that is
/// compute.
std::string rest_without_waiting(const Waterfall& all) {
  if (all.without_waiting >= all.ideal) return above_the_ideal(all);
  const LostTime* most = nullptr;
  for (const LostTime& part : all.parts) {
    const bool waits = part.loss == Loss::kDataWait || part.loss == Loss::kImbalance ||
                       part.loss == Loss::kTransfer;
    if (waits || part.lost_ns() <= 0 || part.is_noise()) continue;
    if (most == nullptr || part.lost_ns() > most->lost_ns()) most = &part;
  }
  const double left_ns =
      static_cast<double>(all.baseline_ns) * (1 / all.without_waiting - 1 / all.ideal);
  if (most == nullptr || static_cast<double>(most->lost_ns()) < 0.5 * left_ns) return ".";
  if (most->loss == Loss::kCompute)
    return ": what this machine gives " + std::to_string(all.speedup.devices) + " at once.";
  return "; most of the rest is " + loss_word(most->loss) + ".";
}

std::string note_of(const Waterfall& all, bool unfair) {
  std::string text = "Seconds add up exactly; each bar's × is its share of the " +
                     std::string(all.speedup.speedup > all.ideal ? "gain" : "loss") + " of " +
                     speedup_text(std::abs(all.ideal - all.speedup.speedup)) +
                     ", in proportion to them.";
  const bool knows = all.part(Loss::kTransfer).measured && all.without_waiting > 0;
  // A run that cannot be compared fairly does not show what its speedup would be without waiting.
  if (all.speedup.devices > 1 && knows && !unfair)
    text += " Without waiting and exchange it would be " + speedup_text(all.without_waiting) +
            rest_without_waiting(all);
  if (all.start_up_s && all.baseline_start_up_s)
    text += " Start-up is outside of this clock: " + decimal_text(*all.start_up_s, 1) + " s, " +
            decimal_text(*all.baseline_start_up_s, 1) + " s on the baseline.";
  return text;
}

void add_end_row(Table& table, const WaterfallEnd& end, const char* key, std::int64_t run_ns,
                 std::int64_t ideal_ns) {
  table.rows.push_back({key,
                        {{std::string(key), end.label},
                         {static_cast<double>(run_ns) / 1e9, end.seconds},
                         {end.at, end.x},
                         {run_ns - ideal_ns, count_text(run_ns - ideal_ns)},
                         {ideal_ns, count_text(ideal_ns)},
                         {run_ns, count_text(run_ns)},
                         text_cell(end.text)}});
}

/// The waterfall as a table for text, files and the clipboard; the columns of nanoseconds are for
/// scripts.
Table table_of(const Waterfall& all, const WaterfallView& view) {
  Table table{"waterfall", view.title + ", " + view.subtitle};
  table.columns = {{"part", "part"},
                   number_column("seconds", "time"),
                   number_column("x", "speedup"),
                   {"lost_ns"},
                   {"ideal_ns"},
                   {"run_ns"},
                   {"text", ""}};
  for (const char* key : {"lost_ns", "ideal_ns", "run_ns"})
    table.columns[column_index(table, key)].in_text = false;
  add_end_row(table, view.ideal, "ideal", all.ideal_ns, all.ideal_ns);
  for (const WaterfallRow& row : view.rows) {
    const auto part = std::ranges::find_if(
        all.parts, [&](const LostTime& one) { return analysis::name_of(one.loss) == row.key; });
    table.rows.push_back({row.key,
                          {{row.key, row.label},
                           {static_cast<double>(part->lost_ns()) / 1e9, row.seconds},
                           {-part->x, row.x},
                           {part->lost_ns(), count_text(part->lost_ns())},
                           {part->ideal_ns, count_text(part->ideal_ns)},
                           {part->run_ns, count_text(part->run_ns)},
                           text_cell(row.text)}});
  }
  add_end_row(table, view.measured, "measured", all.run_ns, all.ideal_ns);
  table.notes.push_back(view.note);
  return table;
}

}  // namespace

CommandQueue show_evidence(const WaterfallEvidence& evidence) {
  CommandQueue commands{SelectPage{Page::kLive},
                        SetXAxis{evidence.between_steps ? XAxis::kTime : XAxis::kStep}};
  if (evidence.steps.count() > 0) {
    commands.emplace_back(SetWindow{static_cast<double>(evidence.steps.begin),
                                    static_cast<double>(evidence.steps.end)});
  } else {
    commands.emplace_back(WholeRun{});
  }
  if (!evidence.between_steps) {
    commands.emplace_back(SetStepTimeWhole{!evidence.own_work});
    commands.emplace_back(ShowTable{TableTab::kRanks});
  }
  if (evidence.rank == kNoRank) {
    commands.emplace_back(ShowAllRanks{});
  } else {
    commands.emplace_back(ShowOnlyRank{evidence.rank});
  }
  return commands;
}

WaterfallView build_waterfall_view(const Waterfall& all, const std::string& device,
                                   Verdict fairness) {
  WaterfallView view;
  view.fairness = std::move(fairness);
  if (!all.given()) {
    view.title = label::kWaterfall;
    view.empty = {{"No speedup to take apart. ", Style::kStrong}, {all.speedup.why, Style::kDim}};
    return view;
  }
  view.shown = true;
  view.title = "From " + speedup_text(all.ideal) +
               (all.speedup.speedup > all.ideal ? " up to " : " down to ") +
               speedup_text(all.speedup.speedup);
  view.subtitle =
      plural(all.speedup.devices, device, device + "s") + ", " + window_text(all.speedup);
  add_ends(all, device, view);
  add_rows(all, view);
  add_axis(view);
  view.note = note_of(all, view.fairness.unfair());
  view.table = table_of(all, view);
  return view;
}

WaterfallView build_waterfall_view(const model::RunModel& run, const model::RunModel* baseline,
                                   bool ended) {
  WaterfallView view =
      build_waterfall_view(analysis::waterfall(run, baseline, ended), on_gpus(run) ? "GPU" : "rank",
                           baseline == nullptr ? Verdict{} : fairness_verdict(run, *baseline));
  if (!view.shown) return view;
  view.table.notes.push_back(view.fairness.told());
  if (!view.fairness.more.empty()) view.table.notes.push_back(view.fairness.more);
  return view;
}

}  // namespace ringside::view
