#include "gui/view/number_format.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>

#include "gui/view/short_number.h"
#include "protocol/base/calendar.h"

namespace ringside::view {
namespace {

constexpr std::string_view kMinus = "−";
constexpr double kSecondNs = 1e9;

/// Inserts commas into the digits before the point.
std::string with_commas(std::string digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

/// Rounds half away from zero, on the decimal value that a person would read: 3.4 / 4 gives 85 %.
double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  const double scaled = std::abs(value) * scale;
  return std::copysign(std::floor(scaled + 0.5 + scaled * 1e-12) / scale, value);
}

std::string with_unit(const std::string& number, std::string_view unit) {
  return number == kDash ? number : number + " " + std::string(unit);
}

std::tm parts_of(std::int64_t wall_ns, bool utc) {
  return calendar_of(wall_ns, utc ? TimeZone::kUtc : TimeZone::kLocal);
}

/// Returns the number of days since a fixed day, in the calendar that `parts` was made in.
long day_number(std::tm parts) {
  parts.tm_hour = 12;
  parts.tm_min = 0;
  parts.tm_sec = 0;
  return static_cast<long>(timegm(&parts) / 86'400);
}

}  // namespace

std::string decimal_text(double value, int decimals) {
  if (!std::isfinite(value)) return std::isnan(value) ? std::string(kDash) : value > 0 ? "∞" : "−∞";
  const double shown = rounded(value, decimals);
  std::string text = with_commas(fmt::format("{:.{}f}", std::abs(shown), decimals));
  return shown < 0 ? std::string(kMinus) + text : text;
}

std::string count_text(std::int64_t value) {
  std::string digits = with_commas(fmt::format(
      "{}", value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)));
  return value < 0 ? std::string(kMinus) + digits : digits;
}

std::string rate_text(double per_s) { return count_text(std::llround(per_s)); }

std::string step_text(std::int64_t step, std::int64_t first) {
  return step < 0 ? std::string(kDash) : count_text(step + first);
}

std::string value_step_text(std::int64_t step, std::int64_t first) {
  const bool as_it_is = step < 0 || step == std::numeric_limits<std::int64_t>::max();
  return count_text(as_it_is ? step : step + first);
}

std::string speedup_text(double value) {
  return std::isfinite(value) ? decimal_text(value, 2) + "×" : std::string(kDash);
}

std::string ideal_text(double value) {
  return value == std::floor(value) ? decimal_text(value, 0) + "×" : speedup_text(value);
}

std::string percent_text(double share) { return with_unit(decimal_text(share * 100, 0), "%"); }
std::string percent1_text(double share) { return with_unit(decimal_text(share * 100, 1), "%"); }
std::string accuracy_number(double share) { return decimal_text(share * 100, 2); }
std::string accuracy_text(double share) { return with_unit(accuracy_number(share), "%"); }
std::string change_text(double share) {
  const std::string number = decimal_text(std::abs(100 * share), 1);
  const char* const sign = number == "0.0" ? "" : share < 0 ? "−" : "+";
  return sign + number + " %";
}

std::string points_text(double difference) {
  return with_unit(decimal_text(difference * 100, 2), "pp");
}

std::string value_text(double value) {
  if (std::isnan(value)) return "NaN";
  const double size = std::abs(value);
  if (!std::isfinite(value) || size == 0) return decimal_text(value, 0);
  constexpr int kDigits = 4;
  if (size >= 1e7 || size < 1e-3) return scientific_text(value, kDigits - 1);
  if (value == std::floor(value)) return decimal_text(value, 0);
  const int before_point = static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = decimal_text(value, std::max(0, kDigits - before_point));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string loss_text(double value) { return measure_text(value, 3); }
std::string loss_long_text(double value) { return measure_text(value, 4); }

std::string ms_number(double ns) { return decimal_text(ns / 1e6, 1); }

std::string ms_text(double ns) {
  return ns >= 10 * kSecondNs ? with_unit(decimal_text(ns / kSecondNs, 1), "s")
                              : with_unit(ms_number(ns), "ms");
}

std::string span_text(double ns) {
  if (!std::isfinite(ns)) return std::string(kDash);
  struct Unit {
    double ns;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
  for (const Unit& unit : kUnits) {
    if (std::abs(ns) < unit.ns) continue;
    std::string text = decimal_text(ns / unit.ns, 3);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return with_unit(text, unit.name);
  }
  return with_unit(decimal_text(ns, 0), "ns");
}

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds)) return std::string(kDash);
  const auto whole = static_cast<std::int64_t>(std::floor(std::abs(seconds) + 0.5));
  const std::int64_t hours = whole / 3600;
  const std::string text = hours > 0
                               ? fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60)
                               : fmt::format("{}:{:02}", whole / 60, whole % 60);
  return seconds < 0 && whole > 0 ? std::string(kMinus) + text : text;
}

std::string seconds_text(double seconds) { return with_unit(decimal_text(seconds, 1), "s"); }

