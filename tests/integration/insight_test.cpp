// Injected faults are named by the command line as they happened. tests/insight/trials.py does the
// same with many ranks, delays and seeds.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "protocol/messages/spec/spec_inject.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;
using nlohmann::json;

namespace {

// A short run of two ranks on CPU slots with these settings.
launch::Captured run(const CliRig& rig, const std::vector<std::string>& settings) {
  std::vector<std::string> arguments{"run", "demo", "--quick"};
  std::vector<std::string> all{"data.root=" + (rig.path() / "data").string(),
                               "baseline.mode=none",
                               "devices.when_busy=share",
                               "train.epochs=4",
                               "train.max_steps=120",
                               "evaluate.mode=none",
                               "limits.collective_timeout_s=20"};
  all.insert(all.end(), settings.begin(), settings.end());
  for (const std::string& setting : all) arguments.insert(arguments.end(), {"--set", setting});
  return rig.ringside(arguments);
}

/// The first alert of that kind with that text in `ringside show`.
std::optional<json> alert_of(const CliRig& rig, const std::string& kind,
                             const std::string& words = "") {
  const json shown = rig.json_of({"show", "last", "--json"});
  const auto& alerts = shown.at("alerts");
  const auto found = std::find_if(alerts.begin(), alerts.end(), [&](const json& alert) {
    return alert.at("kind") == kind &&
           alert.at("text").get<std::string>().find(words) != std::string::npos;
  });
  if (found == alerts.end()) return std::nullopt;
  return *found;
}

struct Allowed {
  Allowed() { ::setenv(messages::kAllowFaults, "1", 1); }
  ~Allowed() { ::unsetenv(messages::kAllowFaults); }
  Allowed(const Allowed&) = delete;
  Allowed& operator=(const Allowed&) = delete;
};

}  // namespace

TEST_CASE("an injected fault needs permission and a rank") {
  const CliRig rig;
  const auto refused = run(rig, {"inject.fault=delay_data"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.errors.find("RINGSIDE_INJECT=1") != std::string::npos);
  CHECK(rig.json_of({"list", "--json"}).empty());
  const Allowed allowed;
  const auto nobody = run(rig, {"inject.fault=delay_data", "inject.rank=2"});
  CHECK(nobody.exit_code == 2);
  CHECK(nobody.errors.find("inject.rank = 2") != std::string::npos);
}

TEST_CASE("the delayed rank is named, with the phase") {
  const CliRig rig;
  const Allowed allowed;
  struct Trial {
    const char* fault;
    int rank;
    const char* phase;
  };
  const auto trial =
      GENERATE(Trial{"delay_data", 1, "data"}, Trial{"delay_forward", 0, "forward"},
               Trial{"delay_backward", 1, "backward"}, Trial{"delay_bucket", 0, "backward"},
               Trial{"delay_optimizer", 1, "optimizer"});
  const auto ran = run(rig, {std::string("inject.fault=") + trial.fault,
                             "inject.rank=" + std::to_string(trial.rank), "inject.delay_ms=30"});
  INFO(trial.fault << "\n" << ran.errors);
  REQUIRE(ran.exit_code == 0);
  CHECK(ran.errors.find("makes a fault on purpose") != std::string::npos);
  const auto late = alert_of(rig, "late_rank");
  REQUIRE(late);
  CHECK(late->at("rank") == trial.rank);
  CHECK(late->at("phase") == trial.phase);
  CHECK(late->at("text").get<std::string>().starts_with("Rank " + std::to_string(trial.rank)));
}

TEST_CASE("a gradient that is NaN is named with its rank and step, though every loss breaks") {
  const CliRig rig;
  const Allowed allowed;
  struct Trial {
    int ranks;
    int rank;
    int step;
  };
  const auto trial = GENERATE(Trial{2, 1, 40}, Trial{3, 0, 0}, Trial{3, 2, 77});
  const std::string rank = std::to_string(trial.rank);
  const std::string step = std::to_string(trial.step + 1);
  const auto ran = run(rig, {"inject.fault=nan_gradient", "inject.rank=" + rank,
                             "inject.from_step=" + std::to_string(trial.step),
                             "devices.world_size=" + std::to_string(trial.ranks)});
  INFO(ran.errors);
  const auto broken = alert_of(rig, "loss_not_finite");
  REQUIRE(broken);
  CHECK(broken->at("rank") == trial.rank);
  CHECK(broken->at("step") == trial.step);
  const auto text = broken->at("text").get<std::string>();
  INFO(text);
  CHECK(text.starts_with("The gradient of rank " + rank + " was NaN or Inf in step " + step));
  const auto figures = rig.json_of({"show", "last", "--json"}).at("broken_loss").get<std::string>();
  CHECK(figures.find("begun in the gradient of rank " + rank + " in step " + step) !=
        std::string::npos);
}

TEST_CASE("a parameter that differs on one rank fails the run") {
  const CliRig rig;
  const Allowed allowed;
  const auto ran = run(rig, {"inject.fault=corrupt_parameter", "inject.rank=1",
                             "inject.from_step=50", "train.compare_every=40"});
  CHECK(ran.exit_code == 1);
  CHECK(ran.output.find("parameters differ") != std::string::npos);
  const auto told = alert_of(rig, "notice", "ranks 0 and 1 differ after 80 steps");
  REQUIRE(told);
  CHECK(told->at("text").get<std::string>().find("after 40 all were equal") != std::string::npos);
}
