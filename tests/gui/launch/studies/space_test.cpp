// Tests the values that a library may choose from: ranges and lists, in the syntax of `--set`.
#include "gui/launch/studies/space.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace ringside;

namespace {

void refuses_space(const std::vector<std::string>& sets, const char* why) {
  const auto space = launch::parse_space(sets);
  REQUIRE_FALSE(space);
  INFO(space.error().message);
  CHECK(space.error().kind == ErrorKind::kRequest);
  CHECK(space.error().message.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("ranges and several values are choices, and a single value applies to all runs") {
  const auto space =
      launch::parse_space({"batch.size=32,64", "optimizer.lr=1e-3..0.1:log", "train.epochs=2",
                           "data.workers=0..4", "data.root=../data"});
  REQUIRE(space);
  CHECK(space->names == std::vector<std::string>{"batch.size", "optimizer.lr", "data.workers"});
  CHECK(space->vary.size() == 3);
  CHECK(space->fixed == std::vector<std::string>{"train.epochs=2", "data.root=../data"});
  REQUIRE(space->ranges.size() == 2);
  CHECK(space->ranges[0].low == Approx(0.001));
  CHECK(space->ranges[0].high == Approx(0.1));
  CHECK(space->ranges[0].logarithmic);
  CHECK_FALSE(space->ranges[0].whole);
  CHECK(space->ranges[1].whole);
  const auto widest = launch::parse_space({"seed=0..9007199254740991"});
  REQUIRE(widest);
  CHECK(widest->ranges.at(0).whole);
  CHECK(std::isinf(space->size()));
  CHECK(launch::parse_space({"batch.size=32,64", "data.workers=0..4"})->size() == 10);
  // The text stored in a study is parsed to the same space.
  CHECK(launch::parse_space(space->vary)->names == space->names);
}

TEST_CASE("an empty range, or settings without any choice, are refused") {
  refuses_space({"optimizer.lr=0.1..0.001"}, "write the lower end first");
  refuses_space({"optimizer.lr=0.1..0.1"}, "write the lower end first");
  refuses_space({"optimizer.lr=0..0.1:log"}, "begins above 0");
  refuses_space({"seed=9007199254740992..9007199254740993"}, "lies within");
  refuses_space({"seed=0..99999999999999999999"}, "lies within");
  refuses_space({"seed=-9007199254740993..0"}, "lies within");
  refuses_space({"optimizer.lr=0..1", "optimizer.lr=0.1,0.2"}, "optimizer.lr is given twice");
  refuses_space({"train.epochs=2"}, "what may be chosen?");
}
