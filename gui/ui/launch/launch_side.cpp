// The plan of the run, its preflight, the command, and the start button.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <vector>

#include "gui/ui/launch/launch_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

struct CheckStyle {
  Icon icon;
  Token color;
};

CheckStyle style_of_check(view::CheckState state) {
  constexpr CheckStyle kStyles[] = {{Icon::kTick, Token::kOk},
                                    {Icon::kWarning, Token::kWarning},
                                    {Icon::kCross, Token::kError},
                                    {Icon::kRing, Token::kInfo},
                                    {Icon::kRing, Token::kDim}};
  static_assert(std::size(kStyles) == static_cast<std::size_t>(view::CheckState::kLater) + 1);
  return kStyles[static_cast<std::size_t>(state)];
}

constexpr float kCheckRow = 43;
constexpr float kHintRow = 18;

bool shows_hint(const view::CheckView& check) {
  return check.state != view::CheckState::kPass && !check.hint.empty();
}

void draw_hint(const view::CheckView& check, const Rect& line, view::CommandQueue& commands) {
  float right = line.right();
  if (!check.command.empty()) {
    const Rect copy{right - px(104), line.y - px(1), px(104), px(20)};
    const std::string id = "Copy command##" + check.title;
    if (button(id.c_str(), copy, {ButtonKind::kLink}))
      commands.emplace_back(view::CopyText{check.command});
    tooltip(check.command);
    right = copy.x - px(8);
  }
  text_fitted(line.x, line.middle_y(), right - line.x, Type::kLabel, Token::kText, check.hint);
}

std::string whole_check(const view::CheckView& check) {
  std::string text = check.detail;
  if (!check.hint.empty()) text += "\n" + check.hint;
  if (!check.command.empty()) text += "\n" + check.command;
  return text;
}

/// True if the button of the row was pressed.
bool draw_action(const std::string& word, const Rect& line) {
  const Rect place{line.right() - px(64), line.middle_y() - px(10), px(64), px(20)};
  return button(word.c_str(), place, {ButtonKind::kLink});
}

void draw_check(const view::CheckView& check, const Rect& row) {
  const CheckStyle style = style_of_check(check.state);
  const float upper = row.y + px(14);
  draw_icon(style.icon, ImVec2(row.x + px(8), upper), px(11), style.color);
  const bool pass = check.state == view::CheckState::kPass;
  const float word = text_right(row.right(), upper, pass ? Type::kLabel : Type::kSmallBold,
                                pass ? Token::kDim : style.color, check.word);
  text_fitted(row.x + px(26), upper, word - row.x - px(34), Type::kBody, Token::kHigh, check.title);
  const float action = check.action.empty() ? 0 : px(70);
  text_fitted(row.x + px(26), row.y + px(31), row.w - px(26) - action, Type::kLabel, Token::kDim,
              check.detail);
  line_h(row.x, row.right(), row.bottom() - 1, Token::kGrid);
}

/// Colours of a command line: names dim, values bright, the program in the accent colour. Only the
/// look depends on this.
void draw_command_word(float x, float middle, std::string_view word) {
  const std::size_t equals = word.find('=');
  const bool variable = equals != std::string_view::npos &&
                        std::isupper(static_cast<unsigned char>(word.front())) != 0;
  if (variable) {
    x = text_at(x, middle, Type::kNumber, Token::kDim, word.substr(0, equals + 1));
    text_at(x, middle, Type::kNumber, Token::kHigh, word.substr(equals + 1));
  } else if (word.substr(0, 1) == "-") {
    text_at(x, middle, Type::kNumber, Token::kDim, word);
  } else if (word.find("ringside-") != std::string_view::npos) {
    text_at(x, middle, Type::kNumberBold, Token::kAccent, word);
  } else {
    text_at(x, middle, Type::kNumber, Token::kHigh, word);
  }
}

/// Breaks the line between words, and within words longer than a line. Returns the y below.
float draw_command_line(Rect row, std::string_view line) {
  const float begin = row.x + (line.empty() ? 0 : px(16));
  float x = row.x;
  while (!line.empty()) {
    const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    x += text_width(Type::kNumber, line.substr(0, spaces));
    line.remove_prefix(spaces);
    if (line.empty()) break;
    std::string_view word = line.substr(0, line.find(' '));
    const float width = text_width(Type::kNumberBold, word);
    if (x > begin && x + width > row.right()) {
      x = begin;
      row.y += row.h;
    }
    if (x + width > row.right()) word = fitting_part(Type::kNumber, word, row.right() - x);
    draw_command_word(x, row.middle_y(), word);
    x += text_width(Type::kNumber, word);
    line.remove_prefix(word.size());
  }
  return row.bottom();
}

