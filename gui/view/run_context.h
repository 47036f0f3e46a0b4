// What a viewer knows about an open run beside its records: its number, whether its agent can be
// heard, the time. Plain data, filled by the session once a frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/analysis/alerts/alerts.h"
#include "gui/analysis/scaling/link_probe.h"
#include "gui/model/run_model_fwd.h"

namespace ringside::launch {
struct NamedPreset;
}
namespace ringside::runs {
struct ShownState;
}

namespace ringside::view {

/// How the viewer stands to the run's agent.
enum class Contact : std::uint8_t {
  kLive,         ///< attached, bytes arrive
  kEnded,        ///< the log says how the run ended
  kInterrupted,  ///< the agent is gone and the log does not say how the run ended
  kLost,         ///< the agent lives but has not been heard for a while
  kReplay,
};

/// A run that the open one can be compared with.
struct BaselineOffer {
  std::string id;
  std::string label;  ///< "#983, 1 rank, 33:38"
  bool operator==(const BaselineOffer&) const = default;
};

struct RunContext {
  std::string id;
  int number = 0;  ///< of the catalogue; 0: none, the id's tail is shown
  Contact contact = Contact::kEnded;
  std::string ended_as;  ///< "stopped": as the list of runs shows its end; empty: as the log says
  double replay_speed = 1;
  bool replaying = false;     ///< opened as a replay, whether it has come to its end or not
  double replay_share = 0;    ///< of the run's time that the replay stands at, 0 .. 1
  bool paused = false;        ///< what is shown stands still
  std::uint64_t waiting = 0;  ///< records that came while paused
  std::int64_t now_ns = 0;    ///< on the clock of the model's times; not live: the newest record's
  std::int64_t today_wall_ns = 0;  ///< a moment of today; 0: not known, and no dates are shown
  bool by_file = false;            ///< records come from a file, which may show them late
  std::int64_t behind_ns = 0;      ///< how long a paused view of a live run has stood still
  std::uint64_t log_bytes = 0;
  std::uint64_t log_skipped_bytes = 0;  ///< damaged parts of the log
  std::uint64_t log_first_skipped = 0;  ///< where the first of them is
  std::vector<Node> missing_logs;       ///< nodes whose logs are not in the folder
  bool ours = true;                     ///< stop is possible
  bool here = true;  ///< its agent, and so the processes of its node's ranks, are of this machine
  std::string machine;           ///< "ssh://box": where it runs; empty: its files tell
  std::int64_t cut_wall_ns = 0;  ///< since when that machine cannot be reached; 0: it can
  std::string queued;  ///< what it waits for: "behind run #3 (rank pids 4713, 4714) on GPU 0, ..."
  std::string unreadable;              ///< why (the rest of) the run cannot be read; empty: it can
  std::string log_problem;             ///< why the agent cannot write its log; empty: it can
  analysis::RuleSet rules_off;         ///< alerts that nobody wants to see
  std::vector<std::string> dismissed;  ///< keys of alerts that were dismissed
  std::vector<BaselineOffer> baselines;  ///< newest first
  std::string baseline_of;               ///< "#12": a run that is compared with this one; or empty
  std::shared_ptr<const launch::NamedPreset> preset;  ///< where its settings came from; may be null
  std::shared_ptr<const analysis::LinkProbe> probe;   ///< of its devices; may be null

  /// Whether the view is paused while the run may go on.
  bool held() const {
    return paused && !replaying && (contact == Contact::kLive || contact == Contact::kLost);
  }
};

/// The state of a run that is not replayed.
void set_state(RunContext& context, const runs::ShownState& state, const model::RunModel& model);

/// The run compared with; the model may be null (named but not readable).
struct BaselineContext {
  const model::RunModel* model = nullptr;
  std::string id;
  int number = 0;
  bool operator==(const BaselineContext&) const = default;
};

/// The time up to which it is known what the ranks did: now, or the newest record where that may be
/// late.
std::int64_t known_until_ns(const model::RunModel& model, const RunContext& context);

/// "#1042", or the last part of the id where there is no number.
std::string run_label(int number, const std::string& id);

/// The words under which a run is shown: name, and "128 per GPU × 4 = 512 global · DDP · NCCL ·
/// fp32".
std::string run_title(const model::RunModel& model);
std::string batch_line(const model::RunModel& model);
/// "GPU" or "rank", by what the run runs on.
bool on_gpus(const model::RunModel& model);

namespace label {
/// Shown beside charts and tables of a program that sends no telemetry.
inline constexpr const char* kOutputIsInLog = "What it prints is in the log.";
}  // namespace label

/// Why nothing but processes and output is seen of a person's own program, and what to add to it;
/// empty: its ranks speak, or they may still begin to, or it is our trainer.
std::string unseen_program(const model::RunModel& model);

/// Why a person's own program ended without a step; for a run that finished and shows none.
std::string why_no_steps(const model::RunModel& model);

}  // namespace ringside::view
