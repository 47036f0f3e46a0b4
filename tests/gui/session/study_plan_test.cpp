// A study inside an allocation, from its preset to the plan, and where an existing one continues.
#include "gui/session/studies/study_plan.h"

#include <algorithm>

#include "gui/launch/program/program_files.h"
#include "gui/launch/program/saved_program.h"
#include "gui/session/studies/plan_request.h"
#include "gui/slurm/job_file.h"
#include "gui/slurm/jobs.h"
#include "protocol/host/files.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/gui/slurm/fake_programs.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::session;

namespace {

constexpr const char* kQueued = "is in Slurm's queue";

slurm::Allocation two_nodes(std::int64_t gpus) { return {"12", "n[1-2]", 2, 8, gpus}; }

StudyPlanRequest recipe_on(const std::string& world, const std::string& kind) {
  messages::RunSpec spec;
  spec.devices.kind = kind;
  spec.program.argv = {"/bin/true"};
  auto recipe = script_plan_request(spec, {}, "test");
  REQUIRE(recipe);
  recipe->request.world = launch::parse_world(world).value();
  recipe->request.repeats = 1;
  return std::move(*recipe);
}

Result<StudyPlan> plan_inside(const TempFolder& folder, const std::string& world,
                              const slurm::Options& asked, std::int64_t gpus) {
  auto recipe =
      RINGSIDE_TRY(in_place(recipe_on(world, "auto"), *place::on_slurm(asked, two_nodes(gpus))));
  return plan_study(folder.path(), recipe, launch::unseen_machine());
}

/// Nodes and devices of each run, in their order.
using Points = std::vector<std::vector<std::int64_t>>;
Points points_of(const StudyPlan& plan) {
  Points points;
  for (const auto& run : plan.plan.runs)
    points.push_back({run.spec.devices.nodes, run.spec.devices.world_size});
  return points;
}

/// A runs folder whose state folder has no saved answer of squeue.
struct Folder : TempFolder {
  slurm::Variable state{"XDG_STATE_HOME", (path() / "state").string()};
};

/// S-07, whose baseline was submitted to Slurm and has not begun: as a step of this allocation, or
/// as a job.
runs::Study study_on_disk(const TempFolder& folder, const std::string& step_of,
                          bool rehearsed = false) {
  const std::string id = "20261121T134011Z-000001";
  messages::RunSpec spec = recipe_on("1,2", "cpu").spec;
  spec.devices.world_size = 1;
  spec.devices.virtual_nodes = rehearsed;
  const auto run = support::make_folder(folder.path(), id, spec);
  slurm::JobFile file{
      step_of.empty() ? "3" : step_of, {}, 1, slurm::JobReport{"CANCELLED", {}, {}}};
  file.is_step = !step_of.empty();
  REQUIRE(slurm::write_job_file(run, file));
  runs::Study study;
  study.head = {"S-07", "test", "test", 1, 1};
  study.settings = {{"baseline-1", {id}, {}, {}}, {"weak-2", {""}, {}, {}}};
  return study;
}

Result<StudyPlan> plan_more_of(const TempFolder& folder, const runs::Study& study,
                               const std::optional<slurm::Options>& typed,
                               const std::optional<slurm::Allocation>& allocation,
                               const std::string& world = {}) {
  StudyPlanRequest plan_request;
  plan_request.request.repeats = 0;
  if (!world.empty()) plan_request.request.world = launch::parse_world(world).value();
  plan_request.where = place::here(allocation);
  if (typed) plan_request.where = place::on_slurm(*typed, allocation);
  return plan_more(folder.path(), study, plan_request, launch::unseen_machine());
}

void refuses(const Result<StudyPlan>& plan, const std::string& why) {
  REQUIRE_FALSE(plan);
  INFO(plan.error().message);
  CHECK(plan.error().kind == ErrorKind::kRequest);
  CHECK(plan.error().message.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("inside an allocation each study setting has the nodes and GPUs that it needs") {
  const TempFolder folder;
  const auto plan = plan_inside(folder, "1,2,4", {}, 2);
  REQUIRE(plan);
  CHECK(points_of(*plan) == Points{{1, 1}, {1, 2}, {2, 4}});
  CHECK(plan->plan.runs.back().spec.devices.kind == "cuda");
  CHECK(plan->where->doing() == "trains inside Slurm job 12");
  const auto lines = plan_lines(*plan, folder.path());
  CHECK(std::count(lines.begin(), lines.end(),
                   "Slurm job 12 runs them one after the other as steps.") == 1);
  // Fewer GPUs of each node than it has.
  CHECK(points_of(plan_inside(folder, "1,2", {.gpus_per_node = 1}, 2).value()) ==
        Points{{1, 1}, {2, 2}});
  // CPU ranks use the given numbers of nodes.
  CHECK(points_of(plan_inside(folder, "1x1,1x2,2x1", {}, 0).value()) ==
        Points{{1, 1}, {1, 2}, {2, 2}});
}

TEST_CASE("a study that needs more than the allocation has is refused before anything starts") {
  const TempFolder folder;
  refuses(plan_inside(folder, "1,3x1", {}, 0),
          "weak-3x1 needs 3 nodes, and Slurm job 12, inside which this is, has n[1-2], 2 nodes");
  refuses(plan_inside(folder, "1,8", {}, 2), "weak-4x2 needs 4 nodes with 2 GPUs each");
  refuses(plan_inside(folder, "1,2", {.partition = "gpu"}, 2), "--partition cannot be chosen");
  refuses(plan_inside(folder, "1,2", {.gpus_per_node = 4}, 2), "--gpus-per-node 4");
}

TEST_CASE("a study whose runs were steps continues inside an allocation") {
  const Folder folder;
  const runs::Study study = study_on_disk(folder, "9");
  const auto inside = plan_more_of(folder, study, {}, two_nodes(0));
  REQUIRE(inside);
  CHECK(inside->where->doing() == "trains inside Slurm job 12");
  // The folder of the baseline still exists.
  CHECK(inside->places.size() == 2);
  CHECK(inside->places.front().existing == study.baseline_run());
  refuses(plan_more_of(folder, study, {}, {}), "`salloc` makes one");
  refuses(plan_more_of(folder, study, {}, two_nodes(0), "3x1"), "weak-3x1 needs 3 nodes");
  // Options for Slurm let the rest be queued.
  const auto queued = plan_more_of(folder, study, slurm::Options{.partition = "g\npu"}, {});
  REQUIRE(queued);
  CHECK(queued->where->doing() == kQueued);
  const auto shown = queued->where->preview(queued->plan, folder.path());
  REQUIRE_FALSE(shown);  // because of the given partition
  CHECK(shown.error().message.find("--partition must be one line") == 0);
}

TEST_CASE(
    "a study whose runs were jobs continues outside of the allocation, or inside on request") {
  const Folder folder;
  const runs::Study study = study_on_disk(folder, {});
  refuses(plan_more_of(folder, study, {}, two_nodes(0)), "env -u SLURM_JOB_ID");
  const auto typed = plan_more_of(folder, study, slurm::Options{}, two_nodes(0));
  REQUIRE(typed);
  CHECK(typed->where->doing() == "trains inside Slurm job 12");
  const auto outside = plan_more_of(folder, study, {}, {});
  REQUIRE(outside);
  CHECK(outside->where->doing() == kQueued);
}

TEST_CASE("a study that was rehearsed on virtual nodes continues on Slurm by default") {
  const Folder folder;
  const auto plan = plan_more_of(folder, study_on_disk(folder, {}, true), {}, {}, "2x1");
  REQUIRE(plan);
  CHECK(plan->where->doing() == kQueued);
  CHECK(points_of(*plan).back() == std::vector<std::int64_t>{2, 2});
  for (const auto& run : plan->plan.runs) CHECK_FALSE(run.spec.devices.virtual_nodes);
}

TEST_CASE(
    "a study continues with an edited script unless one of its runs used the earlier version") {
  const Folder folder;
  const auto script = folder.path() / "train.sh";
  REQUIRE(write_text_atomically(script, "#!/bin/true\n", 0700));
  auto spec = recipe_on("1,2", "cpu").spec;
  spec.devices.world_size = 1;
  spec.program.argv = {script.string()};
  const std::string id = "20261121T134011Z-000001";
  const auto run = support::make_folder(folder.path(), id, spec);
  launch::keep_program(run, spec.program);
  runs::Study study;
  study.head = {"S-07", "test", "test", 1, 1};
  study.settings = {{"baseline-1", {id}, {}, {}}, {"weak-2", {""}, {}, {}}};
  REQUIRE(write_text_atomically(script, "#!/bin/false\n", 0700));

  StudyPlanRequest plan_request;
  plan_request.request.repeats = 0;
  launch::Machine machine;
  machine.cores = 4;
  const auto not_begun = plan_more(folder.path(), study, plan_request, machine);
  REQUIRE(not_begun);
  CHECK(not_begun->places.size() == 2);

  {
    support::LogSink sink(run);
    support::play_demo(support::demo_small(1), sink);
  }
  refuses(plan_more(folder.path(), study, plan_request, machine), "measured another program");
}
