// Presses random keys and controls on every kind of run: nothing may fail, and every frame must be
// drawn. Commands are carried out as far as the screen can show it. `./dev monkey` continues with
// more seeds under the sanitizers; tests/integration/dashboard has the same test with a complete
// session behind the screen.
#include "tests/gui/ui/monkey.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "protocol/runlog/log_reader.h"
#include "tests/gui/runs/run_on_disk.h"
#include "tests/gui/ui/launch_input.h"
#include "tests/gui/ui/made_manual.h"
#include "tests/support/catch.h"
#include "tests/support/nonsense.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using test::Monkey;
using test::NullScreen;

namespace {

enum class Kind : int {
  kNothing,
  kOne,
  kEight,
  kSixtyFour,
  kFailed,
  kNan,
  kDamaged,
  kReplayed,
  kNonsense
};

support::DemoOptions options_of(Kind kind) {
  support::DemoOptions options = support::demo_small(kind == Kind::kOne         ? 1
                                                     : kind == Kind::kSixtyFour ? 64
                                                                                : 8);
  if (kind == Kind::kFailed) options.killed_rank = 5;
  if (kind == Kind::kNan) options.nan_from = 20;
  if (kind == Kind::kReplayed) options.lose_every = 7;
  return options;
}

model::RunModel model_of(Kind kind) {
  const support::DemoOptions options = options_of(kind);
  model::RunModel model(support::demo_spec(options));
  if (kind == Kind::kNonsense) {
    support::Nonsense(test::monkey_seed()).play(model);
    return model;
  }
  if (kind != Kind::kDamaged) {
    support::play_demo(options, model);
    return model;
  }
  const TempFolder folder;
  const auto run = support::make_run(folder.path(), "20261121T134005Z-7f3a1c", options);
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(run.log_path(0)));
  std::fstream file(run.log_path(0), std::ios::in | std::ios::out | std::ios::binary);
  for (const std::streamoff at : {size / 5, size / 2, size * 3 / 4}) {
    file.seekp(at);
    file.write("damaged", 7);
  }
  file.close();
  const auto log = runlog::read_log(run.log_path(0), model);
  REQUIRE(log);
  REQUIRE(log->skipped_bytes > 0);
  return model;
}

/// The input that a session would give for one kind of run, and its reaction to commands.
class MonkeyRig {
 public:
  MonkeyRig(Kind kind, view::ScreenInput& input)
      : kind_(kind), model_(model_of(kind)), input_(input) {
    for (std::size_t i = 0; i < 20; ++i) {
      runs_[i].id = "20261121T13401" + std::to_string(i) + "Z-7f3a1c";
      runs_[i].number = static_cast<int>(i) + 1;
      runs_[i].title = "größer ☃ " + std::string(i * 7, 'x');
      runs_[i].figures.loss.assign(i, 1.0F);
    }
    launch_.add_gpus(kind == Kind::kEight ? 8 : 0);
    launch_.open(input);
    input.page = view::Page::kLive;
    input.runs.runs = runs_;
    input.runs.compared = compared_;
    input.exporting.facts = {{"20261121T134005Z-7f3a1c"}, "#7", "/nowhere/export", kTables, false};
    input.live.texts = texts_;
    if (kind != Kind::kNothing) open_run();
  }
  MonkeyRig(const MonkeyRig&) = delete;
  MonkeyRig& operator=(const MonkeyRig&) = delete;

  void carry_out(const view::Command& command) {
    about_sheets(command);
    about_charts(command);
    about_runs(command);
    about_launch(command);
    ++input_.live.number_revision;
    ++input_.runs.compared_revision;
  }

 private:
  void open_run() {
    view::LiveInput& live = input_.live;
    live.model = &model_;
    live.context.id = "20261121T134005Z-7f3a1c";
    live.context.number = 1042;
    live.context.contact = kind_ == Kind::kReplayed  ? view::Contact::kReplay
                           : kind_ == Kind::kDamaged ? view::Contact::kInterrupted
                           : kind_ == Kind::kFailed  ? view::Contact::kEnded
                                                     : view::Contact::kLive;
    live.context.replaying = kind_ == Kind::kReplayed;
    live.context.replay_speed = 4;
    live.context.log_skipped_bytes = kind_ == Kind::kDamaged ? 4096 : 0;
    live.context.now_ns = model_.last_ns() + 12'000'000;
    live.chart_revision = model_.revision();
    live.number_revision = model_.revision();
    if (kind_ == Kind::kEight) live.baseline = {&baseline_, "20261120T101500Z-00aa11", 983};
  }

  void about_sheets(const view::Command& command) {
    view::ScreenInput& input = input_;
    if (const auto* place = view::as<view::SelectPage>(command)) input.page = place->page;
    if (const auto* keys = view::as<view::ShowKeys>(command)) input.sheets.keys = keys->on;
    if (const auto* shown = view::as<view::ShowManual>(command)) {
      input.sheets.manual = shown->on;
      input.manual = {&manual_, {}, {"ssh", shown->section}, input.manual.times + 1};
    }
    if (const auto* open = view::as<view::ShowPalette>(command)) input.sheets.palette = open->on;
    if (const auto* open = view::as<view::ShowMachines>(command)) input.sheets.machines = open->on;
    if (const auto* open = view::as<view::ShowSettings>(command)) input.sheets.settings = open->on;
    if (const auto* open = view::as<view::ShowOpenRun>(command)) input.sheets.open = open->on;
    if (const auto* ask = view::as<view::AskStop>(command)) input.sheets.stop = ask->open;
    if (const auto* ask = view::as<view::AskExport>(command)) input.exporting.asking = ask->open;
    if (const auto* shown = view::as<view::ShowAlertSettings>(command))
      input.sheets.alerts = shown->on;
    auto& off = input.live.context.rules_off;
    if (const auto* rule = view::as<view::SetAlertRule>(command)) off.set(rule->rule, !rule->on);
    input.alerts = view::build_alert_settings(off);
  }

