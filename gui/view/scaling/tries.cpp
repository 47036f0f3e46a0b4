#include "gui/view/scaling/tries.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/analysis/step_parts.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "gui/view/table_cells.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

using analysis::PairVerdict;
using analysis::Part;

/// Returns the total time of these parts per step; NaN if none of them was measured.
double time_of_parts(const analysis::StepParts& rank, std::initializer_list<Part> parts) {
  double time = launch::Shown::kNone;
  for (const Part part : parts) {
    if (!rank.known[static_cast<std::size_t>(part)]) continue;
    time = (std::isnan(time) ? 0 : time) + rank.mean_ns(part);
  }
  return time;
}

/// Returns shares of a step. The time of a part is that of its slowest rank, since the others wait
/// for it in the exchange; that waiting time does not count as exchange.
std::array<double, 3> shares_of(const std::vector<analysis::StepParts>& ranks, double transfer_ns) {
  double data = launch::Shown::kNone;
  double computing = launch::Shown::kNone;
  double longest = 0;
  for (const analysis::StepParts& rank : ranks) {
    data = std::fmax(data, time_of_parts(rank, {Part::kDataWait}));
    computing = std::fmax(computing, time_of_parts(rank, {Part::kHostToDevice, Part::kForward,
                                                          Part::kBackward, Part::kOptimizer}));
    longest = std::max(longest, rank.mean_own_work_ns());
  }
  const analysis::StepParts mean = analysis::mean_of(ranks);
  const double exposed =
      time_of_parts(mean, {Part::kWaitSlowest, Part::kAllReduce, Part::kCommunication});
  double exchange =
      std::isnan(exposed) ? exposed : std::max(0.0, exposed - (longest - mean.mean_own_work_ns()));
  // An exchange that overlaps the computation still slows it down if the same cores do both.
  if (transfer_ns > 0) exchange = std::fmax(exchange, transfer_ns);
  const double step = mean.mean_step_ns();
  return {data / step, exchange / step, computing / step};
}

/// Sets the smallest number of gradient exchanges in a step, and the number and size of buckets.
void count_exchanges(const model::RankModel& rank, Step begin, launch::Shown& shown) {
  Step step = -1;
  std::int64_t exchanges = 0;
  const auto count = [&] {
    if (step >= 0)
      shown.exchanges = std::min(shown.exchanges > 0 ? shown.exchanges : exchanges, exchanges);
    exchanges = 0;
  };
  double bytes = 0;
  std::int64_t counted = 0;
  const Step partial = rank.buckets.empty() ? 0 : rank.buckets.front().step;
  for (const model::BucketTimes& bucket : rank.buckets) {
    if (bucket.step < begin || bucket.step == partial) continue;
    if (bucket.step != step) count();
    step = bucket.step;
    exchanges += bucket.bucket == 0 ? 1 : 0;
    shown.buckets = std::max<std::int64_t>(shown.buckets, bucket.bucket + 1);
    bytes += static_cast<double>(bucket.size_bytes);
    ++counted;
  }
  count();
  if (counted > 0) shown.bucket_bytes = bytes / static_cast<double>(counted);
}

/// The share of a rank's data waits that is in the first steps of its epochs; NaN: not known.
double first_waits(const model::RankModel& rank, analysis::StepRange range,
                   std::int64_t epoch_steps) {
  const auto& waits = rank.series(model::Metric::kDataWait);
  double first = 0;
  double all = 0;
  for (Step step = range.begin; epoch_steps > 0 && step < range.end; ++step) {
    const auto wait = static_cast<double>(waits.at(model::step_index(step)));
    if (!std::isfinite(wait)) continue;
    all += wait;
    if (step % epoch_steps == 0) first += wait;
  }
  return all > 0 ? first / all : launch::Shown::kNone;
}

/// Sets what the first rank said at its start, and the codes of all notices; a program that said
/// nothing reports no PyTorch.
void add_greeting(const model::RunModel& run, launch::Shown& shown) {
  shown.torch = false;
  if (run.ranks().empty()) return;
  const auto& hello = run.rank(run.ranks().front())->hello;
  if (!hello) return;
  shown.threads = hello->threads;
  shown.workers = hello->loader_workers;
  shown.backend = hello->backend;
  shown.torch = hello->versions.find("orch") != std::string::npos;  // "torch 2.11", "PyTorch 2.11"
  for (const model::NoticeEntry& one : run.notices()) shown.notices.push_back(one.notice.code);
}

std::string worth_text() { return decimal_text(100 * kWorthKeeping, 0) + " %"; }

