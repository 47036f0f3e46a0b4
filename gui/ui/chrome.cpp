#include "gui/ui/chrome.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

struct RailPlace {
  view::Place place;
  const char* word;
  Icon icon;
};
constexpr std::array<RailPlace, 3> kPlaces{{{view::Place::kLaunch, "Launch", Icon::kPlayOutline},
                                            {view::Place::kLive, "Live", Icon::kPulse},
                                            {view::Place::kRuns, "Runs", Icon::kList}}};

void draw_place(const RailPlace& entry, const Rect& area, bool on, bool narrow,
                view::CommandQueue& commands) {
  const Hit hit = hit_area(entry.word, area);
  if (narrow) tooltip(entry.word);
  if (hit.clicked) commands.emplace_back(view::SelectPlace{entry.place});
  if (on) {
    fill(area, color(Token::kAccentTint), 4);
    fill({area.x - px(6), area.y, px(2), area.h}, color(Token::kAccent));
  }
  const ImU32 ink = color(on || hit.hovered ? Token::kHigh : Token::kDim);
  const float middle = narrow ? area.middle_y() : area.y + px(19);
  draw_icon(entry.icon, ImVec2(area.middle_x(), middle), px(16), ink);
  if (!narrow) {
    text_centered(area.middle_x(), area.bottom() - px(13), on ? Type::kSmallBold : Type::kLabel,
                  ink, entry.word);
  }
}

bool rail_icon(const char* id, const char* hint, Icon icon, float middle_x, float middle_y) {
  const Hit hit = hit_area(id, {middle_x - px(16), middle_y - px(16), px(32), px(32)});
  tooltip(hint);
  draw_icon(icon, ImVec2(middle_x, middle_y), px(15),
            color(hit.hovered ? Token::kHigh : Token::kDim));
  return hit.clicked;
}

/// Number and title over the batch line, then the state. Returns the right edge.
float draw_run_words(const FrameLayout& frame, const view::TopBarView& bar, float x, float room) {
  const float upper = frame.top_bar.y + px(17);
  const float lower = frame.top_bar.y + px(34);
  float at = x;
  if (!bar.number.empty())
    at = text_at(at, upper, Type::kNumber, color(Token::kDim), bar.number) + px(8);
  const float pill_width = bar.has_run ? px(40) + text_width(Type::kSmallBold, bar.state.word) : 0;
  const float words = std::max(px(60), room - pill_width - px(24));
  const float title_end =
      text_fitted(at, upper, words - (at - x), Type::kTitle, color(Token::kHigh), bar.title);
  const float line_end =
      text_fitted(x, lower, words, Type::kLabel, color(Token::kDim), bar.subtitle);
  if (!bar.has_run) return std::max(title_end, line_end);
  const float pill_x =
      std::max({title_end + px(24), line_end + px(24), frame.narrow ? 0.0F : x + px(303)});
  return pill(std::min(pill_x, x + words + px(24)), frame.top_bar.middle_y(),
              icon_of(bar.state.shape), token_of(bar.state.tone), tint_of(bar.state.tone),
              bar.state.word);
}

/// Pause and, for a replay, its speed; before the progress. Returns what is left.
Rect draw_transport(Rect area, const view::TopBarView& bar, view::CommandQueue& commands) {
  const auto place = [&area](float width) {
    const Rect cut = area.take_left(width, px(8));
    return Rect{cut.x, std::floor(cut.middle_y() - px(12)), cut.w, px(24)};
  };
  if (bar.can_pause) {
    const ButtonKind kind = bar.paused ? ButtonKind::kPrimary : ButtonKind::kNormal;
    const std::string id = bar.pause_word + "###pause";
    if (button(id.c_str(), place(button_width(bar.pause_word)), {kind}))
      commands.emplace_back(view::Pause{!bar.paused});
  }
  if (!bar.can_seek) return area;
  const std::string id = bar.replay_speed + "###replay speed";
  if (button(id.c_str(), place(px(52)))) ImGui::OpenPopup("speeds");
  tooltip("Speed of the replay");
  std::vector<std::string> words;
  for (const double speed : view::kReplaySpeeds) words.push_back(view::replay_speed_text(speed));
  const int picked = popup_list("speeds", words, bar.replay_speed);
  if (picked >= 0) commands.emplace_back(view::SetReplaySpeed{view::kReplaySpeeds[picked]});
  return area;
}

/// A click on the bar of a replay goes to that time.
void seek_with_mouse(const Rect& trough, const view::TopBarView& bar,
                     view::CommandQueue& commands) {
  if (!bar.can_seek) return;
  const Hit hit = hit_area("Replay position", trough.inset(0, -px(6)));
  tooltip("Click: go to this time of the run");
  if (!hit.clicked) return;
  const float share = (ImGui::GetIO().MousePos.x - trough.x) / std::max(1.0F, trough.w);
  commands.emplace_back(view::SeekReplay{static_cast<double>(share)});
}

