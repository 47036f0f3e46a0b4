// A published figure and its comparison with ours: the clock by which it was taken, our figure, and
// whether the two match. Shared by report, study and card. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/analysis/scaling/speedup.h"
#include "gui/launch/preset_file.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::view {

/// The clock of a figure's source; ours if the source does not state it.
analysis::Clock clock_of(const launch::PublishedFigure& figure);
/// "training passes alone"; to be used after "by".
std::string clock_words(const launch::PublishedFigure& figure);

/// Whether the published figure compares the same numbers of devices as the speedup.
bool is_against(const launch::PublishedFigure& figure, const analysis::Speedup& speedup);

/// The published speedup between the same numbers of devices; null: there is none.
const launch::PublishedFigure* published_speedup(const launch::Published& published,
                                                 const analysis::Speedup& speedup);

/// The way in which our figure is compared with a published one.
enum class FigureKind : std::uint8_t { kArithmetic, kRecorded, kDirection, kShare, kLoss, kTime };
FigureKind kind_of(const std::string& what);
/// Whether the figure needs a baseline.
bool is_comparison(const std::string& what);
std::string figure_text(const std::string& what, double value);

enum class Matched : std::uint8_t { kYes, kNo, kNotJudged };
struct FigureMatch {
  Matched matched = Matched::kNotJudged;
  std::string words;  ///< "within one point", or why there is no verdict
};
/// `ours`: NaN if unknown. `as_published`: measured with the settings of the preset.
FigureMatch match_of(const launch::PublishedFigure& figure, double ours, bool as_published);

/// Whether a setting does not affect the work: where and how it is launched, named and saved.
bool is_free_setting(const std::string& key);
/// Settings whose change makes the work differ from that of the preset; `left` is the preset's
/// value.
std::vector<messages::FieldDifference> changed_settings(const launch::PresetFile& preset,
                                                        const messages::RunSpec& spec);

/// Whether a preset, which may be null, has published figures.
inline bool has_source(const launch::NamedPreset* preset) {
  return preset != nullptr && !preset->file.published.source.empty();
}

}  // namespace ringside::view
