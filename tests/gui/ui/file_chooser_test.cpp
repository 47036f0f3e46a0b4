// The chooser of files with keyboard and mouse.
#include "gui/view/window/file_chooser.h"

#include "gui/view/window/sheet_labels.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;

namespace {

struct ChooserScreen : NullScreen {
  explicit ChooserScreen(view::ChooserUse use) {
    input.chooser.open = true;
    input.chooser.use = use;
    input.chooser.times = 1;
    input.chooser.begin = input.chooser.folder = "/work/";
    input.chooser.home = "/home/me/";
    input.chooser.recent = recent;
    input.chooser.listing = &listing;
    for (int i = 0; i < 3; ++i) frame();
  }
  void type(const std::string& text) {
    for (const char letter : text) {
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
      frame();
    }
    frame();
  }
  const std::string& path() const { return memory.chooser.choice.path; }
  /// Answers requests for a folder as the session does.
  void follow() {
    frame();
    if (const auto wanted = asked<view::ListFolder>()) input.chooser.folder = wanted->folder;
    ++input.chooser.revision;
    for (int i = 0; i < 2; ++i) frame();
  }

  std::vector<std::string> recent{"/data/"};
  view::FolderListing listing{
      {{"runs", true, 0, 1}, {"runs-old", true, 0, 2}, {"train.py", false, 4'100, 3}}, false, {}};
};

}  // namespace

TEST_CASE("a file is chosen by typing, Tab and Enter") {
  ChooserScreen screen(view::ChooserUse::kScript);
  CHECK(screen.path() == "/work/");
  screen.type("t");
  CHECK(screen.path() == "/work/t");
  screen.press(ImGuiKey_Tab);
  CHECK(screen.path() == "/work/train.py");
  screen.press(ImGuiKey_Enter);
  REQUIRE(screen.asked<view::ChoosePath>());
  CHECK(screen.asked<view::ChoosePath>()->path == "/work/train.py");
}

TEST_CASE("arrows select, Enter goes into a folder, and Backspace goes up") {
  ChooserScreen screen(view::ChooserUse::kOpen);
  screen.press(ImGuiKey_DownArrow);
  screen.press(ImGuiKey_DownArrow);
  CHECK(screen.path() == "/work/runs-old");
  screen.press(ImGuiKey_UpArrow);
  CHECK(screen.path() == "/work/runs");
  screen.press(ImGuiKey_Enter);
  CHECK_FALSE(screen.asked<view::ChoosePath>());
  CHECK(screen.path() == "/work/runs/");
  screen.follow();
  CHECK(screen.input.chooser.folder == "/work/runs/");
  screen.press(ImGuiKey_Backspace);
  screen.follow();
  CHECK(screen.path() == "/work/runs");
  CHECK(screen.input.chooser.folder == "/work/");
  screen.press(ImGuiKey_Enter, true);
  REQUIRE(screen.asked<view::ChoosePath>());
  CHECK(screen.asked<view::ChoosePath>()->path == "/work/runs");
}

TEST_CASE("a folder typed below the listed one is listed once and stays the path") {
  ChooserScreen screen(view::ChooserUse::kOpen);
  screen.frame();
  screen.press(ImGuiKey_A, true);
  for (const char letter : {'s', 'u', 'b', '/'})
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
  screen.follow();
  CHECK(screen.input.chooser.folder == "/work/sub/");
  screen.follow();
  CHECK_FALSE(screen.asked<view::ListFolder>());
  CHECK(screen.path() == "/work/sub/");
}

TEST_CASE("the mouse selects, sorts, goes elsewhere and chooses") {
  ChooserScreen screen(view::ChooserUse::kOpen);
  REQUIRE(screen.click("runs-old"));
  CHECK(screen.path() == "/work/runs-old");
  REQUIRE(screen.click("Sort by Changed"));
  CHECK(screen.memory.chooser.choice.sort == view::TableSort{"changed", true});
  REQUIRE(screen.click(view::label::kHiddenFiles));
  CHECK(screen.memory.chooser.choice.hidden);
  REQUIRE(screen.click(view::label::kChoosePath));
  CHECK(screen.asked<view::ChoosePath>()->path == "/work/runs-old");
  REQUIRE(screen.click(view::label::kHomeFolder));
  CHECK(screen.asked<view::ListFolder>()->folder == "/home/me/");
  CHECK(screen.path() == "/home/me/");
  REQUIRE(screen.click(view::label::kRecentFolders));
  REQUIRE(screen.click("/data/"));
  CHECK(screen.path() == "/data/");
  REQUIRE(screen.click(view::label::kFolderUp));
  CHECK(screen.path() == "/");
  CHECK_FALSE(screen.find(view::label::kNewFolder));
}

TEST_CASE("Escape leaves the chooser without an answer, and the sheet below comes back") {
  ChooserScreen screen(view::ChooserUse::kOpen);
  screen.input.sheets.open = true;
  screen.frame();
  CHECK_FALSE(screen.find(view::label::kBrowse));
  screen.press(ImGuiKey_Escape);
  REQUIRE(screen.asked<view::ChoosePath>());
  CHECK(screen.asked<view::ChoosePath>()->path.empty());
  screen.input.chooser.open = false;
  for (int i = 0; i < 3; ++i) screen.frame();
  CHECK(screen.find(view::label::kBrowse));
  CHECK_FALSE(screen.find(view::label::kChoosePath));
}

TEST_CASE("a new folder is made where one saves") {
  ChooserScreen screen(view::ChooserUse::kSaveFolder);
  CHECK_FALSE(screen.click(view::label::kNewFolder));  // no name is typed yet
  screen.type("fresh");
  REQUIRE(screen.click(view::label::kNewFolder));
  CHECK(screen.asked<view::ListFolder>()->make);
  CHECK(screen.asked<view::ListFolder>()->folder == "/work/fresh/");
  CHECK(screen.path() == "/work/fresh/");
}

TEST_CASE("the export is written to the chosen path") {
  constexpr std::string_view kTables[] = {"steps"};
  NullScreen screen;
  screen.input.exporting.asking = true;
  screen.input.exporting.facts = {{"/runs/a"}, "#12", "/runs/a/export", kTables, false};
  screen.frame();
  REQUIRE(screen.click(view::label::kBrowseExport));
  REQUIRE(screen.asked<view::BrowseExport>());
  CHECK(screen.asked<view::BrowseExport>()->begin == "/runs/a/export");
  CHECK_FALSE(screen.asked<view::BrowseExport>()->file);
  screen.input.browsed = {view::ChooserUse::kSaveFolder, "/tables", 1};
  REQUIRE(screen.click(view::label::kExportNow));
  CHECK(screen.asked<view::ExportRun>()->path == "/tables");
}
