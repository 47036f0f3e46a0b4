#include "gui/cli/print/json.h"

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("the settings of a script are those that are passed to it, not our trainer's defaults") {
  messages::RunSpec spec;
  CHECK(cli::spec_json(spec).contains("optimizer"));
  spec.program.argv = {"python", "train.py"};
  const auto json = cli::spec_json(spec);
  std::vector<std::string> sections;
  for (const auto& [key, value] : json.items()) sections.push_back(key);
  CHECK(sections ==
        std::vector<std::string>{"name", "program", "devices", "train", "baseline", "limits"});
  CHECK(json.at("train").size() == 1);
  CHECK(json.at("train").at("stop_on") == "none");
}
