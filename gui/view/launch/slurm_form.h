// Where the next run or study goes: the machine that the window shows, or Slurm there with what is
// asked of it; in a window that was started inside an allocation, that one. A value; changed by its
// own functions only, from one thread. The views are pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/slurm/allocation.h"
#include "gui/slurm/options.h"
#include "gui/view/command.h"
#include "gui/view/launch/launch_view.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kWhere = "Where it runs";
inline constexpr const char* kThisMachine = "This machine";
inline constexpr const char* kSlurm = "Slurm";
inline constexpr const char* kAnotherMachine = "By ssh…";
inline constexpr const char* kSlurmDevices = "Slurm chooses the nodes and their devices.";
}  // namespace label

class SlurmForm {
 public:
  /// Keys of its fields, as EditField and EditStudy have them, begin so.
  static constexpr std::string_view kKeys = "slurm.";

  void edit(const std::string& key, const std::string& text);
  /// A person wants to choose another machine, which the window shows then.
  static bool asks_for_machine(const EditField& edit);
  bool on() const { return on_; }
  /// The allocation in which the window was started; nothing: in none, and Slurm gets jobs.
  const std::optional<slurm::Allocation>& allocation() const { return allocation_; }
  /// Sets the allocation. While Slurm does not answer, what it reported before is kept.
  void set_allocation(std::optional<slurm::Allocation> allocation);
  /// Names the machine as people write it; where the window shows another one than this.
  void set_machine(std::string name) { machine_ = std::move(name); }
  /// Slurm, with these in its fields: those of jobs that are there.
  void set_options(const slurm::Options& options);
  /// "Slurm", "Slurm job 12"
  std::string place() const;
  /// The options for devices of this kind; inside an allocation with what it has. A bad request:
  /// Slurm cannot be asked like this, and why.
  Result<slurm::Options> asked(const std::string& kind) const;
  /// As they are typed, a number that is none left out; nothing while it is not Slurm.
  std::optional<slurm::Options> typed() const;
  /// The same as words behind `ringside run` or `ringside sweep`.
  std::vector<std::string> words() const;

  /// The place, and after it Slurm's fields if it is Slurm. A study sets its nodes itself, and an
  /// existing study has its place.
  FormSection section(bool of_study = false) const;
  bool operator==(const SlurmForm&) const = default;

 private:
  std::string text(const std::string& key) const;
  FieldView choice(bool with_machines) const;
  bool on_ = false;
  std::string machine_ = label::kThisMachine;
  std::map<std::string, std::string> typed_;
  std::optional<slurm::Allocation> allocation_;
};

/// What the page shows of a run that goes to Slurm, over what it would show of this machine.
/// `argv`: what sbatch would get, or what would start the steps; empty: not known yet.
void show_slurm(const SlurmForm& form, const LaunchForm& settings,
                std::span<const std::string> argv, bool busy, LaunchView& view);

}  // namespace ringside::view
