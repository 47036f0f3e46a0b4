// The menu that all charts share: how a chart is drawn, and its picture and numbers as files.
// Choices that a chart does not have are left out. Pure.
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

/// Window lengths in steps that smoothing offers; 0: no smoothing.
inline constexpr int kSmoothings[] = {0, 10, 50, 200, 1000};
/// Returns the next length; the last is followed by the first.
int next_smoothing(int steps);
/// Returns the label of the button: "Smooth", "Smooth 50".
std::string smoothing_label(int steps);
/// Returns the text of an entry: "Off", "Mean over 50 steps".
std::string smoothing_text(int steps);

/// How a chart is drawn; an empty member is a choice that it does not have.
struct ChartStyle {
  std::optional<int> smoothing{};
  std::optional<XAxis> axis{};
  std::optional<bool> logarithmic{};
  std::optional<bool> plan{};  ///< the x axis extends to the planned end
};

/// Builds the menu. `set` returns the command that changes the style. `whole` is the command that
/// shows the whole axis; empty: none. `files` is the name of the chart for SaveImage and ChartData;
/// empty: it has none.
Menu chart_menu(const ChartStyle& now, const std::function<Command(const ChartStyle&)>& set,
                const std::optional<Command>& whole, const std::string& files);

}  // namespace ringside::view
