#include "gui/analysis/findings/fairness.h"

#include <algorithm>

#include "gui/analysis/program_work.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using support::MadeRun;

namespace {

/// Ten seconds of steps with a reading of the host every half second.
struct Host {
  float cpu_pct = 50;
  float ranks_pct = 90;  ///< per rank, of one core
  float viewer_pct = 0;
  std::int32_t cpus = 2;
};

MadeRun run_on(Rank ranks, const Host& host, messages::RunSpec spec = {}) {
  spec.devices.world_size = ranks;
  MadeRun run(spec, 10, 1);
  for (Step step = 0; step < 10; ++step) {
    for (Rank rank = 0; rank < ranks; ++rank)
      run.step(rank, step, 2000 + 1000.0 * static_cast<double>(step), {0, 0, 1, 1, -1, 0, 1000});
  }
  for (int i = 0; i < 24; ++i) {
    messages::HostSample sample;
    // The host is used differently before and after the steps.
    const bool inside = i >= 2 && i < 22;
    sample.cpu_pct = inside ? host.cpu_pct : 100;
    sample.rank_cpu_pct.assign(static_cast<std::size_t>(ranks), inside ? host.ranks_pct : 0);
    sample.cpus = host.cpus;
    sample.viewer_cpu_pct = host.viewer_pct;
    run.say(kNoRank, 500.0 * i + 1, sample);
  }
  return run;
}

const Finding* found(const std::vector<Finding>& all, const std::string& code) {
  const auto one = std::find_if(all.begin(), all.end(),
                                [&](const Finding& finding) { return finding.code == code; });
  return one == all.end() ? nullptr : &*one;
}

void add_devices(MadeRun& run, float clock_mhz, int slowed, const std::string& link) {
  for (int i = 0; i < 20; ++i) {
    for (std::int32_t device = 0; device < 2; ++device) {
      messages::DeviceSample sample;
      sample.device_index = device;
      sample.device_uuid = "GPU-" + std::to_string(device);
      sample.valid = messages::bit_of(messages::DeviceField::kSmClock) |
                     messages::bit_of(messages::DeviceField::kThrottle);
      sample.sm_clock_mhz = clock_mhz;
      sample.throttle_reasons = device == 1 && i < slowed ? 0x40 : 0;
      run.say(kNoRank, 1001 + 500.0 * i, sample);
    }
  }
  run.say(kNoRank, 1002, messages::DeviceLink{"GPU-0", "GPU-1", link});
}

}  // namespace

TEST_CASE("A host that other processes kept busy is reported, with their share in both runs") {
  const MadeRun baseline = run_on(1, {60, 100});
  const MadeRun busy = run_on(2, {100, 67});
  const auto load = host_load(busy.model());
  REQUIRE(load);
  CHECK(load->others() == Approx(0.66));
  CHECK(load->readings == 20);
  const auto reasons = unfair(busy.model(), baseline.model());
  const Finding* reason = found(reasons, "host_busy");
  REQUIRE(reason != nullptr);
  CHECK(reason->severity == messages::Severity::kWarning);
  CHECK(reason->text ==
        "Other processes took 0.66 of 2 cores during this run, which left none idle (20 readings "
        "over 10 s); 0.20 of 2 cores during the baseline.");
  // Swapped, the baseline looks worse than it is.
  const auto turned = unfair(baseline.model(), busy.model());
  REQUIRE(found(turned, "host_busy") != nullptr);
  CHECK(found(turned, "host_busy")->text.find("0.66 of 2 cores during the baseline") !=
        std::string::npos);
}

TEST_CASE("A host with a core to spare, or with no other processes, is fair") {
  const MadeRun baseline = run_on(1, {52, 100});
  CHECK(unfair(run_on(2, {98, 97}).model(), baseline.model()).empty());
  CHECK(unfair(run_on(2, {70, 40, 0, 8}).model(), baseline.model()).empty());
  CHECK(fair_text(run_on(2, {98, 97}).model(), baseline.model()) ==
        "Fair: same work and settings; other processes took 0.02 of 2 cores (0.04 during the "
        "baseline), means of 20 and 20 readings.");
}

TEST_CASE("A viewer that took processor time from the ranks is reported by its name") {
  const MadeRun baseline = run_on(1, {55, 100});
  const MadeRun watched = run_on(2, {100, 85, 25});
  const auto reasons = unfair(watched.model(), baseline.model());
  REQUIRE(found(reasons, "viewer_busy") != nullptr);
  CHECK(found(reasons, "viewer_busy")->text.starts_with("Ringside's own viewers took 0.25 of 2"));
  CHECK(found(reasons, "host_busy") == nullptr);
}

TEST_CASE("A host with incomplete readings is not reported") {
  CHECK_FALSE(host_load(run_on(2, {100, 50, 0, -1}).model()));  // from an older log
  CHECK_FALSE(host_load(MadeRun(2).model()));
  CHECK(fair_text(MadeRun(2).model(), run_on(1, {50, 50}).model()) ==
        "Fair as far as is known: same work and settings. What other processes took is not known: "
        "it takes 5 readings of the host while it trains (some 3 s), and this run has 0.");
  const std::string old =
      fair_text(run_on(2, {100, 50, 0, -1}).model(), run_on(1, {50, 50, 0, -1}).model());
  CHECK(old.find("those of this run do not tell its ranks and viewers apart from others, those of "
                 "the baseline do not") != std::string::npos);
}

