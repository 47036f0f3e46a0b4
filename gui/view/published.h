// A published figure and what it is held against: the clock it was taken by, what of ours stands
// beside it, and whether the two match. For report, study and card alike. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/analysis/scaling/speedup.h"
#include "gui/launch/preset_file.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::view {

/// The clock of a figure's source; ours where it is not stated.
analysis::Clock clock_of(const launch::PublishedFigure& figure);
/// "training passes alone"; to follow "by".
std::string clock_words(const launch::PublishedFigure& figure);

/// Whether the published figure compares the same numbers of devices as the speedup does.
bool is_against(const launch::PublishedFigure& figure, const analysis::Speedup& speedup);

/// The published speedup of as many devices against as many; null: there is none.
const launch::PublishedFigure* published_speedup(const launch::Published& published,
                                                 const analysis::Speedup& speedup);

/// How a figure of ours is to be held against a published one.
enum class FigureKind : std::uint8_t { kArithmetic, kRecorded, kDirection, kShare, kLoss, kTime };
FigureKind kind_of(const std::string& what);
/// Whether the figure needs a baseline.
bool is_comparison(const std::string& what);
/// A figure of ours as people read it.
std::string figure_text(const std::string& what, double value);

enum class Matched : std::uint8_t { kYes, kNo, kNotJudged };
struct FigureMatch {
  Matched matched = Matched::kNotJudged;
  std::string words;  ///< "within one point", or why it cannot be judged
};
/// `ours`: NaN where it is not known. `as_published`: at the settings of the recipe.
FigureMatch match_of(const launch::PublishedFigure& figure, double ours, bool as_published);

/// Whether a setting leaves the work as it is: where and how it is launched, named and saved.
bool is_free_setting(const std::string& key);
/// Settings that make other work of it than the recipe's; `left` is the recipe's value.
std::vector<messages::FieldDifference> changed_settings(const launch::PresetFile& preset,
                                                        const messages::RunSpec& spec);

/// Whether anything is published beside a preset, which may be null.
inline bool has_source(const launch::NamedPreset* preset) {
  return preset != nullptr && !preset->file.published.source.empty();
}

}  // namespace ringside::view
