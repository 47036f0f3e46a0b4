// Messages about a quick run before it starts, and a study without some of its settings.
#include "gui/session/quick_fit.h"

#include "gui/session/studies/study_fit.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::session;
using Lines = std::vector<std::string>;

namespace {

const std::vector<QuickProbe> kFp32{{"fp32", 16, {1.2, 0.06, 0.03, 0.01, false}}};

launch::StudyRequest e2_request() {
  launch::StudyRequest request;
  request.world = launch::parse_world("1,2,4").value();
  request.variants = launch::parse_variants("dp@1,bf16@4").value();
  return request;
}

}  // namespace

TEST_CASE("the message before a quick run gives the expected time on this machine and its source") {
  const launch::QuickSize size{128, {6, 12.2}, {}};
  CHECK(
      quick_lines(size, 128, kFp32, {}, 3.1) ==
      Lines{
          "Estimated: about 18 s on this machine, 2 runs: a step of 16 on one core takes 540 ms in "
          "fp32, by a probe of 3 s."});
}

TEST_CASE("the message says that steps which did not end during the probe take longer") {
  launch::QuickSize size{67, {6, 40}, {}};
  size.at_least = true;
  CHECK(quick_lines(size, 67, kFp32, {}, 3.1)
            .front()
            .starts_with("Estimated: at least 46 s on this"));
}

TEST_CASE("the message gives the reduced size and the option that trains the whole") {
  const launch::QuickSize size{73, {6, 12}, {}};
  const Lines lines = quick_lines(size, 140, kFp32, {}, 3);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1] ==
        "Trains with 73 samples instead of 140, the same in every run, to take less time; --set "
        "data.train_samples=140 trains with all.");
}

TEST_CASE("the message names each setting that is left out once, with its expected time") {
  const launch::QuickSize size{128, {6, 60, 60}, {1, 2}};
  QuickFitRequest fit_request;
  fit_request.keys = {"baseline-1", "bf16-4", "bf16-4"};
  auto probes = kFp32;
  probes.push_back({"bf16", 16, {0, 0, 0.5, 0.1, true}});
  CHECK(
      quick_lines(size, 128, probes, fit_request, 9.6) ==
      Lines{"Estimated: about 6 s on this machine, 1 run: a step of 16 on one core takes 540 ms in "
            "fp32, about 8.0 s in bf16, by a probe of 10 s.",
            "bf16-4 is left out: by itself it would take about 60 s or more. Named as a variant it "
            "is measured all the same."});
}

TEST_CASE("probes of one precision are shown as one range from fastest to slowest") {
  const launch::QuickSize size{128, {6, 6}, {}};
  auto probes = kFp32;
  probes.push_back({"bf16", 16, {0, 0, 0.25, 0, false}});
  probes.push_back({"fp32", 16, {1.2, 0.03, 0.03, 0, false}});
  const std::string line = quick_lines(size, 128, probes, {}, 3).front();
  INFO(line);
  CHECK(line.find("takes 510 ms to 540 ms in fp32, 4.0 s in bf16, by") != std::string::npos);
  probes[2] = probes[0];
  CHECK(quick_lines(size, 128, probes, {}, 3).front().find("takes 540 ms in fp32, 4.0 s") !=
        std::string::npos);
}

TEST_CASE("nothing is probed unless all runs are on CPU slots of this machine") {
  launch::Plan plan;
  plan.runs.resize(1);
  messages::RunSpec& spec = plan.runs.front().spec;
  const auto probed = [&] { return fit_quick(plan, {}, {}).value().probed; };
  spec.devices.kind = "cuda";
  CHECK_FALSE(probed());
  spec.devices.kind = "cpu";
  spec.program.argv = {"/bin/true"};
  CHECK_FALSE(probed());
  spec.program.argv.clear();
  spec.devices.nodes = 2;
  CHECK_FALSE(probed());
  spec.devices.nodes = 1;
  spec.data.name = "cifar10";
  CHECK_FALSE(probed());
  plan.runs.clear();
  CHECK_FALSE(probed());
}

TEST_CASE("setting how much is trained, by an option or a variable, chooses the size") {
  using Words = std::vector<std::string>;
  CHECK(chooses_size({}, Words{"data.train_samples=600"}));
  CHECK(chooses_size({}, Words{"optimizer.lr=1", "train.epochs=3"}));
  CHECK(chooses_size(Words{"HOME=/", "RINGSIDE_SET_BATCH_SIZE=8"}, {}));
  CHECK_FALSE(chooses_size(Words{"RINGSIDE_SET_OPTIMIZER_LR=1"}, Words{"data.test_samples=5"}));
}

TEST_CASE("expected times are those of the remaining runs") {
  launch::Plan plan;
  plan.runs.resize(2);
  QuickFit fit;
  fit.seconds = {3, 4};
  expect_seconds(fit, plan);
  CHECK(plan.runs[1].expected_s == 4);
  plan.runs.resize(3);
  expect_seconds(fit, plan);  // a different plan, whose times are not known
  CHECK(plan.runs[2].expected_s == 0);
}

TEST_CASE("the named settings are removed from a study, and the others stay") {
  const auto without = [](const Lines& keys) { return without_settings(e2_request(), keys); };
  CHECK(without({"bf16-4"}).variants == launch::parse_variants("dp@1").value());
  CHECK(without({"bf16-4"}).world == launch::parse_world("1,2,4").value());
  CHECK(without({"weak-4", "dp-1"}).world == launch::parse_world("1,2").value());
  CHECK(without({"weak-4", "dp-1"}).variants == launch::parse_variants("bf16@4").value());
  launch::StudyRequest nodes;
  nodes.world = launch::parse_world("1,4,2x4").value();
  CHECK(without_settings(nodes, Lines{"strong-2x4"}).world == launch::parse_world("1,4").value());
  // A variant of the largest number of devices stays when that number is removed.
  launch::StudyRequest open = e2_request();
  open.variants = launch::parse_variants("bf16").value();
  CHECK(without_settings(open, Lines{"weak-4"}).variants ==
        launch::parse_variants("bf16@4").value());
}
