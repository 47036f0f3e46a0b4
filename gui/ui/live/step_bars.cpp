// Step breakdown: one bar per rank, with the lengths of its parts below it, aligned over all ranks.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/tips.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/chart/taken_stretches.h"

namespace ringside::ui {
namespace {

constexpr std::size_t kPaints = 8;

Type number_type(const view::BarPart& part) {
  return part.strong ? Type::kNumberBold : Type::kAxis;
}

/// Position of the numbers of one paint, and the width of their text to either side.
struct NumberPlace {
  std::size_t paint = 0;
  float at = 0;
  float half = 0;
};

/// Positions of the numbers of each paint: the mean centre of its parts, moved apart no further
/// than their text needs, so that each stays below its part.
std::array<float, kPaints> number_pages(const std::vector<view::StepBar>& bars, const Rect& track) {
  struct Mean {
    double sum = 0;
    int count = 0;
    float widest = 0;
  };
  std::array<Mean, kPaints> means{};
  for (const view::StepBar& bar : bars) {
    for (const view::BarPart& part : bar.parts) {
      Mean& mean = means[static_cast<std::size_t>(part.paint)];
      mean.sum += (part.begin + part.end) * 0.5;
      ++mean.count;
      mean.widest = std::max(mean.widest, text_width(number_type(part), part.value));
    }
  }
  std::vector<NumberPlace> places;
  for (std::size_t i = 0; i < kPaints; ++i) {
    if (means[i].count > 0)
      places.push_back({i, static_cast<float>(means[i].sum / means[i].count) * track.w,
                        means[i].widest * 0.5F + px(4)});
  }
  std::ranges::sort(places, [](const NumberPlace& a, const NumberPlace& b) { return a.at < b.at; });
  float least = 0;
  for (NumberPlace& place : places) {
    place.at = std::max(place.at, least + place.half);
    least = place.at + place.half;
  }
  float most = track.w;
  std::array<float, kPaints> result{};
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    place->at = std::min(place->at, most - place->half);
    most = place->at - place->half;
    result[place->paint] = track.x + place->at;
  }
  return result;
}

/// Draws the legend above the bars if it fits, otherwise over the whole width, or in several lines;
/// cuts its lines off `body`.
void draw_legend(const std::vector<view::LegendEntry>& legend, Rect& body, float indent) {
  float words = 0;
  for (const view::LegendEntry& entry : legend)
    words += px(12) + text_width(Type::kLabel, entry.word);
  const auto count = static_cast<float>(std::max<std::size_t>(1, legend.size()));
  const bool indented = words + px(6) * count <= body.w - indent;
  const float gap = std::clamp((body.w - (indented ? indent : 0) - words) / count, px(4), px(14));
  Rect line = body.take_top(px(24));
  float x = line.x + (indented ? indent : 0);
  for (const view::LegendEntry& entry : legend) {
    const float width = px(12) + text_width(Type::kLabel, entry.word);
    if (x > line.x && x + width > line.right() + px(6)) {
      if (body.h < px(16)) {
        text_at(x, line.middle_y(), Type::kLabel, color_of(Token::kText), "…");
        return;
      }
      line = body.take_top(px(16));
      line.y -= px(4);
      x = line.x;
    }
    fill({std::floor(x), std::floor(line.middle_y() - px(4)), px(8), px(8)},
         paint_color(entry.paint));
    text_at(x + px(12), line.middle_y(), Type::kLabel, color_of(Token::kText), entry.word);
    explain_word({x, line.y, width, line.h}, entry.word);
    x += width + gap;
  }
}

/// Draws the number of the highlighted part first, then those of the longest parts. A number that
/// would touch another is left out, since the two would be read as one.
void draw_numbers(const view::StepBar& bar, const Rect& row, float middle_y,
                  const std::array<float, kPaints>& places) {
  std::vector<const view::BarPart*> order;
  for (const view::BarPart& part : bar.parts) order.push_back(&part);
  std::ranges::stable_sort(order, [](const auto* a, const auto* b) {
    return a->strong != b->strong ? a->strong : a->end - a->begin > b->end - b->begin;
  });
  view::TakenStretches taken;
  for (const view::BarPart* part : order) {
    const Type type = number_type(*part);
    const float middle = places[static_cast<std::size_t>(part->paint)];
    const float half = text_width(type, part->value) * 0.5F;
    const float begin = middle - half - px(3);
    const float end = middle + half + px(3);
    if (begin < row.x || end > row.right() + px(6) || !taken.take(begin, end)) continue;
    text_centered(middle, middle_y, type, color_of(part->strong ? Token::kHigh : Token::kDim),
                  part->value);
  }
}

void draw_bar(const view::StepBar& bar, const Rect& row, float bar_height,
              const std::array<float, kPaints>& places, bool numbers) {
  const Rect track{row.x + px(46), row.y, row.w - px(46), bar_height};
  if (bar.rank >= 0) {
    rank_chip(row.x, track.middle_y(), bar.rank);
  } else {
    text_fitted(row.x, track.middle_y(), px(44), Type::kLabel, color_of(Token::kText), bar.label);
  }
  float before = track.x;
  for (const view::BarPart& part : bar.parts) {
    const float begin =
        std::max(before, std::floor(track.x + static_cast<float>(part.begin) * track.w));
    const float end = std::floor(track.x + static_cast<float>(part.end) * track.w);
    if (end > begin)
      fill({begin, track.y, std::max(1.0F, end - begin - 1), track.h}, paint_color(part.paint));
    before = std::max(before, end);
  }
  if (numbers) draw_numbers(bar, row, track.bottom() + px(9), places);
}

constexpr float kLaneHeight = 22;

/// Draws the times of a dimension's collectives on the scale of the bars, and their total.
void draw_lane(const view::StepLane& lane, const Rect& row) {
  const Rect track{row.x + px(46), row.y + px(1), row.w - px(46), px(6)};
  fill(track, color_of(Token::kRaised));
  for (const view::BarPart& part : lane.parts) {
    const float begin = std::floor(track.x + static_cast<float>(part.begin) * track.w);
    const float end = std::floor(track.x + static_cast<float>(part.end) * track.w);
    fill({begin, track.y, std::max(1.0F, end - begin), track.h}, paint_color(part.paint));
  }
  text_fitted(track.x, track.bottom() + px(7), track.w, Type::kAxis, color_of(Token::kDim),
              lane.text);
  note_cut(row, lane.hint);
}

}  // namespace

