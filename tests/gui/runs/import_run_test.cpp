// A run folder from elsewhere is copied completely or not at all, and what is not a run is refused
// with the reason.
#include "gui/runs/import_run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "gui/runs/find_run.h"
#include "gui/runs/trash.h"
#include "gui/slurm/jobs.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;

namespace {

constexpr const char* kId = "20261121T134005Z-7f3a1c";
const std::atomic<bool> kStay = false;

struct RemoteHandling {
  RemoteHandling() : source(support::make_run(temp.path() / "usb", kId, support::demo_small(2))) {}
  fs::path runs() const { return temp.path() / "runs"; }
  Result<runlog::RunFolder> import() const {
    return runs::import_run(runs(), source.path(), kStay);
  }
  std::string refusal() const {
    const auto copied = import();
    REQUIRE_FALSE(copied);
    CHECK(copied.error().kind == ErrorKind::kRequest);
    CHECK(runs::list_runs(runs())->empty());
    return copied.error().message;
  }

  TempFolder temp;
  runlog::RunFolder source;
};

std::string bytes_of(const fs::path& path) { return read_text(path).value_or("missing"); }

}  // namespace

TEST_CASE("a run from another machine is copied with everything in it") {
  const RemoteHandling from;
  from.temp.write(std::string("usb/") + kId + "/attempt_0/rank_1/stdout", "hello\n");
  from.temp.write(std::string("usb/") + kId + "/checkpoints/epoch_1.pt",
                  std::string(9'000'000, 'x'));
  from.temp.write(std::string("usb/") + kId + "/agent.log", "said\n");
  for (const char* name : {"agent.json", "agent_1.json", "lock_1", "reserve", "reserve_1"})
    from.temp.write(fs::path("usb") / kId / name, "{\"secret\": 1}");
  fs::create_symlink("/etc/passwd", from.source.path() / "attempt_0" / "link");
  const auto copied = from.import();
  REQUIRE(copied);
  CHECK(copied->path() == from.runs() / kId);
  CHECK(bytes_of(copied->log_path(0)) == bytes_of(from.source.log_path(0)));
  CHECK(bytes_of(copied->path() / "attempt_0/rank_1/stdout") == "hello\n");
  CHECK(fs::file_size(copied->path() / "checkpoints/epoch_1.pt") == 9'000'000);
  CHECK(bytes_of(copied->path() / "agent.log") == "said\n");
  for (const char* name : {"agent.json", "agent_1.json", "lock_1", "reserve", "reserve_1"})
    CHECK_FALSE(fs::exists(copied->path() / name));
  CHECK_FALSE(fs::exists(copied->path() / "attempt_0" / "link"));
  struct stat status {};
  REQUIRE(::stat(copied->log_path(0).c_str(), &status) == 0);
  CHECK((status.st_mode & 0077U) == 0);
  CHECK(fs::last_write_time(copied->log_path(0)) == fs::last_write_time(from.source.log_path(0)));
  REQUIRE(runs::list_runs(from.runs())->size() == 1);
  // No unfinished folder stays behind: there are only the run and the list of known runs.
  CHECK(std::distance(fs::directory_iterator(from.runs()), {}) == 2);
}

TEST_CASE("a copy keeps the holes of sparse files") {
  const RemoteHandling from;
  const fs::path log = from.source.path() / "attempt_0" / "sparse";
  fs::create_directories(log.parent_path());
  std::ofstream(log) << "begin";
  fs::resize_file(log, 64 << 20);
  std::ofstream(log, std::ios::app) << "end";
  const auto copied = from.import();
  REQUIRE(copied);
  const fs::path copy = copied->path() / "attempt_0" / "sparse";
  CHECK(bytes_of(copy) == bytes_of(log));
  struct stat status {};
  REQUIRE(::stat(copy.c_str(), &status) == 0);
  CHECK(status.st_size == (64 << 20) + 3);
  CHECK(status.st_blocks * 512 < 8 << 20);
}

TEST_CASE("an imported run keeps only the recorded end of its job on another cluster") {
  const RemoteHandling from;
  slurm::JobFile job{"12", {}, 5, {}};
  SECTION("the end is known") {
    job.end = slurm::JobReport{"TIMEOUT", "TimeLimit", "n1"};
    REQUIRE(slurm::write_job_file(from.source, job));
    const auto kept = slurm::read_job_file(from.import().value());
    REQUIRE(kept);
    CHECK(kept->is_elsewhere);
    CHECK(kept->end == job.end);
    CHECK_FALSE(slurm::read_job_file(from.source)->is_elsewhere);
  }
  SECTION("the end is not known") {
    REQUIRE(slurm::write_job_file(from.source, job));
    CHECK_FALSE(slurm::read_job_file(from.import().value()));
  }
  SECTION("the end of a step is in a file of its own") {
    job.is_step = true;
    REQUIRE(slurm::write_job_file(from.source, job));
    from.temp.write(std::string("usb/") + kId + "/slurm.exit", "1\n");
    CHECK(slurm::job_of(from.import().value())->phase == slurm::JobPhase::kFailed);
  }
  SECTION("the kind of place is unknown here") {
    from.temp.write(std::string("usb/") + kId + "/place.json", R"({"kind": "later"})");
    CHECK_FALSE(fs::exists(from.import().value().path() / "place.json"));
  }
  SECTION("the job is not a number but an option of scancel") {
    from.temp.write(std::string("usb/") + kId + "/slurm.json",
                    R"({"job": "--user=me", "end": {"state": "TIMEOUT"}})");
    CHECK_FALSE(fs::exists(from.import().value().path() / "slurm.json"));
  }
}

