// Where the next run goes: this machine, or Slurm with what is asked of it. A value; changed by its
// own functions only, from one thread. The views are pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/slurm/options.h"
#include "gui/view/launch/launch_view.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kWhere = "Where it runs";
inline constexpr const char* kThisMachine = "This machine";
inline constexpr const char* kSlurm = "Slurm";
inline constexpr const char* kSlurmDevices = "Slurm chooses the nodes and their devices.";
}  // namespace label

class SlurmForm {
 public:
  /// Keys of its fields, as EditField has them, begin so.
  static constexpr std::string_view kKeys = "slurm.";

  void edit(const std::string& key, const std::string& text);
  bool on() const { return on_; }
  /// As asked for; of fields in error nothing.
  slurm::Options options() const;
  /// Why sbatch cannot be asked like this; empty: it can.
  std::string problem() const;

  /// The choice, and behind it the fields where it is Slurm.
  FormSection section() const;

 private:
  std::string text(const std::string& key) const;
  bool on_ = false;
  std::map<std::string, std::string> typed_;
};

/// What the page shows of a run that goes to Slurm, over what it would show of this machine.
/// `argv`: what sbatch would get; empty: not known yet.
void show_slurm(const SlurmForm& form, const LaunchForm& settings,
                std::span<const std::string> argv, bool busy, LaunchView& view);

}  // namespace ringside::view
