// The Launch page for another machine, with and without its answers.
#include <string>

#include "gui/session/launch/launch_controller.h"
#include "protocol/base/clock.h"
#include "tests/gui/session/far_answers.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::session;
using ringside::testing::FarAnswers;

namespace {

constexpr const char* kDoctor =
    R"({"slurm": true, "devices": [], "cores": 4, "cpu": "x", "driver": "", "driver_problem": ""})";

struct Place {
  explicit Place(const FarAnswers& there)
      : launch(there.temp.path() / "copies", jobs, there.machine()) {
    REQUIRE(launch.select_preset("demo"));
  }
  template <class Holds>
  bool until(Holds&& holds) {
    const std::int64_t deadline_ns = mono_now_ns() + testing::kPatienceNs;
    while (mono_now_ns() < deadline_ns) {
      jobs.finish();
      launch.update();
      if (holds(input())) return true;
    }
    return false;
  }
  view::LaunchInput input() const {
    view::LaunchInput told;
    launch.fill(told);
    return told;
  }
  void types(const std::string& key, const std::string& text) {
    launch.apply(view::EditField{key, text});
    launch.update();
  }

  Jobs jobs{[] {}};
  LaunchController launch;
};

}  // namespace

TEST_CASE("another machine is asked for the job's command when typing has stopped") {
  FarAnswers there;
  there.answers(kDoctor);
  there.answers(R"({"jobs": [["sbatch", "--partition=gpu"]]})");
  Place place(there);
  place.launch.look_at_machine();
  REQUIRE(place.until([](const auto& input) { return input.slurm != nullptr; }));
  const std::int64_t began_ns = mono_now_ns();
  place.types("slurm.where", "Slurm");
  for (const char* text : {"g", "gp", "gpu"}) place.types("slurm.partition", text);
  const bool asked = place.jobs.running("preflight");
  const double next_s = place.launch.next_update_s();
  if (mono_now_ns() - began_ns < 400'000'000) {
    CHECK_FALSE(asked);
    CHECK(next_s > 0);
    CHECK(next_s <= 0.5);
  }
  CHECK(place.until([](const auto& input) { return !input.sbatch.empty(); }));
  CHECK(place.launch.next_update_s() > 1);
  CHECK(there.calls() == 2);
}

TEST_CASE("what another machine offers is shown once it answers, even if it failed to before") {
  FarAnswers there;
  there.answers("nonsense");
  there.answers(kDoctor);
  Place place(there);
  place.launch.look_at_machine();
  REQUIRE(place.until([](const auto& input) { return !input.problem.empty(); }));
  CHECK(place.input().slurm == nullptr);
  place.launch.look_at_machine();
  REQUIRE(place.until([](const auto& input) { return input.slurm != nullptr; }));
  CHECK(place.input().problem.empty());
}

TEST_CASE("changes while another machine is being asked lead to one more request") {
  FarAnswers there;
  there.answers("nonsense");
  there.answers(kDoctor);
  Place place(there);
  place.launch.look_at_machine();
  place.launch.look_at_machine();
  CHECK(place.until([](const auto& input) { return input.slurm != nullptr; }));
  CHECK(there.calls() == 2);
}
