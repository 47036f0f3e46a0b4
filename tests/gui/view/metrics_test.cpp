// Scalars as charts: which are shown and in what order, their lines for any number of ranks, and
// which charts are built again.
#include "gui/view/live/metrics_view.h"

#include <algorithm>
#include <cmath>

#include "gui/view/live/event_strip.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/live/run_charts.h"
#include "protocol/messages/spec/watched.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using model::RunModel;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// A run that sends only scalars.
class Talker {
 public:
  void say(const std::string& name, Rank rank, Step step, double value) {
    model.accept({0, rank, seq_++, (step + 1) * kSecond + rank},
                 messages::Scalar{name, step, value});
  }
  void say_all(const std::string& name, Rank ranks, Step steps) {
    for (Step step = 0; step < steps; ++step) {
      for (Rank rank = 0; rank < ranks; ++rank) say(name, rank, step, static_cast<double>(rank));
    }
  }
  const model::ScalarName& name(const std::string& text) const {
    return *model.scalars().find(text);
  }
  ChartView chart(const std::string& text, const ChartChoice& choice = {}, int pixels = 300) const {
    return build_metric_chart(model, name(text), choice, pixels, 100);
  }

  RunModel model;

 private:
  std::uint64_t seq_ = 0;
};

const LineView* metrics_line_of(const ChartView& chart, LineKind kind) {
  for (const LineView& line : chart.lines) {
    if (line.kind == kind) return &line;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("Without a scalar the panel says how to log one") {
  const MetricsView view = build_metrics_view(RunModel(), {});
  CHECK(view.names.empty());
  CHECK(view.count.empty());
  CHECK(plain(view.empty).find("rs.log(name=value)") != std::string::npos);
  CHECK(plain(view.empty).find("Scalar record") != std::string::npos);
}

TEST_CASE("Steps of another tool's files keep their numbers in every panel") {
  RunModel model(messages::watched_spec("table", "/tmp/table.csv", 1));
  for (Step step = 0; step <= 5; ++step) {
    messages::StepReport report;
    report.step = step;
    report.samples = -1;
    report.loss = step == 5 ? std::nanf("") : 1.0F;
    report.step_ns = -1;
    const auto seq = static_cast<std::uint64_t>(2 * step);
    model.accept({0, 0, seq, kSecond + step}, report);
    model.accept({0, 0, seq + 1, kSecond + step}, messages::Scalar{"acc", step, 0.5});
  }
  const RunContext context = support::ended_context(model);
  const Table ranks = build_rank_table(model, context).table;
  CHECK(cell_of(ranks, ranks.rows[0], "step").text == "5");
  CHECK(metric_readout(model, *model.scalars().find("acc"), {}, 5).find("\nstep 5\n") !=
        std::string::npos);
  const auto own = [](const ChartView& chart) {
    return std::all_of(chart.x.ticks.begin(), chart.x.ticks.end(), [](const Tick& tick) {
      return std::abs(std::stod(tick.label) - tick.at) < 1e-9;
    });
  };
  CHECK(own(build_metric_chart(model, *model.scalars().find("acc"), {}, 300, 100)));
  ChartChoice choice;
  choice.cursor_step = 4;
  const ChartView loss = build_loss_chart(model, context, {}, choice, 900, 200);
  CHECK(own(loss));
  CHECK(plain(loss.readout.head).find("step 4") != std::string::npos);
  const auto alerts = alerts_of(model, context);
  REQUIRE_FALSE(alerts.empty());
  CHECK(plain(event_view(alerts[0], model, nullptr).main).find("since step 5") !=
        std::string::npos);
}

TEST_CASE("A value that a program logged at its own step is shown at that step") {
  RunModel model;
  for (std::uint64_t i = 0; i < 6; ++i) {
    const auto step = static_cast<Step>(20 * i);
    model.accept({0, 0, 2 * i, kSecond}, messages::Scalar{"own", step, 0.5, 1});
    model.accept({0, 0, 2 * i + 1, kSecond}, messages::Scalar{"counted", step, 0.5});
  }
  const auto readout = [&](const char* name) {
    return metric_readout(model, *model.scalars().find(name), {}, 100);
  };
  CHECK(readout("own").find("\nstep 100") != std::string::npos);
  CHECK(readout("counted").find("\nstep 101") != std::string::npos);
  const auto last_tick = [&](const char* name) {
    return build_metric_chart(model, *model.scalars().find(name), {}, 300, 100).x.ticks.back();
  };
  CHECK(last_tick("own").label == "100");
  CHECK(last_tick("own").at == 100);
  CHECK(last_tick("counted").label == "100");
  CHECK(last_tick("counted").at == 99);
}

TEST_CASE("The newest record of a name says who counts its steps") {
  RunModel model;
  model.accept({0, 0, 0, kSecond}, messages::Scalar{"loss", 0, 0.5, 1});
  model.accept({0, 0, 1, kSecond}, messages::Scalar{"loss", 99, 0.5});
  const model::ScalarName& name = *model.scalars().find("loss");
  CHECK(metric_readout(model, name, {}, 99).find("\nstep 100") != std::string::npos);
  model.accept({0, 0, 2, kSecond}, messages::Scalar{"loss", 100, 0.5, 1});
  CHECK(metric_readout(model, name, {}, 100).find("\nstep 100") != std::string::npos);
}

TEST_CASE("Names are searched, pinned and sorted") {
  Talker run;
  for (const char* name : {"Zeta", "alpha", "beta/Loss", "never moves"}) run.say(name, 0, 0, 1);
  for (Step step = 1; step < 30; ++step) {
    for (const char* name : {"Zeta", "alpha", "beta/Loss"})
      run.say(name, 0, step, static_cast<double>(step));
    run.say("never moves", 0, step, 1);
  }
  MetricsChoice choice;
  using Names = std::vector<std::string>;
  const auto names = [&] { return build_metrics_view(run.model, choice).names; };
  CHECK(names() == Names{"Zeta", "alpha", "beta/Loss", "never moves"});
  CHECK(build_metrics_view(run.model, choice).count == "4");
  choice.order = MetricOrder::kName;
  CHECK(names() == Names{"Zeta", "alpha", "beta/Loss", "never moves"});
  choice.toggle_pin("never moves");
  choice.toggle_pin("of another run");
  CHECK(names() == Names{"never moves", "Zeta", "alpha", "beta/Loss"});
  choice.toggle_pin("never moves");
  choice.order = MetricOrder::kChanged;
  run.say("late", 0, 30, 1);
  run.say("Zeta", 0, 33, 99);
  // Names that changed just now keep the order of their first values.
  CHECK(names() == Names{"Zeta", "alpha", "beta/Loss", "late", "never moves"});
  run.say("Zeta", 0, 80, 100);
  CHECK(names() == Names{"Zeta", "late", "alpha", "beta/Loss", "never moves"});
  choice.search = "loss";
  CHECK(names() == Names{"beta/Loss"});
  CHECK(build_metrics_view(run.model, choice).count == "1 of 5");
  choice.search = "xyz";
  CHECK(names().empty());
  CHECK_FALSE(build_metrics_view(run.model, choice).empty.empty());
}

TEST_CASE("Numbers in names are ordered as numbers") {
  Talker run;
  for (const char* name :
       {"layer_10/w", "layer_9/w", "layer_9", "layer_x", "layer_10/b", "a", "10"})
    run.say(name, 0, 0, 1);
  MetricsChoice choice;
  choice.order = MetricOrder::kName;
  CHECK(build_metrics_view(run.model, choice).names ==
        std::vector<std::string>{"10", "a", "layer_9", "layer_9/w", "layer_10/b", "layer_10/w",
                                 "layer_x"});
}

TEST_CASE("One rank is one line in its colour, with its latest value") {
  Talker run;
  for (Step step = 0; step < 50; ++step)
    run.say("lr", 3, step * 100, 0.1 * static_cast<double>(step));
  const ChartView chart = run.chart("lr");
  CHECK(chart.title == "lr");
  CHECK(chart.aside == "4.9");
  CHECK(chart.subtitle.empty());
  REQUIRE(chart.lines.size() == 1);
  CHECK(chart.lines[0].rank == 3);
  CHECK(chart.lines[0].columns.size() == 50);
  CHECK(chart.lines[0].columns[7].x == 700);
  CHECK(chart.x.low == 0);
  CHECK(chart.x.high == 4900);
  // Step 1 is the first on every screen; in the records it is step 0.
  REQUIRE(chart.x.ticks.size() > 1);
  CHECK(chart.x.ticks[0].label == "1,000");
  CHECK(chart.x.ticks[0].at == 999);
  CHECK(metric_readout(run.model, run.name("lr"), {}, 1000).find("step 1,001") !=
        std::string::npos);
  CHECK(chart.band.columns.empty());
}

TEST_CASE("Eight ranks are eight lines and their mean") {
  Talker run;
  run.say_all("x", 8, 40);
  ChartChoice choice;
  const ChartView all = run.chart("x");
  REQUIRE(all.lines.size() == 9);
  CHECK(all.lines[8].kind == LineKind::kMean);
  CHECK(all.lines[8].columns[5].last == 3.5F);
  CHECK(all.aside == "3.5");
  CHECK(all.subtitle == "mean");
  CHECK(all.band.columns.empty());
  choice.hidden = {0, 1, 2};
  CHECK(run.chart("x", choice).lines.size() == 6);
  choice.axis = XAxis::kTime;
  const ChartView timed = run.chart("x", choice);
  CHECK(timed.axis == XAxis::kTime);
  CHECK(timed.x.high == Approx(39).margin(0.01));
  CHECK(timed.lines[0].columns[5].x == Approx(5).margin(0.01));
}

TEST_CASE("64 ranks are a band and their mean, and a single rank is a line") {
  Talker run;
  run.say_all("x", 64, 500);
  ChartChoice choice;
  choice.axis = GENERATE(XAxis::kStep, XAxis::kTime);
  const ChartView chart = run.chart("x", choice);
  CHECK(chart.lines.size() == 1);
  CHECK(chart.lines[0].kind == LineKind::kMean);
  REQUIRE_FALSE(chart.band.columns.empty());
  for (const ChartColumn& column : chart.band.columns) {
    CHECK(column.low == 0);
    CHECK(column.high == 63);
  }
  for (Rank rank = 0; rank < 64; ++rank) {
    if (rank != 17) choice.hidden.push_back(rank);
  }
  const ChartView one = run.chart("x", choice);
  REQUIRE(metrics_line_of(one, LineKind::kRank) != nullptr);
  CHECK(metrics_line_of(one, LineKind::kRank)->rank == 17);
  CHECK(one.band.columns.empty());
}

TEST_CASE("Many ranks without a common step are lines of the first of them") {
  Talker run;
  for (Rank rank = 0; rank < 12; ++rank) run.say("x", rank, rank, 1);
  CHECK(run.chart("x").lines.size() == 8);
}

TEST_CASE("Lines are thinned to the lowest and highest of a column, and lose no peak") {
  Talker run;
  for (Step step = 0; step < 100'000; ++step)
    run.say("x", 0, step, step == 54'321 ? 1000 : std::sin(static_cast<double>(step)));
  const ChartView chart = run.chart("x", {}, 200);
  CHECK(chart.lines[0].columns.size() == 200);
  CHECK(chart.band.columns.size() == 200);
  float highest = 0;
  for (const ChartColumn& column : chart.lines[0].columns) highest = std::max(highest, column.high);
  CHECK(highest == 1000);
  ChartChoice choice;
  choice.window = {54'300, 54'340};
  const ChartView close = run.chart("x", choice, 200);
  CHECK(close.x.low == 54'300);
  CHECK(close.lines[0].columns.size() == 41);
  CHECK(close.band.columns.empty());
  CHECK(close.lines[0].columns[21].last == 1000);
  choice.window = {200'000, 200'100};
  CHECK_FALSE(run.chart("x", choice).empty.empty());
}

TEST_CASE("NaN is marked and reported, and values for the whole run are a line of their own") {
  Talker run;
  run.say("gap", 0, 0, 1);
  run.say("gap", 0, 1, std::nan(""));
  const ChartView chart = run.chart("gap");
  CHECK(chart.aside == "NaN");
  CHECK(chart.lines[0].nan_at == std::vector<double>{1});
  CHECK(chart.empty.empty());
  run.say("gap", 0, 2, 2);
  run.say("gap", 0, 3, 3);
  const auto columns = run.chart("gap").lines[0].columns;
  REQUIRE(columns.size() == 3);
  CHECK(columns[1].anew);  // no line through NaN
  CHECK_FALSE(columns[2].anew);
  run.say("val", kNoRank, 5, 0.75);
  CHECK(run.chart("val").lines[0].kind == LineKind::kMean);
  CHECK(run.chart("val").aside == "0.75");
  CHECK(run.chart("val").x.high > run.chart("val").x.low);
  run.say("", 0, 0, 1);
  run.say("two\nlines", 0, 0, 1);
  CHECK(run.chart("").title == "(no name)");
  CHECK(run.chart("two\nlines").title == "two\\nlines");
}

TEST_CASE("The read-out has the values of the nearest step") {
  Talker run;
  for (Rank rank = 0; rank < 2; ++rank) {
    run.say("x", rank, 10, rank + 1);
    run.say("x", rank, 20, rank + 5);
  }
  CHECK(metric_readout(run.model, run.name("x"), {}, 17) == "x\nstep 21\nmean  5.5\nr0  5\nr1  6");
  CHECK(metric_readout(run.model, run.name("x"), {}, -100) ==
        "x\nstep 11\nmean  1.5\nr0  1\nr1  2");
  ChartChoice choice;
  choice.hidden = {0};
  CHECK(metric_readout(run.model, run.name("x"), choice, 1e9) == "x\nstep 21\nmean  5.5\nr1  6");
}

TEST_CASE("Of 200 names with 8 ranks only requested charts are built, and again after a change") {
  Talker run;
  for (int i = 0; i < 200; ++i) run.say_all("name " + std::to_string(i), 8, 10);
  MetricCharts charts;
  ChartChoice choice;
  std::string id = "run";
  std::uint64_t numbers = 1;
  const auto frame = [&](int shown) {
    charts.begin_frame(id);
    for (int i = 0; i < shown; ++i)
      REQUIRE(charts.chart({run.model, id, numbers, choice}, "name " + std::to_string(i), 200, 80));
    return charts.builds();
  };
  CHECK(frame(12) == 12);
  CHECK(frame(12) == 12);
  run.say("name 3", 0, 10, 5);
  run.say("name 150", 0, 10, 5);
  CHECK(frame(12) == 12);  // no new values
  ++numbers;
  CHECK(frame(12) == 13);
  CHECK(frame(12) == 13);
  choice.hidden = {2};
  CHECK(frame(12) == 25);
  choice.cursor_step = 7;
  choice.logarithmic = true;
  CHECK(frame(12) == 25);
  CHECK(frame(2) == 25);
  CHECK(frame(3) == 26);  // the third was not requested in the frame before
  id = "another";
  CHECK(frame(3) == 29);
  CHECK(charts.chart({run.model, id, numbers, choice}, "unknown", 200, 80) == nullptr);
}
