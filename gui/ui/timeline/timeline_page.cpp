#include "gui/ui/timeline/timeline_page.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gui/ui/cutter.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/number_format.h"
#include "gui/view/timeline/timeline_words.h"
#include "gui/view/window/palette.h"
#include "gui/view/window/top_bar.h"

namespace ringside::ui {
namespace {

using Queue = view::CommandQueue;

/// Shows another source from its beginning to its end; if the same source has grown, the time
/// window and the selected event are kept.
void adopt_timeline(const view::TimelineInput& input, TimelineMemory& memory) {
  if (memory.source != input.source_revision) {
    const std::string search = memory.choice.search;
    memory.choice = {};
    memory.choice.search = search;
    memory.scrolled = 0;
    memory.source = input.source_revision;
  }
  if (memory.revision == input.revision || input.timeline == nullptr) return;
  memory.revision = input.revision;
  if (memory.choice.selected)
    memory.choice.selected =
        view::found_again(*input.timeline, *memory.choice.selected, memory.selected_ns);
}

void go_to_match(const view::TimelineInput& input, bool back, TimelineMemory& memory) {
  const view::TimelineMatches* const matches = timeline_matches(input, memory);
  if (matches == nullptr) return;
  const auto next = view::next_match(*input.timeline, *matches, memory.choice.selected, back);
  if (next) show_timeline_event(*input.timeline, *next, memory);
}

/// Draws the search field, the number of matches, and the buttons to the next and previous match.
void draw_event_search(const view::TimelineInput& input, Rect& rest, TimelineMemory& memory) {
  const float middle = rest.middle_y();
  const auto cut = [&](float width) {
    const Rect piece = rest.take_right(width, px(6));
    return Rect{piece.x, std::floor(middle - px(12)), piece.w, px(24)};
  };
  const Rect next = cut(px(24)), before = cut(px(24)),
             field = cut(std::min(px(200), rest.w * 0.5F));
  const bool any = timeline_matches(input, memory) != nullptr;
  const ButtonStyle style{ButtonKind::kPlain, Icon::kNone, any};
  if (button("##next match", next, style)) go_to_match(input, false, memory);
  tooltip("Next (Enter)");
  draw_icon(Icon::kChevronDown, ImVec2(next.middle_x(), middle), px(9), Token::kDim);
  if (button("##match before", before, style)) go_to_match(input, true, memory);
  tooltip("The one before (Shift Enter)");
  draw_icon(Icon::kChevronUp, ImVec2(before.middle_x(), middle), px(9), Token::kDim);
  if (std::exchange(memory.focus_search, false)) ImGui::SetKeyboardFocusHere();
  text_field("##search events", field, memory.choice.search, Type::kSmall, {}, "Search events");
  if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false)) {
    go_to_match(input, ImGui::GetIO().KeyShift, memory);
    memory.focus_search = true;
  }
  const view::TimelineMatches* const matches = timeline_matches(input, memory);
  if (matches == nullptr) return;
  const std::string found = view::count_text(static_cast<std::int64_t>(matches->events)) + " found";
  const float width = text_width(Type::kLabel, found) + px(8);
  if (width < rest.w)
    text_right(rest.take_right(width).right() - px(4), middle, Type::kLabel, Token::kDim, found);
}

void draw_timeline_strip(const view::TimelineInput& input, const Rect& area, TimelineMemory& memory,
                         Queue& commands) {
  const PanelFrame panel("timeline strip", area);
  const float middle = area.middle_y();
  Rect rest = area.inset(px(12), 0);
  const auto cut = [&](float width) {
    const Rect piece = rest.take_left(width, px(8));
    return Rect{piece.x, std::floor(middle - px(12)), piece.w, px(24)};
  };
  if (!input.sources.empty()) {
    std::vector<const char*> words;
    for (const std::string& source : input.sources) words.push_back(source.c_str());
    const Rect list = cut(std::min(px(280), rest.w * 0.4F));
    const auto chosen = static_cast<int>(input.chosen);
    const int picked = drop_list("timeline source", list, words, chosen);
    if (picked != chosen)
      commands.emplace_back(view::ChooseTimeline{static_cast<std::size_t>(picked)});
  }
  const bool roomy = area.w > px(760);
  if (roomy && button(view::label::kOpenTrace, cut(px(104))))
    commands.emplace_back(view::ShowOpenRun{});
  if (roomy && input.can_profile && button(view::label::kProfileSteps, cut(px(116))))
    commands.emplace_back(view::ProfileRun{});
  if (input.timeline == nullptr) return;
  const Rect whole = cut(px(44));
  if (button(view::label::kFitTimeline, whole)) view::fit(*input.timeline, memory.choice);
  tooltip("Fit the selected event, or all (F)");
  draw_event_search(input, rest, memory);
}

