#include "protocol/base/calendar.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace ringside {
namespace {

using std::chrono::floor;

std::chrono::nanoseconds ns_of(std::int64_t wall_ns) { return std::chrono::nanoseconds(wall_ns); }

}  // namespace

std::tm calendar_of(std::int64_t wall_ns, TimeZone zone) {
  const std::time_t seconds = floor<std::chrono::seconds>(ns_of(wall_ns)).count();
  std::tm parts{};
  zone == TimeZone::kUtc ? ::gmtime_r(&seconds, &parts) : ::localtime_r(&seconds, &parts);
  return parts;
}

std::string utc_text(std::int64_t wall_ns, bool milliseconds) {
  const std::tm parts = calendar_of(wall_ns, TimeZone::kUtc);
  std::array<char, 40> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::string result(text.data(), length);
  if (milliseconds) {
    const auto at = floor<std::chrono::milliseconds>(ns_of(wall_ns));
    const auto rest = at - floor<std::chrono::seconds>(at);
    std::snprintf(text.data(), text.size(), ".%03d", static_cast<int>(rest.count()));
    result += text.data();
  }
  return result + "Z";
}

}  // namespace ringside
