#include "gui/view/window/palette.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "gui/manual/manual.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/experiment/experiment_view.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/stack_view.h"
#include "gui/view/manual/terms.h"
#include "gui/view/sampler/sampler_view.h"
#include "gui/view/scaling/tries.h"
#include "gui/view/scaling/waterfall_view.h"
#include "gui/view/window/sheet_labels.h"
#include "gui/view/window/top_bar.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

using Entries = std::vector<PaletteEntry>;

void add_run_entries(const PaletteFacts& facts, Entries& entries) {
  if (!facts.has_run) return;
  if (facts.can_stop) {
    entries.push_back({label::kStopRun, "Ctrl Shift S", AskStop{true}});
    entries.push_back({label::kProfileRun, "", ProfileRun{}});
    entries.push_back(
        {facts.paused ? label::kBackToLive : label::kPauseDisplay, "P", Pause{!facts.paused}});
  } else if (facts.replaying) {
    entries.push_back(
        {facts.paused ? "Continue the replay" : "Pause the replay", "P", Pause{!facts.paused}});
    entries.push_back({"Replay from the start", "", SeekReplay{0}});
  }
  if (!facts.ranks.empty()) entries.push_back({label::kAllStacks, "", AskStack{}});
  for (const Rank rank : facts.ranks) entries.push_back({stack_entry(rank), "", AskStack{rank}});
  if (facts.can_resume)
    entries.push_back({"Resume the run from its checkpoint", "", ResumeRun{}, "continue"});
  entries.push_back({label::kWaterfallSheet, "W", ShowWaterfall{}});
  entries.push_back({label::kTry, "Y", ShowTries{}});
  entries.push_back({label::kExperimentSheet, "U", ShowExperiment{}});
  entries.push_back({label::kExport, "Ctrl E", AskExport{}});
  entries.push_back({label::kExportCsv, "", ExportRun{}});
  entries.push_back({label::kExportTensorBoard, "", ExportRun{{}, ExportKind::kTensorBoard}});
  entries.push_back({label::kExportHtml, "", ExportRun{{}, ExportKind::kHtml}});
  entries.push_back({label::kExportTrace, "", ExportRun{{}, ExportKind::kTrace}});
  entries.push_back({"Open the folder of the run", "", OpenFolder{}});
  // The PNG is captured from the screen; SVG files are drawn separately.
  if (facts.page == Page::kLive)
    entries.push_back({label::kSaveLossPng, "", SaveImage{"loss", false, ""}});
  entries.push_back({label::kSaveLossSvg, "", SaveImage{"loss", true, ""}});
  entries.push_back({"Save the accuracy chart as SVG", "", SaveImage{"accuracy", true, ""}});
  entries.push_back({"Save the step time chart as SVG", "", SaveImage{"step_time", true, ""}});
  entries.push_back({"Use this run as the baseline", "", SetBaseline{}});
}

void add_chart_entries(const PaletteFacts& facts, Entries& entries) {
  if (!facts.has_run) return;
  for (const XAxis axis : {XAxis::kStep, XAxis::kEpoch, XAxis::kTime, XAxis::kSamples})
    entries.push_back({std::string("x axis: ") + name_of(axis), "X", SetXAxis{axis}});
  entries.push_back({facts.logarithmic ? "Loss on a linear scale" : "Loss on a logarithmic scale",
                     "G", SetLogScale{!facts.logarithmic}});
  entries.push_back({facts.plan ? "x axis: what was trained" : "x axis: up to the planned end",
                     "Shift X", SetPlan{!facts.plan}});
  for (const int steps : kSmoothings) {
    if (steps != facts.smoothing)
      entries.push_back({"Smoothing: " + smoothing_text(steps), "S", SetSmoothing{steps}});
  }
  entries.push_back({label::kShowWholeRun, "Home", WholeRun{}});
  entries.push_back({"Go to the next event", "E", NextEvent{}});
  entries.push_back({label::kNoteEntry, "N", AskNote{}});
  entries.push_back({"Dismiss all alerts", "", DismissAlerts{}});
  entries.push_back({"Baseline on or off", "B", ToggleBaseline{}});
  entries.push_back({label::kShowAllRanks, "Alt A", ShowAllRanks{}});
}

