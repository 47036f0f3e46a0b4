// Compared runs that repeat one recipe, and their lines in a chart as one: the mean over a band
// from the lowest to the highest of them. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/view/runs/compare_charts.h"

namespace ringside::view {

/// The places of runs that repeat each other: the same program and the same settings, but for seed,
/// name, devices, baseline and the checkpoint that they resumed from. Groups of two and more.
std::vector<std::vector<std::size_t>> repeats_of(ComparedRuns runs);

/// The lines of each group become that of its first run, "A C", with a band. It goes where all of
/// them have a value, between two of their points on the straight line.
void fold_repeats(const std::vector<std::vector<std::size_t>>& groups, ChartView& chart);

}  // namespace ringside::view
