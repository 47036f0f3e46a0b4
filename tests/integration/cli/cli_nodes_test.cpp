// Runs on virtual nodes, each started by one command: all agents on this host, with fake ranks.
#include "gui/runs/catalogue.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

const std::vector<std::string> kTwoNodes{"--set", "devices.nodes=2", "--set",
                                         "devices.virtual_nodes=true"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("one command starts the agents of all virtual nodes, and resume restarts them") {
  CliRig rig;
  const auto what =
      rig.experiment(4, {"--steps=20", "--exit-at=10", "--only-rank=3", "--before-attempt=1"});
  const auto first = rig.ringside(with({"run", what, "--json"}, kTwoNodes));
  INFO(first.errors);
  CHECK(first.exit_code == 1);
  const auto run = runs::read_summaries(rig.runs())->front().folder;
  CHECK(run.logged_nodes() == std::vector<Node>{0, 1});
  CHECK(notice_with(run, "nodes_meet")->text.starts_with("2 nodes on this host"));
  const auto state = last_state(run, kNoRank);
  CHECK(state->text.starts_with("node 1"));
  const auto again = rig.ringside({"resume", "last"});
  INFO(again.errors + text_of(run.agent_log_path(1)));
  CHECK(again.exit_code == 0);
  CHECK(last_state(run, 3)->state == messages::State::kFinished);
  CHECK(wait_until(20, [&] { return processes_with(run.path().string()).empty(); }));
  const auto shown = rig.ringside({"show", "last"}).output;
  CHECK(shown.find("2 × 2, on one host") != std::string::npos);
  // A folder that was copied without the log of one node is reported as incomplete.
  const auto csv = (rig.path() / "csv").string();
  const auto exported = [&](const std::string& missing) {
    const auto captured = rig.ringside({"export", "last", "--csv", csv, "--json"});
    INFO(captured.errors);
    CHECK(captured.exit_code == 0);
    CHECK(captured.errors.find(missing) != std::string::npos);
    return nlohmann::json::parse(captured.output).at("log").at("missing_nodes");
  };
  CHECK(exported("").empty());
  const auto kept = rig.path() / "kept.log";
  for (const Node node : {1, 0}) {
    std::filesystem::rename(run.log_path(node), kept);
    const std::string words = "The log of node " + std::to_string(node) + " is missing";
    CHECK(exported(words) == nlohmann::json::array({node}));
    CHECK(rig.ringside({"show", "last"}).output.find(words) != std::string::npos);
    CHECK(rig.json_of({"show", "last", "--json"}).at("log").at("missing_nodes") ==
          nlohmann::json::array({node}));
    std::filesystem::rename(kept, run.log_path(node));
  }
}

TEST_CASE("a study of one and two virtual nodes can be extended by another study setting") {
  CliRig rig;
  const auto captured = rig.ringside({"sweep", rig.experiment(2, {"--steps=10"}), "--world",
                                      "1,2,2x2", "--repeats", "1", "--virtual-nodes", "--json"});
  INFO(captured.errors);
  REQUIRE(captured.exit_code == 0);
  CHECK(captured.errors.find("all nodes are on this host") != std::string::npos);
  const auto result = last_line_json(captured.output);
  REQUIRE(result["settings"].size() == 3);
  CHECK(result["settings"][2]["setting"].get<std::string>().ends_with("-2x2"));
  CHECK(result["settings"][2]["devices"] == 4);
  CHECK(result["settings"][2]["nodes"] == 2);
  const auto more = rig.ringside({"sweep", "S-01", "--world", "3x1", "--json"});
  INFO(more.errors);
  CHECK(more.exit_code == 0);
  CHECK(last_line_json(more.output)["settings"].size() == 4);
  CHECK(wait_until(20, [&] { return processes_with(rig.runs().string()).empty(); }));
}

TEST_CASE("stopping a run on virtual nodes leaves no agent") {
  CliRig rig;
  const auto what = rig.experiment(4, {"--steps=100000"});
  const auto started = rig.ringside(with({"run", what, "--detach", "--json"}, kTwoNodes));
  INFO(started.errors);
  REQUIRE(started.exit_code == 0);
  const auto run = runs::read_summaries(rig.runs())->front().folder;
  REQUIRE(wait_for_steps(run, 3, 3, 20));
  CHECK(rig.ringside({"stop", "last"}).exit_code == 0);
  CHECK(wait_until(20, [&] { return processes_with(run.path().string()).empty(); }));
  CHECK(last_state(run, kNoRank)->state == messages::State::kStopped);
}
