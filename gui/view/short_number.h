// Formats numbers as short as possible, for cells and for labels beside a chart. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::view {

/// A number below ten thousand with this many decimals, above that as "2.8e19", which fits any
/// column.
std::string measure_text(double value, int decimals);
/// "1.5e-7": with at most this many decimals, without trailing zeros.
std::string scientific_text(double value, int decimals);
/// Number of characters, whatever their number of bytes.
std::size_t letter_count(std::string_view text);

}  // namespace ringside::view
