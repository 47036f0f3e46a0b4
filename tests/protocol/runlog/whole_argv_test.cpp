#include "protocol/runlog/whole_argv.h"

#include <cstdlib>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using Argv = std::vector<std::string>;
namespace fs = std::filesystem;

TEST_CASE("S10: a command line with secrets is kept apart, for its owner alone") {
  const TempFolder folder;
  const char* before = std::getenv("XDG_STATE_HOME");
  const std::string restored = before == nullptr ? "" : before;
  ::setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
  const Argv argv{"train", "--api-key=a\nb c", ""};
  const Argv stored{"train", "--api-key=[redacted]", ""};
  REQUIRE(runlog::keep_whole_argv("20261121T134005Z-7f3a1c", argv));
  CHECK(runlog::whole_argv("20261121T134005Z-7f3a1c", stored).value() == argv);
  const fs::path home = folder.path() / "ringside" / "arguments";
  CHECK(fs::status(home).permissions() == fs::perms::owner_all);
  CHECK(fs::status(home / "20261121T134005Z-7f3a1c").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
  // Without a secret nothing is looked up; of another run, or another command line, it is unknown.
  CHECK(runlog::whole_argv("x", {"train"}).value() == Argv{"train"});
  for (const auto& unknown :
       {runlog::whole_argv("x", stored),
        runlog::whole_argv("20261121T134005Z-7f3a1c", {"other", "--api-key=[redacted]", ""})}) {
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().kind == ErrorKind::kRequest);
  }
  before == nullptr ? ::unsetenv("XDG_STATE_HOME")
                    : ::setenv("XDG_STATE_HOME", restored.c_str(), 1);
}
