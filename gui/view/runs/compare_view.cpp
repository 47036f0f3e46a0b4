// Compares several runs with each other.
#include "gui/view/runs/compare_view.h"
#include "gui/view/command_cells.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "gui/analysis/findings/fairness.h"
#include "gui/analysis/program_work.h"
#include "gui/analysis/progress.h"
#include "gui/analysis/work.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/launch/launch_form.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/compare_figures.h"
#include "gui/view/runs/program_differences.h"
#include "gui/view/runs/repeats.h"
#include "gui/view/state_view.h"
#include "gui/view/table_cells.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"
#include "protocol/messages/rank_records.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::view {
namespace {

using model::RunModel;
using Runs = ComparedRuns;

constexpr std::size_t kLongBegin = 8;  ///< characters that are worth leaving out

std::string label_of(const ComparedRun& run) {
  const std::string label = run_label(run.context.number, run.context.id);
  if (!run.settings_read) return label;
  const Rank devices = analysis::devices_of(*run.model);
  return label + " " +
         (on_gpus(*run.model) ? plural(devices, "GPU", "GPUs") : plural(devices, "rank", "ranks"));
}

std::string hint_of(const ComparedRun& run) {
  std::string text = run_state_view(*run.model, run.context).word;
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  const auto progress = analysis::progress(*run.model, run.model->last_ns());
  if (progress.epochs > 0)
    text += ", epoch " + count_text(progress.epoch + 1) + "/" + count_text(progress.epochs);
  return text;
}

/// Runs of a sweep differ at the end of their names, which a narrow head would cut off.
void shorten_names(std::vector<ComparedHead>& heads) {
  const std::string& first = heads.front().name;
  std::size_t common = first.size();
  for (const ComparedHead& head : heads) {
    const auto differs = std::ranges::mismatch(first, head.name).in1;
    common = std::min(common, static_cast<std::size_t>(differs - first.begin()));
  }
  const std::size_t space = first.substr(0, common).rfind(' ');
  const bool same = std::ranges::any_of(
      heads, [common](const ComparedHead& head) { return head.name.size() <= common; });
  const bool cut = space != first.npos && space >= kLongBegin && !same;
  for (ComparedHead& head : heads) head.own = cut ? "…" + head.name.substr(space) : head.name;
}

void add_times(Runs runs, CompareView& view) {
  auto [epochs, seconds] = common_epochs(runs);
  for (double& one : seconds) one = one > 0 ? one : kUnknownNumber;
  const bool all = std::ranges::none_of(seconds, [](double s) { return !(s > 0); });
  const double longest = all ? *std::ranges::max_element(seconds) : 1;
  if (all) view.same_epochs = plural(epochs, "epoch", "epochs");
  for (std::size_t place = 0; place < runs.size(); ++place) {
    ComparedHead& head = view.runs[place];
    head.time = clock_text(seconds[place]);
    if (!all) continue;
    head.share = seconds[place] / longest;
    // A percentage is used and not "×", which is for speedups: here, more is slower.
    head.ratio = percent_text(seconds[place] / seconds[view.baseline]);
  }
  if (runs.size() != 2) return;
  const ComparedHead& other = view.runs[1 - view.baseline];
  view.ratio = all ? other.letter + " takes " + other.ratio + " of " +
                         view.runs[view.baseline].letter + "'s time"
                   : std::string(kDash);
}

/// The settings in which at least two of the runs are known to differ.
std::vector<std::string> differing(Runs runs) {
  std::vector<std::string> keys;
  for (auto run = runs.begin(); run != runs.end(); ++run) {
    for (auto other = runs.begin(); other != run; ++other) {
      if (!run->settings_read || !other->settings_read) continue;
      for (const auto& one :
           messages::described_differences(other->model->spec(), run->model->spec())) {
        if (std::ranges::find(keys, one.key) == keys.end()) keys.push_back(one.key);
      }
    }
  }
  return keys;
}

/// The settings that are shown: those that differ, or all that are known of a run.
std::vector<std::string> shown_settings(Runs runs, std::vector<std::string> keys,
                                        bool only_differing) {
  if (only_differing) return keys;
  keys.clear();
  for (const messages::Setting& setting : messages::settings()) {
    const bool told = std::ranges::any_of(runs, [&](const ComparedRun& run) {
      return run.settings_read && messages::is_described(run.model->spec(), setting.key);
    });
    if (told) keys.push_back(setting.key);
  }
  return keys;
}

/// Adds a row of texts about each run; left out if no run has one or, with `only_differing`, if all
/// are equal. `unknown`: a run without a text may be equal to the others.
void add_words_row(const std::string& name, const std::vector<std::string>& words, bool unknown,
                   bool only_differing, Table& table) {
  const auto first = std::ranges::find_if_not(words, &std::string::empty);
  const bool none = first == words.end();
  const bool same = std::ranges::all_of(
      words, [&](const auto& one) { return one.empty() ? unknown : one == *first; });
  if (none || (same && only_differing)) return;
  std::vector<Cell> row{text_cell(name)};
  for (const std::string& word : words) {
    row.push_back(word_cell(printable_line(word)));
    row.back().tone = same ? Tone::kText : Tone::kHigh;
    row.back().hint = word;
  }
  add_row(table, std::move(row));
}

/// The first RankHello of the run that identifies its process; null if there is none.
const messages::RankHello* hello_of(const RunModel& model) {
  for (const Rank rank : model.ranks()) {
    if (const auto& hello = model.rank(rank)->hello) return &*hello;
  }
  return nullptr;
}

/// Adds the machines and software of the runs, as their first ranks reported them, and people's
/// notes.
void add_surroundings(Runs runs, bool only_differing, Table& table) {
  const auto add = [&](const char* name, auto&& word_of) {
    std::vector<std::string> words;
    for (const ComparedRun& run : runs) {
      const messages::RankHello* hello = hello_of(*run.model);
      words.push_back(hello == nullptr ? std::string() : word_of(*hello));
    }
    add_words_row(name, words, true, only_differing, table);
  };
  using Hello = messages::RankHello;
  add("host", [](const Hello& hello) { return hello.host; });
  add("device", [](const Hello& hello) { return hello.device_name; });
  add("backend", [](const Hello& hello) { return hello.backend; });
  add("versions", [](const Hello& hello) { return hello.versions; });
  add("threads", [](const Hello& hello) {
    return hello.threads > 0 ? count_text(hello.threads) : std::string();
  });
  std::vector<std::string> notes;
  for (const ComparedRun& run : runs) notes.push_back(run.note);
  add_words_row("note", notes, false, only_differing, table);
}

/// Shortens the known commands; see command_cells.h.
void cut_commands(Runs runs, std::vector<Cell>& row) {
  std::vector<CommandCell> lines;
  for (std::size_t place = 0; place < runs.size(); ++place) {
    const auto& words = runs[place].model->spec().program.argv;
    if (runs[place].settings_read && !words.empty()) lines.emplace_back(&words, &row[place + 1]);
  }
  cut_commands(lines);
}

/// Says what could be compared of custom programs with the same command, and what is unknown; empty
/// if they are our trainer. Their differences are added to `unfair`.
std::string of_programs(Runs runs, std::vector<std::string>& unfair) {
  using Verdict = analysis::ComparedWork::Verdict;
  const RunModel& first = *runs.front().model;
  if (first.spec().program.argv.empty()) return {};
  bool same = true;
  bool going = false;
  analysis::ComparedWork work;
  for (const ComparedRun& run : runs.subspan(1)) {
    work = analysis::compare_work(first, *run.model);
    const char* const whole = work.of_epoch ? "the samples of an epoch" : "the samples trained";
    if (work.verdict == Verdict::kOther)
      unfair.push_back(fmt::format("{}, {:.0f} against {:.0f}", whole, work.ours, work.theirs));
    same = same && work.verdict == Verdict::kSame;
    going = going || (work.verdict == Verdict::kUnknown && work.ours > 0);
  }
  if (!unfair.empty()) return {};
  const std::string known =
      same ? std::string("the command and the samples ") +
                 (work.of_epoch ? "of an epoch" : "trained") + " are the same"
           : "the command is the same, the samples trained cannot be compared" +
                 std::string(going ? " before all runs have ended" : "");
  return known + "; model, data, seed and evaluation are the program's own.";
}

/// Adds a row per setting shown, then rows of the programs, then of machines and software.
void add_difference_rows(Runs runs, bool only_differing, CompareView& view) {
  view.differences = {"differences",
                      only_differing ? "What differs" : "Settings and what differs",
                      {{.key = "setting", .label = "Setting"}}};
  view.differences.columns[0].width = 120;
  // Columns of runs are together 250 wide; 14 is the space between two columns.
  const float width = 250.0F / static_cast<float>(runs.size()) - 14;
  for (const ComparedHead& run : view.runs)
    view.differences.columns.push_back({.key = run.letter,
                                        .label = run.label,
                                        .width = width,
                                        .code = true,
                                        .short_label = run.letter});
  const std::vector<std::string> differ = differing(runs);
  for (const std::string& key : shown_settings(runs, differ, only_differing)) {
    std::vector<Cell> row{text_cell(key)};
    const bool differs = std::ranges::find(differ, key) != differ.end();
    for (const ComparedRun& run : runs) {
      const auto facts = field_facts(run.model->spec(), key);
      const bool told = run.settings_read && messages::is_described(run.model->spec(), key);
      row.push_back(word_cell(told && facts ? facts->text : ""));
      row.back().tone = differs ? Tone::kHigh : Tone::kText;
    }
    if (key == "program.argv") cut_commands(runs, row);
    add_row(view.differences, std::move(row));
  }
  const std::size_t settings = view.differences.rows.size();
  std::vector<const launch::SavedProgram*> programs;
  for (const ComparedRun& run : runs) programs.push_back(run.program);
  add_program_differences(programs, view.differences);
  view.differs = count_text(static_cast<std::int64_t>(differ.size())) + " of " +
                 count_text(static_cast<std::int64_t>(messages::settings().size())) + " settings";
  if (view.differences.rows.size() > settings) view.differs += " and the program";
  add_surroundings(runs, only_differing, view.differences);
}

/// Whether all of the runs are repeats of each other.
bool all_repeat(Runs runs) {
  const auto groups = repeats_of(runs);
  return groups.size() == 1 && groups.front().size() == runs.size();
}

void add_verdict(Runs runs, CompareView& view) {
  const ComparedRun* first = nullptr;
  std::vector<std::string> unfair;
  std::string unread;
  for (const ComparedRun& run : runs) {
    if (!run.settings_read) {
      add_listed(unread, run_label(run.context.number, run.context.id));
      continue;
    }
    if (first == nullptr) first = &run;
    for (std::string& reason : analysis::unfair_in(*first->model, *run.model)) {
      if (std::ranges::find(unfair, reason) == unfair.end()) unfair.push_back(std::move(reason));
    }
  }
  const bool seeds = unfair == std::vector<std::string>{"train.seed"} && all_repeat(runs);
  if (seeds) unfair.clear();
  view.fair = unfair.empty() && unread.empty();
  const std::string pair = runs.size() == 2 ? "pair" : "comparison";
  const std::string program = view.fair ? of_programs(runs, unfair) : std::string();
  view.fair = view.fair && program.empty() && unfair.empty();
  if (view.fair) {
    view.verdict = {{seeds ? "Repeats of one recipe with other seeds: a fair " + pair + "."
                           : "Same model, data, seed, epochs and evaluation: a fair " + pair + ".",
                     Style::kDim}};
  } else if (!program.empty()) {
    view.verdict = {{"Whether this is a fair " + pair + " is not known: ", Style::kStrong},
                    {program, Style::kWords}};
  } else if (unfair.empty()) {
    view.verdict = {{"Whether this is a fair " + pair + " is not known: ", Style::kStrong},
                    {"the settings of " + unread + " cannot be read.", Style::kWords}};
  } else {
    view.verdict = {{"Not a fair " + pair + ": ", Style::kStrong},
                    {fmt::format("they differ in {}.", fmt::join(unfair, ", ")), Style::kWords}};
  }
}

}  // namespace

