// How a request becomes a list of runs.
#include "gui/launch/plan.h"

#include <optional>

#include "tests/gui/launch/made_machine.h"
#include "tests/support/catch.h"

using namespace ringside;
using launch::EarlierRun;
using launch::Machine;
using messages::RunSpec;
using support::cpu_machine;
using support::gpu_machine;

namespace {

RunSpec spec_of(std::int64_t ranks, const std::string& baseline = "none") {
  RunSpec spec;
  spec.name = "test";
  spec.devices.world_size = ranks;
  spec.baseline.mode = baseline;
  return spec;
}

Result<EarlierRun> nobody(const std::string& text) { return bad_request("no run " + text); }

}  // namespace

TEST_CASE("the baseline comes first: one rank, the same global batch, the same threads per slot") {
  auto spec = spec_of(2, "run");
  spec.batch.size = 64;
  const auto plan = launch::plan_setting(spec, cpu_machine(4), nobody).value();
  REQUIRE(plan.runs.size() == 2);
  const auto& baseline = plan.runs[0];
  CHECK(baseline.is_baseline);
  CHECK(baseline.spec.devices.world_size == 1);
  CHECK(baseline.spec.batch.size == 64);
  CHECK(baseline.spec.devices.threads == 2);
  CHECK(baseline.spec.baseline.mode == "none");
  CHECK(baseline.spec.name == "test · baseline");
  CHECK(plan.runs[1].spec.devices.threads == 2);
  CHECK(plan.runs[1].spec.devices.kind == "cpu");
  CHECK(plan.warnings.empty());
}

TEST_CASE("weak scaling: the baseline keeps the batch per rank and sees the same samples") {
  auto spec = spec_of(4, "run");
  spec.batch.meaning = "per_rank";
  spec.batch.size = 32;
  spec.train.max_steps = 10;
  const auto plan = launch::plan_setting(spec, cpu_machine(4), nobody).value();
  CHECK(plan.runs[0].spec.batch.size == 32);
  CHECK(plan.runs[0].spec.train.max_steps == 40);
  CHECK(plan.runs[1].spec.train.max_steps == 10);
}

TEST_CASE("a run on one rank gets no baseline, and no baseline is made if none is asked for") {
  const auto alone = launch::plan_setting(spec_of(1, "run"), cpu_machine(2), nobody).value();
  CHECK(alone.runs.size() == 1);
  CHECK(alone.runs[0].spec.baseline.mode == "none");
  CHECK(alone.warnings.size() == 1);
  CHECK(launch::plan_setting(spec_of(2), cpu_machine(2), nobody)->runs.size() == 1);
}

TEST_CASE("more CPU ranks than cores are allowed, more threads than cores with a warning") {
  const auto plan = launch::plan_setting(spec_of(8), cpu_machine(2), nobody).value();
  CHECK(plan.runs[0].spec.devices.threads == 1);
  CHECK(plan.warnings.empty());  // the check of the devices reports it
  auto spec = spec_of(2);
  spec.devices.threads = 3;
  const auto threads = launch::plan_setting(spec, cpu_machine(2), nobody).value();
  REQUIRE(threads.warnings.size() == 1);
  CHECK(threads.warnings[0].find("2 CPU ranks with 3 thread(s)") != std::string::npos);
}

TEST_CASE(
    "auto takes GPUs where there are enough, by UUID, and the baseline gets the first of them") {
  const auto plan = launch::plan_setting(spec_of(2, "run"), gpu_machine(4), nobody).value();
  CHECK(plan.runs[1].spec.devices.kind == "cuda");
  CHECK(plan.runs[1].spec.devices.ids == std::vector<std::string>{"GPU-0", "GPU-1"});
  CHECK(plan.runs[0].spec.devices.ids == std::vector<std::string>{"GPU-0"});
  const auto too_few = launch::plan_setting(spec_of(4), gpu_machine(2), nobody).value();
  CHECK(too_few.runs[0].spec.devices.kind == "cpu");
  CHECK(too_few.warnings.size() == 1);
}

