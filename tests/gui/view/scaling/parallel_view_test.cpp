// Tests a study of settings as parallel coordinates: axes, lines, the best combination, and the
// drawing in a file.
#include "gui/view/scaling/parallel_view.h"

#include <cmath>

#include "gui/view/report/scaling_files.h"
#include "gui/view/scaling/scaling_view.h"
#include "tests/gui/view/study_story.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

using test::kStorySettings;
using test::story_of_settings;

namespace {

std::vector<std::string> labels_of(const ParallelAxis& axis) {
  std::vector<std::string> labels;
  for (const Tick& tick : axis.ticks) labels.push_back(tick.label);
  return labels;
}

const ParallelLine& parallel_line(const ParallelView& view, const std::string& run) {
  for (const ParallelLine& line : view.lines)
    if (line.run == run) return line;
  FAIL("there is no line of " + run);
  return view.lines.front();
}

}  // namespace

TEST_CASE("each varied setting has an axis, and the metric has the last one") {
  const ParallelView view = build_parallel_view(story_of_settings());
  REQUIRE(view.axes.size() == 4);
  CHECK(view.axes[0].label == "optimizer.lr");
  // Learning rates get a logarithmic axis; sizes and words do not.
  CHECK(labels_of(view.axes[0]) == std::vector<std::string>{"0.001", "0.01", "0.1"});
  CHECK(view.axes[0].ticks[1].at == Approx(0.5));
  CHECK(labels_of(view.axes[1]) == std::vector<std::string>{"32", "64", "128"});
  CHECK(view.axes[1].ticks[1].at == Approx(1.0 / 3));
  CHECK(labels_of(view.axes[2]) == std::vector<std::string>{"sgd", "adamw"});
  CHECK(view.axes[3].label == "Val acc %");
  REQUIRE(view.lines.size() == 3);
  const ParallelLine& first = parallel_line(view, "#1");
  CHECK(first.at[0] == Approx(1));
  CHECK(first.at[1] == Approx(0));
  CHECK(first.at[3] == Approx(2.0 / 3));
  CHECK(first.hint == "optimizer.lr=0.1 batch.size=32 optimizer.name=sgd: Val acc 80.00 %; #1");
}

TEST_CASE("the best line by the chosen metric is drawn last and strongest") {
  StudyFacts facts = story_of_settings();
  const ParallelView view = build_parallel_view(facts);
  CHECK(view.title == "Settings and final validation accuracy");
  CHECK(view.lines.back().run == "#3");
  CHECK(view.lines.back().best);
  CHECK(view.lines.back().strength == Approx(1));
  CHECK(view.lines.front().strength == Approx(0));
  REQUIRE(view.metrics.size() == 2);
  CHECK(view.metrics[view.metric].key == "val_accuracy");
  facts.best_by = "seconds";
  const ParallelView by_time = build_parallel_view(facts);
  CHECK(by_time.lines.back().run == "#2");
  CHECK(by_time.lines.back().best);
  CHECK(by_time.lines.back().at.back() == Approx(0));
  CHECK(by_time.metrics[by_time.metric].label == "Time");
  // A metric without values is offered if it was requested, and ranks nothing.
  facts.best_by = "val_loss";
  const ParallelView unknown = build_parallel_view(facts);
  CHECK(unknown.metrics[unknown.metric].key == "val_loss");
  CHECK(unknown.subtitle == "a line for each combination; none has reported it yet");
  CHECK_FALSE(unknown.lines.front().known);
}

TEST_CASE(
    "in the drawing of a study the line of a run without a result ends before the metric's axis") {
  auto settings = kStorySettings;
  settings[0].second = std::nan("");
  StudyFacts facts = story_of_settings(settings);
  facts.settings[1].runs[0].loss_broke = true;
  facts.settings[1].runs[0].detail = "its loss was NaN";
  const ParallelView view = build_parallel_view(facts);
  const ParallelLine& goes_on = parallel_line(view, "#1");
  CHECK_FALSE(goes_on.known);
  CHECK(goes_on.end() == 2);
  CHECK(goes_on.hint.ends_with("; #1 training"));
  CHECK_FALSE(parallel_line(view, "#2").known);
  CHECK(parallel_line(view, "#2").hint.ends_with("; #2 finished (its loss was NaN)"));
  // A single setting is not called the best.
  CHECK_FALSE(parallel_line(view, "#3").best);
  CHECK(parallel_line(view, "#3").at.back() == Approx(0.5));
  const ParallelView none =
      build_parallel_view(story_of_settings({{"lr=1-1", std::nan("")}, {"lr=2-1", std::nan("")}}));
  CHECK(none.axes.back().label == "Not measured yet");
  CHECK(none.metrics.empty());
}

TEST_CASE("an axis of many values has round ticks, and no labels overlap") {
  std::vector<std::pair<std::string, double>> settings;
  for (int i = 1; i <= 40; ++i)
    settings.emplace_back("lr=" + std::to_string(i) + "e-4-1", 0.5 + i * 0.01);
  settings.emplace_back("lr=0.00011-1", 0.4);
  const ParallelView view = build_parallel_view(story_of_settings(settings));
  CHECK(view.axes[0].ticks.size() <= 12);
  double last = -1;
  for (const Tick& tick : view.axes[0].ticks) {
    if (tick.label.empty()) continue;
    CHECK(tick.at - last > 0.05);
    last = tick.at;
  }
  CHECK(view.lines.size() == 41);
}

TEST_CASE("studies of devices and of pairs have no parallel coordinates") {
  StudyFacts facts = story_of_settings({kStorySettings[0], kStorySettings[1]});
  facts.study.head.looks = 1;
  CHECK(build_parallel_view(facts).axes.empty());
  facts = {};
  CHECK(build_parallel_view(facts).axes.empty());
}

TEST_CASE("the parallel coordinates of a study are in its page and in an SVG file") {
  const StudyFacts facts = story_of_settings();
  const std::string svg = study_file(facts, StudyFileKind::kSvg, ScalingMetric::kSpeedup, "now");
  CHECK(svg.starts_with("<svg"));
  for (const char* part : {"optimizer.name", "adamw", "Val acc %", "stroke-width=\"2.6\""}) {
    INFO(part);
    CHECK(svg.find(part) != std::string::npos);
  }
  CHECK(study_page(facts, "now").find("<svg") != std::string::npos);
  int drawings = 0;
  for (const StudyFile& file : study_files(facts, "now"))
    if (file.suffix.ends_with(".svg")) {
      ++drawings;
      CHECK(file.suffix == "_settings.svg");
      CHECK(file.text == svg);
    }
  CHECK(drawings == 1);
}
