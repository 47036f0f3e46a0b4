// Published figures beside runs and studies: gate, pairs, figures, settings, and why there is no
// verdict.
#include "gui/view/experiment/experiment_view.h"
#include "gui/view/scaling/study_experiment.h"

#include <algorithm>

#include "gui/view/scaling/scaling_view.h"
#include "tests/gui/view/published_runs.h"
#include "tests/gui/view/study_story.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using test::E0;
using test::MadeRun;
using test::of;
using test::pair_run;

namespace {

ExperimentView view_of(const ReportRun& run) { return build_experiment_view(std::span(&run, 1)); }

ExperimentVerdict verdict(const ExperimentView& view, const std::string& key) {
  for (const ExperimentVerdict& one : view.verdicts) {
    if (one.key == key) return one;
  }
  return {"(none)", "", Tone::kText, Shape::kNone, ""};
}

const Table* table(const ExperimentView& view, const std::string& key) {
  const auto found = std::find_if(view.tables.begin(), view.tables.end(),
                                  [&](const Table& one) { return one.key == key; });
  return found == view.tables.end() ? nullptr : &*found;
}

std::string text(const Table& table, std::size_t row, const char* column) {
  return cell_of(table, table.rows.at(row), column).text;
}

struct E1 {
  launch::NamedPreset preset{"e1_set_epoch", launch::load_preset("e1_set_epoch").value().file};
  MadeRun off = pair_run(preset.file, false, 3665);

  ReportRun run(const MadeRun& on, const std::string& id) const {
    ReportRun asked = of(on, id);
    asked.baseline = &off.model();
    asked.baseline_label = "#1";
    asked.preset = &preset;
    return asked;
  }
};

/// E0 as a study: on one and two devices, and on four, for which there is no goal.
StudyFacts e0_study() {
  StudyFacts facts = test::story_of({"baseline-1", "weak-2", "weak-4"});
  auto preset = std::make_shared<launch::NamedPreset>(
      launch::NamedPreset{"e0_ddp2", launch::load_preset("e0_ddp2").value().file});
  facts.study.head.recipe = "e0_ddp2";
  for (auto& setting : facts.settings) setting.preset = preset;
  facts.goal = preset->file.published.gate;
  return facts;
}

ExperimentView view_of(const StudyFacts& facts) {
  return build_experiment_view(facts, scaling_of(facts));
}

}  // namespace

TEST_CASE("the run of a preset has gate, figures, settings, findings and the source's tables") {
  const E0 e0;
  const ExperimentView view = view_of(e0.runs[1]);
  REQUIRE(view.shown());
  CHECK(view.title.starts_with("E0"));
  CHECK(view.subtitle == "e0_ddp2, run #2");
  CHECK(verdict(view, "gate").word == "Pass");
  CHECK(verdict(view, "gate").text ==
        "On 2 devices: time saved 45.0 % (goal: at least 40 %), validation accuracy 71.00 % (goal: "
        "above 70 %).");
  const ExperimentVerdict figures = verdict(view, "figures");
  CHECK(figures.shape == Shape::kTick);
  CHECK(figures.word.ends_with(" match"));
  CHECK(verdict(view, "settings").word == "As published");
  CHECK(std::any_of(view.findings.begin(), view.findings.end(),
                    [](const auto& found) { return found.key == "batch_grew"; }));
  CHECK(table(view, "changed_settings") == nullptr);
  for (const Table& one : view.tables) {
    INFO(one.key);
    CHECK_FALSE(one.rows.empty());
    CHECK(one.run == "2");
    for (const std::size_t shown : text_columns(one)) CHECK(one.columns[shown].width > 0);
  }
  // The tables are the same in report, terminal and JSON.
  const auto tables = experiment_tables(view);
  REQUIRE(tables.size() == view.tables.size() + 1);
  CHECK(tables.front().key == "experiment");
  CHECK(tables.front().rows.size() == view.verdicts.size());
  CHECK(experiment_tsv(view).find("time saved 45.0 %") != std::string::npos);
}

