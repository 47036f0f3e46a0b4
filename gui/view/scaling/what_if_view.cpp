#include "gui/view/scaling/what_if_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

using analysis::Prediction;
using analysis::StepChange;

/// "8.20" for ns, in ms with enough decimals for differences of some percent.
std::string fine_ms(double ns) { return decimal_text(ns / 1e6, ns < 100e6 ? 2 : 1); }

std::string band_text(const Prediction& found) {
  return fine_ms(found.step_ns.low) + " to " + fine_ms(found.step_ns.high);
}

bool within_noise(const Prediction& found) {
  return found.step_ns.low <= found.recorded_ns && found.recorded_ns <= found.step_ns.high;
}

std::string sentence_of(const StepChange& change, const Prediction& found) {
  if (!found.refused.empty()) return found.refused;
  const std::string was = "it was " + fine_ms(found.recorded_ns) + " ms";
  if (!change.any())
    return "Replayed as it was, a step takes " + fine_ms(found.replayed_ns) + " ms; " + was + ".";
  const std::string taken = "With " + change_words(change) + " a step would take ";
  if (found.step_ns.low <= 0)
    return taken + "at most " + fine_ms(found.step_ns.high) + " ms; " + was +
           ": these records do not tell more.";
  return taken + fine_ms(found.step_ns.value) + " ms (" + band_text(found) + "); " + was + ": " +
         speedup_text(found.faster()) + " as fast" +
         (within_noise(found) ? ", within the error." : ".");
}

std::string link_note(const analysis::LinkModel& link) {
  if (link.bytes_per_ns <= 0)
    return "The buckets are of one size, so latency and bandwidth of the link cannot be told "
           "apart; "
           "`ringside doctor --links` measures them.";
  return "Link: " + fine_ms(link.latency_ns) + " ms and " + gb_per_s_text(link.bytes_per_ns * 1e9) +
         (link.of_probe ? ", latency of the probe." : ", fitted to the buckets.");
}

