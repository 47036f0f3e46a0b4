// The next run as the Launch place describes it: our trainer or a program of the person's own, the
// form of each, and where it goes. A value; changed by its own functions only, from one thread.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "gui/launch/presets.h"
#include "gui/view/launch/script_form.h"
#include "gui/view/launch/slurm_form.h"

namespace ringside::session {

class NextRun {
 public:
  view::RunKind kind() const { return kind_; }
  const view::LaunchForm& form() const;
  /// Null where it is our trainer.
  const view::ScriptForm* script() const;
  /// Settings as the form has them.
  messages::RunSpec spec() const;
  /// What the trainer's form began with; empty: an earlier run, or it is no trainer.
  launch::LoadedPreset preset() const;
  /// There is no command to run yet.
  bool is_missing() const { return script() != nullptr && !script()->missing().empty(); }

  /// Fills the form from a preset at one of its scales.
  Result<void> take_preset(const std::string& name, bool quick);
  /// Fills it with those of an earlier run; one of a program of the person's own becomes that kind.
  void take_settings(messages::RunSpec spec);
  void take_baseline(const std::string& id);
  void choose_script(const std::string& path);
  void take_answer(const launch::AccelerateQuestion& question,
                   const Result<launch::AccelerateAnswer>& answer);
  /// The devices that "the first ones" means there; of a machine that is not known yet: none.
  void settle(const view::MachineSummary& machine);
  /// Takes note of who has its devices by now; those that are selected stay.
  void know(const view::MachineSummary& machine) { machine_ = machine; }

  void edit(const view::EditField& wanted);
  void reset();
  void pick_device(const view::PickDevice& pick) { settings().pick_device(pick.uuid, pick.on); }
  void pick_devices(const view::PickDevices& these) { settings().pick_devices(these.uuids); }
  void set_cpu_ranks(int ranks) { settings().set_cpu_ranks(ranks); }
  /// The devices that were selected stay.
  void select_kind(view::RunKind kind);
  void remove_variable(std::size_t row) { script_.remove_variable(row); }

  view::SlurmForm slurm{};  ///< where it goes

 private:
  view::LaunchForm& settings();
  void follow_launcher(std::optional<std::int64_t> before);
  void settle();

  view::RunKind kind_ = view::RunKind::kTrainer;
  view::LaunchForm trainer_;
  view::ScriptForm script_;
  launch::LoadedPreset preset_;
  std::optional<view::MachineSummary> machine_;
};

}  // namespace ringside::session
