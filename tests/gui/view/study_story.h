// The study of the design's drawings as data: ResNet-50 on CIFAR-10, one to eight GPUs, weak and
// strong scaling, DataParallel and BF16, three repeats each.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gui/view/scaling/study_facts.h"

namespace ringside::test {

struct StoryRow {
  const char* series;
  std::int64_t devices, per_rank, global, nominal, steps;
  double seconds, deviation, accuracy, accuracy_deviation;
};

inline const std::vector<StoryRow>& story_rows() {
  static const std::vector<StoryRow> kRows{
      {"baseline", 1, 128, 128, 128, 391, 2018.4, 9.6, 76.04, 0.12},
      {"weak", 2, 128, 256, 256, 196, 1103.0, 12.1, 75.93, 0.15},
      {"weak", 3, 128, 384, 384, 131, 767.5, 5.8, 75.71, 0.14},
      {"weak", 4, 128, 512, 512, 98, 591.9, 5.2, 75.43, 0.17},
      {"weak", 6, 128, 768, 768, 66, 430.4, 6.4, 73.58, 0.24},
      {"weak", 8, 128, 1024, 1024, 49, 353.5, 6.8, 69.71, 0.38},
      {"strong", 2, 64, 128, 128, 391, 1354.6, 18.2, 76.11, 0.13},
      {"strong", 3, 42, 126, 128, 397, 1029.8, 15.8, 75.97, 0.16},
      {"strong", 4, 32, 128, 128, 391, 851.6, 14.4, 76.02, 0.11},
      {"strong", 6, 21, 126, 128, 397, 708.2, 14.9, 75.88, 0.19},
      {"strong", 8, 16, 128, 128, 391, 649.0, 18.8, 76.09, 0.14},
      {"dp", 4, 128, 512, 512, 98, 1382.5, 47.3, 75.39, 0.16},
      {"bf16", 4, 128, 512, 512, 98, 416.2, 5.1, 75.36, 0.18}};
  return kRows;
}

inline view::StudyFacts story_study() {
  view::StudyFacts facts;
  facts.study.head = {"S-07", "resnet50 · cifar10", "story", 1'795'271'067'000'000'000, 3};
  facts.recipe = "resnet50 · cifar10";
  facts.epochs = 60;
  facts.on_gpus = true;
  facts.goal = launch::PublishedGate{2, 0.4, 0.7};
  int number = 981;
  for (const StoryRow& row : story_rows()) {
    const std::string key = runs::setting_key(row.series, row.devices);
    view::StudySettingFacts setting{key,         row.series, row.devices, row.per_rank, row.global,
                                    row.nominal, row.steps,  {},          nullptr};
    analysis::ScalingSetting measured{
        key, row.series, row.devices, std::string(row.series) == "bf16", {}};
    runs::StudySetting known{key, {}, {}, {}};
    // Three repeats have the given mean and deviation.
    for (int i = -1; i <= 1; ++i) {
      analysis::RunMeasure run;
      run.seconds = row.seconds + row.deviation * i;
      run.train_pass_s = run.seconds * 0.9;
      run.whole_run_s = run.seconds + 10;
      run.samples = 3'000'000;
      run.steady_per_s = 3e6 / run.seconds * 1.05;
      run.warm_up_steps = 20;
      run.val_accuracy = (row.accuracy - row.accuracy_deviation * i) / 100;
      run.validations = {{run.seconds, run.val_accuracy}};
      const std::string id = "run-" + std::to_string(number);
      setting.runs.push_back(
          {id, "#" + std::to_string(number), "finished", "", false, i + 2, run.seconds});
      known.runs.push_back(id);
      measured.runs.push_back(run);
      ++number;
    }
    facts.study.settings.push_back(std::move(known));
    facts.settings.push_back(std::move(setting));
    facts.measured.push_back(std::move(measured));
  }
  return facts;
}

/// Keys of settings and the validation accuracy that each has reached; NaN: its run is active.
using SettingStory = std::vector<std::pair<std::string, double>>;
inline const SettingStory kStorySettings{
    {"optimizer.lr=0.1 batch.size=32 optimizer.name=sgd-2", 0.8},
    {"optimizer.lr=0.001 batch.size=64 optimizer.name=adamw-2", 0.6},
    {"optimizer.lr=0.01 batch.size=128 optimizer.name=sgd-2", 0.9}};

/// Returns a study of settings, with one run of each.
inline view::StudyFacts story_of_settings(const SettingStory& settings = kStorySettings) {
  view::StudyFacts facts;
  facts.study.head = {"S-02", "demo", "demo", 1, 1};
  facts.recipe = "mlp · digits";
  for (const auto& [key, accuracy] : settings) {
    const std::string label = "#" + std::to_string(facts.settings.size() + 1);
    const bool ended = std::isfinite(accuracy);
    runs::StudySetting known{key, {label}, {}, {}};
    view::StudySettingFacts setting;
    setting.key = key;
    setting.series = known.series();
    setting.devices = known.devices();
    setting.runs.push_back({label, label, ended ? "finished" : "training", "", !ended, 1, 10});
    analysis::ScalingSetting measured{key, setting.series, 2, false, {}};
    if (ended) {
      measured.runs.emplace_back();
      measured.runs.back().val_accuracy = accuracy;
      measured.runs.back().seconds = 100 * accuracy;
    }
    facts.study.settings.push_back(std::move(known));
    facts.settings.push_back(std::move(setting));
    facts.measured.push_back(std::move(measured));
  }
  return facts;
}

/// Returns the study with only these settings.
inline view::StudyFacts story_of(const std::vector<std::string>& keys) {
  view::StudyFacts facts = story_study();
  const auto keep = [&keys](const auto& one) {
    return std::find(keys.begin(), keys.end(), one.key) == keys.end();
  };
  std::erase_if(facts.study.settings, keep);
  std::erase_if(facts.settings, keep);
  std::erase_if(facts.measured, keep);
  return facts;
}

}  // namespace ringside::test
