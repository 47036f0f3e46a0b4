#include "trainer/probe/host_sampler.h"

#include <unistd.h>

#include <cmath>
#include <ctime>

#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/probe/proc_files.h"

using namespace ringside;
using namespace ringside::probe;

namespace {

constexpr std::int64_t kHostSamplerSecond = 1'000'000'000;

// A line of /proc/PID/stat with the fields that are used.
std::string stat_line(const std::string& name, char state, int user, int system, int start) {
  std::string line = "42 (" + name + ") " + state + " 7 42";
  for (int field = 6; field < 14; ++field) line += " 0";
  line += " " + std::to_string(user) + " " + std::to_string(system);
  for (int field = 16; field < 22; ++field) line += " 1";
  return line + " " + std::to_string(start) + " 1000 1\n";
}

}  // namespace

TEST_CASE("a process is read correctly with brackets and blanks in the program's name") {
  const TempFolder root;
  root.write("proc/42/stat", stat_line("odd) R 1 (name", 'T', 30, 12, 999));
  const auto stat = process_stat(root.path(), 42);
  REQUIRE(stat);
  CHECK(stat->state == 'T');
  CHECK(stat->parent == 7);
  CHECK(stat->group == 42);
  CHECK(stat->cpu_ticks == 42);
  CHECK(stat->start_ticks == 999);
  CHECK_FALSE(process_stat(root.path(), 43));
  root.write("proc/44/stat", "44 (cut");
  CHECK_FALSE(process_stat(root.path(), 44));
}

TEST_CASE("loads need two samples, memory one") {
  const TempFolder root;
  root.write("proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2 3\n");
  root.write("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    400 kB\n");
  root.write("proc/42/stat", stat_line("rank", 'R', 100, 0, 5));
  root.write("proc/42/statm", "1000 25 3 0 0 0 0\n");
  HostSampler sampler(root.path(), root.path());
  const std::int64_t pids[] = {42, 0};
  const auto first = sampler.sample(pids, kHostSamplerSecond);
  CHECK(std::isnan(first.cpu_pct));
  CHECK(first.memory_total_bytes == 1000 * 1024);
  CHECK(first.memory_used_bytes == 600 * 1024);
  CHECK(first.disk_free_bytes > 0);
  REQUIRE(first.rank_resident_bytes.size() == 2);
  CHECK(first.rank_resident_bytes[0] == 25 * ::sysconf(_SC_PAGESIZE));
  CHECK(first.rank_resident_bytes[1] == -1);
  CHECK(std::isnan(first.rank_cpu_pct[0]));

  CHECK(first.cpus == 1);
  root.write("proc/stat", "cpu  200 0 150 850 0 0 0 0 0 0\n");
  root.write("proc/42/stat",
             stat_line("rank", 'R', 100, static_cast<int>(::sysconf(_SC_CLK_TCK)), 5));
  const auto second = sampler.sample(pids, 3 * kHostSamplerSecond);
  CHECK(second.cpu_pct == Approx(75));
  CHECK(second.rank_cpu_pct[0] == Approx(50));
  CHECK(std::isnan(second.rank_cpu_pct[1]));
  root.write("proc/42/statm", "0 0 0 0 0 0 0\n");  // a zombie that was not waited for
  CHECK(sampler.sample(pids, 4 * kHostSamplerSecond).rank_resident_bytes[0] == -1);
}

TEST_CASE("processes that a rank started count for it, even after they have ended") {
  const TempFolder root;
  const int second = static_cast<int>(::sysconf(_SC_CLK_TCK));
  root.write("proc/42/stat", stat_line("rank", 'R', 0, 0, 5));
  root.write("proc/43/stat", stat_line("loader", 'R', 0, 0, 6));
  root.write("proc/44/stat", stat_line("its child", 'R', 0, 0, 7));
  root.write("proc/42/task/42/children", "");
  root.write("proc/42/task/50/children", "43 ");
  root.write("proc/43/task/43/children", "44 ");
  HostSampler sampler(root.path(), root.path());
  const std::int64_t pids[] = {42};
  sampler.sample(pids, kHostSamplerSecond);
  root.write("proc/43/stat", stat_line("loader", 'R', second, 0, 6));
  root.write("proc/44/stat", stat_line("its child", 'R', 0, second, 7));
  CHECK(sampler.sample(pids, 2 * kHostSamplerSecond).rank_cpu_pct[0] == Approx(200));
  // The child ended without its time being counted, which must not be a negative load.
  root.write("proc/43/task/43/children", "");
  CHECK(sampler.sample(pids, 3 * kHostSamplerSecond).rank_cpu_pct[0] == Approx(0));
}

TEST_CASE("a reused pid starts over") {
  const TempFolder root;
  root.write("proc/42/stat", stat_line("rank", 'R', 1000, 0, 5));
  HostSampler sampler(root.path(), root.path());
  const std::int64_t pids[] = {42};
  sampler.sample(pids, kHostSamplerSecond);
  root.write("proc/42/stat", stat_line("other", 'R', 1, 0, 6));
  CHECK(std::isnan(sampler.sample(pids, 2 * kHostSamplerSecond).rank_cpu_pct[0]));
}

TEST_CASE("viewers are distinguished from other processes by name") {
  const TempFolder root;
  const int second = static_cast<int>(::sysconf(_SC_CLK_TCK));
  const auto write = [&](int ticks) {
    for (const char* pid : {"40", "41", "42"})
      root.write(std::string("proc/") + pid + "/stat", stat_line("x", 'R', ticks, 0, 5));
  };
  root.write("proc/40/comm", "ringside-dashbo\n");
  root.write("proc/41/comm", "ringside\n");
  root.write("proc/42/comm", "ringside-trainer\n");
  write(0);
  HostSampler sampler(root.path(), root.path());
  CHECK(sampler.sample({}, kHostSamplerSecond).viewer_cpu_pct == 0);
  write(second);
  CHECK(sampler.sample({}, 5 * kHostSamplerSecond).viewer_cpu_pct == Approx(50));
}

TEST_CASE("an unreadable root gives unknown, not zero") {
  const TempFolder root;
  HostSampler sampler(root.path(), root.path() / "gone");
  const auto sample = sampler.sample({}, kHostSamplerSecond);
  CHECK(std::isnan(sample.cpu_pct));
  CHECK(sample.memory_total_bytes == -1);
  CHECK(sample.disk_free_bytes == -1);
}

TEST_CASE("this process is measured with the real /proc") {
  HostSampler sampler("/", "/tmp");
  const std::int64_t pids[] = {::getpid()};
  sampler.sample(pids, mono_now_ns());
  // The loop ends by its own processor time, which a busy machine may delay.
  volatile double sink = 0;
  const std::clock_t until = std::clock() + CLOCKS_PER_SEC * 6 / 100;
  while (std::clock() < until) sink = sink + 1;
  const auto sample = sampler.sample(pids, mono_now_ns());
  CHECK(sample.rank_resident_bytes[0] > 100'000);
  CHECK(sample.rank_cpu_pct[0] > 0);
  CHECK(sample.cpu_pct >= 0);
  CHECK(sample.cpu_pct <= 100);
}
