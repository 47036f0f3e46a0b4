// Tests every page and sheet in windows from 300 x 200 to 4K, at text sizes up to 300 %: no text
// overlaps another or is cut by its panel; content that does not fit is scrolled to or left out.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/item_watch.h"
#include "gui/ui/layout.h"
#include "gui/view/window/manual_pages.h"
#include "gui/view/window/sheet_labels.h"
#include "protocol/messages/records.h"
#include "tests/gui/analysis/made_shards.h"
#include "tests/gui/ui/launch_input.h"
#include "tests/gui/ui/made_board.h"
#include "tests/gui/ui/made_manual.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/gui/view/groups/made_groups.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

struct Room {
  float width;
  float height;
  float scale;
};

constexpr std::string_view kTableNames[] = {"steps", "epochs",  "buckets", "devices", "hosts",
                                            "ranks", "notices", "scalars", "shards"};

/// Returns the layer of a text: sheets and popups above the page have names of their own.
std::string layer_of(const ui::DrawnText& text) {
  return text.window.substr(0, text.window.find('/'));
}

bool on_each_other(const ui::Rect& a, const ui::Rect& b) {
  const float across = std::min(a.right(), b.right()) - std::max(a.x, b.x);
  const float down = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
  return across > 2 && down > 2;
}

void check_texts() {
  std::vector<const ui::DrawnText*> seen;
  for (const ui::DrawnText& text : ui::drawn_texts()) {
    if (text.visible.empty()) continue;
    seen.push_back(&text);
    if (text.cut) FAIL_CHECK("cut: \"" << text.text << "\" in " << text.window);
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (!on_each_other(seen[i]->visible, seen[k]->visible) ||
          layer_of(*seen[i]) != layer_of(*seen[k]))
        continue;
      FAIL_CHECK("\"" << seen[i]->text << "\" lies on \"" << seen[k]->text << "\" in "
                      << seen[i]->window);
    }
  }
  CHECK(!seen.empty());
}

/// Draws until sizes that depend on the previous frame are stable, then checks the texts.
void check_room(NullScreen& screen) {
  for (int i = 0; i < 3; ++i) screen.frame();
  check_texts();
}

std::vector<view::RunSummary> long_runs() {
  std::vector<view::RunSummary> runs;
  for (int i = 30; i >= 1; --i) {
    view::RunSummary run;
    run.id = "20261121T1340" + std::to_string(10 + i) + "Z-7f3a1c";
    run.number = 1000 + i;
    run.title = i % 2 == 0 ? "resnet50 · cifar10 · 4 GPUs" : std::string(60, 'W');
    run.outcome = i % 3 == 0 ? view::RunOutcome::kInterrupted : view::RunOutcome::kFinished;
    run.ranks = i % 4 == 0 ? 1024 : 4;
    run.global_batch = 131'072;
    run.figures.loss = {2.3F, 1.2F, 0.6F};
    run.figures.best_val_accuracy = 0.7531;
    run.figures.seconds = 36'125;
    run.figures.speedup = 3.41;
    run.tags = {"rank 1 was killed (SIGKILL)", "lr 0.08"};
    run.model = "resnet50";
    run.data = "cifar10";
    run.folder = "/data/runs/" + run.id;
    run.figures.started_wall_ns = 1'795'271'067'000'000'000;
    runs.push_back(run);
  }
  return runs;
}

Room any_room() {
  return GENERATE(Room{300, 200, 1}, Room{300, 200, 3}, Room{640, 400, 1}, Room{800, 500, 1},
                  Room{800, 500, 2}, Room{800, 500, 3}, Room{1280, 720, 1}, Room{1280, 720, 2},
                  Room{1280, 720, 3}, Room{1600, 900, 1}, Room{1600, 900, 2},
                  Room{1920, 1080, 1.5F}, Room{3840, 2160, 1}, Room{3840, 2160, 2},
                  Room{3840, 2160, 3});
}

NullScreen& in(Room room, std::optional<NullScreen>& screen) {
  screen.emplace(room.width, room.height, ui::fitting_scale(room.scale, room.width, room.height));
  UNSCOPED_INFO(room.width << " x " << room.height << " at " << room.scale);
  return *screen;
}

}  // namespace

TEST_CASE("texts of the Live page do not overlap in any window") {
  const Rank ranks = GENERATE(1, 4, 64);
  auto options = support::demo_small(ranks);
  options.metrics = ranks == 1 ? 0 : 9;
  const OpenDemo demo(options);
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  demo.open(screen.input);
  INFO(ranks << " ranks");
  for (int tab = 0; tab < static_cast<int>(view::TableTab::kCount); ++tab) {
    screen.memory.live.table_tab = static_cast<view::TableTab>(tab);
    screen.memory.live.chart_tab = tab % 2;
    check_room(screen);
  }
}

