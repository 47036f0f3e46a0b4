#include <cmath>

#include "gui/model/run_model.h"

#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "protocol/messages/records.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

using namespace ringside;
using model::Metric;
using model::RunModel;

namespace {

RunModel played(const support::DemoOptions& options) {
  RunModel model(support::demo_spec(options));
  support::play_demo(options, model);
  return model;
}

}  // namespace

TEST_CASE("Every rank has its own column of every step, for 1, 8 and 64 ranks") {
  const Rank ranks = GENERATE(1, 8, 64);
  const RunModel model = played(support::demo_small(ranks));
  REQUIRE(model.world_size() == ranks);
  REQUIRE(model.ranks().size() == static_cast<std::size_t>(ranks));
  CHECK(model.steps_end() == 120);
  CHECK(model.newest_common_step() == 119);
  for (const Rank number : model.ranks()) {
    const auto& rank = *model.rank(number);
    CHECK(rank.steps_reported == 120);
    CHECK(rank.series(Metric::kLoss).size() == 120);
    CHECK(rank.series(Metric::kLoss).has(60));
    CHECK(rank.counts.lost == 0);
    CHECK(rank.series(Metric::kExposedComm).has(0) == (ranks > 1));
    CHECK(rank.epoch(messages::Phase::kValidate, 2) != nullptr);
    CHECK(rank.epoch(messages::Phase::kTest, 2) == nullptr);
    CHECK(rank.epoch(messages::Phase::kTrain, 3) == nullptr);
    CHECK(rank.epoch(messages::Phase::kTrain, -1) == nullptr);
  }
  CHECK(model.rank(ranks) == nullptr);
  CHECK(model.rank(-1) == nullptr);
  CHECK(model.lost_records() == 0);
  CHECK(model.refused().total() == 0);
}

TEST_CASE("Own work is what a rank does before it is ready") {
  const RunModel model = played(support::demo_small(4));
  const auto& rank = *model.rank(2);
  for (std::size_t step : {0U, 50U, 119U}) {
    const float sum =
        rank.series(Metric::kDataWait).at(step) + rank.series(Metric::kHostToDevice).at(step) +
        rank.series(Metric::kForward).at(step) + rank.series(Metric::kBackward).at(step);
    CHECK(rank.series(Metric::kOwnWork).at(step) == Approx(sum).epsilon(1e-6));
  }
}

TEST_CASE("The mean loss is weighted by samples and needs every rank") {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  RunModel model(spec);
  messages::StepReport body;
  body.samples = 30;
  body.loss = 1.0F;
  model.accept({0, 0, 0, 100}, body);
  CHECK_FALSE(model.mean_loss().has(0));
  body.samples = 10;
  body.loss = 5.0F;
  model.accept({0, 1, 0, 100}, body);
  CHECK(model.mean_loss().at(0) == 2.0F);
  body.loss = 9.0F;  // replaces the earlier report
  model.accept({0, 1, 1, 110}, body);
  CHECK(model.mean_loss().at(0) == 3.0F);
  CHECK(model.rank(1)->steps_reported == 1);
}

TEST_CASE("Planned numbers come from the hello, else from the settings") {
  messages::RunSpec spec;
  spec.devices.world_size = 3;
  spec.train.epochs = 7;
  RunModel model(spec);
  CHECK(model.world_size() == 3);
  CHECK(model.epochs_planned() == 7);
  CHECK(model.steps_per_epoch() == 0);
  CHECK(model.steps_planned() == 0);
  messages::RankHello hello;
  hello.world_size = 2;
  hello.epochs = 5;
  hello.steps_per_epoch = 11;
  model.accept({0, 0, 0, 1}, hello);
  CHECK(model.world_size() == 2);
  CHECK(model.epochs_planned() == 5);
  CHECK(model.steps_planned() == 55);
}

TEST_CASE(
    "If a program does not report its epoch length, it is derived from the starts of its epochs") {
  messages::RunSpec spec;
  spec.program.argv = {"python3", "train.py"};
  RunModel model(spec);
  messages::StepReport body;
  for (Step step = 0; step < 25; ++step) {
    body.step = step;
    body.epoch = static_cast<Epoch>(step / 10);
    model.accept({0, 0, static_cast<std::uint64_t>(step), step}, body);
  }
  CHECK(model.steps_per_epoch() == 10);
  CHECK(model.epochs_planned() == 0);
}