void add_sampler_entries(const PaletteFacts& facts, Entries& entries) {
  if (facts.page != Page::kSampler || facts.sampled.empty()) return;
  for (const std::int64_t samples : kSamplesPerCell)
    entries.push_back(
        {"Samples per cell: " + std::to_string(samples), "+ −", SetSamplesPerCell{samples}});
  entries.push_back({"Sampler: go to the first sample", "Home", ScrollSamples{0}});
  entries.push_back({"Sampler: show the newest epochs", "", ScrollEpochs{}});
  entries.push_back({"Sampler: first samples of the newest epoch", "", PickEpoch{}});
  entries.push_back({"Sampler: show the open run", "", ShowSamplesOf{}});
  entries.push_back({"Sampler: fix set_epoch for the next launch", "", FixSampling{facts.sampled}});
  entries.push_back({"Sampler: export the shards as CSV", "",
                     ExportRun{{facts.sampled}, ExportKind::kCsv, {"shards"}}});
}

void add_study_entries(const PaletteFacts& facts, Entries& entries) {
  if (facts.page != Page::kScaling || facts.study.empty()) return;
  const std::string name = "Study " + facts.study + ": ";
  entries.push_back({name + "published and measured", "U", ShowExperiment{}});
  entries.push_back({name + "delete, keep its runs", "Delete", TrashStudy{facts.study, false}});
  entries.push_back({name + "delete with its runs", "", TrashStudy{facts.study, true}});
}

/// Adds the actions of Compare's keys and switches.
void add_compare_entries(const PaletteFacts& facts, Entries& entries) {
  if (facts.page != Page::kRuns || facts.compared.size() < 2) return;
  const auto offer = [&](const std::string& title, const char* keys, auto&& change) {
    CompareChoice wanted = facts.compare;
    change(wanted);
    if (wanted != facts.compare)
      entries.push_back({label::kCompareEntry + title, keys, SetCompare{std::move(wanted)}});
  };
  const CompareChoice& now = facts.compare;
  offer("all charts", "C", [](CompareChoice& wanted) { wanted.chart.clear(); });
  for (const ComparedChart& chart : compared_charts(facts.compared))
    offer("chart of " + chart.title, "C", [&](CompareChoice& to) { to.chart = chart.key; });
  for (const ComparedRun& run : facts.compared)
    offer("baseline " + run_label(run.context.number, run.context.id), "B",
          [&](CompareChoice& wanted) { wanted.baseline = run.context.id; });
  offer(now.fold_repeats ? "every repeat by itself" : "fold repeats", "F",
        [](CompareChoice& wanted) { wanted.fold_repeats = !wanted.fold_repeats; });
  offer(now.only_differing ? "all settings" : "only what differs", "D",
        [](CompareChoice& wanted) { wanted.only_differing = !wanted.only_differing; });
  offer(now.logarithmic ? "linear scale" : "logarithmic scale", "G",
        [](CompareChoice& wanted) { wanted.logarithmic = !wanted.logarithmic; });
  for (const XAxis axis : {XAxis::kStep, XAxis::kEpoch, XAxis::kTime, XAxis::kSamples})
    offer(std::string("x axis ") + name_of(axis), "X", [&](CompareChoice& wanted) {
      wanted.axis = axis;
      wanted.low = wanted.high = 0;
    });
  for (const int steps : kSmoothings)
    offer("smoothing " + smoothing_text(steps), "S",
          [&](CompareChoice& wanted) { wanted.smoothing = steps; });
  offer("show all of the axis", "Home",
        [](CompareChoice& wanted) { wanted.low = wanted.high = 0; });
}