/// Draws the tabs that fit and a list for the others.
void draw_preview_tabs(const view::LaunchView& launch, Rect header, LaunchMemory& memory) {
  std::vector<const char*> titles;
  float all = 0;
  for (const view::PreviewTab& tab : launch.preview) {
    titles.push_back(tab.title.c_str());
    all += text_width(Type::kSmallBold, tab.title) + px(20);
  }
  if (all > header.w) {
    const Rect list{header.x, header.y + px(4), std::min(header.w, px(190)), px(20)};
    memory.preview_tab = static_cast<std::size_t>(
        drop_list("preview tabs", list, titles, static_cast<int>(memory.preview_tab)));
    return;
  }
  for (std::size_t i = 0; i < launch.preview.size(); ++i) {
    const std::string& title = launch.preview[i].title;
    const Rect tab = header.take_left(text_width(Type::kSmallBold, title) + px(20));
    const Hit hit = hit_area(title.c_str(), tab);
    if (hit.clicked) memory.preview_tab = i;
    const bool on = memory.preview_tab == i;
    if (on) {
      fill(tab, Token::kRaised);
      fill({tab.x, tab.bottom() - px(2), tab.w, px(2)}, Token::kAccent);
    }
    text_centered(tab.middle_x(), tab.middle_y(), on ? Type::kSmallBold : Type::kSmall,
                  on || hit.hovered ? Token::kHigh : Token::kDim, title);
  }
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

void draw_plan(const view::LaunchView& launch, const Rect& area) {
  const PanelFrame panel("plan panel", area, "Plan");
  if (launch.plan.empty()) return;
  const float fitting = (panel.body.h - px(8)) / static_cast<float>(launch.plan.size());
  const float row = std::clamp(std::floor(fitting), px(20), px(25));
  const ScrollArea scroll("plan facts", panel.body);
  Rect body{scroll.content.x + px(14), scroll.content.y + px(4), scroll.content.w - px(28),
            row * static_cast<float>(launch.plan.size())};
  const float bottom = body.bottom();
  for (const view::Fact& fact : launch.plan) {
    const Rect line = body.take_top(row);
    hit_area(fact.label.c_str(), line);
    tooltip(view::plain(fact.value));
    text_fitted(line.x, line.middle_y(), px(104), Type::kSmall, Token::kDim, fact.label);
    SentenceStyle style = kDimSentence;
    if (fact.tone != view::Tone::kText) style.strong_color = style.color = token_of(fact.tone);
    sentence_at(line.x + px(108), line.middle_y(), line.right(), fact.value, style);
  }
  scroll.reach(bottom);
}

void draw_preflight(const view::LaunchView& launch, const Rect& area,
                    view::CommandQueue& commands) {
  const PanelFrame panel("preflight panel", area, "Preflight", {},
                         text_width(Type::kSmall, launch.checks_summary));
  text_right(panel.header.right() - px(4), panel.header.middle_y(), Type::kSmall, Token::kText,
             launch.checks_summary);
  const ScrollArea scroll("checks", panel.body);
  float y = scroll.content.y;
  for (const view::CheckView& check : launch.checks) {
    const bool hint = shows_hint(check);
    const Rect row{scroll.content.x + px(12), y, scroll.content.w - px(24),
                   px(kCheckRow) + (hint ? px(kHintRow) : 0)};
    ImGui::SetNextItemAllowOverlap();
    hit_area(check.title.c_str(), row);
    tooltip(whole_check(check));
    draw_check(check, row);
    if (!check.action.empty() && draw_action(check.action, {row.x, y + px(22), row.w, px(18)})) {
      if (check.action == view::label::kProbe) {
        commands.emplace_back(view::ProbeLinks{});
      } else {
        commands.emplace_back(view::CancelProbe{});
      }
    }
    if (hint)
      draw_hint(check, {row.x + px(26), y + px(39), row.w - px(26), px(kHintRow)}, commands);
    y += row.h;
  }
  scroll.reach(y);
}

void draw_preview(const view::LaunchView& launch, const Rect& area, LaunchMemory& memory,
                  view::CommandQueue& commands) {
  const PanelFrame panel("preview panel", area, {});
  Rect header{area.x + px(8), area.y, area.w - px(16), px(28)};
  const Rect copy = header.take_right(px(66), px(8));
  if (launch.preview.empty()) return;
  memory.preview_tab = std::min(memory.preview_tab, launch.preview.size() - 1);
  draw_preview_tabs(launch, header, memory);
  const std::vector<std::string>& lines = launch.preview[memory.preview_tab].lines;
  const Rect copy_button{copy.x, std::floor(copy.middle_y() - px(10)), copy.w, px(20)};
  if (button("Copy", copy_button, {ButtonKind::kNormal, Icon::kCopy}))
    commands.emplace_back(view::CopyText{joined(lines)});
  const ScrollArea scroll(
      "preview lines", {panel.body.x, panel.body.y + px(6), panel.body.w, panel.body.h - px(10)});
  float y = scroll.content.y;
  for (const std::string& line : lines) {
    y = draw_command_line({scroll.content.x + px(14), y, scroll.content.w - px(28), px(20)}, line);
  }
  scroll.reach(y);
}

void draw_launch_button(const view::LaunchView& launch, const std::string& problem,
                        const Rect& area, view::CommandQueue& commands) {
  const PanelFrame panel("launch panel", area);
  Rect body = area.inset(px(14), px(14));
  const std::string id = launch.button + "###launch";
  const Rect where = body.take_top(px(40), px(10));
  const ButtonStyle style{ButtonKind::kPrimary, Icon::kPlay, launch.can_launch};
  if (button(id.c_str(), where, style)) commands.emplace_back(view::StartRun{});
  const bool bad = !problem.empty();
  const view::Sentence hint{{bad ? problem : launch.button_hint, view::Style::kWords}};
  SentenceStyle words = kDimSentence;
  if (bad) words.color = Token::kError;
  const ScrollArea scroll("launch hint", {body.x, body.y, body.w, body.h + px(8)});
  const float top = scroll.content.y;
  const float end = sentence_wrapped(scroll.content.x, top, scroll.content.x + scroll.content.w,
                                     px(17), hint, words);
  scroll.reach(end);
  if (bad || end + px(38) > body.bottom()) return;
  const view::Sentence goes_on{
      {"The run continues when this window closes; find it again under Runs.",
       view::Style::kWords}};
  scroll.reach(sentence_wrapped(scroll.content.x, end + px(4), scroll.content.x + scroll.content.w,
                                px(16), goes_on, kLabelSentence));
}

}  // namespace ringside::ui
