#include "gui/ui/menu.h"

#include <cmath>

#include "gui/ui/fonts.h"
#include "gui/ui/theme.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

const view::MenuEntry* draw_menu_entries(const view::Menu& menu) {
  const view::MenuEntry* picked = nullptr;
  for (const view::MenuEntry& entry : menu) {
    if (entry.word.empty()) {
      ImGui::Separator();
    } else if (entry.more.empty()) {
      const char* const keys = entry.keys.empty() ? nullptr : entry.keys.c_str();
      if (ImGui::MenuItem(entry.word.c_str(), keys, entry.on, entry.enabled)) picked = &entry;
    } else if (ImGui::BeginMenu(entry.word.c_str(), entry.enabled)) {
      if (const view::MenuEntry* within = draw_menu_entries(entry.more)) picked = within;
      ImGui::EndMenu();
    }
  }
  return picked;
}

}  // namespace

const view::MenuEntry* draw_menu(const char* id, const view::Menu& menu) {
  if (!ImGui::BeginPopup(id)) return nullptr;
  const view::MenuEntry* picked = nullptr;
  {
    const FontScope font(Type::kSmall);  // ends before the popup does
    picked = draw_menu_entries(menu);
  }
  ImGui::EndPopup();
  return picked;
}

bool menu_button(const char* id, const Rect& where) {
  const Hit hit = hit_area(id, where);
  tooltip("Menu of the chart (right click)");
  const Token color = hit.hovered ? Token::kHigh : Token::kDim;
  for (const float step : {-5.0F, 0.0F, 5.0F}) {
    fill({std::floor(where.middle_x() + px(step) - px(1)), std::floor(where.middle_y()) - px(1),
          px(2), px(2)},
         color);
  }
  return hit.clicked;
}

}  // namespace ringside::ui
