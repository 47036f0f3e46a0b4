#include "gui/ui/sampler/sampler_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gui/ui/cutter.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

using Queue = view::CommandQueue;

constexpr std::array<const char*, 4> kTabs{"Validation", view::label::kMoved, view::label::kShards,
                                           view::label::kFirstSamples};

void sampler_wide(const FrameLayout& frame, Scale s, bool alarm, const Arrangement& arrangement,
                  SamplerLayout& page) {
  Cutter cutter(s, arrangement, page);
  page.tabs = frame.main.w < s(1300);
  page.content = room(frame, 0, s(520));
  Rect rest = page.content;
  page.strip = rest.take_top(s(32), s(kGap));
  if (alarm) page.alarm = rest.take_top(s(32), s(kGap));
  const float foot = s(frame.low ? 200 : 262);
  Rect lower = cutter.cut(rest, Edge::kBottom, Split::kSamplerFoot, foot, {150, 260});
  const float drawn = between(frame.main.w, 400, 472, s.scale);
  Rect side = cutter.cut(rest, Edge::kRight, Split::kSamplerSide, drawn, {300, 420});
  page.grid = rest;
  if (!page.tabs) {
    page.shards = lower.take_right(side.w, s(kGap));
    page.moved = lower.take_right(std::floor(lower.w * 0.3F), s(kGap));
    page.checks = side.take_top(std::floor(std::min(s(279), side.h * 0.64F)), s(kGap));
    page.first = side;
  } else {
    page.checks = side;
  }
  page.validation = lower;
}

void sampler_stacked(const FrameLayout& frame, Scale s, bool alarm, SamplerLayout& page) {
  page.tabs = true;
  page.content = room(frame, s(340), 0);
  page.content.h = s(32 + 360 + 290 + 240 + 3 * kGap) + (alarm ? s(32 + kGap) : 0);
  Rect rest = page.content;
  page.strip = rest.take_top(s(32), s(kGap));
  if (alarm) page.alarm = rest.take_top(s(32), s(kGap));
  page.grid = rest.take_top(s(360), s(kGap));
  page.checks = rest.take_top(s(290), s(kGap));
  page.validation = rest;
}

/// Draws the choice of the run, its data set, and the button that saves its shards as a file.
void draw_strip(const SamplerDrawing& drawing, const view::SamplerView* view, const Rect& area,
                Queue& commands) {
  const PanelFrame panel("sampler strip", area);
  const view::SamplerInput& input = drawing.input;
  const auto runs = view::sampled_runs(drawing.runs, input.id, input.number, input.title);
  std::vector<const char*> words;
  for (const std::string& word : runs.words) words.push_back(word.c_str());
  const float middle = area.middle_y();
  Rect rest = area.inset(px(12), 0);
  const float label = text_at(rest.x, middle, Type::kSmall, Token::kDim, "Run");
  rest.take_left(label - rest.x, px(8));
  const Rect list = rest.take_left(std::min(px(300), rest.w * 0.5F), px(16));
  const Rect where{list.x, std::floor(middle - px(12)), list.w, px(24)};
  const int picked = drop_list("sampled run", where, words, runs.chosen);
  if (picked != runs.chosen) {
    const std::string& id = runs.ids[static_cast<std::size_t>(picked)];
    commands.emplace_back(view::ShowSamplesOf{id == drawing.open_run ? std::string() : id});
  }
  if (runs.chosen < 0)
    text_at(where.x + px(8), middle, Type::kSmall, Token::kFaint, "Choose a run");
  const bool narrow = area.w < px(560);
  if (!narrow && view != nullptr && !view->facts.empty()) {
    const Rect cut = rest.take_right(px(86), px(12));
    if (button(view::label::kExportShards, {cut.x, std::floor(middle - px(12)), cut.w, px(24)}))
      commands.emplace_back(view::ExportRun{input.id == drawing.open_run
                                                ? std::vector<std::string>()
                                                : std::vector<std::string>{input.id},
                                            view::ExportKind::kCsv,
                                            {"shards"}});
  }
  if (view == nullptr) return;
  float x = rest.x;
  for (const view::Sentence& fact : view->facts) {
    if (x + sentence_width(fact, kSmallSentence) > rest.right()) break;
    x = sentence_at(x, middle, rest.right(), fact, kSmallSentence) + px(16);
  }
  constexpr const char* kSource = "as reported by the ranks";
  if (x + text_width(Type::kLabel, kSource) + px(8) < rest.right())
    text_right(rest.right(), middle, Type::kLabel, Token::kDim, kSource);
}

}  // namespace

