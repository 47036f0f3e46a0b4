#include "trainer/agent/nodes/not_begun.h"

#include <chrono>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside::agent {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr std::int64_t kJustNow = 0;
constexpr std::int64_t kAfterAWhile = 25'000'000'000;

/// A run folder in which the agent of node 1 has announced itself, and in which node 0 left its
/// failure file this long before.
struct Left {
  explicit Left(seconds before) : run(folder.path()) {
    folder.write("agent_1.json", "{}");
    leave_not_begun(run, 0, "why");
    const fs::path words = folder.path() / "not_begun_0.json";
    fs::last_write_time(words, fs::last_write_time(run.agent_path(1)) - before);
  }
  std::optional<std::string> read(std::int64_t looked_ns) const {
    return read_not_begun(run, 0, 1, looked_ns);
  }

  TempFolder folder;
  runlog::RunFolder run;
};

}  // namespace

TEST_CASE("a failure file written after the reader's start is used at once") {
  const Left left(seconds(-1));
  CHECK(left.read(kJustNow) == "why");
  CHECK_FALSE(read_not_begun(left.run, 2, 1, kAfterAWhile));
}

TEST_CASE("an earlier failure file is used if it stays, and never if it is old") {
  const Left left(seconds(30));
  CHECK_FALSE(left.read(kJustNow));
  CHECK(left.read(kAfterAWhile) == "why");
  CHECK_FALSE(Left(seconds(90)).read(kAfterAWhile));
}

TEST_CASE("a node that begins removes its failure file") {
  const Left left(seconds(-1));
  clear_not_begun(left.run, 0);
  CHECK_FALSE(left.read(kAfterAWhile));
  clear_not_begun(left.run, 0);
}

TEST_CASE("a reader that has not announced itself ignores failure files") {
  const TempFolder folder;
  const runlog::RunFolder run(folder.path());
  leave_not_begun(run, 0, "why");
  CHECK_FALSE(read_not_begun(run, 0, 1, kAfterAWhile));
}

}  // namespace ringside::agent