TEST_CASE("texts of the groups of a mesh do not overlap in any window") {
  const bool many = GENERATE(false, true);
  const support::MadeRun run = support::run_of(
      {.mesh = many ? support::hsdp_8x8() : support::hsdp_2x2(), .steps = 30, .late = 2});
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  screen.input.page = view::Page::kLive;
  screen.input.live.model = &run.model();
  screen.input.live.context.now_ns = run.model().last_ns();
  screen.memory.live.table_tab = view::TableTab::kGroups;
  check_room(screen);
  screen.memory.live.groups.open = {"dp_shard/all-gather"};
  screen.memory.live.groups.chosen = "0-1";
  ++screen.input.live.number_revision;
  check_room(screen);
}

TEST_CASE(
    "texts of the Live page do not overlap with a baseline, while training and after a failure") {
  const OpenDemo baseline(support::demo_small(1));
  support::DemoOptions options = support::demo_small(4);
  const bool failed = GENERATE(false, true);
  options.finish = false;
  if (failed) options.killed_rank = 3;
  const OpenDemo demo(options);
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  demo.open(screen.input);
  screen.input.live.baseline = {&baseline.model, "20261120T101500Z-00aa11", 983};
  screen.input.live.baseline_revision = baseline.model.revision();
  if (failed) screen.input.live.context.contact = view::Contact::kEnded;
  check_room(screen);
}

TEST_CASE("texts of the Live page do not overlap with long steps or a drop close to the stop") {
  auto options = support::demo_run();
  options.steps = 40 * 98 + 30;
  options.late_ms = 1653;
  OpenDemo demo(options);
  messages::RankState stopped;
  stopped.state = messages::State::kStopped;
  stopped.about = kNoRank;
  demo.model.accept({0, kNoRank, 1'000'000, demo.model.last_ns() + 1}, stopped);
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  demo.open(screen.input);
  screen.input.live.context.contact = view::Contact::kEnded;
  check_room(screen);
}

TEST_CASE("texts of the Launch page do not overlap in any window") {
  const int gpus = GENERATE(0, 8);
  test::LaunchController rig;
  rig.add_gpus(gpus);
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  rig.open(screen.input);
  INFO(gpus << " GPUs");
  check_room(screen);
}

TEST_CASE("texts of the form of a script do not overlap in any window") {
  const std::string state = GENERATE(as<std::string>(), "empty", "filled", "wrong");
  test::ScriptController rig;
  rig.recent = {{"a", "train.py --lr 0.1", "#12, 2 ranks, in /home/someone/vision"},
                {"b", std::string(60, 'W'), "#11, 1024 ranks, in /" + std::string(60, 'w')}};
  if (state == "empty") rig.form = {};
  if (state == "wrong") {
    rig.form.edit(view::script_key::kArguments, "'" + std::string(80, 'w'));
    rig.form.edit(view::script_key::variable_value(1), std::string(40, 'w'));
    rig.form.edit("limits.restarts", "many");
  }
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  rig.open(screen.input);
  INFO(state);
  check_room(screen);
}

TEST_CASE("texts of the Runs page do not overlap in any window") {
  const auto runs = long_runs();
  const int marked = GENERATE(0, 2);
  auto options = support::demo_small(4);
  options.metrics = 3;
  const OpenDemo first(options);
  const OpenDemo second(support::demo_small(1));
  const std::vector<view::ComparedRun> compared{{&first.model, {}}, {&second.model, {}}};
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  screen.input.runs.now_wall_ns = runs.front().figures.started_wall_ns;
  screen.input.runs.choice.selected = runs[3].id;
  screen.input.runs.compared = compared;
  screen.input.runs.choice.compare.metric = "scalar:train/perplexity";
  for (int i = 0; i < marked; ++i)
    screen.input.runs.choice.marked.insert(runs[static_cast<std::size_t>(i)].id);
  INFO(marked << " marked");
  check_room(screen);
  screen.memory.runs.details = true;
  check_room(screen);
}

TEST_CASE("texts of the Machines page do not overlap in any window") {
  const auto machines = test::made_board();
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  screen.input.page = view::Page::kMachines;
  screen.input.board.machines = machines;
  for (const char* row : {"ssh://login", "ssh://unasked", "ssh://never",
                          "ssh://me@a-machine-with-a-long-name.example:2222"}) {
    screen.input.board.selected = row;
    ++screen.input.board.revision;
    INFO(row);
    check_room(screen);
  }
}

