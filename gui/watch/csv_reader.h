// A table of comma-separated values with a column of steps: Lightning's CSVLogger, our own export,
// what people write themselves. Every other column of numbers is a curve of that name; a table with
// the columns "name" and "value" holds a value of any name in each row. Quoting is that of RFC
// 4180.
#pragma once

#include "gui/watch/file_reader.h"

namespace ringside::watch {

class CsvReader final : public FileReader {
 public:
  Result<std::size_t> take(std::string_view bytes, bool at_end, Findings& found) override;
  /// Of a file that grew by itself, rows that were taken are passed over.
  void begin_again(bool grown) override;

 private:
  /// What the columns are; -1: there is none.
  struct Columns {
    std::vector<std::string> names;
    std::vector<bool> curves;  ///< by column
    int step = -1;
    int time = -1;
    int rank = -1;
    int name = -1;
    int value = -1;
  };

  Result<void> take_row(std::string_view row, std::uint64_t at, Findings& found);
  Result<void> take_header(std::uint64_t at);
  void take_values(Findings& found);
  std::string_view cell(int column) const;

  std::uint64_t offset_ = 0;
  std::uint64_t rows_ = 0;        ///< below the header
  std::uint64_t rows_known_ = 0;  ///< of them, taken before the file was written anew
  Columns columns_;
  std::vector<std::string> cells_;  ///< of the row
};

}  // namespace ringside::watch
