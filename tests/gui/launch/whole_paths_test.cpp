// Paths that a person typed are stored as absolute paths.
#include "gui/launch/whole_paths.h"

#include <cstdlib>
#include <filesystem>

#include "gui/launch/plan.h"
#include "tests/support/catch.h"

using namespace ringside;
using launch::with_whole_paths;

TEST_CASE("paths are stored as they are meant here, since a resume may start in another folder") {
  REQUIRE(::setenv("HOME", "/home/someone", 1) == 0);
  const auto here = std::filesystem::current_path();
  messages::RunSpec spec;
  spec.data.root = "sets/../digits/";
  spec.model.init_from = "~/weights.pt";
  spec.checkpoint.resume = "old/epoch_3.pt";
  const auto whole = with_whole_paths(spec).value();
  CHECK(whole.data.root == (here / "digits").string());
  CHECK(whole.model.init_from == "/home/someone/weights.pt");
  CHECK(whole.checkpoint.resume == (here / "old/epoch_3.pt").string());
  CHECK(messages::to_toml(with_whole_paths(whole).value()) == messages::to_toml(whole));
  CHECK(messages::to_toml(with_whole_paths({}).value()) == messages::to_toml({}));
}

TEST_CASE("a custom program runs where it is started, unless another folder is set") {
  REQUIRE(::setenv("HOME", "/home/someone", 1) == 0);
  messages::RunSpec spec;
  spec.program.argv = {"./train.py"};
  const auto here = std::filesystem::current_path();
  CHECK(with_whole_paths(spec)->program.cwd == here.string());
  spec.program.cwd = "sub";
  CHECK(with_whole_paths(spec)->program.cwd == (here / "sub").string());
  spec.program.cwd = "~";
  CHECK(with_whole_paths(spec)->program.cwd == "/home/someone");
  spec.program.cwd = "/somewhere";
  CHECK(with_whole_paths(spec)->program.cwd == "/somewhere");
}

TEST_CASE("every run of a plan has absolute paths, including those that baseline.set names") {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.data.root = "sets";
  spec.baseline.mode = "run";
  spec.baseline.set = {"data.root=others"};
  launch::Machine machine;
  const auto nobody = [](const std::string&) -> Result<launch::EarlierRun> {
    return bad_request("none");
  };
  const auto plan = launch::plan_setting(spec, machine, nobody).value();
  REQUIRE(plan.runs.size() == 2);
  const auto here = std::filesystem::current_path();
  CHECK(plan.runs[0].spec.data.root == (here / "others").string());
  CHECK(plan.runs[1].spec.data.root == (here / "sets").string());
}