TEST_CASE("auto on CPU slots gives a reason if GPUs could be expected, and none otherwise") {
  const auto fallback = [](const Machine& machine, const std::string& kind = "auto") {
    RunSpec spec = spec_of(2);
    spec.devices.kind = kind;
    const auto plan = launch::plan_setting(spec, machine, nobody).value();
    CHECK(plan.warnings.size() == (plan.fallback.empty() ? 0 : 1));
    return plan.fallback;
  };
  CHECK(fallback(gpu_machine(1)) ==
        "devices.kind = \"auto\" takes CPU slots: this machine has 1 GPU for 2 ranks");
  CHECK(fallback(gpu_machine(1), "cpu").empty());
  CHECK(fallback(gpu_machine(2)).empty());
  Machine machine = cpu_machine(4);
  machine.driver_problem = "no NVIDIA driver here";
  CHECK(fallback(machine).empty());
  machine.gpu_expected = true;
  CHECK(fallback(machine) == "devices.kind = \"auto\" takes CPU slots: no NVIDIA driver here");
}

TEST_CASE("GPUs that LibTorch was not built for are not used, and are given as the reason") {
  Machine machine = gpu_machine(3);
  machine.cuda_code = {"sm_80", "sm_86"};
  for (auto& gpu : machine.gpus) gpu.capability = "8.6";
  machine.gpus[0].capability = "6.1";
  const auto plan = launch::plan_setting(spec_of(2), machine, nobody).value();
  CHECK(plan.runs[0].spec.devices.ids == std::vector<std::string>{"GPU-1", "GPU-2"});
  CHECK(launch::plan_setting(spec_of(3), machine, nobody)
            ->fallback.find("GPU 0 cannot be used: compute capability 6.1") != std::string::npos);
  auto spec = spec_of(3);
  spec.devices.kind = "cuda";
  const auto few = launch::plan_setting(spec, machine, nobody);
  REQUIRE(!few);
  spec.program.argv = {"python3", "train.py"};  // it has a LibTorch of its own
  CHECK(launch::plan_setting(spec, machine, nobody));
  CHECK(few.error().message.find("offers 2; GPU 0 cannot be used: compute capability 6.1") !=
        std::string::npos);
}

TEST_CASE("MIG instances are used for one rank, never for several, and are given as the reason") {
  Machine machine = gpu_machine(2);
  machine.gpus[0].mig = machine.gpus[1].mig = true;
  const auto one = launch::plan_setting(spec_of(1), machine, nobody).value();
  CHECK(one.runs[0].spec.devices.ids == std::vector<std::string>{"GPU-0"});
  const auto two = launch::plan_setting(spec_of(2), machine, nobody).value();
  CHECK(two.runs[0].spec.devices.kind == "cpu");
  CHECK(two.fallback.find("GPU 0 cannot be used: it is a MIG instance") != std::string::npos);
}

TEST_CASE("too many GPUs, and unknown ones, are refused by name") {
  auto spec = spec_of(3);
  spec.devices.kind = "cuda";
  const auto few = launch::plan_setting(spec, gpu_machine(2), nobody);
  REQUIRE(!few);
  CHECK(few.error().kind == ErrorKind::kRequest);
  CHECK(few.error().message.find("devices.world_size = 3") != std::string::npos);
  spec.devices.ids = {"GPU-0", "GPU-1", "GPU-7"};
  const auto unknown = launch::plan_setting(spec, gpu_machine(2), nobody);
  REQUIRE(!unknown);
  CHECK(unknown.error().message.find("GPU-7") != std::string::npos);
}

