// Results of a study: means, spreads, speedups, gates, time to the same accuracy, fits.
#include "gui/analysis/scaling/scaling.h"

#include <cmath>

#include "gui/analysis/scaling/scaling_fit.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;

namespace {

RunMeasure scaling_run_of(double seconds, double accuracy, std::int64_t samples = 3'000'000) {
  RunMeasure run;
  run.seconds = seconds;
  run.val_accuracy = accuracy;
  run.samples = samples;
  run.validations = {{seconds / 2, accuracy / 2}, {seconds, accuracy}};
  return run;
}

ScalingSetting setting_of(const std::string& series, std::int64_t devices,
                          std::vector<RunMeasure> runs, bool precision_differs = false) {
  return {series + "-" + std::to_string(devices), series, devices, precision_differs,
          std::move(runs)};
}

/// The study in the design drawings: 2,018.4 s on one GPU, 591.9 s on four.
std::vector<ScalingSetting> story() {
  return {setting_of("baseline", 1,
                     {scaling_run_of(2008.8, 0.7592), scaling_run_of(2018.4, 0.7604),
                      scaling_run_of(2028.0, 0.7616)}),
          setting_of("weak", 4,
                     {scaling_run_of(586.7, 0.7526), scaling_run_of(591.9, 0.7543),
                      scaling_run_of(597.1, 0.756)}),
          setting_of("weak", 8, {scaling_run_of(353.5, 0.6971)}),
          setting_of("dp", 4, {scaling_run_of(1382.5, 0.7539)}),
          setting_of("bf16", 4, {scaling_run_of(416.2, 0.7536)}, true)};
}

constexpr GateLimits kGoal{2, 0.4, 0.7};

std::vector<TimedPoint> made_points(double serial, double work, double exchange, bool strong,
                                    std::vector<double> devices) {
  std::vector<TimedPoint> points;
  for (const double n : devices) {
    const double more = strong ? n - 1 : (n - 1) / (n * n);
    points.push_back({n, serial + work / n + exchange * more});
  }
  return points;
}

}  // namespace

TEST_CASE("a spread is of the known values, and its deviation is that of a sample") {
  const std::vector<double> values{2, RunMeasure::kNone, 4, 6};
  const Spread spread = spread_of(values);
  CHECK(spread.count == 3);
  CHECK(spread.mean == Approx(4));
  CHECK(spread.deviation == Approx(2));
  CHECK(spread.low == 2);
  CHECK(spread.high == 6);
  CHECK(spread_of({}).count == 0);
  CHECK(std::isnan(spread_of({}).mean));
  CHECK(spread_of(std::vector<double>{3}).deviation == 0);
}

TEST_CASE("the drawings' study has 3.41 times the speed, 85 % efficiency, 70.7 % of the time cut") {
  const auto settings = story();
  const Scaling scaling = scaling_of(settings, kGoal);
  const ScalingPoint& weak = scaling.points[1];
  CHECK(weak.speedup.mean == Approx(2018.4 / 591.9));
  CHECK(weak.efficiency == Approx(3.41 / 4).epsilon(0.01));
  CHECK(weak.time_cut == Approx(0.7067).epsilon(0.001));
  CHECK(weak.accuracy_delta == Approx(-0.0061));
  CHECK(weak.speedup.low == Approx(2008.8 / 597.1));
  CHECK(weak.speedup.high == Approx(2028.0 / 586.7));
  CHECK(weak.samples_per_s.mean == Approx(5068).epsilon(0.001));
  CHECK(weak.passed());
  CHECK(scaling.points[0].speedup.mean == Approx(1));
  CHECK_FALSE(scaling.points[0].judged());
  CHECK_FALSE(scaling.points[2].passed());  // fails in accuracy
  CHECK(*scaling.points[2].fast_enough);
  CHECK_FALSE(*scaling.points[3].fast_enough);
}

