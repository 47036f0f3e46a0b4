// The records of one run on their way to its model: when a log counts as read.
#include "gui/session/run/feed.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "protocol/base/clock.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using session::Feed;

namespace {

class Counter final : public messages::RecordSink {
 public:
  void accept(const messages::Stamp&, const messages::Record&) override { ++records; }
  std::size_t records = 0;
};

/// Waits for the feed to wake it, and checks from time to time regardless.
class Waiter {
 public:
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }
  template <class Holds>
  bool until(Holds&& holds) {
    const std::int64_t deadline_ns = mono_now_ns() + testing::kPatienceNs;
    while (!holds()) {
      if (mono_now_ns() > deadline_ns) return false;
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds(20), [this] { return woken_; });
      woken_ = false;
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

}  // namespace

TEST_CASE("a log with another machine's clock counts as read at its end") {
  constexpr std::int64_t kDay = 86'400'000'000'000;
  constexpr std::size_t kRecords = 60'000;  // more than the feed holds
  constexpr std::size_t kHeld = 32'768;
  const std::int64_t start_ns = GENERATE(true, false) ? mono_now_ns() + 30 * kDay : 1'000'000'000;
  const TempFolder temp;
  const auto run = support::make_folder(temp.path(), "20261121T134005Z-7f3a1c", {});
  {
    support::LogSink sink(run, 1'795'271'067'000'000'000, start_ns, support::kOtherBoot);
    for (std::size_t i = 0; i < kRecords; ++i) {
      messages::StepReport step;
      step.step = static_cast<Step>(i);
      sink.accept({0, 0, i, start_ns + static_cast<std::int64_t>(i) * 1'000'000}, step);
    }
  }
  REQUIRE(support::put_elsewhere(run));
  Waiter waiter;
  Feed feed(run, {0, 0, false}, [&waiter] { waiter.wake(); });
  REQUIRE(waiter.until([&] { return feed.waiting() >= kHeld; }));
  REQUIRE(feed.waiting() < kRecords);
  CHECK_FALSE(feed.state().read_once);
  Counter counter;
  REQUIRE(waiter.until([&] {
    feed.drain(counter, 1'000'000'000);
    return feed.state().read_once;
  }));
  CHECK(counter.records + feed.waiting() == kRecords);
  CHECK_FALSE(feed.state().ended);
}
