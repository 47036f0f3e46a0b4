// Tests the Runs page: the list, its order, and actions on a selected run.
#include <deque>
#include <memory>

#include "gui/view/runs/runs_view.h"
#include "gui/view/window/sheet_labels.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;

namespace {

std::vector<view::RunSummary> some_runs(int count) {
  std::vector<view::RunSummary> runs;
  for (int i = count; i >= 1; --i) {
    view::RunSummary run;
    run.id = "20261121T1340" + std::to_string(10 + i) + "Z-7f3a1c";
    run.number = i;
    run.title = "demo";
    run.outcome = i % 3 == 0 ? view::RunOutcome::kFailed : view::RunOutcome::kFinished;
    run.ranks = 2;
    run.global_batch = 64;
    run.figures.loss = {2.3F, 1.2F, 0.6F, 0.4F};
    run.figures.seconds = 42;
    run.figures.started_wall_ns = 1'795'271'067'000'000'000 + i * 60'000'000'000LL;
    run.tags = {"rank 1 was killed"};
    runs.push_back(run);
  }
  return runs;
}

}  // namespace

TEST_CASE("a selected run is opened, replayed and exported") {
  const auto runs = some_runs(5);
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  screen.input.runs.now_wall_ns = runs.front().figures.started_wall_ns;
  screen.frame();
  CHECK_FALSE(screen.click(view::label::kOpenSelected));  // nothing is selected yet
  REQUIRE(screen.click("Run #4"));
  CHECK(screen.asked<view::SelectRun>()->id == runs[1].id);
  screen.input.runs.choice.selected = runs[1].id;
  REQUIRE(screen.click(view::label::kOpenSelected));
  CHECK(screen.asked<view::OpenRun>()->id == runs[1].id);
  REQUIRE(screen.click(view::label::kReplay));
  CHECK(screen.asked<view::Replay>()->id == runs[1].id);
  CHECK(screen.asked<view::Replay>()->speed > 1);
  REQUIRE(screen.click(view::label::kExportSelected));
  CHECK(screen.asked<view::AskExport>()->ids == std::vector<std::string>{runs[1].id});
  screen.press(ImGuiKey_E, true);
  CHECK(screen.asked<view::AskExport>()->ids == std::vector<std::string>{runs[1].id});
  // Marked runs are exported instead.
  screen.input.runs.choice.marked = {runs[0].id, runs[3].id};
  const auto marked = view::exported_runs(screen.input.runs.choice);
  CHECK(marked.size() == 2);
  screen.press(ImGuiKey_E, true);
  CHECK(screen.asked<view::AskExport>()->ids == marked);
  REQUIRE(screen.click(view::label::kExportSelected));
  CHECK(screen.asked<view::AskExport>()->ids == marked);
  screen.input.runs.choice.marked.clear();
  screen.press(ImGuiKey_DownArrow);
  CHECK(screen.asked<view::SelectRun>()->id == runs[2].id);
  screen.press(ImGuiKey_Enter);
  CHECK(screen.asked<view::OpenRun>()->id == runs[1].id);
}

TEST_CASE("Ctrl F and a slash put what is typed next into the filter of the runs") {
  const auto runs = some_runs(3);
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  screen.input.runs.choice.selected = runs[1].id;
  screen.frame();
  const bool slash = GENERATE(false, true);
  screen.press(slash ? ImGuiKey_Slash : ImGuiKey_F, !slash);
  screen.frame();
  ImGui::GetIO().AddInputCharacter('r');
  screen.press(ImGuiKey_R);
  CHECK(screen.asked<view::SetRunFilter>()->text == "r");
  CHECK_FALSE(screen.asked<view::Replay>());
}

TEST_CASE("an arrow takes the focus from a control back to the list") {
  const auto runs = some_runs(3);
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  screen.input.runs.choice.selected = runs[1].id;
  screen.frame();
  screen.press(ImGuiKey_Tab);
  screen.press(ImGuiKey_DownArrow);
  screen.press(ImGuiKey_Enter);
  REQUIRE(screen.asked<view::OpenRun>());
  CHECK(screen.asked<view::OpenRun>()->id == runs[1].id);
}

