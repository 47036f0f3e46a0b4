#include "gui/analysis/metric_figures.h"

#include <cmath>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "protocol/messages/records.h"
#include "tests/support/catch.h"

namespace ringside::analysis {
namespace {

using model::info_of;
using model::Metric;

/// Two ranks with four steps; rank 1 is twice as slow and has no gradient norm.
model::RunModel two_ranks() {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  model::RunModel model(spec);
  for (Step step = 0; step < 4; ++step) {
    for (Rank rank = 0; rank < 2; ++rank) {
      messages::StepReport body;
      body.step = step;
      body.samples = 10 + 20 * rank;
      body.loss = static_cast<float>(step + rank);
      body.forward_ns = (rank + 1) * (step + 1) * 1'000'000;
      if (rank == 0) body.grad_norm = 2.5F;
      body.skipped = step == 1 ? 1 : 0;
      const auto seq = static_cast<std::uint64_t>(step);
      model.accept({0, rank, seq, 1'000'000'000 + step * 10'000'000}, body);
    }
  }
  return model;
}

std::optional<double> of(const model::RunModel& model, Rank rank, Metric metric) {
  return metric_figure(*model.rank(rank), info_of(metric), {3, {1, 3}});
}
std::optional<double> of_all(const model::RunModel& model, Metric metric) {
  const std::vector<std::optional<double>> figures{of(model, 0, metric), of(model, 1, metric)};
  return metric_of_all(model, info_of(metric), {3, {1, 3}}, figures);
}

TEST_CASE("a figure is of the newest step, recent steps or all steps, as its metric defines") {
  const auto model = two_ranks();
  CHECK(of(model, 1, Metric::kLoss) == 4);
  CHECK(of(model, 0, Metric::kForward).value() == Approx(2.5));  // ms, of steps 2 and 3
  CHECK(of(model, 0, Metric::kSkipped) == 1);
  CHECK(of(model, 0, Metric::kGradNorm) == 2.5);
  CHECK_FALSE(of(model, 1, Metric::kGradNorm));
  CHECK_FALSE(of(model, 0, Metric::kBackward));
  CHECK(of(model, 0, Metric::kLossScale) == 1);
}

TEST_CASE("figures of a metric measured at intervals are those of the last measured step") {
  model::RunModel model;
  for (Step step = 0; step < 12; ++step) {
    messages::StepReport body;
    body.step = step;
    body.loss = 1;
    for (Rank rank = 0; rank < 2; ++rank) {
      body.grad_norm = messages::kUnknownF;
      if (step % 5 == rank) body.grad_norm = static_cast<float>(step);
      model.accept({0, rank, static_cast<std::uint64_t>(step), 1 + step}, body);
    }
  }
  const auto& norm = info_of(Metric::kGradNorm);
  for (const auto& [newest, measured] :
       {std::pair<Step, Step>{0, 0}, {4, 1}, {5, 5}, {9, 6}, {11, 11}}) {
    INFO(newest);
    CHECK(measured_step(model, norm, newest) == measured);
    const Rank by = measured % 5 == 0 ? 0 : 1;
    CHECK(metric_figure(*model.rank(by), norm, {measured, {}}) == static_cast<double>(measured));
    CHECK_FALSE(metric_figure(*model.rank(1 - by), norm, {measured, {}}));
  }
  CHECK(measured_step(model, norm, -1) == -1);
  CHECK(measured_step(model, info_of(Metric::kLoss), 12) == 12);
  CHECK(measured_step(model, info_of(Metric::kLocalGradNorm), 11) == 11);  // no rank measures it
}

TEST_CASE("the figure of all ranks is the mean or the sum of theirs") {
  const auto model = two_ranks();
  CHECK(of_all(model, Metric::kForward).value() == Approx((2.5 + 5) / 2));
  CHECK(of_all(model, Metric::kSamples) == 40);
  CHECK(of_all(model, Metric::kLoss).value() == Approx((3 * 10 + 4 * 30) / 40.0));
  CHECK_FALSE(of_all(model, Metric::kBackward));
  CHECK_FALSE(of_all(model, Metric::kGradNorm));
}

TEST_CASE("every metric has a row with a key of its own, and a field or none") {
  for (std::size_t i = 0; i < model::kMetrics; ++i) {
    const model::MetricInfo& info = model::kMetricInfos[i];
    CHECK(info.metric == static_cast<Metric>(i));
    bool is_field = info.field.empty();
    const messages::StepReport blank;
    messages::StepReport::fields(
        blank, [&](std::string_view name, const auto&) { is_field |= name == info.field; });
    CHECK(is_field);
    for (std::size_t k = 0; k < i; ++k) CHECK(model::kMetricInfos[k].key != info.key);
  }
}

}  // namespace
}  // namespace ringside::analysis
