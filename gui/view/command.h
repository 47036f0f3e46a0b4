// Requests of a person, as data. Panels append them to a queue, which the session carries out after
// the frame. Each group is carried out in one file, with one handler per command (carry_out.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "gui/analysis/whatif/step_change.h"
#include "gui/runs/chart_note.h"
#include "gui/view/choices.h"
#include "gui/view/table.h"
#include "protocol/base/ids.h"

namespace ringside::view {

// Commands that lead to another page.
struct SelectPage {
  Page page = Page::kLive;
};
struct SelectPreset {
  std::string name;
  bool quick = false;  ///< at its quick scale
};
struct UseSettings {
  std::string id;
};  ///< fills the form with the settings of an earlier run
struct SetBaseline {
  std::string id;
};  ///< sets the baseline of the next run, on the form; empty: that of the open run
struct FixSampling {
  std::string id;
};  ///< fills the form with the settings of this run and turns sampler.set_epoch on
using PageCommand = std::variant<SelectPage, SelectPreset, UseSettings, SetBaseline, FixSampling>;

// Commands that start, stop, resume and open runs.
struct StartRun {};  ///< starts what the form describes
struct StopRun {
  std::string id;
  StopMode mode = StopMode::kCheckpoint;
};
struct ResumeRun {
  std::string id;
};  ///< starts a new attempt from the newest checkpoint
struct OpenRun {
  std::string id;
};
struct Replay {
  std::string id;
  double speed = 1;
};
struct CompareWith {
  std::string id;
};  ///< compares the open run with this one while it is open
struct SaveImage {
  std::string chart;    ///< "loss", "accuracy", "step_time", "metric.NAME", "compare.KEY"
  bool vector = false;  ///< SVG, else PNG
  std::string path;     ///< file to write; empty: one in the export folder of the open run
};
struct ChartData {
  std::string chart;  ///< as for SaveImage
  bool copy = false;  ///< to the clipboard, else as CSV into the export folder
};                    ///< writes the drawn numbers of every step
struct ProveChange {
  analysis::StepChange change;
};  ///< trains the open run with this change, to check its predicted effect
struct SaveLines {
  std::string name;  ///< file name in the export folder of the open run
  std::string text;
};
using RunCommand = std::variant<StartRun, StopRun, ResumeRun, OpenRun, Replay, CompareWith,
                                SaveImage, ChartData, SaveLines, ProveChange>;

// Commands that choose which part of the open run is shown.
struct Pause {
  bool on = true;
};  ///< freezes the display; no data is lost
struct SetReplaySpeed {
  double speed = 1;
};
struct SeekReplay {
  double share = 0;
};                        ///< a share of the run's time, 0 .. 1
struct DismissAlerts {};  ///< hides alerts until something new happens
struct SearchLogs {
  std::string text;
};  ///< searches the whole files of the open run; empty: shows their ends again
struct EarlierLines {};  ///< reads more of the files, before what is shown
using PlaybackCommand =
    std::variant<Pause, SetReplaySpeed, SeekReplay, DismissAlerts, SearchLogs, EarlierLines>;

// Commands that choose how the open run is drawn.
struct SetXAxis {
  XAxis axis = XAxis::kStep;
};
struct SetLogScale {
  bool on = false;
};
struct SetSmoothing {
  int steps = 0;
};  ///< number of steps that a smoothed line averages; 0: raw lines only
struct SetStepTimeWhole {
  bool whole = false;
};  ///< own work or whole step
struct SetWindow {
  double begin = 0;
  double end = 0;
};  ///< range in steps
struct WholeRun {};
struct SetPlan {
  bool on = true;
};  ///< extends the x axis to the planned end, else to the last trained step
struct JumpTo {
  double step = 0;
};  ///< shows the steps around this one
struct NextEvent {};
struct MoveCursor {
  double step = -1;
};  ///< cursor at this step; below 0: none
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

// Commands of the Launch form.
struct EditField {
  std::string key;
  std::string text;
};  ///< for example "optimizer.lr", "0.01"
struct ResetForm {};
struct PickDevice {
  std::string uuid;
  bool on = true;
};
struct PickDevices {
  std::vector<std::string> uuids;
};  ///< uses exactly these devices, in the order of the ranks
struct SetCpuRanks {
  int ranks = 2;
};
struct SelectRunKind {
  RunKind kind = RunKind::kTrainer;
};
struct RemoveVariable {
  std::size_t row = 0;
};                     ///< a variable of the environment of a script
struct ProbeLinks {};  ///< measures the links between the chosen devices
struct CancelProbe {};
using FormCommand = std::variant<EditField, ResetForm, PickDevice, PickDevices, SetCpuRanks,
                                 SelectRunKind, RemoveVariable, ProbeLinks, CancelProbe>;

// Commands of the list of runs.
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
  std::string key;  ///< column that runs are grouped by; empty: no groups
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
/// Holds only the edited labels, since another window may have written the others meanwhile.
struct EditLabels {
  std::string id;
  std::optional<std::string> name{};
  std::optional<std::string> tags{};  ///< separated by commas
  std::optional<std::string> note{};
  std::optional<bool> starred{};
  std::vector<runs::ChartNote> chart_notes{};  ///< each replaces that at its step
  bool operator==(const EditLabels&) const = default;
};
struct TagRuns {
  std::vector<std::string> ids;
  std::string tags;  ///< separated by commas
  bool on = true;    ///< adds these tags to the runs, else removes them
};
using ListCommand = std::variant<SetRunFilter, SortRuns, ToggleRunColumn, GroupRuns, SelectRun,
                                 MarkRun, ClearMarks, SetCompare, EditLabels, TagRuns>;

// Commands of the Sampler page.
struct ShowSamplesOf {
  std::string id;
};  ///< id of a run; empty: the open one
struct SetSamplesPerCell {
  std::int64_t samples = 1;
};
struct ScrollSamples {
  std::int64_t first_sample = 0;
};
struct ScrollEpochs {
  std::int64_t first_row = -1;
};  ///< below 0: follows the newest
struct PickEpoch {
  std::int64_t pass = -1;
};  ///< shows the first samples of this one; below 0: of the newest
using SamplerCommand =
    std::variant<ShowSamplesOf, SetSamplesPerCell, ScrollSamples, ScrollEpochs, PickEpoch>;

// Commands on run folders.
struct OpenFolder {
  std::string path;
};  ///< opens it in the desktop's program for it; empty: the folder of the open run
struct TrashRun {
  std::string id;
};
struct TrashStudy {
  std::string name;
  bool with_runs = false;  ///< the runs that it started go to the trash too
};
struct UndoTrash {};  ///< restores the run or study that was deleted last
struct ImportRun {
  std::string path;
};                       ///< copies the run folder at this path into the list
struct BrowseRuns {};    ///< asks for a path for the sheet that opens a run folder
struct BrowseScript {};  ///< asks for the program of the next run
struct WatchFolder {};   ///< asks for output of another tool, which is then followed
struct BrowseExport {
  std::string begin;  ///< the path so far
  bool file = false;  ///< asks for a file, else for a folder
};                    ///< asks where an export is written
struct ListFolder {
  std::string folder;
  bool make = false;  ///< makes the folder first
};                    ///< reads another folder for the chooser of files
struct ChoosePath {
  std::string path;
};  ///< answers the chooser and closes it; an empty path is no choice
using FolderCommand =
    std::variant<OpenFolder, TrashRun, TrashStudy, UndoTrash, ImportRun, BrowseRuns, BrowseScript,
                 WatchFolder, BrowseExport, ListFolder, ChoosePath>;

// Commands of exports.
struct AskExport {
  std::vector<std::string> ids{};  ///< empty: the open run
  bool open = true;
};  ///< opens or closes the question
struct ExportRun {
  std::vector<std::string> ids{};  ///< empty: the open run
  ExportKind kind = ExportKind::kCsv;
  std::vector<std::string> tables{};  ///< CSV only; empty: all
  std::string path{};  ///< folder, or file; empty: inside the run's folder. Several runs: a folder
                       ///< with one of each, or the file of their report
  bool replace = false;  ///< overwrites an existing report or tables of another run
};
struct CancelExport {};
using ExportCommand = std::variant<AskExport, ExportRun, CancelExport>;

// Commands on alerts outside the window.
struct SetAlertRule {
  std::size_t rule = 0;  ///< analysis::AlertRule
  bool on = true;
};
struct SetAlertNotify {
  bool on = true;
};  ///< turns desktop notifications on or off
struct SetAlertCommand {
  std::string text;
};                    ///< program and arguments, separated by spaces; empty: none
struct TryAlerts {};  ///< sends a test alert
using AlertCommand = std::variant<SetAlertRule, SetAlertNotify, SetAlertCommand, TryAlerts>;

// Commands of the Timeline page.
struct ChooseTimeline {
  std::size_t source = 0;  ///< index in TimelineInput::sources
};
struct CancelTimeline {};  ///< cancels the reading of a timeline
using TimelineCommand = std::variant<ChooseTimeline, CancelTimeline>;

// Commands on sheets that lie over the page.
struct AskStop {
  bool open = true;
};  ///< opens or closes the question
struct AskNote {
  double step = -1;  ///< a place on a chart of the open run; below 0: the newest step
  bool open = true;
};  ///< opens or closes the sheet for a note there
struct ShowKeys {
  bool on = true;
};
struct ShowManual {
  bool on = true;
  std::string topic{};
  std::string section{};  ///< empty: the beginning of the topic
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
};  ///< opens or closes the sheet that asks for the path of a run folder
struct ShowDoctor {
  bool on = true;
};  ///< opens or closes the checks; opening checks this machine again
struct ShowWaterfall {
  bool on = true;
};  ///< opens or closes the waterfall of the open run's speedup
struct ShowTries {
  bool on = true;
};  ///< opens or closes the changes that may make the open run quicker
struct ShowExperiment {
  bool on = true;
};  ///< opens or closes the published results, beside the open run or the study on Scaling
struct ShowMachines {
  bool on = true;
};  ///< opens or closes the machines whose runs can be shown
using SheetCommand = std::variant<AskStop, AskNote, ShowKeys, ShowManual, ShowPalette, ShowSettings,
                                  ShowAlertSettings, ShowOpenRun, ShowDoctor, ShowWaterfall,
                                  ShowTries, ShowExperiment, ShowMachines>;

// Commands of studies.
struct SelectStudy {
  std::string name;
};
struct SetScalingMetric {
  ScalingMetric metric = ScalingMetric::kSpeedup;
};
struct SelectSetting {
  std::string key;
};  ///< a setting of the study that is shown
struct RankSettings {
  std::string key;  ///< metric by which the best setting of the study is chosen
};
struct AskStudy {
  bool open = true;
  std::string more{};  ///< study that gets more settings; empty: a new one
  std::string
      preset{};  ///< a ready-made study or preset that the form begins with; empty: as it is
};               ///< opens or closes the form
struct EditStudy {
  std::string key;  ///< key of a field of the form
  std::string text;
};
struct StartStudy {};                      ///< starts what the form describes
inline constexpr int kPairsElsewhere = 6;  ///< on another machine, where no window ends them
struct MeasurePair {
  std::string first, second;
};  ///< trains two runs again in turns until their difference is certain: a study of pairs
struct ContinueStudy {
  std::string name;
};  ///< trains the missing runs
struct StopStudy {
  std::string name;
};
struct ExportStudy {
  StudyFileKind kind = StudyFileKind::kHtml;
};  ///< writes the study that is shown as a file
using StudyCommand =
    std::variant<SelectStudy, SetScalingMetric, SelectSetting, RankSettings, AskStudy, EditStudy,
                 StartStudy, MeasurePair, ContinueStudy, StopStudy, ExportStudy>;

// Commands of the checks of this machine.
struct ExamineTraining {
  bool gpu = false;  ///< all checks on GPUs, else those on CPU slots
};                   ///< runs short real trainings
struct CancelExamination {};
using DoctorCommand = std::variant<ExamineTraining, CancelExamination>;

// Commands on changes that may make the open run quicker.
struct StartTries {
  double budget_s = 600;
  bool other_numbers = false;  ///< includes changes that compute in another precision or order
};
struct StopTries {};
struct LaunchTried {};  ///< starts the tried run again with all kept changes
using TryCommand = std::variant<StartTries, StopTries, LaunchTried>;

// Commands on the call stacks of ranks of the open run.
struct AskStack {
  Rank rank = kNoRank;  ///< kNoRank: all ranks
  bool open = true;
};                    ///< opens or closes the sheet, which asks for confirmation
struct ReadStack {};  ///< confirms; stops the processes for a moment
using StackCommand = std::variant<AskStack, ReadStack>;

// Profiles the open run while it trains.
struct ProfileRun {};
struct CancelProfile {};
using ProfileCommand = std::variant<ProfileRun, CancelProfile>;

// Commands of the window itself.
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
};  ///< captures a chart from the screen; requested by the session
struct ToggleDock {
  Dock dock = Dock::kLogs;
};
struct ShowTable {
  TableTab tab = TableTab::kRanks;
};
struct ToggleColumn {
  std::string key;  ///< key of a column of the table of ranks
};
struct ResetLayout {};  ///< restores the initial panels and columns
struct ResetWindow {};  ///< restores the initial size, scale, theme and panels
struct SelectMachine {
  std::string address;      ///< machine whose runs the window shows: "ssh://box"; empty: this one
  Page page = Page::kRuns;  ///< page that is shown then
  std::string partition{};  ///< on Launch: Slurm partition of the next run
};
struct Quit {};
using WindowCommand =
    std::variant<SetLight, SetTextSize, CopyText, TakePicture, ToggleDock, ShowTable, ToggleColumn,
                 ResetLayout, ResetWindow, SelectMachine, Quit>;

// Commands of the board of machines.
struct PickMachine {
  std::string row;
};  ///< selects a machine of the board and shows its details
struct WatchMachine {
  std::string address;  ///< empty: this machine
  bool on = true;
};                      ///< asks the machine now, and repeatedly while the board is visible
struct AskMachines {};  ///< asks all machines
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

/// Returns the command if it is of this kind, else null.
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
