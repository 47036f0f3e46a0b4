// The list of a field opens beside the field, wherever it is clicked, and inside of the window.
#include <cmath>

#include "gui/ui/widgets.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;

namespace {

constexpr const char* kWords[] = {"none", "linear", "square root"};
constexpr ImVec2 kSize(1000, 600);

/// A window with one list, which stores the choice.
struct ListScreen : NullScreen {
  ListScreen() : NullScreen(kSize.x, kSize.y) {}
  void draw(const ui::Rect& field) {
    ui::clear_items();
    ImGui_ImplNullPlatform_NewFrame();
    ImGui_ImplNullRender_NewFrame();
    ImGui::GetIO().DisplaySize = kSize;
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(kSize);
    ImGui::Begin("page", nullptr, ImGuiWindowFlags_NoDecoration);
    on = ui::drop_list("list", field, kWords, on);
    ImGui::End();
    ImGui::Render();
    ImGui_ImplNullRender_RenderDrawData(ImGui::GetDrawData());
  }
  void press(const ui::Rect& field, float x, float y) {
    ImGuiIO& io = ImGui::GetIO();
    io.AddMousePosEvent(x, y);
    draw(field);
    for (const bool down : {true, false}) {
      io.AddMouseButtonEvent(0, down);
      draw(field);
    }
    draw(field);
  }
  int on = 0;
};

}  // namespace

TEST_CASE("the list of a field opens beside it, and covers neither it nor an edge of the window") {
  const auto field = GENERATE(ui::Rect{40, 40, 200, 22}, ui::Rect{780, 40, 210, 22},
                              ui::Rect{40, 570, 200, 22}, ui::Rect{780, 570, 210, 22});
  ListScreen screen;
  screen.draw(field);
  screen.press(field, field.right() - 12, field.middle_y());  // on the arrow
  for (const char* word : kWords) {
    const auto row = screen.find(word);
    REQUIRE(row);
    INFO(word << " at " << row->area.x << ", " << row->area.y);
    CHECK((row->area.y >= field.bottom() || row->area.bottom() <= field.y));
    CHECK((row->area.x >= 0 && row->area.right() <= kSize.x));
    CHECK((row->area.y >= 0 && row->area.bottom() <= kSize.y));
    const bool at_left = std::abs(row->area.x - field.x) < 20;
    const bool at_right = std::abs(row->area.right() - field.right()) < 20;
    CHECK((at_left || at_right));
  }
  const auto row = screen.find("square root");
  screen.press(field, row->area.middle_x(), row->area.middle_y());
  CHECK(screen.on == 2);
}

TEST_CASE("a list whose choice has vanished shows no choice and still offers its words") {
  const ui::Rect field{40, 40, 200, 22};
  ListScreen screen;
  screen.on = 3;
  screen.draw(field);
  screen.press(field, field.right() - 12, field.middle_y());
  const auto row = screen.find("linear");
  REQUIRE(row);
  CHECK(screen.on == 3);
  screen.press(field, row->area.middle_x(), row->area.middle_y());
  CHECK(screen.on == 1);
}
