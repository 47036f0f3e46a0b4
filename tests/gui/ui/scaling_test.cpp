// Tests the Scaling page at several sizes: with a study, without one, and its form.
#include "gui/view/experiment/experiment_view.h"
#include "gui/view/scaling/study_form.h"
#include "gui/view/window/palette.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/gui/view/study_story.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;

TEST_CASE("a study is drawn, its points and rows can be chosen") {
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720), ImVec2(700, 500));
  const auto facts = test::story_study();
  const std::vector<view::StudyName> names{{"S-08", "demo"}, {"S-07", "resnet50"}};
  NullScreen screen(size.x, size.y);
  screen.input.page = view::Page::kScaling;
  screen.input.scaling.looked = true;
  screen.input.scaling.facts = &facts;
  screen.input.scaling.names = names;
  screen.frame();
  screen.frame();
  REQUIRE(screen.find("Setting weak-2"));
  REQUIRE(screen.click("Setting weak-2"));
  CHECK(screen.asked<view::SelectSetting>()->key == "weak-2");
  REQUIRE(screen.click("Point weak 4"));
  CHECK(screen.asked<view::SelectSetting>()->key == "weak-4");
  REQUIRE(screen.click("New study…"));
  CHECK(screen.asked<view::AskStudy>()->more.empty());
  REQUIRE(screen.click("Add point…"));
  CHECK(screen.asked<view::AskStudy>()->more == "S-07");
  CHECK(screen.memory.live.chart_areas.contains("scaling"));
  CHECK_FALSE(screen.find(view::label::kContinueStudy));
}

TEST_CASE("the waterfall shows what it waits for, and leads to other numbers of devices") {
  const auto facts = test::story_study();
  NullScreen screen;
  screen.input.page = view::Page::kScaling;
  screen.input.scaling.looked = true;
  screen.input.scaling.facts = &facts;
  screen.input.scaling.selected = "weak-4";
  CHECK(view::waterfall_wait(facts) == "Reading the two runs…");
  REQUIRE(screen.click("6"));
  CHECK(screen.asked<view::SelectSetting>()->key == "weak-6");
  CHECK(view::waterfall_wait(test::story_of({"baseline-1"})).starts_with("Where the rest"));
}

TEST_CASE("a study is deleted with or without its runs, but not while it is active") {
  auto facts = test::story_study();
  NullScreen screen;
  screen.input.page = view::Page::kScaling;
  screen.input.scaling.looked = true;
  screen.input.scaling.facts = &facts;
  const auto words = view::delete_words(facts);
  CHECK(words[0] == "Delete S-07, keep its 39 runs");
  REQUIRE(screen.click(view::label::kDeleteStudy));
  REQUIRE(screen.click(words[0]));
  CHECK_FALSE(screen.asked<view::TrashStudy>()->with_runs);
  REQUIRE(screen.click(view::label::kDeleteStudy));
  REQUIRE(screen.click(words[1]));
  CHECK(screen.asked<view::TrashStudy>()->with_runs);
  screen.press(ImGuiKey_Delete);
  REQUIRE(screen.asked<view::TrashStudy>());
  CHECK(screen.asked<view::TrashStudy>()->name == "S-07");
  facts.settings[1].runs[0].live = true;
  ++screen.input.scaling.revision;
  (void)screen.click(view::label::kDeleteStudy);
  CHECK_FALSE(screen.find(words[0]));
}