TEST_CASE("A script and our trainer get the same verdict on the same host") {
  messages::RunSpec custom;
  custom.program.argv = {"python3", "train.py"};
  const Host busy{100, 50};
  const Host quiet{50, 50};
  for (const Host& host : {busy, quiet}) {
    const auto of_script =
        unfair(run_on(2, host, custom).model(), run_on(1, quiet, custom).model());
    const auto of_ours = unfair(run_on(2, host).model(), run_on(1, quiet).model());
    const Finding* script = found(of_script, "host_busy");
    const Finding* ours = found(of_ours, "host_busy");
    REQUIRE((script != nullptr) == (ours != nullptr));
    REQUIRE((script != nullptr) == (host.cpu_pct == busy.cpu_pct));
    if (script != nullptr) CHECK(script->text == ours->text);
  }
  const std::string fair =
      fair_text(run_on(2, quiet, custom).model(), run_on(1, quiet, custom).model());
  CHECK(fair.find("other processes took 0.00 of 2 cores") != std::string::npos);
  CHECK(fair.find("and what other processes took") == std::string::npos);
}

TEST_CASE("For custom programs only the command and the samples are known to be the same") {
  messages::RunSpec custom;
  custom.program.argv = {"python3", "train.py"};
  const MadeRun run = run_on(2, {50, 50}, custom);
  const std::string text = fair_text(run.model(), run.model());
  CHECK(text ==
        "Fair as far as is known: the command is the same, and an epoch trained 20 samples in "
        "both; other processes took 0.00 of 2 cores (0.00 during the baseline). Not known: the "
        "program's own settings (model, data, seed).");
  CHECK_FALSE(knows_settings(run.model(), run.model()));
  CHECK(knows_settings(MadeRun(2).model(), MadeRun(1).model()));
}

TEST_CASE("The settings of our trainer do not count against a custom program") {
  messages::RunSpec custom;
  custom.program.argv = {"python3", "train.py"};
  messages::RunSpec ours;
  ours.train.epochs = 9;
  ours.optimizer.lr = 0.5;
  ours.train.precision = "bf16";
  const MadeRun script = run_on(2, {50, 50}, custom);
  const MadeRun preset = run_on(1, {50, 50}, ours);
  CHECK(unfair_in(script.model(), preset.model()) == std::vector<std::string>{"program.argv"});
  CHECK(unfair_in(preset.model(), script.model()) == std::vector<std::string>{"program.argv"});
  CHECK(found(unfair(script.model(), preset.model()), "precision_differs") == nullptr);
}

TEST_CASE("A script that was edited since its baseline ran is not a fair comparison") {
  messages::RunSpec custom;
  custom.program.argv = {"python3", "train.py"};
  MadeRun run = run_on(2, {50, 50}, custom);
  MadeRun baseline = run_on(2, {50, 50}, custom);
  run.set_program_parts({{"packages", "1"}, {"train.py", "2"}});
  CHECK(unfair(run.model(), baseline.model()).empty());  // unknown for the baseline
  baseline.set_program_parts({{"packages", "1"}, {"train.py", "1"}});
  const auto reasons = unfair(run.model(), baseline.model());
  REQUIRE(found(reasons, "unfair_baseline") != nullptr);
  CHECK(found(reasons, "unfair_baseline")->text ==
        "Not a fair comparison with the baseline: they differ in their program (train.py was "
        "edited).");
  baseline.set_program_parts({{"packages", "1"}, {"train.py", "2"}, {"model.py", "3"}});
  CHECK(other_program_files(run.model(), baseline.model()) ==
        "model.py is used by one of them alone");
  baseline.set_program_parts({{"packages", "2"}, {"train.py", "2"}});
  CHECK(other_program_files(run.model(), baseline.model()) == "the packages of its Python changed");
  baseline.set_program_parts(run.model().program_parts());
  CHECK(unfair(run.model(), baseline.model()).empty());
  CHECK(fair_text(run.model(), baseline.model())
            .starts_with("Fair as far as is known: command and program files are the same, and "));
}

TEST_CASE("GPUs that were slowed, had other clocks or other links are reported") {
  MadeRun run = run_on(2, {50, 50});
  add_devices(run, 1410, 6, "NODE");
  MadeRun baseline = run_on(2, {50, 50});
  add_devices(baseline, 1755, 0, "NV4");
  const auto reasons = unfair(run.model(), baseline.model());
  REQUIRE(found(reasons, "device_slowed") != nullptr);
  CHECK(found(reasons, "device_slowed")->text ==
        "GPU 1 was slowed by heat or power in 6 of 20 readings of this run, in 0 of 20 of the "
        "baseline.");
  REQUIRE(found(reasons, "clocks_differ") != nullptr);
  CHECK(
      found(reasons, "clocks_differ")
          ->text.starts_with("The GPUs ran at 1410 MHz, at 1755 MHz during the baseline (-20 %)"));
  REQUIRE(found(reasons, "link_differs") != nullptr);
  CHECK(found(reasons, "link_differs")
            ->text.starts_with("The slowest link between the GPUs is NODE, NV4 in the baseline"));
  CHECK(unfair(run.model(), run.model()).empty());
}

TEST_CASE("Differences in settings, precision and batch are reported") {
  messages::RunSpec spec;
  spec.train.seed = 43;
  spec.train.precision = "bf16";
  spec.batch.size = 128;
  messages::RunSpec one;
  one.train.seed = 42;
  const auto reasons = unfair(run_on(2, {50, 50}, spec).model(), run_on(1, {50, 50}, one).model());
  CHECK(found(reasons, "unfair_baseline") != nullptr);
  REQUIRE(found(reasons, "precision_differs") != nullptr);
  CHECK(found(reasons, "precision_differs")->severity == messages::Severity::kInfo);
  REQUIRE(found(reasons, "batch_differs") != nullptr);
  CHECK(found(reasons, "batch_differs")->text.starts_with("Global batch 128 against 64: "));
}