TEST_CASE("a baseline is reused if it did the same work, or else refused with the difference") {
  auto spec = spec_of(2, "reuse");
  spec.baseline.run = "last";
  auto earlier = spec_of(1);
  earlier.name = "another name";
  earlier.devices.threads = 3;
  bool finished = true;
  const auto find = [&](const std::string& text) -> Result<EarlierRun> {
    CHECK(text == "last");
    return EarlierRun{"20261121T134005Z-000001", earlier, finished};
  };
  const auto plan = launch::plan_setting(spec, cpu_machine(2), find).value();
  CHECK(plan.runs.size() == 1);
  CHECK(plan.runs[0].spec.baseline.run == "20261121T134005Z-000001");
  earlier.train.epochs = 99;
  const auto other_work = launch::plan_setting(spec, cpu_machine(2), find);
  REQUIRE(!other_work);
  CHECK(other_work.error().message.find("train.epochs = 3 here, 99 there") != std::string::npos);
  earlier.train.epochs = spec.train.epochs;
  finished = false;
  CHECK(launch::plan_setting(spec, cpu_machine(2), find).error().message.find("did not finish") !=
        std::string::npos);
  CHECK(!launch::plan_setting(spec, cpu_machine(2), nobody));
}

TEST_CASE("invalid settings are refused before anything is planned") {
  auto spec = spec_of(2);
  spec.train.epochs = 0;
  CHECK(launch::plan_setting(spec, cpu_machine(2), nobody).error().kind == ErrorKind::kRequest);
}

TEST_CASE("DataParallel uses one process on several GPUs, and is refused on several CPU slots") {
  auto spec = spec_of(4, "run");
  spec.devices.kind = "cuda";
  spec.devices.parallel = "dp";
  spec.batch.meaning = "per_rank";
  const auto plan = launch::plan_setting(spec, gpu_machine(4), nobody).value();
  REQUIRE(plan.runs.size() == 2);
  CHECK(plan.runs[0].spec.devices.parallel == "ddp");
  CHECK(plan.runs[1].spec.devices.ids.size() == 4);
  spec.devices.kind = "cpu";
  const auto refused = launch::plan_setting(spec, cpu_machine(8), nobody);
  REQUIRE(!refused);
  CHECK(refused.error().message.find("devices.world_size = 1") != std::string::npos);
  spec.devices.world_size = 1;
  CHECK(launch::plan_setting(spec, cpu_machine(8), nobody)->runs[0].spec.devices.threads == 8);
}

