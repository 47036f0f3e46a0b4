// Conversion of wall clock times to calendar fields and text. Any thread.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace ringside {

enum class TimeZone : std::uint8_t { kUtc, kLocal };

/// Times before 1970 are supported.
std::tm calendar_of(std::int64_t wall_ns, TimeZone zone);

/// "2026-11-21T14:24:27Z"; with milliseconds "2026-11-21T14:24:27.012Z".
std::string utc_text(std::int64_t wall_ns, bool milliseconds = false);

}  // namespace ringside
