// Tests the board of machines while answers arrive or are missing.
#include "gui/session/machines/board_controller.h"

#include <nlohmann/json.hpp>

#include "protocol/base/clock.h"
#include "tests/gui/session/far_answers.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::session;
using ringside::testing::FarAnswers;

namespace {

constexpr const char* kBoxNow = R"({"host": "box", "cores": 8, "gpus": [{"gpu": 0}]})";

struct Board {
  explicit Board(bool here_fails = false)
      : board(jobs, [here_fails]() -> Result<view::MachineUse> {
          view::MachineUse use;
          use.host = "here";
          if (here_fails) return failure("the driver hangs");
          return use;
        }) {}
  std::vector<view::BoardMachine> told() const {
    view::BoardInput input;
    board.fill(input);
    return {input.machines.begin(), input.machines.end()};
  }
  /// Updates the board until no query is in progress.
  bool settles() {
    const std::int64_t deadline_ns = mono_now_ns() + testing::kPatienceNs;
    do {
      jobs.finish();
      board.update(true);
      if (board.settled()) return true;
    } while (mono_now_ns() < deadline_ns);
    return false;
  }

  Jobs jobs{[] {}};
  BoardController board;
};

}  // namespace

TEST_CASE("this machine is queried, and others only if a person watches them") {
  FarAnswers there;
  there.answers(kBoxNow);
  Board rig;
  rig.board.add(there.machine());
  rig.board.add(std::vector<std::string>{"ssh://box", "ssh://far", "ssh://-bad"});
  CHECK_FALSE(rig.board.settled());
  REQUIRE(rig.settles());
  REQUIRE(rig.told().size() == 3);
  CHECK(rig.told()[0].use->host == "here");
  CHECK_FALSE(rig.told()[1].use);
  CHECK(there.calls() == 0);
  rig.board.apply(view::WatchMachine{"ssh://box"});
  REQUIRE(rig.settles());
  CHECK(rig.told()[1].use->host == "box");
  CHECK(rig.told()[1].answered_wall_ns > 0);
  CHECK(there.calls() == 1);
  CHECK(rig.board.watched() == std::vector<std::string>{"ssh://box"});
  rig.board.apply(view::WatchMachine{"ssh://box", false});
  rig.board.apply(view::WatchMachine{"", false});
  CHECK(rig.board.watched().empty());
  CHECK(rig.told()[0].watched);
}

TEST_CASE("no machine is queried while the board is not on the screen") {
  Board rig;
  CHECK(rig.board.update(false));
  CHECK_FALSE(rig.board.update(false));
  CHECK_FALSE(rig.told()[0].asking);
  CHECK(rig.board.next_update_s() == 0);
  CHECK(rig.board.update(true));
  CHECK(rig.told()[0].asking);
}

TEST_CASE(
    "a machine that does not respond keeps its last data and is queried after growing pauses") {
  FarAnswers there;
  there.answers(kBoxNow);
  there.answers("nonsense");
  there.answers("nonsense");
  there.answers(kBoxNow);
  Board rig;
  rig.board.add(there.machine());
  const auto ask = [&rig] {
    rig.board.apply(view::WatchMachine{"ssh://box"});
    REQUIRE(rig.settles());
    return rig.told()[1];
  };
  CHECK(ask().problem.empty());
  for (const int pause_s : {5, 10}) {
    const view::BoardMachine silent = ask();
    CHECK(silent.problem == "ssh://box answers in a form that is not known here");
    CHECK(silent.use->host == "box");
    CHECK(silent.retry_s == pause_s);
    // The next query is due by itself; the one of this machine is due first.
    CHECK(rig.board.next_update_s() <= pause_s);
    CHECK(rig.board.next_update_s() > 0);
  }
  CHECK(ask().problem.empty());
  CHECK(rig.told()[1].retry_s == 0);
  CHECK(rig.board.next_update_s() > 0);  // of this machine, which is read more often
  CHECK(rig.board.next_update_s() <= 3);
}

TEST_CASE("a machine that fails delays no other") {
  FarAnswers there;
  there.answers(kBoxNow);
  Board rig(true);
  rig.board.add(there.machine());
  rig.board.apply(view::AskMachines{});
  REQUIRE(rig.settles());
  CHECK(rig.told()[0].problem == "the driver hangs");
  CHECK(rig.told()[1].use->host == "box");
}
