#include "trainer/engine/loop/step_recorder.h"

#include <torch/torch.h>

#include <fstream>
#include <optional>

#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/cuda/lagging_timeline.h"
#include "tests/trainer/dist/fake_groups.h"
#include "trainer/dist/last_collective.h"

using namespace ringside;
using namespace ringside::engine;
using testing::LaggingTimeline;

namespace {

/// A recorder and its dependencies. `lag` is that of the device.
struct StepRecorderRig {
  explicit StepRecorderRig(std::int64_t lag,
                           std::chrono::nanoseconds timeout = std::chrono::hours(1))
      : timeline(lag), watch(fake.groups, timeout) {}
  LaggingTimeline timeline;
  telemetry::Reporter nobody;
  core::BucketTracker buckets;
  testing::FakeGroups fake;
  dist::CollectiveWatch watch;
  StepRecorder recorder{timeline, nobody, buckets, watch};
};

/// A recorder connected to an agent.
struct HeardRecorder {
  HeardRecorder() {
    REQUIRE(wire::write_agent_endpoint(folder.path() / "agent.json", agent.endpoint));
    reporter.emplace(folder.path() / "agent.json", telemetry::Sender{0, 0, 0});
    recorder.emplace(rig.timeline, *reporter, rig.buckets, rig.watch);
  }
  /// Waits for this many records.
  void hears(std::size_t count) {
    messages::DecodeCounts counts;
    REQUIRE(agent.until([&] {
      records.entries.clear();
      for (const auto& heard : agent.heard)
        messages::decode_records(heard.payload, records, counts);
      return records.entries.size() >= count;
    }));
  }
  const TempFolder folder;
  wire::TestAgent agent{1};
  StepRecorderRig rig{0};
  std::optional<telemetry::Reporter> reporter;
  std::optional<StepRecorder> recorder;
  support::RecordList records;
};

void step_recorder_one_step(StepRecorder& recorder, Step step, float loss, float correct) {
  recorder.begin(0, step);
  for (const Mark mark : {Mark::kDataReady, Mark::kOnDevice, Mark::kForwardDone,
                          Mark::kBackwardDone, Mark::kOptimizerBegin, Mark::kOptimizerDone}) {
    recorder.mark(mark);
  }
  StepNumbers numbers;
  numbers.values = {loss, correct};
  numbers.count = 2;
  recorder.end(4, 0.1, numbers);
}

}  // namespace

TEST_CASE("steps of the host are reported at once") {
  const TempFolder folder;
  StepRecorderRig rig(0);
  StepRecorder& recorder = rig.recorder;
  REQUIRE(recorder.dump_losses_to((folder.path() / "losses").string()));
  step_recorder_one_step(recorder, 0, 2.0F, 3.0F);
  CHECK(recorder.last_step_ns() == 7000);
  step_recorder_one_step(recorder, 1, 1.0F, 4.0F);
  const PassSums sums = recorder.finish_pass();
  CHECK(sums.loss_sum == 12.0);
  CHECK(sums.correct == 7);
  CHECK(sums.counted == 8);
  CHECK(sums.steps == 2);
  CHECK(recorder.finish_pass().steps == 0);
  std::ifstream dumped(folder.path() / "losses");
  Step step = -1;
  float loss = 0.0F;
  std::int64_t step_ns = 0;
  std::int64_t cpu_ns = 0;
  dumped >> step >> loss >> step_ns >> cpu_ns >> step >> loss >> step_ns >> cpu_ns;
  CHECK(cpu_ns > 0);
  CHECK(step == 1);
  CHECK(step_ns == 8000);
  CHECK(loss == 1.0F);
}

