// Facts that a viewer has about an open run besides its records: its number, whether its agent can
// be reached, the time. Plain data, filled by the session once per frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/analysis/alerts/alerts.h"
#include "gui/analysis/scaling/link_probe.h"
#include "gui/model/run_model_fwd.h"
#include "gui/runs/chart_note.h"

namespace ringside::launch {
struct NamedPreset;
}
namespace ringside::messages {
struct RunSpec;
}
namespace ringside::runs {
struct ShownState;
}

namespace ringside::view {

/// The viewer's contact with the run's agent.
enum class Contact : std::uint8_t {
  kLive,         ///< attached, bytes arrive
  kEnded,        ///< the log says how the run ended
  kInterrupted,  ///< the agent is gone and the log does not say how the run ended
  kLost,         ///< the agent lives but has not responded for a while
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
  int number = 0;      ///< number in the catalogue; 0: none, and the end of the id is shown
  std::string name{};  ///< given by a person; empty: that of the settings
  std::vector<runs::ChartNote> notes;  ///< written by a person at steps of the run
  bool takes_notes = false;            ///< its labels can be written here
  std::size_t newer = 0;               ///< number of newer runs in the list
  Contact contact = Contact::kEnded;
  std::string ended_as;  ///< "stopped": its end as in the list of runs; empty: as in the log
  double replay_speed = 1;
  bool replaying = false;     ///< opened as a replay, even if that has reached its end
  double replay_share = 0;    ///< position of the replay as a share of the run's time, 0 .. 1
  bool paused = false;        ///< the view does not advance
  std::uint64_t waiting = 0;  ///< records that arrived while paused
  /// On the clock of the model's times; not live: time of the newest record.
  std::int64_t now_ns = 0;
  std::int64_t today_wall_ns = 0;  ///< a moment of today; 0: unknown, and no dates are shown
  bool by_file = false;            ///< records come from a file, which may delay them
  std::int64_t behind_ns = 0;      ///< how long a paused view of a live run has been paused
  std::uint64_t log_bytes = 0;
  std::uint64_t log_skipped_bytes = 0;  ///< damaged parts of the log
  std::uint64_t log_first_skipped = 0;  ///< offset of the first damaged part
  std::vector<Node> missing_logs;       ///< nodes whose logs are missing in the folder
  bool ours = true;                     ///< a stop is possible
  bool here = true;     ///< its agent, and so the ranks of the agent's node, are on this machine
  std::string machine;  ///< "ssh://box": host of the run; empty: it is in the run's files
  std::int64_t cut_wall_ns = 0;  ///< when the connection to that machine was lost; 0: connected
  std::string queued;  ///< why it waits: "behind run #3 (rank pids 4713, 4714) on GPU 0, ..."
  /// Why (the rest of) the run cannot be read; empty: no problem.
  std::string unreadable;
  std::string log_problem;               ///< why the agent cannot write its log; empty: no problem
  analysis::RuleSet rules_off;           ///< alerts that are switched off
  std::vector<std::string> dismissed;    ///< keys of dismissed alerts
  std::vector<BaselineOffer> baselines;  ///< newest first
  std::string baseline_of;               ///< "#12": a run that is compared with this one; or empty
  std::shared_ptr<const launch::NamedPreset> preset;  ///< the preset of its settings; may be null
  std::shared_ptr<const analysis::LinkProbe> probe;   ///< probe of its devices; may be null

  /// Whether the view is paused while the run may continue.
  bool held() const {
    return paused && !replaying && (contact == Contact::kLive || contact == Contact::kLost);
  }
};

/// Sets the state of a run that is not replayed.
void set_state(RunContext& context, const runs::ShownState& state, const model::RunModel& model);

/// The run that this one is compared with; the model is null if it is named but cannot be read.
struct BaselineContext {
  const model::RunModel* model = nullptr;
  std::string id;
  int number = 0;
  bool operator==(const BaselineContext&) const = default;
};

/// The time up to which the activity of the ranks is known: now, or the newest record if records
/// may be delayed.
std::int64_t known_until_ns(const model::RunModel& model, const RunContext& context);

/// "#1042", or the end of the id if the run has none.
std::string run_label(int number, const std::string& id);

/// The title of a run: its name, and "128 per GPU × 4 = 512 global · DDP · NCCL · fp32".
std::string run_title(const model::RunModel& model);
std::string batch_line(const model::RunModel& model);
/// "Rank 1 sleeps 10 ms in backward, from step 101 on": the fault that the settings ask for; empty:
/// none.
std::string injected_text(const messages::RunSpec& spec);
/// Whether the run uses GPUs, so that a device is called "GPU" and not "rank".
bool on_gpus(const model::RunModel& model);

namespace label {
/// The chip of a run whose settings ask for a fault.
inline constexpr const char* kInjected = "injected";
/// Shown beside charts and tables of a program that sends no telemetry.
inline constexpr const char* kOutputIsInLog = "What it prints is in the log.";
}  // namespace label

/// Why only processes and output of a custom program are seen, and what to add to it; empty: its
/// ranks send telemetry or still may, or it is our trainer.
std::string unseen_program(const model::RunModel& model);

/// Why a custom program ended without a step; for a finished run that has none.
std::string why_no_steps(const model::RunModel& model);

}  // namespace ringside::view
