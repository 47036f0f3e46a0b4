// Lines of charts: what is drawn of several steps in one pixel column.
#include "gui/view/chart/chart_parts.h"

#include <stdexcept>

#include "gui/view/live/run_charts.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

const LineView& line_of(const ChartView& chart, LineKind kind, Rank rank = kNoRank) {
  for (const LineView& line : chart.lines) {
    if (line.kind == kind && line.rank == rank) return line;
  }
  throw std::runtime_error("no such line");
}

}  // namespace

namespace {

/// Loss of a rank at a step: noise that is far above the mean now and then, and one that falls.
float uneven_loss(Rank rank, Step step, std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  const double share = static_cast<double>(state >> 8) / static_cast<double>(1U << 24);
  const double spike = share > 0.9 ? 3.0 : 0.0;
  return static_cast<float>(2.0 / (1.0 + 0.01 * static_cast<double>(step)) + 0.3 * share + spike +
                            0.01 * rank);
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

TEST_CASE("At every zoom the mean lies within the lines of the ranks") {
  const auto model = uneven_run(4, 3000);
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  for (const int pixels : {1, 7, 90, 333, 900}) {
    for (double width = 3000; width >= 5; width /= 1.7) {
      for (const double begin : {0.0, 0.31 * (3000 - width), 3000 - width}) {
        choice.window = {begin, begin + width};
        const ChartView chart =
            build_loss_chart(model, support::ended_context(model), {}, choice, pixels, 200);
        const LineView& mean = line_of(chart, LineKind::kMean);
        for (std::size_t i = 0; i < mean.columns.size(); ++i) {
          model::Extremes drawn;
          for (Rank rank = 0; rank < 4; ++rank)
            drawn.add(line_of(chart, LineKind::kRank, rank).columns[i].mean);
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