TEST_CASE("the list is sorted by its heads and filtered by the field") {
  const auto runs = some_runs(3);
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  REQUIRE(screen.click("Sort by Time"));
  CHECK(screen.asked<view::SortRuns>()->sort == view::TableSort{"seconds", true});
  screen.input.runs.choice.sort = {"seconds", true};
  REQUIRE(screen.click("Sort by Time"));
  CHECK(screen.asked<view::SortRuns>()->sort == view::TableSort{"seconds", false});
  CHECK(screen.find("Sort by Best val %"));
  CHECK_FALSE(screen.find("Sort by Step loss"));
  REQUIRE(screen.click("##run filter"));
  ImGui::GetIO().AddInputCharacter('x');
  screen.frame();
  CHECK(screen.asked<view::SetRunFilter>()->text == "x");
}

TEST_CASE("Tab completes the word in the filter, and a press on a completion takes it") {
  auto runs = some_runs(3);
  for (view::RunSummary& run : runs) run.spec = std::make_shared<const messages::RunSpec>();
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  const auto type = [&](const char* text) {
    ImGui::GetIO().AddInputCharactersUTF8(text);
    screen.frame();
    screen.frame();
    if (const auto asked = screen.asked<view::SetRunFilter>())
      screen.input.runs.choice.filter = asked->text;
  };
  REQUIRE(screen.click("##run filter"));
  type("stat");
  screen.input.runs.choice.filter = "stat";
  screen.frame();
  screen.frame();
  CHECK(screen.find("Offer state"));
  screen.press(ImGuiKey_Tab);
  REQUIRE(screen.asked<view::SetRunFilter>());
  CHECK(screen.asked<view::SetRunFilter>()->text == "state:");
  screen.input.runs.choice.filter = "state:";
  screen.frame();
  screen.frame();
  REQUIRE(screen.find("Offer state:Failed"));
  REQUIRE(screen.click("Offer state:Failed"));
  REQUIRE(screen.asked<view::SetRunFilter>());
  CHECK(screen.asked<view::SetRunFilter>()->text == "state:Failed ");
}

TEST_CASE("columns are chosen from a list with a search, and one of them groups the runs") {
  auto runs = some_runs(4);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    messages::RunSpec spec;
    spec.optimizer.lr = i < 2 ? 0.1 : 0.2;
    runs[i].spec = std::make_shared<const messages::RunSpec>(spec);
  }
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  REQUIRE(screen.click(view::label::kRunColumns));
  REQUIRE(screen.click("##column search"));
  ImGui::GetIO().AddInputCharactersUTF8("optimizer.lr");
  screen.frame();
  screen.frame();
  REQUIRE(screen.click("optimizer.lr"));
  CHECK(screen.asked<view::ToggleRunColumn>()->key == "optimizer.lr");
  REQUIRE(screen.click("Group by optimizer.lr"));
  CHECK(screen.asked<view::GroupRuns>()->key == "optimizer.lr");
  screen.press(ImGuiKey_Escape);
  screen.press(ImGuiKey_Escape);
  screen.input.runs.choice.columns.toggle("optimizer.lr");
  screen.input.runs.choice.group = "optimizer.lr";
  screen.input.runs.choice.selected = runs[2].id;
  screen.frame();
  screen.frame();
  CHECK(screen.find("Sort by lr"));
  // The arrows skip the head between the two groups.
  screen.press(ImGuiKey_DownArrow);
  screen.press(ImGuiKey_UpArrow);
  CHECK(screen.asked<view::SelectRun>()->id == runs[1].id);
}

