// The choice of where the next run or study is started: the machine that the window shows, or
// another place there, such as Slurm or an allocation, with its options. A value; changed by its
// own functions only, from one thread. The views are pure.
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
  /// Common prefix of the keys of its fields in EditField and EditStudy.
  static constexpr std::string_view kKeys = "slurm.";

  void edit(const std::string& key, const std::string& text);
  /// Whether this edit chooses another machine, which the window is then to show.
  static bool asks_for_machine(const EditField& edit);
  bool on() const { return on_; }
  /// The place other than the machine, without options; never null.
  const place::PlacePtr& there() const { return there_; }
  /// Sets that place. If its programs do not respond, their previous answers are kept.
  void set_there(place::PlacePtr there);
  /// Sets the machine's name as people write it, if it is not this machine.
  void set_machine(std::string name) { machine_ = std::move(name); }
  /// Chooses that place with these options in its fields, which are those of existing jobs.
  void set_options(launch::Typed options);
  /// The machine, or that place with its options. Returns a bad request with the reason if the
  /// options are invalid.
  Result<place::PlacePtr> chosen() const;
  /// The options as typed; nothing if the machine is chosen.
  std::optional<launch::Typed> typed() const;
  /// The same as options of `ringside run` or `ringside sweep`.
  std::vector<std::string> words() const;

  /// The choice, followed by the fields of the chosen place. A study sets its nodes itself, and an
  /// existing study keeps its place.
  FormSection section(bool of_study = false) const;
  /// Compares places by what people see, since a place that is queried again is another object.
  bool operator==(const SlurmForm& other) const;

 private:
  FieldView choice(const place::Offer& offer, bool with_machines) const;
  bool on_ = false;
  std::string machine_ = label::kThisMachine;
  launch::Typed typed_;
  place::PlacePtr there_ = place::remote_place();
};

/// Replaces what the page shows of this machine by what it shows of a run at that place. `argv`:
/// the command that would start it there; empty: unknown yet.
void show_slurm(const SlurmForm& form, const LaunchForm& settings,
                std::span<const std::string> argv, bool busy, LaunchView& view);

}  // namespace ringside::view
