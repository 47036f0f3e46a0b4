#include "gui/ui/window/behind_sheet.h"

#include <imgui_internal.h>

#include <algorithm>

#include "gui/ui/ground.h"
#include "gui/ui/theme.h"

namespace ringside::ui {
namespace {

/// Multiplies the brightness of a colour by `share` / 256.
ImU32 darkened(ImU32 color, ImU32 share) {
  constexpr ImU32 kOuter = 0x00FF00FF;
  constexpr ImU32 kMiddle = 0x0000FF00;
  return (color & IM_COL32_A_MASK) | (((color & kOuter) * share >> 8U) & kOuter) |
         (((color & kMiddle) * share >> 8U) & kMiddle);
}

/// Removes the triangles of a command whose visible part is inside of `covered`.
void leave_out(ImDrawList& list, ImDrawCmd& command, const ImRect& covered) {
  const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
  ImDrawIdx* kept = list.IdxBuffer.Data + command.IdxOffset;
  const ImDrawIdx* const end = kept + command.ElemCount;
  command.ElemCount = 0;
  for (const ImDrawIdx* at = kept; at != end; at += 3) {
    ImRect seen(vertices[at[0]].pos, vertices[at[0]].pos);
    seen.Add(vertices[at[1]].pos);
    seen.Add(vertices[at[2]].pos);
    seen.ClipWith(ImRect(command.ClipRect));
    if (covered.Contains(seen)) continue;
    kept = std::copy(at, at + 3, kept);
    command.ElemCount += 3;
  }
}

}  // namespace

ImU32 darken_behind_sheet(ImDrawData& data) {
  const ImU32 ground = color_of(Token::kApp);
  const ImGuiWindow* const sheet = ImGui::GetTopMostAndVisiblePopupModal();
  if (sheet == nullptr) return ground;
  const ImU32 share = theme().light ? 192 : 141;
  ImRect covered = sheet->Rect();
  covered.Expand(-px(4));  // excludes the round corners
  for (ImDrawList* const list : data.CmdLists) {
    if (list == sheet->DrawList) break;
    for (ImDrawVert& vertex : list->VtxBuffer) vertex.col = darkened(vertex.col, share);
    for (ImDrawCmd& command : list->CmdBuffer) {
      if (command.UserCallback == nullptr) leave_out(*list, command, covered);
      if (Ground* const cleared = ground_of(command))
        cleared->color = darkened(cleared->color, share);
    }
  }
  return darkened(ground, share);
}

}  // namespace ringside::ui
