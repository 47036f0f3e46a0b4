// The state behind the Launch form: the machine's devices, presets, earlier runs that can be the
// baseline, and the preflight, which is repeated whenever the form changes. Main thread; slow parts
// are jobs.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/session/jobs.h"
#include "gui/session/launch/next_run.h"
#include "gui/session/launch/wanted_run.h"
#include "gui/session/machines/machine_controller.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

class LaunchController {
 public:
  /// `elsewhere`: the machine on which runs are started; empty: this one.
  LaunchController(std::filesystem::path runs_dir, Jobs& jobs,
                   std::optional<OtherMachine> elsewhere = {});
  /// Does not wait for programs that are being queried for their version.
  ~LaunchController();
  LaunchController(const LaunchController&) = delete;
  LaunchController& operator=(const LaunchController&) = delete;

  /// Fills the form with a preset; the caller shows any error.
  Result<void> select_preset(const std::string& name, bool quick = false);
  void apply(const view::FormCommand& command);
  void use_as_baseline(const std::string& id);
  /// Fills the form with the settings of an earlier run. A run of a custom program selects that
  /// kind of run.
  void use_settings(messages::RunSpec spec);
  /// Sends the next run to Slurm, into this partition.
  void choose_partition(const std::string& name);
  /// Makes the file the program of the next run.
  void choose_script(const std::string& path);
  /// Whether the machine submits jobs or is inside an allocation; of another machine it is known
  /// after its answer.
  bool has_slurm() const { return offers_.has_slurm; }

  /// Queries the machine in the background; repeats the query if one is already running.
  void look_at_machine();
  void set_runs(const std::vector<runs::RunSummary>& runs);

  /// Starts a preflight when the form or the machine changed. True when something shown has
  /// changed.
  bool update();
  /// Seconds until the next update is due without an event: checks wait until typing pauses.
  double next_update_s() const;
  /// Plans and starts the run of the form; `started` or `failed` is called on the main thread. Does
  /// nothing while another start is in progress.
  void launch(std::function<void(const launch::Started&)> started,
              std::function<void(const Error&)> failed);
  /// Repeats the preflight, since others may have changed the machine's load.
  void look_again() { inputs_changed(); }

  void fill(view::LaunchInput& input) const;

 private:
  /// The last answer of the machine.
  struct Offers {
    launch::Machine machine;
    std::vector<launch::ProgramAnswer> programs;
    view::MachineSummary summary;
    std::string problem;  ///< why the devices are unknown
    bool known = false;   ///< the query has ended
    bool wanted = false;  ///< a query is due
    bool has_slurm = false;
  };
  void inputs_changed();
  void form_changed();
  /// Whether the form needs the configuration of the person's Accelerate and no query for it runs
  /// yet.
  bool wants_accelerate() const;
  void ask_accelerate();
  void ask_machine_again();
  void take_machine(const Result<SeenMachine>& seen);
  void ask_allocation();
  /// Seconds to wait, so that other machines and programs are not queried at each keystroke.
  double quiet_left_s() const;
  /// Whether the checks belong to an earlier state of the form.
  bool is_due() const;
  void start_preflight();
  void take(Preflight found, std::uint64_t of);
  WantedRun wanted_run() const;
  /// Measures the links of the chosen devices; Preflight shows the progress and the result.
  void probe();

  std::filesystem::path runs_dir_;
  Jobs& jobs_;
  std::optional<OtherMachine> elsewhere_;
  std::vector<view::PresetChoice> presets_;
  NextRun next_;
  Offers offers_;
  std::vector<launch::EarlierRun> earlier_;     ///< newest first
  std::vector<view::BaselineChoice> finished_;  ///< choices of a baseline: runs with one rank
  std::vector<view::RecentScript> recent_scripts_;
  Preflight preflight_;
  std::string problem_;
  std::string probe_problem_;
  std::shared_ptr<std::atomic<bool>> probe_cancelled_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<std::atomic<bool>> leaving_ = std::make_shared<std::atomic<bool>>(false);
  std::uint64_t revision_ = 1;   ///< increases when something shown changes
  std::uint64_t shown_ = 0;      ///< last revision that update() reported
  std::uint64_t inputs_ = 1;     ///< increases with form, machine and earlier runs
  std::uint64_t checked_ = 0;    ///< value of `inputs_` at the last preflight
  std::int64_t changed_ns_ = 0;  ///< monotonic time of the last change of inputs
};

}  // namespace ringside::session
