// The two forms of a CSV table: all rows of one record type (fast), or several types in one file
// with the type in the column `record`. Both begin with run,node,rank, then epoch,step if the
// records have them, then seq,mono_ns; both have the column `attempt`, at the end if the records
// have no such field.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/export/csv_cells.h"
#include "gui/export/csv_file.h"

namespace ringside::exporting {

/// Writes `run,node,rank,`: the run as a ready-made cell, and an empty rank for records of no rank.
inline char* put_origin(char* at, std::string_view run_cell, const messages::Stamp& stamp) {
  at = put_raw(at, run_cell);
  *at++ = ',';
  at = put_number(at, stamp.node);
  *at++ = ',';
  if (stamp.rank != kNoRank) at = put_number(at, stamp.rank);
  *at++ = ',';
  return at;
}

inline char* put_order(char* at, const messages::Stamp& stamp) {
  at = put_number(at, stamp.seq);
  *at++ = ',';
  return put_number(at, stamp.mono_ns);
}

inline constexpr std::size_t kStampRoom = 6 * kNumberRoom;

inline constexpr std::string_view kAttemptColumn = "attempt";

/// A table with all records of one type: `Body::fields` defines the header and the rows. Used by
/// one thread.
template <class Body>
class CsvTable {
 public:
  CsvTable(CsvFile file, std::string run_cell) : file_(std::move(file)), run_(std::move(run_cell)) {
    std::string leading = "run,node,rank";
    std::string rest = ",seq,mono_ns";
    const Body example{};
    Body::fields(example, [&](std::string_view name, const auto&) {
      rules_.push_back(cell_rule<Body>(name));
      (rules_.back() == CellRule::kLeading ? leading : rest).append(",").append(name);
    });
    floats_.resize(rules_.size());
    doubles_.resize(rules_.size());
    const std::string header = leading + rest + "," + std::string(kAttemptColumn) + "\r\n";
    file_.take(put_raw(file_.room(header.size()), header));
  }

  void add(const messages::Stamp& stamp, const Body& body, std::int32_t attempt) {
    std::size_t room = run_.size() + kStampRoom;
    Body::fields(body, [&](std::string_view, const auto& value) { room += cell_room(value) + 1; });
    char* at = put_origin(file_.room(room), run_, stamp);
    std::size_t column = 0;
    Body::fields(body, [&](std::string_view name, const auto& value) {
      if (rules_[column++] != CellRule::kLeading) return;
      // A step of -1 is not unknown, since programs can log it.
      at = put_cell(at, name == "epoch" ? CellRule::kMayBeUnknown : CellRule::kPlain, value);
      *at++ = ',';
    });
    at = put_fields(put_order(at, stamp), body);
    *at++ = ',';
    at = put_number(at, attempt);
    *at++ = '\r';
    *at++ = '\n';
    file_.take(at);
    ++rows_;
  }

  std::uint64_t rows() const { return rows_; }
  CsvFile& file() { return file_; }

 private:
  char* put_fields(char* at, const Body& body) {
    std::size_t column = 0;
    std::uint32_t measured = 0;  // number of measured fields of a DeviceSample so far
    Body::fields(body, [&](std::string_view, const auto& value) {
      const std::size_t index = column++;
      const CellRule rule = rules_[index];
      if (rule == CellRule::kLeading) return;
      *at++ = ',';
      if constexpr (Body::kType == messages::RecordType::kDeviceSample) {
        if (rule == CellRule::kIfValid) {
          if (!is_valid(body, static_cast<messages::DeviceField>(measured++))) return;
        }
      }
      at = put_field(at, index, rule, value);
    });
    return at;
  }

  template <class T>
  char* put_field(char* at, std::size_t index, CellRule rule, const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (detail::is_unknown(rule, value)) return at;
      if constexpr (sizeof(T) == 4) return floats_[index].put(at, value);
      if constexpr (sizeof(T) == 8) return doubles_[index].put(at, value);
    } else {
      return put_cell(at, rule, value);
    }
  }

  CsvFile file_;
  std::string run_;
  std::vector<CellRule> rules_;
  std::vector<NumberMemo<float>> floats_;
  std::vector<NumberMemo<double>> doubles_;
  std::uint64_t rows_ = 0;
};

/// A table with records of several types. Columns of the same name are shared; a cell is empty if
/// the record has no such field. Meant for the few records of a run that are not measurements. Used
/// by one thread.
template <class... Bodies>
class CsvUnionTable {
 public:
  CsvUnionTable(CsvFile file, std::string run_cell)
      : file_(std::move(file)), run_(std::move(run_cell)) {
    (learn<Bodies>(), ...);
    if (std::find(names_.begin(), names_.end(), kAttemptColumn) == names_.end())
      names_.emplace_back(kAttemptColumn);
    std::string header = "run,node,rank";
    for (const auto& name : leading_) header += "," + name;
    header += ",seq,mono_ns,record";
    for (const auto& name : names_) header += "," + name;
    header += "\r\n";
    file_.take(put_raw(file_.room(header.size()), header));
  }

  template <class Body>
  void add(const messages::Stamp& stamp, const Body& body, std::int32_t attempt) {
    std::vector<std::string> leading(leading_.size());
    std::vector<std::string> cells(names_.size());
    cells[index_of(names_, kAttemptColumn)] = std::to_string(attempt);
    std::size_t text_bytes = kNumberRoom;
    Body::fields(body, [&](std::string_view name, const auto& value) {
      const CellRule rule = cell_rule<Body>(name);
      auto& cell = rule == CellRule::kLeading ? leading[index_of(leading_, name)]
                                              : cells[index_of(names_, name)];
      cell.resize(cell_room(value));
      cell.resize(static_cast<std::size_t>(put_cell(cell.data(), rule, value) - cell.data()));
      text_bytes += cell.size();
    });
    char* at = file_.room(run_.size() + kStampRoom + Body::kName.size() + text_bytes +
                          leading.size() + cells.size() + 4);
    at = put_origin(at, run_, stamp);
    for (const auto& cell : leading) {
      at = put_raw(at, cell);
      *at++ = ',';
    }
    at = put_order(at, stamp);
    *at++ = ',';
    at = put_raw(at, Body::kName);
    for (const auto& cell : cells) {
      *at++ = ',';
      at = put_raw(at, cell);
    }
    file_.take(put_raw(at, "\r\n"));
    ++rows_;
  }

  std::uint64_t rows() const { return rows_; }
  CsvFile& file() { return file_; }

 private:
  template <class Body>
  void learn() {
    const Body example{};
    Body::fields(example, [&](std::string_view name, const auto&) {
      auto& names = cell_rule<Body>(name) == CellRule::kLeading ? leading_ : names_;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    });
  }

  static std::size_t index_of(const std::vector<std::string>& names, std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  CsvFile file_;
  std::string run_;
  std::vector<std::string> leading_;
  std::vector<std::string> names_;
  std::uint64_t rows_ = 0;
};

}  // namespace ringside::exporting
