#include "gui/ui/scaling/scaling_page.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/cutter.h"
#include "gui/ui/scaling/waterfall_panel.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/experiment/experiment_view.h"

namespace ringside::ui {
namespace {

constexpr float kStudyRow = 23;

/// Draws the name of the study, chosen from a list where there are several. Returns where it ends.
float study_name(const view::ScalingView& study, const view::ScalingInput& input, const Rect& area,
                 view::CommandQueue& commands) {
  const std::string words = "Study " + study.name;
  const float x = area.x + px(12);
  const float end = text_at(x, area.middle_y(), Type::kPanel, Token::kHigh, words);
  if (input.names.size() < 2) return end;
  const Rect where{x - px(4), area.y + px(4), end - x + px(22), area.h - px(8)};
  const Hit hit = hit_area("Choose a study", where);
  draw_icon(Icon::kChevronDown, ImVec2(end + px(10), area.middle_y()), px(9),
            hit.hovered ? Token::kHigh : Token::kDim);
  if (hit.clicked) ImGui::OpenPopup("studies");
  std::vector<std::string> list;
  std::string on;
  for (const auto& name : input.names) {
    list.push_back(name.name + "  " + name.title);
    if (name.name == study.name) on = list.back();
  }
  const int picked = list_beside("studies", where, list, on);
  if (picked >= 0)
    commands.emplace_back(view::SelectStudy{input.names[static_cast<std::size_t>(picked)].name});
  return end + px(16);
}

/// Draws the button that asks whether to delete the study's runs too; disabled while the study is
/// active.
void delete_button(const view::ScalingView& study, Rect& rest, view::CommandQueue& commands) {
  const Rect where = rest.take_right(px(60), px(8));
  if (button(view::label::kDeleteStudy, where, {ButtonKind::kNormal, Icon::kNone, !study.can_stop}))
    ImGui::OpenPopup("delete study");
  tooltip(study.can_stop ? "Stop it first" : "Ctrl Z takes it back");
  const int picked = list_beside("delete study", where, study.deletes);
  if (picked >= 0) commands.emplace_back(view::TrashStudy{study.name, picked == 1});
}

/// Draws the study's buttons from the right; removes their space from `rest`.
void strip_buttons(const view::ScalingView& study, Rect& rest, view::CommandQueue& commands) {
  const auto press = [&rest](const char* word, float width, ButtonKind kind = ButtonKind::kNormal) {
    return button(word, rest.take_right(px(width), px(8)), {kind});
  };
  const Rect written{rest.right() - px(134), rest.y, px(134), rest.h};
  if (press(view::label::kExportStudy, 62)) ImGui::OpenPopup("study files");
  const std::vector<std::string> files{"CSV of the settings", "HTML page", "Markdown",
                                       "SVG of the chart", "PNG of the chart"};
  const int picked = list_beside("study files", written, files);
  if (picked >= 0)
    commands.emplace_back(view::ExportStudy{static_cast<view::StudyFileKind>(picked)});
  if (press(view::label::kNewStudy, 86)) commands.emplace_back(view::AskStudy{true, {}, {}});
  if (study.settings ? press(view::label::kAddRepeats, 96) : press(view::label::kAddPoint, 82))
    commands.emplace_back(view::AskStudy{true, study.name, {}});
  delete_button(study, rest, commands);
  if (study.can_continue && press(view::label::kContinueStudy, 74, ButtonKind::kPrimary))
    commands.emplace_back(view::ContinueStudy{study.name});
  if (study.can_stop && press(view::label::kStopStudy, 56, ButtonKind::kDanger))
    commands.emplace_back(view::StopStudy{study.name});
}

void draw_setting(const view::Cell& cell, const std::string& series, const Rect& where) {
  const float x = where.x + px(7);
  draw_marker(view::series_marker(series), x, where.middle_y(), px(9),
              color_of(view::series_token(series)), false);
  text_fitted(x + px(13), where.middle_y(), where.right() - x - px(13), Type::kSmall, Token::kHigh,
              cell.text);
}

/// Draws a bar with the share, or the reason why there is none.
void draw_efficiency(const view::Cell& cell, const Rect& where) {
  if (cell.bar < 0) {
    text_fitted(where.x, where.middle_y(), where.w, Type::kSmall, Token::kDim, cell.text);
    return;
  }
  const float words = px(44);
  const float left = where.x + px(8);  // a gap to the number on its left
  small_bar({left, std::floor(where.middle_y() - px(3)), where.right() - words - left, px(6)},
            cell.bar, Token::kSmallBar);
  text_right(where.right(), where.middle_y(), Type::kNumber, Token::kHigh, cell.text);
}

std::string series_of(const view::Table& table, const view::TableRow& row) {
  const auto* series = std::get_if<std::string>(&view::cell_of(table, row, "series").value);
  return series == nullptr ? std::string() : *series;
}

/// Makes the whole row a control; draws a line between two series.
void behind_setting(const view::Table& table, std::size_t place, const std::string& selected,
                    const Rect& line, view::CommandQueue& commands) {
  const view::TableRow& row = table.rows[place];
  ImGui::SetNextItemAllowOverlap();
  const std::string id = "Setting " + row.key;
  const Hit hit = hit_area(id.c_str(), line);
  const bool on = row.key == selected;
  if (on || hit.hovered) fill(line, on ? Token::kSelected : Token::kHover);
  if (on) fill({line.x, line.y, px(2), line.h}, Token::kAccent);
  if (hit.clicked) commands.emplace_back(view::SelectSetting{row.key});
  const bool last = place + 1 < table.rows.size() &&
                    series_of(table, row) != series_of(table, table.rows[place + 1]);
  if (last) line_h(line.x, line.right(), line.bottom() - 1, Token::kLine2);
}

/// Draws the choice of the number of devices for the series of the chosen setting, if there are
/// several.
void choose_devices(const view::ScalingInput& input, const Rect& header,
                    view::CommandQueue& commands) {
  const auto& settings = input.facts->settings;
  const auto chosen = std::ranges::find_if(
      settings, [&](const auto& setting) { return setting.key == input.selected; });
  if (chosen == settings.end()) return;
  std::vector<std::string> counts;
  std::vector<std::string> keys;
  int on = 0;
  for (const auto& setting : settings) {
    if (setting.series != chosen->series || view::typical_run(setting) == nullptr) continue;
    if (setting.key == input.selected) on = static_cast<int>(keys.size());
    counts.push_back(std::to_string(setting.devices));
    keys.push_back(setting.key);
  }
  std::vector<const char*> words;
  for (const std::string& count : counts) words.push_back(count.c_str());
  const float width = segmented_width(words);
  const char* const unit = input.facts->on_gpus ? "GPUs" : "ranks";
  const float label = text_width(Type::kSmall, unit) + px(12);
  if (keys.size() < 2 || width + label > header.w) return;
  const float x = header.right() - width;
  text_right(x - px(12), header.middle_y(), Type::kSmall, Token::kDim, unit);
  const int picked = segmented("waterfall devices", x, header.middle_y(), words, on);
  if (picked != on)
    commands.emplace_back(view::SelectSetting{keys[static_cast<std::size_t>(picked)]});
}

}  // namespace

ScalingLayout scaling_layout(const FrameLayout& frame, float scale, bool with_side) {
  return laid_out<ScalingLayout>(frame, scale, [&](const FrameLayout& within, ScalingLayout& page) {
    const Scale s{scale};
    page.content = room(within, s(560), s(520));
    Rect rest = page.content;
    page.strip = rest.take_top(s(32), s(kGap));
    const float drawn = s(within.low ? 280 : 404);
    Rect upper = rest.take_top(std::min(drawn, std::floor(rest.h * 0.6F)), s(kGap));
    if (with_side && upper.w >= s(900))
      page.side = upper.take_right(std::floor((upper.w - s(kGap)) * 0.4975F), s(kGap));
    page.chart = upper;
    page.table = rest;
  });
}

void draw_study_strip(const view::ScalingView& study, const view::ScalingInput& input,
                      const Rect& area, view::CommandQueue& commands) {
  fill(area, Token::kPanel, 4);
  outline(area, Token::kLine, 4);
  Rect rest = area.inset(px(4), px(4));
  strip_buttons(study, rest, commands);
  float x = study_name(study, input, area, commands) + px(18);
  const float middle = area.middle_y();
  const float goal = text_width(Type::kSmall, study.goal) + px(16);
  const bool shown = !study.goal.empty() && x + goal + px(200) < rest.right();
  if (shown) text_right(rest.right() - px(6), middle, Type::kSmall, Token::kText, study.goal);
  const float right = rest.right() - (shown ? goal + px(8) : 0);
  x = sentence_at(x, middle, right, study.head, kSmallSentence) + px(14);
  const float word = text_width(Type::kSmall, study.progress) + px(22);
  if (x + word < right)
    x = state_word(x, middle, {study.progress, study.progress_shape, study.progress_tone}) + px(18);
  if (x + sentence_width(study.baseline, kSmallSentence) < right)
    sentence_at(x, middle, right, study.baseline, kSmallSentence);
  if (!study.problem.empty()) note_cut(area, study.problem);
}

void draw_settings_table(const view::ScalingView& study, const view::ScalingInput& input,
                         const Rect& area, view::ColumnChoice& columns,
                         view::CommandQueue& commands) {
  const PanelFrame panel("settings", area, "Settings", study.subtitle, px(236));
  Rect header = panel.header;
  const Rect list = header.take_right(px(80), px(8));
  if (study.published) {
    const Rect link{header.right() - px(150), header.y, px(80), header.h};
    if (button(view::label::kExperiment, link, {ButtonKind::kLink}))
      commands.emplace_back(view::ShowExperiment{});
    tooltip("What its sources published, figure by figure beside this study (U)");
  }
  const std::string toggled = choose_columns(
      study.table, columns, {list.x, std::floor(list.middle_y() - px(11)), list.w, px(22)});
  if (!toggled.empty()) columns.toggle(toggled);
  if (copy_link("Copy##settings", header.right() - px(60), header.middle_y()))
    commands.emplace_back(view::CopyText{view::table_tsv(study.table)});
  TableStyle style{.head_height = 24, .row_height = kStudyRow, .left = 12, .right = 22};
  style.columns = &columns;
  style.behind = [&](std::size_t place, const Rect& line) {
    behind_setting(study.table, place, input.selected, line, commands);
  };
  style.cell = [&](const view::TableColumn& column, std::size_t place, const Rect& where) {
    const view::TableRow& row = study.table.rows[place];
    const view::Cell& cell = view::cell_of(study.table, row, column.key);
    if (column.key == "setting") {
      draw_setting(cell, series_of(study.table, row), where);
    } else if (column.key == "efficiency") {
      draw_efficiency(cell, where);
    } else {
      return false;
    }
    return true;
  };
  draw_table("setting rows", study.table, panel.body, style);
}

void draw_setting_waterfall(const view::ScalingInput& input, const Rect& area,
                            view::CommandQueue& commands) {
  if (area.w <= 0) return;
  const view::WaterfallView* const view = input.waterfall;
  const bool shown = view != nullptr && view->shown;
  const float controls = shown ? px(190) : 0;
  const PanelFrame panel("setting waterfall", area, shown ? view->title : view::label::kWaterfall,
                         shown ? view->subtitle : "", controls);
  choose_devices(input, panel.header, commands);
  Rect inside = panel.body.inset(px(14), px(6));
  if (view == nullptr) {
    sentence_wrapped(inside.x, inside.y + px(10), inside.right(), px(20),
                     {{view::waterfall_wait(*input.facts), view::Style::kDim}}, kDimSentence);
    return;
  }
  if (shown && view->fairness.unfair())
    draw_fairness(view->fairness, inside.take_bottom(px(18), px(2)));
  const ScrollArea scroll("waterfall rows", {panel.body.x, panel.body.y, panel.body.w,
                                             inside.bottom() + px(6) - panel.body.y});
  inside.y = scroll.content.y + px(6);
  if (shown) inside.h = std::max(inside.h, waterfall_height(*view).least);
  view::CommandQueue asked;
  if (draw_waterfall(*view, inside, asked)) {
    commands.emplace_back(view::OpenRun{input.waterfall_run});
    for (view::Command& command : asked) commands.push_back(std::move(command));
  }
  scroll.reach(inside.bottom());
}

void draw_no_study(const view::ScalingInput& input, const Rect& area,
                   view::CommandQueue& commands) {
  fill(area, Token::kPanel, 4);
  outline(area, Token::kLine, 4);
  const float middle = area.middle_y() - px(26);
  if (!input.looked) {
    text_centered(area.middle_x(), middle, Type::kSmall, Token::kDim, "Looking for studies…");
    return;
  }
  if (!input.elsewhere.empty()) {
    sentence_centered(area.middle_x(), middle, {{input.elsewhere, view::Style::kWords}},
                      kDimSentence);
  } else {
    text_centered(area.middle_x(), middle, Type::kTitle, Token::kHigh, "No study yet");
  }
  text_centered(
      area.middle_x(), middle + px(24), Type::kSmall, Token::kDim,
      "A study runs 1, 2, 4, 8 devices three times and shows what each of them brings, or "
      "compares values of settings.");
  const Rect where{std::floor(area.middle_x() - px(55)), middle + px(46), px(110), px(28)};
  if (button(view::label::kNewStudy, where, {ButtonKind::kPrimary}))
    commands.emplace_back(view::AskStudy{true, {}, {}});
  float y = where.bottom() + px(20);
  for (const view::StudyName& study : input.ready) {
    const float name = button_width(study.name);
    const float width =
        std::min(area.w - px(24), name + px(8) + text_width(Type::kSmall, study.title));
    const float x = std::floor(area.middle_x() - width * 0.5F);
    if (y + px(26) > area.bottom()) break;
    if (button(study.name.c_str(), {x, y, name, px(24)}))
      commands.emplace_back(view::AskStudy{true, {}, study.name});
    text_fitted(x + name + px(8), y + px(12), width - name - px(8), Type::kSmall, Token::kDim,
                study.title);
    y += px(30);
  }
}

}  // namespace ringside::ui
