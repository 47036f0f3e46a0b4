// Devices and hosts over time: utilisation, memory, temperature, power, traffic; without GPUs, CPU
// load and memory of each rank. Only measured quantities are shown. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/run_context.h"

namespace ringside::view {

/// The largest number of charts shown, most important first.
inline constexpr std::size_t kMostResourceCharts = 6;

/// Charts over seconds since training began, each `width` x `height` pixels. A line per device in
/// the colour of the rank that runs on it, and one for the host.
std::vector<ChartView> build_resource_charts(const model::RunModel& model, int width, int height,
                                             std::span<const runs::ChartNote> notes = {});

}  // namespace ringside::view
