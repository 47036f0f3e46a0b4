// Tests lines of charts with several steps in one pixel column.
#include "gui/view/chart/chart_parts.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gui/analysis/stops.h"
#include "gui/model/rank_model.h"
#include "gui/view/live/metrics_view.h"
#include "gui/view/live/resource_charts.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/number_format.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

const LineView& chart_parts_line_of(const ChartView& chart, LineKind kind, Rank rank = kNoRank) {
  for (const LineView& line : chart.lines) {
    if (line.kind == kind && line.rank == rank) return line;
  }
  throw std::runtime_error("no such line");
}

}  // namespace

namespace {

/// Returns the loss of a rank at a step: it falls, with noise, and with a peak in a tenth of the
/// steps.
float uneven_loss(Rank rank, Step step, std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  const double share = static_cast<double>(state >> 8) / static_cast<double>(1U << 24);
  const double spike = share > 0.9 ? 3.0 : 0.0;
  return static_cast<float>(2.0 / (1.0 + 0.01 * static_cast<double>(step)) + 0.3 * share + spike +
                            0.01 * rank);
}

/// Trains 100 steps, resumes at step 80, and resumes twice more later.
model::RunModel resumed_run() {
  support::DemoOptions options = support::demo_small(2);
  options.steps = 100;
  options.resume_from = 80;
  options.resume_to = 110;
  options.finish = false;
  options.metrics = 1;
  model::RunModel model = support::model_of(options);
  for (const Step from : {Step{105}, Step{90}}) {
    const std::int64_t now = model.last_ns() + 30'000'000'000;
    messages::RankState starting;
    starting.state = messages::State::kStarting;
    starting.attempt = model.rank(0)->hello->attempt + 1;
    starting.wall_ns = model.rank(0)->hello->wall_ns + now - model.rank(0)->hello_ns;
    model.accept({0, kNoRank, 0, now}, starting);
    for (Rank rank = 0; rank < 2; ++rank) {
      messages::RankHello hello = *model.rank(rank)->hello;
      ++hello.attempt;
      hello.first_step = from;
      hello.wall_ns += now - model.rank(rank)->hello_ns;
      model.accept({0, rank, 0, now}, hello);
      messages::StepReport body;
      body.loss = 1;
      for (body.step = from; body.step < from + 5; ++body.step)
        model.accept({0, rank, static_cast<std::uint64_t>(body.step - from) + 1,
                      now + 1'000'000'000 + (body.step - from) * 91'000'000},
                     body);
    }
  }
  return model;
}

std::size_t breaks_of(const std::vector<ChartColumn>& columns) {
  return static_cast<std::size_t>(std::count_if(
      columns.begin(), columns.end(), [](const ChartColumn& column) { return column.anew; }));
}

model::RunModel uneven_run(Rank ranks, Step steps) {
  support::DemoOptions options = support::demo_small(ranks);
  model::RunModel model(support::demo_spec(options));
  std::uint32_t state = 7;
  std::uint64_t seq = 0;
  for (Step step = 0; step < steps; ++step) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      messages::StepReport body;
      body.step = step;
      body.samples = 32;
      body.loss = uneven_loss(rank, step, state);
      model.accept({0, rank, seq, 1'000'000'000 + step * 1'000'000}, body);
    }
    ++seq;
  }
  return model;
}

}  // namespace

TEST_CASE("At every zoom the mean is between the lines of the ranks") {
  const auto model = uneven_run(4, 3000);
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  for (const int pixels : {1, 7, 90, 333, 900}) {
    for (double width = 3000; width >= 5; width /= 1.7) {
      for (const double begin : {0.0, 0.31 * (3000 - width), 3000 - width}) {
        choice.window = {begin, begin + width};
        const ChartView chart =
            build_loss_chart(model, support::ended_context(model), {}, choice, pixels, 200);
        const LineView& mean = chart_parts_line_of(chart, LineKind::kMean);
        for (std::size_t i = 0; i < mean.columns.size(); ++i) {
          model::Extremes drawn;
          for (Rank rank = 0; rank < 4; ++rank)
            drawn.add(chart_parts_line_of(chart, LineKind::kRank, rank).columns[i].mean);
          const float rounding = 1e-6F * drawn.highest;
          INFO("pixels " << pixels << " window " << begin << " + " << width << " column " << i);
          REQUIRE(mean.columns[i].mean >= drawn.lowest - rounding);
          REQUIRE(mean.columns[i].mean <= drawn.highest + rounding);
          REQUIRE(chart.band.columns[i].low <= drawn.lowest);
          REQUIRE(chart.band.columns[i].high >= drawn.highest);
        }
      }
    }
  }
}

TEST_CASE("The time axis shows no line while a run was stopped") {
  const auto model = resumed_run();
  const RunContext context = support::ended_context(model);
  ChartChoice choice;
  for (const int pixels : {40, 900}) {
    choice.axis = XAxis::kTime;
    const ChartView chart = build_loss_chart(model, context, {}, choice, pixels, 200);
    for (const LineView& line : chart.lines) CHECK(breaks_of(line.columns) == 2);
    CHECK(breaks_of(chart.band.columns) == 2);
    const auto* logged = &model.scalars().names().front();
    const ChartView metric = build_metric_chart(model, *logged, choice, pixels, 200);
    for (const LineView& line : metric.lines) CHECK(breaks_of(line.columns) > 0);
    choice.axis = XAxis::kStep;
    for (const LineView& line : build_loss_chart(model, context, {}, choice, pixels, 200).lines)
      CHECK(breaks_of(line.columns) == 0);
  }
}

TEST_CASE("The time axis counts the time that was trained, without the pauses between attempts") {
  const auto model = resumed_run();
  const XScale scale(model, XAxis::kTime);
  const auto& ends = model.rank(0)->end_ns;
  const auto wall_s = [&](std::size_t step) {
    return static_cast<double>(ends.at(step) - model.training_began_ns()) / 1e9;
  };
  CHECK(scale.x_of(79) == Approx(wall_s(79)));
  CHECK(scale.x_of(94) == Approx(wall_s(94) - analysis::stopped_s(model)));
  const TimeScale time(model);
  for (const std::size_t step : {0U, 79U, 80U, 89U, 90U, 94U}) {
    INFO("step " << step);
    CHECK(scale.step_of(scale.x_of(static_cast<double>(step))) == static_cast<double>(step));
    CHECK(std::abs(time.ns_at(time.seconds(ends.at(step))) - ends.at(step)) <= 1000);
  }
  const auto stops = analysis::stops(model);
  REQUIRE(stops.size() == 3);
  for (const analysis::Stop& stop : stops) {
    const std::int64_t within = stop.begin_ns + (stop.end_ns - stop.begin_ns) / 2;
    CHECK(time.paused_at(within));
    CHECK(time.seconds(within) == time.seconds(stop.begin_ns));
    CHECK_FALSE(time.paused_at(stop.end_ns));
  }
  // The table of values at the mouse tells when a step was.
  ChartChoice choice{.axis = XAxis::kTime, .cursor_step = 92};
  const auto head = [&] {
    const RunContext context = support::ended_context(model);
    return plain(build_loss_chart(model, context, {}, choice, 900, 200).readout.head);
  };
  CHECK(head().ends_with("  at " + date_time_text(ends.at(92) + *model.wall_offset_ns())));
  choice.axis = XAxis::kStep;
  CHECK(head().find("  at ") == std::string::npos);
}

TEST_CASE("Samples of the host between two attempts are not drawn as samples of the run") {
  auto model = resumed_run();
  const std::int64_t now = model.last_ns();
  messages::HostSample host;
  host.cpus = 2;
  messages::RankState state;
  state.attempt = model.rank(0)->hello->attempt;
  state.wall_ns = model.rank(0)->hello->wall_ns + now - model.rank(0)->hello_ns;
  const auto say = [&](std::int64_t s, const messages::Record& record) {
    model.accept({0, kNoRank, 0, now + s * 1'000'000'000}, record);
  };
  host.cpu_pct = 11;
  say(1, host);
  state.state = messages::State::kStopped;
  say(2, state);
  host.cpu_pct = 77;
  say(50, host);
  state.state = messages::State::kStarting;
  ++state.attempt;
  state.wall_ns += 100'000'000'000;
  say(100, state);
  host.cpu_pct = 11;
  say(101, host);
  bool found = false;
  for (const ChartView& chart : build_resource_charts(model, 200, 90)) {
    if (chart.title != "Host CPU %") continue;
    found = true;
    for (const ChartColumn& column : chart.lines.front().columns) CHECK(column.high != 77);
    CHECK(chart.lines.front().columns.back().anew);
  }
  CHECK(found);
}

TEST_CASE("Every resume that is part of the run is marked") {
  const auto model = resumed_run();
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  std::vector<double> at;
  const RunContext context = support::ended_context(model);
  for (const MarkerView& marker : build_loss_chart(model, context, {}, choice, 900, 200).markers) {
    if (marker.kind == MarkerKind::kRestart) at.push_back(marker.x);
  }
  CHECK(at == std::vector<double>{90, 80});  // the attempt's steps from 105 on were discarded
}

TEST_CASE("The x axis spans what was trained or the plan, and evaluations are marked on it") {
  const support::DemoOptions options = support::demo_run();
  model::RunModel model(support::demo_spec(options));
  support::play_demo(options, model);
  const auto trained = static_cast<double>(model.steps_end());
  REQUIRE(static_cast<double>(model.steps_planned()) > trained);
  CHECK(shown_window(model, {}) == model::Window{0, trained});
  CHECK(shown_window(model, {.plan = true}).end == static_cast<double>(model.steps_planned()));
  // Before the first step only the plan can be shown.
  const model::RunModel unbegun(support::demo_spec(support::demo_run()));
  CHECK(shown_window(unbegun, {}) == shown_window(unbegun, {.plan = true}));
  const auto markers = build_loss_chart(model, {}, {}, {}, 900, 200).markers;
  REQUIRE_FALSE(markers.empty());
  CHECK(markers.back().kind == MarkerKind::kEvaluation);
  CHECK(markers.back().label == "Validated after epoch 46: 75.21 %");
}
