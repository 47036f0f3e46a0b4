// Text that people type finds the run they mean, or gives an error that lists what exists.
#include "gui/runs/find_run.h"

#include <fstream>

#include "gui/runs/copied_numbers.h"
#include "gui/runs/trash.h"
#include "protocol/runlog/noted_runs.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runs::find_run;

namespace {

struct ThreeRuns {
  TempFolder folder;
  std::filesystem::path dir = folder.path() / "runs";
  ThreeRuns() {
    for (const char* id :
         {"20261121T134005Z-7f3a1c", "20261121T134007Z-000001", "20261122T000000Z-abcdef"}) {
      support::make_folder(dir, id, {});
    }
    folder.write("runs/notes.txt", "not a run");
    folder.write("runs/foreign/readme", "not a run either");
  }
};

std::string found(const std::filesystem::path& dir, std::string_view text) {
  const auto run = find_run(dir, text);
  return run ? run->folder.id() : "";
}

std::string error_of(const std::filesystem::path& dir, std::string_view text) {
  const auto run = find_run(dir, text);
  REQUIRE(!run);
  CHECK(run.error().kind == ErrorKind::kRequest);
  return run.error().message;
}

}  // namespace

TEST_CASE("runs are listed by id with numbers from 1, and foreign folders are left out") {
  const ThreeRuns three;
  const auto listed = runs::list_runs(three.dir).value();
  REQUIRE(listed.size() == 3);
  CHECK(listed[0].number == 1);
  CHECK(listed[0].folder.id() == "20261121T134005Z-7f3a1c");
  CHECK(listed[2].number == 3);
}

TEST_CASE("runs keep their numbers when another run's folder is removed, however that happened") {
  TempFolder folder;
  const auto dir = folder.path() / "runs";
  std::vector<runlog::RunFolder> made;
  support::FakeClock clock;
  for (int i = 0; i < 3; ++i) {
    clock.advance(1'000'000);  // all ids are of one second
    made.push_back(runlog::create_run_folder(dir, clock).value());
    std::ofstream(made.back().spec_path());
    runlog::note_run(dir, {made.back().id(), made.back().id()});
    CHECK(find_run(dir, made.back().id())->number == i + 1);
  }
  std::filesystem::remove_all(made[0].path());
  CHECK(find_run(dir, made[1].id())->number == 2);
  CHECK(find_run(dir, made[2].id())->number == 3);
  CHECK(found(dir, "1").empty());
}

TEST_CASE("a folder that is not named by an id gets no number and is never the last run") {
  const ThreeRuns three;
  for (const char* name : {"2026 backup of the good one", "20261121T134006Z-000000 (copy)", "zzz"})
    support::make_folder(three.dir, name, {});
  const auto listed = runs::list_runs(three.dir).value();
  REQUIRE(listed.size() == 3);
  CHECK(listed[2].number == 3);
  CHECK(found(three.dir, "last") == "20261122T000000Z-abcdef");
  CHECK(find_run(three.dir, (three.dir / "zzz").string())->number == 0);
}

TEST_CASE("a run whose settings were deleted is a run as long as it has a log") {
  const ThreeRuns three;
  const auto folder = runlog::RunFolder(three.dir / "20261121T134007Z-000001");
  { const support::LogSink log(folder); }
  std::filesystem::remove(folder.spec_path());
  CHECK(found(three.dir, "2") == folder.id());
  CHECK(found(three.dir, folder.path().string()) == folder.id());
  CHECK(runs::list_runs(three.dir).value().size() == 3);
  // The deleted run keeps its number.
  REQUIRE(runs::move_to_trash(three.dir, folder));
  CHECK(runs::find_run(three.dir, "last")->number == 3);
}

TEST_CASE("an id, a unique beginning of one, last, a number and a path all find a run") {
  const ThreeRuns three;
  CHECK(found(three.dir, "20261121T134007Z-000001") == "20261121T134007Z-000001");
  CHECK(found(three.dir, "20261122") == "20261122T000000Z-abcdef");
  CHECK(found(three.dir, "last") == "20261122T000000Z-abcdef");
  CHECK(found(three.dir, "#1") == "20261121T134005Z-7f3a1c");
  CHECK(found(three.dir, "2") == "20261121T134007Z-000001");
  const auto by_path = find_run(three.dir, (three.dir / "20261121T134007Z-000001").string());
  REQUIRE(by_path);
  CHECK(by_path->number == 2);
  CHECK(find_run("/nowhere", (three.dir / "20261121T134007Z-000001/").string())->number == 0);
}

TEST_CASE("an ambiguous beginning of an id is refused, and the error names the candidates") {
  const ThreeRuns three;
  const auto message = error_of(three.dir, "20261121");
  CHECK(message.find("2 ids") != std::string::npos);
  CHECK(message.find("20261121T134005Z-7f3a1c") != std::string::npos);
  CHECK(message.find("20261121T134007Z-000001") != std::string::npos);
}

