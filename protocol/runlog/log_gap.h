// The notice that an agent appends to a log after a time in which it could not write: its text, and
// the number of lost records in it, for the writer and for readers that count them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::runlog {

inline constexpr const char* kLogGap = "log_gap";

/// `why` is the system's error message.
std::string log_gap_text(double seconds, std::uint64_t records, std::uint64_t bytes,
                         const std::string& why);

/// The number of missing records in such a text; 0 for any other text.
std::uint64_t log_gap_records(std::string_view text);

}  // namespace ringside::runlog