std::vector<std::string> readout_names(const CompareView& view) {
  std::vector<std::string> names;
  for (const ComparedHead& run : view.runs)
    names.push_back(run.letter + "  " + (run.own.empty() ? run.label : run.own));
  return names;
}

std::vector<Table> compare_tables(const CompareView& view,
                                  const std::vector<std::string>& figures) {
  Table runs{"runs", "Runs"};
  runs.columns = {{"letter", "run"}, {"id", "id"},       {"label", "number"},
                  {"name", "name"},  {"state", "state"}, {"note", "note"}};
  for (std::size_t place = 0; place < view.runs.size(); ++place) {
    const ComparedHead& run = view.runs[place];
    const std::string state = run.hint + (place == view.baseline ? ", baseline" : "");
    add_row(runs, {text_cell(run.letter), text_cell(run.id), text_cell(run.label),
                   word_cell(run.name), text_cell(state), word_cell(printable_line(run.note))});
  }
  std::string unknown;
  const Table& all = view.all_figures.rows.empty() ? view.figures : view.all_figures;
  Table chosen = figures.empty() ? view.figures : with_figures(all, figures, unknown);
  Table differences = view.differences;
  differences.notes.push_back(view.differs + " differ. " + plain(view.verdict));
  return {std::move(runs), std::move(chosen), std::move(differences)};
}

