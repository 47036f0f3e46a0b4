// Converts runs of the catalogue to rows of the window's list and of `ringside list`. Pure; any
// thread.
#pragma once

#include <span>
#include <vector>

#include "gui/runs/catalogue.h"
#include "gui/view/runs/run_summary.h"

namespace ringside::session {

/// Keeps the order. A run is marked as a baseline only if another run given here uses it.
std::vector<view::RunSummary> listed_runs(std::span<const runs::RunSummary> runs);

/// Shows labels as typed, before or after they are written to the file.
void show_labels(const runs::RunLabels& labels, view::RunSummary& run);

}  // namespace ringside::session