TEST_CASE(
    "steps within a pass are contiguous, and time between marked phases belongs to none of them") {
  const std::int64_t lag = GENERATE(0, 30);
  StepRecorderRig rig(lag);
  StepRecorder& recorder = rig.recorder;
  const auto wait_and_step = [&](Step step, int stamps_between) {
    for (int i = 0; i < stamps_between; ++i)
      rig.timeline.record();  // reports and the stop consensus take time
    step_recorder_one_step(recorder, step, 1.0F, 1.0F);
  };
  wait_and_step(0, 5);
  wait_and_step(1, 3);
  recorder.finish_pass();
  const messages::StepReport second = recorder.last_report();
  CHECK(second.step_ns == 8000 + 3000);
  CHECK(second.data_wait_ns + second.host_to_device_ns + second.forward_ns + second.backward_ns +
            second.optimizer_ns ==
        5000);
  wait_and_step(2, 9);  // after an evaluation
  recorder.finish_pass();
  CHECK(recorder.last_report().step_ns == 7000);
  wait_and_step(3, 0);
  recorder.interrupt();  // a checkpoint
  wait_and_step(4, 9);
  recorder.finish_pass();
  CHECK(recorder.last_report().step_ns == 7000);
}

TEST_CASE("steps of a device behind the host are reported later, and none is lost") {
  StepRecorderRig rig(30);
  StepRecorder& recorder = rig.recorder;
  step_recorder_one_step(recorder, 0, 2.0F, 1.0F);
  CHECK(recorder.last_step_ns() == 0);
  for (Step step = 1; step < 10; ++step) step_recorder_one_step(recorder, step, 1.0F, 1.0F);
  const PassSums sums = recorder.finish_pass();
  CHECK(sums.steps == 10);
  CHECK(sums.loss_sum == 4.0 * 11.0);
}

TEST_CASE("the host waits before its device is too many steps behind") {
  StepRecorderRig rig(8 * 100);
  StepRecorder& recorder = rig.recorder;
  for (Step step = 0; step < 8; ++step) step_recorder_one_step(recorder, step, 1.0F, 1.0F);
  CHECK(recorder.last_step_ns() == 0);
  step_recorder_one_step(recorder, 8, 1.0F, 1.0F);
  CHECK(recorder.last_step_ns() == 7000);
  CHECK(recorder.finish_pass().steps == 9);
}

TEST_CASE("a device that hangs ends the wait for it, with the collective in which it may hang") {
  StepRecorderRig rig(LaggingTimeline::kNever, std::chrono::milliseconds(20));
  dist::about_to("gradient exchange");
  const bool at_the_end = GENERATE(true, false);
  const Step steps = at_the_end ? 2 : 8;
  for (Step step = 0; step < steps; ++step) step_recorder_one_step(rig.recorder, step, 1.0F, 1.0F);
  const auto wait = [&] {
    at_the_end ? (void)rig.recorder.finish_pass()
               : step_recorder_one_step(rig.recorder, 8, 1.0F, 1.0F);
  };
  std::string text = "nothing was thrown";
  try {
    wait();
  } catch (const std::exception& thrown) {
    text = thrown.what();
  }
  CHECK(text.find("the GPU ended no step; last collective entered: gradient exchange") !=
        std::string::npos);
}

TEST_CASE("a group that fails ends the wait for the device at once") {
  StepRecorderRig rig(LaggingTimeline::kNever);
  step_recorder_one_step(rig.recorder, 0, 1.0F, 1.0F);
  rig.fake.gradients->error = c10d::ErrorType::COMM_ERROR;
  std::string text = "nothing was thrown";
  try {
    rig.recorder.finish_pass();
  } catch (const std::exception& thrown) {
    text = thrown.what();
  }
  CHECK(text.find("the communication of the gradients' group failed") == 0);
}

TEST_CASE("the parts of a batch add up to one forward and one backward time") {
  StepRecorderRig rig(0);
  StepRecorder& recorder = rig.recorder;
  recorder.begin(0, 0);               // 1
  recorder.mark(Mark::kDataReady);    // 2
  recorder.mark(Mark::kOnDevice);     // 3
  recorder.mark_part();               // 4: forward of the first part
  recorder.mark_part();               // 5: its backward
  recorder.mark_part();               // 6
  recorder.mark_part();               // 7
  recorder.mark(Mark::kForwardDone);  // 8
  recorder.mark(Mark::kBackwardDone);
  recorder.mark(Mark::kOptimizerBegin);
  recorder.mark(Mark::kOptimizerDone);
  StepNumbers numbers;
  numbers.values = {1.0F, 2.0F, 7.0F, 9.0F, 2.0F, 1024.0F, 1.0F};
  numbers.count = 7;
  recorder.end(6, 0.1, numbers);
  const messages::StepReport& report = recorder.last_report();
  CHECK(report.forward_ns == 3000);
  CHECK(report.backward_ns == 3000);
  CHECK(report.local_grad_norm == 9.0F);
  CHECK(report.non_finite_buckets == 2);
  CHECK(report.loss_scale == 1024.0F);
  CHECK(report.skipped == 1);
  // The next step has one part again.
  step_recorder_one_step(recorder, 1, 1.0F, 1.0F);
  CHECK(recorder.last_report().forward_ns == 1000);
  CHECK(recorder.last_report().skipped == 0);
  CHECK(recorder.last_report().non_finite_buckets == -1);
}

