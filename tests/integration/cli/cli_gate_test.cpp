// `ringside gate` as a CI job uses it: exit codes, and one sentence for everything that cannot be
// judged.
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct GateRig : CliRig {
  /// Trains with fake ranks and returns the id of the run.
  std::string train(int ranks, const std::vector<std::string>& flags) const {
    const auto done = ringside({"run", experiment(ranks, flags), "--json"});
    return last_line_json(done.output).at("experiment");
  }

  void refuses(const std::vector<std::string>& arguments, const std::string& reason) const {
    const auto captured = ringside(arguments);
    INFO(captured.errors);
    CHECK(captured.exit_code == 2);
    CHECK(captured.output.empty());
    CHECK(captured.errors.find(reason) != std::string::npos);
  }
};

}  // namespace

TEST_CASE("a run much slower than its baseline fails the gate, and passes it if swapped") {
  const GateRig rig;
  const std::string fast = rig.train(2, {"--steps=60", "--step-ms=2", "--loss=1"});
  const std::string slow = rig.train(2, {"--steps=60", "--step-ms=20", "--loss=1"});
  CHECK(rig.ringside({"gate", slow, "--against", fast}).exit_code == 1);
  const auto passed = rig.ringside({"gate", fast, "--against", slow, "--markdown"});
  CHECK(passed.exit_code == 0);
  CHECK(passed.output.starts_with("## Gate: "));
  CHECK(passed.output.find("| step time | pass |") != std::string::npos);
  const auto json = rig.json_of({"gate", fast, "--against", slow, "--json"});
  CHECK(json.at("verdict") == "pass");
  CHECK(json.at("pace").at("high") < 0.05);
  CHECK(json.at("pace").at("runs").size() == 1);
  CHECK(json.at("other_settings").size() == 1);
}

TEST_CASE("runs that the gate cannot judge are a bad request with the reason") {
  const GateRig rig;
  const std::string two = rig.train(2, {"--steps=60", "--step-ms=1", "--loss=1"});
  const std::string one = rig.train(1, {"--steps=60", "--step-ms=1", "--loss=1"});
  const std::string none = rig.train(2, {"--silent"});
  rig.refuses({"gate", two}, "nothing to judge by");
  rig.refuses({"gate", two, "--against", two}, "itself");
  rig.refuses({"gate", two, "--against", one}, "2 against 1");
  rig.refuses({"gate", none, "--against", two}, "no step");
  rig.refuses({"gate", two, "--min-accuracy", "97%"}, "no complete validation");
  rig.refuses({"gate", two, "--against", one, "--max-slower", "5"}, "write 5% or 0.05");
  CHECK(rig.ringside({"gate", two, "--against", one, "--allow-different", "--max-slower", "900%"})
            .exit_code == 0);
}

TEST_CASE("a run that failed or whose loss broke fails the gate, and cannot be a baseline") {
  const GateRig rig;
  const std::string good = rig.train(1, {"--steps=60", "--step-ms=1", "--loss=1"});
  const std::string failed =
      rig.train(1, {"--steps=60", "--step-ms=1", "--fail-at=40", "--text=ouch"});
  const std::string broken = rig.train(1, {"--steps=60", "--step-ms=1", "--loss=1", "--nan-at=40"});
  for (const std::string& run : {failed, broken}) {
    const auto captured = rig.ringside({"gate", run, "--against", good});
    INFO(captured.output << captured.errors);
    CHECK(captured.exit_code == 1);
    rig.refuses({"gate", good, "--against", run}, "cannot be the baseline");
  }
  const auto captured = rig.ringside({"gate", failed, "--against", good, "--json"});
  CHECK(captured.exit_code == 1);
  CHECK(nlohmann::json::parse(captured.output).at("failure").is_string());
}
