#include "trainer/agent/run_item.h"

#include <cstdlib>

#include "protocol/runlog/whole_argv.h"
#include "tests/support/catch.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
namespace fs = std::filesystem;

TEST_CASE(
    "S10: the stored command line of a moved run is kept once the run was opened in its new "
    "place") {
  const TempFolder folder;
  ::setenv("XDG_STATE_HOME", (folder.path() / "state").c_str(), 1);
  const std::vector<std::string> argv{"train", "--api-key=hunter-22"};
  messages::RunSpec spec;
  spec.program.argv = {"train", "--api-key=[redacted]"};
  folder.write("runs/a/spec.toml", messages::to_toml(spec));
  fs::create_directories(folder.path() / "runs/b");
  REQUIRE(runlog::keep_whole_argv(runlog::RunFolder(folder.path() / "runs/a"), argv));
  fs::rename(folder.path() / "runs/a", folder.path() / "a");
  const support::FakeClock clock;
  const auto opened = agent::open_run(folder.path() / "a", clock);
  REQUIRE(opened);
  CHECK(opened->spec.program.argv == argv);
  runlog::forget_deleted_runs();
  CHECK(runlog::whole_argv("a", spec.program.argv).value() == argv);
}
