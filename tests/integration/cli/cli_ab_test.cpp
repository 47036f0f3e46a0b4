// `ringside ab`: compares two commands in pairs of runs until the result is certain; its answer,
// what it refuses, and resuming after a stop. With fake ranks.
#include <algorithm>
#include <csignal>

#include "gui/runs/catalogue.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using nlohmann::json;

namespace {

std::string ab_rank() { return (test_bin_dir() / "fake_rank").string(); }

std::vector<std::string> ab_of(const std::vector<std::string>& options, const char* first_ms,
                               const char* second_ms) {
  std::vector<std::string> words{"ab", "--ranks", "2", "--devices", "cpu", "--json"};
  words.insert(words.end(), options.begin(), options.end());
  for (const char* ms : {first_ms, second_ms})
    words.insert(words.end(), {"--", ab_rank(), "--steps=20", std::string("--step-ms=") + ms});
  return words;
}

/// The command of each run in the order of their starts, such as "ABBA".
std::string order_of(const CliRig& rig) {
  std::string order;
  auto all = runs::read_summaries(rig.runs()).value();
  std::ranges::reverse(all);
  for (const auto& run : all) order += run.name.find("command=A") != std::string::npos ? "A" : "B";
  return order;
}

void refuses_ab(const CliRig& rig, std::vector<std::string> words, const char* why) {
  words.insert(words.begin(), "ab");
  rig.refuses(std::move(words), why);
}

}  // namespace

TEST_CASE(
    "two commands run in pairs, in alternating order, until it is certain which takes longer") {
  const CliRig rig;
  const auto ran = rig.ringside(ab_of({"--name", "test"}, "2", "12"));
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 0);
  const json told = last_line_json(ran.output);
  const json& pairs = told.at("pairs");
  CHECK(pairs.at("verdict") == "longer");
  CHECK(pairs.at("of") == "sample");
  CHECK(pairs.at("slower").get<double>() > 1);
  CHECK(pairs.at("slower_low").get<double>() > 0);
  CHECK(told.at("result").get<std::string>().find("more time with command=B than with command=A, "
                                                  "more than chance explains") !=
        std::string::npos);
  CHECK(told.at("settings").at(1).at("command").get<std::string>().ends_with("--step-ms=12"));
  CHECK(told.at("repeats") == pairs.at("pairs"));
  CHECK(order_of(rig).starts_with("ABBAABBA"));
  // The study is stored, and its answer stays the same as long as its runs exist.
  const json shown = rig.json_of({"show", told.at("study").get<std::string>(), "--json"});
  CHECK(shown.at("pairs") == pairs);
  CHECK(shown.at("result") == told.at("result"));
}

TEST_CASE("a fixed number of pairs is always trained, and a budget starts no more than it allows") {
  const CliRig rig;
  SECTION("a fixed number") {
    const json told = rig.json_of(ab_of({"--repeats", "2"}, "3", "3"));
    CHECK(told.at("pairs").at("pairs") == 2);
    CHECK(order_of(rig) == "ABBA");
  }
  SECTION("a budget that the first pairs use up") {
    // The commands differ only by noise: after four pairs either answer is possible, but there is
    // no fifth pair.
    const json told = rig.json_of(ab_of({"--budget", "1s"}, "3", "3"));
    CHECK(told.at("pairs").at("pairs") == 4);
    CHECK(order_of(rig) == "ABBAABBA");
    if (told.at("pairs").at("verdict") == "open") CHECK(told.at("pairs").at("over_budget") == true);
  }
}

TEST_CASE("a comparison that was stopped resumes where it was and runs until it is certain") {
  CliRig rig;
  const auto out = rig.path() / "out";
  const pid_t ab = rig.start(ab_of({}, "2", "30"), out, rig.path() / "errors");
  REQUIRE(wait_until(60, [&] {
    const auto all = runs::read_summaries(rig.runs());
    return all && std::ranges::any_of(*all, [](const auto& run) { return run.state.ended; });
  }));
  ::kill(ab, SIGINT);
  CHECK(rig.wait_exit(ab) == 130);
  const auto resumed = rig.ringside({"resume", "S-01", "--json"});
  INFO(resumed.errors);
  CHECK(resumed.exit_code == 0);
  const json told = last_line_json(resumed.output);
  CHECK(told.at("pairs").at("verdict") == "longer");
  CHECK(told.at("complete") == true);
}

TEST_CASE("two existing runs are trained again in pairs with the same settings") {
  const CliRig rig;
  for (const char* ms : {"2", "12"})
    rig.json_of(
        {"run", rig.experiment(2, {"--steps=20", std::string("--step-ms=") + ms}), "--json"});
  const json told = rig.json_of({"ab", "1", "2", "--repeats", "3", "--json"});
  CHECK(told.at("pairs").at("verdict") == "longer");
  CHECK(told.at("result").get<std::string>().find("with run=2 than with run=1") !=
        std::string::npos);
  CHECK(runs::read_summaries(rig.runs()).value().size() == 8);
  rig.json_of({"run", rig.experiment(3, {"--steps=5"}), "--json"});
  refuses_ab(rig, {"1", "99"}, "99");
  refuses_ab(rig, {"1", "last"}, "the first has 2 ranks, the second 3");
  refuses_ab(rig, {"1", "2", "--set", "train.seed=1,2"}, "no --set and --quick");
}

TEST_CASE("runs that cannot be compared in pairs are refused in one sentence") {
  const CliRig rig;
  const std::string rank = ab_rank();
  const std::string experiment = rig.experiment(2, {"--steps=5"});
  refuses_ab(rig, {}, "what is to be compared? Two values");
  refuses_ab(rig, {"--budget", "5m", "--repeats", "4", "--", rank, "--", rank, "x"}, "take one");
  refuses_ab(rig, {experiment}, "what is to be compared? Two values of one setting");
  refuses_ab(rig, {"demo", "--set", "train.seed=1,2,3"}, "3 settings");
  refuses_ab(rig, {"--", rank}, "what is to be compared?");
  refuses_ab(rig, {"--", rank, "--"}, "two commands are compared, each behind a --");
  refuses_ab(rig, {"--", rank, "--", rank, "x", "--", "y"}, "each behind a --");
  refuses_ab(rig, {"--detach", "--", rank, "--", rank, "x"}, "--detach goes with --repeats");
  refuses_ab(rig, {"S-01"}, "`ringside resume S-01` goes on with it");
  refuses_ab(rig, {"--repeats", "1", "--", rank, "--", rank, "x"},
             "write auto, or a number from 2");
  refuses_ab(rig, {"--budget", "0s", "--", rank, "--", rank, "x"}, "write 90s, 10m, 2h or 1d");
  refuses_ab(rig, {"--set", "lr=1,2", "--", rank, "{lr}", "--", rank, "{lr}", "x"}, "take one");
  CHECK(runs::read_summaries(rig.runs()).value_or(std::vector<runs::RunSummary>()).empty());
}