  void about_charts(const view::Command& command) {
    view::ChartChoice& choice = input_.live.choice;
    view::RunContext& context = input_.live.context;
    if (const auto* axis = view::as<view::SetXAxis>(command)) choice.axis = axis->axis;
    if (const auto* scale = view::as<view::SetLogScale>(command)) choice.logarithmic = scale->on;
    if (const auto* smooth = view::as<view::SetSmoothing>(command))
      choice.smoothing = smooth->steps;
    if (const auto* window = view::as<view::SetWindow>(command))
      choice.window = {window->begin, window->end};
    if (const auto* jump = view::as<view::JumpTo>(command))
      choice.window = {std::max(0.0, jump->step - 20), jump->step + 20};
    if (view::as<view::WholeRun>(command) != nullptr) choice.window = {};
    if (const auto* cursor = view::as<view::MoveCursor>(command)) choice.cursor_step = cursor->step;
    if (const auto* only = view::as<view::ShowOnlyRank>(command)) choice.hidden = {only->rank};
    if (view::as<view::ShowAllRanks>(command) != nullptr) choice.hidden.clear();
    if (const auto* paused = view::as<view::Pause>(command)) context.paused = paused->on;
    if (const auto* share = view::as<view::SeekReplay>(command))
      context.replay_share = share->share;
    if (const auto* speed = view::as<view::SetReplaySpeed>(command))
      context.replay_speed = speed->speed;
    ++input_.live.chart_revision;
  }

  void about_runs(const view::Command& command) {
    view::RunsChoice& choice = input_.runs.choice;
    if (const auto* filter = view::as<view::SetRunFilter>(command)) choice.filter = filter->text;
    if (const auto* sort = view::as<view::SortRuns>(command)) choice.sort = sort->sort;
    if (const auto* wanted = view::as<view::SetCompare>(command)) choice.compare = wanted->choice;
    if (const auto* select = view::as<view::SelectRun>(command)) choice.selected = select->id;
    if (const auto* mark = view::as<view::MarkRun>(command)) {
      if (mark->on) choice.marked.insert(mark->id);
      if (!mark->on) choice.marked.erase(mark->id);
    }
    if (view::as<view::ClearMarks>(command) != nullptr) choice.marked.clear();
  }

  void about_launch(const view::Command& command) {
    view::LaunchForm& form = launch_.form;
    if (const auto* edit = view::as<view::EditField>(command)) form.edit(edit->key, edit->text);
    if (const auto* pick = view::as<view::PickDevice>(command))
      form.pick_device(pick->uuid, pick->on);
    if (const auto* ranks = view::as<view::SetCpuRanks>(command)) form.set_cpu_ranks(ranks->ranks);
    if (const auto* these = view::as<view::PickDevices>(command)) form.pick_devices(these->uuids);
    if (view::as<view::ResetForm>(command) != nullptr) form.reset();
    input_.launch.revision = form.revision();
  }

  static constexpr std::array<std::string_view, 2> kTables{"steps", "epochs"};
  Kind kind_;
  model::RunModel model_;
  model::RunModel baseline_ = model_of(Kind::kOne);
  std::vector<view::RunSummary> runs_{20};
  std::vector<view::ComparedRun> compared_{{&model_, {}}, {&baseline_, {}}};
  std::array<view::RankText, 2> texts_{
      view::RankText{0, false, "\x1b[31mred\x1b[0m and \xff\xfe broken\nline two\r\rline", false},
      view::RankText{1, true, "Traceback (most recent call last):\n  at\nError: ☃", true}};
  manual::Manual manual_ = test::made_manual();
  test::LaunchController launch_;
  view::ScreenInput& input_;
};

}  // namespace

TEST_CASE("a monkey at the keyboard breaks nothing") {
  const auto kind =
      GENERATE(Kind::kNothing, Kind::kOne, Kind::kEight, Kind::kSixtyFour, Kind::kFailed,
               Kind::kNan, Kind::kDamaged, Kind::kReplayed, Kind::kNonsense);
  const unsigned seed = test::monkey_seed();
  INFO("run " << static_cast<int>(kind) << ", RINGSIDE_MONKEY_SEED=" << seed);
  NullScreen screen;
  MonkeyRig rig(kind, screen.input);
  Monkey monkey(screen, seed * 10U + static_cast<unsigned>(kind));
  for (int i = 0; i < 500; ++i) {
    monkey.act();
    for (const view::Command& command : screen.commands()) {
      rig.carry_out(command);
      monkey.carry_out(command);
    }
  }
  CHECK(screen.vertices() > 100);
  CHECK(std::isfinite(ImGui::GetIO().MousePos.x));
}
