#include "gui/doctor/doctor.h"

#include "gui/doctor/checks.h"

#include "tests/support/catch.h"

using namespace ringside;
using doctor::Outcome;

TEST_CASE("without a GPU all twelve checks are skipped, each with the reason") {
  launch::Machine machine;
  machine.driver_problem = "no NVIDIA driver here";
  int begun = 0;
  doctor::DoctorRequest request;
  request.gpu = true;
  const auto results =
      doctor::examine(machine, request, [&begun](const auto&, const doctor::CheckResult* result) {
        begun += result == nullptr ? 1 : 0;
      });
  REQUIRE(results.size() == doctor::kChecks.size());
  CHECK(begun == 12);
  CHECK(doctor::healthy(results));
  for (const auto& result : results) {
    CHECK(result.outcome == Outcome::kSkipped);
    CHECK(result.reason == "no NVIDIA driver here");
  }
}

TEST_CASE("the settings of the checks' runs are as their limits require") {
  doctor::Site site;
  site.machine.gpus.resize(2);
  site.gpu = true;
  CHECK(doctor::ddp_run(site).train.precision == "fp32");  // a CPU has no TF32
  const auto replay = doctor::replay_run(site);
  CHECK(replay.train.deterministic);
  CHECK(static_cast<double>(static_cast<float>(replay.optimizer.lr)) == replay.optimizer.lr);
  CHECK(doctor::feed_model(site) == "resnet18");  // the smallest model is limited by the host there
  site.gpu = false;
  CHECK(doctor::feed_model(site) == "lenet");
}

TEST_CASE("on one GPU two ranks share it, and the agent assigns none") {
  doctor::Site site;
  site.machine.gpus.resize(1);
  site.machine.gpus[0].uuid = "GPU-1";
  site.gpu = true;
  auto spec = doctor::short_run(site, 2);
  doctor::share_one_gpu(site, spec);
  CHECK(spec.devices.kind == "cpu");
  CHECK(spec.devices.world_size == 2);
  CHECK(spec.program.argv == std::vector<std::string>{"--share-gpu", "GPU-1"});
  site.machine.gpus.resize(2);
  spec = doctor::short_run(site, 2);
  doctor::share_one_gpu(site, spec);
  CHECK(spec.devices.kind == "cuda");
  CHECK(spec.program.argv.empty());
}

TEST_CASE("GPUs that others use are not used") {
  launch::Machine machine;
  machine.gpus.resize(1);
  machine.gpus[0].pids = {4711};
  doctor::DoctorRequest request;
  request.gpu = true;
  request.only = {"sums", "straggler"};
  for (const auto& result : doctor::examine(machine, request))
    CHECK(result.reason == "every GPU is in use by another program");
}

TEST_CASE("an unknown check is refused with the nearest one") {
  CHECK(doctor::known_checks({"sums", "feed"}).has_value());
  const auto refused = doctor::known_checks({"smus"});
  REQUIRE(!refused);
  CHECK(refused.error().message.find("\"sums\"") != std::string::npos);
}
