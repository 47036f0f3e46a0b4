// The command palette: all currently possible actions, found by typing part of their name. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/command.h"
#include "gui/view/launch/launch_form.h"
#include "gui/view/manual/manual_places.h"
#include "gui/view/runs/compare_charts.h"
#include "gui/view/runs/runs_view.h"
#include "gui/view/scaling/study_facts.h"
#include "gui/view/window/machine_board.h"

namespace ringside::view {

/// Titles that tests and other files refer to.
namespace label {
inline constexpr const char* kGoToLaunch = "Go to Launch";
inline constexpr const char* kGoToLive = "Go to Live";
inline constexpr const char* kGoToScaling = "Go to Scaling";
inline constexpr const char* kGoToSampler = "Go to Sampler";
inline constexpr const char* kGoToRuns = "Go to Runs";
inline constexpr const char* kGoToTimeline = "Go to Timeline";
inline constexpr const char* kGoToMachines = "Go to Machines";
inline constexpr const char* kAskMachines = "Ask all machines what goes on there";
inline constexpr const char* kLaunchWhereFree = "Launch where it is first free";
inline constexpr const char* kNewStudyEntry = "New study…";
inline constexpr const char* kStopRun = "Stop the run…";
inline constexpr const char* kPauseDisplay = "Pause the display";
inline constexpr const char* kExportCsv = "Export CSV";
inline constexpr const char* kExportTensorBoard = "Export TensorBoard files";
inline constexpr const char* kExportHtml = "Export an HTML report";
inline constexpr const char* kProfileRun = "Profile 3 steps of the run in all ranks";
inline constexpr const char* kExportTrace = "Export a trace for Perfetto";
inline constexpr const char* kSaveLossPng = "Save the loss chart as PNG";
inline constexpr const char* kSaveLossSvg = "Save the loss chart as SVG";
inline constexpr const char* kExportMarked = "Export the marked runs…";
inline constexpr const char* kReplaySelected = "Replay the selected run";
inline constexpr const char* kShowAllRanks = "Show all ranks";
inline constexpr const char* kMachineEntry = "Machine: ";
inline constexpr const char* kMachinesEntry = "Choose the machine whose runs are shown…";
inline constexpr const char* kWatchEntry = "Watch a folder that another tool writes…";
inline constexpr const char* kThisOne = "this one";
inline constexpr const char* kPresetQuick = "Preset at quick scale: ";
inline constexpr const char* kLightTheme = "Light theme";
inline constexpr const char* kQuit = "Quit (runs continue)";
inline constexpr const char* kKeys = "Keyboard shortcuts";
inline constexpr const char* kHelpEntry = "Help with what is shown";
inline constexpr const char* kHelpTopic = "Help: ";
inline constexpr const char* kExplain = "What is: ";
inline constexpr const char* kCompareEntry = "Compare: ";
}  // namespace label

struct PaletteEntry {
  std::string title;
  std::string keys;  ///< keys with the same effect; empty: none
  Command command;
  const char* also = "";  ///< other words by which it is found
};

/// Facts that decide which entries are offered.
struct PaletteFacts {
  Page page = Page::kLaunch;
  bool light = false;
  bool has_run = false;
  bool can_stop = false;
  bool can_resume = false;
  std::vector<Rank> ranks;  ///< ranks that may be alive on this machine
  bool paused = false;
  bool replaying = false;
  bool logarithmic = false;
  bool plan = false;  ///< the charts extend to the planned end
  int smoothing = 0;
  std::string selected;             ///< id of the run that is selected in the list
  std::vector<std::string> marked;  ///< ids of the runs that are marked there
  std::string sampled;              ///< id of the run whose samples are shown; empty: none
  std::string study;                ///< study that Scaling shows; empty: none
  std::array<bool, static_cast<std::size_t>(Dock::kCount)> closed{};
  std::span<const PresetChoice> presets;
  std::span<const StudyName> studies;  ///< ready-made ones
  std::span<const RunSummary> runs;
  ComparedRuns compared;                   ///< the marked runs whose files have been read
  CompareChoice compare;                   ///< how they are drawn
  std::string machine;                     ///< machine whose runs these are; empty: this one
  std::span<const std::string> machines;   ///< machines that can be chosen
  std::optional<FreePlace> room;           ///< where the next run can start; empty: nowhere
  ManualPlace help;                        ///< manual section of the current page or sheet
  const manual::Manual* manual = nullptr;  ///< null: not read yet
};

/// Returns the menu of a rank's row. `stack`: the rank may be alive on this machine.
std::vector<PaletteEntry> rank_entries(Rank rank, bool stack);

std::vector<PaletteEntry> palette_entries(const PaletteFacts& facts);

/// Returns the entries whose title contains the letters of `typed` in order, the best first: whole
/// words before scattered letters. An empty text returns all entries.
std::vector<PaletteEntry> matching(const std::vector<PaletteEntry>& entries,
                                   std::string_view typed);

/// One line of the sheet of keys.
struct KeyHelp {
  const char* keys;
  const char* what;
};
std::span<const KeyHelp> key_help();

}  // namespace ringside::view
