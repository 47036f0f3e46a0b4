// `ringside conformance` with the examples that people start from, and with ranks that break rules.
#include <algorithm>
#include <map>

#include "protocol/host/files.h"
#include "protocol/messages/spec/run_spec.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Told {
  int exit_code = 0;
  nlohmann::json json;
  std::map<std::string, std::string> verdicts;
};

Told conformance_of(const std::vector<std::string>& command) {
  std::vector<std::string> argv{(bin_dir() / "ringside").string(), "conformance", "--json", "--"};
  argv.insert(argv.end(), command.begin(), command.end());
  const auto ended = launch::capture(argv, kPatienceNs);
  REQUIRE(ended);
  INFO(ended->errors);
  Told told{ended->exit_code, nlohmann::json::parse(ended->output, nullptr, false), {}};
  REQUIRE(told.json.is_object());
  for (const auto& check : told.json.at("checks"))
    told.verdicts[check.at("name").get<std::string>()] = check.at("verdict").get<std::string>();
  return told;
}

std::string fake_rank() { return (test_bin_dir() / "fake_rank").string(); }

void expect_all_but_communication(const Told& told) {
  INFO(told.json.dump(1));
  CHECK(told.exit_code == 0);
  CHECK(told.json.at("conforms") == true);
  for (const auto& [name, verdict] : told.verdicts) {
    const bool unseen = name == "buckets" || name == "collectives";
    CHECK(name + " " + verdict == name + (unseen ? " not seen" : " pass"));
  }
}

}  // namespace

TEST_CASE("the example in C conforms") {
  const CliRig rig;
  expect_all_but_communication(conformance_of({(test_bin_dir() / "example_rank").string()}));
}

TEST_CASE("the example in Python conforms") {
  if (kSanitized) return;  // its interpreter cannot load libraries built with a sanitizer
  const CliRig rig;
  expect_all_but_communication(
      conformance_of({"python3", (source_dir() / "assets/examples/rank.py").string()}));
}

TEST_CASE("a rank without telemetry gets a hint about what to send, and does not fail for it") {
  const CliRig rig;
  const auto told = conformance_of({fake_rank(), "--silent", "--steps=3"});
  INFO(told.json.dump(1));
  CHECK(told.exit_code == 0);
  CHECK(told.verdicts.at("end") == "pass");
  CHECK(told.verdicts.at("hello") == "not seen");
  CHECK(told.verdicts.at("stop") == "not seen");
}

TEST_CASE("a rank that sends garbage does not conform") {
  const CliRig rig;
  const auto told = conformance_of({fake_rank(), "--lie=garbage", "--steps=40"});
  INFO(told.json.dump(1));
  CHECK(told.exit_code == 1);
  CHECK(told.json.at("conforms") == false);
  CHECK(told.verdicts.at("frames") == "fail");
}

TEST_CASE("a rank that fails does not conform") {
  const CliRig rig;
  CHECK(conformance_of({fake_rank(), "--exit-at=2"}).verdicts.at("end") == "fail");
}

TEST_CASE("a missing program is a bad request in one sentence") {
  for (const char* program : {"nosuch", "/nonexistent/rank"}) {
    const auto ended = launch::capture(
        {(bin_dir() / "ringside").string(), "conformance", "--", program}, kPatienceNs);
    REQUIRE(ended);
    INFO(ended->errors);
    CHECK(ended->exit_code == 2);
    CHECK(ended->output.empty());
    CHECK(ended->errors.find(program) != std::string::npos);
    CHECK(std::count(ended->errors.begin(), ended->errors.end(), '\n') == 1);
  }
}

TEST_CASE("without a command the request is refused") {
  const auto ended =
      launch::capture({(bin_dir() / "ringside").string(), "conformance"}, kPatienceNs);
  REQUIRE(ended);
  CHECK(ended->exit_code == 2);
}

TEST_CASE("a program's variables reach its ranks, and none of its secrets are in the run folder") {
  const CliRig rig;
  messages::RunSpec spec;
  spec.name = "mine";
  spec.devices.kind = "cpu";
  spec.devices.world_size = 1;
  spec.baseline.mode = "none";
  spec.program.argv = {"env"};
  spec.program.environment = {"LR=0.1", "HF_TOKEN=hunter-22", "PYTHONPATH=/mine"};
  const auto file = rig.path() / "mine.toml";
  REQUIRE(write_text_atomically(file, messages::to_toml(spec)));
  const auto json = rig.json_of({"run", file.string(), "--json"});
  const std::filesystem::path folder = json.at("runs").at(0).at("folder").get<std::string>();
  const auto printed = read_text(folder / "attempt_0/rank_0/stdout").value();
  const auto python = (bin_dir() / "python").string();
  for (const std::string& line :
       {std::string("LR=0.1"), std::string("HF_TOKEN=hunter-22"),
        std::string("RINGSIDE_INSTRUMENT=1"),
        "PYTHONPATH=" + python + "/inject:" + python + ":/mine",
        "RINGSIDE_RANK_LIBRARY=" + (bin_dir() / "libringside_rank.so").string()}) {
    INFO(line);
    CHECK(("\n" + printed).find("\n" + line + "\n") != std::string::npos);
  }
  CHECK(read_text(folder / "spec.toml").value().find("HF_TOKEN=[redacted]") != std::string::npos);
  CHECK(read_text(folder / "spec.toml").value().find("hunter-22") == std::string::npos);
}
