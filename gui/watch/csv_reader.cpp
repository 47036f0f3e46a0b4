#include "gui/watch/csv_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/watch/table_text.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"

namespace ringside::watch {
namespace {

constexpr std::size_t kMaxRowBytes = std::size_t{1} << 20;
/// Bytes that are read ahead to determine the columns.
constexpr std::size_t kSampleBytes = std::size_t{256} << 10;
constexpr std::size_t kSampleRows = 500;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kMostPreamble = 50;  // lines above the header that are not part of the table
// Limit for a JSON document, which is parsed as a whole.
constexpr std::size_t kMaxDocumentBytes = std::size_t{32} << 20;

/// Splits off lines at the front; the last one counts only if it is terminated.
std::vector<std::string_view> lines_of(std::string_view text, char separator, std::size_t most) {
  std::vector<std::string_view> lines;
  text = text.substr(0, kSampleBytes);
  while (lines.size() < most) {
    const std::size_t size = row_bytes(text, separator);
    if (size == text.npos) break;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

bool same_names(const TableRow& a, const TableRow& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

void CsvReader::begin_again(bool grown) {
  const bool more = grown || form_ == Form::kJsonDocument;
  const std::uint64_t known = more ? std::max(rows_, rows_known_) : 0;
  auto first = std::move(first_row_);
  *this = CsvReader(std::move(options_));
  rows_known_ = known;
  if (more) first_row_ = std::move(first);
}

std::string_view CsvReader::cell(int column) const {
  const auto place = static_cast<std::size_t>(column);
  return column >= 0 && place < cells_.size() ? std::string_view(cells_[place])
                                              : std::string_view();
}

/// Determines the columns from the names in cells_ and from the rows that follow in `behind`.
void CsvReader::take_header(std::string_view behind, bool at_end, Findings& found) {
  while (!cells_.empty() && cells_.back().empty()) cells_.pop_back();
  header_ = cells_;
  std::vector<TableRow> sample;
  const auto add = [&](std::string_view line) {
    TableRow row;
    split_row(line, separator_, row);
    if (!trimmed(line).empty() && line.front() != '#' && !same_names(row, header_))
      sample.push_back(std::move(row));
  };
  for (const std::string_view line : lines_of(behind, separator_, kSampleRows)) add(line);
  if (at_end && sample.empty() && !trimmed(behind).empty()) add(behind);
  choose_columns(sample, found);
}

void CsvReader::choose_columns(const std::vector<TableRow>& sample, Findings& found) {
  columns_ = columns_of(header_, sample, options_, separator_, found.left_out);
  numbers_.assign(header_.size(), false);
  filled_.assign(header_.size(), false);
  if (columns_.step >= 0 && !by_row_) return;
  if (!options_.step.empty() || !options_.rows_are_steps) foreign_ = columns_.why_rows;
  if (foreign_.empty()) count_rows_from_here(columns_.why_rows, found);
}

void CsvReader::count_rows_from_here(const std::string& why, Findings& found) {
  if (columns_.step >= 0) columns_.curves[static_cast<std::size_t>(columns_.step)] = true;
  if (std::exchange(by_row_, true)) return;
  leave_out(found.left_out, {"rows are counted as steps: " + why, here().text(), 1, true});
}

/// The step within the whole run, offset by earlier epochs if the count restarts in each epoch.
Step CsvReader::laid_behind(Step step) {
  constexpr Step kFar = Step{1} << 60;
  const auto epoch = cell_step(cell(columns_.epoch), separator_).value_or(last_epoch_);
  const bool fell = rows_ > 0 && step < last_step_;
  const bool anew = fell && (epoch > last_epoch_ || (columns_.begins_anew && columns_.epoch < 0));
  const auto known = epochs_.find(epoch);
  // The program was resumed at that step.
  if (fell && !anew && known != epochs_.end()) behind_ = known->second;
  if (anew && row_step_ < kFar && step > -kFar) behind_ = row_step_ + stride_ - step;
  if (step > last_step_ && last_step_ > -kFar && step < kFar) stride_ = step - last_step_;
  if (columns_.epoch >= 0) epochs_.try_emplace(epoch, behind_);
  last_step_ = step;
  last_epoch_ = epoch;
  return step > kFar ? step : step + behind_;
}

/// Whether earlier rows have this step too, with values in all columns that this row fills.
bool CsvReader::says_again(Step step) {
  bool again = false;
  bool anew = false;
  if (rows_ == 0 || step != last_step_) filled_.assign(filled_.size(), false);
  for (std::size_t i = 0; i < std::min(cells_.size(), filled_.size()); ++i) {
    if (!columns_.curves[i] || !cell_number(cells_[i], separator_)) continue;
    (filled_[i] ? again : anew) = true;
    filled_[i] = true;
  }
  return again && !anew;
}

std::optional<Step> CsvReader::step_of_row(Findings& found) {
  if (by_row_) return ++row_step_;
  const std::string_view text = cell(columns_.step);
  // A JSON line without a step belongs to the step of the line before it.
  if (text.empty() && form_ == Form::kJsonLines && rows_ > 0) return row_step_;
  const auto step = cell_step(text, separator_);
  const auto number = step ? std::nullopt : cell_number(text, separator_);
  const std::string name = printable_line(header_[static_cast<std::size_t>(columns_.step)]);
  if (!step && (!number || !std::isfinite(*number) || std::abs(*number) > 9e18)) {
    leave_out(found.left_out, {"a row has no step in the column " + name, here().text()});
    return std::nullopt;
  }
  const bool by_epoch = columns_.epoch < 0 && columns_.name < 0 && columns_.part < 0 &&
                        columns_.rank < 0 && options_.step.empty() &&
                        lower_case(name).find("epoch") != name.npos;
  same_step_ = step && by_epoch && says_again(*step) ? same_step_ + 1 : 0;
  if (step && same_step_ < 2) {
    const Step before = std::exchange(row_step_, laid_behind(*step));
    const bool one_by_one = columns_.rank < 0 && columns_.name < 0 && columns_.part < 0;
    if (rows_ > 0 && row_step_ < before && one_by_one)
      leave_out(found.left_out, {"steps go back to one that was there before; values of both times "
                                 "are in the run",
                                 here().text(), 1, true});
    return row_step_;
  }
  count_rows_from_here(step ? "rows with the same " + name + " follow one another"
                            : "a step in the column " + name + " is not a whole number",
                       found);
  return ++row_step_;
}

/// The number in a column; NaN also if the cell has none.
double CsvReader::number_in(std::size_t column, Findings& found) {
  const std::string& text = cells_[column];
  const auto value = cell_number(text, separator_);
  if (value) {
    numbers_[column] = true;
    return *value;
  }
  if (!is_blank(text))
    leave_out(found.left_out,
              {"a cell of the column " + printable_line(header_[column]) + " is not a number",
               here().text() + ", " + printable_line(text.substr(0, 40)), 1, !numbers_[column]});
  return kNoTime;
}

/// Whether the row contains all cells of the first row before the file was rewritten.
bool CsvReader::begins_as_before() {
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < std::min(cells_.size(), header_.size()); ++i) {
    if (!cells_[i].empty()) row.emplace(header_[i], cells_[i]);
  }
  std::swap(row, first_row_);
  return std::includes(first_row_.begin(), first_row_.end(), row.begin(), row.end());
}

void CsvReader::take_values(Findings& found) {
  const auto step = step_of_row(found);
  if (!step) return;
  if (rows_ == 0 && !begins_as_before()) {
    rows_known_ = 0;
    leave_out(found.left_out, {kWrittenAnew, "", 1, true});
  }
  if (++rows_ <= rows_known_) return;
  const double wall_s = cell_time(cell(columns_.time));
  const auto told = cell_step(cell(columns_.rank), separator_);
  const Rank rank = told && *told >= 0 && *told < 65536 ? static_cast<Rank>(*told) : kNoRank;
  const std::string part(cell(columns_.part));
  if (columns_.name >= 0) {
    if (columns_.value >= static_cast<int>(cells_.size())) return;
    const double value = number_in(static_cast<std::size_t>(columns_.value), found);
    const std::string name(cell(columns_.name));
    if (cell_number(cell(columns_.value), separator_))
      add_point(found, {part.empty() ? name : part + "/" + name, *step, value, wall_s, rank},
                here());
    return;
  }
  for (std::size_t i = 0; i < std::min(cells_.size(), columns_.curves.size()); ++i) {
    if (!columns_.curves[i]) continue;
    const double value = number_in(i, found);
    if (std::isnan(value) && !cell_number(cells_[i], separator_)) continue;
    const std::string& name = columns_.names[i];
    const bool of_step = columns_.epoch_of_steps && static_cast<int>(i) == columns_.epoch;
    add_point(found, {part.empty() ? name : part + "/" + name, *step, value, wall_s, rank, of_step},
              here());
  }
}

/// Whether the row is another header, as written by a program that was restarted, possibly with
/// other columns.
bool CsvReader::is_header_again() const {
  if (!is_header(cells_, separator_) || cells_.size() < 2) return false;
  const int column = columns_.step >= 0 ? columns_.step : 0;
  const std::string here = lower_case(cell(column));
  return (!here.empty() && here == lower_case(header_[static_cast<std::size_t>(column)])) ||
         (names_step(cells_) && names_step(header_));
}

void CsvReader::take_line(std::string_view row, std::string_view behind, bool at_end,
                          Findings& found) {
  const std::string_view text = trimmed(row);
  if (text.empty()) return;
  if (row.find('\0') != row.npos) {
    if (header_.empty()) foreign_ = "this is not a table in text";
    leave_out(found.left_out, {"a row has bytes of zero in it", here().text()});
    return;
  }
  if (text.starts_with('#')) {
    comment_ = trimmed(text.substr(
        text.find_first_not_of('#') == text.npos ? text.size() : text.find_first_not_of('#')));
    return;
  }
  if (form_ == Form::kJsonLines) {
    take_json_line(text, behind, found);
    return;
  }
  if (header_.empty()) {
    take_first_line(row, behind, at_end, found);
    return;
  }
  if (text.find_first_not_of("|-+:= ") == text.npos) return;  // a separator line below the names
  split_row(row, separator_, cells_);
  if (is_header_again()) {
    if (!same_names(cells_, header_)) take_header(behind, at_end, found);
    return;
  }
  const auto extra = std::count_if(
      cells_.begin() + static_cast<std::ptrdiff_t>(std::min(cells_.size(), header_.size())),
      cells_.end(), [](const std::string& one) { return !one.empty(); });
  if (extra > 0)
    leave_out(found.left_out, {"a row has more cells than there are columns, which have no name",
                               here().text(), static_cast<std::uint64_t>(extra)});
  take_values(found);
}

/// Takes a line of JSON. For the first line, the following ones are read too, to find the columns.
void CsvReader::take_json_line(std::string_view line, std::string_view behind, Findings& found) {
  auto named = json_row(line);
  if (!named) {
    leave_out(found.left_out, {"a line ends with no object of JSON", here().text(), 1, true});
    return;
  }
  std::vector<NamedCells> rows = {std::move(*named)};
  if (header_.empty()) {
    for (const std::string_view later : lines_of(behind, '\0', kSampleRows)) {
      if (auto row = json_row(later)) rows.push_back(std::move(*row));
    }
  }
  take_named(rows, 1, found);
}

/// Takes the first line of a table whose columns are not known yet.
void CsvReader::take_first_line(std::string_view row, std::string_view behind, bool at_end,
                                Findings& found) {
  const std::string_view text = trimmed(row);
  if (!options_.header.empty()) {
    separator_ = kBlanks;
    split_row(options_.header, separator_, cells_);
    take_header(std::string(row).append(behind.substr(0, kSampleBytes)), at_end, found);
    split_row(row, separator_, cells_);
    found.title = options_.title;
    take_values(found);
    return;
  }
  if (separator_ == 0 && text.size() == 5 && text.starts_with("sep=")) {
    separator_ = text[4];
    return;
  }
  if (separator_ == 0) separator_ = separator_of(text);
  split_row(row, separator_, cells_);
  if (std::ranges::all_of(cells_, [](const auto& one) { return one.empty(); })) return;
  if (!names_step(cells_) && line_ <= kMostPreamble) {
    // Lines of text may come before the header.
    for (const std::string_view line : lines_of(behind, '\0', kMostPreamble)) {
      TableRow later;
      const char separator = separator_of(line);
      split_row(line, separator, later);
      if (later.size() < 2 || !is_header(later, separator) || !names_step(later)) continue;
      separator_ = 0;
      leave_out(found.left_out, {"a line above the names of the columns", here().text()});
      return;
    }
  }
  if (is_header(cells_, separator_)) {
    take_header(behind, at_end, found);
    return;
  }
  // The first row has numbers, so the names are in a comment, or missing.
  const TableRow values = cells_;
  split_row(comment_, separator_, cells_);
  if (cells_.size() != values.size() || !is_header(cells_, separator_)) {
    cells_.clear();
    for (std::size_t i = 1; i <= values.size(); ++i)
      cells_.push_back("column " + std::to_string(i));
  }
  std::string with_this(row);
  with_this += behind.substr(0, kSampleBytes);
  take_header(with_this, at_end, found);
  cells_ = values;
  if (foreign_.empty()) take_values(found);
}

/// Whether the last row, which has no line end, lacks a closing quote or cells.
bool CsvReader::is_torn(std::string_view row) {
  if (header_.empty() || trimmed(row).empty() || row.front() == '#') return false;
  split_row(row, separator_, cells_);
  return cells_.size() < header_.size() ||
         row_bytes(std::string(row) + "\n", separator_) == row.npos;
}

std::size_t CsvReader::take_row(std::string_view rest, bool at_end, Findings& found) {
  const std::size_t line_end = rest.find('\n');
  std::size_t size = row_bytes(rest, separator_ == 0 ? ',' : separator_);
  if (form_ == Form::kJsonLines) size = line_end == rest.npos ? rest.npos : line_end + 1;
  // The first row after the header is waited for, since it is needed to choose the columns.
  if (header_.empty() && !at_end && form_ == Form::kCells && options_.header.empty() &&
      line_end != rest.npos && rest.find('\n', line_end + 1) == rest.npos && !in_long_row_)
    return 0;
  const bool too_long = std::min(size, rest.size()) > kMaxRowBytes;
  if (in_long_row_ || (too_long && line_end > kMaxRowBytes)) {
    if (!std::exchange(in_long_row_, line_end == rest.npos))
      leave_out(found.left_out,
                {"a row is above the limit of " + std::to_string(kMaxRowBytes) + " bytes",
                 here().text()});
    if (line_end == rest.npos) return rest.size();
    ++line_;
    return line_end + 1;
  }
  if ((too_long || (at_end && size == rest.npos)) && line_end != rest.npos) {
    leave_out(found.left_out, {"a quote has no end", here().text()});
    size = line_end + 1;
  }
  if (size == rest.npos) {
    if (!at_end) return 0;
    size = rest.size();
    if (form_ == Form::kCells && is_torn(rest)) {
      leave_out(found.left_out, {"the last row is not whole", here().text()});
      return size;
    }
  }
  const std::string_view row = rest.substr(0, size);
  if (latin1_ || !is_utf8(row)) {
    latin1_ = true;
    take_line(from_latin1(row), rest.substr(size), at_end, found);
  } else {
    take_line(row, rest.substr(size), at_end, found);
  }
  line_ += static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(1, std::ranges::count(row, '\n')));
  return size;
}

/// The cells in the order of the header.
TableRow CsvReader::row_of(const NamedCells& named) const {
  TableRow row(header_.size());
  for (const auto& [name, cell] : named) row[places_.at(name)] = cell;
  return row;
}

/// Takes the first `taken` rows of JSON objects; the others only help to determine the columns.
void CsvReader::take_named(const std::vector<NamedCells>& rows, std::size_t taken,
                           Findings& found) {
  const bool begins = header_.empty();
  for (const NamedCells& row : rows) {
    for (const auto& [name, cell] : row) {
      if (!places_.try_emplace(name, header_.size()).second) continue;
      header_.push_back(name);
      if (begins) continue;
      columns_.names.push_back(name);
      columns_.curves.push_back(columns_.name < 0);
      numbers_.push_back(false);
      filled_.push_back(false);
    }
  }
  if (begins) {
    separator_ = ',';
    std::vector<TableRow> sample;
    for (std::size_t i = 0; i < std::min(rows.size(), kSampleRows); ++i)
      sample.push_back(row_of(rows[i]));
    choose_columns(sample, found);
  }
  for (std::size_t i = 0; i < taken && foreign_.empty(); ++i) {
    cells_ = row_of(rows[i]);
    take_values(found);
    if (form_ == Form::kJsonDocument) ++line_;
  }
}

bool CsvReader::choose_form(std::string_view text, bool at_end) {
  const bool begins = begins_as_json(text.substr(0, kSampleBytes));
  std::size_t objects = 0;
  std::string_view rest = text.substr(0, kSampleBytes);
  for (std::size_t end = 0; objects < 2 && !rest.empty(); rest.remove_prefix(end)) {
    const std::size_t line_end = rest.find('\n');
    if (line_end == rest.npos && !at_end) break;
    end = line_end == rest.npos ? rest.size() : line_end + 1;
    const auto row = json_row(rest.substr(0, end));
    if (begins && objects == 0 && !row && !trimmed(rest.substr(0, end)).empty()) break;
    TableRow names;
    for (const auto& [name, cell] : row.value_or(NamedCells())) names.push_back(name);
    const bool counted = begins && options_.rows_are_steps && !names.empty();
    if (counted || names_step(names)) ++objects;
  }
  form_ = objects > 1 ? Form::kJsonLines : Form::kCells;
  if (objects > 1 || !begins) return true;
  if (!json_rows(text).rows.empty()) {
    form_ = Form::kJsonDocument;
  } else if (!at_end && text.size() < kMaxDocumentBytes) {
    form_ = Form::kUnknown;
    return false;
  } else if (objects == 1 && options_.rows_are_steps) {
    form_ = Form::kJsonLines;
  } else {
    foreign_ = "this document of JSON has no list of steps";
  }
  return true;
}

std::size_t CsvReader::take_text(std::string_view text, bool at_end, Findings& found) {
  if (form_ == Form::kUnknown && !choose_form(text, at_end)) return 0;
  if (form_ == Form::kJsonDocument && foreign_.empty()) {
    const JsonRows read = json_rows(text);
    for (const std::string& name : read.beside)
      leave_out(found.left_out, {"a list beside the one with the steps is not read",
                                 printable_line(name.substr(0, 40)), 1, true});
    take_named(read.rows, read.rows.size(), found);
    return text.size();
  }
  std::size_t used = 0;
  while (used < text.size() && foreign_.empty()) {
    const std::size_t taken = take_row(text.substr(used), at_end, found);
    if (taken == 0) break;
    used += taken;
  }
  return foreign_.empty() ? used : text.size();
}

std::size_t CsvReader::take_utf16(std::string_view bytes, bool at_end, Findings& found) {
  const std::size_t used = bytes.size() / 2 * 2;
  text_ += from_utf16(bytes.substr(0, used), encoding_ == Encoding::kUtf16Big);
  const std::size_t taken = take_text(text_, at_end, found);
  text_.erase(0, taken);
  return at_end ? bytes.size() : used;
}

std::size_t CsvReader::take(std::string_view bytes, bool at_end, Findings& found) {
  std::size_t mark = 0;
  if (encoding_ == Encoding::kUnknown) {
    if (bytes.size() < 4 && !at_end) return 0;
    encoding_ = Encoding::kBytes;
    const bool second_zero = bytes.size() >= 4 && bytes[1] == '\0' && bytes[3] == '\0';
    const bool first_zero = bytes.size() >= 4 && bytes[0] == '\0' && bytes[2] == '\0';
    if (bytes.starts_with("\xff\xfe") || (second_zero && !first_zero))
      encoding_ = Encoding::kUtf16Little;
    if (bytes.starts_with("\xfe\xff") || (first_zero && !second_zero))
      encoding_ = Encoding::kUtf16Big;
    if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) mark = 2;
    if (bytes.starts_with(kByteOrderMark)) mark = kByteOrderMark.size();
  }
  const std::string_view rest = bytes.substr(mark);
  return mark + (encoding_ == Encoding::kBytes ? take_text(rest, at_end, found)
                                               : take_utf16(rest, at_end, found));
}

}  // namespace ringside::watch