CompareView build_compare_view(Runs runs, const CompareChoice& choice, int pixels, int height) {
  CompareView view;
  if (runs.size() < 2) {
    view.empty = {{"Mark two or more runs to compare them. ", Style::kStrong},
                  {"Click the box before a run, or press Space.", Style::kDim}};
    return view;
  }
  runs = runs.first(std::min(runs.size(), kMostCompared));
  for (std::size_t place = 0; place < runs.size(); ++place) {
    const ComparedRun& run = runs[place];
    if (run.context.id == choice.baseline) view.baseline = place;
    view.runs.push_back({run.context.id, letter_of(place), label_of(run), hint_of(run),
                         printable_line(run.name), run.note, "", "", "", 0});
  }
  shorten_names(view.runs);
  view.charts = compared_charts(runs);
  const auto repeats = repeats_of(runs);
  view.repeats = !repeats.empty();
  const auto known = [&view](const std::string& key) {
    return std::ranges::find(view.charts, key, &ComparedChart::key) != view.charts.end();
  };
  const auto chart = [&](const std::string& key) {
    ChartView made = build_compare_chart(runs, choice, key, pixels, height);
    if (choice.fold_repeats) fold_repeats(repeats, made);
    return made;
  };
  if (known(choice.chart)) {
    view.chart = choice.chart;
    view.alone = chart(view.chart);
  } else {
    view.loss = chart("loss");
    view.accuracy = chart("accuracy");
    if (known(choice.metric)) view.metric = choice.metric;
    if (!view.metric.empty()) view.metric_chart = chart(view.metric);
  }
  view.figures = compare_figures(runs, view.baseline);
  if (choice.step_figures) view.all_figures = compare_figures(runs, view.baseline, true);
  add_times(runs, view);
  add_difference_rows(runs, choice.only_differing, view);
  add_verdict(runs, view);
  return view;
}

}  // namespace ringside::view
