// Formats numbers as short as possible, for labels beside a chart and cells. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside::view {

/// A number with so many decimals below ten thousand, beyond as "2.8e19", which no column is too
/// narrow for.
std::string measure_text(double value, int decimals);
/// "1.5e-7": at most so many decimals, without zeros at their end.
std::string scientific_text(double value, int decimals);
/// Letters and digits, however many bytes they take.
std::size_t letter_count(std::string_view text);

}  // namespace ringside::view
