#include "gui/ui/window/chrome.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/manual/manual_view.h"
#include "gui/view/window/palette.h"
#include "gui/view/window/sheet_labels.h"
#include "gui/view/window/top_bar.h"

namespace ringside::ui {
namespace {

struct RailPage {
  view::Page page;
  Icon icon;
};
constexpr std::array<RailPage, 7> kPages{{{view::Page::kLaunch, Icon::kPlayOutline},
                                          {view::Page::kLive, Icon::kPulse},
                                          {view::Page::kScaling, Icon::kScaling},
                                          {view::Page::kSampler, Icon::kCells},
                                          {view::Page::kRuns, Icon::kList},
                                          {view::Page::kTimeline, Icon::kSpans},
                                          {view::Page::kMachines, Icon::kMachine}}};

void draw_page(const RailPage& entry, const Rect& area, bool on, bool narrow,
               view::CommandQueue& commands) {
  const char* const word = view::name_of(entry.page);
  const Hit hit = hit_area(word, area);
  if (narrow) tooltip(word);
  if (hit.clicked) commands.emplace_back(view::SelectPage{entry.page});
  if (on) {
    fill(area, Token::kAccentTint, 4);
    fill({area.x - px(6), area.y, px(2), area.h}, Token::kAccent);
  }
  const ImU32 color = color_of(on || hit.hovered ? Token::kHigh : Token::kDim);
  const float middle = narrow ? area.middle_y() : area.y + px(19);
  draw_icon(entry.icon, ImVec2(area.middle_x(), middle), px(16), color);
  const bool bold = on && text_width(Type::kSmallBold, word) < area.w - px(2);
  if (!narrow) {
    text_centered(area.middle_x(), area.bottom() - px(13), bold ? Type::kSmallBold : Type::kLabel,
                  color, word);
  }
}

bool rail_icon(const char* id, const char* hint, Icon icon, float middle_x, float middle_y) {
  const Hit hit = hit_area(id, {middle_x - px(16), middle_y - px(16), px(32), px(32)});
  tooltip(hint);
  draw_icon(icon, ImVec2(middle_x, middle_y), px(15), hit.hovered ? Token::kHigh : Token::kDim);
  return hit.clicked;
}

/// Draws the state as a pill, or only its symbol if the word does not fit. Returns the right edge.
float draw_state(float x, float right, float middle_y, const view::StateView& state) {
  const float width = px(32) + text_width(Type::kSmallBold, state.word);
  if (x + width <= right) {
    return pill(x, middle_y, icon_of(state.shape), token_of(state.tone), tint_of(state.tone),
                state.word);
  }
  if (x + px(14) > right) return x;
  hit_area("State", {x, middle_y - px(10), px(14), px(20)});
  tooltip(state.word);
  draw_icon(icon_of(state.shape), ImVec2(x + px(7), middle_y), px(11), token_of(state.tone));
  return x + px(14);
}

/// Draws number and title above the batch line, then the state and whether a fault is injected.
/// Returns the right edge.
float draw_run_words(const FrameLayout& frame, const view::TopBarView& bar, float x, float room) {
  const float upper = frame.top_bar.y + px(17);
  const float lower = frame.top_bar.y + px(34);
  const float right = x + std::max(room, 0.0F);
  const float chip = bar.injected.empty() ? 0 : tag_width(view::label::kInjected) + px(8);
  const float pill_width =
      bar.has_run ? px(56) + text_width(Type::kSmallBold, bar.state.word) + chip : 0;
  const bool word = room >= pill_width + px(84);
  const float words = std::max(0.0F, room - (!bar.has_run ? 0 : word ? pill_width : px(22)));
  float at = x;
  if (!bar.number.empty() && words > px(100))
    at = text_at(at, upper, Type::kNumber, Token::kDim, bar.number) + px(8);
  const float title_end =
      text_fitted(at, upper, words - (at - x), Type::kTitle, Token::kHigh, bar.title);
  const float line_end = text_fitted(x, lower, words, Type::kLabel, Token::kDim, bar.subtitle);
  if (!bar.has_run) return std::max(title_end, line_end);
  const float gap = word ? px(24) : px(8);
  const float drawn = frame.narrow ? 0.0F : x + px(303);
  const float pill_x = std::max({title_end + gap, line_end + gap, drawn});
  const float middle = frame.top_bar.middle_y();
  const float end = draw_state(std::min(pill_x, right - (word ? pill_width - gap : px(14))), right,
                               middle, bar.state);
  if (chip == 0 || end + chip > right + px(2)) return end;  // pixels are rounded
  const float chip_end = tag(end + px(8), middle, view::label::kInjected);
  explain_word({end + px(8), middle - px(8), chip - px(8), px(16)}, view::label::kInjected,
               bar.injected + ".");
  return chip_end;
}

/// Draws Pause and, for a replay, its speed, left of the progress. Returns the remaining area.
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
    if (!bar.can_seek) tooltip("Holds what is shown; the run goes on (P)");
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

/// Moves a replay to the time at which the bar is clicked.
void seek_with_mouse(const Rect& trough, const view::TopBarView& bar,
                     view::CommandQueue& commands) {
  if (!bar.can_seek) return;
  const Hit hit = hit_area("Replay position", trough.inset(0, -px(6)));
  tooltip("Click: go to this time of the run");
  if (!hit.clicked) return;
  const float share = (ImGui::GetIO().MousePos.x - trough.x) / std::max(1.0F, trough.w);
  commands.emplace_back(view::SeekReplay{static_cast<double>(share)});
}

/// Draws as many words above the bar as fit: the share first.
void draw_progress_words(const Rect& area, const view::TopBarView& bar) {
  const float middle = area.y + px(16);
  const float gap = px(16);
  float room = area.w - text_width(Type::kNumberBold, bar.percent);
  const auto fits = [&room, gap](const view::Sentence& words) {
    const float width = sentence_width(words, kSmallSentence) + gap;
    if (words.empty() || width > room) return false;
    room -= width;
    return true;
  };
  const bool eta = fits(bar.eta);
  const bool epoch = fits(bar.epoch);
  const bool elapsed = fits(bar.elapsed);
  const bool step = fits(bar.step);
  float x = area.x;
  if (epoch) x = sentence_at(x, middle, area.right(), bar.epoch, kSmallSentence) + gap;
  if (step) x = sentence_at(x, middle, area.right(), bar.step, kSmallSentence) + gap;
  text_at(x, middle, Type::kNumberBold, Token::kHigh, bar.percent);
  float right = area.right();
  if (eta) right = sentence_right(right, middle, bar.eta, kSmallSentence) - gap;
  if (elapsed) sentence_right(right, middle, bar.elapsed, kSmallSentence);
}

void draw_progress(const Rect& area, const view::TopBarView& bar, view::CommandQueue& commands) {
  draw_progress_words(area, bar);
  const Rect trough{area.x, area.y + px(29), area.w, px(8)};
  fill(trough, Token::kInput, 2);
  const float done = std::floor(trough.w * static_cast<float>(std::clamp(bar.share, 0.0, 1.0)));
  if (done >= 1) fill({trough.x, trough.y, done, trough.h}, Token::kAccent, 2);
  seek_with_mouse(trough, bar, commands);
  if (bar.epochs < 2 || bar.epochs > 12) return;
  for (int i = 1; i < bar.epochs; ++i) {
    line_v(trough.x + trough.w * static_cast<float>(i) / static_cast<float>(bar.epochs), trough.y,
           trough.bottom(), Token::kPanel);
  }
}

/// Draws the buttons at the right end, icons only on a narrow window; one that does not fit still
/// has its key. Removes their space from `rest`.
void draw_top_buttons(const FrameLayout& frame, const view::TopBarView& bar, Rect& rest,
                      view::CommandQueue& commands) {
  const bool icons = frame.top_bar.w < px(900);
  const float middle = frame.top_bar.middle_y();
  const auto press = [&](const char* word, float width, const ButtonStyle& style,
                         const char* hint) {
    const Rect cut = rest.take_right(px(icons ? 30 : width), px(8));
    const Rect where{cut.x, std::floor(middle - px(14)), cut.w, px(28)};
    const std::string id = icons ? std::string("##") + word : word;
    const bool pressed = button(id.c_str(), where, style);
    tooltip(icons && *hint == '\0' ? word : hint);
    return pressed;
  };
  if (bar.has_run) {
    if (frame.top_bar.w >= px(420) &&
        press(view::label::kExport, 96, {ButtonKind::kNormal, Icon::kDownload, bar.can_export}, ""))
      commands.emplace_back(view::AskExport{});
  } else if (press(view::label::kOpenRun, 106, {ButtonKind::kNormal, Icon::kFolder}, "")) {
    commands.emplace_back(view::ShowOpenRun{true});
  }
  if (bar.can_stop && press(view::label::kStop, 92, {ButtonKind::kDanger, Icon::kStop}, ""))
    commands.emplace_back(view::AskStop{true});
  if (bar.can_resume &&
      press(view::label::kResume, 92, {ButtonKind::kNormal, Icon::kPlay}, bar.resume_hint.c_str()))
    commands.emplace_back(view::ResumeRun{});
  if (!bar.run_again.empty() &&
      press(view::label::kRunScriptAgain, 98, {ButtonKind::kNormal, Icon::kPlay},
            "Its settings in the form of Launch"))
    commands.emplace_back(view::UseSettings{bar.run_again});
}

}  // namespace

void draw_rail(const FrameLayout& frame, view::Page page, const view::ManualPlace& help,
               view::CommandQueue& commands) {
  fill(frame.rail, Token::kPanel);
  line_v(frame.rail.right() - 1, frame.rail.y, frame.rail.bottom(), Token::kLine);
  // The icons scroll with the wheel if the window is too low for all of them.
  const HiddenScroll scroll("rail", frame.rail);
  const float step = px(frame.narrow ? 44 : 60);
  Rect area{frame.rail.x + px(6), scroll.top + px(8), frame.rail.w - px(12),
            px(frame.narrow ? 36 : 52)};
  for (const RailPage& entry : kPages) {
    draw_page(entry, area, entry.page == page, frame.narrow, commands);
    area.y += step;
  }
  const float middle = frame.rail.middle_x();
  const float last = std::max(frame.rail.bottom() - px(27), area.y + px(53));
  if (rail_icon(view::label::kSettings, "Settings (Ctrl ,)", Icon::kGear, middle, last - px(37)))
    commands.emplace_back(view::ShowSettings{true});
  if (rail_icon(view::label::kManual, "Help (F1)", Icon::kHelp, middle, last))
    commands.emplace_back(view::ShowManual{true, help.topic, help.section});
  scroll.reach(last + px(16));
}

void draw_top_bar(const FrameLayout& frame, const view::TopBarView& bar,
                  const view::MachineView& machine, view::CommandQueue& commands) {
  const Rect area = frame.top_bar;
  fill(area, Token::kPanel);
  line_h(area.x, area.right(), area.bottom() - 1, Token::kLine);
  draw_mark(ImVec2(px(28), area.middle_y()), px(26));
  float x = px(50);
  if (!frame.narrow) x = text_at(x, area.middle_y(), Type::kApp, Token::kHigh, "Ringside");
  x = draw_machine(frame, machine, x + px(14), commands);
  line_v(x + px(12), area.y + px(12), area.bottom() - px(12), Token::kLine);
  x += px(24);
  Rect rest{x, area.y, area.right() - px(8) - x, area.h};
  draw_top_buttons(frame, bar, rest, commands);
  const bool progress_fits = bar.has_progress && rest.w >= px(520);
  const float progress_width = std::floor(rest.w * 0.625F);
  const float room = progress_fits ? rest.w - progress_width - px(24) : rest.w;
  const float end = draw_run_words(frame, bar, x, room);
  if (!progress_fits) {
    const Rect left{end + px(24), area.y, rest.right() - end - px(24), area.h};
    if (left.w >= px(180)) draw_transport(left, bar, commands);
    return;
  }
  const float begin = std::max(rest.right() - px(24) - progress_width, end + px(32));
  const Rect progress =
      draw_transport({begin, area.y, rest.right() - px(24) - begin, area.h}, bar, commands);
  if (progress.w > px(100)) draw_progress(progress, bar, commands);
}

void draw_status_bar(const FrameLayout& frame, const view::StatusBarView& bar) {
  const Rect area = frame.status_bar;
  if (area.empty()) return;
  fill(area, Token::kPanel);
  line_h(area.x, area.right(), area.y, Token::kLine);
  draw_icon(icon_of(bar.shape), ImVec2(area.x + px(17), area.middle_y()), px(9),
            token_of(bar.tone));
  float x = area.x + px(28);
  // The first fact on the left has priority.
  const float first = bar.left.empty() ? 0 : sentence_width(bar.left.front(), kLabelSentence);
  float right = area.right() - px(12);
  for (auto fact = bar.right.rbegin(); fact != bar.right.rend(); ++fact) {
    if (right - sentence_width(*fact, kLabelSentence) < x + first + px(24)) break;
    right = sentence_right(right, area.middle_y(), *fact, kLabelSentence) - px(12);
    if (fact + 1 != bar.right.rend())
      line_v(right, area.y + px(7), area.bottom() - px(7), Token::kLine2);
    right -= px(10);
  }
  for (std::size_t i = 0; i < bar.left.size(); ++i) {
    const float width = sentence_width(bar.left[i], kLabelSentence);
    if (i > 0 && x + width > right) break;
    x = sentence_at(x, area.middle_y(), right, bar.left[i], kLabelSentence) + px(12);
    if (i + 1 < bar.left.size()) line_v(x, area.y + px(7), area.bottom() - px(7), Token::kLine2);
    x += px(12);
  }
}

}  // namespace ringside::ui
