// Problems that a person must not miss: a loss that is NaN, Inf or diverges, a rank that fell
// silent or failed, steps that take twice the time, a device that is slowed down, a disk or a
// device's memory that fills up, lost telemetry, and the rank that everybody waits for. Two tables
// describe them; their sentences are in gui/view/live/alert_words.cpp. Pure functions of the model.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/analysis/alerts/alert_rules.h"
#include "gui/analysis/arrivals.h"
#include "gui/analysis/groups/groups.h"
#include "gui/analysis/groups/hangs.h"
#include "protocol/messages/states.h"

namespace ringside::analysis {

/// Alerts that a person can switch off one by one, as listed in the settings.
enum class AlertRule : std::uint8_t {
  kNotFinite,
  kDiverged,
  kSilent,
  kSlowSteps,
  kSlowedDevice,
  kDiskLow,
  kMemory,
  kDropped,
  kLateRank,
  kNotices,
  kCount,
};
inline constexpr std::size_t kAlertRules = static_cast<std::size_t>(AlertRule::kCount);
using RuleSet = std::bitset<kAlertRules>;

struct AlertRuleInfo {
  AlertRule rule = AlertRule::kCount;
  std::string_view name;  ///< in the settings file; never changes
  std::string_view word;  ///< "Loss is NaN or Inf"
  std::string_view hint;  ///< when it is reported, and when not
};

/// One row per rule, in their order.
inline constexpr std::array<AlertRuleInfo, kAlertRules> kAlertRuleInfos{{
    {AlertRule::kNotFinite, "loss_not_finite", "Loss is NaN or Inf",
     "After one step, of a gradient too; names the rank where it started, if that is known"},
    {AlertRule::kDiverged, "diverged", "Loss diverges",
     "The last 50 steps lost 3/4 of the progress, beyond 6 standard deviations; or one step "
     "leaped to three times the highest of 200"},
    {AlertRule::kSilent, "rank_silent", "Rank is silent",
     "No step for 10 s, and for 5 of its usual steps; or the log of its node is 90 s late"},
    {AlertRule::kSlowSteps, "slow_steps", "Steps take twice as long",
     "The last 50 against the first 200, beyond 6 standard deviations"},
    {AlertRule::kSlowedDevice, "gpu_slowed", "GPU is throttled",
     "By heat or lack of power, for 5 s; a power cap is normal and not reported"},
    {AlertRule::kDiskLow, "disk_low", "Disk is almost full",
     "Below 1 GiB, or below two of the run's largest checkpoints"},
    {AlertRule::kMemory, "memory_grows", "GPU memory grows",
     "The end of a step holds more and more, in 64 looks without a fall, and the device would be "
     "full before the run ends"},
    {AlertRule::kDropped, "dropped", "Records are lost",
     "After one record; training is not affected"},
    {AlertRule::kLateRank, "late_rank", "Rank is a straggler",
     "It arrives last more often than chance, beyond the clocks' uncertainty"},
    {AlertRule::kNotices, "notice", "Notices of the run",
     "Warnings and errors of ranks and agents, restarts"},
}};

/// The kinds of alerts, in order of urgency within each severity.
enum class AlertKind : std::uint8_t {
  kRunFailed,   ///< in the agent's words, if no failed rank is the cause
  kRankFailed,  ///< exit code or signal is known
  kDidNotDie,
  kLogProblem,  ///< the agent cannot write its log
  kMismatch,    ///< members of a group entered different collectives
  kLossNotFinite,
  kRankSilent,  ///< no step for longer than the limit
  kRankHung,    ///< silent, or has not entered a collective in which others wait for it
  kLogLate,     ///< a node's records come late, so the present state of its ranks is unknown
  kDiverged,
  kDiskLow,
  kMemoryGrows,  ///< and is never freed
  kSlowSteps,
  kLossSpike,
  kSlowedDevice,
  kStraggler,
  kRecordsLost,
  kRefusedRecords,
  kNotice,  ///< a Notice record of severity warning or error
  kRestarted,
  kCount,
};

struct AlertKindInfo {
  AlertKind kind = AlertKind::kCount;
  std::string_view name;            ///< name for scripts; never changes
  messages::Severity severity{};    ///< default severity
  std::optional<AlertRule> rule{};  ///< rule that switches it off; none: always reported
};

/// One row per kind, in their order.
inline constexpr std::array<AlertKindInfo, static_cast<std::size_t>(AlertKind::kCount)>
    kAlertKindInfos{{
        {AlertKind::kRunFailed, "run_failed", messages::Severity::kError},
        {AlertKind::kRankFailed, "rank_failed", messages::Severity::kError},
        {AlertKind::kDidNotDie, "did_not_die", messages::Severity::kError},
        {AlertKind::kLogProblem, "log_not_written", messages::Severity::kError},
        {AlertKind::kMismatch, "different_collectives", messages::Severity::kError},
        {AlertKind::kLossNotFinite, "loss_not_finite", messages::Severity::kError,
         AlertRule::kNotFinite},
        {AlertKind::kRankSilent, "rank_silent", messages::Severity::kError, AlertRule::kSilent},
        {AlertKind::kRankHung, "rank_hung", messages::Severity::kError, AlertRule::kSilent},
        {AlertKind::kLogLate, "log_late", messages::Severity::kWarning, AlertRule::kSilent},
        {AlertKind::kDiverged, "diverged", messages::Severity::kError, AlertRule::kDiverged},
        {AlertKind::kDiskLow, "disk_low", messages::Severity::kWarning, AlertRule::kDiskLow},
        {AlertKind::kMemoryGrows, "memory_grows", messages::Severity::kWarning, AlertRule::kMemory},
        {AlertKind::kSlowSteps, "slow_steps", messages::Severity::kWarning, AlertRule::kSlowSteps},
        {AlertKind::kLossSpike, "loss_spike", messages::Severity::kWarning, AlertRule::kDiverged},
        {AlertKind::kSlowedDevice, "gpu_slowed", messages::Severity::kWarning,
         AlertRule::kSlowedDevice},
        {AlertKind::kStraggler, "late_rank", messages::Severity::kWarning, AlertRule::kLateRank},
        {AlertKind::kRecordsLost, "dropped", messages::Severity::kWarning, AlertRule::kDropped},
        {AlertKind::kRefusedRecords, "refused", messages::Severity::kWarning, AlertRule::kDropped},
        {AlertKind::kNotice, "notice", messages::Severity::kWarning, AlertRule::kNotices},
        {AlertKind::kRestarted, "restarted", messages::Severity::kInfo, AlertRule::kNotices},
    }};

inline constexpr const AlertKindInfo& info_of(AlertKind kind) {
  return kAlertKindInfos[static_cast<std::size_t>(kind)];
}

/// Code of kRefusedRecords for valid records that exceed the limit of names.
inline constexpr const char* kTooManyNames = "too_many_names";

struct Alert {
  AlertKind kind = AlertKind::kNotice;
  messages::Severity severity = messages::Severity::kWarning;
  Rank rank = kNoRank;
  Node node = 0;  ///< kLogLate, kDiskLow, kSlowedDevice
  Step step = -1;
  std::int64_t at_ns = 0;
  double seconds = 0;        ///< duration of being silent, late or slowed down
  std::uint64_t count = 0;   ///< number of lost or refused records, restarts, or NaN steps
  std::int64_t attempt = 0;  ///< attempt of the failure, broken loss or notice; part of the key
  int exit_code = -1;
  int signal = -1;
  std::string text;             ///< text of the agent or of the notice, if any
  std::string awaited;          ///< kRankHung: the collective in which the others wait
  Hang hang;                    ///< kRankHung: or the hang in a group; no rank: unknown
  std::string code;             ///< kNotice: its code; kSlowedDevice: the device
  Mismatch mismatch;            ///< kMismatch only
  Straggler late;               ///< kStraggler only
  BrokenLoss broken;            ///< kLossNotFinite only
  BrokenGradient gradient;      ///< kLossNotFinite, if a gradient was the origin
  Change change;                ///< kDiverged, kSlowSteps, kLossSpike
  LowDisk disk;                 ///< kDiskLow only
  MemoryCreep creep;            ///< kMemoryGrows only
  std::uint64_t slowed_by = 0;  ///< kSlowedDevice: NVML's bits
};

/// Key of an alert, which stays equal while the same problem lasts and differs for a new one: the
/// kind, the rank, and for problems that may repeat what distinguishes the occasions.
std::string key_of(const Alert& alert);

struct AlertLimits {
  bool live = true;  ///< false: a finished log, so no rank is silent
  RuleSet off{};
  std::string log_problem{};  ///< why the agent cannot write its log; empty: it can
  /// Delay above which a node's log is reported as late.
  double log_late_s = std::numeric_limits<double>::infinity();
};

/// All alerts, the worst first, then in the order of AlertKind, then newest first; failed ranks as
/// in failures(). At most one alert per key.
std::vector<Alert> alerts(const model::RunModel& model, std::int64_t now_ns,
                          const AlertLimits& limits);

/// Seconds from the end of a rank's newest step to the newest record of its node, so that a late
/// log is not taken for silence. 0 if the rank has ended or not begun, or while the clock of its
/// node is unknown.
double silent_seconds(const model::RunModel& model, const model::RankModel& rank,
                      std::int64_t now_ns);
/// Whether it has been silent for longer than the limit (messages::silence_limit_ns).
bool is_silent(const model::RunModel& model, const model::RankModel& rank, double silent_s);
/// Delay of a node's log, RunModel::late_ns() in seconds; 0 if no rank there is running.
double log_late_seconds(const model::RunModel& model, Node node);

}  // namespace ringside::analysis
