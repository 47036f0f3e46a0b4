// The speedup over the baseline.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/experiment/experiment_view.h"

namespace ringside::ui {
namespace {

void draw_time_bar(const Rect& area, const std::string& label, const std::string& time,
                   double share, ImU32 color) {
  text_fitted(area.x, area.y + px(7), area.w - px(60), Type::kSmall, color_of(Token::kText), label);
  text_right(area.right(), area.y + px(7), Type::kNumber, color_of(Token::kHigh), time);
  const Rect trough{area.x, area.y + px(18), area.w, px(8)};
  fill(trough, color_of(Token::kInput), 2);
  const float done = std::floor(trough.w * static_cast<float>(std::clamp(share, 0.0, 1.0)));
  if (done >= 1) fill({trough.x, trough.y, done, trough.h}, color, 2);
}

void draw_figure(const Rect& area, const char* label, const std::string& figure,
                 const std::string& hint) {
  text_at(area.x, area.y + px(10), Type::kSmall, color_of(Token::kDim), label);
  explain_word({area.x, area.y, area.w, px(42)}, label);
  text_at(area.x, area.y + px(31), Type::kFigure, color_of(Token::kHigh), figure);
  text_fitted(area.x, area.y + px(52), area.w - px(6), Type::kLabel, color_of(Token::kDim), hint);
}

void draw_times(const view::SpeedupView& card, const Rect& area) {
  Rect rest = area;
  draw_time_bar(rest.take_top(px(26), px(9)), card.baseline_label, card.baseline_time,
                card.baseline_share, color_of(Token::kLine2));
  const Rect run = rest.take_top(px(26));
  draw_time_bar(run, card.run_label, card.run_time, card.run_share, color_of(Token::kAccent));
  if (card.ideal_label.empty()) return;
  const float ideal =
      std::floor(run.x + run.w * static_cast<float>(std::clamp(card.ideal_share, 0.0, 1.0)));
  line_v(ideal, run.y + px(14), run.y + px(30), color_of(Token::kHigh));
  const float ceiling =
      std::floor(run.x + run.w * static_cast<float>(std::clamp(card.ceiling_share, 0.0, 1.0)));
  if (ceiling > run.x) line_v(ceiling, run.y + px(14), run.y + px(30), color_of(Token::kDim));
  const float last = run.right() - text_width(Type::kLabel, card.ideal_label);
  text_at(std::max(run.x, std::min(ideal + px(4), last)), run.y + px(35), Type::kLabel,
          color_of(Token::kDim), card.ideal_label);
}

/// Draws the sign of an unfair comparison beside the speedup, and the word below it if it fits.
void mark_unfair(const view::Verdict& fairness, float x, const Rect& left) {
  const float room = left.right() + px(10) - x;
  const bool worded = text_width(Type::kLabel, view::label::kNotFair) <= room;
  draw_icon(Icon::kWarning, {x + px(8), left.y + px(worded ? 26 : 33)}, px(15),
            color_of(Token::kWarning));
  if (worded)
    text_at(x, left.y + px(43), Type::kLabel, color_of(Token::kWarning), view::label::kNotFair);
  explain_word({x, left.y + px(12), std::max(room, px(16)), px(42)}, view::label::kFairTerm,
               fairness.told() + (fairness.more.empty() ? "" : " " + fairness.more));
}

void draw_card(const view::SpeedupView& card, Rect body) {
  Rect upper = body.take_top(std::min(px(92), std::floor(body.h * 0.56F)));
  Rect left = upper.take_left(std::max(std::floor(upper.w * 0.38F), px(170)), px(12));
  const float end =
      text_at(left.x, left.y + px(33), Type::kDisplay, color_of(Token::kHigh), card.display);
  explain_word({left.x, left.y, left.w, px(58)}, view::label::kSpeedup);
  if (card.fairness.unfair()) mark_unfair(card.fairness, end + px(8), left);
  float x = text_at(left.x, left.y + px(70), Type::kSmall, color_of(Token::kDim), "of ideal ");
  x = text_at(x, left.y + px(70), Type::kNumberBold, color_of(Token::kHigh), card.of_ideal);
  explain_word({left.x, left.y + px(60), x - left.x, px(20)}, view::label::kIdealTerm);
  explain_word({x, left.y + px(60), left.right() - x, px(20)}, view::label::kEfficiencyTerm);
  x = text_at(x + px(12), left.y + px(70), Type::kSmall, color_of(Token::kDim), "efficiency ");
  text_at(x, left.y + px(70), Type::kNumberBold, color_of(Token::kHigh), card.efficiency);
  draw_times(card, {upper.x, upper.y + px(10), upper.w, upper.h});
  line_h(body.x - px(14), body.right() + px(14), body.y, color_of(Token::kLine));
  Rect lower{body.x, body.y + px(4), body.w, body.h - px(4)};
  const float third = std::floor(lower.w / 3.0F);
  const std::array<Rect, 3> cells{lower.take_left(third), lower.take_left(third), lower};
  draw_figure(cells[0], view::label::kTimeSaved, card.time_cut, {});
  draw_figure({cells[1].x + px(8), cells[1].y, cells[1].w, cells[1].h}, view::label::kValAccuracy,
              card.accuracy, {});
  draw_figure({cells[2].x + px(8), cells[2].y, cells[2].w, cells[2].h},
              view::label::kAgainstBaseline, card.accuracy_delta, card.delta_hint);
  for (std::size_t i = 1; i < cells.size(); ++i) {
    line_v(cells[i].x - px(4), cells[i].y + px(4), cells[i].y + px(44), color_of(Token::kLine));
  }
  if (card.note.empty()) return;
  const float note_right = card.delta_hint.empty() ? lower.right() : cells[2].x - px(4);
  const Rect note{cells[0].x, cells[0].y + px(44), note_right - cells[0].x, px(16)};
  hit_area("Note", note);
  tooltip(view::plain(card.note), view::label::kFairTerm);
  float note_x = cells[0].x;
  if (card.fairness.unfair()) {
    draw_icon(Icon::kWarning, {note_x + px(5), cells[0].y + px(52)}, px(10),
              color_of(Token::kWarning));
    note_x += px(14);
  }
  sentence_at(note_x, cells[0].y + px(52), note_right, card.brief, kLabelSentence);
}

const char* change_word(const view::SpeedupView& card) {
  return card.compared.empty() ? view::label::kChooseBaseline : view::label::kChangeBaseline;
}

/// The list of runs of the same work, opened by a link in the header.
void choose_baseline(const view::SpeedupView& card, const Rect& header, float width,
                     view::CommandQueue& commands) {
  const Rect link{header.right() - width, header.y, width, header.h};
  if (button(change_word(card), link, {ButtonKind::kLink})) ImGui::OpenPopup("baselines");
  std::vector<std::string> labels;
  std::string_view on;
  for (const view::BaselineOffer& offer : card.offers) {
    labels.push_back(offer.label);
    if (offer.id == card.compared) on = offer.label;
  }
  ImGui::SetNextWindowPos(ImVec2(link.right(), link.bottom()), ImGuiCond_Appearing, ImVec2(1, 0));
  const int picked = popup_list("baselines", labels, on);
  if (picked >= 0)
    commands.emplace_back(view::CompareWith{card.offers[static_cast<std::size_t>(picked)].id});
}

float link_width(const char* word) { return text_width(Type::kSmall, word) + px(12); }

}  // namespace

void draw_speedup(const view::SpeedupView& card, const Rect& area, view::CommandQueue& commands) {
  const float change = card.offers.empty() ? 0 : link_width(change_word(card));
  const float why = card.shown ? link_width(view::label::kWhy) : 0;
  const float source = card.published ? link_width(view::label::kExperiment) : 0;
  PanelFrame panel("speedup panel", area, view::label::kSpeedup,
                   card.shown ? card.subtitle : std::string(), change + why + source);
  if (change > 0) choose_baseline(card, panel.header, change, commands);
  if (source > 0) {
    const Rect link{panel.header.right() - change - why - source, panel.header.y, source,
                    panel.header.h};
    if (button(view::label::kExperiment, link, {ButtonKind::kLink}))
      commands.emplace_back(view::ShowExperiment{});
    tooltip("What its source published, figure by figure beside this run (U)");
  }
  Rect body = panel.body.inset(px(14), px(0));
  if (card.shown) {
    panel.header.take_right(change);
    bool opens = button(view::label::kWhy, panel.header.take_right(why), {ButtonKind::kLink});
    tooltip("Where the rest of the ideal speedup went (W)");
    const Rect upper{body.x, body.y, body.w, std::min(px(92), std::floor(body.h * 0.56F))};
    opens |= hit_area("Open the waterfall", upper).clicked;
    if (opens) commands.emplace_back(view::ShowWaterfall{});
    draw_card(card, body);
    return;
  }
  const float top = body.middle_y() - (card.offer_as_baseline ? px(40) : px(20));
  const float end =
      sentence_wrapped(body.x, top, body.right(), px(20), card.empty, SentenceStyle{});
  if (!card.offer_as_baseline) return;
  if (button(view::label::kUseAsBaseline, {body.x, end + px(10), px(140), px(28)}))
    commands.emplace_back(view::SetBaseline{});
}

}  // namespace ringside::ui
