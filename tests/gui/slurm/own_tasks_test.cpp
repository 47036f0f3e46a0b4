#include "gui/slurm/own_tasks.h"

#include <chrono>

#include "gui/slurm/steps.h"
#include "tests/gui/slurm/fake_programs.h"

using namespace ringside;
using namespace ringside::slurm;

namespace {

SlurmTask task_of(int rank, int tasks, int nodes, const std::string& per_node) {
  SlurmTask task;
  task.job = "12";
  task.step = "0";
  task.rank = rank;
  task.tasks = tasks;
  task.nodes = nodes;
  task.tasks_per_node = per_node;
  task.key = "12.0-40217";
  return task;
}

messages::RunSpec preset() {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  return spec;
}

std::string refused(messages::RunSpec spec, const SlurmTask& task,
                    const std::vector<std::string>& sets = {}) {
  const auto read = on_tasks(std::move(spec), task, sets, false);
  if (read) return "";
  CHECK(read.error().kind == ErrorKind::kRequest);
  return read.error().message;
}

}  // namespace

TEST_CASE("ranks and nodes are those that srun has started") {
  const auto one = on_tasks(preset(), task_of(0, 4, 1, "4"), {}, false);
  REQUIRE(one);
  CHECK(one->devices.world_size == 4);
  CHECK(one->devices.nodes == 1);
  CHECK(one->devices.kind == "cpu");
  const auto two = on_tasks(preset(), task_of(0, 5, 2, "4,1"), {"train.epochs=2"}, true);
  REQUIRE(two);
  CHECK(two->devices.world_size == 5);
  CHECK(two->devices.nodes == 2);
  CHECK(two->devices.ranks_per_node == 4);
  CHECK(two->devices.kind == "cuda");
  auto cpu = preset();
  cpu.devices.kind = "cpu";
  CHECK(on_tasks(cpu, task_of(0, 2, 1, "2"), {}, true)->devices.kind == "cpu");
}

TEST_CASE("a setting that contradicts what srun has started is refused") {
  CHECK(refused(preset(), task_of(0, 5, 2, "1,4")).find("--ntasks-per-node") != std::string::npos);
  CHECK(refused(preset(), task_of(0, 6, 3, "3,1,2")).find("--ntasks-per-node") !=
        std::string::npos);
  for (const char* set : {"devices.world_size=4", "devices.nodes=2", "devices.ranks_per_node=2",
                          "devices.virtual_nodes=true"})
    CHECK(refused(preset(), task_of(0, 2, 1, "2"), {set}).find(set) != std::string::npos);
  auto spec = preset();
  spec.devices.ids = {"GPU-1", "GPU-2"};
  CHECK(refused(spec, task_of(0, 2, 1, "2")).find("devices.ids") != std::string::npos);
  spec = preset();
  spec.devices.parallel = "dp";
  CHECK(refused(spec, task_of(0, 2, 1, "2")).find("--ntasks=1") != std::string::npos);
}

TEST_CASE(
    "the other tasks learn from rank 0 where the run is, and Slurm's step is recorded with it") {
  Rig rig;
  const auto runs_dir = rig.run.path().parent_path();
  const SlurmTask other = task_of(1, 2, 1, "2");
  {
    TaskRendezvous meeting(runs_dir, task_of(0, 2, 1, "2"));
    // The file does not exist yet, and waiting for it can be cancelled.
    CHECK_FALSE(wait_for_runs(runs_dir, other, [] { return true; }));
    REQUIRE(meeting.tell({rig.run}));
    const auto runs = wait_for_runs(runs_dir, other, {});
    REQUIRE(runs);
    CHECK(*runs == std::vector<std::string>{rig.run.path().string()});
    const auto file = read_job_file(rig.run);
    REQUIRE(file);
    CHECK(file->is_step);
    CHECK(file->srun_step == "12.0");
    CHECK(step_begun(rig.run));
    CHECK_FALSE(step_end(rig.run));
    meeting.end(1);
    CHECK(step_end(rig.run)->report.state == "FAILED");
  }
  // A task that comes when all is over does not wait, and nothing of another step is read.
  CHECK(wait_for_runs(runs_dir, other, {})->empty());
  SlurmTask later = other;
  later.key = "12.1-40218";
  CHECK_FALSE(wait_for_runs(runs_dir, later, [] { return true; }));
}

