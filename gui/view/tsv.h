// Tables as tab-separated text for the clipboard, the way spreadsheets read it. Pure.
#pragma once

#include <span>
#include <string>

#include "gui/view/launch/launch_view.h"
#include "gui/view/runs/runs_view.h"

namespace ringside::view {

/// One line with its end; tabs and line ends inside a cell become spaces.
std::string tsv_line(std::span<const std::string> cells);

std::string runs_tsv(const RunsView& runs);
/// A row per way to spread batches; what cannot be run has its reason in the last column.
std::string batch_tsv(std::span<const BatchRow> rows);
/// Heads "GPU 0" and so on across and down; nothing between a GPU and itself.
std::string links_tsv(const LinkMatrix& links);

}  // namespace ringside::view
