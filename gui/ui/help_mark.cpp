#include "gui/ui/help_mark.h"

#include <cmath>

#include "gui/ui/widgets.h"

namespace ringside::ui {

void help_mark(Rect& row, view::HelpSubject subject, view::CommandQueue& commands) {
  const Rect cut = row.take_right(px(24), px(4));
  const Rect area{cut.x, std::floor(cut.middle_y() - px(11)), cut.w, px(22)};
  const view::ManualPlace place = view::manual_place(subject);
  const std::string id = "Help with " + place.topic;
  // A sheet opened by a key gives the focus to its main control, not to this mark.
  ImGui::PushItemFlag(ImGuiItemFlags_NoNavDefaultFocus, true);
  const Hit hit = hit_area(id.c_str(), area);
  ImGui::PopItemFlag();
  tooltip("Help (F1)");
  draw_icon(Icon::kHelp, ImVec2(area.middle_x(), area.middle_y()), px(13),
            hit.hovered ? Token::kHigh : Token::kDim);
  if (hit.clicked) commands.emplace_back(view::ShowManual{true, place.topic, place.section});
}

}  // namespace ringside::ui
