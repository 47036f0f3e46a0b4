// Times of the wall clock as people and files write them. Any thread.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace ringside {

enum class TimeZone : std::uint8_t { kUtc, kLocal };

/// Works for times before 1970, too.
std::tm calendar_of(std::int64_t wall_ns, TimeZone zone);

/// "2026-11-21T14:24:27Z"; with milliseconds "2026-11-21T14:24:27.012Z".
std::string utc_text(std::int64_t wall_ns, bool milliseconds = false);

}  // namespace ringside
