// Common method of the benchmarks here: A and B alternate, and results are medians of per-round
// figures and the worst round. One thread.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/clock.h"

namespace ringside::bench {

inline double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

inline double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(mono_now_ns() - start_ns) * 1e-9;
}

/// Processor seconds of this process so far, all threads; other load affects them less than wall
/// time.
inline double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Ratio of two columns per round.
inline std::vector<double> ratios(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> result;
  for (std::size_t i = 0; i < of.size() && i < to.size(); ++i) result.push_back(of[i] / to[i]);
  return result;
}

/// Parses an argument of the command line; 0 if it does not begin with a number.
inline std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Formats `"name":number` for a line of JSON.
inline std::string field(const char* name, double value) {
  return std::string("\"") + name + "\":" + std::to_string(value);
}

}  // namespace ringside::bench
