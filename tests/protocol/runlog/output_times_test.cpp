// Marks of ranks' output are read as written, and damage affects only the damaged mark.
#include "protocol/runlog/output_times.h"

#include <fstream>

#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runlog::OutputMarks;
using runlog::OutputMarkWriter;

namespace {

std::vector<std::int64_t> times(const OutputMarks& marks) {
  std::vector<std::int64_t> result;
  for (const runlog::OutputMark& mark : *marks.shared()) result.push_back(mark.wall_ns);
  return result;
}

using Times = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("marks are read in order, and start over when a stream was truncated") {
  const TempFolder folder;
  OutputMarks marks(folder.path());
  CHECK_FALSE(marks.read(0, 0));
  CHECK(marks.shared()->empty());
  REQUIRE(OutputMarkWriter(folder.path()).append({1000, 10, 0}));
  REQUIRE(OutputMarkWriter(folder.path()).append({2000, 20, 5}));
  CHECK(marks.read(0, 0));
  REQUIRE(times(marks) == Times{1000, 2000});
  CHECK(marks.shared()->back().stdout_bytes == 20);
  CHECK(marks.shared()->back().stderr_bytes == 5);
  REQUIRE(OutputMarkWriter(folder.path()).append({3000, 4, 6}));
  CHECK(marks.read(0, 0));
  CHECK(times(marks) == Times{3000});
}

TEST_CASE("the file of the marks is created with the first of them and stays open") {
  const TempFolder folder;
  const auto path = runlog::output_times_path(folder.path());
  OutputMarkWriter writer(folder.path());
  CHECK_FALSE(std::filesystem::exists(path));
  REQUIRE(writer.append({1000, 10, 0}));
  const auto moved = folder.path() / "moved";
  std::filesystem::rename(path, moved);
  REQUIRE(writer.append({2000, 20, 0}));
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(read_text(moved).value() == "1000 10 0\n2000 20 0\n");
  // The file was truncated while being written.
  std::filesystem::resize_file(moved, 0);
  REQUIRE(writer.append({3000, 30, 0}));
  CHECK(read_text(moved).value() == "3000 30 0\n");
}

TEST_CASE("marks are read only once, and those already returned do not change") {
  const TempFolder folder;
  REQUIRE(OutputMarkWriter(folder.path()).append({1000, 10, 0}));
  OutputMarks marks(folder.path());
  CHECK(marks.read(0, 0));
  CHECK_FALSE(marks.read(0, 0));
  const runlog::SharedMarks before = marks.shared();
  std::fstream(runlog::output_times_path(folder.path()), std::ios::in | std::ios::out) << "7777";
  REQUIRE(OutputMarkWriter(folder.path()).append({2000, 20, 0}));
  CHECK(marks.read(0, 0));
  CHECK(times(marks) == Times{1000, 2000});
  CHECK(before->size() == 1);
}

TEST_CASE("invalid lines are skipped, and an incomplete last line is read later") {
  const TempFolder folder;
  folder.write("output_times", "nonsense\n1000 10 0\n2000 x\n3000 30 0\n4000 40");
  OutputMarks marks(folder.path());
  CHECK(marks.read(0, 0));
  CHECK(times(marks) == Times{1000, 3000});
  CHECK_FALSE(marks.read(0, 0));
  std::ofstream(runlog::output_times_path(folder.path()), std::ios::app) << " 0\n";
  CHECK(marks.read(0, 0));
  CHECK(times(marks) == Times{1000, 3000, 4000});
}

TEST_CASE("an invalid mark or one with an earlier time drops no other mark") {
  const TempFolder folder;
  folder.write("output_times", "1000 10 0\n2000 20 0\n3000 34000 40 0\n1500 1 0\n5000 50 0\n");
  OutputMarks marks(folder.path());
  CHECK(marks.read(0, 0));
  CHECK(times(marks) == Times{1000, 2000, 5000});
}

TEST_CASE("marks before the displayed bytes are dropped") {
  const TempFolder folder;
  folder.write("output_times", "1000 10 0\n2000 20 5\n3000 30 5\n4000 40 5\n5000 50 5\n");
  OutputMarks marks(folder.path());
  CHECK(marks.read(40, 0));
  CHECK(times(marks) == Times{2000, 5000});
}
