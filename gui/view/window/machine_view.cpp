#include "gui/view/window/machine_view.h"

#include <algorithm>

#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

constexpr std::string_view kScheme = "ssh://";
constexpr const char* kMachineShown = "shown";

/// Adds the prefix "ssh://", which people may omit.
std::string whole_name(std::string_view typed) {
  const std::size_t begin = typed.find_first_not_of(' ');
  if (begin == typed.npos) return {};
  typed.remove_prefix(begin);
  typed.remove_suffix(typed.size() - 1 - typed.find_last_not_of(' '));
  return typed.starts_with(kScheme) ? std::string(typed) : std::string(kScheme).append(typed);
}

}  // namespace

std::string short_name(std::string_view name) {
  if (name.starts_with(kScheme)) name.remove_prefix(kScheme.size());
  return std::string(name);
}

MachineView build_machine_view(const MachineFacts& facts) {
  MachineView view;
  std::string state;
  if (!facts.elsewhere()) {
    view.word = label::kThisMachineRuns;
    view.hint = "The runs of this machine. ";
  } else {
    view.word = short_name(facts.name);
    switch (facts.contact) {
      case MachineContact::kConnecting:
        view.aside = state = "connecting";
        view.shape = Shape::kRing;
        view.tone = Tone::kInfo;
        break;
      case MachineContact::kThere:
        state = "connected";
        view.shape = Shape::kDot;
        view.tone = Tone::kOk;
        break;
      case MachineContact::kLost:
        view.aside = state = "cut since " + wall_clock_text(facts.lost_wall_ns).substr(0, 8);
        view.shape = Shape::kStruckRing;
        view.tone = Tone::kWarning;
        break;
      case MachineContact::kFailed:
        view.aside = state = "not connected";
        view.shape = Shape::kCross;
        view.tone = Tone::kError;
        break;
    }
    view.hint = "The runs of " + facts.name + ": " + state + ". ";
    if (!facts.problem.empty()) view.hint += facts.problem + ". ";
    if (facts.contact == MachineContact::kFailed) view.hint += "Choose it once more to try again. ";
  }
  view.hint += "Another machine: Ctrl M";
  return view;
}

std::string elsewhere_text(const MachineFacts& facts, std::string_view what) {
  if (!facts.elsewhere()) return {};
  const std::string things(what);
  switch (facts.contact) {
    case MachineContact::kConnecting:
      return "Connecting to " + facts.name + "…";
    case MachineContact::kThere:
      return facts.listed ? "No " + things + " yet on " + facts.name + "."
                          : "Reading the " + things + " of " + facts.name + "…";
    case MachineContact::kLost:
      return "Lost contact with " + facts.name + "; trying again.";
    case MachineContact::kFailed:
      break;
  }
  return facts.problem;
}

std::vector<PaletteEntry> machine_entries(const MachineFacts& facts, std::string_view typed) {
  std::vector<PaletteEntry> entries{
      {label::kThisMachineRuns, facts.elsewhere() ? "" : kMachineShown, SelectMachine{}}};
  std::vector<std::string> names(facts.known.begin(), facts.known.end());
  if (facts.elsewhere() && std::find(names.begin(), names.end(), facts.name) == names.end())
    names.insert(names.begin(), facts.name);
  for (const std::string& name : names)
    entries.push_back(
        {short_name(name), name == facts.name ? kMachineShown : "", SelectMachine{name}});
  entries = matching(entries, typed);
  const std::string whole = whole_name(typed);
  if (!whole.empty() && std::find(names.begin(), names.end(), whole) == names.end())
    entries.push_back({"Connect to " + whole, "", SelectMachine{whole}});
  return entries;
}

std::string machines_note(const MachineFacts& facts) {
  const std::string typed =
      "[user@]host[:port], as behind `ssh`; keys and jump hosts are ssh's own.";
  return facts.known.empty()
             ? "~/.ssh/config names no Host yet, and none was used lately. Type one: " + typed
             : "Those used lately, then the Hosts of ~/.ssh/config. Any other: " + typed;
}

}  // namespace ringside::view
