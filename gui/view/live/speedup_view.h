// The speedup card. Pure.
#pragma once

#include <string>

#include "gui/analysis/scaling/speedup.h"
#include "gui/view/fairness_words.h"
#include "gui/view/run_context.h"
#include "gui/view/words.h"

namespace ringside::view {

/// Labels of the card.
namespace label {
inline constexpr const char* kSpeedup = "Speedup";
inline constexpr const char* kTimeSaved = "Time saved";
inline constexpr const char* kValAccuracy = "Val accuracy";
inline constexpr const char* kAgainstBaseline = "Against baseline";
inline constexpr const char* kChooseBaseline = "Choose baseline";
inline constexpr const char* kChangeBaseline = "Change baseline";
inline constexpr const char* kUseAsBaseline = "Use as baseline";
inline constexpr const char* kWhy = "Waterfall";
}  // namespace label

struct SpeedupView {
  bool shown = false;
  std::string subtitle;        ///< "same epochs, start-up excluded"
  std::string display;         ///< "3.41×"
  std::string of_ideal;        ///< "4×"
  std::string efficiency;      ///< "85 %"
  std::string baseline_label;  ///< "Baseline #983, 1 GPU"
  std::string baseline_time;   ///< "33:38"
  double baseline_share = 0;   ///< length of its bar relative to the longer one, 0 .. 1
  std::string run_label;       ///< "This run, 4 GPUs (projected)"
  std::string run_time;        ///< "9:52"
  double run_share = 0;
  double ideal_share = 0;
  double ceiling_share = 0;    ///< of the measured ceiling; 0: none was measured
  std::string ideal_label;     ///< "ideal 8:25", "ideal 8:25, ceiling 9:40"
  std::string time_cut;        ///< "70.7 %"
  std::string accuracy;        ///< "75.21 %"
  std::string accuracy_delta;  ///< "−0.64 pp"
  std::string delta_hint;      ///< "both at epoch 46"
  /// One line of the card: why it is not fair, or else the published speedup and ours by its clock,
  /// or else the note.
  Sentence brief;
  Sentence note;  ///< what the clock includes, warm-up, steady speedup, fairness
  Verdict fairness;
  Sentence empty;  ///< why there is no speedup: "One GPU: this run can be the baseline."
  bool offer_as_baseline = false;
  std::vector<BaselineOffer> offers;  ///< other runs to compare with
  std::string compared;               ///< id of the run compared with; empty: none
  bool published = false;             ///< its preset has a source whose figures can be shown
};

SpeedupView build_speedup_view(const model::RunModel& model, const RunContext& context,
                               const BaselineContext& baseline);

}  // namespace ringside::view
