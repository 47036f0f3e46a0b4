// A curve as text: the dots of Unicode's braille patterns, two by four in a character. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gui/model/series.h"

namespace ringside::cli {

/// The finite values of `series`, one step beside the other, in `rows` lines of `columns`
/// characters; a column of dots that stands for several steps reaches from their lowest to their
/// highest value. No lines without a finite value. A gap is a gap.
std::vector<std::string> line_chart(const model::Series& series, std::size_t columns,
                                    std::size_t rows);

}  // namespace ringside::cli
