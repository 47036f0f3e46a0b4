// A study with real ranks: two of Gloo on CPU slots against one, from the sweep to its files.
#include <csignal>

#include "gui/launch/child.h"
#include "gui/runs/studies/study.h"
#include "protocol/base/byte_file.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a sweep of real ranks: one, two, and two in bf16") {
  CliRig rig;
  const auto captured = rig.ringside(
      {"sweep", "demo", "--quick", "--world", "1,2", "--repeats", "2", "--both", "--variants",
       "bf16", "--set", "data.train_samples=256", "--set", "data.test_samples=64", "--set",
       "train.epochs=1", "--set", "data.root=" + (rig.path() / "data").string(), "--json"});
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  const auto result = last_line_json(captured.output);
  CHECK(result["complete"] == true);
  REQUIRE(result["settings"].size() == 4);
  const auto& weak = result["settings"][1];
  CHECK(weak["setting"] == "weak-2");
  CHECK(weak["per_rank_batch"] == 64);
  CHECK(weak["global_batch"] == 128);
  CHECK(weak["steps_per_epoch"] == 2);
  const auto& strong = result["settings"][2];
  CHECK(strong["per_rank_batch"] == 32);
  CHECK(strong["global_batch"] == 64);
  CHECK(strong["steps_per_epoch"] == 4);
  for (const auto& setting : result["settings"]) {
    CHECK(setting["repeats"] == 2);
    CHECK(setting["speedup"].get<double>() > 0);
    CHECK(setting["val_accuracy"].is_number());
  }
  CHECK(weak["efficiency"].get<double>() == Approx(weak["speedup"].get<double>() / 2));
  CHECK(result["settings"][3]["setting"] == "bf16-2");
  CHECK(result["settings"][3]["efficiency"].is_null());
  const auto html = (rig.path() / "study.html").string();
  REQUIRE(rig.ringside({"report", "S-01", "--html", html}).exit_code == 0);
  CHECK(read_text(html)->find("bf16-2") != std::string::npos);
}
