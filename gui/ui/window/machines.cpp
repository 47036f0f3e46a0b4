// The choice of the machine whose runs the window shows: the button beside the program's name, and
// the sheet that selects another machine.
#include <algorithm>
#include <cmath>

#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/chrome.h"
#include "gui/ui/window/entry_sheet.h"
#include "gui/ui/window/screen.h"

namespace ringside::ui {

float draw_machine(const FrameLayout& frame, const view::MachineView& machine, float x,
                   view::CommandQueue& commands) {
  const bool here = machine.shape == view::Shape::kNone;
  // If room is scarce, the button for this machine, the usual one, is only an icon.
  const bool icon = frame.top_bar.w < px(900) || (frame.narrow && here);
  const float word =
      icon ? 0 : std::min(text_width(Type::kSmallBold, machine.word), px(132)) + px(6);
  const float aside = icon || frame.narrow || machine.aside.empty()
                          ? 0
                          : text_width(Type::kLabel, machine.aside) + px(8);
  const float middle = frame.top_bar.middle_y();
  const Rect area{x, std::floor(middle - px(13)), px(34) + word + aside, px(26)};
  const Hit hit = hit_area(view::label::kChooseMachine, area);
  tooltip(machine.hint);
  if (hit.hovered) fill(area, Token::kHover, 4);
  outline(area, Token::kLine2, 4);
  const ImU32 color = here ? color_of(Token::kDim) : color_of(token_of(machine.tone));
  draw_icon(here ? Icon::kMachine : icon_of(machine.shape), ImVec2(x + px(12), middle), px(11),
            color);
  float at = x + px(22);
  if (!icon)
    at = text_fitted(at, middle, word - px(6), Type::kSmallBold, Token::kHigh, machine.word);
  if (aside > 0) text_at(at + px(8), middle, Type::kLabel, color, machine.aside);
  draw_icon(Icon::kChevronDown, ImVec2(area.right() - px(9), middle), px(8),
            hit.hovered ? Token::kHigh : Token::kDim);
  if (hit.clicked) commands.emplace_back(view::ShowMachines{});
  return area.right();
}

void machine_sheet(const view::ScreenInput& input, ScreenMemory& memory,
                   view::CommandQueue& commands) {
  const EntrySheet sheet{view::label::kMachines,    "##machine",
                         "[user@]host[:port]",      view::machines_note(input.machine),
                         view::ShowMachines{false}, view::HelpSubject::kMachines};
  entry_sheet(
      sheet, input.sheets.machines, memory.machines,
      [&](const std::string& typed) { return view::machine_entries(input.machine, typed); },
      commands);
}

}  // namespace ringside::ui
