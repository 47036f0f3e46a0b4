// A key combination is read with the modifiers that were down when its key went down, however fast
// it is released.
#include "gui/window/later_input.h"

#include <imgui.h>
#include <imgui_impl_null.h>

#include <vector>

#include "tests/support/catch.h"

using namespace ringside;

namespace {

class Keys {
 public:
  Keys() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplNullPlatform_Init();
    ImGui_ImplNullRender_Init();
    frame();
  }
  ~Keys() {
    ImGui_ImplNullRender_Shutdown();
    ImGui_ImplNullPlatform_Shutdown();
    ImGui::DestroyContext();
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  void ctrl(bool down) {
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down);
    ImGui::GetIO().AddKeyEvent(ImGuiKey_LeftCtrl, down);
  }
  void key(ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }

  /// Builds a frame as the window does.
  void frame() {
    ImGui_ImplNullPlatform_NewFrame();
    ImGui_ImplNullRender_NewFrame();
    {
      const window::LaterInput later;
      ImGui::NewFrame();
    }
    for (const ImGuiKey which : {ImGuiKey_S, ImGuiKey_X}) {
      if (ImGui::IsKeyPressed(which, false)) read_.push_back(ImGui::GetIO().KeyMods | which);
    }
    ImGui::Render();
  }

  /// Returns the key combinations of as many frames as it takes.
  std::vector<int> read() {
    read_.clear();
    for (int i = 0; i < 8; ++i) frame();
    return read_;
  }

 private:
  std::vector<int> read_;
};

using Chords = std::vector<int>;
constexpr int kCtrlS = int{ImGuiMod_Ctrl} | int{ImGuiKey_S};

}  // namespace

TEST_CASE("a key combination released before the frame begins is read as that combination") {
  Keys keys;
  SECTION("the modifier is released first") {
    keys.ctrl(true);
    keys.key(ImGuiKey_S, true);
    keys.ctrl(false);
    keys.key(ImGuiKey_S, false);
  }
  SECTION("the key is released first") {
    keys.ctrl(true);
    keys.key(ImGuiKey_S, true);
    keys.key(ImGuiKey_S, false);
    keys.ctrl(false);
  }
  SECTION("the modifier is pressed in a separate frame") {
    keys.ctrl(true);
    keys.frame();
    keys.key(ImGuiKey_S, true);
    keys.ctrl(false);
    keys.key(ImGuiKey_S, false);
  }
  CHECK(keys.read() == Chords{kCtrlS});
  CHECK(ImGui::GetIO().KeyMods == ImGuiMod_None);
  CHECK_FALSE(ImGui::IsKeyDown(ImGuiKey_S));
}

TEST_CASE("keys before and after a key combination are read without its modifiers") {
  Keys keys;
  keys.key(ImGuiKey_X, true);
  keys.key(ImGuiKey_X, false);
  keys.ctrl(true);
  keys.key(ImGuiKey_S, true);
  keys.ctrl(false);
  keys.key(ImGuiKey_S, false);
  keys.key(ImGuiKey_X, true);
  keys.key(ImGuiKey_X, false);
  CHECK(keys.read() == Chords{ImGuiKey_X, kCtrlS, ImGuiKey_X});
}