void add_list_entries(const PaletteFacts& facts, Entries& entries) {
  for (const PresetChoice& preset : facts.presets) {
    entries.push_back(
        {"Preset: " + preset.name + "  " + preset.title, "", SelectPreset{preset.name, false}});
    if (preset.has_quick)
      entries.push_back({label::kPresetQuick + preset.name, "", SelectPreset{preset.name, true}});
  }
  for (const StudyName& study : facts.studies)
    entries.push_back(
        {"Study: " + study.name + "  " + study.title, "", AskStudy{true, {}, study.name}});
  if (!facts.selected.empty() && facts.page == Page::kRuns) {
    entries.push_back({label::kReplaySelected, "R", Replay{facts.selected, 4}});
    entries.push_back({"Export the selected run…", facts.marked.empty() ? "Ctrl E" : "",
                       AskExport{{facts.selected}}});
    if (!facts.marked.empty())
      entries.push_back({label::kExportMarked, "Ctrl E", AskExport{facts.marked}});
    entries.push_back({"Use the settings of the selected run", "", UseSettings{facts.selected}});
    const auto run = std::ranges::find(facts.runs, facts.selected, &RunSummary::id);
    if (run != facts.runs.end()) {
      EditLabels star{run->id};
      star.starred = !run->starred;
      entries.push_back(
          {run->starred ? "Take the star off the selected run" : "Star the selected run", "Shift S",
           std::move(star)});
    }
    entries.push_back({"Delete the selected run", "Delete", TrashRun{facts.selected}});
    entries.push_back({label::kClearMarks, "", ClearMarks{}});
  }
  entries.push_back({"Undo deleting a run or study", "Ctrl Z", UndoTrash{}});
  constexpr std::size_t kMostRuns = 200;
  for (const RunSummary& run : facts.runs.first(std::min(kMostRuns, facts.runs.size()))) {
    entries.push_back(
        {"Open run " + run_label(run.number, run.id) + "  " + run.title, "", OpenRun{run.id}});
  }
}

/// Adds entries that choose the machine whose runs are shown and on which Launch starts them.
void add_machine_entries(const PaletteFacts& facts, Entries& entries) {
  entries.push_back({label::kMachinesEntry, "Ctrl M", ShowMachines{}});
  if (facts.page == Page::kMachines) entries.push_back({label::kAskMachines, "", AskMachines{}});
  if (facts.room)
    entries.push_back({std::string(label::kLaunchWhereFree) + ": " + facts.room->why, "",
                       launch_on(facts.room->address)});
  if (!facts.machine.empty())
    entries.push_back({std::string(label::kMachineEntry) + label::kThisOne, "", SelectMachine{}});
  for (const std::string& machine : facts.machines) {
    if (machine != facts.machine)
      entries.push_back({label::kMachineEntry + machine, "", SelectMachine{machine}});
  }
}

void add_window_entries(const PaletteFacts& facts, Entries& entries) {
  constexpr std::array<std::pair<Dock, const char*>, 3> kDockWords{
      {{Dock::kSpeedup, "the speedup and the breakdown"},
       {Dock::kRanks, "the rank table"},
       {Dock::kLogs, "the log"}}};
  for (const auto& [dock, words] : kDockWords) {
    const bool closed = facts.closed[static_cast<std::size_t>(dock)];
    entries.push_back({std::string(closed ? "Show " : "Hide ") + words,
                       dock == Dock::kLogs ? "L" : "", ToggleDock{dock}});
  }
  const bool tables = facts.has_run && facts.page == Page::kLive;
  for (std::uint8_t i = 0; tables && i < static_cast<std::uint8_t>(TableTab::kCount); ++i) {
    const auto tab = static_cast<TableTab>(i);
    entries.push_back({std::string("Table panel: ") + name_of(tab), "T", ShowTable{tab}});
  }
  entries.push_back({"Reset the panel layout", "", ResetLayout{}});
  entries.push_back({facts.light ? "Dark theme" : label::kLightTheme, "", SetLight{!facts.light}});
  entries.push_back({"Text size 100 %", "Ctrl 0", SetTextSize{100}});
  entries.push_back({"Text size 150 %", "Ctrl +", SetTextSize{150}});
  entries.push_back({"Reset the window to factory defaults", "", ResetWindow{}});
  entries.push_back({label::kSettings, "Ctrl ,", ShowSettings{true}});
  entries.push_back({label::kAlertSettings, "", ShowAlertSettings{true}});
  entries.push_back({"Doctor: check this machine", "", ShowDoctor{true}});
  entries.push_back({"Show the keyboard shortcuts", "?", ShowKeys{true}});
  entries.push_back({label::kQuit, "Ctrl Q", Quit{}});
}

