// Lines are stamped when they arrive: the first line of a stream at once, those of a burst
// together.
#include "trainer/agent/output_stamps.h"

#include <poll.h>

#include <algorithm>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using agent::OutputStamps;

namespace {

constexpr std::int64_t kMs = 1'000'000;

struct StampedRank {
  explicit StampedRank(const char* name) : path(folder.path() / name) {
    std::filesystem::create_directories(path);
    for (const char* stream : {"stdout", "stderr"}) write(stream, "");
  }
  void write(const char* stream, const std::string& text) const {
    std::ofstream(path / stream, std::ios::app) << text;
  }
  std::vector<runlog::OutputMark> marks() const {
    runlog::OutputMarks marks(path);
    (void)marks.read(0, 0);
    return *marks.shared();
  }

  TempFolder folder;
  std::filesystem::path path;
};

/// Counts requests for the time, one per check of a rank's files.
struct CountingClock final : Clock {
  std::int64_t mono_ns() const override { return now_ns; }
  std::int64_t wall_ns() const override { return ++asked; }
  std::int64_t now_ns = 1000 * kMs;
  mutable std::int64_t asked = 0;
};

bool readable(const OutputStamps& stamps) {
  pollfd one{stamps.fd(), POLLIN, 0};
  return ::poll(&one, 1, 0) == 1;
}

}  // namespace

TEST_CASE("the first line after silence is stamped at once on either stream") {
  support::FakeClock clock;
  const StampedRank rank("rank_0");
  OutputStamps stamps(clock);
  stamps.add(rank.path);
  REQUIRE(stamps.fd() >= 0);
  CHECK_FALSE(readable(stamps));
  clock.set(1000 * kMs, 5);
  rank.write("stderr", "hello\n");
  REQUIRE(readable(stamps));
  stamps.look();
  CHECK_FALSE(readable(stamps));
  REQUIRE(rank.marks().size() == 1);
  CHECK(rank.marks()[0].wall_ns == 5);
  CHECK(rank.marks()[0].stderr_bytes == 6);
  rank.write("stdout", "and\n");
  clock.set(1001 * kMs, 6);
  CHECK(readable(stamps));
  stamps.look();
  REQUIRE(rank.marks().size() == 2);
  CHECK(rank.marks()[1].stdout_bytes == 4);
}

TEST_CASE("both streams of a rank are stamped together once") {
  CountingClock clock;
  const StampedRank rank("rank_0");
  OutputStamps stamps(clock);
  stamps.add(rank.path);
  const auto write_both = [&] {
    for (const char* stream : {"stdout", "stderr"}) rank.write(stream, "x\n");
  };
  write_both();
  stamps.look();
  CHECK(clock.asked == 1);
  REQUIRE(rank.marks().size() == 1);
  CHECK(rank.marks()[0].stdout_bytes == 2);
  CHECK(rank.marks()[0].stderr_bytes == 2);
  write_both();
  clock.now_ns = stamps.next_look_ns();
  stamps.look();
  CHECK(clock.asked == 2);
  CHECK(rank.marks().size() == 2);
  // Nothing was written, so nothing is checked.
  stamps.look();
  CHECK(clock.asked == 2);
}

TEST_CASE(
    "the streams of a rank that prints continuously are not watched for a tenth of a second") {
  support::FakeClock clock;
  const StampedRank rank("rank_0");
  OutputStamps stamps(clock);
  stamps.add(rank.path);
  clock.set(1000 * kMs, 1);
  rank.write("stdout", "1\n");
  stamps.look();
  CHECK(stamps.next_look_ns() == 1100 * kMs);
  for (int i = 0; i < 100; ++i) rank.write("stdout", "2\n");
  clock.set(1050 * kMs, 2);
  stamps.look();
  CHECK(rank.marks().size() == 1);
  clock.set(1100 * kMs, 3);
  stamps.look();
  REQUIRE(rank.marks().size() == 2);
  CHECK(rank.marks()[1].wall_ns == 3);
  CHECK(rank.marks()[1].stdout_bytes == 202);
  CHECK(stamps.next_look_ns() > 1000 * 1000 * kMs);
  // Watched again after silence: the next line is the first again.
  rank.write("stdout", "3\n");
  CHECK(readable(stamps));
  clock.set(5000 * kMs, 4);
  stamps.look();
  CHECK(rank.marks().back().wall_ns == 4);
  CHECK(rank.marks().back().stdout_bytes == 204);
}

TEST_CASE("continuous output is stamped once per second after a while") {
  support::FakeClock clock;
  const StampedRank rank("rank_0");
  OutputStamps stamps(clock);
  stamps.add(rank.path);
  std::int64_t now_ns = 1000 * kMs;
  std::int64_t longest = 0;
  for (int pause = 0; pause < 20; ++pause) {
    clock.set(now_ns, now_ns);
    rank.write("stdout", "on and on");
    stamps.look();
    longest = std::max(longest, stamps.next_look_ns() - now_ns);
    CHECK(longest == (pause < 10 ? 100 : 1000) * kMs);
    now_ns = stamps.next_look_ns();
    clock.set(now_ns, now_ns);
    stamps.look();
  }
  // Silence, after which the stream is watched again.
  now_ns += 5000 * kMs;
  clock.set(now_ns, now_ns);
  rank.write("stdout", "and on");
  stamps.look();
  CHECK(stamps.next_look_ns() == now_ns + 100 * kMs);
}

TEST_CASE("each rank has its own stamps, and one without streams has none") {
  support::FakeClock clock;
  const StampedRank first("rank_0");
  const StampedRank second("rank_1");
  OutputStamps stamps(clock);
  stamps.add(first.path);
  stamps.add(first.folder.path() / "none");
  stamps.add(second.path);
  clock.set(kMs, 8);
  second.write("stdout", "x\n");
  stamps.look();
  stamps.stamp_all();
  CHECK(first.marks().empty());
  CHECK(second.marks().size() == 1);
  CHECK_FALSE(std::filesystem::exists(first.folder.path() / "none" / "output_times"));
}

TEST_CASE("output without an inotify event is stamped on request") {
  support::FakeClock clock;
  const StampedRank rank("rank_0");
  OutputStamps stamps(clock);
  stamps.add(rank.path);
  rank.write("stdout", "last words");
  clock.set(0, 9);
  stamps.stamp(0);
  stamps.stamp(0);
  REQUIRE(rank.marks().size() == 1);
  CHECK(rank.marks()[0].wall_ns == 9);
}
