// Tests that questions are compatible with other versions of Ringside.
#include "gui/remote/questions.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace ringside {
namespace {

TEST_CASE("options of a queue are written as older helpers read them") {
  const auto text = nlohmann::json::parse(
      R"({"do":"start","settings":"x","queue":{"partition":"gpu","nodes":2,"more":["--mem=8G"]}})");
  const remote::RemoteStartRun start{
      "", "x", false, launch::Typed{{"partition", "gpu"}, {"nodes", "2"}, {"sbatch", "--mem=8G"}}};
  CHECK(remote::to_json(remote::RemoteAction(start)) == text);
  const auto read = remote::parse_question(text);
  REQUIRE(read);
  const auto& act = std::get<remote::RemoteStartRun>(std::get<remote::RemoteAction>(*read));
  CHECK(act.queue == start.queue);
  CHECK(act.settings == "x");
}

TEST_CASE("`top` on another machine covers the runs folder that the question names") {
  const auto read =
      remote::parse_question(nlohmann::json::parse(R"({"do":"look","runs_dir":"/data/runs"})"));
  REQUIRE(read);
  CHECK(remote::command_of(std::get<remote::RemoteAction>(*read)).words ==
        std::vector<std::string>{"top", "--runs-dir", "/data/runs", "--json"});
}

}  // namespace
}  // namespace ringside
