// Tests a study of settings as shown: its table, its best combination, and no scaling.
#include "gui/view/scaling/combinations.h"

#include <algorithm>
#include <cmath>

#include "gui/view/number_format.h"
#include "gui/view/report/scaling_files.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

struct Reached {
  const char* key;
  std::vector<double> accuracies;
};

StudyFacts study_of_settings(const std::vector<Reached>& all) {
  StudyFacts facts;
  facts.study.head = {"S-02", "demo", "demo", 1,
                      static_cast<std::int64_t>(all[0].accuracies.size())};
  facts.recipe = "mlp · digits";
  int number = 0;
  for (const Reached& one : all) {
    runs::StudySetting known{one.key, {}, {}, {}};
    StudySettingFacts setting;
    setting.key = one.key;
    setting.series = known.series();
    setting.devices = known.devices();
    analysis::ScalingSetting measured{one.key, setting.series, 2, false, {}};
    for (const double accuracy : one.accuracies) {
      const std::string label = "#" + std::to_string(++number);
      setting.runs.push_back({label, label, "finished", "", false, 1, 10});
      known.runs.push_back(label);
      measured.runs.emplace_back();
      measured.runs.back().seconds = 10;
      measured.runs.back().val_accuracy = accuracy;
      measured.runs.back().train_loss = accuracy;  // the most accurate has the highest loss
    }
    facts.study.settings.push_back(std::move(known));
    facts.settings.push_back(std::move(setting));
    facts.measured.push_back(std::move(measured));
  }
  return facts;
}

const std::vector<Reached> kClear{{"optimizer.lr=0.01 batch.size=32-2", {0.80, 0.82}},
                                  {"optimizer.lr=0.03 batch.size=32-2", {0.90, 0.92}}};

/// Returns a study of two settings whose repeats have these step times in ms, with 8 samples per
/// step.
StudyFacts study_of_times(const std::vector<double>& first, const std::vector<double>& second) {
  const auto same = [](const std::vector<double>& times) {
    return std::vector<double>(times.size(), 0.8);
  };
  StudyFacts facts =
      study_of_settings({{"data.workers=0-2", same(first)}, {"data.workers=2-2", same(second)}});
  const auto set = [](analysis::ScalingSetting& setting, const std::vector<double>& times) {
    for (std::size_t i = 0; i < times.size(); ++i)
      setting.runs[i].pace = analysis::Pace{8e3 / times[i], 0.001, 100, times[i] * 1e6, 9};
  };
  set(facts.measured[0], first);
  set(facts.measured[1], second);
  return facts;
}

