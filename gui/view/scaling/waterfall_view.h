// The waterfall from the ideal speedup down to the measured one, for a run or a point of a study: a
// bar per part with its sentence, seconds and x, and where Live shows it. The same words are used
// everywhere: sheet, Scaling page, `show`, report, JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/analysis/scaling/waterfall.h"
#include "gui/view/chart/chart.h"
#include "gui/view/command.h"
#include "gui/view/fairness_words.h"
#include "gui/view/run_context.h"
#include "gui/view/table.h"
#include "gui/view/words.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kWaterfall = "Waterfall";
inline constexpr const char* kWaterfallSheet = "Waterfall of the speedup";
inline constexpr const char* kCopyWaterfall = "Copy##waterfall";
inline constexpr const char* kCloseWaterfall = "Close##waterfall";
}  // namespace label

/// The place in Live that shows a part.
struct WaterfallEvidence {
  analysis::StepRange steps;   ///< empty: the whole run
  Rank rank = kNoRank;         ///< rank to look at; kNoRank: all
  bool between_steps = false;  ///< evaluation or checkpoints: gaps on the time axis
  bool own_work = false;       ///< chart of the ranks' own work before their gradients are ready
};
/// Opens Live at that place.
CommandQueue show_evidence(const WaterfallEvidence& evidence);

struct WaterfallRow {
  std::string key;      ///< "data_wait"
  std::string label;    ///< "Data wait"
  std::string text;     ///< one sentence: number, window, confidence
  std::string hint;     ///< only its number, for where a sentence has no room
  std::string seconds;  ///< "+30.6 s"
  std::string x;        ///< "−0.21×"
  Paint paint = Paint::kOther;
  bool hollow = false;  ///< not measured: drawn as an outline
  bool gain = false;    ///< it takes less time than the ideal
  double from = 0;      ///< position on the axis: what the parts above leave of the ideal
  double to = 0;        ///< what this part leaves
  WaterfallEvidence evidence;
};

/// The ideal above the parts, or the measured speedup below them.
struct WaterfallEnd {
  std::string label;  ///< "Ideal on 4 GPUs"
  std::string text;   ///< "baseline 2,018.4 s divided by 4"
  std::string seconds;
  std::string x;
  double at = 0;  ///< position on the axis
};

struct WaterfallView {
  bool shown = false;
  std::string title;     ///< "From 4.00× down to 3.41×"
  std::string subtitle;  ///< "4 GPUs, same 60 epochs"
  WaterfallEnd ideal;
  std::vector<WaterfallRow> rows;
  WaterfallEnd measured;
  AxisView axis;     ///< speedup in x
  bool cut = false;  ///< the axis does not begin at 0
  std::string note;  ///< how x is shared out, and what this clock leaves out
  Verdict fairness;  ///< whether the two runs can be compared
  Table table;       ///< the whole waterfall, for text, files and the clipboard
  Sentence empty;    ///< why there is no waterfall
};

/// `baseline` may be null; `ended`: the run is over.
WaterfallView build_waterfall_view(const model::RunModel& run, const model::RunModel* baseline,
                                   bool ended);
/// `device`: what a device is called, "GPU" or "rank".
WaterfallView build_waterfall_view(const analysis::Waterfall& waterfall, const std::string& device,
                                   Verdict fairness = {});

/// "Data wait"
std::string loss_word(analysis::Loss loss);
/// The sentence of a part, and its short form.
std::string loss_sentence(const analysis::Waterfall& waterfall, const analysis::LostTime& part);
std::string loss_hint(const analysis::Waterfall& waterfall, const analysis::LostTime& part);

}  // namespace ringside::view
