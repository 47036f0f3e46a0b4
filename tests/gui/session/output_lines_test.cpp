// Lines of a rank's output have the time at which the agent saw them, if that is recorded.
#include "gui/session/run/output_lines.h"

#include <fstream>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

namespace {

struct Rank0 {
  Rank0() { std::filesystem::create_directories(path); }
  void say(const std::string& text) const { std::ofstream(path / "stdout", std::ios::app) << text; }

  TempFolder folder;
  runlog::RunFolder run{folder.path()};
  std::filesystem::path path = run.rank_dir(0, 0);
};

}  // namespace

TEST_CASE("lines of an ended run have the time of its newest mark, not of the poll") {
  const Rank0 rank;
  rank.say("one\ntwo\nhalf");
  REQUIRE(runlog::OutputMarkWriter(rank.path).append({1000, 4, 0}));
  session::OutputLines output(rank.run);
  const auto whole = output.take(false);
  REQUIRE(whole.size() == 2);
  CHECK(whole[1].text == "two");
  CHECK(whole[1].wall_ns == 1000);
  const auto rest = output.take(true);
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].text == "half");
  CHECK(rest[0].wall_ns == 1000);
}

TEST_CASE("without marks earlier lines have no time, and new ones have that of the poll") {
  const Rank0 rank;
  rank.say("one\n");
  session::OutputLines output(rank.run);
  const auto past = output.take(false);
  REQUIRE(past.size() == 1);
  CHECK(past[0].wall_ns == 0);
  const std::int64_t before_ns = SystemClock().wall_ns();
  rank.say("two\n");
  const auto live = output.take(false);
  REQUIRE(live.size() == 1);
  CHECK(live[0].wall_ns >= before_ns);
}