TEST_CASE("metrics of a loss scaler come through the slot of a device") {
  StepRecorderRig rig(0);
  StepRecorder& recorder = rig.recorder;
  recorder.begin(0, 0);
  StepNumbers numbers;
  numbers.slot =
      torch::tensor({0.5F, 3.0F, 7.0F, messages::kUnknownF, messages::kUnknownF, 2048.0F, 1.0F});
  recorder.end(4, 0.1, numbers);
  CHECK(recorder.last_report().loss == 0.5F);
  CHECK(recorder.last_report().grad_norm == 7.0F);
  CHECK(messages::is_unknown(recorder.last_report().local_grad_norm));
  CHECK(recorder.last_report().non_finite_buckets == -1);
  CHECK(recorder.last_report().loss_scale == 2048.0F);
  CHECK(recorder.last_report().skipped == 1);
}

TEST_CASE("the uncertainty of a device's times is reported before the step that it applies to") {
  HeardRecorder heard;
  StepRecorderRig& rig = heard.rig;
  StepRecorder& recorder = *heard.recorder;
  // The host's own times have no uncertainty record; others are rounded up, and posted only on a
  // change.
  const std::int64_t uncertainties[] = {0, 40'000, 60'000, 70'000, 70'000, 70'000};
  for (Step step = 0; step < 6; ++step) {
    rig.timeline.uncertainty = uncertainties[step];
    if (step >= 4) rig.timeline.drift = 12.4 - 0.1 * static_cast<double>(step);
    step_recorder_one_step(recorder, step, 1.0F, 1.0F);
  }
  heard.hears(9);
  const support::RecordList& records = heard.records;
  REQUIRE(records.entries.size() == 9);
  CHECK(records.body<messages::StepReport>(0).step == 0);
  CHECK(records.body<messages::ClockSync>(1).uncertainty_ns == 65'536);
  CHECK(records.body<messages::ClockSync>(1).peer == 0);
  CHECK(records.body<messages::StepReport>(2).step == 1);
  CHECK(records.body<messages::StepReport>(3).step == 2);
  CHECK(records.body<messages::ClockSync>(4).uncertainty_ns == 131'072);
  CHECK(records.body<messages::StepReport>(5).step == 3);
  // The drift is posted only if known, and when it changes by a whole ppm.
  CHECK(records.body<messages::Scalar>(6).name == "clock_drift_ppm");
  CHECK(records.body<messages::Scalar>(6).value == 12.0);
  CHECK(records.body<messages::StepReport>(8).step == 5);
}

TEST_CASE("no bucket is reduced before it is ready, however its two events were timed") {
  HeardRecorder heard;
  StepRecorderRig& rig = heard.rig;
  StepRecorder& recorder = *heard.recorder;
  recorder.begin(0, 0);
  rig.buckets.begin_step(0, 0);
  rig.buckets.reduced(rig.buckets.ready(0, 8, 2), 1);
  rig.buckets.reduced(rig.buckets.ready(1, 8, 1), 2);
  recorder.end(4, 0.1, StepNumbers{});
  recorder.finish_pass();
  heard.hears(3);
  const support::RecordList& records = heard.records;
  CHECK(records.body<messages::BucketReport>(1).ready_ns == 2000);
  CHECK(records.body<messages::BucketReport>(1).reduced_ns == 2000);
  CHECK(records.body<messages::BucketReport>(2).reduced_ns == 2000);
}