Cell answer_cell(const TriedChange& one) {
  if (one.going) return text_cell("being tried", Tone::kInfo);
  if (one.study.empty() && one.why_not.empty()) return text_cell("waits", Tone::kDim);
  if (one.study.empty()) return text_cell("not tried: " + one.why_not, Tone::kDim);
  if (!one.why_not.empty()) return text_cell(one.why_not, Tone::kWarning);
  switch (one.facts.verdict) {
    case PairVerdict::kShorter:
      if (one.saves_enough() && !one.kept())
        return text_cell("quicker, alters the numbers", Tone::kWarning);
      return one.kept() ? text_cell("quicker", Tone::kOk)
                        : text_cell("quicker, by too little to keep", Tone::kDim);
    case PairVerdict::kLonger:
      return text_cell("slower", Tone::kWarning);
    case PairVerdict::kAlike:
      return text_cell("no difference of 1 %");
    case PairVerdict::kOpen:
      break;
  }
  return text_cell(one.facts.saves_less ? "saves less than " + worth_text() : "not certain",
                   Tone::kDim);
}

Cell numbers_cell(const TriedChange& one) {
  if (one.candidate.alters_numbers) return text_cell("altered", Tone::kDim);
  if (!one.same_numbers) return unknown_cell();
  if (*one.same_numbers) return text_cell("as before");
  return text_cell("others", one.candidate.same_loss ? Tone::kWarning : Tone::kDim);
}

Cell with_hint(Cell cell) {
  cell.hint = cell.text;
  return cell;
}

Entry change_entry(const launch::Candidate& candidate) {
  Cell cell = text_cell(candidate.name());
  cell.hint = candidate.why;
  return {left_column("change", "Change", 292), std::move(cell)};
}

Entry most_entry(const launch::Candidate& candidate) {
  TableColumn column = number_column("most", "Of a step");
  column.hint = "Its part of a step: more cannot be saved";
  return {std::move(column), number_cell(candidate.most, percent1_text)};
}

Entry keep_entry(std::string text) {
  return {left_column("keep", "To keep it", 330), with_hint(word_cell(std::move(text)))};
}

Cell why_cell(const launch::Candidate& candidate) {
  if (!candidate.is_idle())
    return text_cell(candidate.why + (candidate.alters_numbers ? "; alters the numbers" : ""));
  return text_cell("not tried: " + idle_words(candidate), Tone::kDim);
}

Entry script_entry(const char* key, CellValue value) {
  Entry entry = hidden(key, std::move(value));
  entry.column.width = 0;
  return entry;
}

std::string outside_words(const std::string& why) {
  return "The program can only be changed from outside, by its threads, cores and variables: " +
         why + ".";
}

std::string failed_words(const Tries& tries) { return "No more is tried: " + tries.failed; }

void add_try_notes(const Tries& tries, Table& table) {
  if (!tries.as_it_is.empty())
    table.notes.push_back("As it is: " + tries.as_it_is +
                          (tries.step_ns > 0 ? ", " + ms_text(tries.step_ns) + " a step" : "") +
                          ".");
  if (!tries.outside.empty()) table.notes.push_back(outside_words(tries.outside));
  for (const TriedChange& one : tries.changes) {
    if (one.saves_enough() && !one.kept())
      table.notes.push_back(one.candidate.name() +
                            " alters the numbers, so it is not kept: see first what the training "
                            "reaches with it.");
    if (one.candidate.same_loss && one.same_numbers == false)
      table.notes.push_back(one.candidate.name() +
                            " should not change the numbers, and did: look before you keep it.");
  }
  if (!tries.failed.empty()) table.notes.push_back(failed_words(tries));
  const bool over = std::ranges::none_of(tries.changes, [](const TriedChange& one) {
    return one.study.empty() && one.why_not.empty();
  });
  if (!over || !tries.doing.empty() || tries.any_kept()) return;
  const bool tried = std::ranges::any_of(tries.changes, [](const TriedChange& one) {
    return !one.study.empty() && one.why_not.empty();
  });
  table.notes.push_back((tried
                             ? "Nothing was certainly quicker by " + worth_text() + " or more"
                             : std::string("No change was tried to its end, so nothing is known")) +
                        ": the recipe stays as it is.");
}

}  // namespace

bool Tries::any_kept() const { return std::ranges::any_of(changes, &TriedChange::kept); }

