// Notes at steps of a run: their marks on charts, and the note that a place on a chart means.
#include "gui/view/chart/chart_notes.h"

#include <algorithm>

#include "gui/view/chart/chart_svg.h"
#include "gui/view/chart/x_scale.h"
#include "gui/view/live/metrics_view.h"
#include "gui/view/live/resource_charts.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/runs/compare_charts.h"
#include "tests/gui/view/demo_models.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;
using support::model_of;

namespace {

const MarkerView* note_on(const ChartView& chart) {
  const auto found = std::ranges::find(chart.markers, MarkerKind::kNote, &MarkerView::kind);
  return found == chart.markers.end() ? nullptr : &*found;
}

RunContext noted(const model::RunModel& model) {
  RunContext context = support::ended_context(model);
  context.takes_notes = true;
  context.notes = {{40, "lower\nrate"}};
  return context;
}

}  // namespace

TEST_CASE("a note at a step that a run has not reached is no mark") {
  const auto model = model_of(support::demo_small(2));
  RunContext context = noted(model);
  context.notes = {{static_cast<std::int64_t>(model.steps_end()), "later"}};
  ChartChoice choice;
  for (const XAxis axis : {XAxis::kStep, XAxis::kTime}) {
    choice.axis = axis;
    CHECK(note_on(build_loss_chart(model, context, {}, choice, 500, 200)) == nullptr);
  }
}

TEST_CASE("a note is a mark on every chart of the run") {
  auto options = support::demo_small(2);
  options.metrics = 1;
  const auto model = model_of(options);
  const RunContext context = noted(model);
  for (const XAxis axis : {XAxis::kStep, XAxis::kEpoch, XAxis::kTime, XAxis::kSamples}) {
    ChartChoice choice;
    choice.axis = axis;
    const XScale scale(model, axis);
    for (const ChartView& chart : {build_loss_chart(model, context, {}, choice, 500, 200),
                                   build_accuracy_chart(model, context, {}, choice, 500, 200)}) {
      const MarkerView* const note = note_on(chart);
      REQUIRE(note != nullptr);
      CHECK(note->x == scale.x_of(40));
      CHECK(note->label == "lower\\nrate");
    }
  }
  CHECK(note_on(build_step_time_chart(model, context, {}, 500, 200))->x == 40);
  for (const ChartView& chart : build_resource_charts(model, 500, 200, context.notes))
    CHECK(note_on(chart)->x == XScale(model, XAxis::kTime).x_of(40));
  const ChartChoice choice;
  MetricCharts metrics;
  metrics.begin_frame(context.id);
  const std::string name = model.scalars().names().front().name();
  MetricCharts::Source source{model, context.id, 1, choice, context.notes};
  CHECK(note_on(*metrics.chart(source, name, 500, 200))->x == 40);
  source.notes = {};
  CHECK(note_on(*metrics.chart(source, name, 500, 200)) == nullptr);
}

TEST_CASE("notes of compared runs carry the letter of their run") {
  const auto a = model_of(support::demo_small(1));
  const auto b = model_of(support::demo_small(2));
  const std::vector<ComparedRun> runs{{&a, support::ended_context(a)}, {&b, noted(b)}};
  const ChartView chart = build_compare_chart(runs, {XAxis::kStep}, "loss", 500, 200);
  REQUIRE(note_on(chart) != nullptr);
  CHECK(note_on(chart)->label == "B: lower\\nrate");
  CHECK(note_on(chart)->x == 40);
}

TEST_CASE("the text of a note is in the image of its chart, at either end") {
  const auto model = model_of(support::demo_small(2));
  RunContext context = noted(model);
  context.notes = {{0, "at the begin"},
                   {static_cast<std::int64_t>(model.steps_end()) - 1, "at the end"}};
  const ChartView chart = build_loss_chart(model, context, {}, {}, 600, 220);
  const std::string svg = chart_svg(chart, "Run", 600, 220);
  CHECK(svg.find(">at the begin<") != std::string::npos);
  CHECK(svg.find("text-anchor=\"end\">at the end<") != std::string::npos);
}

TEST_CASE("a place near a note means that note, another place a new one") {
  const auto model = model_of(support::demo_small(2));
  RunContext context = noted(model);
  const auto last = static_cast<std::int64_t>(model.steps_end()) - 1;
  CHECK(note_step(model, context, {}, 41) == 40);
  CHECK(note_step(model, context, {}, 60.4) == 60);
  CHECK(note_step(model, context, {}, -1) == last);
  CHECK(note_step(model, context, {}, 1e9) == last);
  CHECK(note_entry(model, context, {}, 41)->word == "Edit the note at step 41…");
  CHECK(note_entry(model, context, {}, 60)->word == "Note at step 61…");
  CHECK(as<AskNote>(*note_entry(model, context, {}, 41)->command)->step == 40);
  CHECK(note_text(context, 40) == "lower\nrate");
  CHECK(note_text(context, 41).empty());
  CHECK(note_title(model, context, 40).starts_with("Note at step 41 of #"));
  context.takes_notes = false;
  CHECK_FALSE(note_entry(model, context, {}, 60));
  const model::RunModel none(model.spec());
  context.takes_notes = true;
  CHECK_FALSE(note_step(none, context, {}, 1));
}

TEST_CASE("the note is the first entry of a chart's menu") {
  const Menu menu = run_chart_menu({}, {}, "loss", MenuEntry{"Note at step 61…", "N", AskNote{60}});
  CHECK(menu[0].word == "Note at step 61…");
  CHECK(menu[1].word.empty());
  CHECK(menu.size() == run_chart_menu({}, {}, "loss").size() + 2);
}
