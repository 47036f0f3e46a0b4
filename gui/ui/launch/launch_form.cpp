// The form of the next run: its kind, sections of fields, both ways to distribute a batch, and the
// choice of a baseline.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gui/ui/help_mark.h"
#include "gui/ui/launch/form_parts.h"
#include "gui/ui/launch/launch_panels.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kRow = kFormRow;
constexpr float kSourceButtons = 118;  ///< width at the right of the header for Presets and Reset
constexpr std::array<const char*, 2> kKinds{view::label::kOurTrainer, view::label::kYourScript};

struct Place {
  Rect label;
  Rect field;
};

void edit(view::CommandQueue& commands, const view::FieldView& field, std::string text) {
  commands.emplace_back(view::EditField{field.key, std::move(text)});
}

void draw_combo(const view::FieldView& field, const Rect& area, view::CommandQueue& commands) {
  const std::string id = "##" + field.key;
  const Hit hit = hit_area(field.key.c_str(), area);
  fill(area, Token::kInput, 4);
  outline(area, hit.hovered ? Token::kDim : Token::kLine2, 4);
  const float end = text_fitted(area.x + px(8), area.middle_y(), area.w - px(32), Type::kSmall,
                                Token::kHigh, field.text);
  if (!field.hint.empty()) {
    text_fitted(end + px(8), area.middle_y(), area.right() - px(24) - end - px(8), Type::kLabel,
                Token::kDim, field.hint);
  }
  draw_icon(Icon::kChevronDown, ImVec2(area.right() - px(13), area.middle_y()), px(11),
            Token::kDim);
  if (hit.clicked) ImGui::OpenPopup(id.c_str());
  ImGui::SetNextWindowPos(ImVec2(area.x, area.bottom() + px(2)));
  ImGui::SetNextWindowSize(ImVec2(area.w, 0));
  const int picked = popup_list(id.c_str(), field.choices, field.text);
  if (picked >= 0) edit(commands, field, field.choices[static_cast<std::size_t>(picked)]);
}

void draw_choice(const view::FieldView& field, const Rect& area, view::CommandQueue& commands) {
  std::vector<const char*> words;
  int on = -1;
  for (const std::string& choice : field.choices) {
    if (choice == field.text) on = static_cast<int>(words.size());
    words.push_back(choice.c_str());
  }
  const bool few = words.size() >= 2 && words.size() <= 3;
  if (!few || segmented_width(words) > area.w || !field.hint.empty()) {
    draw_combo(field, area, commands);
    return;
  }
  const int picked = segmented(field.key.c_str(), area.x, area.middle_y(), words, on, 22);
  if (picked != on) edit(commands, field, field.choices[static_cast<std::size_t>(picked)]);
}

void draw_control(const view::FieldView& field, const Rect& area, view::CommandQueue& commands) {
  if (field.kind == view::FieldKind::kChoice) {
    draw_choice(field, area, commands);
    return;
  }
  std::string text = field.text;
  const bool words = field.kind == view::FieldKind::kText;
  const std::string id = "##" + field.key;
  const std::string& aside = field.hint.empty() ? field.suffix : field.hint;
  if (text_field(id.c_str(), area, text, words ? Type::kSmall : Type::kNumber, aside))
    edit(commands, field, std::move(text));
  if (!field.error.empty()) outline(area, Token::kError, 4);
}

/// The shape and text of a switch are one control, which needs no separate label.
float draw_switch(const view::FieldView& field, const Rect& row, view::CommandQueue& commands) {
  bool on = field.on;
  if (tick_box(field.key.c_str(), row.x, row.y + px(14), on, field.label))
    edit(commands, field, on ? "true" : "false");
  const float x = row.x + px(30) + text_width(Type::kSmall, field.label);
  const std::string& aside = field.hint.empty() ? field.suffix : field.hint;
  text_fitted(x, row.y + px(14), row.right() - x, Type::kLabel,
              field.hint.empty() ? Token::kDim : Token::kWarning, aside);
  note_cut({row.x, row.y, x - row.x, px(kRow)}, field.tip);
  return px(kRow);
}

bool is_short(const view::FieldView& field) {
  if (field.kind == view::FieldKind::kChoice)
    return field.choices.size() == 2 && field.hint.empty();
  return field.kind == view::FieldKind::kNumber || field.kind == view::FieldKind::kSwitch;
}

/// The cell for the batch size that a person types: per rank if that is kept constant, else global.
void draw_batch_size(const view::LaunchForm& form, const Rect& cell, view::CommandQueue& commands) {
  std::string text = form.text("batch.size");
  if (text_field("##batch.size", cell, text, Type::kNumberBold))
    commands.emplace_back(view::EditField{"batch.size", text});
  if (!form.error("batch.size").empty()) {
    outline(cell, Token::kError, 4);
    tooltip(form.error("batch.size"));
  }
}

