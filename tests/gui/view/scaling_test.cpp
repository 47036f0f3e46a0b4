// Tests a study as shown: against the numbers of the design's drawing, in all its states, and as
// files.
#include "gui/view/scaling/scaling_view.h"

#include <algorithm>
#include <cmath>

#include "gui/view/report/scaling_files.h"
#include "gui/view/scaling/study_form.h"
#include "tests/gui/view/study_story.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using test::story_of;
using test::story_study;

namespace {

const Cell& scaling_cell(const Table& table, const std::string& row, const char* column) {
  for (const TableRow& one : table.rows) {
    if (one.key == row) return cell_of(table, one, column);
  }
  static const Cell kNone;
  return kNone;
}

const ScalingSeries* series_of(const ScalingChart& chart, const std::string& name) {
  for (const ScalingSeries& one : chart.series) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

ScalingView shown(const StudyFacts& facts, ScalingMetric metric = ScalingMetric::kSpeedup) {
  return build_scaling_view(facts, metric);
}

launch::PublishedFigure figure_of(const char* what, std::int64_t ranks, double value,
                                  const char* clock) {
  launch::PublishedFigure figure;
  figure.what = what;
  figure.printed = "as printed";
  figure.value = value;
  figure.ranks = ranks;
  figure.clock = clock;
  return figure;
}

}  // namespace

TEST_CASE("the table of settings has the numbers of the design's drawing") {
  const Table table = shown(story_study()).table;
  REQUIRE(table.rows.size() == 13);
  CHECK(scaling_cell(table, "baseline-1", "setting").text == "1 GPU baseline");
  CHECK(scaling_cell(table, "weak-4", "seconds").text == "591.9");
  CHECK(scaling_cell(table, "weak-4", "seconds").suffix == " ± 5.2");
  CHECK(scaling_cell(table, "weak-4", "speedup").text == "3.41×");
  CHECK(scaling_cell(table, "weak-4", "speedup").suffix == " ± 0.03");
  CHECK(scaling_cell(table, "weak-4", "efficiency").text == "85 %");
  CHECK(scaling_cell(table, "weak-4", "images_per_s").text == "5,069");
  CHECK(scaling_cell(table, "weak-4", "accuracy_delta").text == "−0.61");
  CHECK(scaling_cell(table, "strong-2", "accuracy_delta").text == "+0.07");
  CHECK(scaling_cell(table, "baseline-1", "accuracy_delta").text == "0.00");
  CHECK(scaling_cell(table, "weak-4", "time_cut").text == "70.7");
  CHECK(scaling_cell(table, "weak-4", "gate").text == "Pass");
  CHECK(scaling_cell(table, "weak-8", "gate").text == "Fail: accuracy");
  CHECK(scaling_cell(table, "weak-8", "note").text == "global batch 1,024 costs accuracy");
  CHECK(scaling_cell(table, "strong-2", "gate").text == "Fail: time");
  CHECK(scaling_cell(table, "strong-2", "note").text == "time cut too small");
  CHECK(scaling_cell(table, "strong-3", "note").text == "global 126, asked for 128");
  CHECK(scaling_cell(table, "dp-4", "efficiency").text == "36 %");
  CHECK(scaling_cell(table, "bf16-4", "efficiency").text == "precision differs");
  CHECK(std::holds_alternative<std::monostate>(scaling_cell(table, "bf16-4", "efficiency").value));
  CHECK(scaling_cell(table, "bf16-4", "setting").text == "DDP + BF16 AMP");
  CHECK(scaling_cell(table, "baseline-1", "note").text == "#982 is the median of #981 to #983");
  CHECK(scaling_cell(table, "weak-8", "same_accuracy").text == "never reached");
}

TEST_CASE("the header shows the study's recipe, progress and baseline") {
  const ScalingView view = shown(story_study());
  CHECK(view.name == "S-07");
  CHECK(plain(view.head) == "resnet50 · cifar10 · 60 epochs   13 settings × 3 repeats = 39 runs");
  CHECK(view.progress == "all finished");
  CHECK(plain(view.baseline) == "baseline #982 2,018.4 s ± 9.6");
  CHECK(view.goal == "Gate: time cut ≥ 40 % and val acc > 70 %");
  CHECK_FALSE(view.can_continue);
  CHECK_FALSE(view.can_stop);
  StudyFacts single = story_of({"baseline-1"});
  single.study.head.repeats = 1;
  CHECK(plain(shown(single).head) ==
        "resnet50 · cifar10 · 60 epochs   1 setting × 1 repeat = 1 run");
}

TEST_CASE("a study ends in one sentence, with the number in its table and whether it was fair") {
  StudyFacts facts = story_of({"baseline-1", "weak-4"});
  const auto result = [&facts] { return shown(facts).result; };
  const std::string number = "Weak on 4 GPUs: 3.41× ± 0.03, 3 runs against 3 of the baseline.";
  CHECK(result() == number);  // no verdict yet
  CHECK(shown(facts).subtitle == number);
  auto& runs = facts.settings[1].runs;
  for (StudyRun& run : runs)
    run = {run.id, run.label, run.word, "", false, 1, run.seconds, true, "Fair: all."};
  CHECK(result() == number + " Fair in all 3 runs.");
  CHECK(shown(facts).fair == true);
  runs[1].fair.reset();
  runs[1].fair_text = "Fair as far as is known.";
  CHECK(result() == number + " Fair as far as is known.");
  CHECK_FALSE(shown(facts).fair);
  runs[2].fair = false;
  runs[2].fair_text = "Other processes took 2 cores.";
  CHECK(result() == number + " Not fair in 1 of 3 runs; #992: Other processes took 2 cores.");
  CHECK(shown(facts).fair == false);
  CHECK(study_markdown(facts, "").find("3.41× ± 0.03") != std::string::npos);
  CHECK(study_page(facts, "").find("Not fair in 1 of 3 runs") != std::string::npos);
}

TEST_CASE("weak and strong scaling are never in one line, and a missed gate is hollow") {
  const ScalingChart chart = shown(story_study()).chart;
  const ScalingSeries* weak = series_of(chart, "weak");
  const ScalingSeries* strong = series_of(chart, "strong");
  REQUIRE(weak != nullptr);
  REQUIRE(strong != nullptr);
  CHECK(weak->legend == "Weak: 128 per GPU, global batch grows");
  CHECK(strong->legend == "Strong: global batch 128 kept");
  CHECK(weak->joined);
  CHECK(weak->token != strong->token);
  CHECK(weak->marker != strong->marker);
  REQUIRE(weak->dots.size() == 6);
  CHECK(weak->dots.back().hollow);
  CHECK(weak->dots.back().problem == "val 69.71 %");
  CHECK_FALSE(weak->dots[3].hollow);
  CHECK(weak->dots[3].low < weak->dots[3].y);
  CHECK(strong->dots[1].hollow);
  CHECK_FALSE(series_of(chart, "dp")->joined);
  CHECK_FALSE(chart.ideal.empty());
  REQUIRE(chart.limits.size() == 1);
  CHECK(chart.limits[0].label == "gate: time cut 40 % is 1.67×");
  CHECK(chart.y.high > 8);
  CHECK_FALSE(chart.x.logarithmic);
  CHECK(chart.curves.size() == 2);
}

TEST_CASE(
    "points on several nodes are labelled in the figure, in the table and beside the source") {
  StudyFacts facts = story_of({"baseline-1", "strong-4", "strong-8"});
  auto preset = std::make_shared<launch::NamedPreset>();
  preset->file.published.source = "a source";
  preset->file.published.figures = {figure_of("per_rank_batch", 8, 16, "unstated"),
                                    figure_of("total_seconds", 8, 320, "first_step_to_end")};
  preset->file.published.figures[1].printed = "320 s, fastest";
  preset->file.spec.full.batch.meaning = "global";
  for (auto& setting : facts.settings) setting.preset = preset;
  auto& eight = facts.settings.back();
  eight.key = facts.measured.back().key = facts.study.settings.back().key = "strong-2x4";
  eight.nodes = 2;
  eight.virtual_nodes = true;
  const ScalingView view = shown(facts, ScalingMetric::kTime);
  CHECK(view.chart.x.ticks.back().label == "2 × 4");
  CHECK(view.chart.x.ticks[1].label == "4");
  CHECK(view.chart.subtitle.find("320 s, fastest (strong-2x4)") != std::string::npos);
  const ScalingSeries* strong = series_of(view.chart, "strong");
  REQUIRE(strong != nullptr);
  CHECK(strong->dots.size() == 3);  // one line, through the baseline
  CHECK(strong->dots.back().hint.starts_with("Strong on 2 × 4: "));
  CHECK(scaling_cell(view.table, "strong-2x4", "nodes").text == "2 × 4");
  CHECK(scaling_cell(view.table, "strong-4", "nodes").text == "1 × 4");
  CHECK(scaling_cell(view.table, "strong-2x4", "note").text == "2 nodes on this host");
  const auto division = std::find_if(view.more.begin(), view.more.end(),
                                     [](const Table& one) { return one.key == "division"; });
  REQUIRE(division != view.more.end());
  CHECK(scaling_cell(*division, "strong-2x4", "published_per_rank").text == "as printed");
  CHECK(scaling_cell(*division, "strong-2x4", "published_seconds").text == "320 s, fastest");
  CHECK(scaling_cell(*division, "strong-2x4", "nodes").text == "2 × 4");
}

TEST_CASE("each quantity has its own chart") {
  const StudyFacts facts = story_study();
  const auto dot = [&](ScalingMetric metric) {
    return series_of(shown(facts, metric).chart, "weak")->dots[3];
  };
  CHECK(dot(ScalingMetric::kEfficiency).value == "85 %");
  CHECK(dot(ScalingMetric::kTime).value == "591.9 s");
  CHECK(dot(ScalingMetric::kSamples).value == "5,069");
  CHECK(dot(ScalingMetric::kAccuracy).value == "75.43 %");
  // A series with another precision has no efficiency.
  CHECK(series_of(shown(facts, ScalingMetric::kEfficiency).chart, "bf16") == nullptr);
  CHECK(shown(facts, ScalingMetric::kTime).chart.ideal.empty());
}

TEST_CASE("the fits are shown from four points on") {
  const auto fits = [](const StudyFacts& facts) {
    for (const Table& table : shown(facts).more) {
      if (table.key == "fit") return table.rows.size();
    }
    return std::size_t{0};
  };
  CHECK(fits(story_study()) == 4);
  CHECK(fits(story_of({"baseline-1", "weak-2", "weak-4"})) == 0);
  CHECK(fits(story_of({"baseline-1", "weak-2", "weak-4", "weak-8"})) == 2);
}

TEST_CASE("published times are shown beside ours, which are measured by the source's clock") {
  StudyFacts facts = story_of({"baseline-1", "weak-4", "strong-4", "dp-4"});
  auto preset = std::make_shared<launch::NamedPreset>();
  preset->name = "story";
  preset->file.spec.full.batch.meaning = "per_rank";
  preset->file.published.source = "a source";
  preset->file.published.figures = {
      figure_of("speedup", 4, 2.16, "train_pass"), figure_of("val_accuracy", 4, 0.14, "unstated"),
      figure_of("total_seconds", 4, 70.2, "whole_run"), figure_of("speedup", 2, 1.82, "unstated")};
  for (auto& setting : facts.settings) setting.preset = preset;
  const auto scaling = view::scaling_of(facts);
  const auto points = published_points(facts, scaling);
  // The source is about weak scaling, so only points of weak settings are listed.
  REQUIRE(points.size() == 3);
  for (const auto& point : points) CHECK(point.key == "weak-4");
  CHECK(points[0].ours == Approx(2018.4 / 591.9));
  CHECK(points[2].ours == Approx(601.9));
  const ScalingChart chart = build_scaling_chart(facts, scaling, ScalingMetric::kSpeedup);
  const ScalingSeries* published = series_of(chart, "published");
  REQUIRE(published != nullptr);
  REQUIRE(published->dots.size() == 1);
  CHECK(published->dots[0].y == 2.16);
  CHECK(published->published);
  CHECK_FALSE(published->joined);
  // A preset that a setting names belongs to it.
  auto own = std::make_shared<launch::NamedPreset>(*preset);
  own->name = "story_dp";
  facts.settings[3].preset = own;
  CHECK(published_points(facts, scaling).size() == 6);
}

TEST_CASE("studies with one point, without points and with failed runs are shown") {
  const ScalingView one = shown(story_of({"baseline-1"}));
  CHECK(plain(one.chart.empty) == "Add a point with 2 or more GPUs.");
  CHECK(one.table.rows.size() == 1);
  StudyFacts facts = story_of({"baseline-1", "weak-2", "weak-4"});
  for (auto& run : facts.settings[1].runs) {
    run.word = "failed";
    run.detail = "rank 1 was killed";
  }
  facts.measured[1].runs.clear();
  const ScalingView failed = shown(facts);
  CHECK(scaling_cell(failed.table, "weak-2", "seconds").text == "–");
  CHECK(scaling_cell(failed.table, "weak-2", "note")
            .text.starts_with("#984 failed: rank 1 was killed"));
  CHECK(series_of(failed.chart, "weak")->dots.size() == 2);
  CHECK(failed.can_continue);
  CHECK(failed.progress == "6 of 9 runs finished, 3 not");
  facts.settings[1].runs[0].live = true;
  facts.settings[1].runs[0].word = "training";
  CHECK(shown(facts).progress == "6 of 9 runs finished, #984 (weak-2) training");
  CHECK(shown(facts).can_stop);
  StudyFacts nothing = story_of({"baseline-1", "weak-2"});
  for (auto& setting : nothing.measured) setting.runs.clear();
  CHECK(plain(shown(nothing).chart.empty).starts_with("No run has finished"));
  CHECK(shown({}).table.rows.empty());
}

TEST_CASE("sixty-four devices are shown on a logarithmic axis") {
  StudyFacts facts = story_of({"baseline-1", "weak-8"});
  facts.settings[1].devices = facts.measured[1].devices = 64;
  const ScalingChart chart = shown(facts).chart;
  CHECK(chart.x.logarithmic);
  CHECK(axis_share(chart.x, 1) > 0);
  CHECK(axis_share(chart.x, 64) < 1);
}

TEST_CASE("a study is written as each kind of file, and no name is read as markup") {
  StudyFacts facts = story_study();
  facts.recipe = "<b>|x|</b> & \"y\"";
  facts.study.head.title = facts.recipe;
  const std::string csv = study_file(facts, StudyFileKind::kCsv, ScalingMetric::kSpeedup, "w");
  CHECK(csv.starts_with("setting,series,devices,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 14);
  CHECK(csv.find("weak-4,weak,4,128,512,98,3,591.9,5.2") != std::string::npos);
  const std::string svg = study_file(facts, StudyFileKind::kSvg, ScalingMetric::kTime, "w");
  CHECK(svg.starts_with("<svg"));
  CHECK(svg.find("<b>") == std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  const std::string page = study_file(facts, StudyFileKind::kHtml, ScalingMetric::kSpeedup, "by w");
  CHECK(page.find("<b>") == std::string::npos);
  CHECK(page.find("3.41×") != std::string::npos);
  CHECK(page.find("by w") != std::string::npos);
  CHECK(page.find("<script") == std::string::npos);
  const std::string text =
      study_file(facts, StudyFileKind::kMarkdown, ScalingMetric::kSpeedup, "w");
  CHECK(text.starts_with("# Study S-07"));
  CHECK(text.find("| Weak | 4 |") != std::string::npos);
  CHECK(text.find("\\<b>") != std::string::npos);
  CHECK(study_file(facts, StudyFileKind::kPng, ScalingMetric::kSpeedup, "w").empty());
}

TEST_CASE("the form of a new study checks its fields and shows the plan") {
  StudyFormFacts facts;
  facts.recipes = {"e0_bonus", "demo"};
  facts.planning = true;
  CHECK_FALSE(build_study_form(facts).can_start);
  facts.planning = false;
  facts.has_runs = true;
  facts.lines = {"A new study: 2 settings"};
  CHECK(build_study_form(facts).can_start);
  CHECK(build_study_form(facts).title == "New study");
  CHECK(build_study_form(facts).fields.size() == 8);
  facts.problem = "--world: \"0\" is not a number";
  CHECK_FALSE(build_study_form(facts).can_start);
  edit_study(facts.form, "world", "1,2,4");
  edit_study(facts.form, "nothing", "x");
  CHECK(facts.form.world == "1,2,4");
  facts.has_slurm = true;
  CHECK(build_study_form(facts).fields.size() == 9);
  edit_study(facts.form, "slurm.where", "Slurm");
  edit_study(facts.form, "slurm.partition", "gpu");
  const StudyFormView slurm = build_study_form(facts);
  REQUIRE(slurm.fields.size() == 16);
  CHECK(slurm.fields[8].words == std::vector<std::string>{label::kThisMachine, "Slurm"});
  CHECK(slurm.fields[9].key == "slurm.gpus_per_node");
  CHECK(slurm.fields[9].half);
  CHECK(slurm.fields[10].value == "gpu");
  const auto words = facts.form.slurm.words();
  CHECK(std::count(words.begin(), words.end(), "--slurm") == 1);
  facts.form.more = "S-07";
  CHECK(build_study_form(facts).title == "More settings of S-07");
  // A study in Slurm's queue stays there, possibly with other options.
  const StudyFormView more = build_study_form(facts);
  REQUIRE(more.fields.size() == 11);
  CHECK(more.fields[4].key == "slurm.gpus_per_node");
  CHECK(more.fields[5].value == "gpu");
  facts.form.slurm = {};
  CHECK(build_study_form(facts).fields.size() == 4);
}

TEST_CASE("the form of a study of settings has a row for each setting, and an empty one") {
  StudyFormFacts facts;
  const auto field = [&](const std::string& key) {
    for (const StudyFormField& one : build_study_form(facts).fields)
      if (one.key == key) return one;
    return StudyFormField{"", "absent", "", "", {}};
  };
  CHECK(field("vary.0").label == "absent");
  edit_study(facts.form, "compare", kCompareSettings);
  CHECK(field("world").label == "absent");
  CHECK(field("variants").label == "absent");
  CHECK(field("repeats").value == "1");
  CHECK(field("random").half);
  CHECK(field("vary.0").hint == "optimizer.lr=0.01,0.03");
  CHECK(field("vary.1").label == "absent");
  // A setting's name is completed while it is typed; then its values are counted.
  edit_study(facts.form, "vary.0", "optimizer.l");
  CHECK(field("vary.0").hint == "optimizer.lr, optimizer.lr_rule, optimizer.lr_batch");
  edit_study(facts.form, "vary.0", "nothing.like");
  CHECK(field("vary.0").hint == "there is no such setting");
  edit_study(facts.form, "vary.0", "optimizer.lr=0.01,0.03,0.1");
  CHECK(field("vary.0").hint == "3 values");
  edit_study(facts.form, "vary.1", "batch.size=32,64");
  CHECK(field("vary.2").value.empty());
  CHECK(varied(facts.form) ==
        std::vector<std::string>{"optimizer.lr=0.01,0.03,0.1", "batch.size=32,64"});
  // A short name is the setting that ends so; a name that several end with is none.
  edit_study(facts.form, "vary.0", "lr=0.01,0.03");
  edit_study(facts.form, "vary.1", "name=a,b");
  CHECK(field("vary.0").hint == "optimizer.lr: 2 values");
  CHECK(varied(facts.form) == std::vector<std::string>{"optimizer.lr=0.01,0.03", "name=a,b"});
  edit_study(facts.form, "vary.1", "");
  CHECK(field("vary.2").label == "absent");
  edit_study(facts.form, "recipe", kOwnCommand);
  CHECK(field("vary.0").hint == "2 values");
  CHECK(varied(facts.form) == std::vector<std::string>{"lr=0.01,0.03"});
  CHECK(field("quick").label == "absent");
  CHECK(field("command").wide);
  CHECK(field("ranks").label == "Ranks");
  edit_study(facts.form, "compare", kCompareDevices);
  CHECK(field("ranks").label == "absent");
  CHECK(field("series").label == "absent");
  CHECK(field("world").value == "1,2");
  facts.form = {};
  facts.form.more = "S-02";
  facts.form.settings = true;
  CHECK(build_study_form(facts).title == "More repeats of S-02");
  CHECK(build_study_form(facts).fields.size() == 2);
}

TEST_CASE("Labels of nearby points are drawn beside each other") {
  ScalingChart chart;
  chart.x.high = 4;
  chart.y.high = 4;
  for (const double y : {1.01, 1.05, 1.08}) {
    ScalingSeries series;
    ScalingDot dot;
    dot.x = 2;
    dot.y = dot.low = dot.high = y;
    dot.key = "k";
    dot.value = "label";
    series.dots.push_back(dot);
    chart.series.push_back(series);
  }
  const std::string svg = scaling_svg(chart, "", 900, 400);
  std::vector<double> places;
  for (std::size_t at = svg.find(">label<"); at != std::string::npos;
       at = svg.find(">label<", at + 1)) {
    const std::size_t y = svg.rfind(" y=\"", at) + 4;
    places.push_back(std::stod(svg.substr(y)));
  }
  std::sort(places.begin(), places.end());
  REQUIRE(places.size() == 3);
  CHECK(places[1] - places[0] >= 13.9);
  CHECK(places[2] - places[1] >= 13.9);
}

TEST_CASE("a measured ceiling is shown beside the ideal, and in the table") {
  StudyFacts facts = story_study();
  CHECK(series_of(shown(facts).chart, "ceiling") == nullptr);
  CHECK(column_index(shown(facts).table, "ceiling") == shown(facts).table.columns.size());
  for (auto& setting : facts.settings) {
    if (setting.key != "weak-4") continue;
    setting.ceiling = 3.7;
    setting.ceiling_hint = "4 copies at once reach 3.70× of one on a busy host";
  }
  const ScalingView view = shown(facts);
  CHECK(scaling_cell(view.table, "weak-4", "ceiling").text == "3.70×");
  CHECK(scaling_cell(view.table, "weak-2", "ceiling").text == "–");
  const ScalingSeries* ceiling = series_of(view.chart, "ceiling");
  REQUIRE(ceiling != nullptr);
  REQUIRE(ceiling->dots.size() == 1);
  CHECK(ceiling->dots[0].y == 3.7);
  CHECK(ceiling->dots[0].value == "3.70×");
  CHECK(ceiling->dots[0].hint == "4 copies at once reach 3.70× of one on a busy host");
  CHECK(scaling_cell(view.table, "weak-4", "ceiling").hint == ceiling->dots[0].hint);
  CHECK(series_of(shown(facts, ScalingMetric::kTime).chart, "ceiling") == nullptr);
  // A ceiling that the study's own runs exceed is not shown.
  for (auto& setting : facts.settings) {
    if (setting.key == "weak-4") setting.ceiling = 1.5;
  }
  CHECK(series_of(shown(facts).chart, "ceiling") == nullptr);
  CHECK(column_index(shown(facts).table, "ceiling") == shown(facts).table.columns.size());
}
