#include "gui/view/chart/chart_menu.h"

#include <utility>

#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

using Set = std::function<Command(const ChartStyle&)>;

/// Returns an entry that changes one property of the style.
template <class T>
MenuEntry entry(std::string word, std::string keys, const ChartStyle& now,
                std::optional<T> ChartStyle::*part, T wanted, bool on, const Set& set) {
  ChartStyle style = now;
  style.*part = wanted;
  return {std::move(word), std::move(keys), set(style), on};
}

void add_style_entries(const ChartStyle& now, const Set& set, Menu& menu) {
  if (now.smoothing) {
    Menu steps;
    for (const int one : kSmoothings)
      steps.push_back(entry(smoothing_text(one), "", now, &ChartStyle::smoothing, one,
                            one == *now.smoothing, set));
    menu.push_back(submenu(label::kSmooth, std::move(steps)));
  }
  if (now.axis) {
    Menu axes;
    for (const XAxis one : {XAxis::kStep, XAxis::kEpoch, XAxis::kTime, XAxis::kSamples})
      axes.push_back(entry(name_of(one), "", now, &ChartStyle::axis, one, one == *now.axis, set));
    menu.push_back(submenu(label::kAxisMenu, std::move(axes)));
  }
  if (now.logarithmic)
    menu.push_back(entry(label::kLogScale, "G", now, &ChartStyle::logarithmic, !*now.logarithmic,
                         *now.logarithmic, set));
  if (now.plan)
    menu.push_back(
        entry(label::kWholePlan, "Shift X", now, &ChartStyle::plan, !*now.plan, *now.plan, set));
}

}  // namespace

int next_smoothing(int steps) {
  for (const int next : kSmoothings) {
    if (next > steps) return next;
  }
  return kSmoothings[0];
}

std::string smoothing_label(int steps) {
  return steps > 0 ? std::string(label::kSmooth) + " " + std::to_string(steps) : label::kSmooth;
}

std::string smoothing_text(int steps) {
  return steps <= 0 ? "Off" : "Mean over " + plural(steps, "step", "steps");
}

Menu chart_menu(const ChartStyle& now, const Set& set, const std::optional<Command>& whole,
                const std::string& files) {
  Menu menu;
  add_style_entries(now, set, menu);
  if (whole) menu.push_back({label::kShowWholeRun, "Home", *whole});
  if (files.empty()) return menu;
  if (!menu.empty()) menu.emplace_back();
  menu.push_back({label::kCopyData, "", ChartData{files, true}});
  menu.push_back({label::kSaveData, "", ChartData{files, false}});
  menu.push_back({label::kSaveImagePng, "", SaveImage{files, false, {}}});
  menu.push_back({label::kSaveImageSvg, "", SaveImage{files, true, {}}});
  return menu;
}

}  // namespace ringside::view