/// Selects the row's batch meaning wherever the row is clicked.
void draw_behind_batch(const view::TableRow& row, bool picked, const Rect& area,
                       view::CommandQueue& commands) {
  ImGui::SetNextItemAllowOverlap();
  const Hit hit = hit_area(row.cells[0].text.c_str(), area);
  if (hit.clicked) commands.emplace_back(view::EditField{"batch.meaning", row.key});
  if (picked || hit.hovered) fill(area, picked ? Token::kSelected : Token::kHover);
  if (picked) fill({area.x, area.y, px(2), area.h}, Token::kAccent);
}

/// Both ways to distribute a batch over ranks, side by side: a constant batch per rank (weak) or in
/// total (strong). An invalid size stays editable in its cell; the error replaces the derived
/// values.
float draw_batch(const view::Table& batch, const view::LaunchForm& form, const Rect& line, float y,
                 view::CommandQueue& commands) {
  const std::string& meaning = form.spec().batch.meaning;
  const std::string typed = batch.rows.size() == 1 ? "per_rank" : meaning;
  float free_x = 0;
  TableStyle style{.head_height = 20, .row_height = 24, .left = 6, .right = 6, .lines = false};
  // The section title already names that column.
  style.head = [](const view::TableColumn& column, const Rect&) { return column.key == "batch"; };
  style.behind = [&](std::size_t place, const Rect& area) {
    draw_behind_batch(batch.rows[place], batch.rows[place].key == meaning, area, commands);
  };
  style.cell = [&](const view::TableColumn& column, std::size_t place, const Rect& where) {
    const view::TableRow& row = batch.rows[place];
    const bool picked = row.key == meaning;
    const ImU32 color = color_of(picked ? Token::kHigh : Token::kDim);
    const std::string& text = view::cell_of(batch, row, column.key).text;
    const std::string& refused = view::refusal(row);
    if (column.key == "batch") {
      text_at(where.x, where.middle_y(), picked ? Type::kSmallBold : Type::kSmall, color, text);
      free_x = where.right();
    } else if (picked && column.key == typed) {
      draw_batch_size(form, {where.right() - px(52), where.y + px(1), px(60), px(22)}, commands);
      free_x = where.right() + px(16);
    } else if (refused.empty()) {
      text_right(where.right(), where.middle_y(), picked ? Type::kNumberBold : Type::kNumber, color,
                 text);
    } else if (column.key == "padding") {
      text_fitted(free_x, where.middle_y(), where.right() - free_x, Type::kLabel, Token::kError,
                  refused);
    }
    return true;
  };
  const float height =
      px(style.head_height) + px(style.row_height) * static_cast<float>(batch.rows.size());
  // Slightly more than needed, so that no scroll bar appears.
  draw_table("batch", batch, {line.x - px(6), y, line.w + px(12), height + px(2)}, style);
  return y + height + px(2);
}

/// Draws the choice of the kind of run; a list if the header has no room for the switch.
void draw_kind(const Rect& header, float width, view::RunKind kind, view::CommandQueue& commands) {
  const int on = static_cast<int>(kind);
  const Rect where{header.right() - px(kSourceButtons) - width, header.y, width, header.h};
  const int picked =
      width >= segmented_width(kKinds)
          ? segmented("run kind", where.x, where.middle_y(), kKinds, on)
          : drop_list("run kind", {where.x, where.y + px(4), where.w, px(20)}, kKinds, on);
  if (picked != on) commands.emplace_back(view::SelectRunKind{static_cast<view::RunKind>(picked)});
}

float kind_width(float panel) {
  const float room = panel - px(kSourceButtons) - px(64);
  const float all = segmented_width(kKinds);
  return all <= room ? all : std::max(px(48), std::min(px(96), room));
}

float draw_trainer_form(const view::LaunchView& launch, const view::LaunchForm& form,
                        const Rect& line, float y, LaunchMemory& memory,
                        view::CommandQueue& commands) {
  bool first = launch.where.fields.empty();
  for (const view::FormSection& section : launch.sections) {
    y = draw_form_title(section.title, line, y, first);
    const bool unfolded = draw_fold(section, line, y, memory);
    if (section.title == view::kBatchSection && !launch.batch.rows.empty()) {
      const float words = line.x + text_width(Type::kSmallBold, section.title);
      if (copy_link(view::label::kCopyBatch, words, y - px(13)))
        commands.emplace_back(view::CopyText{view::table_tsv(launch.batch)});
      y = draw_batch(launch.batch, form, line, y, commands);
    }
    y = draw_fields(section.fields, line, y, commands);
    if (unfolded) y = draw_fields(section.advanced, line, y, commands);
    first = false;
    if (section.title == view::kEvaluationSection && !launch.baseline.empty())
      y = draw_baselines(launch.baseline, line, draw_form_title("Baseline", line, y, false),
                         commands);
  }
  return y;
}

}  // namespace

