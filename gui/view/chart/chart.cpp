#include "gui/view/chart/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

/// Returns the smallest step of 1, 2 or 5 times a power of ten that divides `span` into at most
/// `most`.
double nice_step(double span, int most) {
  const double rough = span / std::max(1, most);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double times : {1.0, 2.0, 5.0, 10.0}) {
    if (times * power >= rough * (1 - 1e-9)) return times * power;
  }
  return 10 * power;
}

/// Returns ticks of a logarithmic axis at these multiples of each power of ten.
std::vector<double> log_pages(double low, double high, std::span<const double> multiples) {
  std::vector<double> places;
  for (double power = std::pow(10.0, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double times : multiples) {
      const double at = times * power;
      if (at >= low * (1 - 1e-9) && at <= high * (1 + 1e-9)) places.push_back(at);
    }
  }
  return places;
}

}  // namespace

ChartChoice first_style() {
  ChartChoice choice;
  choice.logarithmic = true;
  return choice;
}

ChartChoice kept_style(ChartChoice choice) {
  choice.window = {};
  choice.cursor_step = -1;
  choice.hidden.clear();
  return choice;
}

double axis_share(const AxisView& axis, double value) {
  if (!axis.logarithmic)
    return axis.high > axis.low ? (value - axis.low) / (axis.high - axis.low) : 0;
  if (!(value > 0) || !(axis.low > 0) || !(axis.high > axis.low)) return 0;
  return std::log(value / axis.low) / std::log(axis.high / axis.low);
}

std::vector<Tick> linear_ticks(double low, double high, int most) {
  std::vector<Tick> ticks;
  if (!(high > low) || !std::isfinite(high - low) || most < 1) return ticks;
  const double step = nice_step(high - low, most);
  const double first = std::ceil(low / step - 1e-9);
  if (first + 1 == first) return ticks;  // too large for ticks to differ
  for (double count = first; count * step <= high + step * 1e-9; ++count) {
    const double at = count * step;
    ticks.push_back({at, tick_text(at, step)});
  }
  return ticks;
}

std::vector<Tick> step_ticks(double low, double high, int most) {
  std::vector<Tick> ticks = linear_ticks(low + 1, high + 1, most);
  for (Tick& tick : ticks) --tick.at;
  return ticks;
}

std::vector<Tick> time_ticks(double low_s, double high_s, int most) {
  static constexpr std::array<double, 16> kSteps{1,   2,   5,   10,   15,   30,   60,    120,
                                                 300, 600, 900, 1800, 3600, 7200, 21600, 43200};
  std::vector<Tick> ticks;
  if (!(high_s > low_s) || !std::isfinite(high_s - low_s) || most < 1) return ticks;
  const double rough = (high_s - low_s) / most;
  if (rough < kSteps.front() / 2) return linear_ticks(low_s, high_s, most);
  double step = 86400;  // a number of days
  while (step < rough) step *= 2;
  for (auto candidate = kSteps.rbegin(); candidate != kSteps.rend() && *candidate >= rough;
       ++candidate)
    step = *candidate;
  for (double count = std::ceil(low_s / step - 1e-9); count * step <= high_s + step * 1e-9; ++count)
    ticks.push_back({count * step, clock_text(count * step)});
  return ticks;
}

std::vector<Tick> log_ticks(double low, double high, int most) {
  static constexpr std::array<double, 4> kDense{1, 2, 3, 5};
  static constexpr std::array<double, 3> kMiddle{1, 2, 5};
  static constexpr std::array<double, 1> kSparse{1};
  std::vector<Tick> ticks;
  if (!(low > 0) || !(high > low) || !std::isfinite(high) || most < 1) return ticks;
  std::vector<double> places = log_pages(low, high, kDense);
  if (static_cast<int>(places.size()) > most) places = log_pages(low, high, kMiddle);
  if (static_cast<int>(places.size()) > most) places = log_pages(low, high, kSparse);
  // Linear ticks are easier to read if the range is less than about a third of a decade.
  if (places.size() < 2) return linear_ticks(low, high, most);
  const auto every =
      (places.size() + static_cast<std::size_t>(most) - 1) / static_cast<std::size_t>(most);
  for (std::size_t i = 0; i < places.size(); i += every) {
    const double decade = std::pow(10.0, std::floor(std::log10(places[i]) + 1e-9));
    ticks.push_back(
        {places[i], tick_text(places[i], std::min(decade, decade >= 1 ? 0.1 : decade))});
  }
  return ticks;
}

}  // namespace ringside::view
