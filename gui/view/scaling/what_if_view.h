// Predictions of a step under other circumstances, as sentences, bars and tables for the sheet, the
// command line and JSON; and the text form of a change. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/analysis/scaling/speedup.h"
#include "gui/analysis/whatif/what_if.h"
#include "gui/runs/predictions/predictions.h"
#include "gui/view/table.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kWhatIf = "What if";
inline constexpr const char* kProveIt = "Prove it";
inline constexpr const char* kProveHint = "Trains it so, and holds the prediction against it.";
}  // namespace label

/// "rank 2 as quick as the others, link ×2"; "nothing changed"
std::string change_words(const analysis::StepChange& change);
/// "--without-rank 2 --link x2"; empty: no change.
std::string change_options(const analysis::StepChange& change);
/// "x2" or "2": a factor above 0.
std::optional<double> factor_of(std::string text);

/// The settings of a run that would show a change. Returns a bad request with the reason if no
/// settings can.
Result<messages::RunSpec> proving_spec(messages::RunSpec spec, const analysis::StepChange& change);

/// A slider of the sheet: the change it makes, and the text of its position.
struct WhatIfSlider {
  const char* label = "";
  std::string text;
  int at = 0;
  int stops = 1;
};
std::vector<WhatIfSlider> what_if_sliders(const analysis::StepChange& change, Rank ranks);
/// The change after a slider was moved.
analysis::StepChange moved(analysis::StepChange change, std::size_t slider, int at);

/// The predictions recorded in the runs folder, as far as they have been read.
struct WhatIfInput {
  std::span<const runs::ProvedPrediction> record;
  std::uint64_t revision = 0;
  bool busy = false;  ///< a run that tests a prediction is being started
};

struct WhatIfBar {
  std::string label;  ///< "Recorded"
  std::string text;   ///< "8.20 ms"
  double share = 0;   ///< relative to the longest, 0 .. 1
  double low = 0;     ///< uncertainty band; both 0: none
  double high = 0;
};

struct WhatIfView {
  bool shown = false;
  analysis::Prediction found;  ///< with the parts of the change that apply to the run
  Rank ranks = 0;
  std::string sentence;  ///< the prediction, or why there is none
  std::vector<WhatIfBar> bars;
  std::vector<std::string> notes;
  std::string not_provable;  ///< why no run can show it; empty: one can
  Table changes;             ///< a row per change; empty if not requested
  /// Earlier predictions and their outcomes, with a summary in its notes.
  Table record;
};

struct WhatIfFacts {
  const analysis::Replayable* run = nullptr;   ///< never null
  const analysis::Speedup* speedup = nullptr;  ///< may be null
  messages::RunSpec spec;
  std::string id{};
  std::span<const runs::ProvedPrediction> record;
  bool table = true;  ///< request the table of changes
};
/// A change that does not apply to the run counts as none. Without a change, the table has a row
/// for each of the first 16 ranks as quick as the others, for no data wait, and for a link twice as
/// fast.
WhatIfView build_what_if_view(const WhatIfFacts& facts, const analysis::StepChange& change);

}  // namespace ringside::view