/// A number as a person types it, never with an exponent.
std::string typed_number(double value) {
  std::string text = fmt::format("{:.6f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// The speedup if each step of the run had taken as much less time as predicted.
double speedup_with(const analysis::Speedup& now, const Prediction& found) {
  return now.speedup * found.faster();
}

void add_notes(const WhatIfFacts& facts, const StepChange& change, const Prediction& found,
               std::vector<std::string>& notes) {
  if (!found.refused.empty()) return;
  notes.push_back(fmt::format(
      "Over {} recorded steps; replayed without a change they take {} of what was recorded.",
      count_text(found.steps), percent1_text(found.replayed_ns / found.recorded_ns)));
  if (facts.speedup != nullptr && facts.speedup->missing == analysis::NoSpeedup::kNone &&
      change.any() && change.ranks == 0)
    notes.push_back("The speedup of " + speedup_text(facts.speedup->speedup) + " would be " +
                    speedup_text(speedup_with(*facts.speedup, found)) +
                    " if all of its time went as these steps do.");
  if (change.link != 1 || change.bucket_mib > 0 || change.ranks > 0)
    notes.push_back(link_note(found.link));
  if (found.shares_cores)
    notes.push_back(
        "Ranks, with what else runs there, want more cores than there are: the replay shares them "
        "out.");
  if (found.extrapolated)
    notes.push_back(
        "This number of ranks was not run: an extrapolation by a ring's transfers, with the batch "
        "of each rank as it was.");
}

std::string kept_sentence(const runs::ProvedPrediction& one) {
  return fmt::format(
      "Predicted of this run were {} ms ({} to {}) where {} took {} ms: it takes {} ms, {} the "
      "band.",
      decimal_text(one.told.predicted_ms, 2), decimal_text(one.told.low_ms, 2),
      decimal_text(one.told.high_ms, 2), one.told.of_run, decimal_text(one.told.was_ms, 2),
      decimal_text(one.took_ms, 2), one.inside() ? "inside" : "outside of");
}

/// Positions of the sliders; 0: unchanged.
constexpr double kLinks[] = {0.5, 1, 2, 4, 8, 16};
constexpr double kBuckets[] = {0, 1, 5, 10, 25, 50, 100};
constexpr Rank kRanks[] = {0, 2, 4, 8, 16, 32, 64, 128};

template <class Stops, class Value>
int stop_of(const Stops& stops, Value value) {
  return static_cast<int>(std::ranges::find(stops, value) - std::begin(stops));
}

constexpr std::size_t kMostListed = 16;  ///< ranks in the table of all changes

std::vector<StepChange> each_change(const analysis::Replayable& run) {
  std::vector<StepChange> all;
  const std::size_t ranks = run.worked.steps.front().ranks.size();
  for (std::size_t rank = 0; rank < std::min(kMostListed, ranks); ++rank)
    all.push_back({.without_rank = static_cast<Rank>(rank)});
  all.push_back({.no_data_wait = true});
  all.push_back({.link = 2});
  return all;
}

TableRow change_row(const StepChange& change, const Prediction& found) {
  const auto ns_cell = [](double ns) { return Cell{ns, fine_ms(ns)}; };
  return {change_options(change),
          {text_cell(change_words(change)), text_cell(change_options(change)),
           ns_cell(found.step_ns.value), ns_cell(found.step_ns.low), ns_cell(found.step_ns.high),
           Cell{found.faster(), speedup_text(found.faster())},
           text_cell(within_noise(found) ? "within the error" : "")}};
}

Table changes_table(const WhatIfFacts& facts, const StepChange& change, const Prediction& found) {
  Table table{"what_if", "What if"};
  table.columns = {{"change", "Changed"},
                   {"options"},
                   number_column("predicted_ns", "Step", "ms"),
                   number_column("low_ns", "from", "ms"),
                   number_column("high_ns", "to", "ms"),
                   number_column("times_as_fast", "as fast"),
                   {"note", ""}};
  table.columns[1].in_text = false;
  if (!found.refused.empty()) return table;
  if (change.any()) {
    table.rows.push_back(change_row(change, found));
    return table;
  }
  for (const StepChange& one : each_change(*facts.run))
    table.rows.push_back(change_row(one, analysis::predict(*facts.run, one)));
  if (facts.run->worked.steps.front().ranks.size() > kMostListed)
    table.notes.push_back(
        fmt::format("Of the ranks the first {}; --without-rank takes any.", kMostListed));
  return table;
}

Table record_table(std::span<const runs::ProvedPrediction> record) {
  Table table{"predictions", "Predictions and what the runs took"};
  table.columns = {{"run", "Run"},
                   {"change", "Changed"},
                   number_column("was_ms", "Was", "ms"),
                   number_column("predicted_ms", "Predicted", "ms"),
                   number_column("low_ms", "from", "ms"),
                   number_column("high_ms", "to", "ms"),
                   number_column("took_ms", "Took", "ms"),
                   {"inside", "Band"}};
  std::vector<double> errors;
  std::int64_t inside = 0;
  const auto ms_cell = [](double ms) { return Cell{ms, decimal_text(ms, 2)}; };
  for (const auto& one : record) {
    const bool done = one.took_ms > 0;
    if (done) errors.push_back(std::abs(one.error()));
    if (done && one.inside()) ++inside;
    table.rows.push_back(
        {one.id,
         {Cell{one.id, one.run}, text_cell(one.told.change), ms_cell(one.told.was_ms),
          ms_cell(one.told.predicted_ms), ms_cell(one.told.low_ms), ms_cell(one.told.high_ms),
          done ? ms_cell(one.took_ms) : unknown_cell(),
          done ? Cell{one.inside(), one.inside() ? "inside" : "outside",
                      one.inside() ? Tone::kOk : Tone::kWarning}
               : unknown_cell()}});
  }
  if (errors.empty()) return table;
  std::ranges::sort(errors);
  table.notes.push_back(fmt::format("{} of {} inside the band, half of them off by at most {}.",
                                    inside, errors.size(),
                                    percent1_text(errors[(errors.size() - 1) / 2])));
  return table;
}

void add_bars(const Prediction& found, WhatIfView& view) {
  const double most = std::max(found.recorded_ns, found.step_ns.high);
  view.bars.push_back(
      {"Recorded", fine_ms(found.recorded_ns) + " ms", found.recorded_ns / most, 0, 0});
  view.bars.push_back({"Predicted", fine_ms(found.step_ns.value) + " ms",
                       found.step_ns.value / most, found.step_ns.low / most,
                       found.step_ns.high / most});
}

}  // namespace

std::string change_words(const StepChange& change) {
  std::vector<std::string> parts;
  if (change.without_rank != kNoRank)
    parts.push_back("rank " + std::to_string(change.without_rank) + " as quick as the others");
  if (change.link != 1) parts.push_back(fmt::format("a link ×{:g}", change.link));
  if (change.no_data_wait) parts.emplace_back("no wait for data");
  if (change.bucket_mib > 0) parts.push_back(fmt::format("buckets of {:g} MiB", change.bucket_mib));
  if (change.ranks > 0) parts.push_back(plural(change.ranks, "rank", "ranks"));
  return parts.empty() ? "nothing changed" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string change_options(const StepChange& change) {
  std::vector<std::string> parts;
  if (change.without_rank != kNoRank)
    parts.push_back(fmt::format("--without-rank {}", change.without_rank));
  if (change.link != 1) parts.push_back("--link x" + typed_number(change.link));
  if (change.no_data_wait) parts.emplace_back("--no-data-wait");
  if (change.bucket_mib > 0) parts.push_back("--bucket-mb " + typed_number(change.bucket_mib));
  if (change.ranks > 0) parts.push_back(fmt::format("--ranks {}", change.ranks));
  return fmt::format("{}", fmt::join(parts, " "));
}

std::vector<WhatIfSlider> what_if_sliders(const StepChange& change, Rank ranks) {
  const std::string as_it_was = "as it was";
  const bool rank = change.without_rank != kNoRank;
  return {
      {"Quick as the others", rank ? fmt::format("rank {}", change.without_rank) : "no rank",
       rank ? change.without_rank + 1 : 0, ranks + 1},
      {"Link", change.link == 1 ? as_it_was : fmt::format("×{:g}", change.link),
       stop_of(kLinks, change.link), static_cast<int>(std::size(kLinks))},
      {"Wait for data", change.no_data_wait ? "none" : as_it_was, change.no_data_wait ? 1 : 0, 2},
      {"Buckets", change.bucket_mib > 0 ? fmt::format("{:g} MiB", change.bucket_mib) : as_it_was,
       stop_of(kBuckets, change.bucket_mib), static_cast<int>(std::size(kBuckets))},
      {"Ranks", change.ranks > 0 ? count_text(change.ranks) : as_it_was,
       stop_of(kRanks, change.ranks), static_cast<int>(std::size(kRanks))}};
}

StepChange moved(StepChange change, std::size_t slider, int at) {
  const auto stop = static_cast<std::size_t>(at);
  if (slider == 0) change.without_rank = at == 0 ? kNoRank : at - 1;
  if (slider == 1) change.link = kLinks[std::min(stop, std::size(kLinks) - 1)];
  if (slider == 2) change.no_data_wait = at != 0;
  if (slider == 3) change.bucket_mib = kBuckets[std::min(stop, std::size(kBuckets) - 1)];
  if (slider == 4) change.ranks = kRanks[std::min(stop, std::size(kRanks) - 1)];
  return change;
}

std::optional<double> factor_of(std::string text) {
  if (text.starts_with("x")) text.erase(0, 1);
  if (text.empty() || text.find_first_not_of("0123456789.") != text.npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return *end == '\0' && value > 0 ? std::optional(value) : std::nullopt;
}

Result<messages::RunSpec> proving_spec(messages::RunSpec spec, const StepChange& change) {
  if (!change.any()) return bad_request("nothing is changed, so there is nothing to prove");
  if (!spec.program.argv.empty())
    return bad_request("how a program of your own is changed is not a setting; run it changed");
  if (change.link != 1) return bad_request("another link is not a setting, so no run can show it");
  if (change.no_data_wait)
    return bad_request(
        "no setting takes all waiting for data away: more data.workers are not that");
  if (change.bucket_mib > 0)
    return bad_request("the size of buckets is not a setting of this trainer");
  if (change.without_rank != kNoRank) {
    if (!spec.inject.fault.starts_with("delay_") || spec.inject.rank != change.without_rank)
      return bad_request("what makes rank " + std::to_string(change.without_rank) +
                         " slow is not a setting; only an injected delay can be left out");
    spec.inject = {};
  }
  if (change.ranks > 0) {
    if (spec.devices.nodes > 1)
      return bad_request("a run of several nodes gets other ranks by `ringside run`");
    if (spec.batch.meaning == "global")
      spec.batch.size = spec.batch.size / spec.devices.world_size * change.ranks;
    spec.devices.world_size = change.ranks;
    spec.devices.ids.clear();
  }
  spec.baseline = {};
  return spec;
}

WhatIfView build_what_if_view(const WhatIfFacts& facts, const StepChange& wanted) {
  const bool replays = facts.run->refused.empty();
  const auto ranks = replays ? static_cast<Rank>(facts.run->worked.steps.front().ranks.size()) : 0;
  const bool fits = replays && analysis::check_change(wanted, ranks).empty();
  const StepChange change = fits ? wanted : StepChange{};
  WhatIfView view;
  view.found = analysis::predict(*facts.run, change);
  const Prediction& found = view.found;
  view.shown = replays;
  view.sentence = sentence_of(change, found);
  view.ranks = ranks;
  for (const auto& one : facts.record)
    if (one.id == facts.id && one.took_ms > 0) view.notes.push_back(kept_sentence(one));
  add_notes(facts, change, found, view.notes);
  if (found.refused.empty() && change.any()) add_bars(found, view);
  if (const auto spec = proving_spec(facts.spec, change); !spec)
    view.not_provable = spec.error().message;
  if (facts.table) view.changes = changes_table(facts, change, found);
  view.record = record_table(facts.record);
  return view;
}

}  // namespace ringside::view