launch::Shown shown_by(const model::RunModel& run) {
  launch::Shown shown;
  add_greeting(run, shown);
  const analysis::StepRange range = analysis::timed_steps(run).range;
  const auto ranks = analysis::step_parts(run, range);
  if (ranks.empty() || analysis::mean_of(ranks).step_ns <= 0) return shown;
  shown.shares = shares_of(ranks, analysis::transfer(run, range).transfer_ns);
  const model::RankModel& rank = *run.rank(run.ranks().front());
  count_exchanges(rank, range.begin, shown);
  if (rank.newest_epoch >= 0) shown.epoch_steps = (rank.newest_step + 1) / (rank.newest_epoch + 1);
  shown.first_waits = first_waits(rank, range, run.steps_per_epoch());
  return shown;
}

std::string idle_words(const launch::Candidate& candidate) {
  if (!candidate.is_idle()) return {};
  return "at most " + percent1_text(candidate.most) + " to gain";
}

std::string longer_words(const PairFacts& facts) {
  if (facts.pairs < 2) return {};
  const auto& [value, low, high] = facts.longer;
  const auto size = [](double share) { return decimal_text(100 * std::abs(share), 1); };
  const std::string middle = size(value) + (value < 0 ? " % less (" : " % more (");
  if (low < 0 && high > 0) return middle + size(low) + " less to " + size(high) + " more)";
  return middle + size(high < 0 ? high : low) + " to " + size(high < 0 ? low : high) + ")";
}

Table tried_table(const Tries& tries) {
  Table table{"tried", "Tried, each against the recipe with what was found before it"};
  for (const TriedChange& one : tries.changes) {
    const bool told = one.facts.pairs >= 2;
    add_entries(
        table,
        {change_entry(one.candidate),
         {left_column("answer", "Answer", 178), with_hint(answer_cell(one))},
         {left_column("time", "Time of equal work", 212), word_cell(longer_words(one.facts))},
         {number_column("pairs", "Pairs"), known_count_cell(one.facts.trained)},
         most_entry(one.candidate),
         {left_column("numbers", "Numbers", 62), numbers_cell(one)},
         {left_column("study", "Study", 44), word_cell(one.study)},
         keep_entry(one.saves_enough() ? launch::kept_by(one.candidate) : ""),
         script_entry("longer", told ? CellValue{one.facts.longer.value} : CellValue{}),
         script_entry("kept", one.kept())});
  }
  add_try_notes(tries, table);
  return table;
}

Table candidates_table(const std::vector<launch::Candidate>& all, const std::string& outside) {
  Table table{"candidates", "Would be tried"};
  table.empty = {{"Nothing that is known fits it.", Style::kWords}};
  for (const launch::Candidate& one : all) {
    add_entries(table, {change_entry(one),
                        {left_column("why", "What it may save", 300), why_cell(one)},
                        most_entry(one),
                        keep_entry(launch::kept_by(one))});
  }
  if (!outside.empty()) table.notes.push_back(outside_words(outside));
  return table;
}

std::string tries_words(const Tries& tries) {
  std::string kept;
  std::int64_t tried = 0;
  for (const TriedChange& one : tries.changes) {
    tried += one.study.empty() ? 0 : 1;
    if (one.kept()) add_listed(kept, one.candidate.name());
  }
  if (tries.changes.empty()) return {};
  const std::string begin = (tries.stopped ? "Stopped. " : "") + std::string("Tried ") +
                            plural(tried, "change", "changes") + " of " +
                            std::to_string(tries.changes.size()) + ": ";
  return begin + (kept.empty() ? "nothing was certainly quicker." : "quicker with " + kept + ".") +
         (tries.failed.empty() ? "" : " " + failed_words(tries));
}

TryView build_try_view(const TryFacts& facts) {
  TryView view;
  view.going = !facts.tries.doing.empty();
  view.can_start = !view.going && facts.not_of_run.empty();
  view.can_launch = !view.going && facts.tries.any_kept();
  const bool tried = !facts.tried_run.empty() && !facts.tries.changes.empty();
  view.table = tried ? tried_table(facts.tries) : candidates_table(facts.proposed, facts.outside);
  view.subtitle = tried || view.going
                      ? "of run " + facts.tried_run
                      : "of run " + facts.run + ": what can save most of a step comes first";
  if (!facts.problem.empty()) {
    view.status = facts.problem;
    view.tone = Tone::kError;
  } else if (view.going) {
    view.status = "Trying " + facts.tries.doing;
  } else if (tried) {
    view.status = tries_words(facts.tries);
    view.tone = view.can_launch ? Tone::kOk : Tone::kText;
    if (!facts.tries.failed.empty()) view.tone = Tone::kError;
  } else {
    view.status = facts.not_of_run.empty()
                      ? "Short runs on this machine; nothing of yours is changed."
                      : facts.not_of_run;
  }
  return view;
}

}  // namespace ringside::view
