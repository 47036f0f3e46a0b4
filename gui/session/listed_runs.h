// Runs of the catalogue as the list of the window and `ringside list` show them. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "gui/runs/catalogue.h"
#include "gui/view/runs/run_summary.h"

namespace ringside::session {

/// In their order; which of them are baselines is known among these alone.
std::vector<view::RunSummary> listed_runs(std::span<const runs::RunSummary> runs);

/// Shows labels as a person wrote them, whether they are in the file already or not.
void show_labels(const runs::RunLabels& labels, view::RunSummary& run);

}  // namespace ringside::session
