#include "protocol/runlog/log_gap.h"

#include <array>
#include <cstdio>

#include "protocol/base/text.h"

namespace ringside::runlog {
namespace {

constexpr std::string_view kBeforeCount = " s: ";
constexpr std::string_view kAfterCount = " records (";

}  // namespace

std::string log_gap_text(double seconds, std::uint64_t records, std::uint64_t bytes,
                         const std::string& why) {
  std::array<char, 48> time{};
  std::snprintf(time.data(), time.size(), "%.1f", seconds);
  return "the log could not be written for " + std::string(time.data()) +
         std::string(kBeforeCount) + std::to_string(records) + std::string(kAfterCount) +
         std::to_string(bytes) + " bytes) are missing; " + why;
}

std::uint64_t log_gap_records(std::string_view text) {
  const auto before = text.find(kBeforeCount);
  const auto after = text.find(kAfterCount);
  if (before == text.npos || after == text.npos || after < before) return 0;
  const std::size_t begin = before + kBeforeCount.size();
  return whole_number<std::uint64_t>(text.substr(begin, after - begin)).value_or(0);
}

}  // namespace ringside::runlog
