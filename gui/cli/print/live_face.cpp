#include "gui/cli/print/live_face.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "gui/cli/print/line_chart.h"
#include "gui/cli/print/live_text.h"
#include "gui/cli/print/terminal.h"
#include "gui/model/run_model.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/speedup_view.h"
#include "gui/view/number_format.h"
#include "gui/view/state_view.h"
#include "protocol/base/text.h"

namespace ringside::cli {
namespace {

constexpr std::size_t kMostChartRows = 12;
constexpr std::size_t kLeastChartRows = 3;
constexpr std::size_t kMostVerdicts = 4;

using Lines = std::vector<std::string>;

void add_head(const model::RunModel& model, const view::RunContext& context, bool color,
              Lines& lines) {
  const view::StateView state = view::run_state_view(model, context);
  lines.push_back(
      painted(view::run_label(context.number, context.id) + " " + one_line(view::run_title(model)),
              view::Tone::kHigh, color) +
      "  " + painted(state.word, state.tone, color));
  if (model.newest_common_step() >= 0) lines.push_back(progress_line(model, context));
}

void add_speedup(const view::SpeedupView& speedup, bool color, Lines& lines) {
  if (!speedup.shown) {
    if (const std::string why = view::plain(speedup.empty); !why.empty())
      lines.push_back(painted(why, view::Tone::kDim, color));
    return;
  }
  lines.push_back("speedup " + painted(speedup.display, view::Tone::kHigh, color) + " of " +
                  speedup.of_ideal + ", efficiency " + speedup.efficiency + "  " +
                  painted(speedup.baseline_label + " " + speedup.baseline_time + ", " +
                              speedup.run_label + " " + speedup.run_time,
                          view::Tone::kDim, color));
  if (const std::string brief = view::plain(speedup.brief); !brief.empty())
    lines.push_back(painted(brief, view::Tone::kDim, color));
}

void add_verdicts(const view::EventStripView& events, bool color, Lines& lines) {
  const auto add = [&](const view::EventView& event) {
    lines.push_back(painted("*", event.tone, color) + " " + view::plain(event.main));
    if (const std::string aside = view::plain(event.aside); !aside.empty())
      lines.push_back("  " + painted(aside, view::Tone::kDim, color));
  };
  add(events.first);
  for (const view::EventView& event : events.more) {
    if (!event.dismissed && lines.size() < kMostVerdicts) add(event);
  }
}

/// The mean loss over all steps so far, labelled with its highest and lowest value.
Lines chart_lines(const model::RunModel& model, std::size_t columns, std::size_t rows, bool color) {
  const model::Series& loss = model.mean_loss();
  const model::Extremes all = loss.extremes(0, loss.size());
  const std::string highest = view::loss_text(static_cast<double>(all.highest));
  const std::string lowest = view::loss_text(static_cast<double>(all.lowest));
  const std::size_t margin =
      std::max({highest.size(), lowest.size(), std::string_view("loss").size()});
  if (columns < margin + 10) return {};
  Lines lines = line_chart(loss, columns - margin - 1, rows);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string label = i == 0 ? highest : i + 1 == lines.size() ? lowest : i == 1 ? "loss" : "";
    label.insert(0, margin - label.size(), ' ');
    lines[i] =
        painted(label, view::Tone::kDim, color) + " " + painted(lines[i], view::Tone::kInfo, color);
  }
  return lines;
}

Lines rank_lines(const model::RunModel& model, const view::RunContext& context, std::size_t room,
                 bool color) {
  Lines lines;
  const std::string table = rank_table(model, context, color);
  for (const std::string_view line : parts_of(table, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  if (lines.size() <= room) return lines;
  const std::size_t kept = room > 0 ? room - 1 : 0;
  const std::size_t left_out = lines.size() - kept;
  lines.resize(kept);
  if (room > 0)
    lines.push_back(painted(
        "and " + view::plural(static_cast<std::int64_t>(left_out), "rank", "ranks") + " more",
        view::Tone::kDim, color));
  return lines;
}

}  // namespace

std::string live_face(const model::RunModel& model, const view::RunContext& context,
                      const view::BaselineContext& baseline, FaceSize size, bool color) {
  Lines top;
  add_head(model, context, color, top);
  add_speedup(view::build_speedup_view(model, context, baseline), color, top);
  Lines verdicts;
  add_verdicts(view::build_event_strip(model, context, baseline), color, verdicts);
  const std::size_t words = top.size() + verdicts.size();
  const std::size_t room = size.rows > words ? size.rows - words : 0;
  const Lines ranks = rank_lines(model, context, room, color);
  const std::size_t chart_rows = std::min(room - ranks.size(), kMostChartRows);
  Lines all = top;
  if (chart_rows >= kLeastChartRows) {
    const Lines chart = chart_lines(model, size.columns, chart_rows, color);
    all.insert(all.end(), chart.begin(), chart.end());
  }
  all.insert(all.end(), ranks.begin(), ranks.end());
  all.insert(all.end(), verdicts.begin(), verdicts.end());
  all.resize(std::min(all.size(), size.rows));
  std::string text;
  for (const std::string& line : all) text += cut_to(line, size.columns) + "\n";
  return text;
}

}  // namespace ringside::cli
