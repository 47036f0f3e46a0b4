// Times of other nodes on the clock of node 0.
#include "gui/model/node_clocks.h"

#include "protocol/messages/records.h"
#include "tests/support/catch.h"

namespace ringside::model {

TEST_CASE("times are converted to the clock of node 0, whichever node reported the difference") {
  NodeClocks clocks;
  CHECK(clocks.on_node_0({1, 0, 0, 500}) == 500);
  clocks.note({0, kNoRank, 0, 0}, messages::ClockSync{1, 100, 1});   // node 1 is 100 ahead
  clocks.note({2, kNoRank, 0, 0}, messages::ClockSync{0, -200, 1});  // node 0 is 200 behind node 2
  // A comparison that a rank reports is not about its node's clock.
  clocks.note({3, 7, 0, 0}, messages::ClockSync{0, -300, 1});
  CHECK(clocks.on_node_0({0, 0, 0, 500}) == 500);
  CHECK(clocks.on_node_0({1, 0, 0, 500}) == 400);
  CHECK(clocks.on_node_0({2, 0, 0, 500}) == 300);
  CHECK(clocks.on_node_0({3, 7, 0, 500}) == 500);
  clocks.note({2, kNoRank, 1, 0}, messages::ClockSync{0, -250, 1});
  CHECK(clocks.on_node_0({2, 0, 0, 500}) == 250);
}

}  // namespace ringside::model
