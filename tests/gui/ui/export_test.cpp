// The export question with mouse and keyboard, and the message that shows the export's progress.
#include <imgui_internal.h>

#include "gui/view/runs/export_question.h"
#include "gui/view/window/sheet_labels.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

constexpr std::string_view kTables[] = {"steps", "epochs",  "buckets", "devices", "hosts",
                                        "ranks", "notices", "scalars", "shards"};

void ask(NullScreen& screen, const std::string& run = "/runs/a") {
  screen.input.exporting.asking = true;
  screen.input.exporting.facts = {{run}, "#12", run + "/export", kTables, false};
  screen.frame();
  screen.frame();
}

}  // namespace

TEST_CASE("tables can be chosen, and Export requests the ticked ones") {
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen;
  demo.open(screen.input);
  ask(screen);
  REQUIRE(screen.click("Table hosts"));
  REQUIRE(screen.click("Table steps"));
  REQUIRE(screen.click("Table steps"));  // and selects it again
  REQUIRE(screen.click(view::label::kExportNow));
  const auto asked = screen.asked<view::ExportRun>();
  REQUIRE(asked);
  CHECK(asked->kind == view::ExportKind::kCsv);
  CHECK(asked->ids == std::vector<std::string>{"/runs/a"});
  CHECK(asked->path == "/runs/a/export");
  CHECK(asked->tables.size() == 8);
  CHECK(std::count(asked->tables.begin(), asked->tables.end(), "hosts") == 0);
  CHECK_FALSE(screen.asked<view::AskExport>()->open);
}

TEST_CASE("all tables of an export are chosen or left out at once") {
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen;
  demo.open(screen.input);
  ask(screen);
  REQUIRE(screen.click(view::label::kNoTables));
  CHECK_FALSE(screen.click(view::label::kExportNow));
  REQUIRE(screen.click("Table steps"));
  REQUIRE(screen.click(view::label::kExportNow));
  REQUIRE(screen.asked<view::ExportRun>());
  CHECK(screen.asked<view::ExportRun>()->tables == std::vector<std::string>{"steps"});
}

TEST_CASE("the message of a written export opens it and copies its path") {
  NullScreen screen;
  screen.input.message.number = 1;
  screen.input.message.text = "Wrote the report /runs/a/export/report.html";
  screen.input.message.action = view::label::kOpenExported;
  screen.input.message.command = view::OpenFolder{"/runs/a/export/report.html"};
  screen.input.message.copies = "/runs/a/export/report.html";
  screen.frame();
  REQUIRE(screen.click(view::label::kCopyPath));
  CHECK(std::string(ImGui::GetClipboardText()) == "/runs/a/export/report.html");
  REQUIRE(screen.click(std::string(view::label::kOpenExported) + "##message action"));
  CHECK(screen.asked<view::OpenFolder>()->path == "/runs/a/export/report.html");
}

TEST_CASE("the buttons of the export are visible for any number of tables") {
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen;
  demo.open(screen.input);
  std::vector<std::string_view> tables(GENERATE(1U, 9U, 10U, 14U), "table");
  screen.input.exporting.asking = true;
  screen.input.exporting.facts = {{"/runs/a"}, "#12", "/runs/a/export", tables, false};
  screen.frame();
  screen.frame();
  const ImGuiWindow* body = nullptr;
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    if (std::string_view(window->Name).find("export body") != std::string_view::npos) body = window;
  }
  REQUIRE(body != nullptr);
  CHECK(body->ScrollMax.y == 0);
}

TEST_CASE("the kind of export determines the path, Enter exports, Escape cancels") {
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen;
  demo.open(screen.input);
  ask(screen);
  REQUIRE(screen.click(view::name_of(view::ExportKind::kHtml)));
  CHECK_FALSE(screen.find("Table hosts"));
  SECTION("Enter") {
    screen.press(ImGuiKey_Enter);
    REQUIRE(screen.asked<view::ExportRun>());
    CHECK(screen.asked<view::ExportRun>()->kind == view::ExportKind::kHtml);
    CHECK(screen.asked<view::ExportRun>()->path == "/runs/a/export/report.html");
  }
  SECTION("Escape") {
    screen.press(ImGuiKey_Escape);
    CHECK_FALSE(screen.asked<view::ExportRun>());
    CHECK_FALSE(screen.asked<view::AskExport>()->open);
  }
  SECTION("a path is typed") {
    REQUIRE(screen.click("##export path"));
    ImGui::GetIO().AddInputCharacter('x');
    screen.frame();
    screen.frame();
    REQUIRE(screen.click(view::label::kExportNow));
    CHECK(screen.asked<view::ExportRun>()->path.find('x') != std::string::npos);
  }
  SECTION("another run has its own paths, and the same kind") {
    ask(screen, "/runs/b");
    screen.press(ImGuiKey_Enter);
    CHECK(screen.asked<view::ExportRun>()->path == "/runs/b/export/report.html");
  }
  SECTION("no export starts while another one is active") {
    screen.input.exporting.facts.busy = true;
    screen.frame();
    screen.press(ImGuiKey_Enter);
    CHECK_FALSE(screen.asked<view::ExportRun>());
  }
}

TEST_CASE("no shortcut of the window works behind the question") {
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen;
  demo.open(screen.input);
  ask(screen);
  screen.press(ImGuiKey_1);
  CHECK_FALSE(screen.asked<view::SelectPage>());
}

TEST_CASE("the message of an export shows a progress bar and can cancel it") {
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen;
  demo.open(screen.input);
  screen.input.message.number = 1;
  screen.input.message.text = "Exporting run #12 (CSV tables)";
  screen.frame();
  screen.frame();
  const std::size_t without = screen.vertices();
  screen.input.message.share = 0.5;
  screen.input.message.action = view::label::kCancel;
  screen.input.message.command = view::CancelExport{};
  screen.frame();
  screen.frame();
  CHECK(screen.vertices() > without);
  REQUIRE(screen.click(std::string(view::label::kCancel) + "##message action"));
  CHECK(screen.asked<view::CancelExport>());
}
