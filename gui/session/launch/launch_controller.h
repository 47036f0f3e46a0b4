// The Launch place behind the form: what the machine offers, presets, earlier runs that can be the
// baseline, and the preflight, which is looked at again whenever the form changes. Main thread;
// slow parts are jobs.
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
  /// `elsewhere`: the machine on which runs are started; nothing: this one.
  LaunchController(std::filesystem::path runs_dir, Jobs& jobs,
                   std::optional<OtherMachine> elsewhere = {});
  /// Programs that are being asked for their version are not waited for.
  ~LaunchController();
  LaunchController(const LaunchController&) = delete;
  LaunchController& operator=(const LaunchController&) = delete;

  /// Fills the form; an error is shown by the caller.
  Result<void> select_preset(const std::string& name, bool quick = false);
  void apply(const view::FormCommand& command);
  void use_as_baseline(const std::string& id);
  /// Fills the form with those of an earlier run; one of a program of the person's own becomes
  /// that kind of run.
  void use_settings(messages::RunSpec spec);
  /// The next run goes to Slurm, into this partition.
  void choose_partition(const std::string& name);
  /// The file becomes the program of the next run.
  void choose_script(const std::string& path);
  view::RunKind kind() const { return next_.kind(); }
  /// The machine submits jobs, or is inside an allocation; of another one once it was asked.
  bool has_slurm() const { return offers_.has_slurm; }

  /// Asks the machine, in the background; once more where it is being asked already.
  void look_at_machine();
  void set_runs(const std::vector<runs::RunSummary>& runs);

  /// Starts a preflight when the form or the machine changed. True when something shown has
  /// changed.
  bool update();
  /// When it wants to be updated though nothing happens: who types is waited for.
  double next_update_s() const;
  /// Plans and starts what the form describes; `started` or `failed` is called on the main thread.
  /// One at a time: while one is being started nothing happens.
  void launch(std::function<void(const launch::Started&)> started,
              std::function<void(const Error&)> failed);
  /// What others do on this machine may have changed.
  void look_again() { inputs_changed(); }

  void fill(view::LaunchInput& input) const;

 private:
  /// What the machine said of itself.
  struct Offers {
    launch::Machine machine;
    std::vector<launch::ProgramAnswer> programs;
    view::MachineSummary summary;
    std::string problem;  ///< why its devices are not known
    bool known = false;   ///< it was asked
    bool wanted = false;  ///< it is to be asked
    bool has_slurm = false;
  };
  void inputs_changed();
  void form_changed();
  /// The form waits for what the person's Accelerate says, and nobody asks it yet.
  bool wants_accelerate() const;
  void ask_accelerate();
  void ask_machine_again();
  void take_machine(const Result<SeenMachine>& seen);
  void ask_allocation();
  /// Other machines and programs are not asked with every letter that is typed.
  double quiet_left_s() const;
  /// The checks are of what was before.
  bool is_due() const;
  void start_preflight();
  void take(Preflight found, std::uint64_t of);
  /// The run that the form describes.
  WantedRun wanted_run() const;
  /// Probes the links of the chosen devices; Preflight shows that it goes on, and what it found.
  void probe();

  std::filesystem::path runs_dir_;
  Jobs& jobs_;
  std::optional<OtherMachine> elsewhere_;
  std::vector<view::PresetChoice> presets_;
  NextRun next_;
  Offers offers_;
  std::vector<launch::EarlierRun> earlier_;     ///< newest first
  std::vector<view::BaselineChoice> finished_;  ///< those of them with one rank, as shown
  std::vector<view::RecentScript> recent_scripts_;
  Preflight preflight_;
  std::string problem_;
  std::string probe_problem_;
  std::shared_ptr<std::atomic<bool>> probe_cancelled_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<std::atomic<bool>> leaving_ = std::make_shared<std::atomic<bool>>(false);
  std::uint64_t revision_ = 1;   ///< of what is shown
  std::uint64_t shown_ = 0;      ///< revision that update() told of
  std::uint64_t inputs_ = 1;     ///< of form, machine and earlier runs
  std::uint64_t checked_ = 0;    ///< inputs the preflight belongs to
  std::int64_t changed_ns_ = 0;  ///< monotonic; when the inputs were new
};

}  // namespace ringside::session