TEST_CASE("the interval of a speedup includes the baseline's spread") {
  // The baselines take 9, 10 and 11 s, and the runs all take 10 s: single runs are 0.9 to 1.1 as
  // fast.
  const std::vector<ScalingSetting> settings{
      setting_of("baseline", 1,
                 {scaling_run_of(9, 0.7), scaling_run_of(10, 0.7), scaling_run_of(11, 0.7)}),
      setting_of("weak", 2,
                 {scaling_run_of(10, 0.7), scaling_run_of(10, 0.7), scaling_run_of(10, 0.7)})};
  const Scaling scaling = scaling_of(settings);
  CHECK(scaling.points[1].speedup.mean == Approx(1));
  CHECK(scaling.points[1].speedup.deviation == Approx(0.1));
  CHECK(scaling.points[1].speedup.low == Approx(0.9));
  CHECK(scaling.points[1].speedup.high == Approx(1.1));
  CHECK(scaling.points[0].speedup.deviation == Approx(0.1));
}

TEST_CASE("settings on one device have no efficiency, except for the baseline") {
  auto settings = story();
  settings.push_back(setting_of("dp", 1, {scaling_run_of(1800, 0.76)}));
  const Scaling scaling = scaling_of(settings, kGoal);
  CHECK(scaling.points.front().efficiency == Approx(1));
  CHECK(scaling.points.back().speedup.mean == Approx(2018.4 / 1800));
  CHECK(std::isnan(scaling.points.back().efficiency));
}

TEST_CASE("DataParallel counts its devices, another precision has no efficiency") {
  const auto settings = story();
  const Scaling scaling = scaling_of(settings);
  CHECK(scaling.points[3].efficiency == Approx(1.46 / 4).epsilon(0.01));
  CHECK(scaling.points[4].speedup.mean == Approx(4.85).epsilon(0.01));
  CHECK(std::isnan(scaling.points[4].efficiency));
  CHECK_FALSE(scaling.points[4].judged());
}

TEST_CASE("the time to the same accuracy is found, or that it was never reached") {
  auto settings = story();
  const Scaling to_goal = scaling_of(settings, kGoal);
  CHECK(to_goal.target_accuracy == 0.7);
  CHECK(to_goal.points[1].iso_speedup == Approx(2018.4 / 591.9));
  CHECK(to_goal.points[2].never_reached);
  CHECK(std::isnan(to_goal.points[2].iso_speedup));
  // Without a goal the baseline's own accuracy counts, which some of its repeats miss.
  const Scaling to_own = scaling_of(settings);
  CHECK(to_own.target_accuracy == Approx(0.7604));
  CHECK(to_own.points[1].never_reached);
  settings[1].runs[0].validations = {{100, 0.1}, {150, 0.72}, {586, 0.71}};
  settings[1].runs.resize(1);
  CHECK(scaling_of(settings, kGoal).points[1].iso_seconds == Approx(150));
}

TEST_CASE("nothing is computed without a baseline, and a setting without runs is not measured") {
  CHECK(scaling_of({}).points.empty());
  std::vector<ScalingSetting> settings{setting_of("baseline", 1, {}),
                                       setting_of("weak", 2, {scaling_run_of(10, 0.5)})};
  CHECK_FALSE(scaling_of(settings, kGoal).points[1].measured);
  CHECK_FALSE(scaling_of(settings, kGoal).points[1].judged());
  settings[0].runs = {scaling_run_of(20, RunMeasure::kNone)};
  settings[1].runs = {};
  const Scaling scaling = scaling_of(settings, kGoal);
  CHECK_FALSE(scaling.points[1].measured);
  CHECK(std::isnan(scaling.points[1].speedup.mean));
}

