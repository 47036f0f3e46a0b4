// The next run as the Launch page describes it: our trainer or a custom program, the form of each,
// and where the run goes. A value; only its own functions change it, from one thread.
#pragma once

#include <optional>
#include <string>

#include "gui/launch/presets.h"
#include "gui/view/launch/script_form.h"
#include "gui/view/launch/slurm_form.h"

namespace ringside::session {

class NextRun {
 public:
  view::RunKind kind() const { return kind_; }
  const view::LaunchForm& form() const;
  /// The form of a custom program; null for our trainer.
  const view::ScriptForm* script() const;
  /// Settings as entered in the form.
  messages::RunSpec spec() const;
  /// The preset that the trainer's form was filled from; empty: an earlier run, or a custom
  /// program.
  launch::LoadedPreset preset() const;
  /// Whether the command to run is still missing.
  bool is_missing() const { return script() != nullptr && !script()->missing().empty(); }

  /// Fills the form from a preset at one of its scales.
  Result<void> take_preset(const std::string& name, bool quick);
  /// Fills it from an earlier run; the kind (trainer or custom program) becomes that run's.
  void take_settings(messages::RunSpec spec);
  void take_baseline(const std::string& id);
  void choose_script(const std::string& path);
  void take_answer(const launch::AccelerateQuestion& question,
                   const Result<launch::AccelerateAnswer>& answer);
  /// Resolves "the first devices" on that machine; to none while the machine is not known.
  void settle(const view::MachineSummary& machine);
  /// Updates which devices are in use; the selected devices stay selected.
  void know(const view::MachineSummary& machine) { machine_ = machine; }

  void edit(const view::EditField& wanted);
  void reset();
  void pick_device(const view::PickDevice& pick) { settings().pick_device(pick.uuid, pick.on); }
  void pick_devices(const view::PickDevices& these) { settings().pick_devices(these.uuids); }
  void set_cpu_ranks(int ranks) { settings().set_cpu_ranks(ranks); }
  /// Selects the kind of run; the selected devices stay selected.
  void select_kind(view::RunKind kind);
  void remove_variable(std::size_t row) { script_.remove_variable(row); }

  view::SlurmForm slurm{};  ///< where the run goes

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
