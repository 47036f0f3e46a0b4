// Decides what the columns of a table are (the step, the time, the rank, the name, or curves) from
// their names and, if available, the first rows. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "gui/watch/file_reader.h"

namespace ringside::watch {

using TableRow = std::vector<std::string>;

struct TableOptions {
  std::string step;  ///< name of the column of steps given by a person; empty: recognised by name
  bool rows_are_steps = true;   ///< if no column has the step
  std::string value_name = {};  ///< for the column "value" of a table without names
  std::string header = {};      ///< column names of a table without a header, separated by blanks
  std::string title = {};       ///< title of its run
};

struct TableColumns {
  std::vector<std::string> names;  ///< of the curves, without duplicates
  std::vector<bool> curves;        ///< by column
  int step = -1;                   ///< -1, here and below: no such column
  int epoch = -1;                  ///< column of epochs; the step may restart in each
  bool epoch_of_steps =
      false;  ///< there is a loss: the epoch is stored with each step, not as a curve
  bool begins_anew = false;  ///< the step counts batches and restarts in each epoch
  int time = -1;
  int rank = -1;
  int part = -1;  ///< column with "train" or "val", or the name of a run, which prefix the names
  int name = -1;  ///< with `value`: each row is one named value
  int value = -1;
  std::string
      why_rows;  ///< why rows are the steps; empty: a column is, or there is nothing to read
};

/// Whether a line is a header: it has the name of a step, or no number.
bool is_header(const TableRow& cells, char separator);
/// Whether one of these names is that of a step.
bool names_step(const TableRow& cells);

/// `sample`: the rows after the header that exist so far. Columns beyond the limit, and those that
/// are not curves, are left out.
TableColumns columns_of(const TableRow& header, const std::vector<TableRow>& sample,
                        const TableOptions& options, char separator,
                        std::vector<LeftOut>& left_out);

}  // namespace ringside::watch