TEST_CASE("the publication beside a study is opened by a key or a press") {
  auto facts = test::story_study();
  NullScreen screen;
  screen.input.page = view::Page::kScaling;
  screen.input.scaling.looked = true;
  screen.input.scaling.facts = &facts;
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kExperiment));
  screen.press(ImGuiKey_U);
  CHECK(screen.asked<view::ShowExperiment>()->on);
  screen.input.sheets.experiment = true;
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kCopyExperiment));
  screen.press(ImGuiKey_Escape);
  CHECK_FALSE(screen.asked<view::ShowExperiment>()->on);
  screen.input.sheets.experiment = false;
  auto preset = std::make_shared<launch::NamedPreset>();
  preset->name = "story";
  preset->file.published.source = "E9: a source";
  preset->file.published.figures = {
      {"speedup", "2.16x", 2.16, 4, true, "train_pass", "one_device"}};
  preset->file.published.tables = {{"As it was", {"a", "b"}, {{"1", "2"}}}};
  for (auto& setting : facts.settings) setting.preset = preset;
  ++screen.input.scaling.revision;
  REQUIRE(screen.click(view::label::kExperiment));
  CHECK(screen.asked<view::ShowExperiment>()->on);
  screen.input.sheets.experiment = true;
  REQUIRE(screen.click(view::label::kCopyExperiment));
  CHECK(screen.asked<view::CopyText>()->text.find("E9: a source") != std::string::npos);
}

TEST_CASE("every quantity of a study is drawn, with and without its parts") {
  auto facts = test::story_study();
  NullScreen screen;
  screen.input.page = view::Page::kScaling;
  screen.input.scaling.looked = true;
  screen.input.scaling.facts = &facts;
  for (int i = 0; i < static_cast<int>(view::ScalingMetric::kCount); ++i) {
    screen.input.scaling.metric = static_cast<view::ScalingMetric>(i);
    screen.frame();
  }
  facts = test::story_of({"baseline-1"});
  ++screen.input.scaling.revision;
  screen.frame();
  facts = {};
  ++screen.input.scaling.revision;
  screen.frame();
  facts = test::story_of({"baseline-1", "weak-2"});
  facts.settings[1].runs[0].word = "failed";
  facts.measured[1].runs.clear();
  ++screen.input.scaling.revision;
  REQUIRE(screen.click(view::label::kContinueStudy));
  CHECK(screen.asked<view::ContinueStudy>()->name == "S-07");
}

TEST_CASE("a study of settings is drawn as lines, and a press on a line opens its run") {
  const auto size = GENERATE(ImVec2(1600, 900), ImVec2(1280, 720), ImVec2(700, 500));
  const auto facts = test::story_of_settings();
  NullScreen screen(size.x, size.y);
  screen.input.page = view::Page::kScaling;
  screen.input.scaling.looked = true;
  screen.input.scaling.facts = &facts;
  screen.frame();
  screen.frame();
  CHECK_FALSE(screen.find("Point weak 4"));
  CHECK_FALSE(screen.find("setting waterfall"));
  const std::string key = facts.settings[1].key;
  REQUIRE(screen.click(("Combination " + key).c_str()));
  CHECK(screen.asked<view::OpenRun>()->id == facts.settings[1].runs[0].id);
  CHECK(screen.asked<view::SelectSetting>()->key == key);
  screen.input.scaling.selected = key;
  screen.frame();
  REQUIRE(screen.click("Val acc###list"));
  REQUIRE(screen.click("Time"));
  CHECK(screen.asked<view::RankSettings>()->key == "seconds");
  REQUIRE(screen.click(view::label::kAddRepeats));
  CHECK(screen.asked<view::AskStudy>()->more == facts.study.head.study);
}

TEST_CASE("the form of settings is edited row by row") {
  NullScreen screen(1280, 720);
  screen.input.page = view::Page::kScaling;
  screen.input.scaling.looked = true;
  screen.input.scaling.asking = true;
  view::StudyFormFacts facts;
  facts.recipes = {"demo", view::kOwnCommand};
  view::edit_study(facts.form, "compare", view::kCompareSettings);
  screen.input.scaling.form = view::build_study_form(facts);
  screen.frame();
  REQUIRE(screen.click("##study vary.0"));
  ImGui::GetIO().AddInputCharacter('o');
  screen.frame();
  CHECK(screen.asked<view::EditStudy>()->key == "vary.0");
  CHECK(screen.asked<view::EditStudy>()->text == "o");
  view::edit_study(facts.form, "vary.0", "o");
  screen.input.scaling.form = view::build_study_form(facts);
  REQUIRE(screen.click("devices"));
  CHECK(screen.asked<view::EditStudy>()->key == "compare");
}