void add_help_entries(const PaletteFacts& facts, Entries& entries) {
  entries.push_back(
      {label::kHelpEntry, "F1", ShowManual{true, facts.help.topic, facts.help.section}});
  for (const Term& term : terms()) {
    for (const std::string& name : names_of(term))
      entries.push_back({label::kExplain + name, "", ShowManual{true, term.topic, term.section}});
  }
  if (facts.manual == nullptr) return;
  for (const manual::Page& page : facts.manual->pages)
    entries.push_back({label::kHelpTopic + page.title, "", ShowManual{true, page.topic, {}}});
}

/// Whether the typed letters begin words of a text, in order: "ecsv" of "export csv".
bool abbreviates(std::string_view typed, std::string_view text) {
  std::size_t at = 0;
  for (const char c : typed) {
    if (at > 0 && at < text.size() && text[at] == c && text[at - 1] != ' ') {
      ++at;
      continue;
    }
    while (at < text.size() && (text[at] != c || (at > 0 && text[at - 1] != ' '))) ++at;
    if (at == text.size()) return false;
    ++at;
  }
  return true;
}

/// Returns the quality of a match, lower is better; empty if the text has neither what is typed,
/// nor each word of it, nor words that it abbreviates.
std::optional<std::size_t> distance(std::string_view entry, std::string_view typed) {
  const std::string text = lower_case(entry);
  const std::string wanted = lower_case(typed);
  if (const std::size_t whole = text.find(wanted); whole != std::string::npos) {
    const bool begins_word = whole == 0 || text[whole - 1] == ' ';
    return whole + (begins_word ? 0 : 100);
  }
  const auto words = parts_of(wanted, ' ');
  if (std::ranges::all_of(words, [&](const auto& word) { return text.find(word) != text.npos; }))
    return 1000;
  if (abbreviates(wanted, text)) return 2000;
  return std::nullopt;
}

}  // namespace

std::vector<PaletteEntry> rank_entries(Rank rank, bool stack) {
  Entries entries;
  if (stack) entries.push_back({stack_entry(rank), "K", AskStack{rank}});
  entries.push_back({"Show only rank " + std::to_string(rank),
                     rank <= 9 ? "Alt " + std::to_string(rank) : "", ShowOnlyRank{rank}});
  entries.push_back({label::kShowAllRanks, "Alt A", ShowAllRanks{}});
  return entries;
}

std::vector<PaletteEntry> palette_entries(const PaletteFacts& facts) {
  Entries entries{{label::kGoToLaunch, "1", SelectPage{Page::kLaunch}},
                  {label::kGoToLive, "2", SelectPage{Page::kLive}},
                  {label::kGoToScaling, "3", SelectPage{Page::kScaling}},
                  {label::kGoToSampler, "4", SelectPage{Page::kSampler}},
                  {label::kGoToRuns, "5", SelectPage{Page::kRuns}},
                  {label::kGoToTimeline, "6", SelectPage{Page::kTimeline}},
                  {label::kGoToMachines, "7", SelectPage{Page::kMachines}},
                  {label::kNewStudyEntry, "", AskStudy{true, {}, {}},
                   "sweep of settings or world sizes, repeats"},
                  {"Open or import a run folder by its path…", "Ctrl O", ShowOpenRun{true}},
                  {label::kWatchEntry, "Ctrl Shift O", WatchFolder{}}};
  add_run_entries(facts, entries);
  add_chart_entries(facts, entries);
  add_sampler_entries(facts, entries);
  add_study_entries(facts, entries);
  add_compare_entries(facts, entries);
  add_list_entries(facts, entries);
  add_machine_entries(facts, entries);
  add_window_entries(facts, entries);
  add_help_entries(facts, entries);
  return entries;
}

