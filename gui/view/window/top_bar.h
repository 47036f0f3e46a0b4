// The bar above every page: run, state, progress and controls. Pure.
#pragma once

#include <optional>
#include <string>

#include "gui/view/state_view.h"

namespace ringside::view {

/// Buttons of the bar that other pages or tests refer to.
namespace label {
inline constexpr const char* kExport = "Export…";
inline constexpr const char* kOpenRun = "Open run…";
inline constexpr const char* kStop = "Stop…";
inline constexpr const char* kResume = "Resume";
inline constexpr const char* kRunScriptAgain = "Run again";
inline constexpr const char* kPause = "Pause";
inline constexpr const char* kPlay = "Continue";
inline constexpr const char* kBackToLive = "Back to live";
}  // namespace label

struct TopBarView {
  bool has_run = false;
  std::string number;    ///< "#1042"
  std::string title;     ///< run title, or "No active run"
  std::string subtitle;  ///< batch line, or "Last: #1041 ..., finished in 9:54, 3.40×"
  StateView state;
  std::string injected;  ///< the fault that its settings ask for; empty: none
  bool has_progress = false;
  Sentence epoch;       ///< "Epoch 47/60"
  Sentence step;        ///< "Step 61/98"
  std::string percent;  ///< "77.7 %"
  double share = 0;     ///< 0 .. 1
  int epochs = 0;       ///< divisions of the bar; 0: none
  Sentence elapsed;     ///< "7:39 elapsed"
  Sentence eta;         ///< "ETA 2:12"; empty if the run is over
  bool can_stop = false;
  bool can_resume = false;
  std::string resume_hint;  ///< "A new attempt from the checkpoint of epoch 21"
  std::string run_again;    ///< id of an ended run, to fill in the form; empty: none
  bool can_pause = false;
  bool paused = false;
  std::string pause_word;    ///< "Pause", "Back to live", "Go on"
  bool can_seek = false;     ///< a replay: the bar shows its time, and a click on it seeks
  std::string replay_speed;  ///< "4×"
  bool can_export = false;
};

/// Whether the run ended before its last epoch and left a checkpoint.
bool can_resume(const model::RunModel& model, const RunContext& context);

inline constexpr double kReplaySpeeds[] = {0.5, 1, 2, 4, 10, 25, 50, 100};
/// "0.5×", "4×"
std::string replay_speed_text(double speed);

/// The newest ended run, for the bar without an open run.
struct LastResult {
  std::string number;
  std::string title;
  StateView state;
  double seconds = 0;
  std::optional<double> speedup;
};

TopBarView build_top_bar(const model::RunModel* model, const RunContext& context,
                         const std::optional<LastResult>& last);

}  // namespace ringside::view
