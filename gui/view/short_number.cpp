#include "gui/view/short_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gui/view/number_format.h"

namespace ringside::view {

std::string scientific_text(double value, int decimals) {
  std::string text = fmt::format("{:.{}e}", std::abs(value), decimals);
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  const int power = std::atoi(text.c_str() + e + 1);
  return (value < 0 ? std::string("−") : std::string()) + mantissa + fmt::format("e{}", power);
}

std::size_t letter_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & '\xC0') != '\x80'; }));
}

std::string measure_text(double value, int decimals) {
  constexpr double kMostPlain = 1e4;
  return std::isfinite(value) && std::abs(value) >= kMostPlain
             ? scientific_text(value, std::max(1, decimals - 2))
             : decimal_text(value, decimals);
}

}  // namespace ringside::view
