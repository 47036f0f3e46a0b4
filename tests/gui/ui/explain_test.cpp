// Tests that every term on every page has an explanation, shown as a tooltip, and that F1 opens its
// section of the manual.
#include <algorithm>

#include "gui/view/live/rank_table.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/manual/terms.h"
#include "gui/view/runs/run_columns.h"
#include "gui/view/runs/runs_view.h"
#include "tests/gui/analysis/made_shards.h"
#include "tests/gui/ui/launch_input.h"
#include "tests/gui/ui/made_board.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/gui/view/groups/made_groups.h"
#include "tests/gui/view/study_story.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

void check_explained(NullScreen& screen) {
  screen.frame();
  screen.frame();
  for (const std::string& word : ui::unexplained()) {
    INFO("nothing explains " << word << ": see gui/view/manual/terms.cpp");
    CHECK(false);
  }
}

/// Rests the mouse on a drawn text.
void rest_on(NullScreen& screen, const std::string& text) {
  screen.frame();
  const auto found = std::ranges::find(ui::drawn_texts(), text, &ui::DrawnText::text);
  REQUIRE(found != ui::drawn_texts().end());
  ImGui::GetIO().AddMousePosEvent(found->area.middle_x(), found->area.middle_y());
  for (int i = 0; i < 60; ++i) screen.frame();
}

