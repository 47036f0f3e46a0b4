#include "protocol/runlog/nested_ranks.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

TEST_CASE("the first rank of a launcher within a rank writes their number") {
  const TempFolder folder;
  CHECK_FALSE(runlog::nested_ranks(folder.path()));
  runlog::leave_nested_ranks(folder.path(), 2);
  runlog::leave_nested_ranks(folder.path(), 3);
  CHECK(runlog::nested_ranks(folder.path()) == 2);
}

TEST_CASE("the number is read even if several ranks write it at once") {
  const TempFolder folder;
  std::string text;
  for (int rank = 0; rank < 64; ++rank) text += "64\n";
  folder.write("nested_ranks", text);
  CHECK(runlog::nested_ranks(folder.path()) == 64);
}

TEST_CASE("a missing folder and a file without a number are not errors") {
  const TempFolder folder;
  runlog::leave_nested_ranks(folder.path() / "gone", 2);
  CHECK_FALSE(runlog::nested_ranks(folder.path() / "gone"));
  for (const std::string text : {"", "many", "0", "-1"}) {
    folder.write("nested_ranks", text);
    CHECK_FALSE(runlog::nested_ranks(folder.path()));
  }
}
