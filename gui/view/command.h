// What a person asked for, as data. Panels append to a queue; the session carries it out after the
// frame. Each group has one place that carries it out, with a handler for every one of its commands
// (carry_out.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "gui/analysis/whatif/step_change.h"
#include "gui/view/choices.h"
#include "gui/view/table.h"
#include "protocol/base/ids.h"

namespace ringside::view {

// What leads to another page.
struct SelectPage {
  Page page = Page::kLive;
};
struct SelectPreset {
  std::string name;
  bool quick = false;  ///< at its quick scale
};
struct UseSettings {
  std::string id;
};  ///< of an earlier run, in the form
struct SetBaseline {
  std::string id;
};  ///< of the next run, on the form; empty: the open run
struct FixSampling {
  std::string id;
};  ///< the settings of this run in the form, with sampler.set_epoch on
using PageCommand = std::variant<SelectPage, SelectPreset, UseSettings, SetBaseline, FixSampling>;

// Commands that start, stop, resume and open runs.
struct StartRun {};  ///< what the form describes
struct StopRun {
  std::string id;
  StopMode mode = StopMode::kCheckpoint;
};
struct ResumeRun {
  std::string id;
};  ///< a new attempt from its newest checkpoint
struct OpenRun {
  std::string id;
};
struct Replay {
  std::string id;
  double speed = 1;
};
struct CompareWith {
  std::string id;
};  ///< the open run's speedup is against this one, for as long as it is open
struct SaveImage {
  std::string chart;    ///< "loss", "accuracy", "step_time", "metric.NAME", "compare.KEY"
  bool vector = false;  ///< SVG, else PNG
  std::string path;     ///< where to; empty: the export folder of the open run
};
struct ChartData {
  std::string chart;  ///< as for SaveImage
  bool copy = false;  ///< to the clipboard, else as CSV into the export folder
};                    ///< the numbers that are drawn, of every step
struct ProveChange {
  analysis::StepChange change;
};  ///< trains the open run so, to hold what was predicted against it
struct SaveLines {
  std::string name;  ///< of the file, in the export folder of the open run
  std::string text;
};
using RunCommand = std::variant<StartRun, StopRun, ResumeRun, OpenRun, Replay, CompareWith,
                                SaveImage, ChartData, SaveLines, ProveChange>;

// What of the open run is shown, and when.
struct Pause {
  bool on = true;
};  ///< what is shown stands still; nothing is lost
struct SetReplaySpeed {
  double speed = 1;
};
struct SeekReplay {
  double share = 0;
};                        ///< of the run's time, 0 .. 1
struct DismissAlerts {};  ///< until something new happens
struct SearchLogs {
  std::string text;
};                       ///< through the whole files of the open run; empty: back to their ends
struct EarlierLines {};  ///< more of what the files hold before what is shown
using PlaybackCommand =
    std::variant<Pause, SetReplaySpeed, SeekReplay, DismissAlerts, SearchLogs, EarlierLines>;

// How it is drawn.
struct SetXAxis {
  XAxis axis = XAxis::kStep;
};
struct SetLogScale {
  bool on = false;
};
struct SetSmoothing {
  int steps = 0;
};  ///< mean over so many steps beside the raw lines; 0: raw only
struct SetStepTimeWhole {
  bool whole = false;
};  ///< own work or whole step
struct SetWindow {
  double begin = 0;
  double end = 0;
};  ///< in steps
struct WholeRun {};
struct SetPlan {
  bool on = true;
};  ///< the x axis reaches to the planned end, else to what was trained
struct JumpTo {
  double step = 0;
};  ///< shows the steps around it
struct NextEvent {};
struct MoveCursor {
  double step = -1;
};  ///< below 0: none
struct ToggleRank {
  Rank rank = 0;
};
struct ShowOnlyRank {
  Rank rank = 0;
};
struct ShowAllRanks {};
struct ToggleBaseline {};
using ChartCommand = std::variant<SetXAxis, SetLogScale, SetSmoothing, SetStepTimeWhole, SetWindow,
                                  WholeRun, SetPlan, JumpTo, NextEvent, MoveCursor, ToggleRank,
                                  ShowOnlyRank, ShowAllRanks, ToggleBaseline>;

// The Launch form.
struct EditField {
  std::string key;
  std::string text;
};  ///< "optimizer.lr", "0.01"
struct ResetForm {};
struct PickDevice {
  std::string uuid;
  bool on = true;
};
struct PickDevices {
  std::vector<std::string> uuids;
};  ///< these and no others, in the order of the ranks
struct SetCpuRanks {
  int ranks = 2;
};
struct SelectRunKind {
  RunKind kind = RunKind::kTrainer;
};
struct RemoveVariable {
  std::size_t row = 0;
};                     ///< of the environment of a script
struct ProbeLinks {};  ///< between the chosen devices
struct CancelProbe {};
using FormCommand = std::variant<EditField, ResetForm, PickDevice, PickDevices, SetCpuRanks,
                                 SelectRunKind, RemoveVariable, ProbeLinks, CancelProbe>;

// The list of runs.
struct SetRunFilter {
  std::string text;
};
struct SortRuns {
  TableSort sort;
};
struct ToggleRunColumn {
  std::string key;
};
struct GroupRuns {
  std::string key;  ///< of the column whose values are the groups; empty: none
};
struct SelectRun {
  std::string id;
};
struct MarkRun {
  std::string id;
  bool on = true;
};
struct ClearMarks {};
struct SetCompare {
  CompareChoice choice;
};
/// What was typed, and nothing else: the others may have been written by another window meanwhile.
struct EditLabels {
  std::string id;
  std::optional<std::string> name{};
  std::optional<std::string> tags{};  ///< parted by commas
  std::optional<std::string> note{};
  std::optional<bool> starred{};
  bool operator==(const EditLabels&) const = default;
};
struct TagRuns {
  std::vector<std::string> ids;
  std::string tags;  ///< parted by commas
  bool on = true;    ///< writes them on these runs, else takes them off
};
using ListCommand = std::variant<SetRunFilter, SortRuns, ToggleRunColumn, GroupRuns, SelectRun,
                                 MarkRun, ClearMarks, SetCompare, EditLabels, TagRuns>;

// The Sampler page.
struct ShowSamplesOf {
  std::string id;
};  ///< a run; empty: the open one
struct SetSamplesPerCell {
  std::int64_t samples = 1;
};
struct ScrollSamples {
  std::int64_t first_sample = 0;
};
struct ScrollEpochs {
  std::int64_t first_row = -1;
};  ///< below 0: to the newest
struct PickEpoch {
  std::int64_t pass = -1;
};  ///< whose first samples are shown; below 0: the newest
using SamplerCommand =
    std::variant<ShowSamplesOf, SetSamplesPerCell, ScrollSamples, ScrollEpochs, PickEpoch>;

// Run folders.
struct OpenFolder {
  std::string path;
};  ///< in the file manager; empty: that of the open run
struct TrashRun {
  std::string id;
};
struct TrashStudy {
  std::string name;
  bool with_runs = false;  ///< those that it made go to the trash too
};
struct UndoTrash {};  ///< the run or study deleted last
struct ImportRun {
  std::string path;
};                       ///< copies the run folder there into the list
struct BrowseRuns {};    ///< asks the desktop's own dialog for a folder
struct BrowseScript {};  ///< the same for the program of the next run
struct WatchFolder {};   ///< the same for what another tool writes; it is followed
using FolderCommand = std::variant<OpenFolder, TrashRun, TrashStudy, UndoTrash, ImportRun,
                                   BrowseRuns, BrowseScript, WatchFolder>;

// Exports.
struct AskExport {
  std::string id;  ///< empty: the open run
  bool open = true;
};  ///< opens or closes the question
struct ExportRun {
  std::string id;  ///< empty: the open run
  ExportKind kind = ExportKind::kCsv;
  std::vector<std::string> tables{};  ///< CSV only; empty: all
  std::string path{};                 ///< folder, or file of a report; empty: in the run's folder
  bool replace = false;               ///< a report or another's tables
};
struct CancelExport {};
using ExportCommand = std::variant<AskExport, ExportRun, CancelExport>;

// Alerts outside of the window.
struct SetAlertRule {
  std::size_t rule = 0;  ///< analysis::AlertRule
  bool on = true;
};
struct SetAlertNotify {
  bool on = true;
};  ///< desktop notifications
struct SetAlertCommand {
  std::string text;
};                    ///< program and arguments, parted by spaces; empty: none
struct TryAlerts {};  ///< sends a test alert
using AlertCommand = std::variant<SetAlertRule, SetAlertNotify, SetAlertCommand, TryAlerts>;

// The timeline that is shown.
struct ChooseTimeline {
  std::size_t source = 0;  ///< place in TimelineInput::sources
};
struct CancelTimeline {};  ///< that is being read
using TimelineCommand = std::variant<ChooseTimeline, CancelTimeline>;

// What lies over the page.
struct AskStop {
  bool open = true;
};  ///< opens or closes the question
struct ShowKeys {
  bool on = true;
};
struct ShowManual {
  bool on = true;
  std::string topic{};
  std::string section{};  ///< empty: the beginning
};
struct ShowPalette {
  bool on = true;
};
struct ShowSettings {
  bool on = true;
};
struct ShowAlertSettings {
  bool on = true;
};
struct ShowOpenRun {
  bool on = true;
};  ///< the sheet that asks for the path of a run folder
struct ShowDoctor {
  bool on = true;
};  ///< opened, it looks at this machine anew
struct ShowWaterfall {
  bool on = true;
};  ///< of the open run's speedup
struct ShowTries {
  bool on = true;
};  ///< what may make the open run quicker
struct ShowExperiment {
  bool on = true;
};  ///< what was published beside the open run, on Scaling beside the study
struct ShowMachines {
  bool on = true;
};  ///< whose runs can be shown
using SheetCommand =
    std::variant<AskStop, ShowKeys, ShowManual, ShowPalette, ShowSettings, ShowAlertSettings,
                 ShowOpenRun, ShowDoctor, ShowWaterfall, ShowTries, ShowExperiment, ShowMachines>;

// Studies.
struct SelectStudy {
  std::string name;
};
struct SetScalingMetric {
  ScalingMetric metric = ScalingMetric::kSpeedup;
};
struct SelectSetting {
  std::string key;
};  ///< of the study that is shown
struct RankSettings {
  std::string key;  ///< of a metric: what the best setting of the study is chosen by
};
struct AskStudy {
  bool open = true;
  std::string more{};  ///< a study that gets more settings; empty: a new one
  std::string
      preset{};  ///< a ready-made study or preset that the form begins with; empty: as it is
};               ///< opens or closes the form
struct EditStudy {
  std::string key;  ///< of a field of the form
  std::string text;
};
struct StartStudy {};                      ///< what the form describes
inline constexpr int kPairsElsewhere = 6;  ///< of another machine, where no window stays with them
struct MeasurePair {
  std::string first, second;
};  ///< two runs, trained again in turns until they tell: a study of pairs
struct ContinueStudy {
  std::string name;
};  ///< trains the runs that are missing
struct StopStudy {
  std::string name;
};
struct ExportStudy {
  StudyFileKind kind = StudyFileKind::kHtml;
};  ///< the one that is shown
using StudyCommand =
    std::variant<SelectStudy, SetScalingMetric, SelectSetting, RankSettings, AskStudy, EditStudy,
                 StartStudy, MeasurePair, ContinueStudy, StopStudy, ExportStudy>;

// The checks of this machine.
struct ExamineTraining {
  bool gpu = false;  ///< all checks on GPUs, else those on CPU slots
};                   ///< with real runs, quick ones
struct CancelExamination {};
using DoctorCommand = std::variant<ExamineTraining, CancelExamination>;

// Changes that may make the open run quicker.
struct StartTries {
  double budget_s = 600;
  bool other_numbers = false;  ///< those too with which it computes in another precision or order
};
struct StopTries {};
struct LaunchTried {};  ///< the run that they were tried of, with all that was kept
using TryCommand = std::variant<StartTries, StopTries, LaunchTried>;

// The call stacks of ranks of the open run.
struct AskStack {
  Rank rank = kNoRank;  ///< kNoRank: all of them
  bool open = true;
};                    ///< opens or closes the sheet, which asks first
struct ReadStack {};  ///< the answer is yes; stops the processes for a moment
using StackCommand = std::variant<AskStack, ReadStack>;

// A profile of the open run, while it goes on.
struct ProfileRun {};
struct CancelProfile {};
using ProfileCommand = std::variant<ProfileRun, CancelProfile>;

// The window itself.
struct SetLight {
  bool on = false;
};
struct SetTextSize {
  double percent = 100;
};
struct CopyText {
  std::string text;
};
struct TakePicture {
  std::string chart;
  std::string path;
};  ///< of a chart as it is on the screen; asked for by the session
struct ToggleDock {
  Dock dock = Dock::kLogs;
};
struct ShowTable {
  TableTab tab = TableTab::kRanks;
};
struct ToggleColumn {
  std::string key;  ///< of the table of ranks
};
struct ResetLayout {};  ///< panels and columns as they were drawn
struct ResetWindow {};  ///< size, scale, theme and panels as on the first day
struct SelectMachine {
  std::string address;      ///< whose runs the window shows: "ssh://box"; empty: this one
  Page page = Page::kRuns;  ///< that is shown then
  std::string partition{};  ///< on Launch: of its Slurm, as the place of the next run
};
struct Quit {};
using WindowCommand =
    std::variant<SetLight, SetTextSize, CopyText, TakePicture, ToggleDock, ShowTable, ToggleColumn,
                 ResetLayout, ResetWindow, SelectMachine, Quit>;

// The board of machines.
struct PickMachine {
  std::string row;
};  ///< of the board: what goes on there is shown
struct WatchMachine {
  std::string address;  ///< empty: this one
  bool on = true;
};                      ///< asked now, and again and again while the board is looked at
struct AskMachines {};  ///< all of them
using BoardCommand = std::variant<PickMachine, WatchMachine, AskMachines>;

using Command =
    std::variant<PageCommand, RunCommand, PlaybackCommand, ChartCommand, FormCommand, ListCommand,
                 SamplerCommand, FolderCommand, ExportCommand, AlertCommand, StudyCommand,
                 DoctorCommand, TryCommand, StackCommand, ProfileCommand, TimelineCommand,
                 BoardCommand, SheetCommand, WindowCommand>;
using CommandQueue = std::vector<Command>;

template <class T, class Group>
inline constexpr bool kInGroup = false;
template <class T, class... Ts>
inline constexpr bool kInGroup<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);

/// The command if it is one of this kind, else null.
template <class T>
const T* as(const Command& command) {
  return std::visit(
      [](const auto& group) -> const T* {
        if constexpr (kInGroup<T, std::decay_t<decltype(group)>>) return std::get_if<T>(&group);
        return nullptr;
      },
      command);
}

}  // namespace ringside::view