TEST_CASE("Changes of the learning rate are recorded with their step") {
  support::DemoOptions options = support::demo_run();
  options.buckets = false;
  const RunModel model = played(options);
  const auto changes = model.lr_changes();
  REQUIRE(changes.size() == 3);
  CHECK(changes[0] == std::make_pair(Step{0}, 0.04F));
  CHECK(changes[1] == std::make_pair(Step{1960}, 0.004F));
  CHECK(changes[2] == std::make_pair(Step{3920}, 0.0004F));
}

TEST_CASE("An unknown learning rate is not stored") {
  RunModel model{messages::RunSpec{}};
  messages::StepReport body;
  body.lr = std::nan("");
  model.accept({0, 0, 0, 1}, body);
  body.step = 1;
  body.lr = 0.5;
  model.accept({0, 0, 1, 2}, body);
  const auto& column = model.rank(0)->series(Metric::kLr);
  CHECK_FALSE(column.has(0));
  CHECK(column.has(1));
}

TEST_CASE("Energy of a device is added between samples with power readings, without long pauses") {
  RunModel model{messages::RunSpec{}};
  messages::DeviceSample sample;
  sample.device_uuid = "GPU-a";
  std::uint64_t seq = 0;
  const auto say = [&](double at_s, float watts, bool told = true) {
    sample.power_w = watts;
    sample.valid = told ? bit_of(messages::DeviceField::kPower) : 0;
    model.accept({0, kNoRank, seq++, static_cast<std::int64_t>(at_s * 1e9)}, sample);
  };
  say(1, 100);
  say(2, 200);
  say(4, 300);
  CHECK(model.devices()[0].energy_j == Approx(150 + 500));
  CHECK(model.devices()[0].energy_s == Approx(3));
  say(60, 300);
  say(61, 0, false);
  say(62, 300);
  CHECK(model.devices()[0].energy_j == Approx(650));
  say(63, 300);
  CHECK(model.devices()[0].energy_j == Approx(950));
  CHECK(model.devices()[0].energy_s == Approx(4));
}

