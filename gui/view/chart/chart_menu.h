// The one menu of charts: how a chart is drawn, and its picture and numbers as files. What a chart
// cannot do is not in its menu. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gui/view/choices.h"
#include "gui/view/menu.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kSmooth = "Smooth";
inline constexpr const char* kAxisMenu = "x axis";
inline constexpr const char* kLogScale = "Logarithmic scale";
inline constexpr const char* kWholePlan = "Up to the planned end";
inline constexpr const char* kShowWholeRun = "Show the whole run";
inline constexpr const char* kCopyData = "Copy data";
inline constexpr const char* kSaveData = "Save data (CSV)";
inline constexpr const char* kSaveImagePng = "Save image (PNG)";
inline constexpr const char* kSaveImageSvg = "Save image (SVG)";
}  // namespace label

/// Numbers of steps to choose from for a smoothed line; 0: none.
inline constexpr int kSmoothings[] = {0, 10, 50, 200, 1000};
/// The next of them; after the last comes the first.
int next_smoothing(int steps);
/// "Smooth", "Smooth 50": on the button of the list.
std::string smoothing_label(int steps);
/// "Off", "Mean over 50 steps"
std::string smoothing_text(int steps);

/// How a chart is drawn; nothing where it has no choice.
struct ChartStyle {
  std::optional<int> smoothing{};
  std::optional<XAxis> axis{};
  std::optional<bool> logarithmic{};
  std::optional<bool> plan{};  ///< the x axis reaches to the planned end
};

/// `set`: the command that draws it so. `whole`: the one that shows all of the axis; nothing: none.
/// `files`: the name of the chart for SaveImage and ChartData; empty: it has none.
Menu chart_menu(const ChartStyle& now, const std::function<Command(const ChartStyle&)>& set,
                const std::optional<Command>& whole, const std::string& files);

}  // namespace ringside::view
