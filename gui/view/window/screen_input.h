// All that the window shows, from what the session knows: filled by the session once a frame, drawn
// by the screen. Plain data; the pointers live as long as the session's next update.
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
#include "gui/view/window/machine_board.h"
#include "gui/view/window/machine_view.h"
#include "gui/view/window/status_bar.h"
#include "gui/view/window/top_bar.h"

namespace ringside::view {

/// The open run. `charts` moves with every record, `numbers` at most four times a second, so that
/// they can be read.
struct LiveInput {
  const model::RunModel* model = nullptr;  ///< null: no run is open
  RunContext context;
  BaselineContext baseline;
  std::uint64_t baseline_revision = 0;
  ChartChoice choice;
  std::span<const RankText> texts;
  const LogSearch* search = nullptr;  ///< through the whole files of the run
  bool can_read_earlier = false;      ///< the files hold more before what was read
  std::uint64_t chart_revision = 0;
  std::uint64_t number_revision = 0;
};

struct LaunchInput {
  const LaunchForm* form = nullptr;
  const ScriptForm* script = nullptr;   ///< the form is its settings; null: our trainer is to run
  const SlurmForm* slurm = nullptr;     ///< null: this machine has no Slurm
  std::span<const std::string> sbatch;  ///< what it would get; empty: not known
  std::span<const RecentScript> recent_scripts;
  const MachineSummary* machine = nullptr;
  std::span<const BaselineChoice> baselines;
  std::span<const CheckView> checks;
  std::span<const PresetChoice> presets;
  bool busy = false;
  std::string problem;         ///< why the last start failed
  std::uint64_t revision = 0;  ///< of this whole input
};

struct RunsInput {
  std::span<const RunSummary> runs;
  RunsChoice choice;
  std::int64_t now_wall_ns = 0;
  std::uint64_t revision = 0;
  std::span<const ComparedRun> compared;  ///< the marked ones, as far as they are read
  std::uint64_t compared_revision = 0;
  std::size_t unread = 0;  ///< runs of which only the folder is known yet
  bool looked = true;      ///< false: which runs there are is not known yet
  std::string elsewhere;   ///< how it stands with those of another machine; empty: of this one
};

/// The run whose samples are shown: the open one, or another that was chosen on the page.
struct SamplerInput {
  const model::RunModel* model = nullptr;  ///< null: no run is open or chosen
  std::string id;
  int number = 0;
  std::string title;
  SamplerChoice choice;
  std::uint64_t revision = 0;  ///< moves at most four times a second
};

struct ScalingInput {
  const StudyFacts* facts = nullptr;  ///< null: no study
  std::span<const StudyName> names;   ///< all there are, newest first
  std::span<const StudyName> ready;   ///< ready-made ones, to be measured
  ScalingMetric metric = ScalingMetric::kSpeedup;
  std::string selected;                      ///< setting
  bool looked = false;                       ///< false: which studies there are is not known yet
  bool asking = false;                       ///< the form is open
  StudyFormView form;                        ///< filled while it is
  const WaterfallView* waterfall = nullptr;  ///< of the chosen setting; null: none, or being read
  std::string waterfall_run;                 ///< its id
  std::string elsewhere;  ///< how it stands with those of another machine; empty: of this one
  std::uint64_t revision = 0;
};

/// What the Timeline page shows of the open run or of a trace.
struct TimelineInput {
  const model::Timeline* timeline = nullptr;  ///< null: nothing, or being read
  const Table* operations = nullptr;          ///< what differs in it
  std::vector<std::string> sources;           ///< to choose from
  std::size_t chosen = 0;
  double share = -1;    ///< of the reading, 0 .. 1; below 0: nothing is read
  std::string problem;  ///< why it cannot be shown
  bool has_run = false;
  bool can_profile = false;
  std::uint64_t revision = 0;         ///< of the timeline
  std::uint64_t source_revision = 0;  ///< of what is chosen
};

/// Something to tell that belongs to no panel; it stays until closed or replaced.
struct Message {
  std::uint64_t number = 0;  ///< 0: none
  Tone tone = Tone::kText;
  std::string text;                ///< empty: none
  std::string action;              ///< word of a button beside it; empty: none
  std::optional<Command> command;  ///< what it asks for
  double share = -1;               ///< progress of the work, 0 .. 1; below 0: no bar
};

/// The question before an export.
struct ExportInput {
  bool asking = false;
  ExportFacts facts;
};

/// What was chosen in the desktop's own dialog, and how often one was: the same may be chosen
/// again.
struct Browsed {
  std::string path;
  int times = 0;
};

/// What lies over the page.
struct Sheets {
  bool stop = false;  ///< the question before a stop
  bool keys = false;
  bool manual = false;  ///< over all the others, which come back behind it
  bool palette = false;
  bool settings = false;
  bool alerts = false;      ///< their settings
  bool open = false;        ///< asks for the path of a run folder
  bool doctor = false;      ///< the checks of this machine
  bool waterfall = false;   ///< where the rest of the ideal speedup went
  bool tries = false;       ///< what may make it quicker
  bool experiment = false;  ///< what was published beside it
  bool machines = false;    ///< whose runs can be shown
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
  bool can_browse = false;   ///< the desktop has a dialog of its own
  Browsed browsed;           ///< what was chosen in it
  MachineFacts machine;      ///< whose runs these are
  ManualInput manual;
};

}  // namespace ringside::view
