// What a person asked for, as data. Panels append to a queue; the session carries it out after the
// frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "gui/view/table.h"
#include "protocol/base/ids.h"
#include "protocol/messages/run_spec.h"

namespace ringside::view {

enum class Page : std::uint8_t { kLaunch, kLive, kScaling, kSampler, kRuns };
enum class XAxis : std::uint8_t { kStep, kEpoch, kTime, kSamples };
enum class StopMode : std::uint8_t { kCheckpoint, kNow };
enum class ExportKind : std::uint8_t { kCsv, kTensorBoard, kHtml };
/// Panels that can be closed and opened again.
enum class Dock : std::uint8_t { kSpeedup, kRanks, kLogs, kCount };

struct SelectPage {
  Page page = Page::kLive;
};

// Runs
struct LaunchExperiment {
  messages::RunSpec spec;
  bool keep_running = true;
};
struct StopRun {
  std::string id;
  StopMode mode = StopMode::kCheckpoint;
};
struct ResumeRun {
  std::string id;
};  ///< a new attempt from its newest checkpoint
struct AskStop {
  bool open = true;
};  ///< opens or closes the question
struct AskExport {
  std::string id;  ///< empty: the open run
  bool open = true;
};  ///< opens or closes the question
struct ExportRun {
  std::string id;  ///< empty: the open run
  ExportKind kind = ExportKind::kCsv;
  std::vector<std::string> tables{};  ///< CSV only; empty: all
  std::string path{};                 ///< folder, or file of a report; empty: in the run's folder
  bool replace = false;               ///< a report that is there already
};
struct CancelExport {};
struct OpenRun {
  std::string id;
};
struct Replay {
  std::string id;
  double speed = 1;
};
struct SetReplaySpeed {
  double speed = 1;
};
struct SeekReplay {
  double share = 0;
};  ///< of the run's time, 0 .. 1
struct Pause {
  bool on = true;
};  ///< what is shown stands still; nothing is lost
struct SetBaseline {
  std::string id;
};  ///< of the next run, on the form; empty: the open run
struct CompareWith {
  std::string id;
};  ///< the open run's speedup is against this one, for as long as it is open
struct CopyText {
  std::string text;
};

// Charts
struct SetXAxis {
  XAxis axis = XAxis::kStep;
};
struct SetLogScale {
  bool on = false;
};
struct SetStepTimeWhole {
  bool whole = false;
};  ///< own work or whole step
struct SetWindow {
  double begin = 0;
  double end = 0;
};  ///< in steps
struct WholeRun {};
struct ToggleRank {
  Rank rank = 0;
};
struct ShowOnlyRank {
  Rank rank = 0;
};
struct ShowAllRanks {};
struct ToggleBaseline {};
struct MoveCursor {
  double step = -1;
};  ///< below 0: none
struct NextEvent {};
struct JumpTo {
  double step = 0;
};                        ///< shows the steps around it
struct DismissAlerts {};  ///< until something new happens
struct SetSmoothing {
  int steps = 0;
};  ///< mean over so many steps beside the raw lines; 0: raw only
struct SaveImage {
  std::string chart;    ///< "loss", "accuracy", "step_time"
  bool vector = false;  ///< SVG, else PNG
  std::string path;     ///< where to; empty: the export folder of the open run
};
// Logs
struct SearchLogs {
  std::string text;
};                       ///< through the whole files of the open run; empty: back to their ends
struct EarlierLines {};  ///< more of what the files hold before what is shown
struct OpenFolder {
  std::string path;
};  ///< in the file manager; empty: that of the open run

// Launch form
struct EditField {
  std::string key;
  std::string text;
};  ///< "optimizer.lr", "0.01"
struct SelectPreset {
  std::string name;
  bool quick = false;  ///< at its quick scale
};
struct ResetForm {};
struct UseSettings {
  std::string id;
};  ///< of an earlier run, in the form
struct PickDevice {
  std::string uuid;
  bool on = true;
};
struct SetCpuRanks {
  int ranks = 2;
};
struct PickDevices {
  std::vector<std::string> uuids;
};  ///< these and no others, in the order of the ranks

// Runs list
struct SetRunFilter {
  std::string text;
};
struct SortRuns {
  TableSort sort;
};
struct SelectRun {
  std::string id;
};
struct MarkRun {
  std::string id;
  bool on = true;
};
struct ClearMarks {};
struct SetCompareAxis {
  XAxis axis = XAxis::kEpoch;
};
struct SetCompareMetric {
  std::string name;
};  ///< a named value that is compared too; empty: none
struct EditLabels {
  std::string id;
  std::string name;
  std::string tags;  ///< as typed, parted by commas
  std::string note;
};
struct TrashRun {
  std::string id;
};
struct UndoTrash {};
struct ImportRun {
  std::string path;
};                     ///< copies the run folder there into the list
struct BrowseRuns {};  ///< asks the desktop's own dialog for a folder

// Window
struct SetLight {
  bool on = false;
};
struct SetTextSize {
  double percent = 100;
};
struct ShowKeys {
  bool on = true;
};
struct ShowPalette {
  bool on = true;
};
struct ShowAlertSettings {
  bool on = true;
};
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
struct ShowSettings {
  bool on = true;
};
struct ShowOpenRun {
  bool on = true;
};  ///< the sheet that asks for the path of a run folder
struct ToggleDock {
  Dock dock = Dock::kLogs;
};
struct ToggleColumn {
  std::string key;  ///< of the table of ranks
};
struct ResetLayout {};  ///< panels and columns as they were drawn
struct ResetWindow {};  ///< size, scale, theme and panels as on the first day
struct Quit {};

using Command = std::variant<
    SelectPage, LaunchExperiment, StopRun, ResumeRun, AskStop, AskExport, ExportRun, CancelExport,
    OpenRun, Replay, SetReplaySpeed, SeekReplay, Pause, SetBaseline, CompareWith, CopyText,
    SetXAxis, SetLogScale, SetStepTimeWhole, SetWindow, WholeRun, ToggleRank, ShowOnlyRank,
    ShowAllRanks, ToggleBaseline, MoveCursor, NextEvent, JumpTo, DismissAlerts, SetSmoothing,
    SaveImage, SearchLogs, EarlierLines, OpenFolder, EditField, SelectPreset, ResetForm,
    UseSettings, PickDevice, SetCpuRanks, PickDevices, SetRunFilter, SortRuns, SelectRun, MarkRun,
    ClearMarks, SetCompareAxis, SetCompareMetric, EditLabels, TrashRun, UndoTrash, ImportRun,
    BrowseRuns, SetLight, SetTextSize, ShowKeys, ShowPalette, ShowAlertSettings, SetAlertRule,
    SetAlertNotify, SetAlertCommand, TryAlerts, ShowSettings, ShowOpenRun, ToggleDock, ToggleColumn,
    ResetLayout, ResetWindow, Quit>;
using CommandQueue = std::vector<Command>;

/// Word of a page and of an axis: "Live", "Epoch".
const char* name_of(Page page);
const char* name_of(XAxis axis);
/// The page as options and files name it: "live".
const char* key_of(Page page);

}  // namespace ringside::view
