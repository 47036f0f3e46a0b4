// What a person asked for, as data. Panels append to a queue; the session carries it out after the
// frame.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/messages/run_spec.h"

namespace ringside::view {

enum class Place : std::uint8_t { kLaunch, kLive, kScaling, kSampler, kRuns };
enum class XAxis : std::uint8_t { kStep, kEpoch, kTime, kSamples };
enum class StopMode : std::uint8_t { kCheckpoint, kNow };

struct SelectPlace {
  Place place = Place::kLive;
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
struct AskStop {
  bool open = true;
};  ///< opens or closes the question
struct ExportCsv {
  std::string id;
};  ///< empty: the open run
struct OpenRun {
  std::string id;
};
struct Replay {
  std::string id;
  double speed = 1;
};
struct SetBaseline {
  std::string id;
};  ///< empty: none
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

// Launch form
struct EditField {
  std::string key;
  std::string text;
};  ///< "optimizer.lr", "0.01"
struct SelectPreset {
  std::string name;
};
struct ResetForm {};
struct PickDevice {
  std::string uuid;
  bool on = true;
};
struct SetCpuRanks {
  int ranks = 2;
};
struct ClearDevices {};

// Runs list
struct SetRunFilter {
  std::string text;
};
struct SortRuns {
  int column = 0;
};
struct SelectRun {
  std::string id;
};

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
struct Quit {};

using Command = std::variant<SelectPlace, LaunchExperiment, StopRun, AskStop, ExportCsv, OpenRun,
                             Replay, SetBaseline, CopyText, SetXAxis, SetLogScale, SetStepTimeWhole,
                             SetWindow, WholeRun, ToggleRank, ShowOnlyRank, ShowAllRanks,
                             ToggleBaseline, MoveCursor, NextEvent, EditField, SelectPreset,
                             ResetForm, PickDevice, SetCpuRanks, ClearDevices, SetRunFilter,
                             SortRuns, SelectRun, SetLight, SetTextSize, ShowKeys, Quit>;
using CommandQueue = std::vector<Command>;

/// Word of a place and of an axis: "Live", "Epoch".
const char* name_of(Place place);
const char* name_of(XAxis axis);

}  // namespace ringside::view
