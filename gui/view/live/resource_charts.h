// What devices and hosts did over time: utilisation, memory, temperature, power, traffic; where
// there is no GPU, processor and memory of each rank. Only what was measured. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/run_context.h"

namespace ringside::view {

/// Most charts that are shown, the most telling first.
inline constexpr std::size_t kMostResourceCharts = 6;

/// Charts over seconds since training began, each `width` x `height` pixels. A line per device in
/// the colour of the rank that runs on it, and one for the host.
std::vector<ChartView> build_resource_charts(const model::RunModel& model, int width, int height);

}  // namespace ringside::view
