// Tests the JSON in which a machine's use is sent to another machine.
#include "gui/session/machines/machine_query.h"

#include <nlohmann/json.hpp>

#include "gui/view/window/machine_tables.h"
#include "tests/gui/session/far_answers.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::session;
using ringside::testing::FarAnswers;

namespace {

view::MachineUse used_machine() {
  view::MachineUse use;
  use.host = "box";
  use.cores = 8;
  use.load = 2.5;
  use.disk_free_bytes = std::int64_t{310} << 30;
  use.gpus.resize(2);
  use.gpus[0].used_by = "run #12";
  use.gpus[1].gpu = 1;
  use.gpus[1].utilisation_percent = 0;
  use.runs = {{"run #12", view::kHasDevices, 61, "GPU 0", "one"}};
  use.processes = {{4711, "ada", std::nan(""), 1024, "0", "run #12", "python train.py"}};
  use.partitions = {{"gpu", 3, 11, 4, 192, 116, 2}};
  return use;
}

}  // namespace

TEST_CASE("the use of a machine is unchanged after it was sent as JSON") {
  const auto json = to_json(used_machine());
  CHECK(json["cpu_slots_free"].is_null());
  CHECK(json["gpus"][0]["utilisation_percent"].is_null());
  CHECK(json["gpus"][1]["utilisation_percent"] == 0);
  CHECK(json["gpus"][1]["used_by"].is_null());
  CHECK(json["processes"][0]["cores"].is_null());
  const auto heard = parse_machine_use(json.dump());
  REQUIRE(heard);
  CHECK(to_json(*heard) == json);
  CHECK(view::machine_line(*heard) == view::machine_line(used_machine()));
  CHECK(heard->partitions.front().cores_free == 116);
}

TEST_CASE("values that an older ringside leaves out are unknown, and unknown ones are ignored") {
  const auto use = parse_machine_use(R"({"host": "box", "gpus": [{"gpu": 3}], "later": [1]})");
  REQUIRE(use);
  CHECK(use->gpus.front().gpu == 3);
  CHECK(use->gpus.front().memory_total_bytes == -1);
  CHECK(use->disk_free_bytes == -1);
  CHECK(use->runs.empty());
}

TEST_CASE("S4: texts of another machine cannot control the terminal") {
  const auto use = parse_machine_use(
      R"({"host": "a\u001b[2Jb", "slurm_problem": "no\nslurm", "gpu_problem": "\u0007",
          "gpus": [{"used_by": "\u001b]0;x"}], "processes": [{"command": "l\u00e4uft"}]})");
  REQUIRE(use);
  CHECK(use->host == "a\\x1b[2Jb");
  CHECK(use->slurm_problem == "no\\nslurm");
  CHECK(use->gpu_problem == "\\x07");
  CHECK(use->gpus.front().used_by == "\\x1b]0;x");
  CHECK(use->processes.front().command == "l\u00e4uft");
}

TEST_CASE("S4: an invalid answer of another machine is refused in a sentence") {
  for (const char* told : {"", "[]", "{", "null", "5", R"({"host": 5})", R"({"gpus": {}})",
                           R"({"gpus": [5]})", R"({"cores": "8"})", R"({"runs": [{"run": []}]})"}) {
    INFO(told);
    FarAnswers there;
    there.answers(told);
    const auto use = look_there(there.machine());
    REQUIRE_FALSE(use);
    CHECK(use.error().message == "ssh://box answers in a form that is not known here");
  }
}

TEST_CASE("a machine that is reached but never answers its look is given up in a sentence") {
  FarAnswers there;
  there.keeps_silent();
  const auto use = look_there(there.machine(), 1'000'000'000);
  REQUIRE_FALSE(use);
  CHECK(use.error().message.starts_with("ssh://box was reached, but did not say within 1 s"));
  // A machine that is no longer wanted is given up for that reason.
  there.keeps_silent();
  auto left = there.machine();
  left.deadline->end();
  const auto none = look_there(left);
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "the request to the machine was cancelled");
}
