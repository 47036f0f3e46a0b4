// What the columns of a table are: which tells the step, the time, the rank and the name, and which
// are curves. Told by their names, and by the first rows where there are some. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "gui/watch/file_reader.h"

namespace ringside::watch {

using TableRow = std::vector<std::string>;

/// How a table is to be read.
struct TableOptions {
  std::string step;             ///< the column of steps, as a person named it; empty: by its name
  bool rows_are_steps = true;   ///< where no column tells the step
  std::string value_name = {};  ///< of the column "value" of a table that tells no name itself
  std::string header = {};      ///< of a table without one, separated by blanks
  std::string title = {};       ///< of its run
};

struct TableColumns {
  std::vector<std::string> names;  ///< of the curves, each another one
  std::vector<bool> curves;        ///< by column
  int step = -1;                   ///< -1, here and below: there is none
  int epoch = -1;                  ///< column of epochs; the step may restart in each
  bool epoch_of_steps =
      false;  ///< there is a loss: the epoch is stored with each step, not as a curve
  bool begins_anew = false;  ///< the step counts batches and restarts in each epoch
  int time = -1;
  int rank = -1;
  int part = -1;  ///< "train" or "val", or one of several runs: words in front of the names
  int name = -1;  ///< with `value`: each row is one value of any name
  int value = -1;
  std::string
      why_rows;  ///< why rows are the steps; empty: a column is, or there is nothing to read
};

/// Whether a line is one of names: a name of a step is among them, or none of them is a number.
bool is_header(const TableRow& cells, char separator);
/// Whether one of these names is that of a step.
bool names_step(const TableRow& cells);

/// `sample`: the rows behind the header that are there by now. Columns beyond the limit, and others
/// that are not curves, are left out.
TableColumns columns_of(const TableRow& header, const std::vector<TableRow>& sample,
                        const TableOptions& options, char separator,
                        std::vector<LeftOut>& left_out);

}  // namespace ringside::watch
