// Owns and connects what the window shows: the open run, the Launch and Runs pages, and their
// background jobs. Each frame it takes in new data, fills the input of the screen, and then carries
// out the person's commands. Main thread; nothing here blocks.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/session/export_controller.h"
#include "gui/session/folder_controller.h"
#include "gui/session/jobs.h"
#include "gui/session/launch/launch_controller.h"
#include "gui/session/machines/board_controller.h"
#include "gui/session/machines/doctor_controller.h"
#include "gui/session/machines/machine_controller.h"
#include "gui/session/manual_controller.h"
#include "gui/session/message_line.h"
#include "gui/session/run/compare_controller.h"
#include "gui/session/run/following.h"
#include "gui/session/run/open_run.h"
#include "gui/session/run/profile_controller.h"
#include "gui/session/run/sampler_controller.h"
#include "gui/session/run/stack_controller.h"
#include "gui/session/run/timeline_controller.h"
#include "gui/session/run/what_if_controller.h"
#include "gui/session/runs_controller.h"
#include "gui/session/studies/study_controller.h"
#include "gui/session/studies/try_controller.h"
#include "gui/session/window/alert_controller.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

/// State that is kept when the window switches to another machine.
struct CarriedState {
  std::vector<std::string> watched;  ///< machines of the board
  std::optional<messages::RunSpec>
      settings{};           ///< settings of the Launch form; nothing: the preset's
  std::string partition{};  ///< Slurm partition of the next run
};

class Session {
 public:
  struct Options {
    std::filesystem::path runs_dir;
    std::string preset = "demo";
    std::string run;  ///< opened at the start; empty: none
    double replay_speed = 0;
    std::string page;                  ///< lower-case name; empty: live with a run, else launch
    bool live = false;                 ///< closed on Live, which is shown again if a run is active
    std::vector<std::string> compare;  ///< runs that are marked at the start
    view::RunsChoice list;             ///< columns, order, groups and Compare as they were left
    view::ChartChoice charts = view::first_style();  ///< how charts of a run are drawn
    std::string show;  ///< settings, keys, commands or doctor: open at the start
    std::optional<OtherMachine> machine = {};  ///< if set, `runs_dir` has its copies
    CarriedState carried = {};
  };

  /// `wake` is called from other threads when update() has new data.
  Session(Options options, std::function<void()> wake);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Loads the preset and opens the run. A bad request says what is wrong with them.
  Result<void> start();

  /// Takes in new data, within the time of a frame. True if the screen must be rebuilt. `records`:
  /// also reads new records of the open run; else its display is unchanged.
  bool update(bool records = true);
  /// Seconds until update() is worth calling without a wake-up.
  double next_update_s(bool records = true) const;
  view::ScreenInput input() const;
  /// Carries out the commands; returns those for the window itself (theme, text size, clipboard,
  /// quit).
  std::vector<view::WindowCommand> execute(const view::CommandQueue& commands);

  /// Opens the first of the dropped files, or makes it the script of the next run. Shows errors,
  /// and which files were ignored.
  void open_dropped(const std::vector<std::string>& paths);

  view::Page page() const { return page_; }
  /// Returns the part of the choice that is kept for other runs.
  view::RunsChoice list_choice() const;
  /// Returns the state to keep for the chosen machine. Settings of a script are left out, since its
  /// paths are those of this machine.
  CarriedState carried_to(const view::SelectMachine& chosen) const;
  const view::ChartChoice& chart_choice() const { return options_.charts; }

  /// Whether the moment that a test script waits for was reached: "ready", "training" or
  /// "finished".
  bool reached(const std::string& moment) const;
  MessageLine& line() { return line_; }

 private:
  Result<void> open(const std::string& text, double replay_speed);
  void open_listed(const runs::ListedRun& run, messages::RunSpec spec, double replay_speed);
  void open_or_notify(const std::string& text, double replay_speed);
  void compare_with(const std::string& id);
  void offer_baselines();
  void started(const launch::Started& runs);
  void follow_next();
  void attach();
  bool update_opened(bool records);
  void go_to(view::Page page);
  void look_for_timelines(bool newest = false);
  view::LiveInput live_input() const;  ///< input of the open run; no model: none
  std::string open_folder() const;     ///< folder of the open run; empty: none

  void apply(const view::PageCommand& command);
  void apply(const view::RunCommand& command, std::vector<view::WindowCommand>& rest);
  void apply(const view::SheetCommand& command);
  void ask_note(const view::AskNote& wanted);
  void take_over(const CarriedState& carried);
  void launch();
  void prove(const analysis::StepChange& change);
  void apply(const view::TryCommand& command);
  void stop(const std::string& id, view::StopMode mode);
  void resume(const std::string& id);
  void select_preset(const view::SelectPreset& preset);
  void use_settings(const std::string& id);
  void choose_script(const std::string& path);
  void set_baseline(const std::string& id);
  void fix_sampling(const std::string& id);
  void open_foreign(const std::vector<std::string>& paths);
  bool done_elsewhere(const view::Command& command);
  void select_machine(const view::SelectMachine& wanted, std::vector<view::WindowCommand>& rest);
  std::filesystem::path export_folder() const;
  void open_named(const std::string& text);
  void save_lines(const view::SaveLines& wanted);
  /// A chart with the data that its files need.
  struct ChartSource {
    view::ChartView chart;
    std::string heading;
    std::filesystem::path folder;
    std::int64_t first_step = 1;
    std::filesystem::path run{};  ///< the run's folder
  };
  /// `picture`: thinned for drawing; else one row per step.
  std::optional<ChartSource> chart_of(const std::string& name, bool picture) const;
  std::optional<ChartSource> compared_chart(const std::string& key, bool picture) const;
  /// Makes the folder of the file. A run folder that is gone is not made again.
  Result<std::string> file_of(const ChartSource& source, const std::string& chart,
                              const char* ending) const;
  void write_chart(const std::string& path, std::string text);
  void save_image(const view::SaveImage& wanted, std::vector<view::WindowCommand>& rest);
  void take_data(const view::ChartData& wanted, std::vector<view::WindowCommand>& rest);

  Options options_;
  std::function<void()> wake_;
  view::Page page_ = view::Page::kLaunch;
  view::Sheets sheets_;
  MessageLine line_;
  Following following_;
  bool follows_ = false;  ///< the open run has finished, and the next one opens
  Jobs jobs_;             // declared first, so destroyed after all members that cancel their jobs
  MachineController machine_;
  LaunchController launch_;
  RunsController runs_;
  CompareController compare_;
  SamplerController sampler_;
  AlertController alerts_;
  DoctorController doctor_;
  BoardController board_;
  ManualController manual_;
  StackController stacks_;
  TimelineController timeline_;
  ProfileController profile_;
  WhatIfController what_if_;
  TryController tries_;
  ExportController export_;
  StudyController studies_;
  FolderController folders_;
  std::unique_ptr<OpenedRun> opened_;
};

}  // namespace ringside::session