std::vector<PaletteEntry> matching(const Entries& entries, std::string_view typed) {
  if (typed.empty()) return entries;
  std::vector<std::pair<std::size_t, const PaletteEntry*>> found;
  for (const PaletteEntry& entry : entries) {
    // Other words for an entry count less than its own.
    auto far = distance(entry.title, typed);
    if (!far && *entry.also != '\0' && distance(entry.also, typed)) far = 500;
    if (far) found.emplace_back(*far, &entry);
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
  Entries result;
  for (const auto& [far, entry] : found) result.push_back(*entry);
  return result;
}

std::span<const KeyHelp> key_help() {
  static constexpr KeyHelp kKeys[] = {
      {"1 2 3 4 5 6 7", "The pages, from Launch to Machines"},
      {"Ctrl K", "Command palette"},
      {"Ctrl Enter", "Launch; start the new study"},
      {"Ctrl Shift S", "Stop the run (asks)"},
      {"P", "Pause, or go back to live"},
      {"Ctrl E", "Export (asks); in Runs the marked ones"},
      {"Ctrl O", "Open or import a run folder"},
      {"Ctrl Shift O", "Watch a folder of another tool"},
      {"Tab, Ctrl Enter", "File chooser: complete, choose"},
      {"Ctrl M", "Choose the machine"},
      {"Ctrl ,", "Settings"},
      {"X", "Next x axis"},
      {"Shift X", "x axis up to the planned end, or not"},
      {"G", "Linear or logarithmic"},
      {"S", "Next smoothing"},
      {"B", "Baseline on or off; Compare: the next"},
      {"C, D, F", "Compare: chart, what differs, repeats"},
      {"Home", "Whole run"},
      {"+  −  wheel", "Zoom"},
      {"Left Right, drag", "Move"},
      {"E", "Next event"},
      {"N", "Note at the pointer or newest step"},
      {"W", "Waterfall of the speedup"},
      {"Y", "Try for me"},
      {"U", "Published and measured"},
      {"Alt 0 … 9", "Show one rank"},
      {"Alt A", "Show all ranks"},
      {"T", "Table panel: next tab"},
      {"K", "Stack of the rank in focus"},
      {"L", "Log: open or close"},
      {"F", "Follow the log; Timeline: fit"},
      {"Up Down", "Runs, Machines: select; Sampler: epoch"},
      {"W  S  A  D", "Timeline: zoom in, out, earlier, later"},
      {"Ctrl F", "Runs: filter (also /); Timeline: search"},
      {"Space", "Runs: mark to compare; Machines: ask"},
      {"Shift S", "Runs: star, or take it off"},
      {"F2, Shift T", "Runs: rename, tags"},
      {"Enter", "Runs: open; Machines: launch here"},
      {"R", "Runs: replay"},
      {"Delete, Ctrl Z", "Runs, Scaling: delete, undo"},
      {"Ctrl +  Ctrl −", "Larger, smaller text"},
      {"Ctrl 0", "Text size 100 %"},
      {"Tab, Space", "Move to and press a control"},
      {"Right click, Menu", "Menu of a chart or a run"},
      {"Ctrl wheel", "Zoom where a page scrolls"},
      {"Drag a border", "Resize panels; double-click: reset"},
      {"Ctrl Q", "Quit; runs continue"},
      {"F1", "Help with what is shown"},
      {"?", "This list"},
  };
  return kKeys;
}

}  // namespace ringside::view
