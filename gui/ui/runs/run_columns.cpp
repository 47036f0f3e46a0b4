// Draws the list that chooses the columns of runs and what they are grouped by.
#include <imgui.h>

#include <algorithm>
#include <string>

#include "gui/ui/runs/runs_panels.h"
#include "gui/ui/widgets.h"
#include "gui/view/runs/run_columns.h"
#include "gui/view/table_filter.h"

namespace ringside::ui {
namespace {

constexpr float kOfferRow = 22;
constexpr float kOffersWide = 300;

/// Draws the box that shows a column, and on the right the button that groups by it.
void draw_offer(const view::ColumnOffer& offer, const view::RunsChoice& choice, const Rect& row,
                view::CommandQueue& commands) {
  ImGui::PushID(offer.key.c_str());
  bool on = choice.columns.shows(view::run_column(offer.key));
  const bool grouped = choice.group == offer.key;
  const Rect group{row.right() - px(48), row.y, px(44), row.h};
  const std::string word = fitted(Type::kSmall, offer.label, row.w - px(80));
  if (tick_box(offer.label.c_str(), row.x, row.middle_y(), on, word))
    commands.emplace_back(view::ToggleRunColumn{offer.key});
  const Hit hit = hit_area(("Group by " + offer.label).c_str(), group);
  tooltip("Runs with the same value stand together");
  const Token color = grouped ? Token::kAccent : hit.hovered ? Token::kHigh : Token::kFaint;
  text_right(group.right(), group.middle_y(), grouped ? Type::kSmallBold : Type::kLabel, color,
             "group");
  if (hit.clicked) commands.emplace_back(view::GroupRuns{grouped ? std::string() : offer.key});
  ImGui::PopID();
}

void draw_column_offers(const view::RunsInput& input, const std::string& search, const Rect& area,
                        view::CommandQueue& commands) {
  const ScrollArea scroll("column offers", area);
  float y = scroll.content.y;
  std::string section;
  bool any = false;
  for (const view::ColumnOffer& offer : view::column_offers(input.runs)) {
    if (!view::has_text(offer.label, search) && !view::has_text(offer.key, search)) continue;
    any = true;
    if (offer.section != section) {
      section = offer.section;
      text_at(scroll.content.x, y + px(12), Type::kLabel, Token::kDim, section);
      y += px(kOfferRow);
    }
    draw_offer(offer, input.choice, {scroll.content.x, y, scroll.content.w - px(8), px(kOfferRow)},
               commands);
    y += px(kOfferRow);
  }
  if (!any)
    text_at(scroll.content.x, y + px(12), Type::kSmall, Token::kDim,
            "No column has this in its name.");
  scroll.reach(y);
}

}  // namespace

void run_columns_button(const view::RunsInput& input, const Rect& where, std::string& search,
                        view::CommandQueue& commands) {
  const Hit hit = hit_area(view::label::kRunColumns, where);
  tooltip("Columns and groups: any setting, any logged value");
  draw_icon(Icon::kList, ImVec2(where.middle_x(), where.middle_y()), px(12),
            color_of(hit.hovered ? Token::kHigh : Token::kDim));
  if (hit.clicked) {
    search.clear();
    ImGui::OpenPopup("run columns");
  }
  ImGui::SetNextWindowPos(ImVec2(where.right(), where.bottom()), ImGuiCond_Appearing, ImVec2(1, 0));
  if (!ImGui::BeginPopup("run columns")) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float most = ImGui::GetIO().DisplaySize.y - at.y - px(60);
  const Rect list{at.x, at.y + px(32), px(kOffersWide), std::clamp(most, px(60), px(420))};
  if (ImGui::IsWindowAppearing()) {
    ImGui::SetCursorScreenPos(at);
    ImGui::SetKeyboardFocusHere();
  }
  text_field("##column search", {at.x, at.y, px(kOffersWide), px(24)}, search, Type::kSmall, {},
             "Search columns, settings and logged values");
  draw_column_offers(input, search, list, commands);
  ImGui::SetCursorScreenPos(ImVec2(at.x, list.bottom()));
  ImGui::Dummy(ImVec2(px(kOffersWide), 1));
  ImGui::EndPopup();
}

}  // namespace ringside::ui
