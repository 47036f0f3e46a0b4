// Tests `ringside try`: the changes it tries, its report, and requests that it refuses. Uses fake
// ranks.
#include <algorithm>

#include "gui/runs/catalogue.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using nlohmann::json;

namespace {

/// A command whose ranks are faster if their loader has workers. `otherwise` is for its other runs
/// but the first, `later` for those after two workers were kept.
std::vector<std::string> try_command(const std::vector<std::string>& options,
                                     const std::string& otherwise = "",
                                     const std::string& later = "") {
  std::vector<std::string> words{"try", "--ranks", "2", "--devices", "cpu", "--json"};
  words.insert(words.end(), options.begin(), options.end());
  const std::string rank = (test_bin_dir() / "fake_rank").string();
  const std::string script =
      "case $RINGSIDE_ARGUMENTS in *num_workers=2,script*) ms=2; more=" + later +
      ";; *num_workers*) ms=2;; *steps=80*) ms=12;; "
      "*) ms=12; more=" +
      otherwise + ";; esac; exec " + rank + " --steps=20 --step-ms=$ms --versions=PyTorch $more";
  words.insert(words.end(), {"--", "sh", "-c", script});
  return words;
}

}  // namespace

TEST_CASE("a change that makes ranks faster is found, kept for the next change, and reported") {
  const CliRig rig;
  const auto ran = rig.ringside(try_command({"--budget", "10m"}));
  INFO(ran.errors);
  REQUIRE(ran.exit_code == 0);
  const json told = last_line_json(ran.output);
  const json& rows = told.at("rows");
  REQUIRE(rows.size() >= 3);
  CHECK(rows[0].at("change") == "DataLoader.num_workers=2");
  CHECK(rows[0].at("answer") == "quicker");
  CHECK(rows[0].at("longer").get<double>() < -0.5);
  CHECK(rows[0].at("keep") == "num_workers=2 in DataLoader(...)");
  CHECK(rows[0].at("kept") == true);
  // The recipe has two workers by then, and four do not help further.
  CHECK(rows[1].at("change") == "DataLoader.num_workers=4");
  CHECK(rows[1].at("kept") == false);
  // The pairs belong to a study.
  const json shown = rig.json_of({"show", rows[0].at("study").get<std::string>(), "--json"});
  CHECK(shown.at("pairs").at("verdict") == "shorter");
}

TEST_CASE("if the recipe without the change fails, nothing more is tried") {
  const CliRig rig;
  const auto ran = rig.ringside(try_command({"--budget", "10m"}, "--exit-at=3"));
  INFO(ran.errors);
  CHECK(ran.exit_code == 1);
  CHECK(ran.errors.find("DataLoader.num_workers=2") != std::string::npos);
  CHECK(ran.errors.find("DataLoader.num_workers=4") == std::string::npos);
  const json told = last_line_json(ran.output);
  CHECK(told.at("notes").dump().find("the recipe without the change failed") != std::string::npos);
}

TEST_CASE("what was kept is still told if the recipe fails with it later") {
  const CliRig rig;
  const auto ran = rig.ringside(try_command({"--budget", "10m"}, "", "--exit-at=3"));
  INFO(ran.errors);
  CHECK(ran.exit_code == 1);
  const json rows = last_line_json(ran.output).at("rows");
  REQUIRE(rows.size() >= 3);
  CHECK(rows[0].at("change") == "DataLoader.num_workers=2");
  CHECK(rows[0].at("kept") == true);
  CHECK(rows[1].at("kept") == false);
  CHECK(rows[2].at("answer").get<std::string>().starts_with(
      "not tried: the recipe without the change failed"));
}

TEST_CASE("a change that does not fit into the budget is not started") {
  const CliRig rig;
  const json told = rig.json_of(try_command({"--budget", "1s"}));
  for (const json& row : told.at("rows")) {
    // Two changes need loader workers, of which it has none.
    const bool of_workers = row.at("change").get<std::string>().starts_with("DataLoader.p");
    CHECK(row.at("answer").get<std::string>().starts_with(
        of_workers ? "not tried: no workers of its loader" : "not tried: its pairs take"));
    CHECK(row.at("study").is_null());
  }
  // Only the unchanged recipe was trained, once, for its measurements.
  CHECK(runs::read_summaries(rig.runs()).value().size() == 1);
}

TEST_CASE("a named run decides what is tried first, and is not trained again") {
  const CliRig rig;
  rig.json_of(
      {"run", rig.experiment(2, {"--steps=30", "--step-ms=4", "--versions=PyTorch"}), "--json"});
  const json told = rig.json_of({"try", "1", "--dry-run", "--json"});
  CHECK_FALSE(told.at("rows").empty());
  rig.refuses({"try", "1", "--set", "train.seed=2"}, "no --set and --quick");
  rig.refuses({"try", "1", "--ranks", "3", "--dry-run"}, "--ranks");
  rig.refuses({"try", "999"}, "there is no run \"999\", and there is no preset");
  CHECK(runs::read_summaries(rig.runs()).value().size() == 1);
}

TEST_CASE("planned changes are printed without training") {
  const CliRig rig;
  const json told = rig.json_of(try_command({"--dry-run"}));
  // Before a first run a shell may start anything.
  for (const json& row : told.at("rows"))
    CHECK(row.at("change").get<std::string>().starts_with("devices."));
  CHECK(told.at("notes").at(0).get<std::string>().find("sh is not Python") != std::string::npos);
  rig.refuses({"show", "last"}, "there are no runs");
  rig.refuses({"try"}, "what is to become quicker?");
  rig.refuses({"try", "no_such_preset"}, "no_such_preset");
  rig.refuses({"try", "demo", "--set", "train.epochs=1,2", "--dry-run"}, "train.epochs");
  rig.refuses({"try", "demo", "--ranks", "2", "--dry-run"}, "--ranks");
}
