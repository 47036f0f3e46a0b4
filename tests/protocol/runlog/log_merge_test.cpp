// Merging the records of several nodes.
#include "protocol/runlog/log_merge.h"

#include "tests/support/catch.h"
#include "tests/support/record_list.h"
#include "tests/support/sample_records.h"

namespace ringside::runlog {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kWall = 1'700'000'000 * kSecondNs;

void say(LogMerge& merge, Node node, std::int64_t mono_ns, Step step) {
  merge.input(node).accept({node, node, static_cast<std::uint64_t>(step), mono_ns},
                           support::step_report(step));
}

void say_state(LogMerge& merge, Node node, std::int64_t mono_ns, std::int64_t wall_ns) {
  messages::RankState queued;
  queued.state = messages::State::kQueued;
  queued.wall_ns = wall_ns;
  merge.input(node).accept({node, kNoRank, 0, mono_ns}, queued);
}

std::vector<Node> nodes_of(const support::RecordList& list) {
  std::vector<Node> nodes;
  for (const auto& entry : list.entries) nodes.push_back(entry.stamp.node);
  return nodes;
}

/// The monotonic clock of node 1 is a day ahead; both wall clocks agree.
LogMerge two_nodes() {
  LogMerge merge;
  merge.set_identity(0, {"run", 0, kWall, 100 * kSecondNs, ""});
  merge.set_identity(1, {"run", 1, kWall, 86'500 * kSecondNs, ""});
  return merge;
}
constexpr std::int64_t kAhead = 86'400 * kSecondNs;

}  // namespace

TEST_CASE("records are ordered by time across nodes with different clocks") {
  LogMerge merge = two_nodes();
  support::RecordList list;
  say(merge, 0, 101 * kSecondNs, 0);
  merge.release(list);
  CHECK(list.entries.empty());  // node 1 may still have an older one
  say(merge, 1, kAhead + 102 * kSecondNs, 0);
  say(merge, 0, 103 * kSecondNs, 1);
  merge.release(list);
  CHECK(nodes_of(list) == std::vector<Node>{0, 1});
  CHECK(merge.waiting() == 1);
  merge.set_ended(1, true);
  merge.release(list);
  CHECK(nodes_of(list) == std::vector<Node>{0, 1, 0});
}

TEST_CASE("a measured clock offset takes precedence over the wall clocks") {
  LogMerge merge;
  merge.set_identity(0, {"run", 0, kWall, 100 * kSecondNs, ""});
  // A wall clock that is wrong by an hour.
  merge.set_identity(1, {"run", 1, kWall + 3'600 * kSecondNs, kAhead + 100 * kSecondNs, ""});
  merge.input(1).accept({1, kNoRank, 0, kAhead + 100 * kSecondNs},
                        messages::ClockSync{0, -kAhead, 1000});
  // Earlier records of the same log stay before it, and the clock continues from there.
  say(merge, 1, kAhead + 101 * kSecondNs, 0);
  say(merge, 0, 102 * kSecondNs, 0);
  say(merge, 1, kAhead + 103 * kSecondNs, 1);
  support::RecordList list;
  merge.release_all(list);
  CHECK(nodes_of(list) == std::vector<Node>{1, 1, 0, 1});
}

TEST_CASE("records from before a clock comparison are not ordered by it") {
  LogMerge merge;
  merge.set_identity(0, {"run", 0, kWall, 100 * kSecondNs, ""});
  merge.set_identity(1, {"run", 1, kWall + 3'600 * kSecondNs, kAhead + 100 * kSecondNs, ""});
  say_state(merge, 1, kAhead + 100 * kSecondNs, kWall + 3'600 * kSecondNs);
  merge.input(1).accept({1, kNoRank, 0, kAhead + 100 * kSecondNs},
                        messages::ClockSync{0, -kAhead, 1000});
  say(merge, 0, 102 * kSecondNs, 0);
  say(merge, 1, kAhead + 101 * kSecondNs, 0);
  say(merge, 1, kAhead + 103 * kSecondNs, 1);
  support::RecordList list;
  merge.release_all(list);
  CHECK(nodes_of(list) == std::vector<Node>{1, 1, 1, 0, 1});
}

TEST_CASE("records of one node keep their order whatever their times") {
  LogMerge merge = two_nodes();
  say(merge, 0, 105 * kSecondNs, 0);
  say(merge, 0, 101 * kSecondNs, 1);
  say(merge, 1, kAhead + 103 * kSecondNs, 0);
  support::RecordList list;
  merge.release_all(list);
  REQUIRE(list.entries.size() == 3);
  CHECK(list.entries[0].stamp.node == 1);
  CHECK(list.entries[1].stamp.seq == 0);
  CHECK(list.entries[2].stamp.seq == 1);
}

TEST_CASE("a rebooted machine has a new clock") {
  LogMerge merge = two_nodes();
  say(merge, 1, kAhead + 101 * kSecondNs, 0);
  say_state(merge, 1, 5 * kSecondNs, kWall + 50 * kSecondNs);
  say(merge, 1, 6 * kSecondNs, 1);           // 51 s after the start
  say(merge, 0, (100 + 20) * kSecondNs, 0);  // 20 s
  say(merge, 0, (100 + 52) * kSecondNs, 1);  // 52 s
  support::RecordList list;
  merge.release_all(list);
  CHECK(nodes_of(list) == std::vector<Node>{1, 0, 1, 1, 0});
}

TEST_CASE("an offset from node 0 is dropped when either clock changes") {
  LogMerge merge = two_nodes();
  merge.input(1).accept({1, kNoRank, 0, kAhead + 100 * kSecondNs},
                        messages::ClockSync{0, -kAhead, 1000});
  // Node 0 and the agent of node 1 are restarted after 50 seconds.
  say_state(merge, 0, 5 * kSecondNs, kWall + 50 * kSecondNs);
  say_state(merge, 1, kAhead + 151 * kSecondNs, kWall + 51 * kSecondNs);
  say(merge, 0, 7 * kSecondNs, 0);
  support::RecordList list;
  merge.release_all(list);
  CHECK(nodes_of(list) == std::vector<Node>{1, 0, 1, 0});
}

TEST_CASE("a silent node delays the others by at most two polls") {
  LogMerge merge = two_nodes();
  support::RecordList list;
  say(merge, 0, 101 * kSecondNs, 0);
  merge.input(1);  // present and silent
  merge.release_old(list);
  CHECK(list.entries.empty());
  say(merge, 0, 102 * kSecondNs, 1);
  merge.release_old(list);
  CHECK(list.entries.size() == 1);
  merge.release_old(list);
  CHECK(list.entries.size() == 2);
  CHECK(merge.waiting() == 0);
}

}  // namespace ringside::runlog
