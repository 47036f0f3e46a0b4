// Tests which timelines a run has, and traces that become a run.
#include "gui/session/trace/timeline_sources.h"

#include <fstream>

#include "gui/runs/catalogue.h"
#include "gui/runs/find_run.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

fs::path trace_file(const fs::path& file, int rank) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << R"({"distributedInfo":{"rank":)" << rank
                      << R"(},"traceEvents":[{"ph":"X","name":"aten::mm","cat":"cpu_op","pid":1,)"
                      << R"("tid":1,"ts":1,"dur":)" << 1000 * (rank + 1) << "}]}";
  return file;
}

TEST_CASE("profiles of a run are named by their steps, newest first") {
  TempFolder folder;
  const runlog::RunFolder run(folder.path());
  CHECK(session::timeline_sources(run).empty());
  const auto old = trace_file(folder.path() / "profiles/steps_3-5.json", 0);
  const auto late = trace_file(folder.path() / "profiles/steps_141-143.json", 0);
  fs::last_write_time(old, fs::last_write_time(late) - std::chrono::seconds(5));
  std::ofstream(folder.path() / "profiles/notes.txt") << "no trace";
  const auto sources = session::timeline_sources(run);
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].title == "Profile of steps 141 to 143");
  CHECK(sources[1].title == "Profile of steps 3 to 5");
}

TEST_CASE("traces of two ranks become a run with the timeline of both") {
  TempFolder folder;
  const std::vector<fs::path> files{trace_file(folder.path() / "a/trace.pt.trace.json", 0),
                                    trace_file(folder.path() / "b/trace.pt.trace.json", 1)};
  session::TraceProgress progress;
  const auto made = session::import_traces(folder.path() / "runs", files, "", progress);
  REQUIRE(made);
  const auto found = runs::find_run(folder.path() / "runs", "last");
  REQUIRE(found);
  const auto spec = runs::read_spec(found->folder);
  REQUIRE(spec);
  CHECK(spec->name == "trace");
  CHECK(spec->devices.world_size == 2);
  const auto sources = session::timeline_sources(found->folder);
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].title == "0_trace and 1 more");
  session::TraceProgress again;
  const auto read = session::read_timeline(sources[0], again);
  REQUIRE(read);
  CHECK(read->timeline->ranks() == std::vector<Rank>{0, 1});
  REQUIRE(read->operations->rows.size() == 1);
  CHECK(read->operations->rows[0].cells[0].text == "aten::mm");
}

TEST_CASE("eleven traces without a rank keep the order in which they were named") {
  TempFolder folder;
  std::vector<fs::path> files;
  for (int i = 0; i < 11; ++i) {
    files.push_back(folder.path() / (std::string(1, static_cast<char>('z' - i)) + ".json"));
    std::ofstream(files.back()) << R"([{"ph":"X","name":"op)" << i
                                << R"(","pid":1,"tid":1,"ts":1,"dur":2}])";
  }
  session::TraceProgress progress;
  const auto made = session::import_traces(folder.path() / "runs", files, "", progress);
  REQUIRE(made);
  const auto sources = session::timeline_sources(*made);
  REQUIRE(sources.size() == 1);
  session::TraceProgress again;
  const auto read = session::read_timeline(sources[0], again);
  REQUIRE(read);
  REQUIRE(read->timeline->tracks.size() == 11);
  for (std::size_t i = 0; i < 11; ++i)
    CHECK(read->timeline->name_of({static_cast<std::uint32_t>(i), 0, 0}).text ==
          "op" + std::to_string(i));
}

TEST_CASE("a trace of any name is listed in the run that it becomes") {
  const std::string name = GENERATE("trace.txt", "chrome.gz", "UP.JSON", "plain");
  INFO(name);
  TempFolder folder;
  const auto file = trace_file(folder.path() / name, 0);
  session::TraceProgress progress;
  const auto made = session::import_traces(folder.path() / "runs", {file}, "", progress);
  REQUIRE(made);
  const auto sources = session::timeline_sources(*made);
  REQUIRE(sources.size() == 1);
  session::TraceProgress again;
  CHECK(session::read_timeline(sources[0], again));
}

TEST_CASE("a file that is not a trace creates no run") {
  TempFolder folder;
  std::ofstream(folder.path() / "bad.json") << "{}";
  session::TraceProgress progress;
  CHECK_FALSE(
      session::import_traces(folder.path() / "runs", {folder.path() / "bad.json"}, "x", progress));
  CHECK_FALSE(fs::exists(folder.path() / "runs"));
}

}  // namespace
}  // namespace ringside
