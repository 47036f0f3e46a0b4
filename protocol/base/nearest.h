// "Did you mean ...": the allowed name nearest to what was typed. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

/// The candidate with the smallest edit distance, or empty when none is near
/// (more than half of the typed letters would have to change).
std::string nearest_name(std::string_view typed, std::span<const std::string> candidates);

/// `, did you mean "x"?`, or `; known: a, b, c` when no name is near. Ready to append to a message.
std::string suggestion(std::string_view typed, std::span<const std::string> candidates);

}  // namespace ringside
