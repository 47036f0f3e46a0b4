#include "trainer/core/bucket_tracker.h"

#include <thread>

#include "tests/support/catch.h"

using ringside::core::BucketTracker;
using Reports = std::vector<ringside::messages::BucketReport>;

TEST_CASE("buckets of a step are returned when all are reduced") {
  BucketTracker tracker;
  tracker.begin_step(1, 7);
  const auto late = tracker.ready(1, 400, 100);
  const auto early = tracker.ready(0, 800, 150);
  CHECK(tracker.last_ready_ns() == 150);
  tracker.reduced(early, 170);
  Reports reports;
  tracker.take(reports, true);
  CHECK(reports.empty());
  tracker.reduced(late, 300);
  tracker.take(reports, true);
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].epoch == 1);
  CHECK(reports[0].step == 7);
  CHECK(reports[0].bucket == 1);
  CHECK(reports[0].size_bytes == 400);
  CHECK(reports[0].ready_ns == 100);
  CHECK(reports[0].reduced_ns == 300);
  CHECK(reports[1].bucket == 0);
  tracker.take(reports, true);
  CHECK(reports.size() == 2);
}

TEST_CASE("a completion may arrive after the next step has begun") {
  BucketTracker tracker;
  tracker.begin_step(0, 0);
  const auto ticket = tracker.ready(0, 4, 10);
  tracker.begin_step(0, 1);
  CHECK(tracker.last_ready_ns() == 0);
  tracker.reduced(ticket, 20);
  Reports reports;
  tracker.take(reports, false);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].step == 0);
  CHECK(reports[0].reduced_ns == 20);
}

TEST_CASE("the newest step is returned only on request") {
  BucketTracker tracker;
  tracker.begin_step(0, 3);
  tracker.reduced(tracker.ready(0, 4, 10), 20);
  Reports reports;
  tracker.take(reports, false);
  CHECK(reports.empty());
  tracker.take(reports, true);
  CHECK(reports.size() == 1);
}

TEST_CASE(
    "a step that was never reduced is dropped and counted, and its late ticket has no effect") {
  BucketTracker tracker(4, 2);
  tracker.begin_step(0, 0);
  const auto lost = tracker.ready(0, 4, 10);
  tracker.begin_step(0, 1);
  tracker.begin_step(0, 2);
  CHECK(tracker.dropped() == 1);
  const auto fresh = tracker.ready(0, 4, 30);
  tracker.reduced(lost, 40);
  tracker.reduced(fresh, 50);
  Reports reports;
  tracker.take(reports, true);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].reduced_ns == 50);
}

TEST_CASE("buckets beyond the limit are counted") {
  BucketTracker tracker(2, 2);
  tracker.ready(0, 4, 1);  // before any step
  CHECK(tracker.dropped() == 1);
  tracker.begin_step(0, 0);
  for (std::int32_t bucket = 0; bucket < 3; ++bucket) {
    tracker.reduced(tracker.ready(bucket, 4, 10), 20);
  }
  CHECK(tracker.dropped() == 2);
  Reports reports;
  tracker.take(reports, true);
  CHECK(reports.size() == 2);
}

TEST_CASE("a completion may come from another thread") {
  BucketTracker tracker(64, 4);
  Reports reports;
  for (ringside::Step step = 0; step < 200; ++step) {
    tracker.begin_step(0, step);
    std::vector<BucketTracker::Ticket> tickets;
    for (std::int32_t bucket = 0; bucket < 8; ++bucket) {
      tickets.push_back(tracker.ready(bucket, 4, step * 100 + bucket));
    }
    std::thread completions([&] {
      for (const auto ticket : tickets) tracker.reduced(ticket, step * 100 + 50);
    });
    tracker.take(reports, false);
    completions.join();
  }
  tracker.take(reports, true);
  CHECK(reports.size() == 1600);
  CHECK(tracker.dropped() == 0);
}