TEST_CASE("files left behind are removed by a later step after an hour") {
  Rig rig;
  const auto runs_dir = rig.run.path().parent_path();
  { const TaskRendezvous meeting(runs_dir, task_of(0, 2, 1, "2")); }
  const auto file = runs_dir / ".tasks" / "12.0-40217.json";
  REQUIRE(std::filesystem::exists(file));
  SlurmTask later = task_of(0, 2, 1, "2");
  later.key = "13.0-40218";
  { const TaskRendezvous meeting(runs_dir, later); }
  CHECK(std::filesystem::exists(file));
  const auto now = std::filesystem::last_write_time(file);
  std::filesystem::last_write_time(file, now - std::chrono::hours(2));
  { const TaskRendezvous meeting(runs_dir, later); }
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE(
    "a run of an earlier start of the same job is not taken for the step with the same number") {
  Rig rig;
  const auto runs_dir = rig.run.path().parent_path();
  const runlog::RunFolder killed(runs_dir / "20261121T134001Z-7f3a1b");
  std::filesystem::create_directories(killed.path());
  const auto begin = [&](const runlog::RunFolder& run) {
    TaskRendezvous meeting(runs_dir, task_of(0, 2, 1, "2"));
    REQUIRE(meeting.tell({run}));
  };
  begin(killed);
  CHECK_FALSE(step_end(killed));
  begin(rig.run);
  CHECK(phase_of(step_end(killed)->report) == JobPhase::kCut);
  CHECK_FALSE(step_end(rig.run));
}

TEST_CASE("the other tasks learn that rank 0 ended without a run, and a stale file is not read") {
  Rig rig;
  const auto runs_dir = rig.run.path().parent_path();
  const SlurmTask other = task_of(1, 2, 1, "2");
  { const TaskRendezvous meeting(runs_dir, task_of(0, 2, 1, "2")); }
  CHECK(wait_for_runs(runs_dir, other, {})->empty());
  const TaskRendezvous again(runs_dir, task_of(0, 2, 1, "2"));
  CHECK_FALSE(wait_for_runs(runs_dir, other, [] { return true; }));
}

TEST_CASE("the first task of a node becomes its agent, the other tasks become its ranks") {
  SlurmTask task = task_of(2, 4, 2, "2(x2)");
  task.node = 1;
  CHECK(task_argv("/bin/agent", task, {"/runs/a", "/runs/b"}) ==
        std::vector<std::string>{"/bin/agent", "--node", "1", "--tasks", "/runs/a", "/runs/b"});
  task.rank = 3;
  task.local_rank = 1;
  CHECK(task_argv("/bin/agent", task, {"/runs/a"}) ==
        std::vector<std::string>{"/bin/agent", "--node", "1", "--task", "1", "/runs/a"});
}

TEST_CASE("a stop through Slurm reaches the step of srun by its number") {
  Rig rig;
  rig.program("squeue", "12.0|train\n12.1|other");
  rig.program("scancel", "");
  JobFile file{"12", {}, 1, {}};
  file.is_step = true;
  file.srun_step = "12.1";
  REQUIRE(write_job_file(rig.run, file));
  REQUIRE(stop_step(rig.run, file, wire::StopMode::kGraceful));
  // An immediate stop does not end the step, because the command in it has to report how the run
  // ended.
  REQUIRE(stop_step(rig.run, file, wire::StopMode::kNow));
  CHECK(rig.called("scancel") == "--signal=USR2 12.1\n--signal=USR2 12.1\n--signal=TERM 12.1\n");
}