TEST_CASE("a fit finds the law that made the times") {
  const bool strong = GENERATE(true, false);
  const auto amdahl = made_points(20, 180, 0, strong, {1, 2, 4, 8});
  const auto fit = fit_scaling(amdahl, Law::kAmdahl, strong, 16);
  REQUIRE(fit);
  CHECK(fit->serial_share.value == Approx(0.1));
  CHECK(fit->worst == Approx(0).margin(1e-9));
  CHECK(fit->next_seconds.value == Approx(20 + 180 / 16.0));
  CHECK(fit->next_speedup.value == Approx(200 / 31.25));
  const auto exchanged = made_points(10, 180, 4, strong, {1, 2, 3, 4, 6, 8});
  const auto whole = fit_scaling(exchanged, Law::kExchange, strong, 16);
  REQUIRE(whole);
  CHECK(whole->serial_share.value == Approx(10.0 / 190));
  CHECK(whole->exchange_share.value == Approx(4.0 / 190));
  CHECK(whole->worst == Approx(0).margin(1e-9));
}

TEST_CASE("there is no fit below four points, nor without a point on one device") {
  CHECK_FALSE(fit_scaling(made_points(20, 180, 0, true, {1, 2, 4}), Law::kAmdahl, true, 8));
  CHECK_FALSE(fit_scaling(made_points(20, 180, 0, true, {1, 1, 2, 2, 4}), Law::kAmdahl, true, 8));
  CHECK_FALSE(fit_scaling(made_points(20, 180, 0, true, {2, 3, 4, 8}), Law::kAmdahl, true, 16));
  CHECK_FALSE(fit_scaling({}, Law::kAmdahl, true, 2));
  auto broken = made_points(20, 180, 0, true, {1, 2, 4, 8});
  broken[1].seconds = RunMeasure::kNone;
  CHECK_FALSE(fit_scaling(broken, Law::kAmdahl, true, 16));
}

TEST_CASE("noise widens the interval, which contains the truth, and no share is negative") {
  auto points = made_points(20, 180, 0, false, {1, 2, 3, 4, 6, 8});
  const double noise[] = {1.01, 0.985, 1.012, 0.99, 1.008, 0.995};
  for (std::size_t i = 0; i < points.size(); ++i) points[i].seconds *= noise[i];
  const auto fit = fit_scaling(points, Law::kAmdahl, false, 16).value();
  CHECK(fit.serial_share.low < 0.1);
  CHECK(fit.serial_share.high > 0.1);
  CHECK(fit.next_speedup.low < fit.next_speedup.value);
  CHECK(fit.next_speedup.high > fit.next_speedup.value);
  CHECK(fit.next_speedup.high <= 16);
  // The times are faster than ideal.
  const std::vector<TimedPoint> super{{1, 100}, {2, 48}, {4, 23}, {8, 11}};
  CHECK(fit_scaling(super, Law::kExchange, true, 16)->serial_share.value == 0);
}

TEST_CASE("a run is measured from the first step to the end, with validations by their time") {
  support::MadeRun run(1, 2, 2);
  const support::MadeRun::Parts parts{.step = 100};
  run.step(0, 0, 100, parts, 8);
  run.step(0, 1, 200, parts, 8);
  run.pass(0, messages::Phase::kTrain, 0, 200, 8, 16, 16, 0.2);
  run.pass(0, messages::Phase::kValidate, 0, 300, 5, 10, 1, 0.1);
  run.step(0, 2, 400, parts, 8);
  run.step(0, 3, 500, parts, 8);
  run.pass(0, messages::Phase::kTrain, 1, 500, 12, 16, 12, 0.2);
  run.pass(0, messages::Phase::kValidate, 1, 600, 8, 10, 1, 0.1);
  const RunMeasure measured = measure(run.model());
  CHECK(measured.seconds == Approx(0.6));
  CHECK(measured.train_pass_s == Approx(0.4));
  CHECK(measured.samples == 32);
  CHECK(measured.val_accuracy == Approx(0.8));
  REQUIRE(measured.validations.size() == 2);
  CHECK(measured.validations[0].seconds == Approx(0.3));
  CHECK(measured.validations[0].accuracy == Approx(0.5));
  CHECK(std::isnan(measure(support::MadeRun(2).model()).seconds));
}
