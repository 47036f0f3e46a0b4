// Slurm in the real window: a run as a step of the allocation in which the window was started, a
// new study as jobs, and a run on the Slurm of another machine.
#include <algorithm>
#include <string>
#include <vector>

#include "gui/launch/preflight/preflight.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/studies/study.h"
#include "gui/slurm/job_file.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/launch/slurm_form.h"
#include "gui/view/scaling/study_form.h"
#include "gui/view/words.h"
#include "protocol/host/files.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/slurm_programs.h"
#include "tests/integration/dashboard/dashboard_rig.h"
#include "tests/integration/remote_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using testing::DashboardRig;
using testing::wait_until;

namespace {

std::vector<runs::RunSummary> runs_of(const DashboardRig& rig) {
  const auto found = runs::read_summaries(rig.cli.runs());
  return found ? *found : std::vector<runs::RunSummary>();
}

bool all_finished(const DashboardRig& rig, std::size_t count) {
  const auto all = runs_of(rig);
  return all.size() == count && std::all_of(all.begin(), all.end(), [](const auto& run) {
           return run.state.word == "finished";
         });
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a window inside an allocation starts a run as a step on its nodes") {
  const testing::SlurmPrograms programs;
  const testing::InAllocation shell;
  DashboardRig rig({"RINGSIDE_SET_DEVICES_INTERFACE=lo"});
  rig.open({"--preset", rig.cli.experiment(2, {"--steps=40"})});
  rig.click("slurm.where");
  rig.click("Slurm job 12");
  rig.wait_for("##slurm.nodes");
  rig.wait_for(launch::titles::kRunFolder);
  rig.click(view::launch_label(2));
  REQUIRE(wait_until(60, [&] { return all_finished(rig, 1); }));
  const auto file = slurm::read_job_file(runs_of(rig).front().folder);
  REQUIRE(file);
  CHECK(file->job == "12");
  CHECK(file->is_step);
  CHECK(programs.called("srun").find("--nodes=2 ") != std::string::npos);
  CHECK(programs.called("sbatch").empty());
}

TEST_CASE("a new study from the window is one job for each run, with the options of its form") {
  const testing::SlurmPrograms programs;
  const slurm::Variable none("SLURM_JOB_ID", "");
  DashboardRig rig({"RINGSIDE_ASSETS_DIR=" + (programs.fakes.path() / "assets").string()});
  const auto recipe = rig.cli.experiment(1, {"--steps=20"});
  programs.fakes.write("assets/presets/demo.toml",
                       read_text(recipe).value() + "\n[quick]\nlimits.grace_s = 1\n");
  rig.open({"--place", "scaling"});
  rig.click(view::label::kNewStudy);
  rig.click("Slurm");
  rig.type_into("##study slurm.partition", "gpu");
  // A press while the window plans the last input is ignored.
  REQUIRE(wait_until(60, [&] {
    if (rig.shows(view::label::kStartStudy)) {
      rig.click(view::label::kStartStudy);
      (void)wait_until(2, [&] { return !rig.shows(view::label::kStartStudy); });
    }
    return !rig.shows("##study slurm.partition");
  }));
  REQUIRE(wait_until(120, [&] { return all_finished(rig, 6); }));
  const std::string calls = programs.called("sbatch");
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 6);
  CHECK(count_of(calls, "--partition=gpu ") == 6);
  CHECK(count_of(calls, "--dependency=afterany:") == 5);
  CHECK(runs::list_studies(rig.cli.runs()).size() == 1);
}

TEST_CASE(
    "a run of the window goes to the Slurm of another machine, with the options of its form") {
  const testing::SlurmPrograms programs;
  const slurm::Variable none("SLURM_JOB_ID", "");
  testing::fake_ssh(programs.fakes.path());
  DashboardRig rig({"RINGSIDE_SSH=" + (programs.fakes.path() / "ssh").string(),
                    "RINGSIDE_SET_DEVICES_INTERFACE=lo"});
  rig.open({"--on", "ssh://login", "--place", "launch", "--preset",
            rig.cli.experiment(2, {"--steps=40"})});
  rig.click("Slurm");
  rig.type_into("##slurm.partition", "gpu");
  rig.click("Submit 2 ranks");
  REQUIRE(wait_until(120, [&] { return all_finished(rig, 1); }));
  const std::string calls = programs.called("sbatch");
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 1);
  CHECK(count_of(calls, "--partition=gpu ") == 1);
  // The result is shown here, from the run's copy.
  rig.wait_for(view::rank_name(1));
}
