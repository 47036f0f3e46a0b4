// Changes the table of ranks for runs with many of them: sorts the worst first, and adds
// percentiles over all ranks. Pure functions of that table.
#pragma once

#include <string>

#include "gui/view/table.h"

namespace ringside::view {

/// Whether the cells of the column are quantities, and not the number of a rank, device or node.
bool is_amount(const TableColumn& column);

/// Sorts nodes by their worst rank, and the ranks of each node from worst to best: first the one
/// that failed first (`failed`; kNoRank: none), then errors, warnings, and how often it arrives
/// last, in steps of ten percent, so that jitter moves no row. Equal ones stay in the order of
/// nodes and ranks.
void put_worst_first(Table& ranks, Rank failed);

/// Adds rows "p5", "p50" and "p95" below that of all ranks: in each column of quantities, the value
/// that this percentage of the ranks does not exceed. Ranks without a value are left out.
void add_percentiles(Table& ranks);

/// "p5 77.0, p50 77.2, p95 83.4 ms over 64 ranks": these rows in one column; empty without them or
/// without values.
std::string percentiles_text(const Table& ranks, const TableColumn& column);

}  // namespace ringside::view