bool has_part(const std::string& text, const char* part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

/// Returns the same study as pairs of runs; `looks` as in runs::StudyHead.
StudyFacts study_of_pairs(const std::vector<double>& first, const std::vector<double>& second,
                          std::int64_t looks) {
  StudyFacts facts = study_of_times(first, second);
  facts.study.head.looks = looks;
  for (StudySettingFacts& setting : facts.settings)
    for (std::size_t i = 0; i < setting.runs.size(); ++i)
      setting.runs[i].repeat = static_cast<std::int64_t>(i) + 1;
  for (analysis::ScalingSetting& setting : facts.measured)
    for (analysis::RunMeasure& run : setting.runs) run.wall_s = 10;
  return facts;
}

TEST_CASE("pairs of runs are compared by their ratios, and say how many more are needed") {
  // The speed of the machine drifts by far more than the settings differ, equally for both runs of
  // a pair.
  const StudyFacts slower = study_of_pairs({10, 20, 30, 40}, {10.51, 20.99, 31.52, 41.98}, 6);
  const PairFacts told = pair_facts(slower);
  CHECK(told.verdict == analysis::PairVerdict::kLonger);
  CHECK(told.next_repeats == 0);
  CHECK(told.longer.value == Approx(0.05).margin(1e-3));
  has_part(
      pair_words(slower),
      "A sample takes 5.0 % more time with data.workers=2 than with "
      "data.workers=0, more than chance explains (+4.8 % to +5.3 % at 95 %, 4 pairs of runs).");
  const ScalingView view = build_scaling_view(slower, ScalingMetric::kSpeedup);
  CHECK(view.result == pair_words(slower));
  CHECK(waterfall_wait(slower).starts_with(pair_words(slower)));
  // The table agrees with the sentence and names no best setting.
  const Table table = build_combinations_table(slower);
  has_part(cell_of(table, table.rows[1], "slower").text, "+5.0 % (+4.8 % to +5.3 %)");
  CHECK(std::ranges::none_of(table.columns, [](const auto& one) { return one.key == "best"; }));

  const PairFacts open = pair_facts(study_of_pairs({10, 10, 10, 10}, {10, 11, 10, 9.5}, 6));
  CHECK(open.verdict == analysis::PairVerdict::kOpen);
  CHECK(open.next_repeats == 6);
  CHECK(build_scaling_view(study_of_pairs({10, 10, 10, 10}, {10, 11, 10, 9.5}, 6),
                           ScalingMetric::kTime)
            .can_continue);
  CHECK_FALSE(build_scaling_view(slower, ScalingMetric::kTime).can_continue);
  has_part(pair_words(study_of_pairs({10, 10, 10, 10}, {10, 11, 10, 9.5}, 6)),
           "No difference is certain yet: a sample takes");
  has_part(pair_words(study_of_pairs({10, 10, 10, 10}, {10.01, 10, 10, 10.01}, 6)),
           "No difference of 1 % or more");
  // No more pairs are requested than the given number.
  CHECK(pair_facts(study_of_pairs({10, 10, 10}, {10, 11, 10}, 1)).next_repeats == 0);
  has_part(pair_words(study_of_pairs({10, 10, 10}, {10, 11, 10}, 1)),
           "No difference is certain: a sample takes");
}

TEST_CASE("pairs end with the budget, and runs without a partner are left out") {
  StudyFacts facts = study_of_pairs({10, 10, 10, 10}, {10, 11, 10, 9.5}, 6);
  // Four pairs took 80 s, so six would take 120 s.
  facts.study.head.budget_s = 119;
  CHECK(pair_facts(facts).over_budget);
  CHECK(pair_facts(facts).next_repeats == 0);
  has_part(pair_words(facts), "More pairs would take more than the budget of");
  facts.study.head.budget_s = 121;
  CHECK(pair_facts(facts).next_repeats == 6);
  // A pair with a missing run is not used.
  facts.settings[1].runs[2].word = "failed";
  facts.measured[1].runs.erase(facts.measured[1].runs.begin() + 2);
  CHECK(pair_facts(facts).pairs == 0);
  CHECK(pair_facts(facts).next_repeats == 4);
  CHECK(pair_words(facts).empty());
  facts.study.head.looks = 1;
  CHECK(pair_facts(facts).pairs == 3);
  CHECK(pair_facts(facts).longer.value == Approx(std::cbrt(1.1 * 0.95) - 1));
  // The sentence mentions that a run was disturbed.
  facts.settings[1].runs[0].fair = false;
  facts.settings[1].runs[0].fair_text = "Other processes took 1 of 2 cores.";
  has_part(pair_words(facts), "Disturbed in 1 run; #5: Other processes took 1 of 2 cores.");
}

TEST_CASE("pairs end as soon as the least gain of their study is unlikely") {
  StudyFacts facts = study_of_pairs({10, 10}, {12, 12.1}, 6);
  CHECK(pair_facts(facts).next_repeats == 4);  // whichever is quicker matters
  facts.study.head.least_gain = 0.03;
  CHECK(pair_facts(facts).saves_less);
  CHECK(pair_facts(facts).next_repeats == 0);
  CHECK(pair_facts(facts).trained == 2);
  CHECK(pair_facts(facts).pairs == 0);
  CHECK(
      pair_words(facts) ==
      "data.workers=2 saves less than 3 % of the time (90 % certain, 2 pairs of runs), so no more "
      "pairs were trained.");
  CHECK_FALSE(build_scaling_view(facts, ScalingMetric::kTime).can_continue);
  // Two pairs may still hide such a gain.
  facts = study_of_pairs({10, 10}, {10.5, 9.4}, 6);
  facts.study.head.least_gain = 0.03;
  CHECK_FALSE(pair_facts(facts).saves_less);
  CHECK(pair_facts(facts).next_repeats == 4);
  // The budget is for what comes after the first check.
  facts.study.head.budget_s = 1;
  CHECK(pair_facts(facts).next_repeats == 4);
  facts = study_of_pairs({10, 10, 10, 10}, {10.1, 9.95, 10.05, 9.9}, 6);
  facts.study.head.least_gain = 0.03;
  CHECK(pair_facts(facts).verdict == analysis::PairVerdict::kOpen);
  has_part(pair_words(facts),
           "data.workers=2 saves less than 3 % of the time (90 % certain, 4 pairs");
}

TEST_CASE("pairs whose loss broke are not continued, and runs without times have no result") {
  StudyFacts facts = study_of_pairs({10, 10, 10, 10}, {10, 11, 10, 9.5}, 6);
  facts.settings[1].runs[3].loss_broke = true;
  CHECK(pair_facts(facts).uncounted == 1);
  CHECK(pair_facts(facts).next_repeats == 0);
  has_part(pair_words(facts), "too few pairs of runs tell their times. 1 pair does not count");
  facts.study.head.looks = 1;
  has_part(pair_words(facts), "3 pairs of runs). Longer runs");
  // Programs that report no steps are compared by the time of whole runs, if it is known.
  for (analysis::ScalingSetting& setting : facts.measured)
    for (analysis::RunMeasure& run : setting.runs) run.pace.reset();
  has_part(pair_words(facts), "a run takes as long with");
  has_part(pair_words(facts), "start-up counts with it");
  facts.measured[0].runs[0].wall_s = analysis::RunMeasure::kNone;
  has_part(pair_words(facts), "Which takes longer is not known");
}

TEST_CASE("pairs whose runs did unequal work do not count, and say how it differed") {
  StudyFacts facts = study_of_pairs({10, 10, 10, 10}, {5, 5, 5, 5}, 6);
  for (auto* const setting : {&facts.measured[0], &facts.measured[1]})
    for (analysis::RunMeasure& run : setting->runs) run.steps = 40;
  CHECK(pair_facts(facts).verdict == analysis::PairVerdict::kShorter);
  for (analysis::RunMeasure& run : facts.measured[1].runs) run.steps = 20;
  has_part(pair_words(facts), "4 pairs do not count: one trained 40 steps, the other 20 steps");
  for (analysis::RunMeasure& run : facts.measured[1].runs) run.steps = 40;
  for (analysis::RunMeasure& run : facts.measured[1].runs) run.first_step = 40;
  const PairFacts told = pair_facts(facts);
  CHECK(told.verdict == analysis::PairVerdict::kOpen);
  CHECK(told.pairs == 0);
  CHECK(told.next_repeats == 0);
  has_part(pair_words(facts),
           "4 pairs do not count: one trained 40 steps, the other 40 steps after step 40");
}

TEST_CASE(
    "pairs count if their runs trained as many samples in other batches, or lost a last step") {
  StudyFacts facts = study_of_pairs({10, 10, 10, 10}, {5, 5, 5, 5}, 6);
  for (analysis::RunMeasure& run : facts.measured[0].runs) run.steps = 40;
  for (analysis::RunMeasure& run : facts.measured[1].runs) run.steps = 39;
  CHECK(pair_facts(facts).pairs == 4);
  for (analysis::RunMeasure& run : facts.measured[0].runs) run.samples = 40 * 64;
  for (analysis::RunMeasure& run : facts.measured[1].runs) run.steps = 20;
  CHECK(pair_facts(facts).pairs == 0);
  for (analysis::RunMeasure& run : facts.measured[1].runs) run.samples = 20 * 128;
  CHECK(pair_facts(facts).pairs == 4);
  for (analysis::RunMeasure& run : facts.measured[1].runs) run.samples = 10 * 128;
  CHECK(pair_facts(facts).pairs == 0);
}

TEST_CASE("two commands are named by the words that differ") {
  StudyFacts facts = study_of_pairs({10, 10}, {10, 11}, 1);
  facts.settings[0].command = {"X=1", "python", "t.py", "--fast"};
  facts.settings[1].command = {"X=2", "python", "t.py", "--fast"};
  const Table table = build_combinations_table(facts);
  CHECK(cell_of(table, table.rows[0], "command").text == "X=1 …");
  CHECK(cell_of(table, table.rows[1], "command").text == "X=2 …");
  CHECK(cell_of(table, table.rows[1], "command").hint == "X=2 python t.py --fast");
}

TEST_CASE("a row has the values of a combination, its devices and its results") {
  const Table table = build_combinations_table(study_of_settings(kClear));
  REQUIRE(table.rows.size() == 2);
  const TableRow& best = table.rows[1];
  CHECK(cell_of(table, best, "set.optimizer.lr").text == "0.03");
  CHECK(cell_of(table, best, "set.batch.size").value == CellValue(std::int64_t{32}));
  CHECK(cell_of(table, best, "devices").text == "2");
  CHECK(cell_of(table, best, "val_accuracy").text == "91.00 ± 1.41");
  CHECK(cell_of(table, best, "val_loss").text == kDash);
  CHECK(cell_of(table, best, "best").value == CellValue(true));
  CHECK(cell_of(table, table.rows[0], "best").value == CellValue(false));
}

TEST_CASE("the best combination has its distance to the next and whether that exceeds chance") {
  CHECK(best_words(study_of_settings(kClear)) ==
        "Best by final validation accuracy: optimizer.lr=0.03 batch.size=32 with 91.00 ± 1.41 %, "
        "10.00 points from the next, optimizer.lr=0.01 batch.size=32, more than chance explains "
        "(3.91 to 16.09 points at 95 %, 2 and 2 repeats).");
  has_part(best_words(study_of_settings({{"lr=1-1", {0.8, 0.9}}, {"lr=2-1", {0.81, 0.91}}})),
           "from the next, lr=1, which may be chance (−29.43 to 31.43 points at 95 %, 2 and 2 "
           "repeats).");
  // The means are more than one standard deviation apart, as chance makes them in one of sixteen
  // studies of equal settings.
  has_part(best_words(study_of_settings({{"lr=1-1", {0.9, 0.9, 0.9, 0.93, 0.87}},
                                         {"lr=2-1", {0.9305, 0.9305, 0.9305, 0.9605, 0.9005}}})),
           "which may be chance (");
  has_part(best_words(study_of_settings({{"lr=1-1", {0.8}}, {"lr=2-1", {0.9}}})),
           "`ringside sweep S-02 --repeats 3` measures it.");
  has_part(best_words(study_of_settings({{"lr=1-1", {0.8, 0.8}}, {"lr=2-1", {0.9, 0.9}}})),
           "the repeats of each are equal");
  has_part(best_words(study_of_settings({{"lr=1-1", {0.9}}, {"lr=2-1", {0.9}}})),
           "no better than the next");
}

TEST_CASE("another metric can be chosen, and a setting whose loss became NaN is never the best") {
  StudyFacts facts = study_of_settings(kClear);
  facts.best_by = "train_loss";
  has_part(best_words(facts), "Best by final training loss: optimizer.lr=0.01 batch.size=32");
  facts.best_by = "val_loss";
  has_part(best_words(facts), "fewer than two settings have one");
  CHECK(check_best("val_loss"));
  has_part(check_best("val_los").error().message, "did you mean \"val_loss\"?");
  facts.best_by.clear();
  facts.settings[1].runs[0].loss_broke = true;
  facts.settings[1].runs[0].detail = "its loss was NaN or Inf at the end";
  const Table table = build_combinations_table(facts);
  CHECK(cell_of(table, table.rows[1], "best").value == CellValue(false));
  has_part(cell_of(table, table.rows[1], "note").text, "NaN or Inf");
}

TEST_CASE("a study of settings shows no scaling, neither on the screen nor in files") {
  const StudyFacts facts = study_of_settings(kClear);
  const ScalingView view = build_scaling_view(facts, ScalingMetric::kSpeedup);
  CHECK(view.baseline.empty());
  CHECK(view.result == best_words(facts));
  CHECK(view.settings);
  has_part(plain(view.chart.empty), "settings on one number of devices");
  for (const StudyFile& file : study_files(facts, "now")) {
    INFO(file.suffix);
    CHECK(file.suffix.find("speedup") == std::string::npos);
  }
  const std::string page = study_page(facts, "now");
  CHECK(page.find("Speedup") == std::string::npos);
  has_part(page, "Best by final validation accuracy");
}

TEST_CASE("two settings are compared by the time of a sample, with the spread of their repeats") {
  const StudyFacts slower = study_of_times({10, 10.1, 9.9}, {11, 11.1, 10.9});
  const Table table = build_combinations_table(slower);
  CHECK(cell_of(table, table.rows[0], "slower").text == kDash);
  CHECK(cell_of(table, table.rows[1], "slower").text == "+10.0 % (+7.6 % to +12.4 %)");
  CHECK(cell_of(table, table.rows[1], "slower").tone == Tone::kWarning);
  CHECK(time_words(slower) ==
        "A sample takes 10.0 % more time with data.workers=2 than with data.workers=0, more than "
        "chance explains (+7.6 % to +12.4 % at 95 %, 3 and 3 repeats).");
  CHECK(build_scaling_view(slower, ScalingMetric::kSpeedup).result ==
        best_words(slower) + " " + time_words(slower));
  has_part(time_words(study_of_times({11, 11.1}, {10, 10.1})),
           "takes 9.0 % less time with data.workers=2 than with data.workers=0");
}

TEST_CASE("two settings whose spread is as large as their difference are not told apart") {
  const StudyFacts facts = study_of_times({10, 10.4, 9.8}, {10.1, 10.5, 9.9});
  const Table table = build_combinations_table(facts);
  CHECK(cell_of(table, table.rows[1], "slower").tone == Tone::kDim);
  has_part(time_words(facts),
           "Whether a sample takes longer with data.workers=2 or with data.workers=0 these repeats "
           "do not tell (");
  has_part(time_words(facts), "would need about 48 times as many.");
}

TEST_CASE("programs that report no samples are compared by their steps, single runs are not") {
  StudyFacts facts = study_of_times({10, 10.1}, {11, 11.1});
  facts.measured[1].runs[0].pace->samples_per_s = std::nan("");
  has_part(time_words(facts), "A step takes 10.0 % more time with");
  const StudyFacts one_each = study_of_times({10}, {11});
  const Table single = build_combinations_table(one_each);
  CHECK(cell_of(single, single.rows[1], "slower").text == kDash);
  CHECK(time_words(one_each).empty());
}
