// Tests the choices of a person in a comparison: names, axes, charts, the run that others are
// compared with, settings.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "gui/analysis/findings/detectors.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/compare_figures.h"
#include "gui/view/runs/compare_view.h"
#include "protocol/messages/spec/settings.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

namespace {

/// Two runs that have logged scalars, the second slower and with a name and a note.
struct Pair {
  Pair() {
    auto options = support::demo_small(2);
    options.metrics = 2;
    first = model_of(options);
    options.compute_ms = 80;
    second = model_of(options);
    runs = {{&first, support::ended_context(first)},
            {&second, support::ended_context(second), true, nullptr, "slow", "a try"}};
    runs[0].context.id = "one";
    runs[1].context.id = "two";
  }
  CompareView view(const CompareChoice& choice) const {
    return build_compare_view(runs, choice, 500, 200);
  }

  model::RunModel first{messages::RunSpec()}, second{messages::RunSpec()};
  std::vector<ComparedRun> runs;
};

}  // namespace

TEST_CASE("Runs are shown beside their names, and the read-out has all values at a position") {
  const Pair pair;
  const CompareView view = pair.view({XAxis::kStep});
  CHECK(view.runs[1].name == "slow");
  CHECK(view.runs[1].note == "a try");
  const auto names = readout_names(view);
  CHECK(names[0] == "A  " + view.runs[0].label);
  CHECK(names[1] == "B  slow");
  const LineView& line = view.loss.lines[1];
  const ReadoutView here = compare_readout(view.loss, names, line.columns[5].x + 0.1);
  CHECK(here.shown);
  CHECK(plain(here.head) == "step 6");
  REQUIRE(here.rows.size() == 2);
  CHECK(here.rows[1].label == "B  slow");
  CHECK(here.rows[1].rank == 1);  // the rank whose colour it has
  CHECK(here.rows[1].value == value_text(static_cast<double>(line.columns[5].mean)));
  // Beyond the last step of all runs there are no values.
  const ReadoutView beyond = compare_readout(view.loss, names, view.loss.x.high * 2);
  CHECK(beyond.rows[0].value == kDash);
  const CompareView epochs = pair.view({XAxis::kEpoch});
  CHECK(plain(compare_readout(epochs.loss, names, 0.5).head) == "epoch 0.50");
  CHECK(plain(compare_readout(pair.view({XAxis::kTime}).loss, names, 65).head) == "time 1:05");
  CHECK(plain(compare_readout(pair.view({XAxis::kTime}).loss, names, 0.5).head) == "time 0.5 s");
}

TEST_CASE("Runs whose names begin alike are told apart by the rest of their names") {
  Pair pair;
  pair.runs[0].name = "demo (quick) · lr 0.1, batch 32";
  pair.runs[1].name = "demo (quick) · lr 0.1, batch 64";
  CHECK(pair.view({}).runs[1].name == pair.runs[1].name);
  CHECK(pair.view({}).runs[1].own == "… 64");
  pair.runs[0].name = "demo (quick) · lr 0.1";  // with nothing of its own
  CHECK(pair.view({}).runs[1].own == pair.runs[1].name);
}

TEST_CASE("Smoothing, scale and window are common to all charts of a comparison") {
  const Pair pair;
  CompareChoice choice{XAxis::kStep};
  choice.metric = scalar_key("train/perplexity");
  choice.smoothing = 10;
  choice.logarithmic = true;
  const CompareView view = pair.view(choice);
  for (const ChartView* chart : {&view.loss, &view.metric_chart}) {
    REQUIRE(chart->lines.size() == 2);
    REQUIRE(chart->smoothed.size() == 2);
    CHECK(chart->smoothed[1].run == 1);
    CHECK(chart->y.logarithmic);
    CHECK(chart->why_linear.empty());
    // The smoothed value comes first, followed by the raw one.
    const auto row = compare_readout(*chart, readout_names(view), 7).rows[0];
    CHECK(row.value.find("  raw ") != std::string::npos);
    const auto rough = [](const LineView& line) {
      double way = 0;
      for (std::size_t i = 1; i < line.columns.size(); ++i)
        way += std::abs(static_cast<double>(line.columns[i].mean - line.columns[i - 1].mean));
      return way;
    };
    CHECK(rough(chart->smoothed[0]) < rough(chart->lines[0]));
  }
  CHECK(view.accuracy.y.logarithmic);
  CHECK(view.accuracy.smoothed.empty());
  const CompareChoice closer = zoomed(choice, view.loss, 10, 3);
  CHECK(closer.low > 0);
  CHECK(closer.high < view.loss.x.high);
  const CompareView near = pair.view(closer);
  CHECK(near.loss.x.low == closer.low);
  CHECK(near.metric_chart.x.high == closer.high);
  CHECK(near.loss.lines[0].columns.size() < view.loss.lines[0].columns.size());
  CHECK(moved(closer, near.loss, 1).low == Approx(closer.low - 1));
  CHECK(moved(choice, view.loss, 1) == choice);
  CHECK(zoomed(choice, view.loss, 10, -1) == choice);
  CompareChoice away = choice;
  away.low = 1e6;
  away.high = 2e6;
  CHECK(plain(pair.view(away).loss.empty) == "No value in this stretch.");
}

