#include "gui/view/runs_view.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

TEST_CASE("Two runs are compared over the same epochs") {
  const auto a = model_of(support::demo_run());
  const auto b = model_of(support::demo_baseline());
  RunContext b_context = support::ended_context(b);
  b_context.number = 983;
  const CompareView view =
      build_compare_view(a, support::live_context(a), b, b_context, XAxis::kEpoch, 500);
  CHECK(view.a_label == "#1042 4 GPUs");
  CHECK(view.a_hint == "training, epoch 47/60");
  CHECK(view.b_label == "#983 1 GPU");
  CHECK(view.b_hint == "finished, epoch 60/60");
  CHECK(view.a_time == "7:34");
  CHECK(view.b_time == "25:47");
  CHECK(view.ratio == "3.41×");
  CHECK(view.same_epochs == "46 epochs");
  CHECK(view.b_share == 1.0);
  CHECK(view.a_share == Approx(1 / 3.41).margin(0.002));
  CHECK(view.accuracy.aside == "at epoch 46  A 75.21  B 75.85  A − B −0.64 pp");
  CHECK(view.loss.lines.size() == 2);
  CHECK(view.loss.lines[0].kind == LineKind::kRunA);
  CHECK(view.loss.y.logarithmic);
  CHECK(view.loss.x.high == Approx(60));
  CHECK(view.accuracy.lines[0].columns.size() == 46);
  CHECK(view.accuracy.lines[1].columns.size() == 60);
  CHECK(view.fair);
  CHECK(plain(view.verdict) == "Same model, data, seed, epochs and evaluation: a fair pair.");
  CHECK(view.differs.starts_with(std::to_string(view.differences.size()) + " of "));
}

TEST_CASE("An unfair pair says in what it differs") {
  support::DemoOptions options = support::demo_small(2);
  messages::RunSpec spec = support::demo_spec(options);
  spec.train.seed = 7;
  model::RunModel a(spec);
  support::play_demo(options, a);
  const auto b = model_of(support::demo_small(2));
  const CompareView view = build_compare_view(a, support::ended_context(a), b,
                                              support::ended_context(b), XAxis::kTime, 500);
  CHECK_FALSE(view.fair);
  CHECK(plain(view.verdict) == "Not a fair pair: they differ in train.seed.");
  REQUIRE(view.differences.size() == 1);
  CHECK(view.differences[0].setting == "train.seed");
  CHECK(view.differences[0].a == "7");
  CHECK(view.loss.axis == XAxis::kTime);
}

TEST_CASE("Runs without common epochs have no ratio") {
  const auto a = model_of(support::demo_small(2));
  const model::RunModel b(support::demo_spec(support::demo_small(1)));
  const CompareView view = build_compare_view(a, support::ended_context(a), b,
                                              support::live_context(b), XAxis::kEpoch, 500);
  CHECK(view.ratio == "–");
  CHECK(view.b_time == "–");
  CHECK(view.same_epochs.empty());
  CHECK(view.loss.axis == XAxis::kStep);
  const CompareView nothing = build_compare_view(b, support::live_context(b), b,
                                                 support::live_context(b), XAxis::kEpoch, 500);
  CHECK(plain(nothing.loss.empty) == "No data yet.");
}
