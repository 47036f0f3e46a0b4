// Texts about the machine whose runs the window shows: its button, its sheet, and pages that are
// still empty. Pure.
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
  std::string name;  ///< "ssh://box"; empty: this machine
  MachineContact contact = MachineContact::kConnecting;
  bool listed = false;                   ///< its runs and studies are known here
  std::string problem;                   ///< what is wrong, as a sentence; empty: nothing
  std::int64_t lost_wall_ns = 0;         ///< when the connection was lost
  std::span<const std::string> known{};  ///< names of the machines that can be chosen

  bool elsewhere() const { return !name.empty(); }
};

struct MachineView {
  std::string word;   ///< "This machine", "box"
  std::string aside;  ///< an unusual state: "connecting", "cut since 14:32:07"
  Shape shape = Shape::kNone;
  Tone tone = Tone::kDim;
  std::string hint;  ///< shown under the mouse
};
/// Returns "box" for "ssh://box".
std::string short_name(std::string_view name);
MachineView build_machine_view(const MachineFacts& facts);

/// Returns the text that replaces "No runs yet" and the like on the pages of another machine; empty
/// for this machine. `what`: "runs", "studies".
std::string elsewhere_text(const MachineFacts& facts, std::string_view what);

/// Returns entries for this machine, the known ones, and the typed address if it is none of them.
std::vector<PaletteEntry> machine_entries(const MachineFacts& facts, std::string_view typed);
/// Returns the note below the entries, which says what can be typed.
std::string machines_note(const MachineFacts& facts);

}  // namespace ringside::view
