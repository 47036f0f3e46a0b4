// Runs of published presets, for tests of the comparison with their sources.
#pragma once

#include <string>
#include <vector>

#include "gui/launch/presets.h"
#include "gui/view/report/report.h"
#include "tests/gui/analysis/made_run.h"

namespace ringside::test {

using messages::Phase;
using messages::RunSpec;
using support::MadeRun;
using view::ReportRun;

// Ten epochs of one step on this number of GPUs, with E0's settings.
inline MadeRun e0_run(const RunSpec& recipe, Rank ranks, double epoch_s, std::int64_t correct) {
  RunSpec spec = recipe;
  spec.devices.world_size = ranks;
  MadeRun run(spec, 1, 10);
  for (Epoch epoch = 0; epoch < 10; ++epoch) {
    const double end_ms = 1000 * epoch_s * (epoch + 1);
    for (Rank rank = 0; rank < ranks; ++rank) {
      messages::StepReport step;
      step.step = epoch;
      step.samples = 32;
      step.loss = 1;
      step.lr = recipe.optimizer.lr;
      step.step_ns = MadeRun::ns(1000 * epoch_s - 1);
      run.say(rank, end_ms - 1, step);
      run.pass(rank, Phase::kTrain, epoch, end_ms, 37000 / ranks, 50000 / ranks,
               31000.0 / ranks + rank, epoch_s);
    }
    run.pass(0, Phase::kValidate, epoch, end_ms, correct, 10000, 6600);
  }
  messages::RankState ended;
  ended.state = messages::State::kFinished;
  run.say(kNoRank, 10000 * epoch_s, ended);
  return run;
}

inline ReportRun of(const MadeRun& made, const std::string& id) {
  ReportRun run;
  run.id = id;
  run.label = "#" + id;
  run.name = "made";
  run.state = "finished";
  run.model = &made.model();
  run.seconds = 100;
  return run;
}

struct E0 {
  launch::NamedPreset preset{"e0_ddp2", launch::load_preset("e0_ddp2").value().file};
  MadeRun baseline = e0_run(preset.file.spec.full, 1, 10, 7200);
  MadeRun run = e0_run(preset.file.spec.full, 2, 5.5, 7100);
  std::vector<ReportRun> runs{of(baseline, "1"), of(run, "2")};
  E0() {
    runs[1].baseline = &baseline.model();
    runs[1].baseline_label = "#1";
    for (auto& one : runs) one.preset = &preset;
  }
};

// One epoch of E1's ablation on two ranks, with this number of 5,000 samples correct on each.
inline MadeRun pair_run(const launch::PresetFile& preset, bool set_epoch, std::int64_t correct) {
  RunSpec spec = preset.spec.full;
  spec.sampler.set_epoch = set_epoch;
  if (!set_epoch) spec.baseline = {};
  MadeRun run(spec, 1, 1);
  for (Rank rank = 0; rank < 2; ++rank) {
    run.step(rank, 0, 10, {.step = 10}, 128);
    run.pass(rank, Phase::kTrain, 0, 10, 1, 128);
    run.pass(rank, Phase::kValidate, 0, 12, correct, 5000);
  }
  return run;
}

}  // namespace ringside::test