TEST_CASE("a batch that only the baseline could take is refused before the baseline is trained") {
  auto spec = spec_of(2, "run");
  spec.devices.kind = "cpu";
  spec.batch.size = 1;
  const auto refused = launch::plan_setting(spec, cpu_machine(2), nobody);
  REQUIRE(!refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  CHECK(refused.error().message.find("batch.size = 1 over 2 ranks") != std::string::npos);
  spec.devices.world_size = 1;
  CHECK(launch::plan_setting(spec, cpu_machine(2), nobody));
}

TEST_CASE("reuse without a name takes the newest equal run and says why it is equal") {
  auto spec = spec_of(2, "reuse");
  auto earlier = launch::baseline_of(launch::settled(spec, cpu_machine(2)).value());
  earlier.name = "another name";
  earlier.checkpoint.keep = 1;
  const auto newest = [&](const std::function<bool(const EarlierRun&)>& fits) {
    const EarlierRun run{"20261121T134005Z-000001", earlier, true};
    return fits(run) ? std::optional(run) : std::nullopt;
  };
  const auto plan = launch::plan_setting(spec, cpu_machine(2), nobody, newest).value();
  REQUIRE(plan.runs.size() == 1);
  CHECK(plan.runs[0].spec.baseline.mode == "reuse");
  CHECK(plan.runs[0].spec.baseline.run == "20261121T134005Z-000001");
  REQUIRE(plan.notes.size() == 1);
  INFO(plan.notes[0]);
  CHECK(plan.notes[0].find("the baseline is an earlier run: run 20261121T134005Z-000001") == 0);
  CHECK(plan.notes[0].find("1 CPU slot, 1 thread") != std::string::npos);
  CHECK(plan.notes[0].find("may differ") != std::string::npos);
  // With other work, or other threads, the baseline is trained.
  earlier.train.epochs = 99;
  auto trained = launch::plan_setting(spec, cpu_machine(2), nobody, newest).value();
  REQUIRE(trained.runs.size() == 2);
  CHECK(trained.runs[1].spec.baseline.mode == "run");
  CHECK(trained.notes.at(0).find("no finished run equals the baseline") == 0);
  earlier.train.epochs = spec.train.epochs;
  earlier.devices.threads = 7;
  CHECK(launch::plan_setting(spec, cpu_machine(2), nobody, newest)->runs.size() == 2);
}

TEST_CASE("a baseline that is trained although an equal one exists comes with a hint") {
  const auto spec = spec_of(2, "run");
  const auto earlier = launch::baseline_of(launch::settled(spec, cpu_machine(2)).value());
  const auto newest = [&](const std::function<bool(const EarlierRun&)>& fits) {
    const EarlierRun run{"id", earlier, true};
    return fits(run) ? std::optional(run) : std::nullopt;
  };
  const auto plan = launch::plan_setting(spec, cpu_machine(2), nobody, newest).value();
  CHECK(plan.runs.size() == 2);
  REQUIRE(plan.notes.size() == 1);
  CHECK(plan.notes[0].find("baseline.mode = \"reuse\" uses it") != std::string::npos);
  // A run on one rank needs no baseline, whatever runs exist.
  const auto alone = launch::plan_setting(spec_of(1, "reuse"), cpu_machine(2), nobody, newest);
  CHECK(alone->runs.size() == 1);
  CHECK(alone->runs[0].spec.baseline.mode == "none");
}

TEST_CASE("the reason why an earlier run is not an equal baseline is one sentence") {
  auto spec = launch::settled(spec_of(2), gpu_machine(2)).value();
  auto machine = gpu_machine(2);
  machine.gpus[0].name = "H200";
  machine.gpus[1].name = "A100";
  EarlierRun run{"id", launch::baseline_of(spec), true};
  CHECK(launch::equal_baseline(spec, run, machine).equal);
  CHECK(launch::equal_baseline(spec, run, machine).brief.find("settings equal, one H200") !=
        std::string::npos);
  run.spec.devices.ids = {"GPU-1"};
  CHECK(launch::equal_baseline(spec, run, machine).reason ==
        "run id computed on one A100, the baseline would on one H200");
  run.spec.devices.ids = {"GPU-9"};
  CHECK(!launch::equal_baseline(spec, run, machine).equal);
  run.spec = launch::baseline_of(spec);
  run.spec.devices.world_size = 2;
  CHECK(launch::equal_baseline(spec, run, machine).reason.find("2 ranks") != std::string::npos);
  run.spec.devices.world_size = 1;
  run.finished = false;
  CHECK(launch::equal_baseline(spec, run, machine).reason == "run id did not finish");
  // With weak scaling the baseline takes that many times more steps.
  spec.batch.meaning = "per_rank";
  spec.train.max_steps = 10;
  EarlierRun weak{"id", spec, true};
  weak.spec.devices.world_size = 1;
  weak.spec.devices.ids = {"GPU-0"};
  weak.spec.train.max_steps = 20;
  CHECK(launch::equal_baseline(spec, weak, machine).equal);
}

TEST_CASE("a baseline with settings of its own is otherwise the same run on the same devices") {
  auto spec = spec_of(2, "run");
  spec.baseline.set = {"sampler.set_epoch=false", "train.epochs=2"};
  spec.limits.crash_step = 9;
  const auto plan = launch::plan_setting(spec, gpu_machine(4), nobody).value();
  REQUIRE(plan.runs.size() == 2);
  const RunSpec& baseline = plan.runs[0].spec;
  CHECK(plan.runs[0].is_baseline);
  CHECK(baseline.devices.ids == plan.runs[1].spec.devices.ids);
  CHECK(!baseline.sampler.set_epoch);
  CHECK(baseline.train.epochs == 2);
  CHECK(baseline.limits.crash_step == 0);
  CHECK(baseline.baseline.mode == "none");
  CHECK(plan.runs[1].spec.sampler.set_epoch);
  CHECK(plan.runs[1].spec.limits.crash_step == 9);
  // Such a baseline is made on one device too, where it is a different run.
  spec.devices.world_size = 1;
  CHECK(launch::plan_setting(spec, cpu_machine(2), nobody)->runs.size() == 2);
  // An earlier run with those settings replaces it, but not one with other settings.
  spec = launch::settled(spec_of(2, "reuse"), cpu_machine(2)).value();
  spec.baseline.set = {"train.precision=bf16"};
  EarlierRun earlier{"id", spec, true};
  CHECK(launch::equal_baseline(spec, earlier, cpu_machine(2)).reason.find("train.precision") !=
        std::string::npos);
  earlier.spec.train.precision = "bf16";
  CHECK(launch::equal_baseline(spec, earlier, cpu_machine(2)).equal);
  CHECK(launch::not_comparable(spec, earlier).empty());
}

TEST_CASE("a setting that a baseline cannot have is refused before anything is planned") {
  for (const char* wrong : {"sampler.set_epok=false", "baseline.mode=none", "train.epochs"}) {
    auto spec = spec_of(2, "run");
    spec.baseline.set = {wrong};
    const auto refused = launch::plan_setting(spec, cpu_machine(2), nobody);
    INFO(wrong);
    REQUIRE(!refused);
    CHECK(refused.error().message.find("baseline.set") != std::string::npos);
  }
}

TEST_CASE("a study on several numbers of devices trains the baseline, those between, and the run") {
  auto spec = spec_of(4, "run");
  spec.baseline.also_on = {2, 1, 4, 8};
  spec.batch.meaning = "per_rank";
  spec.train.max_steps = 10;
  const auto plan = launch::plan_setting(spec, gpu_machine(4), nobody).value();
  REQUIRE(plan.runs.size() == 3);
  CHECK(plan.runs[0].spec.devices.world_size == 1);
  CHECK(plan.runs[1].spec.devices.world_size == 2);
  CHECK(plan.runs[1].spec.devices.ids == std::vector<std::string>{"GPU-0", "GPU-1"});
  CHECK(plan.runs[1].spec.train.max_steps == 20);
  CHECK(plan.runs[1].spec.baseline.mode == "run");
  CHECK(!plan.runs[1].is_baseline);
  CHECK(plan.runs[2].spec.devices.world_size == 4);
  spec.baseline.mode = "none";
  CHECK(launch::plan_setting(spec, gpu_machine(4), nobody)->runs.size() == 1);
}

TEST_CASE("settings that share out work do not distinguish runs on one device") {
  auto spec = launch::settled(spec_of(2, "reuse"), cpu_machine(2)).value();
  spec.evaluate.mode = "rank0";
  EarlierRun earlier{"id", launch::baseline_of(spec), true};
  earlier.spec.evaluate.mode = "exact";
  earlier.spec.batch.meaning = "per_rank";
  CHECK(launch::equal_baseline(spec, earlier, cpu_machine(2)).equal);
  earlier.spec.evaluate.mode = "none";
  CHECK(!launch::equal_baseline(spec, earlier, cpu_machine(2)).equal);
}

TEST_CASE("a program's work is identified by its command, and a GPU by its number") {
  auto spec = spec_of(2, "run");
  spec.program.argv = {"python3", "train.py"};
  spec.program.cwd = "/w";
  spec.devices.kind = "cuda";
  spec.devices.ids = {"1", "0"};
  const auto settled = launch::settled(spec, gpu_machine(2)).value();
  CHECK(settled.devices.ids == std::vector<std::string>{"GPU-1", "GPU-0"});
  EarlierRun run{"id", launch::baseline_of(settled), true};
  CHECK(launch::equal_baseline(settled, run, gpu_machine(2)).brief.starts_with("same command, "));
  run.spec.train.epochs += 1;  // the program does not get this setting
  CHECK(launch::equal_baseline(settled, run, gpu_machine(2)).equal);
  run.spec.program.environment = {"LR=1"};
  CHECK(launch::not_comparable(settled, run).find("program.environment") != std::string::npos);
}
