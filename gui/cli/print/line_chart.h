// A curve as text, made of Unicode's braille patterns with two by four dots per character. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gui/model/series.h"

namespace ringside::cli {

/// The finite values of `series` over its steps, in `rows` lines of `columns` characters; a column
/// of dots for several steps covers the range of their values. Gaps stay empty. Returns no lines if
/// there is no finite value.
std::vector<std::string> line_chart(const model::Series& series, std::size_t columns,
                                    std::size_t rows);

}  // namespace ringside::cli
