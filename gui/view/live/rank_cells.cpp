#include "gui/view/live/rank_cells.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ringside::view {

const char* key_of(RankColumn column) {
  static constexpr std::array<const char*, kRankColumnCount> kKeys{
      "rank", "state", "device",    "uuid",        "step",   "rate",        "p50",   "p95", "own",
      "last", "loss",  "grad_norm", "utilisation", "memory", "temperature", "power", "link"};
  return kKeys.at(static_cast<std::size_t>(column));
}

const std::string& cell_text(const RankRow& row, RankColumn column) {
  switch (column) {
    case RankColumn::kRank:
    case RankColumn::kState:
      return row.state.word;
    case RankColumn::kDevice:
      return row.device;
    case RankColumn::kUuid:
      return row.device_id;
    case RankColumn::kStep:
      return row.step;
    case RankColumn::kRate:
      return row.samples_per_s;
    case RankColumn::kP50:
      return row.p50;
    case RankColumn::kP95:
      return row.p95;
    case RankColumn::kOwn:
      return row.own_work;
    case RankColumn::kLast:
      return row.arrived_last;
    case RankColumn::kLoss:
      return row.loss;
    case RankColumn::kNorm:
      return row.grad_norm;
    case RankColumn::kUtilisation:
      return row.utilisation_text;
    case RankColumn::kMemory:
      return row.memory_text;
    case RankColumn::kHeat:
      return row.temperature;
    case RankColumn::kPower:
      return row.power;
    case RankColumn::kLink:
      return row.link;
  }
  return row.state.word;
}

double cell_number(const std::string& text) {
  std::string digits = text;
  std::erase(digits, ',');
  constexpr std::string_view kMinus = "−";
  const bool negative = digits.starts_with(kMinus);
  if (negative) digits.erase(0, kMinus.size());
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end == digits.data()) return std::nan("");
  return negative ? -value : value;
}

namespace {

bool by_text(RankColumn column) {
  return column == RankColumn::kState || column == RankColumn::kDevice ||
         column == RankColumn::kUuid || column == RankColumn::kLink;
}

bool before(const RankRow& a, const RankRow& b, const RankSort& sort) {
  if (sort.column == RankColumn::kRank) return sort.descending ? a.rank > b.rank : a.rank < b.rank;
  const std::string& left = cell_text(a, sort.column);
  const std::string& right = cell_text(b, sort.column);
  if (by_text(sort.column)) return sort.descending ? left > right : left < right;
  const double x = cell_number(left);
  const double y = cell_number(right);
  if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
  return sort.descending ? x > y : x < y;
}

}  // namespace

void sort_ranks(const RankSort& sort, std::vector<RankRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&sort](const RankRow& a, const RankRow& b) { return before(a, b, sort); });
}

}  // namespace ringside::view