TEST_CASE("importing an older run changes no number of existing runs") {
  const RemoteHandling from;
  const auto number_of = [&from](const char* id) {
    return runs::find_run(from.runs(), id).value().number;
  };
  constexpr const char* kOlder = "20261120T090000Z-aaaaaa";
  constexpr const char* kNewer = "20261121T180000Z-bbbbbb";
  constexpr const char* kLater = "29991231T000000Z-cccccc";
  support::make_run(from.runs(), kOlder, support::demo_small(1));
  support::make_run(from.runs(), kNewer, support::demo_small(1));
  REQUIRE(from.import());
  CHECK(number_of(kOlder) == 1);
  CHECK(number_of(kNewer) == 2);
  CHECK(number_of(kId) == 3);
  CHECK(runs::find_run(from.runs(), "#3")->folder.id() == kId);
  // The number is not changed by a later run or by a deletion.
  support::make_run(from.runs(), kLater, support::demo_small(1));
  CHECK(number_of(kLater) == 4);
  REQUIRE(runs::move_to_trash(from.runs(), runlog::RunFolder(from.runs() / kId)));
  CHECK(number_of(kNewer) == 2);
  CHECK(number_of(kLater) == 4);
  REQUIRE(runs::take_from_trash(from.runs(), kId));
  CHECK(number_of(kId) == 3);
  CHECK(runs::list_runs(from.runs())->at(1).folder.id() == kId);
}

TEST_CASE("a renamed folder gets the id from its log back") {
  RemoteHandling from;
  const fs::path renamed = from.temp.path() / "usb" / "my best run";
  fs::rename(from.source.path(), renamed);
  from.source = runlog::RunFolder(renamed);
  CHECK(from.import().value().id() == kId);
}

TEST_CASE("a folder that is not a complete run is refused with the reason") {
  RemoteHandling from;
  SECTION("no such folder") {
    from.source = runlog::RunFolder(from.temp.path() / "nothing");
    CHECK(from.refusal().find("not a folder") != std::string::npos);
  }
  SECTION("no settings") {
    fs::remove(from.source.spec_path());
    CHECK(from.refusal().find("spec.toml") != std::string::npos);
  }
  SECTION("invalid settings") {
    std::ofstream(from.source.spec_path()) << "nonsense = [";
    CHECK(from.refusal().find("spec.toml") != std::string::npos);
  }
  SECTION("only half copied") {
    fs::remove(from.source.log_path(0));
    CHECK(from.refusal().find("incompletely") != std::string::npos);
  }
  SECTION("cut off in the head of its log") {
    fs::resize_file(from.source.log_path(0), 20);
    CHECK(from.refusal().find("node_0.log") != std::string::npos);
  }
  SECTION("written by a newer version") {
    std::fstream log(from.source.log_path(0), std::ios::in | std::ios::out | std::ios::binary);
    log.write(std::string(96, '\x7f').data(), 96);
    log.close();
    CHECK(!from.refusal().empty());
  }
  SECTION("still running") {
    REQUIRE(wire::write_agent_endpoint(from.source.agent_path(),
                                       support::agent_endpoint_of(kId, true)));
    CHECK(from.refusal().find("still active") != std::string::npos);
  }
}

TEST_CASE("a run that is in the list or in the trash is not imported again") {
  const RemoteHandling from;
  REQUIRE(from.import());
  const auto again = from.import();
  REQUIRE_FALSE(again);
  CHECK(again.error().message.find("already") != std::string::npos);
  REQUIRE(runs::move_to_trash(from.runs(), runlog::RunFolder(from.runs() / kId)));
  const auto deleted = from.import();
  REQUIRE_FALSE(deleted);
  CHECK(deleted.error().message.find("deleted") != std::string::npos);
}

TEST_CASE("the leftovers of a killed import are removed, those of a running one are not") {
  const RemoteHandling from;
  from.temp.write("runs/.import-a1B2c3/node_0.log", "half");
  from.temp.write("runs/.import-living/node_0.log", "half");
  from.temp.write("runs/.import-notes/mine", "own");
  const int living = ::open((from.runs() / ".import-living").c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(living, LOCK_EX | LOCK_NB) == 0);
  REQUIRE(from.import());
  CHECK_FALSE(fs::exists(from.runs() / ".import-a1B2c3"));
  CHECK(fs::exists(from.runs() / ".import-living" / "node_0.log"));
  CHECK(fs::exists(from.runs() / ".import-notes" / "mine"));
  ::close(living);
}

TEST_CASE("an import that is cancelled, or finds no room, leaves nothing behind") {
  const RemoteHandling from;
  SECTION("cancelled") {
    const std::atomic<bool> leave = true;
    CHECK_FALSE(runs::import_run(from.runs(), from.source.path(), leave));
  }
  SECTION("unreadable") {
    // A folder cannot be opened in place of a file, whatever user runs the test.
    fs::create_directories(from.runs());
    std::ofstream(from.temp.path() / "file") << "x";
    CHECK_FALSE(runs::import_run(from.temp.path() / "file" / "runs", from.source.path(), kStay));
  }
  CHECK(runs::list_runs(from.runs())->empty());
  if (fs::exists(from.runs())) CHECK(fs::is_empty(from.runs()));
}
