// Tests the menu that all charts share.
#include "gui/view/chart/chart_menu.h"

#include <algorithm>

#include "gui/view/live/run_charts.h"
#include "gui/view/runs/compare_charts.h"
#include "tests/support/catch.h"

using namespace ringside::view;

namespace {

const MenuEntry* find_entry(const Menu& menu, const std::string& word) {
  for (const MenuEntry& entry : menu) {
    if (entry.word == word) return &entry;
    if (const MenuEntry* within = find_entry(entry.more, word)) return within;
  }
  return nullptr;
}

template <class T>
const T& command_of(const Menu& menu, const std::string& word) {
  const MenuEntry* const entry = find_entry(menu, word);
  REQUIRE(entry != nullptr);
  REQUIRE(entry->command);
  const T* const command = as<T>(*entry->command);
  REQUIRE(command != nullptr);
  return *command;
}

}  // namespace

TEST_CASE("The menu of the loss smooths, scales, chooses the axis and writes files") {
  ChartView chart;
  chart.axis = XAxis::kTime;
  ChartChoice choice;
  choice.axis = XAxis::kTime;
  choice.smoothing = 50;
  const Menu menu = run_chart_menu(chart, choice, "loss");
  CHECK(find_entry(menu, "Mean over 50 steps")->on);
  CHECK(command_of<SetSmoothing>(menu, "Mean over 200 steps").steps == 200);
  CHECK(find_entry(menu, "Time")->on);
  CHECK(command_of<SetXAxis>(menu, "Epoch").axis == XAxis::kEpoch);
  CHECK(command_of<SetLogScale>(menu, label::kLogScale).on);
  CHECK(command_of<SetPlan>(menu, label::kWholePlan).on);
  CHECK(command_of<ChartData>(menu, label::kCopyData).copy);
  CHECK(command_of<ChartData>(menu, label::kSaveData).chart == "loss");
  CHECK(command_of<SaveImage>(menu, label::kSaveImageSvg).vector);
  CHECK_FALSE(command_of<SaveImage>(menu, label::kSaveImagePng).vector);
}

TEST_CASE("Choices that a chart does not have are not in its menu") {
  const Menu steps = run_chart_menu({}, {}, "step_time");
  CHECK(find_entry(steps, label::kAxisMenu) == nullptr);
  CHECK(find_entry(steps, label::kLogScale) == nullptr);
  CHECK(find_entry(steps, label::kSmooth) != nullptr);
  const Menu accuracy = run_chart_menu({}, {}, "accuracy");
  CHECK(find_entry(accuracy, label::kSmooth) == nullptr);
  CHECK(find_entry(accuracy, label::kWholePlan) != nullptr);
  const Menu metric = run_chart_menu({}, {}, "metric.val/loss");
  CHECK(find_entry(metric, label::kWholePlan) == nullptr);
  CHECK(command_of<ChartData>(metric, label::kSaveData).chart == "metric.val/loss");
}

TEST_CASE("A compared chart's menu changes all charts, and choosing another axis shows all of it") {
  CompareChoice choice;
  choice.low = 1;
  choice.high = 2;
  const Menu menu = compare_chart_menu(choice, "loss");
  CHECK(command_of<SetCompare>(menu, label::kLogScale).choice.logarithmic);
  CHECK(command_of<SetCompare>(menu, label::kLogScale).choice.high == 2);
  CHECK(command_of<SetCompare>(menu, "Time").choice.axis == XAxis::kTime);
  CHECK(command_of<SetCompare>(menu, "Time").choice.high == 0);
  CHECK(command_of<SetCompare>(menu, label::kShowWholeRun).choice.high == 0);
  CHECK(command_of<SetCompare>(menu, label::kWholePlan).choice.plan);
  CHECK(command_of<SaveImage>(menu, label::kSaveImageSvg).chart == "compare.loss");
  CHECK(find_entry(compare_chart_menu(choice, "accuracy"), label::kSmooth) == nullptr);
}