bool is_drawn(const std::string& part) {
  return std::ranges::any_of(ui::drawn_texts(), [&](const ui::DrawnText& text) {
    return text.text.find(part) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("every term of Live has an explanation, in every tab and with all columns") {
  support::DemoOptions options = support::demo_small(4);
  options.nodes = GENERATE(1, 2);
  const OpenDemo demo(options);
  const OpenDemo baseline(support::demo_small(1));
  NullScreen screen(1900, 1000);
  demo.open(screen.input);
  screen.input.live.baseline = {&baseline.model, "first", 1};
  for (const view::TableColumn& column :
       view::build_rank_table(demo.model, screen.input.live.context).table.columns) {
    if (!column.shown) screen.memory.arrangement.rank_columns.toggle(column.key);
  }
  for (int tab = 0; tab < static_cast<int>(view::TableTab::kCount); ++tab) {
    INFO("tab " << tab);
    screen.memory.live.table_tab = static_cast<view::TableTab>(tab);
    check_explained(screen);
  }
  screen.input.sheets.waterfall = true;
  check_explained(screen);
}

TEST_CASE("every term of the other pages has an explanation") {
  NullScreen screen(1900, 1000);
  const support::MadeRun groups = support::run_of({.mesh = support::hsdp_2x2(), .late = 2});
  const auto facts = test::story_study();
  std::vector<view::RunSummary> runs(2);
  runs[0].id = "a";
  runs[1].id = "b";
  const OpenDemo demo(support::demo_small(2));
  demo.open(screen.input);
  screen.input.live.model = &groups.model();
  screen.memory.live.table_tab = view::TableTab::kGroups;
  check_explained(screen);
  screen.input.page = view::Page::kSampler;
  screen.input.sampler.model = &demo.model;
  check_explained(screen);
  screen.input.page = view::Page::kScaling;
  screen.input.scaling.looked = true;
  screen.input.scaling.facts = &facts;
  check_explained(screen);
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  check_explained(screen);
  for (const view::ColumnOffer& offer : view::column_offers(runs)) {
    if (!view::run_column(offer.key).shown) screen.input.runs.choice.columns.toggle(offer.key);
  }
  screen.input.runs.choice.columns.toggle("optimizer.lr");
  check_explained(screen);
  const std::vector<view::ComparedRun> compared{{&demo.model, screen.input.live.context},
                                                {&groups.model(), screen.input.live.context}};
  screen.input.runs.compared = compared;
  screen.input.runs.choice.marked = {"a", "b"};
  check_explained(screen);
  const auto machines = test::made_board();
  screen.input.page = view::Page::kMachines;
  screen.input.board.machines = machines;
  screen.input.board.selected = "ssh://login";
  screen.input.board.revision = 1;
  check_explained(screen);
  const test::LaunchController launch;
  launch.open(screen.input);
  check_explained(screen);
}

TEST_CASE("a tooltip explains the term under the mouse, and F1 opens its section") {
  const OpenDemo demo(support::demo_small(4));
  NullScreen screen;
  demo.open(screen.input);
  screen.memory.live.table_tab = view::TableTab::kRanks;
  const view::Term* const term = view::named_term("Straggler");
  REQUIRE(term != nullptr);
  rest_on(screen, "Last to arrive %");
  CHECK(is_drawn(std::string(term->text.substr(0, 40))));
  screen.press(ImGuiKey_F1);
  REQUIRE(screen.asked<view::ShowManual>());
  CHECK(screen.asked<view::ShowManual>()->topic == term->topic);
  CHECK(screen.asked<view::ShowManual>()->section == term->section);
  rest_on(screen, "Backward");
  CHECK(is_drawn(std::string(view::named_term("Backward")->text.substr(0, 30))));
  rest_on(screen, view::label::kStepBreakdown);
  screen.press(ImGuiKey_F1);
  CHECK(screen.asked<view::ShowManual>()->section == "live");
}

TEST_CASE("an unfair speedup is marked beside the number, and the mark explains it") {
  const OpenDemo demo(support::demo_small(4));
  messages::RunSpec other = support::demo_spec(support::demo_small(1));
  other.train.seed += 1;
  model::RunModel baseline(other);
  support::play_demo(support::demo_small(1), baseline);
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.baseline = {&baseline, "first", 1};
  rest_on(screen, view::label::kNotFair);
  CHECK(is_drawn(std::string(view::named_term(view::label::kFairTerm)->text.substr(0, 40))));
}

TEST_CASE("a run with a fault made on purpose says so on Live and in Runs, and what the fault is") {
  messages::RunSpec spec = support::demo_spec(support::demo_small(2));
  spec.inject.fault = "delay_backward";
  spec.inject.rank = 1;
  model::RunModel model(spec);
  support::play_demo(support::demo_small(2), model);
  NullScreen screen;
  screen.input.live.model = &model;
  screen.frame();
  rest_on(screen, view::label::kInjected);
  CHECK(is_drawn("Rank 1 sleeps 10 ms in backward"));
  std::vector<view::RunSummary> runs(2);
  runs[0].id = "a";
  runs[0].spec = std::make_shared<const messages::RunSpec>(spec);
  runs[1].id = "b";
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  screen.input.runs.looked = true;
  ImGui::GetIO().AddMousePosEvent(0, 0);
  screen.frame();
  CHECK_FALSE(is_drawn("Rank 1 sleeps 10 ms in backward"));
  rest_on(screen, view::label::kInjected);
  CHECK(is_drawn("Rank 1 sleeps 10 ms in backward"));
}

TEST_CASE("a sheet opened by a key shows no tooltip of its focused control") {
  const OpenDemo demo(support::demo_small(2));
  const OpenDemo baseline(support::demo_small(1));
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.baseline = {&baseline.model, "first", 1};
  screen.press(ImGuiKey_W);
  screen.input.sheets.waterfall = true;
  const auto has_tooltip = [] {
    return std::ranges::any_of(ui::drawn_texts(), [](const ui::DrawnText& text) {
      return text.window.starts_with("##Tooltip");
    });
  };
  for (int i = 0; i < 60; ++i) {
    screen.frame();
    INFO("frame " << i);
    REQUIRE_FALSE(has_tooltip());
  }
  bool shown = false;
  for (int control = 0; control < 20 && !shown; ++control) {
    screen.press(ImGuiKey_Tab);
    for (int i = 0; i < 60; ++i) screen.frame();
    shown = has_tooltip();
  }
  CHECK(shown);
}

TEST_CASE("Home shows the whole run and does not move the focus") {
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen;
  demo.open(screen.input);
  screen.frame();
  screen.press(ImGuiKey_Home);
  CHECK(screen.asked<view::WholeRun>());
  screen.frame();
  CHECK_FALSE(ImGui::GetIO().NavVisible);
}

TEST_CASE("an arrow pressed right after the key of a page moves in its list, not the focus") {
  std::vector<view::RunSummary> runs(3);
  for (int i = 0; i < 3; ++i) runs[static_cast<std::size_t>(i)].id = std::string(1, "abc"[i]);
  NullScreen screen;
  const test::LaunchController launch;
  launch.open(screen.input);
  screen.input.runs.runs = runs;
  screen.frame();
  ImGui::GetIO().AddKeyEvent(ImGuiKey_5, true);
  screen.frame();
  REQUIRE(screen.asked<view::SelectPage>());
  screen.input.page = view::Page::kRuns;
  ImGui::GetIO().AddKeyEvent(ImGuiKey_DownArrow, true);
  screen.frame();
  CHECK(screen.asked<view::SelectRun>());
  screen.frame();
  CHECK_FALSE(ImGui::GetIO().NavVisible);
}
