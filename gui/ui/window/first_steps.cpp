#include "gui/ui/window/chrome.h"

#include <algorithm>
#include <cmath>

#include "gui/ui/widgets.h"
#include "gui/view/window/first_steps.h"

namespace ringside::ui {
namespace {

constexpr float kSentenceHeight = 30;
constexpr float kDoorHeight = 54;
constexpr float kStepsGap = 8;

bool draw_door(const view::Door& door, const Rect& area) {
  const Hit hit = hit_area(door.name, area);
  fill(area, hit.hovered ? Token::kHover : Token::kRaised, 4);
  outline(area, hit.hovered ? Token::kAccent : Token::kLine2, 4);
  const float room = area.w - px(28);
  text_fitted(area.x + px(14), area.y + px(18), room, Type::kPanel, Token::kHigh, door.name);
  text_fitted(area.x + px(14), area.y + px(37), room, Type::kLabel, Token::kDim, door.about);
  return hit.clicked;
}

}  // namespace

float first_steps_height() { return px(kSentenceHeight + kDoorHeight + 2 * kStepsGap); }

void draw_first_steps(const Rect& area, view::CommandQueue& commands) {
  fill(area, Token::kPanel, 4);
  outline(area, Token::kLine, 4);
  Rect body = area.inset(px(kStepsGap), px(kStepsGap));
  const Rect sentence = body.take_top(px(kSentenceHeight - kStepsGap), px(kStepsGap));
  text_fitted(sentence.x + px(6), sentence.middle_y(), sentence.w - px(12), Type::kBody,
              Token::kText, view::label::kWhatThisIs);
  const float width = std::floor((body.w - 2 * px(kStepsGap)) / 3);
  for (const view::Door& door : view::kFirstDoors) {
    const Rect where = body.take_left(std::min(width, body.w), px(kStepsGap));
    if (draw_door(door, where)) door.press(commands);
  }
}

}  // namespace ringside::ui