void draw_progress(const Rect& area, const view::TopBarView& bar, view::CommandQueue& commands) {
  const float words = area.y + px(16);
  float x = sentence_at(area.x, words, area.right(), bar.epoch, kSmallSentence);
  x = sentence_at(x + px(16), words, area.right(), bar.step, kSmallSentence);
  text_at(x + px(16), words, Type::kNumberBold, color(Token::kHigh), bar.percent);
  float right = area.right();
  if (!bar.eta.empty()) right = sentence_right(right, words, bar.eta, kSmallSentence) - px(16);
  sentence_right(right, words, bar.elapsed, kSmallSentence);
  const Rect trough{area.x, area.y + px(29), area.w, px(8)};
  fill(trough, color(Token::kInput), 2);
  const float done = std::floor(trough.w * static_cast<float>(std::clamp(bar.share, 0.0, 1.0)));
  if (done >= 1) fill({trough.x, trough.y, done, trough.h}, color(Token::kAccent), 2);
  seek_with_mouse(trough, bar, commands);
  if (bar.epochs < 2 || bar.epochs > 12) return;
  for (int i = 1; i < bar.epochs; ++i) {
    line_v(trough.x + trough.w * static_cast<float>(i) / static_cast<float>(bar.epochs), trough.y,
           trough.bottom(), color(Token::kPanel));
  }
}

}  // namespace

void draw_rail(const FrameLayout& frame, view::Place place, view::CommandQueue& commands) {
  fill(frame.rail, color(Token::kPanel));
  line_v(frame.rail.right() - 1, frame.rail.y, frame.rail.bottom(), color(Token::kLine));
  const float step = px(frame.narrow ? 44 : 60);
  Rect area{frame.rail.x + px(6), frame.rail.y + px(8), frame.rail.w - px(12),
            px(frame.narrow ? 36 : 52)};
  for (const RailPlace& entry : kPlaces) {
    draw_place(entry, area, entry.place == place, frame.narrow, commands);
    area.y += step;
  }
  const float middle = frame.rail.middle_x();
  if (rail_icon("Theme", "Light or dark", Icon::kSun, middle, frame.rail.bottom() - px(64))) {
    commands.emplace_back(view::SetLight{!look().light});
  }
  if (rail_icon("Keys", "All keys (F1)", Icon::kHelp, middle, frame.rail.bottom() - px(27))) {
    commands.emplace_back(view::ShowKeys{true});
  }
}

void draw_top_bar(const FrameLayout& frame, const view::TopBarView& bar,
                  view::CommandQueue& commands) {
  const Rect area = frame.top_bar;
  fill(area, color(Token::kPanel));
  line_h(area.x, area.right(), area.bottom() - 1, color(Token::kLine));
  draw_mark(ImVec2(px(28), area.middle_y()), px(26));
  float x = px(50);
  if (!frame.narrow) x = text_at(x, area.middle_y(), Type::kApp, color(Token::kHigh), "Ringside");
  line_v(x + px(16), area.y + px(12), area.bottom() - px(12), color(Token::kLine));
  x += px(30);
  Rect rest{x, area.y, area.right() - px(8) - x, area.h};
  const auto place_button = [&rest, &area](float width) {
    const Rect cut = rest.take_right(width, px(8));
    return Rect{cut.x, std::floor(area.middle_y() - px(14)), cut.w, px(28)};
  };
  if (bar.has_run) {
    const Rect where = place_button(px(96));
    if (button("Export…", where, {ButtonKind::kNormal, Icon::kDownload, bar.can_export})) {
      commands.emplace_back(view::AskExport{});
    }
  }
  if (bar.can_stop) {
    if (button("Stop…", place_button(px(92)), {ButtonKind::kDanger, Icon::kStop})) {
      commands.emplace_back(view::AskStop{true});
    }
  }
  if (bar.can_resume) {
    if (button("Resume", place_button(px(92)), {ButtonKind::kNormal, Icon::kPlay}))
      commands.emplace_back(view::ResumeRun{});
    tooltip(bar.resume_hint);
  }
  const float progress_width = std::floor(rest.w * 0.625F);
  const float room = bar.has_progress ? rest.w - progress_width - px(24) : rest.w;
  const float end = draw_run_words(frame, bar, x, room);
  if (!bar.has_progress) return;
  const float begin = std::max(rest.right() - px(24) - progress_width, end + px(32));
  const Rect progress =
      draw_transport({begin, area.y, rest.right() - px(24) - begin, area.h}, bar, commands);
  if (progress.w > px(160)) draw_progress(progress, bar, commands);
}

void draw_status_bar(const FrameLayout& frame, const view::StatusBarView& bar) {
  const Rect area = frame.status_bar;
  fill(area, color(Token::kPanel));
  line_h(area.x, area.right(), area.y, color(Token::kLine));
  draw_icon(icon_of(bar.shape), ImVec2(area.x + px(17), area.middle_y()), px(9),
            color(token_of(bar.tone)));
  float right = area.right() - px(12);
  for (auto fact = bar.right.rbegin(); fact != bar.right.rend(); ++fact) {
    right = sentence_right(right, area.middle_y(), *fact, kLabelSentence) - px(12);
    if (fact + 1 != bar.right.rend())
      line_v(right, area.y + px(7), area.bottom() - px(7), color(Token::kLine2));
    right -= px(10);
  }
  float x = area.x + px(28);
  for (std::size_t i = 0; i < bar.left.size(); ++i) {
    const float width = sentence_width(bar.left[i], kLabelSentence);
    if (x + width > right) break;
    x = sentence_at(x, area.middle_y(), right, bar.left[i], kLabelSentence) + px(12);
    if (i + 1 < bar.left.size())
      line_v(x, area.y + px(7), area.bottom() - px(7), color(Token::kLine2));
    x += px(12);
  }
}

}  // namespace ringside::ui
