// The panels beside and above the grid: the alarm, the checks, and the first samples that each rank
// drew.
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/sampler/sampler_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

using Queue = view::CommandQueue;

constexpr float kCheckHeight = 41;

/// Draws as many counts as fit. The important ones come last, so those are drawn first.
void draw_counts(const view::SamplerView& view, const Rect& header) {
  float right = header.right();
  for (auto count = view.counts.rbegin(); count != view.counts.rend(); ++count) {
    if (right - text_width(Type::kSmall, count->text) < header.x) break;
    right = text_right(right, header.middle_y(), Type::kSmall, token_of(count->tone), count->text) -
            px(8);
  }
}

void draw_check(const view::SampleCheckView& check, const Rect& row) {
  const float upper = row.y + px(14);
  const float lower = row.y + px(30);
  draw_icon(icon_of(check.shape), ImVec2(row.x + px(8), upper), px(11), token_of(check.tone));
  const float x = row.x + px(26);
  text_fitted(x, upper, row.right() - x, Type::kBody, Token::kHigh, check.title);
  text_fitted(x, lower, row.right() - x, Type::kSmall, Token::kDim, check.detail);
}

/// The switch between the newest epochs and others; a list if there is no room for it.
void draw_pairs(const view::FirstSamplesView& view, const Rect& header, Queue& commands) {
  if (view.pairs.size() < 2) return;
  std::vector<const char*> words;
  for (const auto& pair : view.pairs) words.push_back(pair.word.c_str());
  const float width = segmented_width(words);
  if (width > header.w) return;
  const int picked =
      segmented("pairs", header.right() - width, header.middle_y(), words, view.chosen);
  if (picked == view.chosen) return;
  commands.emplace_back(
      view::PickEpoch{picked == 0 ? -1 : view.pairs[static_cast<std::size_t>(picked)].pass});
}

void draw_first_row(const view::FirstSamplesView::Row& row, Token same, float x, float left,
                    float right, float width, float middle) {
  rank_chip(x, middle, row.rank);
  text_fitted(left, middle, width, Type::kNumber, Token::kHigh, row.before);
  text_fitted(right, middle, width, Type::kNumber, row.same ? same : Token::kHigh, row.after);
}

void draw_fingerprints(const view::FirstSamplesView& view, const Rect& area) {
  const float upper = area.y + px(14);
  const Token tone = view.same_order ? token_of(view.found) : Token::kHigh;
  float x = text_at(area.x, upper, Type::kSmall, Token::kDim, "Order fingerprint");
  const float words = text_width(Type::kLabel, view.before + view.after) +
                      text_width(Type::kNumber, view.before_print + view.after_print) + px(40);
  const bool named = x + words <= area.right();
  const auto print = [&](const std::string& value, Token color, const std::string& whose) {
    if (value.empty()) return;
    x = text_at(x + px(12), upper, Type::kNumber, color, value);
    if (named) x = text_at(x + px(8), upper, Type::kLabel, Token::kDim, whose);
  };
  print(view.before_print, Token::kHigh, view.before);
  print(view.after_print, tone, view.after);
  if (!view.note.empty())
    text_fitted(area.x, area.y + px(32), area.w, Type::kLabel, Token::kDim, view.note);
}

}  // namespace

void draw_sampler_alarm(const view::SamplerAlarm& alarm, const std::string& run, const Rect& area,
                        Queue& commands) {
  fill(area, Token::kErrorTint, 4);
  outline(area, color_of(Token::kError, 0.45F), 4);
  const float middle = area.middle_y();
  draw_icon(Icon::kRepeat, ImVec2(area.x + px(18), middle), px(13), Token::kError);
  float right = area.right() - px(12);
  if (alarm.can_fix) {
    const float width = button_width(view::label::kFixSampling);
    right -= width - px(12);  // aligns its text with the right edge of the panel's text
    if (button(view::label::kFixSampling, {right, std::floor(middle - px(11)), width, px(22)},
               {ButtonKind::kLink}))
      commands.emplace_back(view::FixSampling{run});
    tooltip("Opens Launch with the settings of this run and sampler.set_epoch on");
    right -= px(12);
  }
  const float x = sentence_at(area.x + px(34), middle, right, alarm.main, kSmallSentence) + px(14);
  if (right - x > px(80)) text_fitted(x, middle, right - x, Type::kSmall, Token::kDim, alarm.why);
}

void draw_sample_checks(const view::SamplerView& view, const Rect& area) {
  const PanelFrame panel("sample checks", area, view::label::kChecks, {}, px(150));
  if (view.checks.empty()) {
    sentence_centered(panel.body.middle_x(), panel.body.middle_y(), {{view.no_shards}},
                      kDimSentence);
    return;
  }
  draw_counts(view, panel.header);
  const ScrollArea scroll("checks", panel.body);
  float y = scroll.content.y;
  for (const auto& check : view.checks) {
    if (y > scroll.content.y)
      line_h(scroll.content.x + px(40), scroll.content.x + scroll.content.w - px(14), y - 1,
             Token::kGrid);
    draw_check(check, {scroll.content.x + px(14), y, scroll.content.w - px(28), px(kCheckHeight)});
    y += px(kCheckHeight);
  }
  scroll.reach(y);
}

void draw_first_samples(const view::FirstSamplesView& view, const Rect& header, const Rect& body,
                        Queue& commands) {
  if (!view.none.empty()) {
    sentence_centered(body.middle_x(), body.middle_y(), {{view.none}}, kDimSentence);
    return;
  }
  draw_pairs(view, header, commands);
  Rect rest = body.inset(px(14), px(4));
  const Rect foot = rest.take_bottom(px(view.note.empty() ? 28 : 44));
  line_h(foot.x, foot.right(), foot.y, Token::kLine);
  draw_fingerprints(view, foot);
  const Rect heads = rest.take_top(px(22));
  const float left = rest.x + px(42);
  const float half = std::floor((rest.w - px(42)) * 0.5F);
  const float right = view.before.empty() ? left : left + half;
  const float width = half - px(8);
  text_fitted(left, heads.middle_y(), width, Type::kLabel, Token::kDim, view.before);
  text_fitted(right, heads.middle_y(), width, Type::kLabel, Token::kDim, view.after);
  const ScrollArea scroll("first rows", rest);
  float y = scroll.content.y;
  for (const auto& row : view.rows) {
    if (y + px(22) > rest.y && y < rest.bottom())
      draw_first_row(row, token_of(view.found), rest.x, left, right, width, y + px(11));
    y += px(22);
  }
  scroll.reach(y);
}

}  // namespace ringside::ui
