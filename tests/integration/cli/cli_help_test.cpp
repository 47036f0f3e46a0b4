// `ringside help` as people type it.
#include <fstream>

#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

launch::Captured help(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {(bin_dir() / "ringside").string(), "help"});
  auto captured = launch::capture(arguments, kPatienceNs);
  REQUIRE(captured);
  return *captured;
}

bool said(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("help lists the topics, prints a topic, and a section by its name or its words") {
  const auto all = help({});
  CHECK(all.exit_code == 0);
  CHECK(said(all.output, "\n  waterfall"));
  CHECK(said(all.output, "\n  keys"));
  const auto topic = help({"waterfall"});
  CHECK(topic.exit_code == 0);
  CHECK(said(topic.output, "ringside show last"));
  CHECK_FALSE(said(topic.output, "\x1b"));
  const auto section = help({"waterfall", "fairness"});
  CHECK(section.exit_code == 0);
  CHECK(said(section.output, "fair"));
  CHECK(section.output.size() < topic.output.size());
  CHECK(help({"window#live"}).output.starts_with("Live\n"));
  CHECK(said(help({"watch"}).output, "ringside watch --help"));
}

TEST_CASE("help finds words in the whole manual") {
  const auto found = help({"--search", "how", "to", "read", "a", "waterfall"});
  CHECK(found.exit_code == 0);
  CHECK(found.output.starts_with("help waterfall"));
  const auto none = help({"--search", "zeppelin"});
  CHECK(none.exit_code == 0);
  CHECK(said(none.output, "zeppelin"));
  CHECK(help({"--search"}).exit_code == 2);
}

TEST_CASE("the error for an unknown topic lists the existing ones") {
  const auto unknown = help({"waterfal"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.output.empty());
  CHECK(said(unknown.errors, "\"waterfall\""));
  CHECK(said(unknown.errors, "slurm"));
  const auto section = help({"waterfall", "zeppelin"});
  CHECK(section.exit_code == 2);
  CHECK(said(section.errors, "zeppelin"));
  CHECK(help({"window#nowhere"}).exit_code == 2);
  // A name of a command gives the help of that command.
  CHECK(said(help({"sweep"}).output, "--world"));
}

TEST_CASE("help as JSON has the topics, the blocks of a topic, and search results") {
  const auto topics = nlohmann::json::parse(help({"--json"}).output);
  CHECK(topics.size() >= 17);
  CHECK(topics[0]["topic"] == "start");
  CHECK(topics[0]["sections"].size() > 1);
  const auto topic = nlohmann::json::parse(help({"waterfall", "--json"}).output);
  CHECK(topic["blocks"][0]["kind"] == "paragraph");
  const auto found = nlohmann::json::parse(help({"--search", "nccl", "--json"}).output);
  CHECK(found[0].contains("section"));
}

TEST_CASE("help writes a site, overwrites its own files, and no others") {
  const TempFolder folder;
  const auto site = (folder.path() / "site").string();
  for (int times = 0; times < 2; ++times) {
    const auto written = help({"--html", site});
    CHECK(written.exit_code == 0);
    CHECK(said(written.output, site + "/index.html"));
  }
  CHECK(std::filesystem::exists(folder.path() / "site/waterfall.html"));
  CHECK(std::filesystem::exists(folder.path() / "site/search.js"));
  folder.write("full/index.html", "mine");
  const auto refused = help({"--html", (folder.path() / "full").string()});
  CHECK(refused.exit_code == 2);
  CHECK(said(refused.errors, "other files"));
}

TEST_CASE("the man page and shell completion have the existing commands") {
  const auto page = help({"--man"});
  CHECK(page.exit_code == 0);
  CHECK(said(page.output, "\n.SS ringside sweep\n"));
  CHECK(said(help({"--man", "ringside-agent"}).output, "\n\\fB\\-\\-keep\\-going\\fR\n"));
  CHECK(help({"--man", "sh"}).exit_code == 2);
  const auto ringside = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), (bin_dir() / "ringside").string());
    const auto captured = launch::capture(arguments, kPatienceNs);
    REQUIRE(captured);
    return *captured;
  };
  CHECK(ringside({"completion", "--line", "ringside swe"}).output == "sweep\n");
  CHECK(ringside({"completion", "--line", "ringside run --set optimizer.lr_r"}).output ==
        "optimizer.lr_rule=\n");
  CHECK(said(ringside({"completion", "--line", "ringside sweep e"}).output, "\ne4_figure\n"));
  const auto script = ringside({"completion", "bash"});
  CHECK(launch::capture({"/bin/bash", "-n", "-c", script.output}, kPatienceNs)->exit_code == 0);
  CHECK(ringside({"completion", "csh"}).exit_code == 2);
}

TEST_CASE(
    "the version as JSON has commit and compiler, and each library with version and licence") {
  const auto said_so =
      launch::capture({(bin_dir() / "ringside").string(), "--version", "--json"}, kPatienceNs);
  REQUIRE(said_so);
  CHECK(said_so->exit_code == 0);
  const auto json = nlohmann::json::parse(said_so->output);
  CHECK(json["version"] == RINGSIDE_VERSION);
  CHECK((json["commit"].is_null() || !json["commit"].get<std::string>().empty()));
  CHECK_FALSE(json["compiler"].get<std::string>().empty());
  CHECK(json["libraries"].size() > 10);
  for (const auto& library : json["libraries"]) {
    INFO(library);
    CHECK(library["version"].get<std::string>().find('.') != std::string::npos);
    CHECK_FALSE(library["licence"].get<std::string>().empty());
  }
}

TEST_CASE("without a manual help says where it was expected") {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "presets");
  const auto captured =
      launch::capture({"/usr/bin/env", "RINGSIDE_ASSETS_DIR=" + folder.path().string(),
                       (bin_dir() / "ringside").string(), "help"},
                      kPatienceNs);
  REQUIRE(captured);
  CHECK(captured->exit_code == 1);
  CHECK(said(captured->errors, folder.path().string()));
}
