#include "trainer/core/bucket_book.h"

#include <thread>

#include "tests/support/catch.h"

using ringside::core::BucketBook;
using Reports = std::vector<ringside::messages::BucketReport>;

TEST_CASE("buckets of a step come out when all are reduced") {
  BucketBook book;
  book.begin_step(1, 7);
  const auto late = book.ready(1, 400, 100);
  const auto early = book.ready(0, 800, 150);
  CHECK(book.last_ready_ns() == 150);
  book.reduced(early, 170);
  CHECK(book.last_reduced_ns() == 0);
  Reports reports;
  book.take(reports, true);
  CHECK(reports.empty());
  book.reduced(late, 300);
  CHECK(book.last_reduced_ns() == 300);
  book.take(reports, true);
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].epoch == 1);
  CHECK(reports[0].step == 7);
  CHECK(reports[0].bucket == 1);
  CHECK(reports[0].size_bytes == 400);
  CHECK(reports[0].ready_ns == 100);
  CHECK(reports[0].reduced_ns == 300);
  CHECK(reports[1].bucket == 0);
  book.take(reports, true);
  CHECK(reports.size() == 2);
}

TEST_CASE("a completion may arrive after the next step began") {
  BucketBook book;
  book.begin_step(0, 0);
  const auto ticket = book.ready(0, 4, 10);
  book.begin_step(0, 1);
  CHECK(book.last_ready_ns() == 0);
  book.reduced(ticket, 20);
  Reports reports;
  book.take(reports, false);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].step == 0);
  CHECK(reports[0].reduced_ns == 20);
}

TEST_CASE("the newest step waits until it is asked for") {
  BucketBook book;
  book.begin_step(0, 3);
  book.reduced(book.ready(0, 4, 10), 20);
  Reports reports;
  book.take(reports, false);
  CHECK(reports.empty());
  book.take(reports, true);
  CHECK(reports.size() == 1);
}

TEST_CASE("a step that was never reduced is forgotten and counted, its late ticket does nothing") {
  BucketBook book(4, 2);
  book.begin_step(0, 0);
  const auto lost = book.ready(0, 4, 10);
  book.begin_step(0, 1);
  book.begin_step(0, 2);
  CHECK(book.dropped() == 1);
  const auto fresh = book.ready(0, 4, 30);
  book.reduced(lost, 40);
  CHECK(book.last_reduced_ns() == 0);
  book.reduced(fresh, 50);
  CHECK(book.last_reduced_ns() == 50);
}

TEST_CASE("more buckets than there is room for are counted") {
  BucketBook book(2, 2);
  book.ready(0, 4, 1);  // before any step
  CHECK(book.dropped() == 1);
  book.begin_step(0, 0);
  for (std::int32_t bucket = 0; bucket < 3; ++bucket) {
    book.reduced(book.ready(bucket, 4, 10), 20);
  }
  CHECK(book.dropped() == 2);
  Reports reports;
  book.take(reports, true);
  CHECK(reports.size() == 2);
}

TEST_CASE("completions come from another thread") {
  BucketBook book(64, 4);
  Reports reports;
  for (ringside::Step step = 0; step < 200; ++step) {
    book.begin_step(0, step);
    std::vector<BucketBook::Ticket> tickets;
    for (std::int32_t bucket = 0; bucket < 8; ++bucket) {
      tickets.push_back(book.ready(bucket, 4, step * 100 + bucket));
    }
    std::thread completions([&] {
      for (const auto ticket : tickets) book.reduced(ticket, step * 100 + 50);
    });
    book.take(reports, false);
    completions.join();
  }
  book.take(reports, true);
  CHECK(reports.size() == 1600);
  CHECK(book.dropped() == 0);
}
