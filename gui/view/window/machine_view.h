// The machine whose runs the window shows: the words of its button, its sheet and of pages that are
// empty meanwhile. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/window/palette.h"
#include "gui/view/words.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kChooseMachine = "Choose a machine";
inline constexpr const char* kMachines = "Machines";
inline constexpr const char* kThisMachineRuns = "This machine";
}  // namespace label

enum class MachineContact : std::uint8_t { kConnecting, kThere, kLost, kFailed };

struct MachineFacts {
  std::string name;  ///< as people write it, "ssh://box"; empty: this one
  MachineContact contact = MachineContact::kConnecting;
  bool listed = false;                   ///< its runs and studies are known here
  std::string problem;                   ///< what is wrong, as a sentence; empty: nothing
  std::int64_t lost_wall_ns = 0;         ///< when it was cut
  std::span<const std::string> known{};  ///< that can be chosen, as people write them

  bool elsewhere() const { return !name.empty(); }
};

struct MachineView {
  std::string word;   ///< "This machine", "box"
  std::string aside;  ///< what is not as usual: "connecting", "cut since 14:32:07"
  Shape shape = Shape::kNone;
  Tone tone = Tone::kDim;
  std::string hint;  ///< under the mouse
};
/// "box" of "ssh://box"
std::string short_name(std::string_view name);
MachineView build_machine_view(const MachineFacts& facts);

/// Text in the place of "No runs yet", or of what else is missing, on the pages of another machine;
/// empty: this one. `what`: "runs", "studies".
std::string elsewhere_text(const MachineFacts& facts, std::string_view what);

/// Entries for this machine, for known ones, and for the typed address if it is not among them.
std::vector<PaletteEntry> machine_entries(const MachineFacts& facts, std::string_view typed);
/// The note below the entries: what can be typed.
std::string machines_note(const MachineFacts& facts);

}  // namespace ringside::view
