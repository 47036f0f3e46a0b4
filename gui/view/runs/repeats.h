// Compared runs that are repeats of each other, and their lines in a chart as one: the mean, with a
// band from the lowest to the highest of them. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/view/runs/compare_charts.h"

namespace ringside::view {

/// Indexes of runs that are repeats of each other: the same program and the same settings, except
/// for seed, name, devices, baseline and the checkpoint that they resumed from. Groups of at least
/// two.
std::vector<std::vector<std::size_t>> repeats_of(ComparedRuns runs);

/// Replaces the lines of each group by one in place of its first, "A C", with a band. It covers the
/// x at which all of them have a value, interpolated linearly between points.
void fold_repeats(const std::vector<std::vector<std::size_t>>& groups, ChartView& chart);

}  // namespace ringside::view
