#include "gui/launch/rank_stack.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::launch;

namespace {

std::vector<std::string> programs(bool python, const std::vector<std::string>& installed) {
  std::vector<std::string> names;
  const auto find = [&](const std::string& name) {
    const bool there = std::find(installed.begin(), installed.end(), name) != installed.end();
    return there ? "/usr/bin/" + name : std::string();
  };
  for (const auto& command : stack_commands(4711, python, find)) {
    CHECK(std::find(command.begin(), command.end(), "4711") != command.end());
    names.push_back(command.front());
  }
  return names;
}

}  // namespace

TEST_CASE("Stacks are read by the installed tools, those for Python first") {
  using Names = std::vector<std::string>;
  CHECK(programs(true, {"py-spy", "eu-stack", "gdb"}) ==
        Names{"/usr/bin/py-spy", "/usr/bin/eu-stack"});
  CHECK(programs(true, {"gdb"}) == Names{"/usr/bin/gdb"});
  CHECK(programs(false, {"py-spy", "gdb"}) == Names{"/usr/bin/gdb"});
  CHECK(programs(false, {"py-spy"}).empty());
}

TEST_CASE("A run without living ranks has no stacks") {
  const TempFolder folder;
  const auto all = read_stacks(runlog::RunFolder(folder.path()), kNoRank);
  REQUIRE_FALSE(all);
  CHECK(all.error().kind == ErrorKind::kRequest);
  CHECK(all.error().message.find("no rank of run") == 0);
  const auto one = read_stacks(runlog::RunFolder(folder.path()), 3);
  REQUIRE_FALSE(one);
  CHECK(one.error().message.find("rank 3 of run") == 0);
}