SamplerLayout sampler_layout(const FrameLayout& frame, float scale, bool alarm,
                             const Arrangement& arrangement) {
  return laid_out<SamplerLayout>(frame, scale, [&](const FrameLayout& within, SamplerLayout& page) {
    const Scale s{scale};
    if (within.main.w < s(940)) {
      sampler_stacked(within, s, alarm, page);
    } else {
      sampler_wide(within, s, alarm, arrangement, page);
    }
  });
}

void SamplerPage::build(const view::SamplerInput& input) {
  view_ = nullptr;
  if (input.model == nullptr) return;
  view_ = &views_.get({input.id, input.revision, input.choice.pass},
                      [&input] { return view::build_sampler_view(*input.model, input.choice); });
}

void SamplerPage::draw_grid(const view::SamplerInput& input, const Rect& area,
                            SamplerMemory& memory, Queue& commands) {
  const auto size = view::grid_size(*input.model, input.choice.per_cell);
  const GridPlace place = grid_place(area, theme().scale, size.columns, size.rows);
  grid_ = &grids_.get({input.id, input.revision, input.choice, place.columns, place.rows}, [&] {
    return view::build_sampler_grid(*input.model, input.choice, place.columns, place.rows);
  });
  memory.first_sample = grid_->first_sample;
  memory.per_cell = grid_->per_cell;
  memory.columns = grid_->columns;
  memory.first_row = grid_->first_row;
  memory.rows = grid_->all_rows;
  memory.pass = grid_->pass;
  draw_owner_grid(*grid_, place, area, memory, commands);
}

void SamplerPage::draw_lower(const SamplerLayout& layout, SamplerMemory& memory, Queue& commands) {
  if (layout.tabs) {
    const float width = segmented_width(kTabs);
    const PanelFrame panel("sampler tabs", layout.validation);
    Rect body = panel.body;
    const Rect header = body.take_top(px(29));
    line_h(header.x, header.right(), header.bottom() - 1, Token::kLine);
    const bool fits = width < header.w - px(16);
    const Rect list{header.x + px(8), header.y + px(3), header.w - px(16), px(22)};
    memory.tab = fits ? segmented("tabs", header.x + px(8), header.middle_y(), kTabs, memory.tab)
                      : drop_list("tabs", list, kTabs, memory.tab);
    Rect rest = header;
    rest.take_left(fits ? width + px(24) : header.w);
    rest.take_right(px(12));
    if (memory.tab == 0) draw_validation(view_->validation, body);
    if (memory.tab == 1) draw_moved(view_->moved, rest, body);
    if (memory.tab == 2) draw_shards(*view_, *grid_, body);
    if (memory.tab == 3) draw_first_samples(view_->first, rest, body, commands);
    return;
  }
  {
    const PanelFrame panel("first samples", layout.first, view::label::kFirstSamples);
    draw_first_samples(view_->first, panel.header, panel.body, commands);
  }
  {
    const PanelFrame panel("validation", layout.validation, view::label::kValidation,
                           view_->validation.subtitle);
    draw_validation(view_->validation, panel.body);
  }
  {
    const PanelFrame panel("moved", layout.moved, view::label::kMoved, {}, px(60));
    draw_moved(view_->moved, panel.header, panel.body);
  }
  const PanelFrame panel("shards", layout.shards, view::label::kShards, view_->shards_epoch);
  draw_shards(*view_, *grid_, panel.body);
}

void SamplerPage::draw(const SamplerDrawing& drawing, const SamplerLayout& layout,
                       SamplerMemory& memory, Queue& commands) {
  ImGui::PushID("sampler");
  draw_strip(drawing, view_, layout.strip, commands);
  if (view_ == nullptr) {
    Rect area = layout.content;
    area.take_top(layout.strip.h, px(8));
    const PanelFrame panel("nothing sampled", area);
    sentence_centered(area.middle_x(), area.middle_y(),
                      {{drawing.runs.empty() ? "No runs yet. Launch one."
                                             : "No run is open. Choose one above, or launch one."}},
                      kDimSentence);
  } else {
    if (view_->alarm) draw_sampler_alarm(*view_->alarm, drawing.input.id, layout.alarm, commands);
    draw_grid(drawing.input, layout.grid, memory, commands);
    draw_sample_checks(*view_, layout.checks);
    draw_lower(layout, memory, commands);
  }
  ImGui::PopID();
}

}  // namespace ringside::ui
