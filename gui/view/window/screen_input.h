// Everything the window shows, filled once a frame by the session and drawn by the screen. Plain
// data; the pointers are valid until the session's next update.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gui/model/timeline/timeline.h"
#include "gui/view/cached.h"
#include "gui/view/command.h"
#include "gui/view/launch/launch_view.h"
#include "gui/view/launch/slurm_form.h"
#include "gui/view/live/log_view.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/stack_view.h"
#include "gui/view/manual/manual_places.h"
#include "gui/view/runs/compare_view.h"
#include "gui/view/runs/export_question.h"
#include "gui/view/runs/runs_view.h"
#include "gui/view/sampler/sampler_view.h"
#include "gui/view/scaling/study_facts.h"
#include "gui/view/scaling/study_form.h"
#include "gui/view/scaling/tries.h"
#include "gui/view/scaling/waterfall_view.h"
#include "gui/view/scaling/what_if_view.h"
#include "gui/view/window/alert_settings.h"
#include "gui/view/window/doctor_view.h"
#include "gui/view/window/file_chooser.h"
#include "gui/view/window/machine_board.h"
#include "gui/view/window/machine_view.h"
#include "gui/view/window/status_bar.h"
#include "gui/view/window/top_bar.h"

namespace ringside::view {

/// The open run. `charts` changes with every record, `numbers` at most four times a second, so that
/// they stay readable.
struct LiveInput {
  const model::RunModel* model = nullptr;  ///< null: no run is open
  RunContext context;
  BaselineContext baseline;
  std::uint64_t baseline_revision = 0;
  ChartChoice choice;
  std::span<const RankText> texts;
  const LogSearch* search = nullptr;  ///< search in the whole files of the run
  bool can_read_earlier = false;      ///< the files hold more before the first line that was read
  std::uint64_t chart_revision = 0;
  std::uint64_t number_revision = 0;
};

struct LaunchInput {
  const LaunchForm* form = nullptr;
  const ScriptForm* script = nullptr;   ///< the form uses its settings; null: Ringside's trainer
  const SlurmForm* slurm = nullptr;     ///< null: this machine has no Slurm
  std::span<const std::string> sbatch;  ///< the script that Slurm would get; empty: not known
  std::span<const RecentScript> recent_scripts;
  const MachineSummary* machine = nullptr;
  std::span<const BaselineChoice> baselines;
  std::span<const CheckView> checks;
  std::span<const PresetChoice> presets;
  bool busy = false;
  std::string problem;         ///< why the last start failed
  std::uint64_t revision = 0;  ///< revision of this whole input
};

struct RunsInput {
  std::span<const RunSummary> runs;
  RunsChoice choice;
  std::int64_t now_wall_ns = 0;
  std::uint64_t revision = 0;
  std::span<const ComparedRun> compared;  ///< the marked runs whose files have been read
  std::uint64_t compared_revision = 0;
  std::size_t unread = 0;  ///< number of runs of which only the folder is known yet
  bool looked = true;      ///< false: the existing runs are not known yet
  std::string elsewhere;   ///< state of the connection to another machine; empty: this machine
};

/// The run whose samples are shown: the open run, or one that was chosen on the page.
struct SamplerInput {
  const model::RunModel* model = nullptr;  ///< null: no run is open or chosen
  std::string id;
  int number = 0;
  std::string title;
  SamplerChoice choice;
  std::uint64_t revision = 0;  ///< changes at most four times a second
};

struct ScalingInput {
  const StudyFacts* facts = nullptr;  ///< null: no study
  std::span<const StudyName> names;   ///< all studies, newest first
  std::span<const StudyName> ready;   ///< ready-made studies that have not been measured
  ScalingMetric metric = ScalingMetric::kSpeedup;
  std::string selected;                      ///< key of the selected setting
  bool looked = false;                       ///< false: the existing studies are not known yet
  bool asking = false;                       ///< the form is open
  StudyFormView form;                        ///< filled while the form is open
  const WaterfallView* waterfall = nullptr;  ///< of the selected setting; null: none, or being read
  std::string waterfall_run;                 ///< id of its run
  std::string elsewhere;                     ///< connection to another machine; empty: this machine
  std::uint64_t revision = 0;
};

/// Input of the Timeline page, for the open run or a trace.
struct TimelineInput {
  const model::Timeline* timeline = nullptr;  ///< null: nothing, or being read
  const Table* operations = nullptr;          ///< differences between ranks
  std::vector<std::string> sources;           ///< names of the timelines that can be chosen
  std::size_t chosen = 0;
  double share = -1;    ///< progress of reading, 0 .. 1; below 0: nothing is being read
  std::string problem;  ///< why it cannot be shown
  bool has_run = false;
  bool can_profile = false;
  std::uint64_t revision = 0;         ///< changes with the timeline
  std::uint64_t source_revision = 0;  ///< changes with the chosen source
};

/// A message that belongs to no panel; it stays until closed or replaced.
struct Message {
  std::uint64_t number = 0;  ///< 0: none
  Tone tone = Tone::kText;
  std::string text;                ///< empty: none
  std::string action;              ///< label of a button beside it; empty: none
  std::optional<Command> command;  ///< command of that button
  double share = -1;               ///< progress of the work, 0 .. 1; below 0: no bar
  std::string copies{};            ///< path that another button copies; empty: none
};

/// The sheet that asks for the options of an export.
struct ExportInput {
  bool asking = false;
  ExportFacts facts;
};

/// The sheets that are open over the page.
struct Sheets {
  bool stop = false;                 ///< the question before stopping a run
  std::optional<std::int64_t> note;  ///< step of the note that is being written
  bool keys = false;
  bool manual = false;  ///< shown over all other sheets, which reappear when it closes
  bool palette = false;
  bool settings = false;
  bool alerts = false;      ///< settings of the alerts
  bool open = false;        ///< asks for the path of a run folder
  bool doctor = false;      ///< the checks of this machine
  bool waterfall = false;   ///< what the ideal speedup was lost to
  bool tries = false;       ///< changes that may make the run quicker
  bool experiment = false;  ///< published results beside the run
  bool machines = false;    ///< machines whose runs can be shown
};

struct ScreenInput {
  Page page = Page::kLaunch;
  LiveInput live;
  LaunchInput launch;
  RunsInput runs;
  SamplerInput sampler;
  ScalingInput scaling;
  TimelineInput timeline;
  BoardInput board;
  std::optional<LastResult> last;
  Message message;
  ExportInput exporting;
  Sheets sheets;
  AlertSettingsView alerts;  ///< filled while it is shown
  DoctorView doctor;         ///< filled while it is shown
  StackView stack;           ///< filled while it is open
  WhatIfInput what_if;       ///< filled while the waterfall is shown
  TryView tries;             ///< filled while it is shown
  ChooserInput chooser;      ///< the chooser of files and folders
  Browsed browsed;           ///< its last choice for a field of a sheet
  MachineFacts machine;      ///< machine whose runs these are
  ManualInput manual;
};

}  // namespace ringside::view