TEST_CASE("Devices, hosts, checkpoints and notices are kept") {
  RunModel model = played(support::demo_small(4));
  REQUIRE(model.devices().size() == 4);
  const auto* device = model.device(0, model.rank(2)->hello->device_uuid);
  REQUIRE(device != nullptr);
  CHECK(device->latest.utilisation_pct == 90.0F);
  CHECK(device->peak_memory_bytes == device->latest.memory_used_bytes);
  CHECK(model.device(1, device->latest.device_uuid) == nullptr);
  const std::string first = model.rank(0)->hello->device_uuid;
  const std::string second = model.rank(1)->hello->device_uuid;
  CHECK(model.link(0, first, second) == "NV4");
  CHECK(model.link(0, second, first) == "NV4");
  CHECK(model.link(1, first, second).empty());
  CHECK(model.hosts().at(0).latest.cpu_pct == 45.0F);
  CHECK(model.checkpoints().size() == 3);
  for (int i = 0; i < 5'000; ++i) {
    model.accept({0, kNoRank, 1'000, 1},
                 messages::Notice{messages::Severity::kWarning, "x", std::to_string(i)});
  }
  CHECK(model.notices().size() == model::kKeptNotices);
  CHECK(model.notices_seen() == 5'000);
  CHECK(model.notices().back().notice.text == "4999");
}

TEST_CASE("Scalars are stored by step, per rank and for the run") {
  RunModel model;
  model.accept({0, 1, 0, 1}, messages::Scalar{"temperature", 3, 4.5});
  model.accept({0, kNoRank, 0, 1}, messages::Scalar{"temperature", 2, 1.5});
  const model::ScalarName* named = model.scalars().find("temperature");
  REQUIRE(named != nullptr);
  CHECK(named->ranks() == std::vector<Rank>{kNoRank, 1});
  CHECK(named->of(1)->latest() == 4.5);
  CHECK(named->of(1)->latest_step() == 3);
  CHECK(named->of(kNoRank)->latest() == 1.5);
  CHECK(named->of(0) == nullptr);
  CHECK(model.scalars().find("pressure") == nullptr);
}

TEST_CASE("The newest state of a rank counts, whoever recorded it") {
  RunModel model;
  messages::RankState state;
  state.state = messages::State::kTraining;
  state.about = 0;
  model.accept({0, 0, 0, 5}, state);
  state.state = messages::State::kFailed;
  state.signal = 11;
  state.about = 0;
  model.accept({0, kNoRank, 0, 9}, state);
  CHECK(model.rank(0)->state->state == messages::State::kFailed);
  CHECK(model.rank(0)->last_record_ns == 5);
  CHECK_FALSE(model.run_state().has_value());
  state.about = kNoRank;
  model.accept({0, kNoRank, 1, 10}, state);
  CHECK(model.run_state()->state == messages::State::kFailed);
}

TEST_CASE("Times of other nodes are converted to the clock of node 0") {
  support::DemoOptions options = support::demo_small(4);
  options.nodes = 2;
  const RunModel model = played(options);
  CHECK(model.clocks_known());
  CHECK(model.clock_offset(1).uncertainty_ns == 40'000);
  // All ranks of the demo run end their steps together.
  for (std::size_t step : {0U, 60U, 119U})
    CHECK(model.rank(0)->end_ns.at(step) == model.rank(3)->end_ns.at(step));
  CHECK(model.rank(3)->node == 1);
  CHECK(model.last_ns() - model.first_ns() < 60'000'000'000);
}

TEST_CASE("The uncertainty of a clock is valid at any time while it drifts by 50 ppm") {
  constexpr std::int64_t kS = 1'000'000'000;
  for (const std::int64_t ppm : {-50, 50}) {
    RunModel model;
    CHECK(model.clock_uncertainty_ns(0, kS) == 0);
    CHECK(model.clock_uncertainty_ns(1, kS) == model::kMaxOffsetNs);
    // Difference of node 1's clock at a time of node 0.
    const auto ahead = [&](std::int64_t ns) { return 3600 * kS + ns / 1'000'000 * ppm; };
    for (std::int64_t ns = kS; ns < 180 * kS; ns += 100'000'000) {
      if (ns % (60 * kS) == kS)
        model.accept({1, kNoRank, 0, ns + ahead(ns)}, messages::ClockSync{0, -ahead(ns), 20'000});
      const std::int64_t wrong_ns = std::abs(model.clock_offset(1).offset_ns - ahead(ns));
      REQUIRE(wrong_ns <= model.clock_uncertainty_ns(1, ns));
      REQUIRE(model.clock_uncertainty_ns(1, ns) <= 20'001 + 60 * 50'000);
    }
  }
}

TEST_CASE(
    "A rank that reports the uncertainty of its device's clock says nothing about its node's") {
  RunModel model;
  model.accept({0, 1, 0, 1}, messages::ClockSync{0, 0, 70'000});
  CHECK(model.rank(1)->clock_uncertainty_ns == 70'000);
  CHECK(model.clock_offset(0).uncertainty_ns == 0);
  model.accept({0, 1, 1, 2}, messages::RankHello{});  // a new attempt, perhaps on a CPU slot
  CHECK(model.rank(1)->clock_uncertainty_ns == 0);
}

TEST_CASE("A process that reports its device late does not restart its rank") {
  RunModel model;
  messages::RankHello hello;
  hello.pid = 42;
  hello.device_uuid = "cpu";
  model.accept({0, 0, 0, 1}, hello);
  messages::StepReport step;
  step.step = 0;
  model.accept({0, 0, 1, 2}, step);
  hello.device_uuid = "GPU-1";
  hello.device_index = 1;
  model.accept({0, 0, 2, 3}, hello);
  CHECK(model.rank(0)->hello->device_uuid == "GPU-1");
  CHECK(model.rank(0)->hello->device_index == 1);
  CHECK(model.rank(0)->restarts == 0);
  CHECK(model.newest_common_step() == 0);
  hello.pid = 43;
  model.accept({0, 0, 3, 4}, hello);
  CHECK(model.rank(0)->restarts == 1);
}

TEST_CASE("The revision changes with every record") {
  RunModel model;
  const auto before = model.revision();
  model.accept({0, 0, 0, 1}, messages::StepReport{});
  CHECK(model.revision() > before);
}

TEST_CASE("Samples over time cover the whole run in bounded memory") {
  model::SampleHistory history;
  constexpr std::int64_t kMany = 100'000;
  for (std::int64_t i = 0; i < kMany; ++i) history.add(i * 1000, static_cast<double>(i));
  history.add(kMany * 1000, std::nan(""));
  const auto kept = history.samples();
  REQUIRE(kept.size() > model::SampleHistory::kKept / 3);
  CHECK(kept.size() < model::SampleHistory::kKept);
  CHECK(kept.front().at_ns < kMany * 1000 / 300);
  CHECK(kept.back().at_ns > (kMany - 256) * 1000);
  for (std::size_t i = 1; i < kept.size(); ++i) {
    CHECK(kept[i].at_ns > kept[i - 1].at_ns);
    CHECK(kept[i].value > kept[i - 1].value);
  }
  // Each stored sample is the mean of those around it.
  CHECK(static_cast<double>(kept[10].value) * 1000 ==
        Approx(static_cast<double>(kept[10].at_ns)).epsilon(0.1));
}

namespace {

/// Adds the hellos of an attempt and its steps, each with as many samples as the rank's number + 1.
void attempt(RunModel& model, std::int32_t number, Rank world, Step first, Step end) {
  static std::uint64_t seq = 0;
  for (Rank rank = 0; rank < world; ++rank) {
    messages::RankHello hello;
    hello.world_size = world;
    hello.attempt = number;
    hello.first_step = first;
    hello.steps_per_epoch = 10;
    model.accept({0, rank, seq++, 1000 + number}, hello);
  }
  for (Step step = first; step < end; ++step) {
    for (Rank rank = 0; rank < world; ++rank) {
      messages::StepReport report;
      report.step = step;
      report.samples = rank + 1;
      report.loss = static_cast<float>(rank);
      report.step_ns = 10;
      model.accept({0, rank, seq++, 2000 + 100 * number + step}, report);
    }
  }
}

}  // namespace

TEST_CASE("A run that continues with one rank of four does not wait for the others") {
  messages::RunSpec spec;
  spec.devices.world_size = 1;  // as in the settings at that time
  RunModel model(spec);
  attempt(model, 0, 4, 0, 13);
  CHECK(model.world_size() == 4);
  CHECK(model.newest_common_step() == 12);
  attempt(model, 1, 1, 10, 15);
  CHECK(model.world_size() == 1);
  CHECK(model.ranks().size() == 4);
  CHECK(model.rank(3)->left);
  CHECK(model.rank(3)->newest_step == 9);
  CHECK(model.newest_common_step() == 14);
  CHECK(model.world_size_at(9) == 4);
  CHECK(model.world_size_at(10) == 1);
  // Means are over the ranks that a step had, also if computed later.
  CHECK(model.mean_loss().at(9) == Approx(20.0 / 10));
  CHECK(model.mean_loss().at(10) == Approx(0.0));
  CHECK(model.mean_loss().size() == 15);
  REQUIRE(model.attempts().size() == 2);
  CHECK(model.attempts()[0].world_size == 4);
  CHECK(model.attempts()[1].world_size == 1);
}

TEST_CASE("A run that continues with more ranks than before knows which were added") {
  RunModel model{messages::RunSpec{}};
  attempt(model, 0, 1, 0, 10);
  attempt(model, 1, 2, 10, 12);
  CHECK(model.world_size() == 2);
  CHECK(model.newest_common_step() == 11);
  CHECK(model.rank(0)->joined == 0);
  CHECK(model.rank(1)->joined == 10);
  CHECK(model.mean_loss().at(5) == Approx(0.0));
  CHECK(model.mean_loss().at(11) == Approx(2.0 / 3));
}
