// Reads a text table with a row for each step: Lightning's CSVLogger, our own export, and tables
// that people write themselves, separated by commas, semicolons, tabs, bars or blanks, in UTF-8,
// UTF-16 or Latin-1; or a table whose rows are JSON objects. Every other column of numbers is a
// curve of that name; a table with the columns "name" and "value" holds one named value in each
// row. If no column has the step, rows are counted.
#pragma once

#include <map>

#include "gui/watch/file_reader.h"
#include "gui/watch/json_rows.h"
#include "gui/watch/table_columns.h"

namespace ringside::watch {

class CsvReader final : public FileReader {
 public:
  explicit CsvReader(TableOptions options = {}) : options_(std::move(options)) {}

  std::size_t take(std::string_view bytes, bool at_end, Findings& found) override;
  /// Rows that were taken before are skipped if the file has only `grown`.
  void begin_again(bool grown) override;
  std::string foreign() const override { return foreign_; }

 private:
  enum class Encoding : std::uint8_t { kUnknown, kBytes, kUtf16Little, kUtf16Big };
  enum class Form : std::uint8_t { kUnknown, kCells, kJsonLines, kJsonDocument };

  std::size_t take_utf16(std::string_view bytes, bool at_end, Findings& found);
  /// Takes the complete rows of the text and returns how many bytes they have.
  std::size_t take_text(std::string_view text, bool at_end, Findings& found);
  std::size_t take_row(std::string_view rest, bool at_end, Findings& found);
  void take_line(std::string_view row, std::string_view behind, bool at_end, Findings& found);
  void take_first_line(std::string_view row, std::string_view behind, bool at_end, Findings& found);
  void take_json_line(std::string_view line, std::string_view behind, Findings& found);
  void take_header(std::string_view behind, bool at_end, Findings& found);
  void choose_columns(const std::vector<TableRow>& sample, Findings& found);
  /// Chooses how the file is read. False if more bytes are needed to decide.
  bool choose_form(std::string_view text, bool at_end);
  void take_named(const std::vector<NamedCells>& rows, std::size_t taken, Findings& found);
  bool is_torn(std::string_view row);
  TableRow row_of(const NamedCells& named) const;
  void take_values(Findings& found);
  std::optional<Step> step_of_row(Findings& found);
  Step laid_behind(Step step);
  bool says_again(Step step);
  void count_rows_from_here(const std::string& why, Findings& found);
  double number_in(std::size_t column, Findings& found);
  bool is_header_again() const;
  bool begins_as_before();
  std::string_view cell(int column) const;
  Place here() const { return {form_ == Form::kJsonDocument ? "entry" : "line", line_}; }

  TableOptions options_;
  Encoding encoding_ = Encoding::kUnknown;
  Form form_ = Form::kUnknown;
  bool latin1_ = false;
  std::string text_;  ///< decoded from UTF-16, but not a complete row yet
  bool in_long_row_ = false;
  char separator_ = 0;   ///< 0: unknown
  std::string comment_;  ///< the last comment above the header
  std::string foreign_;
  std::uint64_t line_ = 1;
  std::uint64_t rows_ = 0;        ///< number of rows below the header
  std::uint64_t rows_known_ = 0;  ///< rows that were taken before the file was replaced
  std::map<std::string, std::string> first_row_;  ///< non-empty cells by name
  TableRow header_;                               ///< empty: not read yet
  std::map<std::string, std::size_t> places_;     ///< for JSON: index in the header by name
  TableColumns columns_;
  TableRow cells_;             ///< cells of the current row
  std::vector<bool> numbers_;  ///< by column: whether it has had a number
  // State for tables whose rows are the steps, or whose steps restart in each epoch.
  bool by_row_ = false;
  Step row_step_ = -1;  ///< of the last row, within the whole run
  Step last_step_ = 0;  ///< as written in the last row
  Step stride_ = 1;
  Step behind_ = 0;  ///< offset to be added for earlier epochs
  std::int64_t last_epoch_ = 0;
  std::map<std::int64_t, Step> epochs_;  ///< offset of each epoch
  std::vector<bool> filled_;  ///< by column: whether a row of this step has a value there
  int same_step_ = 0;         ///< number of consecutive rows with the same step
};

}  // namespace ringside::watch
