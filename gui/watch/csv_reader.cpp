#include "gui/watch/csv_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ringside::watch {
namespace {

constexpr std::size_t kMaxRowBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxColumns = 4096;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// The first of these that a table has counts; an epoch is a step where nothing finer is told.
constexpr std::array<std::string_view, 9> kStepNames = {
    "step",        "global_step",     "_step", "trainer/global_step", "iteration", "iter",
    "num_updates", "total_timesteps", "epoch"};
constexpr std::array<std::string_view, 4> kTimeNames = {"wall_time", "wall time", "_timestamp",
                                                        "timestamp"};
/// Of our own tables: who and when, which are no curves.
constexpr std::array<std::string_view, 6> kOurOwn = {"run",     "node",    "seq",
                                                     "mono_ns", "attempt", "record"};

/// Where the row at the front ends, its line end included; npos: not yet.
std::size_t row_bytes(std::string_view bytes) {
  bool quoted = false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '"') quoted = !quoted;
    if (bytes[i] == '\n' && !quoted) return i + 1;
  }
  return std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

void split(std::string_view row, std::vector<std::string>& cells) {
  cells.clear();
  std::string cell;
  bool quoted = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool doubled = quoted && row[i] == '"' && i + 1 < row.size() && row[i + 1] == '"';
    if (doubled) {
      cell += row[++i];
    } else if (row[i] == '"') {
      quoted = !quoted;
    } else if (row[i] == ',' && !quoted) {
      cells.emplace_back(trimmed(cell));
      cell.clear();
    } else {
      cell += row[i];
    }
  }
  cells.emplace_back(trimmed(cell));
}

std::optional<double> cell_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(value) : std::nullopt;
}

/// A step or a rank, which pandas may have written as 12.0.
std::optional<std::int64_t> count_of(std::string_view text) {
  const auto value = cell_number(text);
  if (!value || !(*value >= 0 && *value < 1e15) || *value != std::floor(*value))
    return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

/// Seconds since 1970, of seconds or milliseconds; other numbers, such as seconds since the start,
/// are no time of day.
double time_of(std::string_view text) {
  const double value = cell_number(text).value_or(kNoTime);
  if (value > 1e8 && value < 1e10) return value;
  return value > 1e11 && value < 1e13 ? value / 1000 : kNoTime;
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

template <std::size_t N>
int first_of(const std::vector<std::string>& names, const std::array<std::string_view, N>& wanted) {
  for (const std::string_view one : wanted) {
    const auto found = std::find(names.begin(), names.end(), one);
    if (found != names.end()) return static_cast<int>(found - names.begin());
  }
  return -1;
}

int place_of(const std::vector<std::string>& names, std::string_view wanted) {
  return first_of(names, std::array{wanted});
}

}  // namespace

void CsvReader::begin_again(bool grown) {
  const std::uint64_t known = grown ? std::max(rows_, rows_known_) : 0;
  *this = CsvReader();
  rows_known_ = known;
}

Result<void> CsvReader::take_header(std::uint64_t at) {
  if (cells_.size() > kMaxColumns)
    return damaged_at(at, "a table of " + std::to_string(cells_.size()) +
                              " columns is above the limit of " + std::to_string(kMaxColumns));
  std::vector<std::string> names;
  for (const std::string& cell : cells_) {
    if (cell.size() > kMaxNameBytes)
      return damaged_at(at, "the name of a column has " + std::to_string(cell.size()) +
                                " bytes, above the limit of " + std::to_string(kMaxNameBytes));
    names.push_back(lower(cell));
  }
  columns_.step = first_of(names, kStepNames);
  if (columns_.step < 0)
    return damaged_at(at,
                      "the first line names no column of steps: step, global_step, iteration or "
                      "epoch");
  columns_.time = first_of(names, kTimeNames);
  columns_.rank = place_of(names, "rank");
  columns_.name = place_of(names, "name");
  columns_.value = place_of(names, "value");
  if (columns_.name < 0 || columns_.value < 0) columns_.name = columns_.value = -1;
  const bool ours = place_of(names, "seq") >= 0 && place_of(names, "mono_ns") >= 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int column = static_cast<int>(i);
    const bool known =
        column == columns_.step || column == columns_.time || column == columns_.rank ||
        (ours && std::find(kOurOwn.begin(), kOurOwn.end(), names[i]) != kOurOwn.end());
    columns_.curves.push_back(columns_.name < 0 && !known);
  }
  columns_.names = cells_;
  return {};
}

std::string_view CsvReader::cell(int column) const {
  const auto place = static_cast<std::size_t>(column);
  return column >= 0 && place < cells_.size() ? std::string_view(cells_[place])
                                              : std::string_view();
}

void CsvReader::take_values(Findings& found) {
  const auto step = count_of(cell(columns_.step));
  if (!step) return;
  const double wall_s = time_of(cell(columns_.time));
  const auto told = count_of(cell(columns_.rank));
  const Rank rank = told && *told < 65536 ? static_cast<Rank>(*told) : kNoRank;
  if (columns_.name >= 0) {
    const auto value = cell_number(cell(columns_.value));
    if (value && cell(columns_.name).size() <= kMaxNameBytes)
      add_point(found, cell(columns_.name), *step, *value, wall_s, rank);
    return;
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (!columns_.curves[i]) continue;
    if (const auto value = cell_number(cells_[i]))
      add_point(found, columns_.names[i], *step, *value, wall_s, rank);
  }
}

Result<void> CsvReader::take_row(std::string_view row, std::uint64_t at, Findings& found) {
  if (row.find('\0') != row.npos) return damaged_at(at, "this is not a table in text");
  if (trimmed(row).empty()) return {};
  split(row, cells_);
  if (columns_.names.empty()) return take_header(at);
  if (cells_.size() > columns_.names.size())
    return damaged_at(at, "a row has " + std::to_string(cells_.size()) + " cells under " +
                              std::to_string(columns_.names.size()) + " columns");
  if (++rows_ > rows_known_) take_values(found);
  return {};
}

Result<std::size_t> CsvReader::take(std::string_view bytes, bool at_end, Findings& found) {
  std::size_t used = 0;
  if (offset_ == 0 && bytes.starts_with(kByteOrderMark)) used = kByteOrderMark.size();
  while (used < bytes.size()) {
    const std::string_view rest = bytes.substr(used);
    const std::size_t size = row_bytes(rest);
    const std::size_t length = std::min(size, rest.size());
    if (length > kMaxRowBytes)
      return damaged_at(offset_ + used,
                        "a row is above the limit of " + std::to_string(kMaxRowBytes) + " bytes");
    if (size == rest.npos && !at_end) break;
    if (const auto taken = take_row(rest.substr(0, length), offset_ + used, found); !taken)
      return pass(taken);
    used += length;
  }
  offset_ += used;
  return used;
}

}  // namespace ringside::watch
