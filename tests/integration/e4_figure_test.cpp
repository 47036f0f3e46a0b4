// The figure of E4 by one command: six points on one and two nodes, all on this host, with real
// ranks. The model is smaller than the source's, of which eight would not fit on a small machine.
#include <algorithm>

#include "gui/launch/child.h"
#include "gui/runs/studies/study.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;
using nlohmann::json;

namespace {

constexpr std::int64_t kTimeoutNs = 14 * kPatienceNs;

json row_of(const json& rows, const std::string& setting) {
  for (const json& row : rows) {
    if (row.at("setting") == setting) return row;
  }
  return json::object();
}

bool has_checkpoint_of(const runlog::RunFolder& run, const std::string& ranks) {
  for (const auto& entry : std::filesystem::directory_iterator(run.checkpoints_dir())) {
    if (entry.path().filename().string().find(ranks + "ranks_epoch_") != std::string::npos)
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("E4: strong scaling on one and two nodes, one figure of six points", "[presets]") {
  CliRig rig;
  const auto files = rig.path() / "figures";
  const auto captured =
      launch::capture({(bin_dir() / "ringside").string(), "sweep", "e4_figure", "--quick", "--set",
                       "data.root=" + (rig.path() / "data").string(), "--export", files.string(),
                       "--json", "--runs-dir", rig.runs().string()},
                      kTimeoutNs);
  REQUIRE(captured);
  INFO(captured->errors);
  REQUIRE(captured->exit_code == 0);
  CHECK(captured->errors.find("strong-2x3, strong-2x4: all nodes are on this host") !=
        std::string::npos);
  // There is no estimate while runs of other tests compute here.
  CHECK((captured->errors.find("Estimated: ") != std::string::npos ||
         captured->errors.find("How long it takes is not known") != std::string::npos));
  const json result = last_line_json(captured->output);
  CHECK(result.at("complete") == true);
  const json& settings = result.at("settings");
  REQUIRE(settings.size() == 6);
  for (const json& row : settings) CHECK(row.at("speedup").is_number());
  // The global batch is rounded down, like 126 of 128 in the source.
  CHECK(row_of(settings, "strong-3").at("global_batch") == 30);
  CHECK(row_of(settings, "strong-2x3").at("global_batch") == 30);
  CHECK(row_of(settings, "strong-2x3").at("devices") == 6);
  CHECK(row_of(settings, "strong-2x4").at("global_batch") == 32);
  const json division = row_of(result.at("division"), "strong-2x3");
  CHECK(division.at("published_global") == 126);
  CHECK(division.at("published_per_rank") == 21);
  CHECK(row_of(result.at("division"), "strong-2x4").at("published_seconds") == 320);
  const auto chart = read_text(files / "S-01_speedup.svg");
  REQUIRE(chart);
  CHECK(chart->find("2 × 3") != std::string::npos);
  CHECK(chart->find("2 × 4") != std::string::npos);
  const auto study = runs::read_study(rig.runs(), "S-01");
  REQUIRE(study);
  const runlog::RunFolder eight(rig.runs() / study->find("strong-2x4")->runs.front());
  CHECK(eight.logged_nodes() == std::vector<Node>{0, 1});
  CHECK(has_checkpoint_of(eight, "8"));
  // The table of nodes lists the device and node of each rank.
  const json shown = rig.json_of({"show", eight.id(), "--json"});
  const json& tables = shown.at("tables");
  const auto nodes = std::find_if(tables.begin(), tables.end(),
                                  [](const json& table) { return table.at("id") == "nodes"; });
  REQUIRE(nodes != tables.end());
  REQUIRE(nodes->at("rows").size() == 2);
  CHECK(nodes->at("rows")[1].at("ranks") == "r4-r7");
  CHECK(nodes->at("rows")[1].at("devices") == "cpu 0, cpu 1, cpu 2, cpu 3");
  CHECK(wait_until(20, [&] { return processes_with(rig.runs().string()).empty(); }));
}