TEST_CASE("Any of the charts fills the panel, including those of metrics of steps") {
  const Pair pair;
  const CompareView all = pair.view({});
  REQUIRE(all.charts.size() > 4);
  CHECK(all.charts[0].title == "Train loss");
  CHECK(all.charts[1].key == "accuracy");
  CHECK(all.charts.back().key.starts_with("scalar:"));
  std::string key;
  for (const ComparedChart& chart : all.charts) {
    key = next_chart(pair.runs, key);
    CHECK(key == chart.key);
    CompareChoice choice;
    choice.chart = chart.key;
    const CompareView view = pair.view(choice);
    CHECK(view.chart == chart.key);
    CHECK(view.alone.title == chart.title);
    CHECK(view.alone.lines.size() == 2);
    CHECK(view.loss.lines.empty());
  }
  CHECK(next_chart(pair.runs, key).empty());
  CompareChoice unknown;
  unknown.chart = "of another run";
  CHECK(pair.view(unknown).chart.empty());
  CHECK(pair.view(unknown).loss.lines.size() == 2);
  // The backward pass of the second takes longer, in ms and as the mean of its ranks.
  CompareChoice step_time;
  step_time.chart = "step_time";
  const ChartView chart = pair.view(step_time).alone;
  CHECK(chart.lines[1].columns[3].mean > chart.lines[0].columns[3].mean);
  CHECK(chart.lines[0].columns[3].mean > 1);
}

TEST_CASE("Figures are compared with the chosen run, with difference and ratio") {
  const Pair pair;
  CompareChoice choice;
  const CompareView a = pair.view(choice);
  CHECK(a.baseline == 0);
  choice.baseline = next_baseline(pair.runs, "one");
  CHECK(choice.baseline == "two");
  CHECK(next_baseline(pair.runs, "two") == "one");
  const CompareView b = pair.view(choice);
  CHECK(b.baseline == 1);
  CHECK(b.runs[1].ratio == "100 %");
  CHECK(b.ratio.starts_with("A takes "));
  CHECK(figure_names(a.figures) == std::vector<std::string>{"loss", "accuracy", "samples_per_s",
                                                            "time", "same_epochs_seconds",
                                                            "images_per_s", "train/perplexity"});
  REQUIRE(a.figures.rows.size() == 14);
  const auto cell = [](const CompareView& view, std::size_t row, const char* key) {
    return cell_of(view.figures, view.figures.rows[row], key);
  };
  constexpr std::size_t kRateOfB = 5;
  const double ratio = number_of(cell(a, kRateOfB, "ratio").value);
  CHECK(ratio < 1);
  CHECK(ratio == Approx(number_of(cell(a, kRateOfB, "value").value) /
                        number_of(cell(a, kRateOfB - 1, "value").value)));
  CHECK(cell(a, kRateOfB, "difference").text.starts_with("−"));
  CHECK(cell(b, kRateOfB - 1, "difference").text.starts_with("+"));
  CHECK(cell(b, kRateOfB, "difference").text == kDash);
  CHECK(cell(a, 3, "difference").text.ends_with(" pp"));
  CHECK(cell(a, 0, "figure").text == "Train loss");
  CHECK(cell(a, 1, "figure").text.empty());
  std::string unknown;
  CHECK(with_figures(a.figures, {"time", "train/perplexity"}, unknown).rows.size() == 4);
  CHECK(unknown.empty());
  with_figures(a.figures, {"time", "tim"}, unknown);
  CHECK(unknown == "tim");
  const auto tables = compare_tables(a, {"loss"});
  REQUIRE(tables.size() == 3);
  CHECK(cell_of(tables[0], tables[0].rows[1], "name").text == "slow");
  CHECK(tables[1].rows.size() == 2);
  CHECK(tables[2].notes.back().find("fair pair") != std::string::npos);
}

TEST_CASE("Only differing settings are shown, or every setting, and where the runs ran") {
  const Pair pair;
  CompareChoice choice;
  const CompareView only = pair.view(choice);
  choice.only_differing = false;
  const CompareView all = pair.view(choice);
  const auto find = [](const CompareView& view, const std::string& name) {
    const auto& rows = view.differences.rows;
    return std::ranges::find(rows, name, &TableRow::key);
  };
  CHECK(find(only, "train.seed") == only.differences.rows.end());
  CHECK(find(only, "host") == only.differences.rows.end());
  REQUIRE(find(only, "note") != only.differences.rows.end());
  CHECK(find(only, "note")->cells[2].text == "a try");
  REQUIRE(find(all, "train.seed") != all.differences.rows.end());
  CHECK(find(all, "train.seed")->cells[1].text == "42");
  CHECK(find(all, "train.seed")->cells[1].tone == Tone::kText);
  CHECK(find(all, "note")->cells[2].tone == Tone::kHigh);
  CHECK(find(all, "backend") != all.differences.rows.end());
  CHECK(all.differs == only.differs);
}
