#include "gui/slurm/ask_program.h"

#include "tests/gui/slurm/fake_programs.h"

using namespace ringside;
using namespace ringside::slurm;

TEST_CASE("a program's answer is its output, and its error message is the error") {
  Rig rig;
  rig.program("scontrol", "JobId=12");
  CHECK(ask_program("scontrol", {"show", "job", "12"}).value() == "JobId=12\n");
  CHECK(rig.called("scontrol") == "show job 12\n");
  rig.failing("scancel", "Invalid job id");
  const auto refused = ask_program("scancel", {"99"});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "scancel: Invalid job id");
  CHECK_FALSE(ask_program("no-such-program-of-slurm", {}));
}