void draw_step_bars(const view::StepBarsView& bars, const Rect& area) {
  const PanelFrame panel(
      "step bars", area, view::label::kStepBreakdown, bars.subtitle,
      text_width(Type::kNumberBold, bars.whole) + px(8) +
          (bars.more.empty() ? 0 : text_width(Type::kLabel, bars.more) + px(16)));
  text_right(panel.header.right() - px(4), panel.header.middle_y(), Type::kNumberBold,
             color_of(Token::kHigh), bars.whole);
  Rect body = panel.body.inset(px(12), 0);
  if (!bars.empty.empty()) {
    if (sentence_width(bars.empty, kDimSentence) <= body.w) {
      sentence_centered(body.middle_x(), body.middle_y(), bars.empty, kDimSentence);
    } else {
      sentence_wrapped(body.x, body.y + px(12), body.right(), px(19), bars.empty, kDimSentence);
    }
    return;
  }
  if (!bars.transfer.empty()) {
    const Rect foot = body.take_bottom(px(26));
    line_h(panel.body.x, panel.body.right(), foot.y, color_of(Token::kLine));
    sentence_at(foot.x, foot.middle_y(), foot.right(), bars.transfer, kLabelSentence);
  }
  draw_legend(bars.legend, body, px(46));
  if (bars.bars.empty()) return;
  if (!bars.more.empty()) {
    text_right(panel.header.right() - px(12) - text_width(Type::kNumberBold, bars.whole),
               panel.header.middle_y(), Type::kLabel, color_of(Token::kDim), bars.more);
  }
  const float lanes = px(kLaneHeight) * static_cast<float>(bars.lanes.size());
  const float fitting = std::floor((body.h - lanes) / static_cast<float>(bars.bars.size()));
  const float row_height = std::clamp(fitting, px(18), px(42));
  const bool numbers = row_height >= px(32);
  const float bar_height = std::min(px(17), row_height - (numbers ? px(16) : px(3)));
  const ScrollArea scroll("bars", body);
  Rect rows{body.x, scroll.content.y, scroll.content.w,
            row_height * static_cast<float>(bars.bars.size()) + lanes};
  const float bottom = rows.bottom();
  const auto places = number_pages(bars.bars, {rows.x + px(46), rows.y, rows.w - px(46), rows.h});
  for (const view::StepBar& bar : bars.bars)
    draw_bar(bar, rows.take_top(row_height), bar_height, places, numbers);
  for (const view::StepLane& lane : bars.lanes) draw_lane(lane, rows.take_top(px(kLaneHeight)));
  if (bottom > scroll.content.y + body.h) scroll.reach(bottom);
}

}  // namespace ringside::ui
