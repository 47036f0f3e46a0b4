// Changes the table of ranks for runs with many of them: sorts the worst first, and adds
// percentiles over all ranks. Pure functions of that table.
#pragma once

#include <string>

#include "gui/view/table.h"

namespace ringside::view {

/// Whether its cells say how much there is of something, not which rank, device or node it is.
bool is_amount(const TableColumn& column);

/// Nodes by their worst rank, within each the worst rank first: the one that failed first
/// (`failed`; kNoRank: none), then error, warning, and how often it arrives last, in whole tens of
/// percent, so that jitter moves no row. What is equal stays in the order of nodes and ranks.
void put_worst_first(Table& ranks, Rank failed);

/// Rows "p5", "p50" and "p95" below that of all: in each column of amounts the figure of a rank
/// that so many percent of the ranks do not exceed. Ranks of which it is not known are left out.
void add_percentiles(Table& ranks);

/// "p5 77.0, p50 77.2, p95 83.4 ms over 64 ranks": those rows in one column; empty without them, or
/// where nothing is known.
std::string percentiles_text(const Table& ranks, const TableColumn& column);

}  // namespace ringside::view
