// Sources that fill the form of the next run: presets and recent runs.
#include <algorithm>
#include <string>

#include "gui/ui/launch/launch_panels.h"
#include "gui/ui/widgets.h"
#include "gui/view/launch/launch_view.h"

namespace ringside::ui {
namespace {

/// Two lines that form one button, with room at the right of the first.
struct Choice {
  Rect area;
  bool chosen = false;
};
Choice draw_choice(const std::string& name, const std::string& detail, bool current, float width,
                   float room) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Rect row{at.x, at.y, width, px(38)};
  ImGui::SetNextItemAllowOverlap();
  const Hit hit = hit_area(name.c_str(), row);
  if (hit.hovered || current) fill(row, hit.hovered ? Token::kHover : Token::kSelected, 4);
  text_fitted(row.x + px(8), row.y + px(11), row.w - px(16) - room, Type::kSmallBold, Token::kHigh,
              name);
  text_fitted(row.x + px(8), row.y + px(28), row.w - px(16), Type::kLabel, Token::kDim, detail);
  ImGui::SetCursorScreenPos(ImVec2(at.x, row.bottom()));
  ImGui::Dummy(ImVec2(1, px(2)));
  return {row, hit.clicked};
}

void draw_heading(const char* words) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  text_at(at.x + px(8), at.y + px(11), Type::kLabel, Token::kFaint, words);
  ImGui::Dummy(ImVec2(1, px(22)));
}

void draw_recent(std::span<const view::RunSummary> runs, float width,
                 view::CommandQueue& commands) {
  const auto recent = view::recent_settings(runs);
  if (recent.empty()) return;
  draw_heading("Recent runs");
  for (const view::RecentSettings& one : recent) {
    ImGui::PushID(one.run.c_str());
    const bool chosen = draw_choice(one.name, one.detail, false, width, 0).chosen;
    ImGui::PopID();
    if (!chosen) continue;
    commands.emplace_back(view::UseSettings{one.run});
    ImGui::CloseCurrentPopup();
  }
}

/// Draws name and description of each preset, followed by its quick scale.
void draw_presets(std::span<const view::PresetChoice> presets, const view::LaunchForm& form,
                  float width, view::CommandQueue& commands) {
  draw_heading(view::label::kPresets);
  for (const view::PresetChoice& preset : presets) {
    ImGui::PushID(preset.name.c_str());
    const Choice choice = draw_choice(preset.name, preset.title, form.preset() == preset.name,
                                      width, preset.has_quick ? px(84) : 0);
    const Rect quick{choice.area.right() - px(86), choice.area.y + px(2), px(80), px(20)};
    const ImVec2 next = ImGui::GetCursorScreenPos();
    const bool small = preset.has_quick && button("Quick scale", quick, {ButtonKind::kLink});
    ImGui::SetCursorScreenPos(next);
    ImGui::PopID();
    if (!small && !choice.chosen) continue;
    commands.emplace_back(view::SelectPreset{preset.name, small});
    ImGui::CloseCurrentPopup();
  }
  ImGui::Dummy(ImVec2(1, 1));
}

}  // namespace

void draw_form_sources(const FormSources& sources, const view::LaunchForm& form, view::RunKind kind,
                       const Rect& header, view::CommandQueue& commands) {
  const Rect reset{header.right() - px(46), header.y, px(46), header.h};
  if (button("Reset", reset, {ButtonKind::kPlain})) commands.emplace_back(view::ResetForm{});
  if (kind == view::RunKind::kScript) return;  // its form has its recent runs
  const Rect open{reset.x - px(72), header.y, px(68), header.h};
  if (button(view::label::kPresets, open, {ButtonKind::kLink})) ImGui::OpenPopup("presets");
  ImGui::SetNextWindowPos(ImVec2(std::max(px(8), open.right() - px(460)), header.bottom() + px(2)));
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(460), screen.x - px(16));
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0),
                                      ImVec2(width, std::min(px(520), screen.y - px(16))));
  if (!ImGui::BeginPopup("presets")) return;
  draw_recent(sources.runs, width - px(24), commands);
  draw_presets(sources.presets, form, width - px(24), commands);
  ImGui::EndPopup();
}

}  // namespace ringside::ui
