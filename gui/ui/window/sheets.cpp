// Sheets that cover the panels until they are closed: the settings of the window, and the sheet
// that opens or imports a run folder by its path.
#include <array>
#include <cmath>

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"
#include "gui/view/window/sheet_labels.h"

namespace ringside::ui {
namespace {

constexpr float kKeyLabelWidth = 120;
constexpr std::array<const char*, 2> kColours{view::label::kDark, view::label::kLight};
constexpr std::array<const char*, 6> kSizes{"75 %", "100 %", "125 %", "150 %", "200 %", "300 %"};
constexpr std::array<double, 6> kPercents{75, 100, 125, 150, 200, 300};

struct DockWord {
  view::Dock dock;
  const char* word;
};
constexpr std::array<DockWord, kDocks> kDockWords{
    {{view::Dock::kSpeedup, view::label::kSpeedupDock},
     {view::Dock::kRanks, view::label::kRanksDock},
     {view::Dock::kLogs, view::label::kLogDock}}};

/// Cuts a row off and writes its label; the rest is for the control. On a narrow sheet the control
/// is below its label.
Rect labelled_row(Rect& body, const char* label) {
  if (body.w < px(360)) {
    const Rect words = body.take_top(px(22));
    text_fitted(words.x, words.middle_y(), words.w, Type::kSmall, Token::kDim, label);
    return body.take_top(px(28), px(4));
  }
  Rect row = body.take_top(px(28), px(6));
  const Rect words = row.take_left(px(kKeyLabelWidth));
  text_fitted(words.x, words.middle_y(), words.w, Type::kSmall, Token::kDim, label);
  return row;
}

/// A switch, or a list if that is too wide. Returns the current choice.
template <std::size_t N>
int choice(const char* id, const Rect& row, const std::array<const char*, N>& words, int on) {
  if (segmented_width(words) <= row.w) return segmented(id, row.x, row.middle_y(), words, on, 22);
  return drop_list(id, {row.x, row.y + px(3), std::fmin(row.w, px(120)), px(22)}, words, on);
}

int size_index() {
  for (std::size_t i = 0; i < kPercents.size(); ++i) {
    if (std::abs(kPercents[i] - static_cast<double>(theme().scale) * 100) < 1)
      return static_cast<int>(i);
  }
  return -1;
}

float draw_settings(Rect body, const Arrangement& arrangement, view::CommandQueue& commands) {
  const int light = theme().light ? 1 : 0;
  const int colours = choice("colours", labelled_row(body, "Theme"), kColours, light);
  if (colours != light) commands.emplace_back(view::SetLight{colours == 1});
  const int size = size_index();
  const int picked = choice("text size", labelled_row(body, "Text size"), kSizes, size);
  if (picked != size && picked >= 0)
    commands.emplace_back(view::SetTextSize{kPercents[static_cast<std::size_t>(picked)]});
  for (std::size_t i = 0; i < kDockWords.size(); ++i) {
    const Rect row = labelled_row(body, i == 0 ? "Live panels" : "");
    bool on = arrangement.open(kDockWords[i].dock);
    if (tick_box(kDockWords[i].word, row.x, row.middle_y(), on, kDockWords[i].word))
      commands.emplace_back(view::ToggleDock{kDockWords[i].dock});
  }
  Rect row = labelled_row(body, "Panel sizes");
  if (button(view::label::kResetLayout, {row.x, row.y + px(2), std::fmin(px(120), row.w), px(24)}))
    commands.emplace_back(view::ResetLayout{});
  row = labelled_row(body, "Window");
  if (button(view::label::kResetWindow, {row.x, row.y + px(2), std::fmin(px(120), row.w), px(24)}))
    commands.emplace_back(view::ResetWindow{});
  tooltip("Resets size, text size, theme and layout to factory defaults");
  row = labelled_row(body, "This machine");
  if (button(view::label::kDoctor, {row.x, row.y + px(2), std::fmin(px(120), row.w), px(24)})) {
    commands.emplace_back(view::ShowSettings{false});
    commands.emplace_back(view::ShowDoctor{});
  }
  tooltip("Checks devices, programs, folders and, with real runs, training");
  return body.y;
}

/// Draws title, help and Close and handles Escape; true if the sheet is to be closed. Cuts its
/// height off `body`.
bool sheet_head(const char* title, view::HelpSubject subject, Rect& body,
                view::CommandQueue& commands) {
  Rect head = body.take_top(px(24), px(12));
  const Rect close = head.take_right(px(72), px(8));
  help_mark(head, subject, commands);
  text_fitted(head.x, head.middle_y(), head.w, Type::kTitle, Token::kHigh, title);
  return button(view::label::kClose, close) || ImGui::IsKeyPressed(ImGuiKey_Escape, false);
}

void draw_open_buttons(Rect body, OpenMemory& memory, bool& done, view::CommandQueue& commands) {
  const bool typed = !memory.path.empty();
  const bool narrow = body.w < px(360);
  const auto press = [&](const char* word, float width, ButtonKind kind, bool enabled) {
    if (narrow) {
      const Rect row = body.take_top(px(28), px(6));
      return button(word, row, {kind, Icon::kNone, enabled});
    }
    const Rect cut = body.take_left(px(width), px(8));
    return button(word, {cut.x, cut.y, cut.w, px(28)}, {kind, Icon::kNone, enabled});
  };
  if (press(view::label::kOpenInPlace, 146, ButtonKind::kPrimary, typed)) {
    commands.emplace_back(view::OpenRun{memory.path});
    done = true;
  }
  if (press(view::label::kImport, 150, ButtonKind::kNormal, typed)) {
    commands.emplace_back(view::ImportRun{memory.path});
    done = true;
  }
  if (press(view::label::kBrowse, 92, ButtonKind::kNormal, true))
    commands.emplace_back(view::BrowseRuns{});
}

}  // namespace

void settings_sheet(const view::ScreenInput& input, ScreenMemory& memory,
                    view::CommandQueue& commands) {
  if (!begin_modal(view::label::kSettings, input.sheets.settings, ImVec2(px(560), px(374)))) return;
  Rect body = window_inside(18);
  const bool done =
      sheet_head(view::label::kSettings, view::HelpSubject::kSettings, body, commands);
  {
    const ScrollArea scroll("settings body", body);
    scroll.reach(draw_settings({scroll.content.x, scroll.content.y, scroll.content.w, px(800)},
                               memory.arrangement, commands));
  }
  end_modal(done, commands, view::ShowSettings{false});
}

void open_sheet(const view::ScreenInput& input, ScreenMemory& memory,
                view::CommandQueue& commands) {
  OpenMemory& open = memory.open;
  if (!input.sheets.open) open.focused = false;
  if (input.browsed.times != open.browsed) {
    open.browsed = input.browsed.times;
    if (input.browsed.use == view::ChooserUse::kOpen) open.path = input.browsed.path;
    open.focused = false;  // so that Enter opens it
  }
  if (!begin_modal("Open run", input.sheets.open, ImVec2(px(560), px(218)))) return;
  Rect body = window_inside(18);
  bool done = sheet_head("Open a run folder", view::HelpSubject::kOpenRun, body, commands);
  {
    const ScrollArea scroll("open body", body);
    Rect inside{scroll.content.x, scroll.content.y, scroll.content.w, px(400)};
    const Rect field = inside.take_top(px(28), px(10));
    if (!open.focused) ImGui::SetKeyboardFocusHere();
    open.focused = true;
    text_field("##run path", field, open.path, Type::kBody, {},
               "/path/to/a/run/folder, or to files of another tool");
    if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false) &&
        !open.path.empty()) {
      commands.emplace_back(view::OpenRun{open.path});
      done = true;
    }
    draw_open_buttons(inside.take_top(px(inside.w < px(360) ? 102 : 28), px(8)), open, done,
                      commands);
    const view::Sentence words{
        {"Open in place reads a run folder where it is, and follows what another tool writes: "
         "TensorBoard events, CSV, JSON lines. Import a copy puts a run folder, also from another "
         "machine, into the list of runs. Both can also be dropped on the window.",
         view::Style::kWords}};
    scroll.reach(sentence_wrapped(inside.x, inside.y, inside.right(), px(18), words, kDimSentence));
  }
  end_modal(done, commands, view::ShowOpenRun{false});
}

}  // namespace ringside::ui