TEST_CASE("a missed goal says by how much, and one without a verdict says why") {
  E0 e0;
  const MadeRun slow = test::e0_run(e0.preset.file.spec.full, 2, 7, 7100);
  ReportRun missed = of(slow, "3");
  missed.preset = &e0.preset;
  missed.baseline = &e0.baseline.model();
  CHECK(verdict(view_of(missed), "gate").word == "Fail: time");
  CHECK(verdict(view_of(missed), "gate").tone == Tone::kError);
  const MadeRun wrong = test::e0_run(e0.preset.file.spec.full, 2, 5.5, 6900);
  missed.model = &wrong.model();
  CHECK(verdict(view_of(missed), "gate").word == "Fail: accuracy");
  const ExperimentVerdict one = verdict(view_of(e0.runs[0]), "gate");
  CHECK(one.word == "Not judged");
  CHECK(one.text == "The goal is set for exactly 2 devices, this run has 1.");
  missed.baseline = nullptr;
  const ExperimentView alone = view_of(missed);
  CHECK(verdict(alone, "gate").word == "Not judged");
  CHECK(verdict(alone, "gate").text.starts_with("There is no speedup to judge: "));
  const Table& published = *table(alone, "published");
  bool told = false;
  for (std::size_t row = 0; row < published.rows.size(); ++row)
    told |= text(published, row, "matches").starts_with("this run does not tell: ");
  CHECK(told);
}

TEST_CASE("settings other than the preset's are counted, and the gate is then only an example") {
  E0 e0;
  const auto& settings = *e0.preset.file.spec.quick;
  const MadeRun baseline = test::e0_run(settings, 1, 10, 7200);
  const MadeRun quick = test::e0_run(settings, 2, 5.5, 7100);
  e0.runs[1].model = &quick.model();
  e0.runs[1].baseline = &baseline.model();
  const ExperimentView view = view_of(e0.runs[1]);
  CHECK(verdict(view, "settings").word == "Other settings");
  CHECK(verdict(view, "settings").text.find(" from e0_ddp2: ") != std::string::npos);
  CHECK(table(view, "changed_settings") != nullptr);
  CHECK(verdict(view, "gate").text.ends_with("an example."));
}

TEST_CASE("without a source there is a sentence, and the changes from a preset of ours stay") {
  const MadeRun made(2);
  ReportRun run = of(made, "1");
  const ExperimentView none = view_of(run);
  CHECK_FALSE(none.shown());
  CHECK(plain(none.empty).find("does not come from a preset") != std::string::npos);
  CHECK(experiment_tables(none).empty());
  const launch::NamedPreset demo{"demo", launch::load_preset("demo").value().file};
  run.preset = &demo;
  const ExperimentView ours = view_of(run);
  CHECK_FALSE(ours.shown());
  CHECK(plain(ours.empty).ends_with("Its preset demo names no source."));
  CHECK(table(ours, "changed_settings") != nullptr);
  CHECK_FALSE(build_experiment_view({}).shown());
  CHECK_FALSE(build_experiment_view({}).empty.empty());
}

TEST_CASE("an ablation pair is shown beside the published gain, with a direction") {
  const E1 e1;
  const MadeRun on = pair_run(e1.preset.file, true, 3768);
  const ExperimentView view = view_of(e1.run(on, "2"));
  const Table& pairs = *table(view, "ablation");
  CHECK(pairs.title == "Ablation: against sampler.set_epoch=false");
  REQUIRE(pairs.rows.size() == 2);
  CHECK(text(pairs, 0, "pair") == "#2 against #1");
  CHECK(text(pairs, 0, "baseline_accuracy") == "73.30 %");
  CHECK(text(pairs, 0, "accuracy") == "75.36 %");
  CHECK(text(pairs, 0, "gain") == "+2.06 pp");
  CHECK(text(pairs, 0, "counting_error") == "0.62 pp");
  CHECK(text(pairs, 0, "direction") == "the same direction");
  CHECK(text(pairs, 1, "pair") == "published");
  CHECK(text(pairs, 1, "gain") == "+2.06 pp");
  CHECK(verdict(view, "ablation").word == "Same direction");
  CHECK(verdict(view, "ablation").text ==
        "Gain +2.06 pp, counting error 0.62 pp, of 1 pair; published +2.06 points, mean of five "
        "pairs.");
  const MadeRun worse = pair_run(e1.preset.file, true, 3500);
  CHECK(verdict(view_of(e1.run(worse, "2")), "ablation").word == "Other direction");
}

