#include "protocol/runlog/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/runlog/noted_runs.h"
#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_folder.h"

namespace ringside::runlog {
namespace {

unsigned mode_of(const std::filesystem::path& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777U;
}

// Sets a variable within a scope.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST_CASE(
    "a run id consists of its UTC time and random digits, and sorts by time within a second") {
  constexpr std::int64_t kWall = 1'795'268'405'999'999'999;
  CHECK(make_run_id(kWall, 0xFF7F3A1C) == "20261121T134005Z-ffff1c");
  CHECK(make_run_id(0, 1) == "19700101T000000Z-000001");
  CHECK(make_run_id(kWall, 0xFFFFFF) < make_run_id(kWall + 1'000'000'000, 0));
  CHECK(make_run_id(kWall - 1'000'000, 0xFFFFFF) < make_run_id(kWall, 0));
}

TEST_CASE("the list of runs remains when their folders are deleted") {
  const TempFolder temp;
  const auto dir = temp.path() / "runs";
  CHECK(noted_runs(dir).empty());
  const auto made = create_run_folder(dir, SystemClock());
  REQUIRE(made);
  note_run(dir, {made->id(), made->id()});
  std::filesystem::remove_all(made->path());
  note_run(dir, {"20260101T000000Z-000001", "20270101T000000Z-ffffff"});
  note_run(dir, {"../../x", "y"});
  const auto noted = noted_runs(dir);
  REQUIRE(noted.size() == 2);
  CHECK(noted[0].id == made->id());
  CHECK(noted[0].turn == made->id());
  CHECK(noted[1].turn == "20270101T000000Z-ffffff");
}

TEST_CASE("a run folder lists its attempts and the ranks with unsent records") {
  const TempFolder temp;
  const RunFolder folder(temp.path());
  CHECK(folder.attempts() == 0);
  CHECK(folder.ranks_with_unsent(-1).empty());
  for (const Rank rank : {0, 1, 2, 3})
    std::filesystem::create_directories(folder.rank_dir(1, rank));
  CHECK(folder.attempts() == 0);
  std::filesystem::create_directories(folder.attempt_dir(0));
  CHECK(folder.attempts() == 2);
  for (const Rank rank : {1, 3}) std::ofstream(folder.unsent_path(1, rank)) << "x";
  CHECK(folder.ranks_with_unsent(1) == std::vector<Rank>{1, 3});
  CHECK(folder.ranks_with_unsent(0).empty());
}

TEST_CASE("a new run folder is private and has its files in the documented places") {
  const TempFolder temp;
  support::FakeClock clock;
  clock.set(0, 1'795'268'405'000'000'000);
  const auto folder = create_run_folder(temp.path() / "a" / "runs", clock);
  REQUIRE(folder);
  CHECK(mode_of(folder->path()) == 0700);
  CHECK(mode_of(temp.path() / "a") == 0700);
  CHECK(folder->id().substr(0, 17) == "20261121T134005Z-");
  CHECK(folder->spec_path() == folder->path() / "spec.toml");
  CHECK(folder->log_path(2) == folder->path() / "node_2.log");
  CHECK(folder->rank_dir(1, 3) == folder->path() / "attempt_1" / "rank_3");
  CHECK(folder->rendezvous_path(1) == folder->path() / "attempt_1" / "rendezvous");
  CHECK(folder->checkpoints_dir() == folder->path() / "checkpoints");
  CHECK(folder->export_dir() == folder->path() / "export");
  CHECK(folder->agent_path() == folder->path() / "agent.json");
}

TEST_CASE("folders created in the same second have different names") {
  const TempFolder temp;
  const support::FakeClock clock;
  std::set<RunId> names;
  for (int i = 0; i < 50; ++i) {
    const auto folder = create_run_folder(temp.path(), clock);
    REQUIRE(folder);
    names.insert(folder->id());
  }
  CHECK(names.size() == 50);
}

TEST_CASE("a place where no folder can be created is reported with advice") {
  const TempFolder temp;
  temp.write("file", "in the way");
  const auto folder = create_run_folder(temp.path() / "file" / "runs", support::FakeClock{});
  REQUIRE_FALSE(folder);
  CHECK(folder.error().message.find((temp.path() / "file").string()) != std::string::npos);
  CHECK(folder.error().message.find("--runs-dir") != std::string::npos);
}

TEST_CASE("the runs folder follows the environment in the documented order") {
  const Environment home("HOME", "/home/someone");
  const Environment xdg("XDG_DATA_HOME", nullptr);
  const Environment own("RINGSIDE_RUNS_DIR", nullptr);
  CHECK(choose_runs_dir().value() == "/home/someone/.local/share/ringside/runs");
  const Environment relative("XDG_DATA_HOME", "data");
  CHECK(choose_runs_dir().value() == "/home/someone/.local/share/ringside/runs");
  const Environment absolute("XDG_DATA_HOME", "/data/");
  CHECK(choose_runs_dir().value() == "/data/ringside/runs");
  const Environment chosen("RINGSIDE_RUNS_DIR", "/chosen/runs/");
  CHECK(choose_runs_dir().value() == "/chosen/runs");
}

TEST_CASE("the id of a folder does not depend on the notation of its path") {
  CHECK(RunFolder("/runs/one/").id() == "one");
  CHECK(RunFolder("/runs/two/../one").id() == "one");
  CHECK(RunFolder("/runs/one").path() == "/runs/one");
}

TEST_CASE("a run folder has one agent at a time") {
  const TempFolder temp;
  const RunFolder folder(temp.path());
  {
    const auto first = FolderLock::take(folder);
    REQUIRE(first);
    const auto second = FolderLock::take(folder);
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::kRequest);
    CHECK(second.error().message.find(temp.path().string()) != std::string::npos);
    CHECK(FolderLock::is_held(folder));
  }
  CHECK_FALSE(FolderLock::is_held(folder));
  CHECK(FolderLock::take(folder));
}

TEST_CASE("agents of this and earlier versions, which use flock's lock, exclude each other") {
  const TempFolder temp;
  const RunFolder folder(temp.path());
  const int earlier = ::open(folder.lock_path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(::flock(earlier, LOCK_EX | LOCK_NB) == 0);
  const auto refused = FolderLock::take(folder);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  REQUIRE(::flock(earlier, LOCK_UN) == 0);
  const auto held = FolderLock::take(folder);
  REQUIRE(held);
  CHECK(::flock(earlier, LOCK_EX | LOCK_NB) != 0);
  ::close(earlier);
}

TEST_CASE("R11: an agent adopts the lock of its parent process and passes it to no child") {
  const TempFolder temp;
  const RunFolder folder(temp.path());
  auto starter = std::make_optional(FolderLock::take(folder).value());
  // As after fork and exec, with close-on-exec off.
  const int inherited = ::dup(starter->descriptor());
  REQUIRE((::fcntl(starter->descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
  REQUIRE((::fcntl(inherited, F_GETFD) & FD_CLOEXEC) == 0);
  {
    const auto agent = FolderLock::adopt(folder, inherited);
    REQUIRE(agent);
    CHECK((::fcntl(inherited, F_GETFD) & FD_CLOEXEC) != 0);
    starter.reset();
    CHECK(FolderLock::is_held(folder));
    CHECK_FALSE(FolderLock::take(folder));
  }
  CHECK_FALSE(FolderLock::is_held(folder));
}

TEST_CASE("a descriptor that is not the folder's lock is refused") {
  const TempFolder temp;
  const TempFolder other;
  const RunFolder folder(temp.path());
  const auto elsewhere = FolderLock::take(RunFolder(other.path()));
  REQUIRE(elsewhere);
  for (const int fd : {elsewhere->descriptor(), -1, 1000}) {
    const auto refused = FolderLock::adopt(folder, fd);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::kRequest);
  }
  CHECK(FolderLock::is_held(RunFolder(other.path())));
  // A descriptor of a lock that another process has taken in the meantime is not ours, either.
  const int stale = ::open(folder.lock_path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const auto held = FolderLock::take(folder);
  CHECK_FALSE(FolderLock::adopt(folder, stale));
  ::close(stale);
}

TEST_CASE("R11: testing the lock creates no file and does not prevent taking it") {
  const TempFolder temp;
  const RunFolder folder(temp.path());
  CHECK_FALSE(FolderLock::is_held(folder));
  CHECK_FALSE(std::filesystem::exists(folder.lock_path()));
  { const auto held = FolderLock::take(folder); }
  std::atomic<bool> leave = false;
  std::thread asks([&] {
    while (!leave) (void)FolderLock::is_held(folder);
  });
  for (int i = 0; i < 1000; ++i) CHECK(FolderLock::take(folder));
  leave = true;
  asks.join();
}

}  // namespace
}  // namespace ringside::runlog
