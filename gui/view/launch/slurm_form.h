// The choice where the next run or study goes: the machine that the window shows, or a place beside
// it, such as Slurm or an allocation, with what is asked of that. A value; changed by its own
// functions only, from one thread. The views are pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/place/places.h"
#include "gui/view/command.h"
#include "gui/view/launch/launch_view.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kWhere = "Where it runs";
inline constexpr const char* kThisMachine = "This machine";
inline constexpr const char* kAnotherMachine = "By ssh…";
}  // namespace label

class SlurmForm {
 public:
  /// Keys of its fields, as EditField and EditStudy have them, begin so.
  static constexpr std::string_view kKeys = "slurm.";

  void edit(const std::string& key, const std::string& text);
  /// A person wants to choose another machine, which the window shows then.
  static bool asks_for_machine(const EditField& edit);
  bool on() const { return on_; }
  /// The place beside the machine, without options; never null.
  const place::PlacePtr& there() const { return there_; }
  /// Sets it. While its programs do not answer, what they said of it before is kept.
  void set_there(place::PlacePtr there);
  /// Names the machine as people write it; where the window shows another one than this.
  void set_machine(std::string name) { machine_ = std::move(name); }
  /// Chooses that place, with these in its fields: those of jobs that are there.
  void set_options(launch::Typed options);
  /// The machine, or that place with its options. A bad request: it cannot be asked like this, and
  /// why.
  Result<place::PlacePtr> chosen() const;
  /// The options as they are typed; nothing while it is the machine.
  std::optional<launch::Typed> typed() const;
  /// The same as words behind `ringside run` or `ringside sweep`.
  std::vector<std::string> words() const;

  /// The choice, and after it the fields of the place that is chosen. A study sets its nodes
  /// itself, and an existing study has its place.
  FormSection section(bool of_study = false) const;
  /// The place counts as people see it: asked again it is another object.
  bool operator==(const SlurmForm& other) const;

 private:
  FieldView choice(const place::Offer& offer, bool with_machines) const;
  bool on_ = false;
  std::string machine_ = label::kThisMachine;
  launch::Typed typed_;
  place::PlacePtr there_ = place::offered_far();
};

/// What the page shows of a run that goes to that place, over what it would show of this machine.
/// `argv`: what would start it there; empty: not known yet.
void show_slurm(const SlurmForm& form, const LaunchForm& settings,
                std::span<const std::string> argv, bool busy, LaunchView& view);

}  // namespace ringside::view