TEST_CASE("the menu of a run stars, renames, tags and deletes it, and so do its keys") {
  auto runs = some_runs(3);
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  screen.input.runs.choice.selected = runs[1].id;
  screen.frame();
  const auto right_click = [&screen](const std::string& label) {
    const auto item = screen.find(label);
    REQUIRE(item);
    ImGuiIO& io = ImGui::GetIO();
    io.AddMousePosEvent(item->area.middle_x(), item->area.middle_y());
    screen.frame();
    io.AddMouseButtonEvent(1, true);
    screen.frame();
    io.AddMouseButtonEvent(1, false);
    screen.frame();
    screen.frame();
  };
  right_click("Run #2");
  REQUIRE(screen.click("Star"));
  CHECK(screen.asked<view::EditLabels>()->starred == true);
  right_click("Run #2");
  REQUIRE(screen.click("Rename…"));
  screen.frame();
  REQUIRE(screen.find("##new name"));
  ImGui::GetIO().AddInputCharactersUTF8("best");
  screen.frame();
  REQUIRE(screen.click("Rename"));
  CHECK(screen.asked<view::EditLabels>()->name == "best");
  screen.input.runs.choice.marked = {runs[0].id, runs[1].id};
  screen.press(ImGuiKey_T, false, true);
  screen.frame();
  screen.frame();
  REQUIRE(screen.find("##new tags"));
  ImGui::GetIO().AddInputCharactersUTF8("keep");
  screen.frame();
  REQUIRE(screen.click("Add"));
  REQUIRE(screen.asked<view::TagRuns>());
  CHECK(screen.asked<view::TagRuns>()->ids.size() == 2);
  CHECK(screen.asked<view::TagRuns>()->tags == "keep");
  CHECK(screen.asked<view::TagRuns>()->on);
}

TEST_CASE("an empty list and a thousand runs draw at both sizes") {
  const int count = GENERATE(0, 1000);
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720));
  const auto runs = some_runs(count);
  NullScreen screen(size.x, size.y);
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  screen.frame();
  screen.frame();
  CHECK(screen.find("##run filter"));
  // Rows out of view are not drawn.
  CHECK(ui::items().size() < 120);
}

TEST_CASE("a run is named, tagged, opened in the file manager and deleted beside the list") {
  auto runs = some_runs(3);
  runs[1].folder = "/runs/x";
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  screen.input.runs.choice.selected = runs[1].id;
  screen.input.runs.choice.sort.key = "number";
  REQUIRE(screen.click("##run name"));
  ImGui::GetIO().AddInputCharacter('n');
  screen.frame();
  REQUIRE(screen.asked<view::EditLabels>());
  CHECK(screen.asked<view::EditLabels>()->name == "n");
  CHECK(screen.asked<view::EditLabels>()->id == runs[1].id);
  CHECK_FALSE(screen.asked<view::EditLabels>()->note);  // another window may have written a note
  runs[1].tags = runs[1].own_tags = {"night"};
  ++screen.input.runs.revision;
  screen.frame();
  CHECK(screen.memory.labels.tags.text == "night");
  CHECK(screen.memory.labels.name.text == "n");
  screen.press(ImGuiKey_Escape);
  REQUIRE(screen.click(view::label::kOpenFolder));
  CHECK(screen.asked<view::OpenFolder>()->path == "/runs/x");
  REQUIRE(screen.click(view::label::kUseSettings));
  CHECK(screen.asked<view::UseSettings>()->id == runs[1].id);
  REQUIRE(screen.click(view::label::kDelete));
  CHECK(screen.asked<view::TrashRun>()->id == runs[1].id);
  REQUIRE(screen.click("Mark #3"));
  CHECK(screen.asked<view::MarkRun>()->on);
  REQUIRE(screen.click(view::label::kCopyRuns));
  CHECK(screen.asked<view::CopyText>()->text.starts_with("Run\tId"));
}

TEST_CASE("an action that can be undone is undone from its message") {
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.input.message = {1, view::Tone::kInfo, "Run #3 was moved.", view::label::kUndo,
                          view::UndoTrash{}};
  screen.frame();
  REQUIRE(screen.click(std::string(view::label::kUndo) + "##message action"));
  CHECK(screen.asked<view::UndoTrash>());
  screen.frame();
  CHECK_FALSE(screen.find(std::string(view::label::kUndo) + "##message action"));
}