TEST_CASE("text that finds no run is refused with what to do") {
  const ThreeRuns three;
  CHECK(error_of(three.dir, "2031").find("ringside list") != std::string::npos);
  CHECK(error_of(three.dir, "#9").find("#3") != std::string::npos);
  // A number, not the beginning of an id.
  CHECK(error_of(three.dir, "1001").find("#3") != std::string::npos);
  CHECK(error_of(three.dir, "#x").find("ringside list") != std::string::npos);
  CHECK(error_of(three.dir, "").find("last") != std::string::npos);
  CHECK(error_of(three.dir, (three.dir / "foreign").string()).find("spec.toml") !=
        std::string::npos);
  CHECK(error_of(three.dir, "../..").find("spec.toml") != std::string::npos);
  CHECK(error_of("/nowhere/runs", "last").find("no runs") != std::string::npos);
}

TEST_CASE("a deleted run is found by its number, a beginning of its id, or as the only one") {
  const ThreeRuns three;
  const auto deleted = [&](std::string_view text) {
    const auto run = runs::find_deleted_run(three.dir, text);
    return run ? run->folder.id() : run.error().message;
  };
  const auto says = [&](std::string_view text, const std::string& part) {
    INFO(deleted(text));
    CHECK(deleted(text).find(part) != std::string::npos);
  };
  says("last", "no deleted runs");
  REQUIRE(runs::move_to_trash(three.dir, runlog::RunFolder(three.dir / "20261121T134007Z-000001")));
  for (const char* text : {"2", "#2", "last", "20261121T134007Z-000001", "2026"})
    CHECK(deleted(text) == "20261121T134007Z-000001");
  for (const char* text : {"2", "#2"})
    CHECK(error_of(three.dir, text) ==
          "run #2 was deleted; `ringside delete 2 --restore` brings it back");
  for (const char* text : {"1", "#4", "0", "2031", "", "../20261121T134007Z-000001"})
    says(text, "there are 20261121T134007Z-000001 (#2)");
  REQUIRE(runs::move_to_trash(three.dir, runlog::RunFolder(three.dir / "20261121T134005Z-7f3a1c")));
  CHECK(deleted("1") == "20261121T134005Z-7f3a1c");
  CHECK(deleted("2") == "20261121T134007Z-000001");
  const std::string both = "20261121T134007Z-000001 (#2), 20261121T134005Z-7f3a1c (#1)";
  says("last", "2 deleted runs; name one of them: " + both);
  says("20261121", both);
}

TEST_CASE("run ids in a sentence of an agent are replaced by their numbers") {
  const ThreeRuns three;
  const std::string text =
      "behind run 20261121T134007Z-000001 (rank pid 1) on GPU 0; and run 20261122T000000Z-abcdef";
  CHECK(runs::name_runs(text, three.dir) == "behind run #2 (rank pid 1) on GPU 0; and run #3");
  // Text that is not listed, not an id or not after the word "run" is left alone.
  for (const char* other :
       {"behind run 20991121T134007Z-000001", "run 2026", "run 20261121X134007Z-000001", "run ",
        "at 20261121T134007Z-000001", ""})
    CHECK(runs::name_runs(other, three.dir) == other);
  CHECK(runs::name_runs(text, three.folder.path() / "nowhere") == text);
}

TEST_CASE("copies have the numbers of their machine, and none before it has sent them") {
  const ThreeRuns three;
  constexpr const char* kFirst = "20261121T134005Z-7f3a1c";
  constexpr const char* kSecond = "20261121T134007Z-000001";
  constexpr const char* kThird = "20261122T000000Z-abcdef";
  const auto numbers = [&] {
    std::vector<int> all;
    const auto listed = runs::list_runs(three.dir);
    for (const auto& run : listed.value()) all.push_back(run.number);
    return all;
  };
  // The first and second run of that machine were deleted there, and so was one in between.
  REQUIRE(runs::keep_copied_numbers(three.dir, {{kFirst, 3}, {kSecond, 5}, {"../x\n", 9}}, true));
  CHECK(numbers() == std::vector<int>{3, 5, 0});
  CHECK(found(three.dir, "#5") == kSecond);
  CHECK(runs::name_runs(std::string("behind run ") + kFirst, three.dir) == "behind run #3");
  const std::string unknown = std::string("behind run ") + kThird;
  CHECK(runs::name_runs(unknown, three.dir) == unknown);
  // A received number is kept as long as the run's copy exists.
  std::filesystem::remove_all(three.dir / kFirst);
  REQUIRE(runs::keep_copied_numbers(three.dir, {{kThird, 6}}, true));
  CHECK(numbers() == std::vector<int>{5, 6});
  CHECK(runs::copied_numbers(three.dir) == runs::RunNumbers{{kSecond, 5}, {kThird, 6}});
}
