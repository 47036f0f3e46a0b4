// Facts a person must not miss: a loss that is no number or that diverges, a rank that fell silent
// or failed, steps that take twice the time, a device that is slowed, a disk that runs full,
// telemetry that was lost, and the rank everybody waits for. Data only; the words are made in
// gui/view. Pure functions of the model.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gui/analysis/alert_rules.h"
#include "gui/analysis/arrivals.h"
#include "protocol/messages/states.h"

namespace ringside::analysis {

enum class AlertKind : std::uint8_t {
  kRankFailed,  ///< exit code or signal known
  kRunFailed,   ///< the agent's own words
  kDidNotDie,
  kLogProblem,  ///< the agent cannot write its log
  kLossNotFinite,
  kRankSilent,  ///< no step for longer than the limit
  kRankHung,    ///< silent, and others wait for it
  kDiverged,
  kDiskLow,
  kSlowSteps,
  kSlowedDevice,
  kStraggler,
  kRecordsLost,
  kRefusedRecords,
  kNotice,  ///< a warning or error somebody said
  kRestarted,
};

/// What a person may switch off, one by one. How a rank or the run ended and a log that cannot be
/// written are told always.
enum class AlertRule : std::uint8_t {
  kNotFinite,
  kDiverged,
  kSilent,
  kSlowSteps,
  kSlowedDevice,
  kDiskLow,
  kDropped,
  kLateRank,
  kNotices,
  kCount,
};
inline constexpr std::size_t kAlertRules = static_cast<std::size_t>(AlertRule::kCount);
using RuleSet = std::bitset<kAlertRules>;

/// Names for scripts and settings: "loss_not_finite", "slow_steps".
std::string_view name_of(AlertKind kind);
std::string_view name_of(AlertRule rule);

struct Alert {
  AlertKind kind = AlertKind::kNotice;
  messages::Severity severity = messages::Severity::kWarning;
  Rank rank = kNoRank;
  Node node = 0;  ///< kDiskLow, kSlowedDevice
  Step step = -1;
  std::int64_t at_ns = 0;
  double seconds = 0;       ///< silent or slowed for so long
  std::uint64_t count = 0;  ///< lost, refused, restarts, NaN steps; of a failure the attempts
  int exit_code = -1;
  int signal = -1;
  std::string text;             ///< words of the agent or of the notice, if any
  std::string code;             ///< kNotice: its name; kSlowedDevice: the device
  Straggler late;               ///< kStraggler only
  BrokenLoss broken;            ///< kLossNotFinite only
  Change change;                ///< kDiverged, kSlowSteps
  LowDisk disk;                 ///< kDiskLow only
  std::uint64_t slowed_by = 0;  ///< kSlowedDevice: bits of NVML
};

/// The same for as long as the same thing is wrong, another when something new happens: the kind,
/// the rank, and where it repeats what tells one time from the next.
std::string key_of(const Alert& alert);

struct AlertLimits {
  bool live = true;  ///< false: a finished log; nobody is "silent now"
  RuleSet off{};
  std::string log_problem{};  ///< why the agent cannot write its log; empty: it can
};

/// Worst first, then in the order of AlertKind, then newest first. At most one alert per key.
std::vector<Alert> alerts(const model::RunModel& model, std::int64_t now_ns,
                          const AlertLimits& limits);

/// Seconds since a rank that should be training ended its newest step; 0 when it has ended or not
/// begun.
double silent_seconds(const model::RankModel& rank, std::int64_t now_ns);
/// True when it is silent for longer than the rule allows (messages::silence_limit_ns).
bool is_silent(const model::RunModel& model, const model::RankModel& rank, double silent_s);

}  // namespace ringside::analysis