TEST_CASE("two to eight marked runs are compared on any axis, at both sizes") {
  const int count = GENERATE(2, 8);
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720));
  std::deque<model::RunModel> models;
  std::vector<view::ComparedRun> compared;
  const auto runs = some_runs(8);
  NullScreen screen(size.x, size.y);
  for (int i = 0; i < count; ++i) {
    support::DemoOptions options = support::demo_small(i % 4 + 1);
    options.metrics = i;
    models.emplace_back(support::demo_spec(options));
    support::play_demo(options, models.back());
    view::RunContext context;
    context.id = std::to_string(i);
    context.number = i + 1;
    compared.push_back({&models.back(), context});
    screen.input.runs.choice.marked.insert(runs[static_cast<std::size_t>(i)].id);
  }
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  screen.input.runs.compared = compared;
  const auto asked = [&screen] {
    REQUIRE(screen.asked<view::SetCompare>());
    return screen.asked<view::SetCompare>()->choice;
  };
  REQUIRE(screen.click("Time"));
  CHECK(asked().axis == view::XAxis::kTime);
  REQUIRE(screen.click("Log"));
  CHECK(asked().logarithmic);
  REQUIRE(screen.click("Baseline B"));
  CHECK(asked().baseline == compared[1].context.id);
  REQUIRE(screen.click("Smooth###smooth"));
  REQUIRE(screen.click("Mean over 50 steps"));
  CHECK(asked().smoothing == 50);
  screen.press(ImGuiKey_G);
  CHECK(asked().logarithmic);
  screen.press(ImGuiKey_C);
  CHECK(asked().chart == "loss");
  screen.press(ImGuiKey_D);
  CHECK_FALSE(asked().only_differing);
  REQUIRE(screen.click(view::label::kClearMarks));
  CHECK(screen.asked<view::ClearMarks>());
  CHECK(screen.find("Compared loss"));
  CHECK_FALSE(screen.find("Compared metric"));
  REQUIRE(screen.click("All charts###list"));
  REQUIRE(screen.click("Val accuracy %"));
  CHECK(asked().chart == "accuracy");
  screen.input.runs.choice.compare.chart = "accuracy";
  screen.frame();
  CHECK(screen.find("Compared alone"));
  CHECK_FALSE(screen.find("Compared loss"));
}

TEST_CASE("a metric is shown below loss and accuracy, and two runs can be measured in pairs") {
  const int count = GENERATE(2, 3);
  std::deque<model::RunModel> models;
  std::vector<view::ComparedRun> compared;
  const auto runs = some_runs(8);
  NullScreen screen(1600, 2400);
  for (int i = 0; i < count; ++i) {
    support::DemoOptions options = support::demo_small(i + 1);
    options.metrics = 1;
    models.emplace_back(support::demo_spec(options));
    support::play_demo(options, models.back());
    view::RunContext context;
    context.id = std::to_string(i);
    compared.push_back({&models.back(), context});
    screen.input.runs.choice.marked.insert(runs[static_cast<std::size_t>(i)].id);
  }
  screen.input.page = view::Page::kRuns;
  screen.input.runs.runs = runs;
  screen.input.runs.compared = compared;
  screen.frame();
  // Among three runs it is unclear which two are meant.
  CHECK(screen.click(view::label::kMeasurePair) == (count == 2));
  if (count == 2) {
    CHECK(screen.asked<view::MeasurePair>()->first == compared[0].context.id);
    CHECK(screen.asked<view::MeasurePair>()->second == compared[1].context.id);
  }
  REQUIRE(screen.click("Copy##figures"));
  CHECK(screen.asked<view::CopyText>()->text.starts_with("Figure\t"));
  REQUIRE(screen.click("Only what differs"));
  CHECK_FALSE(screen.asked<view::SetCompare>()->choice.only_differing);
  REQUIRE(screen.click("None###list"));
  REQUIRE(screen.click("images_per_s"));
  REQUIRE(screen.asked<view::SetCompare>());
  CHECK(screen.asked<view::SetCompare>()->choice.metric == "scalar:images_per_s");
}
