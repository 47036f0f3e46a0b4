// The main use case without fakes: a small demo preset, from the window to the CSV.
#include <filesystem>
#include <fstream>

#include "gui/view/launch/launch_view.h"
#include "gui/view/sampler/sampler_view.h"
#include "gui/view/window/top_bar.h"
#include "gui/view/words.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using testing::DashboardRig;
using testing::wait_until;

TEST_CASE("the demo preset trains its baseline and two ranks, and its CSV contains every step") {
  TempFolder data;
  DashboardRig rig({"XDG_CACHE_HOME=" + data.path().string(), "RINGSIDE_SET_TRAIN_EPOCHS=1",
                    "RINGSIDE_SET_BATCH_SIZE=64", "RINGSIDE_SET_DATA_TRAIN_SAMPLES=1280",
                    "RINGSIDE_SET_DATA_TEST_SAMPLES=200"});
  rig.open({"--preset", "demo"});
  rig.click(view::launch_label(2));
  rig.wait_for(view::rank_name(1), 120);
  rig.wait_until_gone(view::label::kStop, 120);
  rig.click(view::label::kExport);
  rig.click("##now");
  const auto last = rig.cli.json_of({"show", "last", "--json"});
  const std::filesystem::path folder = last.at("folder").get<std::string>();
  const auto steps = folder / "export" / "steps.csv";
  REQUIRE(wait_until(30, [&] { return std::filesystem::exists(steps); }));
  std::ifstream in(steps);
  int lines = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  CHECK(lines == 1 + 2 * 20);
}

TEST_CASE("a real run's repeated sample order is found, and Launch offers to fix it") {
  DashboardRig rig;
  const auto ran =
      rig.cli.ringside({"run", "e1_shuffle_grid", "--set", "train.epochs=4", "--set",
                        "data.train_samples=1000", "--set", "sampler.set_epoch=false"});
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 0);
  rig.open({"--run", "last"});
  rig.press_for("4", "Epoch 4##3");
  rig.click("256");
  rig.wait_for("Epoch 1##0");
  rig.click("Epoch 2##1");
  rig.wait_for("epoch 1 and 2");
  rig.click(view::label::kFixSampling);
  rig.wait_for(view::launch_label(2));
}
