// Facts a person must not miss: a loss that is no number, a rank that fell silent or failed,
// telemetry that was lost, and the rank everybody waits for. Data only; the words are made in
// gui/view. Pure functions of the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/analysis/arrivals.h"

namespace ringside::analysis {

enum class AlertKind : std::uint8_t {
  kRankFailed,  ///< exit code or signal known
  kRunFailed,   ///< the agent's own words
  kDidNotDie,
  kLossNotFinite,
  kRankSilent,  ///< no step for longer than the limit
  kRankHung,    ///< silent, and others wait for it
  kStraggler,
  kRecordsLost,
  kRefusedRecords,
  kNotice,  ///< a warning or error somebody said
  kRestarted,
};

struct Alert {
  AlertKind kind = AlertKind::kNotice;
  messages::Severity severity = messages::Severity::kWarning;
  Rank rank = kNoRank;
  Step step = -1;
  std::int64_t at_ns = 0;
  double seconds = 0;       ///< silent for so long
  std::uint64_t count = 0;  ///< lost, refused, restarts, NaN steps
  int exit_code = -1;
  int signal = -1;
  std::string text;  ///< words of the agent or of the notice, if any
  Straggler late;    ///< kStraggler only
};

struct AlertLimits {
  double silent_s = 12;  ///< a training rank without a step for so long is named
  bool live = true;      ///< false: a finished log; nobody is "silent now"
};

/// Worst first, then in the order of AlertKind, then newest first. At most one alert per kind and
/// rank (notices: the newest of each code).
std::vector<Alert> alerts(const model::RunModel& model, std::int64_t now_ns,
                          const AlertLimits& limits);

/// Steps of a rank whose loss is NaN or Inf, and the first of them; -1: none.
struct NonFinite {
  Step first = -1;
  std::uint64_t count = 0;
};
NonFinite non_finite_losses(const model::RunModel& model, Rank rank);

/// Seconds since a rank that should be training ended its newest step; 0 when it has ended or not
/// begun.
double silent_seconds(const model::RankModel& rank, std::int64_t now_ns);

}  // namespace ringside::analysis
