// The form of a custom program: the command, the resulting arguments, its environment, and recent
// commands.
#include <algorithm>
#include <cmath>
#include <string>

#include "gui/ui/launch/form_parts.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kRecentRow = 38;

/// Draws text below the fields, aligned with them. Returns the y below.
float draw_words(const Rect& line, float y, std::string text, const SentenceStyle& style) {
  const float label = std::min(px(kFormLabel), line.w * 0.46F);
  const view::Sentence words{{std::move(text), view::Style::kWords}};
  return sentence_wrapped(line.x + label, y, line.right(), px(17), words, style) + px(4);
}

float draw_program(const view::ScriptView& script, const Rect& line, float y,
                   view::CommandQueue& commands) {
  const float browse = px(80);
  const float height =
      draw_field(script.program, {line.x, y, line.w - browse - px(8), px(kFormRow)}, commands);
  if (button(view::label::kBrowseScript, {line.right() - browse, y + px(2), browse, px(24)}))
    commands.emplace_back(view::BrowseScript{});
  return y + height;
}

/// The arguments of each rank, one by one, and how a launcher's options were interpreted.
float draw_argv(const view::ScriptView& script, const Rect& line, float y) {
  SentenceStyle words = kLabelSentence;
  words.words = Type::kAxis;
  if (!script.argv.empty()) y = draw_words(line, y + px(2), script.argv, words);
  for (const std::string& note : script.notes) y = draw_words(line, y, note, kLabelSentence);
  return y;
}

float draw_command(const view::ScriptView& script, const Rect& line, float y,
                   view::CommandQueue& commands) {
  y = draw_form_title("Command", line, y, true);
  y = draw_program(script, line, y, commands);
  if (script.empty) y = draw_words(line, y + px(4), view::label::kNoProgram, kDimSentence);
  y += draw_field(script.arguments, {line.x, y, line.w, px(kFormRow)}, commands);
  y = draw_argv(script, line, y);
  return y + draw_field(script.folder, {line.x, y, line.w, px(kFormRow)}, commands);
}

/// Draws name and value of a variable; secrets are masked. Returns the height.
float draw_variable(const view::VariableView& variable, const Rect& row,
                    view::CommandQueue& commands) {
  Rect rest{row.x, std::floor(row.y + px(2)), row.w, px(24)};
  const Rect remove = rest.take_right(px(24), px(4));
  const Rect name_area = rest.take_left(std::floor(rest.w * 0.42F), px(6));
  const std::string name_key = view::script_key::variable_name(variable.row);
  const std::string value_key = view::script_key::variable_value(variable.row);
  std::string name = variable.name;
  std::string value = variable.value;
  if (text_field(("##" + name_key).c_str(), name_area, name, Type::kNumber, {},
                 variable.last ? "NAME" : nullptr))
    commands.emplace_back(view::EditField{name_key, name});
  const std::string id = "##" + value_key;
  const bool typed = variable.secret ? secret_field(id.c_str(), rest, value, Type::kNumber)
                                     : text_field(id.c_str(), rest, value, Type::kNumber, {},
                                                  variable.last ? "value" : nullptr);
  if (typed) commands.emplace_back(view::EditField{value_key, value});
  if (!variable.last) {
    const std::string cross = "Remove " + name_key;
    const Hit hit = hit_area(cross.c_str(), remove);
    tooltip("Remove this variable");
    draw_icon(Icon::kCross, ImVec2(remove.middle_x(), remove.middle_y()), px(9),
              hit.hovered ? Token::kHigh : Token::kDim);
    if (hit.clicked) commands.emplace_back(view::RemoveVariable{variable.row});
  }
  if (variable.error.empty()) return px(kFormRow);
  outline(name_area, Token::kError, 4);
  text_fitted(row.x, rest.bottom() + px(9), row.w, Type::kLabel, Token::kError, variable.error);
  return px(kFormRow) + px(16);
}

float draw_recent(const view::ScriptView& script, const Rect& line, float y,
                  view::CommandQueue& commands) {
  if (script.recent.empty()) return y;
  y = draw_form_title("Recent scripts", line, y, false);
  for (const view::RecentScript& one : script.recent) {
    const Rect row{line.x - px(6), y, line.w + px(12), px(kRecentRow)};
    ImGui::PushID(one.run.c_str());
    const Hit hit = hit_area(one.name.c_str(), row);
    ImGui::PopID();
    if (hit.hovered) fill(row, Token::kHover, 4);
    text_fitted(line.x, y + px(11), line.w, Type::kNumber, Token::kHigh, one.name);
    text_fitted(line.x, y + px(27), line.w, Type::kLabel, Token::kDim, one.detail);
    if (hit.clicked) commands.emplace_back(view::UseSettings{one.run});
    y += px(kRecentRow);
  }
  return y;
}

}  // namespace

float draw_script_form(const view::LaunchView& launch, const Rect& line, float y,
                       LaunchMemory& memory, view::CommandQueue& commands) {
  const view::ScriptView& script = launch.script;
  y = draw_command(script, line, y, commands);
  // While nothing is chosen, recent commands come first.
  if (script.empty) y = draw_recent(script, line, y, commands);
  y = draw_form_title("Environment", line, y, false);
  for (const view::VariableView& variable : script.environment)
    y += draw_variable(variable, {line.x, y, line.w, px(kFormRow)}, commands);
  y = draw_form_title("Run", line, y, false);
  y = draw_fields(script.fields, line, y, commands);
  y = draw_baselines(launch.baseline, line, draw_form_title("Baseline", line, y, false), commands);
  if (!script.limits.advanced.empty() || !script.limits.fields.empty()) {
    y = draw_form_title(script.limits.title, line, y, false);
    const bool unfolded = draw_fold(script.limits, line, y, memory);
    y = draw_fields(script.limits.fields, line, y, commands);
    if (unfolded) y = draw_fields(script.limits.advanced, line, y, commands);
  }
  if (!script.empty) y = draw_recent(script, line, y, commands);
  return y;
}

}  // namespace ringside::ui
