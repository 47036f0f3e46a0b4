// Devices as cards: type, current user, and the rank each becomes.
#include <algorithm>
#include <cmath>

#include "gui/ui/launch/launch_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

void draw_card_words(const view::DeviceCard& card, const Rect& inside, bool short_card) {
  const ImU32 color = color_of(card.can_pick ? Token::kHigh : Token::kFaint);
  Rect rest = inside;
  const Rect head = rest.take_top(px(20));
  bool picked = card.picked;
  tick_box("##pick", head.x, head.middle_y(), picked, {}, card.can_pick);
  const float chip = card.rank >= 0 ? rank_chip_width(card.rank) + px(8) : 0;
  text_fitted(head.x + px(22), head.middle_y(), head.w - px(22) - chip, Type::kPanel, color,
              card.title);
  if (card.rank >= 0)
    rank_chip(head.right() - rank_chip_width(card.rank), head.middle_y(), card.rank);
  if (!short_card && !card.short_uuid.empty()) {
    const Rect line = rest.take_top(px(18));
    text_fitted(line.x, line.middle_y(), line.w, Type::kAxis, Token::kDim, card.short_uuid);
  }
  if (card.memory >= 0) {
    const Rect line = rest.take_top(px(14));
    small_bar({line.x, std::floor(line.middle_y() - px(2)), line.w, px(4)}, card.memory,
              Token::kSmallBar);
  }
  if (card.memory >= 0) {
    const Rect line = rest.take_top(px(18));
    const float used =
        text_right(line.right(), line.middle_y(), Type::kAxis, Token::kText, card.utilisation_text);
    text_fitted(line.x, line.middle_y(), used - line.x - px(4), Type::kAxis, Token::kText,
                card.memory_text);
  }
  if (!card.note.empty()) {
    const Rect line = rest.take_top(px(18));
    text_fitted(line.x, line.middle_y(), line.w, Type::kLabel, token_of(card.note_tone), card.note);
  } else if (!card.climate.empty()) {
    const Rect line = rest.take_top(px(18));
    text_fitted(line.x, line.middle_y(), line.w, Type::kAxis, Token::kDim, card.climate);
  }
}

void draw_card(const view::DeviceCard& card, const Rect& area, bool short_card,
               view::CommandQueue& commands) {
  ImGui::PushID(card.uuid.c_str());
  ImGui::SetNextItemAllowOverlap();
  ImGui::BeginDisabled(!card.can_pick);
  const Hit hit = hit_area(card.title.c_str(), area);
  ImGui::EndDisabled();
  fill(area, card.picked ? Token::kAccentTint : hit.hovered ? Token::kHover : Token::kRaised, 4);
  outline(area, card.picked ? Token::kAccent : Token::kLine, 4);
  draw_card_words(card, area.inset(px(10), px(8)), short_card);
  if (hit.clicked) commands.emplace_back(view::PickDevice{card.uuid, !card.picked});
  ImGui::PopID();
}

/// Height that the card with the most content needs.
float card_height(const std::vector<view::DeviceCard>& cards, bool short_card) {
  float most = 0;
  for (const view::DeviceCard& card : cards) {
    float height = px(20) + px(16);
    if (!short_card && !card.short_uuid.empty()) height += px(18);
    if (card.memory >= 0) height += px(32);
    if (!card.note.empty() || !card.climate.empty()) height += px(18);
    most = std::max(most, height);
  }
  return most;
}

/// Buttons for one CPU slot fewer or one more; their number is not limited.
void draw_slots(const view::LaunchForm& form, Rect foot, view::CommandQueue& commands) {
  const auto ranks = static_cast<int>(form.spec().devices.world_size);
  const auto step = [&](const char* id, int by) {
    const Rect where = foot.take_right(px(96), px(8));
    if (button(id, {where.x, where.y, where.w, px(24)},
               {ButtonKind::kNormal, Icon::kNone, ranks + by >= 1})) {
      commands.emplace_back(view::SetCpuRanks{ranks + by});
    }
  };
  step(view::label::kAddRank, 1);
  step(view::label::kRemoveRank, -1);
}

/// Shortcuts to select many GPUs. Returns the width they take at the right.
float draw_gpu_buttons(const view::LaunchView& launch, const view::LaunchForm& form, Rect foot,
                       view::CommandQueue& commands) {
  const std::size_t picked = form.spec().devices.ids.size();
  if (picked == 0 || foot.w < px(420)) return 0;
  const auto press = [&](const std::string& word, float width) {
    const Rect where = foot.take_right(width, px(8));
    return button(word.c_str(), {where.x, where.y, where.w, px(24)});
  };
  const float before = foot.w;
  if (press(view::label::kClearDevices, px(64))) commands.emplace_back(view::PickDevices{});
  if (!launch.best.empty() && press(view::pick_best_label(picked), px(124)))
    commands.emplace_back(view::PickDevices{launch.best});
  return before - foot.w;
}

/// The cards and, below them, the links between the devices.
void draw_cards(const view::LaunchView& launch, const Rect& body, bool short_card,
                view::CommandQueue& commands) {
  const std::vector<view::DeviceCard>& cards = launch.cards;
  const ScrollArea scroll("device cards", body);
  const float gap = px(8);
  const float room = scroll.content.w;
  // A few cards share the width of a wide panel, so that none of it stays empty.
  const int fitting = std::max(1, static_cast<int>((room + gap) / (px(138) + gap)));
  const int across = std::min(fitting, std::max(4, static_cast<int>(cards.size())));
  const float width = std::floor((room + gap) / static_cast<float>(across)) - gap;
  const float height = card_height(cards, short_card);
  float x = body.x;
  float y = scroll.content.y;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (i > 0 && i % static_cast<std::size_t>(across) == 0) {
      x = body.x;
      y += height + gap;
    }
    draw_card(cards[i], {x, y, width, height}, short_card, commands);
    x += width + gap;
  }
  y += height;
  if (const float links = links_height(launch.links); links > 0) {
    draw_links(launch.links, {body.x, y + px(12), room, links}, commands);
    y += px(12) + links;
  }
  scroll.reach(y);
}

}  // namespace

void draw_devices(const view::LaunchView& launch, const view::LaunchForm& form, const Rect& area,
                  view::CommandQueue& commands) {
  const PanelFrame panel("devices panel", area, "Devices", launch.devices_subtitle);
  Rect body = panel.body.inset(px(12), px(12));
  // If room is short, text without an action is left out before cards are.
  if (!launch.devices_empty.empty() && body.h > px(150)) {
    const float end = sentence_wrapped(body.x, body.y, body.right(), px(20), launch.devices_empty,
                                       SentenceStyle{});
    body.take_top(end - body.y, px(10));
  }
  const Rect foot = body.take_bottom(px(28), px(8));
  const bool slots = !launch.cards.empty() && launch.cards.front().uuid.starts_with("cpu:");
  if (slots) draw_slots(form, foot, commands);
  const bool gpus = !slots && !launch.cards.empty();
  const float buttons = slots ? px(208) : gpus ? draw_gpu_buttons(launch, form, foot, commands) : 0;
  draw_cards(launch, body, area.w < px(500), commands);
  sentence_at(foot.x, foot.y + px(12), foot.right() - buttons, launch.selected, kSmallSentence);
}

}  // namespace ringside::ui
