#include "protocol/runlog/copy_mark.h"

#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using runlog::CopyMark;

TEST_CASE("the mark of a copy has its machine and the nodes whose agents are alive") {
  const TempFolder temp;
  const runlog::RunFolder folder(temp.path());
  CHECK_FALSE(runlog::copy_mark(folder));
  for (const CopyMark& mark : {CopyMark{"ssh://box"}, CopyMark{"ssh://ada@box:22", {0, 3}}}) {
    REQUIRE(runlog::mark_copy(folder, mark));
    CHECK(runlog::copy_mark(folder) == mark);
  }
}

TEST_CASE("from a damaged mark the machine is read, and no node counts as alive") {
  const TempFolder temp;
  const runlog::RunFolder folder(temp.path());
  REQUIRE(write_text_atomically(temp.path() / runlog::kCopyMarkFile, "ssh://box\n\nx\n1 2"));
  CHECK(runlog::copy_mark(folder) == CopyMark{"ssh://box"});
}
