// Random input: moves, drags, turns the wheel, types, presses key combinations and random controls,
// resizes the window, changes theme and text size. The same seed with the same frames repeats it.
// Tests only.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <variant>

#include "gui/ui/layout.h"
#include "tests/gui/ui/null_screen.h"

namespace ringside::test {

/// The seed, which RINGSIDE_MONKEY_SEED changes.
inline unsigned monkey_seed() {
  const char* asked = std::getenv("RINGSIDE_MONKEY_SEED");
  return asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : 7U;
}

class Monkey {
 public:
  Monkey(NullScreen& screen, unsigned seed) : screen_(screen), random_(seed) {
    wanted_.light = below(2) == 0;
    resize();
  }

  /// One action and its frame; the resulting commands are in screen.commands().
  void act() {
    const int kind = below(100);
    if (kind < 25) {
      point();
    } else if (kind < 40) {
      button(below(12) == 0 ? 1 : 0, below(2) == 0);
    } else if (kind < 60) {
      press_control();
    } else if (kind < 68) {
      ImGui::GetIO().AddMouseWheelEvent(0, share() * 4 - 2);
    } else if (kind < 76) {
      type();
    } else if (kind < 97) {
      hit_chord();
    } else {
      disturb();
    }
    screen_.frame();
  }

  /// Carries out commands for the window itself, as its loop does.
  void carry_out(const view::Command& command) {
    ui::Arrangement& arrangement = screen_.memory.arrangement;
    if (const auto* theme = view::as<view::SetLight>(command)) wanted_.light = theme->on;
    if (const auto* size = view::as<view::SetTextSize>(command))
      wanted_.scale = std::clamp(static_cast<float>(size->percent) / 100, 0.75F, 3.0F);
    if (const auto* dock = view::as<view::ToggleDock>(command)) {
      bool& closed = arrangement.closed[static_cast<std::size_t>(dock->dock)];
      closed = !closed;
    }
    if (const auto* column = view::as<view::ToggleColumn>(command)) {
      arrangement.rank_columns.toggle(column->key);
    }
    if (view::as<view::ResetLayout>(command) != nullptr) arrangement = {};
    if (view::as<view::ResetWindow>(command) != nullptr) {
      arrangement = {};
      wanted_ = {};
    }
    if (const auto* copied = view::as<view::CopyText>(command))
      ImGui::SetClipboardText(copied->text.c_str());
    show_look();
  }

  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

 private:
  float share() { return static_cast<float>(random_() % 1000) / 999.0F; }

  /// Moves the mouse, sometimes outside of the window.
  void point() {
    const float wide = below(20) == 0 ? 1.5F : 1.0F;
    ImGui::GetIO().AddMousePosEvent(screen_.size().x * share() * wide,
                                    screen_.size().y * share() * wide);
  }

  static void button(int which, bool down) { ImGui::GetIO().AddMouseButtonEvent(which, down); }

  /// Presses a control: tabs, menus, fields, rows, which random points rarely hit.
  void press_control() {
    const auto& all = ui::items();
    if (all.empty()) return;
    const ui::Item& item = all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    ImGui::GetIO().AddMousePosEvent(item.area.middle_x(), item.area.middle_y());
    const int which = below(10) == 0 ? 1 : 0;
    button(which, true);
    if (below(6) == 0) return;  // stays pressed, so that the next move drags
    button(which, false);
    if (below(6) != 0) return;
    button(which, true);
    button(which, false);
  }

  void type() {
    static constexpr std::array<unsigned, 6> kUnusual{0x2603, 0xE9, 0x1F600, 0x202E, 0x9, 0xFFFD};
    ImGuiIO& io = ImGui::GetIO();
    const bool unusual = below(6) == 0;
    io.AddInputCharacter(unusual ? kUnusual[static_cast<std::size_t>(below(6))]
                                 : static_cast<unsigned>(32 + below(95)));
  }

  /// A random key; keys with a function are more frequent than others.
  ImGuiKey some_key() {
    static constexpr std::array kOurs{
        ImGuiKey_1,         ImGuiKey_2,          ImGuiKey_4,         ImGuiKey_X,
        ImGuiKey_G,         ImGuiKey_S,          ImGuiKey_P,         ImGuiKey_B,
        ImGuiKey_E,         ImGuiKey_L,          ImGuiKey_F,         ImGuiKey_R,
        ImGuiKey_K,         ImGuiKey_O,          ImGuiKey_Z,         ImGuiKey_A,
        ImGuiKey_0,         ImGuiKey_Comma,      ImGuiKey_Slash,     ImGuiKey_F1,
        ImGuiKey_Equal,     ImGuiKey_Minus,      ImGuiKey_Home,      ImGuiKey_Delete,
        ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow,   ImGuiKey_DownArrow,
        ImGuiKey_Enter,     ImGuiKey_Space,      ImGuiKey_Tab,       ImGuiKey_Escape,
        ImGuiKey_Escape,    ImGuiKey_PageUp,     ImGuiKey_Backspace, ImGuiKey_End};
    if (below(3) != 0)
      return kOurs[static_cast<std::size_t>(below(static_cast<int>(kOurs.size())))];
    constexpr int kFirst = static_cast<int>(ImGuiKey_NamedKey_BEGIN);
    return static_cast<ImGuiKey>(kFirst + below(static_cast<int>(ImGuiKey_GamepadStart) - kFirst));
  }

  void hit_chord() {
    ImGuiIO& io = ImGui::GetIO();
    const ImGuiKey key = some_key();
    static constexpr std::array<ImGuiKey, 3> kMods{ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiMod_Alt};
    std::array<bool, 3> with{};
    for (bool& on : with) on = below(5) == 0;
    for (std::size_t i = 0; i < kMods.size(); ++i) {
      if (with[i]) io.AddKeyEvent(kMods[i], true);
    }
    io.AddKeyEvent(key, true);
    if (below(10) == 0) return;  // stays pressed with its modifiers until it is chosen again
    io.AddKeyEvent(key, false);
    for (const ImGuiKey mod : kMods) io.AddKeyEvent(mod, false);
  }

  /// Changes the window as a whole.
  void disturb() {
    switch (below(4)) {
      case 0:
        resize();
        break;
      case 1:
        wanted_.light = !wanted_.light;
        break;
      case 2:
        wanted_.scale = 0.75F + 2.25F * share() * share();
        break;
      default:
        ImGui::GetIO().AddFocusEvent(below(2) == 0);
        break;
    }
    show_look();
  }

  void resize() {
    static constexpr std::array<ImVec2, 7> kSizes{
        ImVec2(1600, 900),  ImVec2(1280, 720),  ImVec2(300, 200), ImVec2(800, 500),
        ImVec2(1920, 1080), ImVec2(3840, 2160), ImVec2(480, 1400)};
    const ImVec2 size = kSizes[static_cast<std::size_t>(below(static_cast<int>(kSizes.size())))];
    screen_.resize(size.x, size.y);
    show_look();
  }

  void show_look() const {
    const float scale = ui::fitting_scale(wanted_.scale, screen_.size().x, screen_.size().y);
    if (ui::theme().light == wanted_.light && ui::theme().scale == scale) return;
    ui::set_theme({wanted_.light, scale});
    ui::apply_style();
  }

  NullScreen& screen_;
  std::mt19937 random_;
  ui::Theme wanted_;
};

}  // namespace ringside::test
