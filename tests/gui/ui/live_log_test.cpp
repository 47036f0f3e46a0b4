// Tests which tab of the log a run opens with, and whose failure changes it.
#include "gui/view/live/log_view.h"

#include <cstdint>

#include "gui/view/words.h"
#include "protocol/messages/records.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

TEST_CASE("the log of the next run begins with all its ranks") {
  support::DemoOptions options = support::demo_small(4);
  options.killed_rank = 3;
  const OpenDemo failed(options);
  const OpenDemo other(support::demo_small(2));
  NullScreen screen;
  failed.open(screen.input);
  screen.frame();
  CHECK(screen.memory.live.log.choice.rank == 3);
  other.open(screen.input);
  screen.input.live.context.id = "20261121T140000Z-aaaaaa";
  screen.frame();
  CHECK(screen.memory.live.log.choice.all);
  REQUIRE(screen.click(view::rank_name(1)));
  failed.open(screen.input);  // a tab chosen by hand is of the other run, too
  screen.frame();
  CHECK(screen.memory.live.log.choice.rank == 3);
}

TEST_CASE("the log of a rank in front gives way to all once a node turns out to be the cause") {
  support::DemoOptions options = support::demo_small(4);
  options.finish = false;
  OpenDemo demo(options);
  NullScreen screen;
  std::uint64_t seq = 100'000;
  const auto fail = [&](Rank about, const std::string& text) {
    messages::RankState failed;
    failed.state = messages::State::kFailed;
    failed.about = about;
    failed.text = text;
    demo.model.accept({0, kNoRank, seq++, demo.model.last_ns() + 1}, failed);
    demo.open(screen.input);
    screen.frame();
  };
  fail(2, "rank 2: exit code 1: Connection closed by peer");
  CHECK(screen.memory.live.log.choice.rank == 2);
  const bool by_hand = GENERATE(false, true);
  if (by_hand) REQUIRE(screen.click(view::rank_name(2)));
  fail(kNoRank, "node 1 (b): nothing was heard of its agent for 30 s");
  CHECK(screen.memory.live.log.choice.all == !by_hand);
}
