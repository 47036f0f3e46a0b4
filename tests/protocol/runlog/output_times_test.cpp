// Marks of what ranks wrote are read as they were written, and damage costs no more than itself.
#include "protocol/runlog/output_times.h"

#include "protocol/base/byte_file.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runlog::append_output_mark;
using runlog::read_output_marks;

TEST_CASE("marks come back in order, and a stream that was cut begins anew") {
  const TempFolder folder;
  CHECK(read_output_marks(folder.path()).empty());
  REQUIRE(append_output_mark(folder.path(), {1000, 10, 0}));
  REQUIRE(append_output_mark(folder.path(), {2000, 20, 5}));
  auto marks = read_output_marks(folder.path());
  REQUIRE(marks.size() == 2);
  CHECK(marks[1].wall_ns == 2000);
  CHECK(marks[1].stdout_bytes == 20);
  CHECK(marks[1].stderr_bytes == 5);
  REQUIRE(append_output_mark(folder.path(), {3000, 4, 6}));
  marks = read_output_marks(folder.path());
  REQUIRE(marks.size() == 1);
  CHECK(marks[0].wall_ns == 3000);
}

TEST_CASE("lines that are no marks are passed over, and so is a torn last one") {
  const TempFolder folder;
  folder.write("output_times", "nonsense\n1000 10 0\n2000 x\n3000 30 0\n4000 40");
  const auto marks = read_output_marks(folder.path());
  REQUIRE(marks.size() == 2);
  CHECK(marks[1].wall_ns == 3000);
}
