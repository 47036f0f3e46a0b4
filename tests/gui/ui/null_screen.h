// The whole screen on a backend without a display: builds frames from synthetic runs, finds
// controls by label, and presses them and keys. One at a time per process.
#pragma once

#include <imgui.h>
#include <imgui_impl_null.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/run_model.h"
#include "gui/ui/fonts.h"
#include "gui/ui/item_watch.h"
#include "gui/ui/theme.h"
#include "gui/ui/window/screen.h"
#include "tests/support/demo_run.h"

namespace ringside::test {

class NullScreen {
 public:
  explicit NullScreen(float width = 1600, float height = 900, float scale = 1, bool light = false) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    io.ConfigInputTextCursorBlink = false;
    io.DisplaySize = ImVec2(width, height);
    ImGui_ImplNullPlatform_Init();
    ImGui_ImplNullRender_Init();
    ui::load_fonts();
    ui::set_theme({light, scale});
    ui::apply_style();
    ui::watch_items();
    size_ = io.DisplaySize;
  }
  ~NullScreen() {
    ImGui_ImplNullRender_Shutdown();
    ImGui_ImplNullPlatform_Shutdown();
    ImGui::DestroyContext();
  }
  NullScreen(const NullScreen&) = delete;
  NullScreen& operator=(const NullScreen&) = delete;

  /// Builds one frame; its commands are in commands().
  void frame() {
    commands_.clear();
    ui::clear_items();
    ImGui_ImplNullPlatform_NewFrame();
    ImGui_ImplNullRender_NewFrame();
    ImGui::GetIO().DisplaySize = size_;
    ImGui::GetIO().DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    ui::draw_screen(input, memory, commands_);
    ImGui::Render();
    ImGui_ImplNullRender_RenderDrawData(ImGui::GetDrawData());
    vertices_ = static_cast<std::size_t>(ImGui::GetDrawData()->TotalVtxCount);
  }

  /// Sets the size from the next frame on, as when a person drags the edge of the window.
  void resize(float width, float height) { size_ = ImVec2(width, height); }

  std::optional<ui::Item> find(const std::string& label) const {
    const auto& all = ui::items();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&label](const auto& item) { return item.label == label; });
    return found == all.end() ? std::nullopt : std::optional<ui::Item>(*found);
  }

  /// Clicks the control with that label; false if there is none. Keeps the commands of all its
  /// frames.
  bool click(const std::string& label) {
    frame();
    const auto item = find(label);
    if (!item) return false;
    ImGuiIO& io = ImGui::GetIO();
    view::CommandQueue all;
    const auto step = [&] {
      frame();
      all.insert(all.end(), commands_.begin(), commands_.end());
    };
    io.AddMousePosEvent(item->area.middle_x(), item->area.middle_y());
    step();
    io.AddMouseButtonEvent(0, true);
    step();
    io.AddMouseButtonEvent(0, false);
    step();
    step();
    commands_ = std::move(all);
    return true;
  }

  void press(ImGuiKey key, bool ctrl = false, bool shift = false) {
    ImGuiIO& io = ImGui::GetIO();
    view::CommandQueue all;
    io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
    io.AddKeyEvent(ImGuiMod_Shift, shift);
    io.AddKeyEvent(key, true);
    frame();
    all = commands_;
    io.AddKeyEvent(key, false);
    io.AddKeyEvent(ImGuiMod_Ctrl, false);
    io.AddKeyEvent(ImGuiMod_Shift, false);
    frame();
    all.insert(all.end(), commands_.begin(), commands_.end());
    commands_ = std::move(all);
  }

  template <class T>
  std::optional<T> asked() const {
    for (const view::Command& command : commands_) {
      if (const T* found = view::as<T>(command)) return *found;
    }
    return std::nullopt;
  }

  const view::CommandQueue& commands() const { return commands_; }
  std::size_t vertices() const { return vertices_; }
  ImVec2 size() const { return size_; }

  view::ScreenInput input;
  ui::ScreenMemory memory;

 private:
  ImVec2 size_;
  view::CommandQueue commands_;
  std::size_t vertices_ = 0;
};

/// A synthetic run that is open.
struct OpenDemo {
  explicit OpenDemo(const support::DemoOptions& options) : model(support::demo_spec(options)) {
    support::play_demo(options, model);
  }
  void open(view::ScreenInput& input, int number = 1042) const {
    input.page = view::Page::kLive;
    input.live.model = &model;
    input.live.context.id = "20261121T134005Z-7f3a1c";
    input.live.context.number = number;
    input.live.context.contact = view::Contact::kLive;
    input.live.context.now_ns = model.last_ns() + 12'000'000;
    input.live.context.log_bytes = 116'700'000;
    input.live.chart_revision = model.revision();
    input.live.number_revision = model.revision();
  }
  model::RunModel model;
};

}  // namespace ringside::test
