#include "gui/model/scalar_series.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside::model {
namespace {

/// The value as a float, infinite if it is out of range, where the plain conversion would be
/// undefined behaviour.
float as_float(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  if (value > kMost) return std::numeric_limits<float>::infinity();
  if (value < -kMost) return -std::numeric_limits<float>::infinity();
  return static_cast<float>(value);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

bool ScalarSeries::add(Step step, double value, std::int64_t at_ns) {
  if (empty()) began_ns_ = at_ns;
  const auto seconds = static_cast<float>(static_cast<double>(at_ns - began_ns_) * 1e-9);
  const bool newest = empty() || step >= latest_step();
  if (newest) {
    if (empty() || !same(value, latest_)) changed_ns_ = at_ns;
    latest_ = value;
  }
  if (empty() || step > latest_step()) {
    append(step, as_float(value), seconds);
    return true;
  }
  const std::size_t place = steps_.lower_bound(step);
  if (steps_.at(place) == step) {
    values_.set(place, as_float(value));
    seconds_.set(place, seconds);
    return true;
  }
  if (size() - place > kMostBehind) return false;
  insert(place, step, as_float(value), seconds);
  return true;
}

void ScalarSeries::append(Step step, float value, float seconds) {
  values_.set(steps_.size(), value);
  seconds_.set(steps_.size(), seconds);
  steps_.push(step);
}

void ScalarSeries::insert(std::size_t place, Step step, float value, float seconds) {
  struct Entry {
    Step step;
    float value;
    float seconds;
  };
  std::vector<Entry> behind;
  behind.reserve(size() - place);
  for (std::size_t i = place; i < size(); ++i)
    behind.push_back({steps_.at(i), values_.at(i), seconds_.at(i)});
  truncate(place);
  append(step, value, seconds);
  for (const Entry& entry : behind) append(entry.step, entry.value, entry.seconds);
}

void ScalarSeries::truncate(std::size_t size) {
  steps_.truncate(size);
  values_.truncate(size);
  seconds_.truncate(size);
}

void ScalarSeries::drop_from(Step step) {
  const std::size_t kept = steps_.lower_bound(step);
  if (kept == size()) return;
  truncate(kept);
  latest_ = empty() ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(values_.at(kept - 1));
}

std::size_t ScalarSeries::place_of_ns(std::int64_t at_ns, std::size_t from) const {
  const auto wanted = static_cast<double>(at_ns - began_ns_) * 1e-9;
  const auto before = [&](std::size_t place) {
    return static_cast<double>(seconds_.at(place)) < wanted;
  };
  // Neighbouring pixel columns ask one after another, so the next index is near.
  std::size_t low = std::min(from, size());
  std::size_t reach = 1;
  while (low + reach < size() && before(low + reach)) reach *= 2;
  std::size_t high = std::min(size(), low + reach);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace ringside::model