TEST_CASE("a gain within its counting error is not judged, and an invalid pair says why") {
  const E1 e1;
  const MadeRun close = pair_run(e1.preset.file, true, 3680);
  const ExperimentView little = view_of(e1.run(close, "2"));
  CHECK(verdict(little, "ablation").word == "Not judged");
  CHECK(text(*table(little, "ablation"), 0, "direction") == "within the counting error");
  const Table& published = *table(little, "published");
  CHECK(text(published, published.rows.size() - 1, "matches") == "within the counting error");
  auto preset = e1.preset;
  preset.file.spec.full.optimizer.lr = 0.5;
  const MadeRun other = pair_run(preset.file, true, 3768);
  CHECK(verdict(view_of(e1.run(other, "2")), "ablation").text ==
        "The two runs differ in more than sampler.set_epoch=false: optimizer.lr.");
  ReportRun same = e1.run(e1.off, "2");
  CHECK(verdict(view_of(same), "ablation").text ==
        "The two runs do not differ in sampler.set_epoch=false.");
  same.baseline = nullptr;
  CHECK(verdict(view_of(same), "ablation").text == "There is no baseline to make a pair with.");
}

TEST_CASE("several pairs have one card with their mean") {
  const E1 e1;
  const MadeRun first = pair_run(e1.preset.file, true, 3768);
  const MadeRun second = pair_run(e1.preset.file, true, 3728);
  ReportRun off = of(e1.off, "1");
  off.preset = &e1.preset;
  const std::vector<ReportRun> runs{off, e1.run(first, "2"), e1.run(second, "3")};
  const ExperimentView view = build_experiment_view(runs);
  const Table& pairs = *table(view, "ablation");
  REQUIRE(pairs.rows.size() == 4);
  CHECK(text(pairs, 0, "pair") == "#2 against #1");
  CHECK(text(pairs, 1, "pair") == "#3 against #1");
  CHECK(text(pairs, 2, "pair") == "mean of the pairs");
  CHECK(text(pairs, 2, "gain") == "+1.66 pp");
  CHECK(verdict(view, "ablation").text.find("of 2 pairs") != std::string::npos);
}

TEST_CASE("a study has the gate of each setting, figures of its sources, and each table once") {
  const StudyFacts facts = e0_study();
  const ExperimentView view = view_of(facts);
  REQUIRE(view.shown());
  CHECK(has_source(facts));
  CHECK(view.subtitle == "study S-07, e0_ddp2");
  CHECK(verdict(view, "gate").word == "Pass");
  CHECK(verdict(view, "gate").text.starts_with("weak-2: time saved 45.4 %"));
  const Table& gate = *table(view, "goal_gate");
  REQUIRE(gate.rows.size() == 2);
  CHECK(text(gate, 0, "passed") == "Pass");
  CHECK(text(gate, 1, "passed") == "Not judged");
  CHECK(text(gate, 1, "why") == "The goal is set for exactly 2 devices.");
  const Table& published = *table(view, "published");
  REQUIRE(!published.rows.empty());
  for (std::size_t row = 0; row < published.rows.size(); ++row) {
    CHECK(text(published, row, "setting") != "weak-4");
    CHECK_FALSE(text(published, row, "matches").empty());
  }
  const auto sources = std::count_if(view.tables.begin(), view.tables.end(), [](const auto& one) {
    return one.key.starts_with("source_");
  });
  CHECK(sources ==
        static_cast<std::ptrdiff_t>(facts.settings[0].preset->file.published.tables.size()));
  CHECK(verdict(view, "settings").word == "As published");
  // The files of the study and its JSON have the same tables.
  const auto tables = build_study_tables(facts, scaling_of(facts));
  CHECK(tables.front().key == "experiment");
}

TEST_CASE("a study with other settings, one without measurements, and one of our own say so") {
  StudyFacts facts = e0_study();
  facts.settings[1].changed = {{"batch.size", "32", "16"}};
  const ExperimentView other = view_of(facts);
  CHECK(verdict(other, "settings").text.starts_with("These differ from their presets: weak-2."));
  CHECK(text(*table(other, "changed_settings"), 0, "run") == "16");
  for (auto& setting : facts.measured) setting.runs.clear();
  const ExperimentView nothing = view_of(facts);
  CHECK(verdict(nothing, "gate").word == "Not judged");
  CHECK(verdict(nothing, "gate").text ==
        "weak-2: A finished run is missing, of this setting or of the baseline.");
  CHECK(verdict(nothing, "figures").word == "Not judged");
  StudyFacts without = e0_study();
  without.settings.pop_back();
  without.settings.pop_back();
  without.measured.pop_back();
  without.measured.pop_back();
  CHECK(verdict(view_of(without), "gate").text.ends_with("the study has no such setting."));
  const ExperimentView ours = view_of(test::story_study());
  CHECK_FALSE(ours.shown());
  CHECK(plain(ours.empty).starts_with("There are no published figures for this study."));
  CHECK(build_study_tables(test::story_study(), scaling_of(test::story_study())).front().key ==
        "fit");
}