TEST_CASE("without a study the page offers one action") {
  NullScreen screen;
  screen.input.page = view::Page::kScaling;
  screen.frame();
  CHECK_FALSE(screen.find("New study…"));
  screen.input.scaling.looked = true;
  const std::vector<view::StudyName> ready{{"e0_bonus", "E0: time"}, {"e2_table", "E2: five"}};
  screen.input.scaling.ready = ready;
  REQUIRE(screen.click("New study…"));
  CHECK(screen.asked<view::AskStudy>()->open);
  REQUIRE(screen.click("e2_table"));
  CHECK(screen.asked<view::AskStudy>()->preset == "e2_table");
}

TEST_CASE("the form is edited, started and closed") {
  NullScreen screen;
  screen.input.page = view::Page::kScaling;
  screen.input.scaling.looked = true;
  screen.input.scaling.asking = true;
  view::StudyFormFacts facts;
  facts.recipes = {"e0_bonus", "demo"};
  facts.lines = {"A new study: 2 settings × 3 repeats, 6 runs to train.", "Differs: strong-3"};
  facts.has_runs = true;
  screen.input.scaling.form = view::build_study_form(facts);
  screen.frame();
  REQUIRE(screen.click("Study quick"));
  CHECK(screen.asked<view::EditStudy>()->text == "true");
  REQUIRE(screen.click("##study world"));
  ImGui::GetIO().AddInputCharacter(',');
  screen.frame();
  REQUIRE(screen.asked<view::EditStudy>()->key == "world");
  view::edit_study(facts.form, "world", screen.asked<view::EditStudy>()->text);
  facts.has_slurm = true;
  screen.input.scaling.form = view::build_study_form(facts);
  screen.frame();
  REQUIRE(screen.click("Slurm"));
  CHECK(screen.asked<view::EditStudy>()->text == "Slurm");
  view::edit_study(facts.form, "slurm.where", "Slurm");
  screen.input.scaling.form = view::build_study_form(facts);
  screen.frame();
  REQUIRE(screen.click("##study slurm.partition"));
  ImGui::GetIO().AddInputCharacter('g');
  screen.frame();
  CHECK(screen.asked<view::EditStudy>()->key == "slurm.partition");
  REQUIRE(screen.click(view::label::kStartStudy));
  CHECK(screen.asked<view::StartStudy>());
  REQUIRE(screen.click(view::label::kCancelStudy));
  CHECK_FALSE(screen.asked<view::AskStudy>()->open);
  screen.press(ImGuiKey_Enter);
  CHECK_FALSE(screen.asked<view::StartStudy>());
  screen.press(ImGuiKey_Enter, true);
  CHECK(screen.asked<view::StartStudy>());
  REQUIRE(screen.click("##study world"));
  screen.press(ImGuiKey_Enter, true);  // while a field is edited
  CHECK(screen.asked<view::StartStudy>());
  facts.problem = "nothing";
  screen.input.scaling.form = view::build_study_form(facts);
  screen.frame();
  CHECK_FALSE(screen.click(view::label::kStartStudy));
  screen.press(ImGuiKey_Enter, true);
  CHECK_FALSE(screen.asked<view::StartStudy>());
}

TEST_CASE("key 3 goes to Scaling, key 5 to Runs") {
  NullScreen screen;
  screen.press(ImGuiKey_3);
  CHECK(screen.asked<view::SelectPage>()->page == view::Page::kScaling);
  screen.press(ImGuiKey_5);
  CHECK(screen.asked<view::SelectPage>()->page == view::Page::kRuns);
}