/// Draws the progress of a read, the error, or how to get a timeline.
void draw_no_timeline(const view::TimelineInput& input, const Rect& area, Queue& commands) {
  const PanelFrame panel("no timeline", area);
  const float x = area.middle_x(), y = area.middle_y();
  if (input.share >= 0) {
    sentence_centered(x, y - px(24), {{"Reading the trace, "}, {view::percent_text(input.share)}},
                      kDimSentence);
    small_bar({x - px(120), y, px(240), px(6)}, input.share, Token::kAccent);
    if (button("Cancel##timeline", {x - px(40), y + px(20), px(80), px(24)}))
      commands.emplace_back(view::CancelTimeline{});
    return;
  }
  const view::Sentence why = view::no_timeline(input.problem, input.has_run);
  const Rect room = area.inset(px(24), 0);
  sentence_wrapped(std::max(room.x, x - sentence_width(why, kDimSentence) * 0.5F), y - px(30),
                   room.right(), px(20), why, kDimSentence);
  if (button(view::label::kOpenTrace, {x - px(114), y + px(16), px(110), px(28)}))
    commands.emplace_back(view::ShowOpenRun{});
  if (button(view::label::kGoToRuns, {x + px(4), y + px(16), px(110), px(28)}))
    commands.emplace_back(view::SelectPage{view::Page::kRuns});
}

void draw_selected_event(const view::TimelineInput& input, const Rect& area,
                         const TimelineMemory& memory) {
  const PanelFrame panel("timeline event", area, "Selected event");
  const ScrollArea scroll("event facts", panel.body.inset(px(12), px(4)));
  const Rect& content = scroll.content;
  float y = content.y + px(10);
  if (!memory.choice.selected) {
    float top = y - px(8);
    for (const std::string& notice : input.timeline->notices)
      top = sentence_wrapped(content.x, top, content.right(), px(18), {{notice}}, kSmallSentence) +
            px(4);
    scroll.reach(sentence_wrapped(content.x, top, content.right(), px(18), view::timeline_keys(),
                                  kDimSentence));
    return;
  }
  for (const view::Fact& fact : view::event_facts(*input.timeline, *memory.choice.selected)) {
    text_at(content.x, y, Type::kLabel, Token::kDim, fact.label);
    SentenceStyle style = kSmallSentence;
    style.color = token_of(fact.tone);
    sentence_at(content.x + px(92), y, content.right(), fact.value, style);
    y += px(19);
  }
  scroll.reach(y);
}

void draw_operations(const view::TimelineInput& input, const Rect& area, TimelineMemory& memory,
                     Queue& commands) {
  if (input.operations == nullptr) return;
  const view::Table& table = *input.operations;
  const PanelFrame panel("timeline operations", area, table.title);
  if (!table.rows.empty() && copy_link("Copy##operations", panel.header.x, panel.header.middle_y()))
    commands.emplace_back(view::CopyText{view::table_tsv(table)});
  TableStyle style;
  // A press on a row searches for its name.
  style.behind = [&](std::size_t row, const Rect& line) {
    const std::string& name = table.rows[row].cells.front().text;
    const Hit hit = hit_area(("Find " + name).c_str(), line);
    if (hit.hovered || memory.choice.search == name)
      fill(line, hit.hovered ? Token::kHover : Token::kSelected);
    if (hit.clicked) memory.choice.search = memory.choice.search == name ? std::string() : name;
  };
  draw_table("timeline operations", table, panel.body, style);
}

}  // namespace

TimelineLayout timeline_layout(const FrameLayout& frame, float scale) {
  return laid_out<TimelineLayout>(
      frame, scale, [&](const FrameLayout& within, TimelineLayout& page) {
        const Scale s{scale};
        page.content = room(within, s(420), s(440));
        Rect rest = page.content;
        page.strip = rest.take_top(s(36), s(kGap));
        Rect foot = rest.take_bottom(s(within.low ? 164 : 216), s(kGap));
        page.tracks = rest;
        page.event = foot.take_left(std::min(s(372), std::floor(foot.w * 0.42F)), s(kGap));
        page.operations = foot;
      });
}

const view::TimelineMatches* timeline_matches(const view::TimelineInput& input,
                                              TimelineMemory& memory) {
  const std::string& text = memory.choice.search;
  if (text.empty() || input.timeline == nullptr) return nullptr;
  return &memory.matches.get({input.revision, text},
                             [&] { return view::find_matches(*input.timeline, text); });
}

void show_timeline_event(const model::Timeline& timeline, const model::EventPlace& place,
                         TimelineMemory& memory) {
  view::show_event(timeline, place, memory.choice);
  memory.selected_ns = timeline.lane_of(place).begin_ns[place.event];
  memory.scroll_to_selected = true;
}

void draw_timeline_page(const view::TimelineInput& input, const TimelineLayout& layout,
                        TimelineMemory& memory, Queue& commands) {
  ImGui::PushID("timeline");
  adopt_timeline(input, memory);
  draw_timeline_strip(input, layout.strip, memory, commands);
  if (input.timeline == nullptr) {
    Rect area = layout.content;
    area.take_top(layout.strip.h, px(8));
    draw_no_timeline(input, area, commands);
  } else {
    draw_timeline_tracks(input, layout.tracks, memory);
    draw_selected_event(input, layout.event, memory);
    draw_operations(input, layout.operations, memory, commands);
  }
  ImGui::PopID();
}

}  // namespace ringside::ui
