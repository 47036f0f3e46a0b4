#include <algorithm>
#include <cmath>

#include "gui/model/rank_model.h"
#include "gui/view/cached.h"
#include "gui/view/chart/chart_parts.h"
#include "gui/view/chart/x_scale.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/number_format.h"
#include "gui/view/short_number.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

namespace {

std::string labels(const std::vector<Tick>& ticks) {
  std::string text;
  for (const Tick& tick : ticks) text += (text.empty() ? "" : " ") + tick.label;
  return text;
}

const LineView* line_of(const ChartView& chart, LineKind kind, Rank rank = kNoRank) {
  for (const LineView& line : chart.lines) {
    if (line.kind == kind && line.rank == rank) return &line;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("Ticks are at round numbers") {
  CHECK(labels(linear_ticks(0, 60, 13)) == "0 5 10 15 20 25 30 35 40 45 50 55 60");
  CHECK(labels(linear_ticks(0, 60, 6)) == "0 10 20 30 40 50 60");
  CHECK(labels(linear_ticks(69.5, 92.3, 3)) == "70 80 90");
  CHECK(labels(linear_ticks(0, 0.07, 4)) == "0.00 0.02 0.04 0.06");
  CHECK(labels(linear_ticks(4369, 4569, 5)) == "4,400 4,450 4,500 4,550");
  CHECK(labels(log_ticks(0.2, 2.2, 6)) == "0.2 0.3 0.5 1.0 2.0");
  CHECK(labels(log_ticks(0.001, 1000, 8)) == "0.001 0.01 0.1 1.0 10.0 100.0 1,000.0");
  CHECK(linear_ticks(1, 1, 5).empty());
  CHECK(linear_ticks(0, INFINITY, 5).empty());
  CHECK(log_ticks(0, 5, 5).empty());
}

TEST_CASE("Shares of an axis go from 0 to 1, also on a logarithmic axis") {
  AxisView axis;
  axis.low = 10;
  axis.high = 20;
  CHECK(axis_share(axis, 15) == 0.5);
  axis.low = 0.1;
  axis.high = 10;
  axis.logarithmic = true;
  CHECK(axis_share(axis, 1) == Approx(0.5));
  CHECK(axis_share(axis, 0) == 0);
  CHECK(axis_share(axis, -3) == 0);
}

TEST_CASE("The loss chart has ranks, mean, band, baseline, drops of the learning rate and now") {
  const auto model = model_of(support::demo_run());
  const auto baseline = model_of(support::demo_baseline());
  ChartChoice choice;
  choice.logarithmic = choice.plan = true;
  const ChartView chart = build_loss_chart(model, support::live_context(model),
                                           support::baseline_context(baseline), choice, 900, 230);
  CHECK(labels(chart.x.ticks) == "0 5 10 15 20 25 30 35 40 45 50 55 60");
  CHECK(labels(chart.y.ticks) == "0.3 0.5 1.0 2.0");
  CHECK(chart.lines.size() == 6);
  CHECK(chart.lines.back().kind == LineKind::kMean);
  CHECK(line_of(chart, LineKind::kBaseline)->label == "baseline #983");
  CHECK(chart.empty.empty());
  CHECK(chart.aside.starts_with(std::string(label::kLossSpread) + " 0.00"));
  REQUIRE(chart.markers.size() == 3 + 46 + 46);             // each epoch is saved and evaluated
  CHECK(chart.markers[3].kind == MarkerKind::kCheckpoint);  // one at the end of each epoch
  CHECK(chart.markers[3].x == Approx(1));
  CHECK(chart.markers[0].label == "LR 0.004");
  CHECK(chart.markers[0].x == Approx(20));
  CHECK_FALSE(chart.markers[0].planned);
  CHECK(chart.markers[1].x == Approx(40));
  CHECK(chart.markers[2].kind == MarkerKind::kNow);
  // The window has 900 pixel columns, of which the trained steps fill 77.7 %, with at most one
  // entry each.
  for (const LineView& line : chart.lines) CHECK(line.columns.size() <= 900);
  CHECK(line_of(chart, LineKind::kRank, 2)->columns.size() == Approx(700).margin(2));
  CHECK(chart.band.columns.size() == line_of(chart, LineKind::kRank, 2)->columns.size());
}

TEST_CASE("The extremes of a line are those of its series") {
  const auto model = model_of(support::demo_run());
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  for (const model::Window window :
       {model::Window{0, 0}, model::Window{100, 4000}, model::Window{7, 30}}) {
    choice.window = window;
    const ChartView chart =
        build_loss_chart(model, support::live_context(model), {}, choice, 300, 200);
    const model::Window shown = shown_window(model, choice);
    for (Rank rank = 0; rank < 4; ++rank) {
      model::Extremes drawn;
      for (const ChartColumn& column : line_of(chart, LineKind::kRank, rank)->columns) {
        drawn.add(column.low);
        drawn.add(column.high);
        CHECK(column.x >= shown.begin);
        CHECK(column.x < shown.end);
      }
      const auto& series = model.rank(rank)->series(model::Metric::kLoss);
      CHECK(drawn == series.extremes(static_cast<std::size_t>(shown.begin),
                                     static_cast<std::size_t>(shown.end)));
    }
  }
}

TEST_CASE("Zoomed in, every step is a point") {
  const auto model = model_of(support::demo_small(2));
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  choice.window = {10, 20};
  const ChartView chart =
      build_loss_chart(model, support::ended_context(model), {}, choice, 900, 200);
  const LineView& line = *line_of(chart, LineKind::kRank, 1);
  REQUIRE(line.columns.size() == 10);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(line.columns[i].x == static_cast<double>(10 + i));
    CHECK(line.columns[i].low == line.columns[i].high);
    CHECK(line.columns[i].low == model.rank(1)->series(model::Metric::kLoss).at(10 + i));
  }
}

TEST_CASE("NaN is marked at its step, and the rest of the line stays") {
  support::DemoOptions options = support::demo_small(4);
  options.nan_from = 118;
  const auto model = model_of(options);
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  const ChartView chart =
      build_loss_chart(model, support::ended_context(model), {}, choice, 900, 200);
  CHECK(line_of(chart, LineKind::kRank, 1)->nan_at == std::vector<double>{118, 119});
  CHECK(line_of(chart, LineKind::kRank, 1)->columns.size() == 118);
  CHECK(line_of(chart, LineKind::kRank, 0)->nan_at.empty());
}

TEST_CASE("A chart without any reported loss has neither line nor marker, and says why") {
  const auto model = support::model_without_loss(support::demo_small(4));
  const ChartView chart = build_loss_chart(model, support::ended_context(model), {}, {}, 900, 200);
  for (const LineView& line : chart.lines) {
    CHECK(line.nan_at.empty());
    CHECK(line.columns.empty());
  }
  CHECK(chart.band.columns.empty());
  CHECK(plain(chart.empty) == "No rank of this run reports its loss.");
  CHECK(model.mean_loss().size() == 0);
  const auto known = model_of(support::demo_small(4));
  CHECK(build_loss_chart(known, support::ended_context(known), {}, {}, 900, 200).empty.empty());
}

TEST_CASE("The line of a killed rank ends in a cross, and a hidden rank has no columns") {
  support::DemoOptions options = support::demo_small(4);
  options.finish = false;
  options.killed_rank = 3;
  const auto model = model_of(options);
  ChartChoice choice;
  choice.hidden = {1};
  const ChartView chart =
      build_loss_chart(model, support::ended_context(model), {}, choice, 900, 200);
  CHECK(line_of(chart, LineKind::kRank, 3)->ends_in_cross);
  CHECK_FALSE(line_of(chart, LineKind::kRank, 0)->ends_in_cross);
  CHECK(line_of(chart, LineKind::kRank, 1)->hidden);
  CHECK(line_of(chart, LineKind::kRank, 1)->columns.empty());
}

TEST_CASE("64 ranks become a band, their mean and only the marked ranks") {
  support::DemoOptions options = support::demo_small(64);
  options.nan_from = 100;
  const auto model = model_of(options);
  const ChartView chart = build_loss_chart(model, support::ended_context(model), {}, {}, 900, 200);
  REQUIRE(chart.lines.size() == 2);
  CHECK(chart.lines[0].rank == 1);
  CHECK(chart.lines[1].kind == LineKind::kMean);
  CHECK_FALSE(chart.band.columns.empty());
}

TEST_CASE("One rank has neither band nor mean") {
  const auto model = model_of(support::demo_small(1));
  const ChartView chart = build_loss_chart(model, support::ended_context(model), {}, {}, 900, 200);
  CHECK(chart.lines.size() == 1);
  CHECK(chart.band.columns.empty());
  CHECK(chart.aside.empty());
}

TEST_CASE("Before the first step the axes are drawn with a text that says what is known") {
  model::RunModel model(support::demo_spec(support::demo_run()));
  messages::RankHello hello;
  hello.world_size = 4;
  for (Rank rank = 0; rank < 3; ++rank) model.accept({0, rank, 0, 1'000'000'000}, hello);
  RunContext context = support::live_context(model);
  context.now_ns = 2'000'000'000;
  const auto baseline = model_of(support::demo_baseline());
  const ChartView chart =
      build_loss_chart(model, context, support::baseline_context(baseline), {}, 900, 230);
  CHECK(plain(chart.empty) == "First step expected in 3 s. Start-up: 3 of 4 ranks joined.");
  CHECK_FALSE(chart.y.ticks.empty());
  CHECK(plain(build_step_time_chart(model, context, {}, 400, 100).empty) ==
        "No step yet. Start-up: 3 of 4 ranks joined.");
  CHECK_FALSE(build_accuracy_chart(model, context, {}, {}, 400, 100).empty.empty());
}

TEST_CASE("The read-out shows epoch, step, learning rate and the values at the cursor") {
  const auto model = model_of(support::demo_run());
  const auto baseline = model_of(support::demo_baseline());
  ChartChoice choice;
  choice.cursor_step = 25 * 98 + 38;
  const ChartView chart = build_loss_chart(model, support::live_context(model),
                                           support::baseline_context(baseline), choice, 900, 230);
  REQUIRE(chart.readout.shown);
  CHECK(plain(chart.readout.head) == "epoch 26  step 39/98  LR 0.004");
  REQUIRE(chart.readout.rows.size() == 6);
  CHECK(chart.readout.rows[4].label == "mean");
  CHECK(chart.readout.rows[5].label == "baseline #983");
  for (const ReadoutRow& row : chart.readout.rows) CHECK(row.value.starts_with("0.4"));
  choice.cursor_step = 5000;  // not trained yet
  CHECK_FALSE(
      build_loss_chart(model, support::live_context(model), {}, choice, 900, 230).readout.shown);
}

TEST_CASE("The baseline is drawn on the axes of epochs, samples and time, but not of steps") {
  const auto model = model_of(support::demo_small(2));
  const auto baseline = model_of(support::demo_small(1));
  for (const XAxis axis : {XAxis::kStep, XAxis::kEpoch, XAxis::kTime, XAxis::kSamples}) {
    ChartChoice choice;
    choice.axis = axis;
    const ChartView chart = build_loss_chart(model, support::ended_context(model),
                                             support::baseline_context(baseline), choice, 900, 200);
    CHECK((line_of(chart, LineKind::kBaseline) != nullptr) == (axis != XAxis::kStep));
    choice.baseline = false;
    CHECK(line_of(build_loss_chart(model, support::ended_context(model),
                                   support::baseline_context(baseline), choice, 900, 200),
                  LineKind::kBaseline) == nullptr);
  }
}

TEST_CASE("Axes convert steps to epochs, samples and time, and back") {
  const auto model = model_of(support::demo_small(4));
  CHECK(XScale(model, XAxis::kStep).x_of(60) == 60);
  CHECK(XScale(model, XAxis::kEpoch).x_of(60) == Approx(1.5));
  CHECK(XScale(model, XAxis::kEpoch).step_of(1.5) == Approx(60));
  CHECK(XScale(model, XAxis::kSamples).x_of(60) == Approx(60 * 512));
  const XScale time(model, XAxis::kTime);
  CHECK(time.x_of(0) == Approx(0.09).margin(0.01));
  for (const double step : {0.0, 17.0, 119.0}) CHECK(time.step_of(time.x_of(step)) == step);
  CHECK(time.x_of(119) > 10);
  const model::RunModel empty;
  for (const XAxis axis : {XAxis::kEpoch, XAxis::kTime, XAxis::kSamples})
    CHECK(XScale(empty, axis).axis() == XAxis::kStep);
}

TEST_CASE("A lost report leaves a gap that the time axis bridges") {
  support::DemoOptions options = support::demo_small(2);
  options.lose_every = 10;
  const auto model = model_of(options);
  const XScale time(model, XAxis::kTime);
  CHECK(time.x_of(9) >= time.x_of(8));
  CHECK(time.x_of(9) <= time.x_of(10));
}

TEST_CASE("The accuracy chart has training per rank and validations as points, in percent") {
  const auto model = model_of(support::demo_run());
  const auto baseline = model_of(support::demo_baseline());
  const ChartView chart =
      build_accuracy_chart(model, support::live_context(model), support::baseline_context(baseline),
                           {.plan = true}, 500, 140);
  CHECK(chart.aside == "val 75.21 %");
  std::size_t own = 0;
  for (const PointView& point : chart.points) own += point.baseline ? 0U : 1U;
  CHECK(own == 46);
  CHECK(chart.points.size() == 46 + 60);
  CHECK(chart.points.back().x == Approx(46));
  CHECK(chart.points.back().y == Approx(75.21));
  CHECK(line_of(chart, LineKind::kRank, 0)->columns.size() == 46);
  CHECK(chart.y.high <= 102);
  const auto young = model_of(support::demo_small(2));
  CHECK(line_of(build_accuracy_chart(young, support::ended_context(young), {}, {}, 400, 140),
                LineKind::kRank, 1)
            ->columns.size() > 50);
}

TEST_CASE("The step time chart shows the ranks' own work in ms, so that the slow rank stands out") {
  const auto model = model_of(support::demo_run());
  const ChartView own = build_step_time_chart(model, support::live_context(model), {}, 400, 140);
  CHECK(own.subtitle == "ms, last 200 steps");
  CHECK(own.x.low == 4369);
  CHECK(own.x.high == 4569);
  float highest = 0;
  for (const ChartColumn& column : line_of(own, LineKind::kRank, 2)->columns)
    highest = std::max(highest, column.high);
  for (const ChartColumn& column : line_of(own, LineKind::kRank, 0)->columns)
    CHECK(column.high < highest - 4);
  ChartChoice choice;
  choice.whole_step = true;
  const ChartView whole =
      build_step_time_chart(model, support::live_context(model), choice, 400, 140);
  CHECK(line_of(whole, LineKind::kRank, 0)->columns[5].high ==
        line_of(whole, LineKind::kRank, 2)->columns[5].high);
}

TEST_CASE("Planned drops of the learning rate are hollow and ahead of the present") {
  support::DemoOptions options = support::demo_run();
  options.steps = 98 * 5;
  const auto model = model_of(options);
  const ChartView chart = build_loss_chart(model, support::live_context(model), {}, {}, 900, 200);
  REQUIRE(chart.markers.size() == 3 + 5 + 5);
  CHECK(chart.markers[0].planned);
  CHECK(chart.markers[0].x == Approx(20));
  CHECK(chart.markers[1].x == Approx(40));
}

TEST_CASE("A view is built again only if an input has changed") {
  auto model = model_of(support::demo_small(2));
  const RunContext context = support::live_context(model);
  Cached<ChartKey, ChartView> cache;
  ChartChoice choice;
  int pixels = 400;
  const auto get = [&] {
    cache.get(chart_key(model, context, {}, choice, pixels, 100),
              [&] { return build_loss_chart(model, context, {}, choice, pixels, 100); });
    return cache.builds();
  };
  CHECK(get() == 1);
  CHECK(get() == 1);
  model.accept({0, 0, 9999, 5}, messages::Notice{});
  CHECK(get() == 2);
  choice.logarithmic = true;
  CHECK(get() == 3);
  pixels = 500;
  CHECK(get() == 4);
  CHECK(get() == 4);
  cache.forget();
  CHECK(get() == 5);
}

TEST_CASE("A failed run is marked at the step at which its rank died") {
  support::DemoOptions options = support::demo_run();
  options.steps = 98 * 2 + 10;
  options.killed_rank = 3;
  const auto model = model_of(options);
  const ChartView chart = build_loss_chart(model, support::ended_context(model), {}, {}, 900, 200);
  const auto failure =
      std::find_if(chart.markers.begin(), chart.markers.end(),
                   [](const auto& marker) { return marker.kind == MarkerKind::kFailure; });
  REQUIRE(failure != chart.markers.end());
  CHECK(failure->label == "r3 failed");
  CHECK(failure->x == Approx(205 / 98.0));
}

TEST_CASE("Smoothed lines are means over their steps, and the raw lines stay") {
  const auto model = model_of(support::demo_run());
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  choice.window = {1000, 1100};
  const ChartView raw = build_loss_chart(model, support::live_context(model), {}, choice, 900, 200);
  CHECK(raw.smoothed.empty());
  choice.smoothing = 50;
  const ChartView chart =
      build_loss_chart(model, support::live_context(model), {}, choice, 900, 200);
  REQUIRE(chart.smoothed.size() == 5);  // four ranks and the mean
  CHECK(chart.lines.size() == raw.lines.size());
  CHECK(chart.y.low == raw.y.low);
  const auto& loss = model.rank(1)->series(model::Metric::kLoss);
  double sum = 0;
  for (std::size_t step = 1050 - 25; step <= 1050 + 25; ++step)
    sum += static_cast<double>(loss.at(step));
  CHECK(chart.smoothed[1].rank == 1);
  REQUIRE(chart.smoothed[1].columns.size() == 100);
  CHECK(static_cast<double>(chart.smoothed[1].columns[50].last) == Approx(sum / 51));
  CHECK(next_smoothing(0) == 10);
  CHECK(next_smoothing(1000) == 0);
  CHECK(smoothing_text(50) == "Mean over 50 steps");
}

TEST_CASE("All charts share one cursor") {
  const auto model = model_of(support::demo_run());
  ChartChoice choice;
  choice.cursor_step = 980;
  const auto context = support::live_context(model);
  CHECK(build_accuracy_chart(model, context, {}, choice, 400, 120).readout.x == Approx(10));
  choice.window = {900, 1100};
  const ChartView times = build_step_time_chart(model, context, choice, 400, 120);
  CHECK(times.readout.shown);
  REQUIRE(times.readout.rows.size() == 4);
  CHECK(times.readout.rows[0].value.find('.') != std::string::npos);
}

TEST_CASE("Ticks of time are at usual multiples") {
  CHECK(labels(time_ticks(0, 216, 4)) == "0:00 1:00 2:00 3:00");
  CHECK(labels(time_ticks(0, 600, 6)) == "0:00 2:00 4:00 6:00 8:00 10:00");
  CHECK(labels(time_ticks(10, 3600 * 5, 4)) == "2:00:00 4:00:00");
  CHECK(time_ticks(0, 3600.0 * 24 * 365, 5).size() <= 6);
  CHECK(time_ticks(5, 5, 4).empty());
  CHECK_FALSE(time_ticks(0, 0.01, 4).empty());
}

TEST_CASE("A queued run does not promise a first step") {
  model::RunModel model(support::demo_spec(support::demo_run()));
  messages::RankState queued;
  queued.state = messages::State::kQueued;
  queued.about = kNoRank;
  model.accept({0, kNoRank, 0, 1'000'000'000}, queued);
  RunContext context = support::live_context(model);
  context.now_ns = 2'000'000'000;
  const auto baseline = model_of(support::demo_baseline());
  const ChartView chart =
      build_loss_chart(model, context, support::baseline_context(baseline), {}, 900, 230);
  CHECK(plain(chart.empty) == "Queued: it starts when the run before it has ended.");
}

TEST_CASE("The read-out shows exactly the values of its step, however many steps share a pixel") {
  const auto model = model_of(support::demo_run());
  ChartChoice choice;
  choice.cursor_step = 25 * 98 + 38;
  for (const model::Window window :
       {model::Window{0, 0}, model::Window{1000, 4000}, model::Window{2480, 2500}}) {
    choice.window = window;
    const ChartView chart =
        build_loss_chart(model, support::live_context(model), {}, choice, 300, 230);
    REQUIRE(chart.readout.rows.size() == 5);
    const auto step = static_cast<std::size_t>(choice.cursor_step);
    for (const ReadoutRow& row : chart.readout.rows) {
      const auto& series = row.kind == LineKind::kMean
                               ? model.mean_loss()
                               : model.rank(row.rank)->series(model::Metric::kLoss);
      CHECK(row.value == loss_long_text(static_cast<double>(series.at(step))));
    }
  }
}

TEST_CASE("Labels beside a chart are short, however large or small the values are") {
  const auto labels_of = [](float low, float high, bool logarithmic) {
    model::Extremes range;
    range.add(low);
    range.add(high);
    return labels(y_axis(range, logarithmic, 140).ticks);
  };
  CHECK(labels_of(0, 2.8e19F, false) == "0 1e19 2e19");
  CHECK(labels_of(0, 100'000, false) == "0 50,000 100,000");
  CHECK(labels_of(0, 2'000'000, false) == "0 5e5 1e6 1.5e6 2e6");
  CHECK(labels_of(0.0001F, 0.3F, true) == "0.0001 0.001 0.01 0.1");
  CHECK(labels_of(0.000'000'1F, 0.001F, true) == "1e-7 1e-6 0.00001 0.0001 0.001");
  for (const float high : {1e-9F, 3e-4F, 1.0F, 1e7F, 3e38F}) {
    for (const bool logarithmic : {false, true}) {
      model::Extremes range;
      range.add(high * 1e-4F);
      range.add(high);
      for (const Tick& tick : y_axis(range, logarithmic, 200).ticks)
        CHECK(letter_count(tick.label) <= 7);
    }
  }
}

TEST_CASE("With more than eight ranks the accuracy chart has one line for all of them") {
  const auto model = model_of(support::demo_small(9));
  const ChartView chart =
      build_accuracy_chart(model, support::ended_context(model), {}, {}, 400, 140);
  const LineView* mean = line_of(chart, LineKind::kMean, kNoRank);
  REQUIRE(mean != nullptr);
  REQUIRE(mean->columns.size() > 50);
  // The first point covers the first two steps: "train per 2 steps".
  double correct = 0;
  double samples = 0;
  for (const Rank rank : model.ranks()) {
    correct += model.rank(rank)->series(model::Metric::kCorrect).sum(0, 2).sum;
    samples += model.rank(rank)->series(model::Metric::kSamples).sum(0, 2).sum;
  }
  CHECK(mean->columns.front().last == Approx(100 * correct / samples).margin(1e-3));
  CHECK(line_of(build_accuracy_chart(model_of(support::demo_small(8)),
                                     support::ended_context(model), {}, {}, 400, 140),
                LineKind::kMean, kNoRank) == nullptr);
}

TEST_CASE("The accuracy chart says what a point of its lines covers") {
  const auto subtitle_of = [](const model::RunModel& model, const ChartChoice& choice) {
    return build_accuracy_chart(model, support::ended_context(model), {}, choice, 400, 120)
        .subtitle;
  };
  const auto young = model_of(support::demo_small(2));
  ChartChoice choice;
  CHECK(subtitle_of(young, choice) == "train per 2 steps, val points");
  choice.window = {10, 40};
  CHECK(subtitle_of(young, choice) == "train per step, val points");
  CHECK(subtitle_of(model_of(support::demo_run()), {}) == "train per epoch, val points");
}

TEST_CASE("A stopped epoch is drawn at the step at which it ended") {
  const auto model = support::model_stopped_within(messages::Phase::kValidate);
  const ChartView chart =
      build_accuracy_chart(model, support::ended_context(model), {}, {}, 400, 120);
  REQUIRE(chart.points.size() == 3);
  CHECK(chart.points[1].x == Approx(2));
  CHECK(chart.points[2].x == Approx(2.5));
}
