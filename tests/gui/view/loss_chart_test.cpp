// The scale of the loss chart, and why it differs from the requested one.
#include "gui/view/live/run_charts.h"

#include <cmath>

#include "gui/view/number_format.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

ChartView chart_of_losses(const model::RunModel& model, const ChartChoice& choice) {
  return build_loss_chart(model, support::ended_context(model), {}, choice, 600, 200);
}

/// Sends one rank's reports with these losses, one per step.
class Losses final : public messages::RecordSink {
 public:
  explicit Losses(std::vector<float> losses) : losses_(std::move(losses)) {
    auto options = support::demo_small(1);
    options.steps = static_cast<Step>(losses_.size());
    support::play_demo(options, *this);
  }
  void accept(const messages::Stamp& stamp, const messages::Record& record) override {
    messages::Record said = record;
    if (auto* step = std::get_if<messages::StepReport>(&said))
      step->loss = losses_[static_cast<std::size_t>(step->step)];
    model.accept(stamp, said);
  }

  model::RunModel model;

 private:
  std::vector<float> losses_;
};

}  // namespace

TEST_CASE("A loss of zero or below is drawn on a linear scale, and the chart says why") {
  ChartChoice choice;
  choice.logarithmic = true;
  const ChartView logarithmic = chart_of_losses(Losses({2.0F, 1.0F, 0.5F}).model, choice);
  CHECK(logarithmic.y.logarithmic);
  CHECK(logarithmic.why_linear.empty());
  for (const float last : {0.0F, -0.5F}) {
    const ChartView linear = chart_of_losses(Losses({2.0F, 1.0F, last}).model, choice);
    CHECK_FALSE(linear.y.logarithmic);
    CHECK(linear.why_linear == label::kLossWithoutLog);
  }
  const auto silent = support::model_without_loss(support::demo_small(2));
  CHECK(chart_of_losses(silent, choice).why_linear == label::kNoLossForLog);
  choice.logarithmic = false;
  CHECK(chart_of_losses(Losses({1.0F, 0.0F}).model, choice).why_linear.empty());
}

TEST_CASE("Zoomed in on losses above zero the scale is the requested one again") {
  ChartChoice choice;
  choice.logarithmic = true;
  choice.axis = XAxis::kStep;
  choice.window = {0, 4};
  CHECK(chart_of_losses(Losses({2, 1, 1, 1, 1, 1, 0}).model, choice).y.logarithmic);
}

TEST_CASE("The step axis counts from 1, as the read-out does") {
  ChartChoice choice;
  choice.axis = XAxis::kStep;
  choice.cursor_step = 9;
  const ChartView chart = chart_of_losses(Losses(std::vector<float>(60, 1.0F)).model, choice);
  REQUIRE(chart.x.ticks.size() > 2);
  for (const Tick& tick : chart.x.ticks) CHECK(tick.label == count_text(std::llround(tick.at) + 1));
  CHECK(plain(chart.readout.head).find("step 10/40") != std::string::npos);
}