TEST_CASE("texts of the Sampler page do not overlap in any window") {
  const Rank ranks = GENERATE(1, 3, 64);
  messages::RunSpec spec;
  spec.devices.world_size = ranks;
  spec.evaluate.mode = "padded";
  spec.sampler.set_epoch = false;
  support::MadeRun run(spec);
  for (const Epoch epoch : {0, 1, 2}) {
    if (epoch == 2) support::restart_run(run, 1, 40, ranks);
    support::draw_epoch(run, epoch, 50'000, 0);
  }
  for (Rank rank = 0; rank < ranks; ++rank)
    run.pass(rank, messages::Phase::kValidate, 2, 10, 2317 + rank, 3334);
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  screen.input.page = view::Page::kSampler;
  screen.input.sampler.model = &run.model();
  screen.input.sampler.id = "20261121T134005Z-7f3a1c";
  screen.input.sampler.title = "resnet50 · cifar10 · 3 GPUs";
  screen.input.sampler.revision = run.model().revision();
  INFO(ranks << " ranks");
  for (int tab = 0; tab < 4; ++tab) {
    screen.memory.sampler.tab = tab;
    screen.input.sampler.choice.per_cell = tab == 1 ? 256 : 1;
    check_room(screen);
  }
}

TEST_CASE("texts of the sheets and dialogs do not overlap in any window") {
  const std::string sheet =
      GENERATE(as<std::string>(), "settings", "keys", "open", "palette", "stop", "export", "busy",
               "message", "path", "progress", "chooser", "note");
  const OpenDemo demo(support::demo_small(2));
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  demo.open(screen.input);
  if (sheet != "note") screen.input.live.model = nullptr;
  if (sheet == "note") screen.input.sheets.note = 40;
  screen.input.live.context.notes = {{40, std::string(60, 'W')}};
  screen.input.sheets.settings = sheet == "settings";
  screen.input.sheets.keys = sheet == "keys";
  screen.input.sheets.open = sheet == "open";
  screen.input.sheets.palette = sheet == "palette";
  screen.input.sheets.stop = sheet == "stop";
  if (sheet == "export" || sheet == "busy") {
    screen.input.exporting.asking = true;
    screen.input.exporting.facts = {
        {"/data/runs/a"}, "#1042", "/data/runs/a/export", kTableNames, sheet == "busy"};
  }
  const view::FolderListing listing{
      {{"runs", true, 0, 0}, {std::string(120, 'W'), false, 4'100'000'000, 1}}, true, {}};
  if (sheet == "chooser") {
    view::ChooserInput& chooser = screen.input.chooser;
    chooser.open = true;
    chooser.use = view::ChooserUse::kSaveFolder;
    chooser.times = 1;
    chooser.begin = chooser.folder = "/data/";
    chooser.listing = &listing;
    screen.memory.chooser.choice.all = true;
  }
  if (sheet == "path" || sheet == "progress") {
    screen.input.message = {1,
                            view::Tone::kError,
                            "cannot write /data/" + std::string(180, 'x') + "/" +
                                std::string(90, 'W') + "/steps.csv: No space left on device",
                            "Cancel",
                            view::CancelExport{},
                            sheet == "progress" ? 0.4 : -1};
  }
  if (sheet == "message") {
    screen.input.message = {1, view::Tone::kInfo,
                            "Run #3 was moved to /home/someone/.local/share/ringside/runs/.trash.",
                            view::label::kUndo, view::UndoTrash{}};
  }
  INFO(sheet);
  check_room(screen);
}

TEST_CASE("texts of the manual do not overlap in any window") {
  const std::string state = GENERATE(as<std::string>(), "page", "list", "found", "keys", "problem");
  manual::Manual manual = test::made_manual();
  manual.pages.push_back(view::keys_page());
  std::optional<NullScreen> holder;
  NullScreen& screen = in(any_room(), holder);
  screen.input.sheets.manual = true;
  if (state != "problem") screen.input.manual.manual = &manual;
  screen.input.manual.problem = "cannot read the manual in /" + std::string(90, 'w');
  screen.input.manual.wanted = {state == "keys" ? "keys" : "ssh", ""};
  screen.input.manual.times = 1;
  screen.frame();
  if (state == "found") screen.memory.manual.typed = "words";
  screen.memory.manual.listed = state == "list";
  INFO(state);
  check_room(screen);
  screen.memory.manual.back_to = 300;
  check_room(screen);
}

TEST_CASE("the check detects overlapping texts and cut texts") {
  NullScreen screen;
  ui::clear_items();
  ImGui_ImplNullPlatform_NewFrame();
  ImGui_ImplNullRender_NewFrame();
  ImGui::GetIO().DisplaySize = screen.size();
  ImGui::NewFrame();
  ImGui::SetNextWindowPos(ImVec2(100, 100));
  ImGui::SetNextWindowSize(ImVec2(200, 100));
  ImGui::Begin("small", nullptr, ImGuiWindowFlags_NoDecoration);
  ui::text_at(120, 130, ui::Type::kBody, 0xffffffffU, "one");
  ui::text_at(122, 131, ui::Type::kBody, 0xffffffffU, "two");
  ui::text_at(280, 160, ui::Type::kBody, 0xffffffffU, "cut at the edge");
  ImGui::End();
  ImGui::Render();
  const auto& texts = ui::drawn_texts();
  REQUIRE(texts.size() == 3);
  CHECK(on_each_other(texts[0].visible, texts[1].visible));
  CHECK_FALSE(texts[0].cut);
  CHECK(texts[2].cut);
  CHECK(texts[2].visible.right() <= 300);
}