float draw_field(const view::FieldView& field, const Rect& row, view::CommandQueue& commands) {
  if (field.kind == view::FieldKind::kSwitch) return draw_switch(field, row, commands);
  const float label_width = std::min(px(kFormLabel), row.w * 0.46F);
  const Rect area{row.x + label_width, std::floor(row.y + px(2)), row.w - label_width, px(24)};
  text_fitted(row.x, area.middle_y(), label_width - px(6), Type::kSmall, Token::kText, field.label);
  note_cut({row.x, row.y, label_width, px(kRow)}, field.tip);
  draw_control(field, area, commands);
  if (field.error.empty()) return px(kRow);
  text_fitted(area.x, area.bottom() + px(9), area.w, Type::kLabel, Token::kError, field.error);
  tooltip(field.error);
  return px(kRow) + px(16);
}

float draw_fields(const std::vector<view::FieldView>& fields, const Rect& line, float y,
                  view::CommandQueue& commands) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (is_short(fields[i]) && i + 1 < fields.size() && is_short(fields[i + 1])) {
      const float half = std::floor((line.w - px(16)) * 0.5F);
      const float left = draw_field(fields[i], {line.x, y, half, px(kRow)}, commands);
      const float right =
          draw_field(fields[i + 1], {line.x + half + px(16), y, half, px(kRow)}, commands);
      y += std::max(left, right);
      ++i;
    } else {
      const float width = is_short(fields[i]) ? std::floor((line.w - px(16)) * 0.5F) : line.w;
      y += draw_field(fields[i], {line.x, y, width, px(kRow)}, commands);
    }
  }
  return y;
}

float draw_form_title(const std::string& title, const Rect& line, float y, bool first) {
  if (!first) {
    y += px(5);
    line_h(line.x - px(12), line.right() + px(12), y, Token::kLine);
  }
  text_at(line.x, y + px(15), Type::kSmallBold, Token::kDim, title);
  return y + px(kRow);
}

bool draw_fold(const view::FormSection& section, const Rect& line, float title_bottom,
               LaunchMemory& memory) {
  if (section.advanced.empty()) return false;
  const bool open = memory.unfolded.contains(section.title);
  std::string words = open ? "Less" : "More (" + std::to_string(section.advanced.size()) + ")";
  if (!open && section.changed > 0) words += ", " + std::to_string(section.changed) + " changed";
  const float width = text_width(Type::kSmall, words) + px(8);
  const Rect where{line.right() - width, title_bottom - px(24), width, px(22)};
  const std::string id = words + "##" + section.title;
  if (button(id.c_str(), where, {ButtonKind::kLink})) {
    if (open) memory.unfolded.erase(section.title);
    if (!open) memory.unfolded.insert(section.title);
  }
  return open || section.wrong;
}

float draw_baselines(const std::vector<view::BaselineRow>& rows, const Rect& line, float y,
                     view::CommandQueue& commands) {
  for (const view::BaselineRow& row : rows) {
    const float middle = y + px(12);
    ImGui::PushID(row.run.c_str());
    ImGui::BeginDisabled(!row.enabled);
    const bool clicked = radio(row.label.c_str(), line.x, middle, row.picked, row.label);
    ImGui::EndDisabled();
    ImGui::PopID();
    const float x = line.x + px(32) + text_width(Type::kSmall, row.label);
    text_fitted(x, middle, line.right() - x, Type::kLabel, Token::kDim, row.hint);
    if (!row.why.empty()) tooltip(row.why);
    if (clicked && row.enabled) {
      commands.emplace_back(view::EditField{"baseline.run", row.run});
      commands.emplace_back(view::EditField{"baseline.mode", row.mode});
    }
    y += px(24);
  }
  return y;
}

void draw_form(const view::LaunchView& launch, const view::LaunchForm& form,
               const FormSources& sources, const Rect& area, LaunchMemory& memory,
               view::CommandQueue& commands) {
  const float kinds = kind_width(area.w);
  const PanelFrame panel("form panel", area, "Run", launch.form_subtitle,
                         px(kSourceButtons) + kinds + px(8));
  draw_kind(panel.header, kinds, launch.kind, commands);
  draw_form_sources(sources, form, launch.kind, panel.header, commands);
  const bool script = launch.kind == view::RunKind::kScript;
  const ScrollArea scroll(script ? "script form" : "form", panel.body);
  const Rect line{scroll.content.x + px(12), 0, scroll.content.w - px(24), 0};
  float y = scroll.content.y;
  if (!launch.where.fields.empty()) {
    Rect title{line.x, y, line.w, px(kRow)};
    help_mark(title, view::HelpSubject::kSlurm, commands);
    y = draw_form_title(launch.where.title, line, y, true);
    y = draw_fields(launch.where.fields, line, y, commands);
  }
  scroll.reach((script ? draw_script_form(launch, line, y, memory, commands)
                       : draw_trainer_form(launch, form, line, y, memory, commands)) +
               px(6));
}

}  // namespace ringside::ui
