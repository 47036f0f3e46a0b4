// Output of ranks, as the log dock gets it.
#include "gui/session/run_texts.h"

#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

TEST_CASE(
    "both streams of a rank share its marks, and marks of earlier bytes are read on request") {
  const TempFolder folder;
  const runlog::RunFolder run(folder.path());
  const auto rank = run.rank_dir(0, 0);
  std::filesystem::create_directories(rank);
  const std::string line(1000, 'x');
  std::string bytes;
  for (int i = 1; i <= 100; ++i) {
    bytes += line;
    REQUIRE(runlog::OutputMarkWriter(rank).append({i, bytes.size(), 0}));
  }
  REQUIRE(write_text_atomically(rank / "stdout", bytes));
  REQUIRE(write_text_atomically(rank / "stderr", ""));
  session::StreamTails tails(run);
  REQUIRE(tails.read());
  CHECK_FALSE(tails.read());
  const auto streams = tails.streams();
  REQUIRE(streams.size() == 2);
  CHECK(streams[0].marks == streams[1].marks);
  // Only the last 64 KiB of 100,000 bytes are read.
  CHECK(streams[0].seen().front().wall_ns == 35);
  tails.read_earlier();
  REQUIRE(tails.read());
  CHECK(tails.streams()[0].seen().front().wall_ns == 1);
  CHECK(streams[0].seen().front().wall_ns == 35);
}
