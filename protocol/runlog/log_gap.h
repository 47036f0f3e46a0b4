// The notice that an agent writes to a log after a time in which it could not write: its text and
// the number in it, for the writer and for readers that count. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::runlog {

/// Code of the notice.
inline constexpr const char* kLogGap = "log_gap";

/// `why`: what the system said.
std::string log_gap_text(double seconds, std::uint64_t records, std::uint64_t bytes,
                         const std::string& why);

/// The records that such a text says are missing; 0 for another text.
std::uint64_t log_gap_records(std::string_view text);

}  // namespace ringside::runlog