std::string rough_duration_text(double seconds) {
  if (!std::isfinite(seconds)) return std::string(kDash);
  if (seconds < 90) return decimal_text(std::max(0.0, seconds), 0) + " s";
  const auto minutes = static_cast<std::int64_t>(std::floor(seconds / 60 + 0.5));
  if (minutes < 60) return count_text(minutes) + " min";
  return minutes % 60 == 0 ? count_text(minutes / 60) + " h"
                           : count_text(minutes / 60) + " h " + count_text(minutes % 60) + " min";
}

std::string gib_number(double bytes) { return decimal_text(bytes / (1024.0 * 1024.0 * 1024.0), 1); }
std::string gib_text(double bytes) { return with_unit(gib_number(bytes), "GiB"); }
std::string mb_text(double bytes) { return with_unit(decimal_text(bytes / 1e6, 1), "MB"); }
std::string file_size_text(double bytes) {
  if (bytes < 1e3) return with_unit(decimal_text(bytes, 0), "B");
  if (bytes < 1e6) return with_unit(decimal_text(bytes / 1e3, 1), "kB");
  return bytes < 1e9 ? mb_text(bytes) : with_unit(decimal_text(bytes / 1e9, 1), "GB");
}
std::string gb_per_s_text(double bytes_per_s) {
  return with_unit(decimal_text(bytes_per_s / 1e9, 1), "GB/s");
}

std::string lr_text(double value) {
  if (!std::isfinite(value)) return std::string(kDash);
  // The learning rate is stored as a float, so the shortest text that reads back as it is what was
  // typed, written without an exponent. A rate with more digits than people type was computed by a
  // schedule.
  constexpr std::ptrdiff_t kTypedDigits = 6;
  const auto rate = static_cast<float>(std::abs(value));
  std::array<char, 128> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rate,
                           std::chars_format::scientific);
  const std::ptrdiff_t digits = std::find(buffer.data(), end.ptr, 'e') - buffer.data() - 1;
  double shown = static_cast<double>(rate);
  if (digits > kTypedDigits) {
    end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rate,
                        std::chars_format::scientific, 3);
    std::from_chars(buffer.data(), end.ptr, shown);
  }
  end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(shown),
                      std::chars_format::fixed);
  const std::string text(buffer.data(), end.ptr);
  return value < 0 ? std::string(kMinus) + text : text;
}

std::string spread_text(double mean, double deviation, int decimals) {
  return decimal_text(mean, decimals) + " ± " + decimal_text(deviation, decimals);
}

std::string wall_clock_text(std::int64_t wall_ns, bool utc) {
  const std::tm parts = parts_of(wall_ns, utc);
  const std::int64_t millis = (wall_ns / 1'000'000 % 1000 + 1000) % 1000;
  return fmt::format("{:02}:{:02}:{:02}.{:03}", parts.tm_hour, parts.tm_min, parts.tm_sec, millis);
}

std::string moment_text(std::int64_t wall_ns, std::int64_t now_wall_ns, bool utc) {
  const std::string time = wall_clock_text(wall_ns, utc);
  if (day_number(parts_of(wall_ns, utc)) == day_number(parts_of(now_wall_ns, utc))) return time;
  return date_time_text(wall_ns, utc).substr(0, 11) + time;
}

std::string date_time_text(std::int64_t wall_ns, bool utc) {
  const std::tm parts = parts_of(wall_ns, utc);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min);
}

std::string day_text(std::int64_t wall_ns, std::int64_t now_wall_ns, bool utc) {
  if (wall_ns <= 0) return std::string(kDash);
  const std::tm parts = parts_of(wall_ns, utc);
  const long days_ago = day_number(parts_of(now_wall_ns, utc)) - day_number(parts);
  static constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed",
                                                    "Thu", "Fri", "Sat"};
  // A time a few hours ago is shown as a clock time even across midnight, not as "yesterday".
  constexpr std::int64_t kJustNowNs = std::int64_t{6} * 3600 * 1'000'000'000;
  const bool just_now = wall_ns <= now_wall_ns && now_wall_ns - wall_ns < kJustNowNs;
  if (days_ago == 0 || just_now) return fmt::format("{:02}:{:02}", parts.tm_hour, parts.tm_min);
  if (days_ago == 1) return "yesterday";
  if (days_ago > 1 && days_ago < 7) return kDays[static_cast<std::size_t>(parts.tm_wday)];
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::string age_text(double seconds) {
  if (!std::isfinite(seconds)) return std::string(kDash);
  if (seconds < 1) return decimal_text(std::max(0.0, seconds) * 1000, 0) + " ms";
  return seconds < 60 ? decimal_text(seconds, 1) + " s" : rough_duration_text(seconds);
}

std::string plural(std::int64_t count, std::string_view one, std::string_view many) {
  return count_text(count) + " " + std::string(count == 1 ? one : many);
}

std::string tick_text(double value, double step) {
  const int decimals = step >= 1 || step <= 0
                           ? 0
                           : std::min(9, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return decimal_text(value, decimals);
}

std::string lost_records_text(std::uint64_t records, bool or_more) {
  if (records == 0) return {};
  const auto count = static_cast<std::int64_t>(records);
  return (or_more ? "At least " : "") + plural(count, "record was", "records were") +
         " lost before they reached the log: their data is missing here; training was not "
         "affected.";
}

}  // namespace ringside::view
