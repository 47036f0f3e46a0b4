// Which published speedup a run is held against, and the clock that it was taken by; for the report
// and the card. Pure.
#pragma once

#include <string>

#include "gui/analysis/speedup.h"
#include "gui/launch/preset_file.h"

namespace ringside::view {

/// The clock of a figure's source; ours where it is not stated.
analysis::Clock clock_of(const launch::PublishedFigure& figure);
/// "training passes alone"; to follow "by".
std::string clock_words(const launch::PublishedFigure& figure);

/// Whether a comparison holds for a run of so many devices beside a baseline of so many.
bool is_against(const launch::PublishedFigure& figure, const analysis::Speedup& speedup);

/// The published speedup of as many devices against as many; null: there is none.
const launch::PublishedFigure* published_speedup(const launch::Published& published,
                                                 const analysis::Speedup& speedup);

}  // namespace ringside::view
