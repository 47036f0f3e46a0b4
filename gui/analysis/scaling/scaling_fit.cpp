#include "gui/analysis/scaling/scaling_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "gui/analysis/scaling/student.h"

namespace ringside::analysis {
namespace {

using Row = std::array<double, 3>;
using Matrix = std::array<Row, 3>;

Row terms_at(double devices, bool strong) {
  const double exchange = strong ? devices - 1 : (devices - 1) / (devices * devices);
  return {1, 1 / devices, exchange};
}

/// Inverts the matrix over the used terms by Gauss-Jordan elimination; false: it is singular.
bool invert(Matrix matrix, const std::array<bool, 3>& used, Matrix& inverse) {
  inverse = {};
  for (std::size_t i = 0; i < 3; ++i) inverse[i][i] = used[i] ? 1.0 : 0.0;
  for (std::size_t column = 0; column < 3; ++column) {
    if (!used[column]) continue;
    std::size_t pivot = column;
    for (std::size_t row = column; row < 3; ++row) {
      if (used[row] && std::abs(matrix[row][column]) > std::abs(matrix[pivot][column])) pivot = row;
    }
    if (std::abs(matrix[pivot][column]) < 1e-14) return false;
    std::swap(matrix[pivot], matrix[column]);
    std::swap(inverse[pivot], inverse[column]);
    const double by = matrix[column][column];
    for (std::size_t i = 0; i < 3; ++i) {
      matrix[column][i] /= by;
      inverse[column][i] /= by;
    }
    for (std::size_t row = 0; row < 3; ++row) {
      if (row == column || !used[row]) continue;
      const double factor = matrix[row][column];
      for (std::size_t i = 0; i < 3; ++i) {
        matrix[row][i] -= factor * matrix[column][i];
        inverse[row][i] -= factor * inverse[column][i];
      }
    }
  }
  return true;
}

struct Solution {
  Row value{};
  Matrix covariance{};  ///< to be multiplied by the variance of one point
  std::array<bool, 3> used{};
};

bool solve(std::span<const TimedPoint> points, bool strong, Solution& solution) {
  Matrix normal{};
  Row right{};
  for (const TimedPoint& point : points) {
    const Row terms = terms_at(point.devices, strong);
    // All points are assumed to have the same relative error.
    const double weight = 1 / (point.seconds * point.seconds);
    for (std::size_t i = 0; i < 3; ++i) {
      right[i] += weight * terms[i] * point.seconds;
      for (std::size_t k = 0; k < 3; ++k) normal[i][k] += weight * terms[i] * terms[k];
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (solution.used[i]) continue;
    for (std::size_t k = 0; k < 3; ++k) normal[i][k] = normal[k][i] = 0;
    right[i] = 0;
  }
  if (!invert(normal, solution.used, solution.covariance)) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    solution.value[i] = 0;
    for (std::size_t k = 0; k < 3; ++k) solution.value[i] += solution.covariance[i][k] * right[k];
  }
  return true;
}

double dot(const Row& a, const Row& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double variance_of(const Row& at, const Matrix& covariance) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) sum += at[i] * covariance[i][k] * at[k];
  }
  return std::max(0.0, sum);
}

}  // namespace

double ScalingFit::seconds_at(double devices) const {
  const Row at = terms_at(devices, strong);
  double sum = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) sum += terms[i] * at[i];
  return sum;
}

std::optional<ScalingFit> fit_scaling(std::span<const TimedPoint> points, Law law, bool strong,
                                      double next_devices) {
  std::set<double> different;
  const TimedPoint* one = nullptr;
  for (const TimedPoint& point : points) {
    if (!(point.devices >= 1) || !(point.seconds > 0) || !std::isfinite(point.seconds))
      return std::nullopt;
    different.insert(point.devices);
    if (point.devices == 1) one = &point;
  }
  if (different.size() < kLeastFitPoints || one == nullptr) return std::nullopt;
  Solution solution;
  solution.used = {true, true, law == Law::kExchange};
  if (!solve(points, strong, solution)) return std::nullopt;
  // Negative terms are physically impossible: the most negative one is removed until there is none.
  for (int i = 0; i < 2; ++i) {
    const auto least = std::ranges::min_element(solution.value);
    if (*least >= 0) break;
    solution.used[static_cast<std::size_t>(least - solution.value.begin())] = false;
    if (!solve(points, strong, solution)) return std::nullopt;
  }
  const auto parameters = static_cast<std::size_t>(std::ranges::count(solution.used, true));
  ScalingFit fit;
  fit.law = law;
  fit.strong = strong;
  fit.terms.assign(solution.value.begin(), solution.value.end());
  double squares = 0;
  for (const TimedPoint& point : points) {
    const double off = fit.seconds_at(point.devices) / point.seconds - 1;
    squares += off * off;
    fit.worst = std::max(fit.worst, std::abs(off));
  }
  const std::size_t freedom = points.size() > parameters ? points.size() - parameters : 0;
  const double variance = freedom > 0 ? squares / static_cast<double>(freedom) : 0;
  const double t = t_quantile(freedom);
  const auto within = [&](const Row& at, double scale) {
    const double value = dot(at, solution.value) * scale;
    const double half = t * std::sqrt(variance * variance_of(at, solution.covariance)) * scale;
    return Interval{value, std::max(0.0, value - half), value + half};
  };
  const double fitted_s = fit.seconds_at(1);
  if (!(fitted_s > 0)) return std::nullopt;
  fit.serial_share = within({1, 0, 0}, 1 / fitted_s);
  fit.serial_share.high = std::min(1.0, fit.serial_share.high);
  fit.exchange_share = within({0, 0, 1}, 1 / fitted_s);
  fit.next_devices = next_devices;
  fit.next_seconds = within(terms_at(next_devices, strong), 1);
  const auto speedup = [&](double seconds) {
    return seconds > 0 ? one->seconds / seconds : next_devices;
  };
  fit.next_speedup = {speedup(fit.next_seconds.value), speedup(fit.next_seconds.high),
                      std::min(next_devices, speedup(fit.next_seconds.low))};
  return fit;
}

}  // namespace ringside::analysis
