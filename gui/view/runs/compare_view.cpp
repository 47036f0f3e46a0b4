// Several runs over one another.
#include "gui/view/runs/compare_view.h"
#include "gui/view/command_cells.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/fairness.h"
#include "gui/analysis/program_work.h"
#include "gui/analysis/progress.h"
#include "gui/analysis/work.h"
#include "gui/model/run_model.h"
#include "gui/view/chart/chart_parts.h"
#include "gui/view/chart/scalar_lines.h"
#include "gui/view/launch/launch_form.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/program_differences.h"
#include "gui/view/state_view.h"
#include "gui/view/table_cells.h"
#include "protocol/base/shell_word.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::view {
namespace {

using model::Extremes;
using model::RunModel;
using Runs = std::span<const ComparedRun>;

std::string letter_of(std::size_t place) { return {static_cast<char>('A' + place)}; }

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

/// The axis that all runs can give: falls back to steps together.
XAxis common_axis(Runs runs, XAxis wanted) {
  const bool all = std::ranges::all_of(runs, [wanted](const ComparedRun& run) {
    return XScale(*run.model, wanted).axis() == wanted;
  });
  return all ? wanted : XAxis::kStep;
}

LineView line_of(std::size_t place) {
  LineView line;
  line.kind = LineKind::kRun;
  line.run = static_cast<int>(place);
  line.label = letter_of(place);
  return line;
}

void add_loss(const RunModel& model, XAxis axis, std::size_t place, int pixels, ChartView& chart,
              Extremes& range) {
  const XScale scale(model, axis);
  Plotting plot;
  plot.window = {0, static_cast<double>(std::max<std::size_t>(1, model.steps_end()))};
  plot.pixels = pixels;
  plot.x = &scale;
  plot.gaps = gaps_of(model);
  LineView line = line_of(place);
  add_means(model.mean_loss(), plot, line, range);
  chart.lines.push_back(std::move(line));
}

void add_validations(const RunModel& model, XAxis axis, std::size_t place, ChartView& chart,
                     Extremes& range) {
  const XScale scale(model, axis);
  LineView line = line_of(place);
  const auto validations = analysis::passes(model, messages::Phase::kValidate);
  for (const auto& pass :
       validations.empty() ? analysis::passes(model, messages::Phase::kTest) : validations) {
    if (!pass.complete || pass.counted <= 0) continue;
    const auto value = static_cast<float>(pass.accuracy() * 100);
    line.columns.push_back(
        single_column(scale.x_after(static_cast<double>(pass.last_step + 1)), value));
    range.add(value);
  }
  chart.lines.push_back(std::move(line));
}

void finish_chart(Runs runs, XAxis axis, int pixels, int height, bool logarithmic,
                  const Extremes& range, ChartView& chart) {
  chart.axis = axis;
  for (const ComparedRun& run : runs) {
    const XScale scale(*run.model, axis);
    AxisView x = x_axis(*run.model, scale, shown_window(*run.model, {}), pixels);
    if (&run == runs.data() || x.high > chart.x.high) chart.x = std::move(x);
  }
  chart.y = y_axis(range, logarithmic, height);
  if (!range.has_finite()) chart.empty = {{"No data yet.", Style::kDim}};
}

/// Mean loss of the last epoch that both have trained.
void add_loss_aside(const RunModel& a, const RunModel& b, CompareView& view) {
  const Epoch epoch = std::min(analysis::complete_epochs(a), analysis::complete_epochs(b)) - 1;
  const auto of_a = analysis::pass_of(a, messages::Phase::kTrain, epoch);
  const auto of_b = analysis::pass_of(b, messages::Phase::kTrain, epoch);
  if (epoch < 0 || !of_a || !of_b) return;
  view.loss.aside = "at epoch " + count_text(epoch + 1) + "  A " + loss_text(of_a->loss) + "  B " +
                    loss_text(of_b->loss);
}

void add_charts(Runs runs, XAxis wanted, int pixels, int height, CompareView& view) {
  const XAxis axis = common_axis(runs, wanted);
  Extremes losses;
  Extremes accuracies;
  view.loss.title = "Train loss";
  view.accuracy.title = "Val accuracy %";
  for (std::size_t place = 0; place < runs.size(); ++place) {
    add_loss(*runs[place].model, axis, place, pixels, view.loss, losses);
    add_validations(*runs[place].model, axis, place, view.accuracy, accuracies);
  }
  finish_chart(runs, axis, pixels, height, true, losses, view.loss);
  finish_chart(runs, axis, pixels, height, false, accuracies, view.accuracy);
  if (runs.size() != 2) return;
  add_loss_aside(*runs[0].model, *runs[1].model, view);
  if (const auto shared = analysis::shared_validation(*runs[0].model, *runs[1].model)) {
    view.accuracy.aside = "at epoch " + count_text(shared->run.epoch + 1) + "  A " +
                          accuracy_number(shared->run.accuracy()) + "  B " +
                          accuracy_number(shared->baseline.accuracy()) + "  A − B " +
                          points_text(shared->delta());
  }
}

/// All names of all runs, those of the first run first.
std::vector<std::string> metric_names(Runs runs) {
  std::vector<std::string> names;
  std::set<std::string_view> known;
  for (const ComparedRun& run : runs) {
    for (const model::ScalarName& name : run.model->scalars().names()) {
      if (known.insert(name.name()).second) names.push_back(name.name());
    }
  }
  return names;
}

/// A line for each run that has logged it: the mean of its ranks.
void add_metric(Runs runs, XAxis wanted, int pixels, int height, const std::string& metric,
                CompareView& view) {
  view.metrics = metric_names(runs);
  if (std::ranges::find(view.metrics, metric) == view.metrics.end()) return;
  view.metric = metric;
  const XAxis axis = common_axis(runs, wanted);
  ChartView& chart = view.metric_chart;
  Extremes range;
  for (std::size_t place = 0; place < runs.size(); ++place) {
    const RunModel& model = *runs[place].model;
    const model::ScalarName* name = model.scalars().find(metric);
    const model::ScalarSeries* series = name == nullptr ? nullptr : main_series(*name);
    if (series == nullptr) continue;
    ScalarPlot plot(model, axis, pixels);
    plot.show_all(*name);
    LineView line = line_of(place);
    add_scalar_means(*series, plot, line, range);
    chart.lines.push_back(std::move(line));
    chart.aside += (chart.aside.empty() ? "" : "  ") + letter_of(place) + " " +
                   value_text(name->latest().value);
  }
  finish_chart(runs, axis, pixels, height, false, range, chart);
}

void add_times(Runs runs, CompareView& view) {
  Epoch epochs = analysis::complete_epochs(*runs[0].model);
  for (const ComparedRun& run : runs)
    epochs = std::min(epochs, analysis::complete_epochs(*run.model));
  std::vector<double> seconds;
  for (const ComparedRun& run : runs) {
    const auto time = analysis::seconds_to_epoch(*run.model, epochs);
    seconds.push_back(time && *time > 0 ? *time : std::nan(""));
  }
  const bool all = std::ranges::none_of(seconds, [](double s) { return !(s > 0); });
  const double longest = all ? *std::ranges::max_element(seconds) : 1;
  if (all) view.same_epochs = plural(epochs, "epoch", "epochs");
  for (std::size_t place = 0; place < runs.size(); ++place) {
    ComparedHead& head = view.runs[place];
    head.time = clock_text(seconds[place]);
    if (!all) continue;
    head.share = seconds[place] / longest;
    // A share and not "×", which is how speedups are written: more is slower here.
    head.ratio = percent_text(seconds[place] / seconds[0]);
  }
  if (runs.size() == 2)
    view.ratio = all ? "B takes " + view.runs[1].ratio + " of A's time" : std::string(kDash);
}

/// The settings in which two of the runs are known to differ.
std::vector<std::string> differing(Runs runs) {
  std::vector<std::string> keys;
  for (auto run = runs.begin(); run != runs.end(); ++run) {
    for (auto other = runs.begin(); other != run; ++other) {
      if (!run->settings_read || !other->settings_read) continue;
      for (const auto& one : messages::told_differences(other->model->spec(), run->model->spec())) {
        if (std::ranges::find(keys, one.key) == keys.end()) keys.push_back(one.key);
      }
    }
  }
  return keys;
}

/// As command_cells.h says, of those whose command is known.
void cut_commands(Runs runs, std::vector<Cell>& row) {
  std::vector<CommandCell> lines;
  for (std::size_t place = 0; place < runs.size(); ++place) {
    const auto& words = runs[place].model->spec().program.argv;
    if (runs[place].settings_read && !words.empty()) lines.emplace_back(&words, &row[place + 1]);
  }
  cut_commands(lines);
}

/// What could be compared of custom programs with the same command, and what nobody knows; empty:
/// they are ours. What they do not have in common goes to `unfair`.
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

void add_differences(Runs runs, CompareView& view) {
  const std::vector<std::string> keys = differing(runs);
  const ComparedRun* first = nullptr;
  std::vector<std::string> unfair;
  std::string unread;
  for (const ComparedRun& run : runs) {
    if (!run.settings_read) {
      unread += (unread.empty() ? "" : ", ") + run_label(run.context.number, run.context.id);
      continue;
    }
    if (first == nullptr) first = &run;
    for (std::string& reason : analysis::unfair_in(*first->model, *run.model)) {
      if (std::ranges::find(unfair, reason) == unfair.end()) unfair.push_back(std::move(reason));
    }
  }
  view.differences = {"differences", "What differs", {{.key = "setting", .label = "Setting"}}};
  view.differences.columns[0].width = 120;
  // Together as wide as two of them; 14 lie between two columns.
  const float width = 250.0F / static_cast<float>(runs.size()) - 14;
  for (const ComparedHead& run : view.runs)
    view.differences.columns.push_back({.key = run.letter,
                                        .label = run.label,
                                        .width = width,
                                        .code = true,
                                        .short_label = run.letter});
  for (const std::string& key : keys) {
    std::vector<Cell> row{text_cell(key)};
    for (const ComparedRun& run : runs) {
      const auto facts = field_facts(run.model->spec(), key);
      const bool told = run.settings_read && messages::is_told(run.model->spec(), key);
      row.push_back(word_cell(told && facts ? facts->text : ""));
      row.back().tone = Tone::kHigh;
    }
    if (key == "program.argv") cut_commands(runs, row);
    add_row(view.differences, std::move(row));
  }
  std::vector<const launch::KeptProgram*> programs;
  for (const ComparedRun& run : runs) programs.push_back(run.program);
  add_program_differences(programs, view.differences);
  view.differs = count_text(static_cast<std::int64_t>(keys.size())) + " of " +
                 count_text(static_cast<std::int64_t>(messages::settings().size())) + " settings";
  if (view.differences.rows.size() > keys.size()) view.differs += " and the program";
  view.fair = unfair.empty() && unread.empty();
  const std::string pair = runs.size() == 2 ? "pair" : "comparison";
  const std::string program = view.fair ? of_programs(runs, unfair) : std::string();
  view.fair = view.fair && program.empty() && unfair.empty();
  if (view.fair) {
    view.verdict = {
        {"Same model, data, seed, epochs and evaluation: a fair " + pair + ".", Style::kDim}};
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

CompareView build_compare_view(Runs runs, XAxis axis, int pixels, int height,
                               const std::string& metric) {
  CompareView view;
  if (runs.size() < 2) {
    view.empty = {{"Mark two or more runs to compare them. ", Style::kStrong},
                  {"Click the box before a run, or press Space.", Style::kDim}};
    return view;
  }
  runs = runs.first(std::min(runs.size(), kMostCompared));
  for (std::size_t place = 0; place < runs.size(); ++place) {
    const ComparedRun& run = runs[place];
    view.runs.push_back({run.context.id, letter_of(place), label_of(run), hint_of(run), "", "", 0});
  }
  add_charts(runs, axis, pixels, height, view);
  add_metric(runs, axis, pixels, height, metric, view);
  add_times(runs, view);
  add_differences(runs, view);
  return view;
}

}  // namespace ringside::view
