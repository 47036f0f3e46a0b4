#include "gui/view/runs/repeats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "gui/launch/program/saved_program.h"
#include "gui/model/run_model.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::view {
namespace {

constexpr std::array<std::string_view, 6> kOfRepeats = {
    "name", "train.seed", "devices.ids", "baseline.mode", "baseline.run", "checkpoint.resume"};

bool repeat_each_other(const ComparedRun& a, const ComparedRun& b) {
  if (!a.settings_read || !b.settings_read) return false;
  const auto differences = messages::described_differences(a.model->spec(), b.model->spec());
  const bool same = std::ranges::all_of(differences, [](const auto& one) {
    return std::ranges::find(kOfRepeats, one.key) != kOfRepeats.end();
  });
  if (!same || a.program == nullptr || b.program == nullptr) return same;
  return a.program->files == b.program->files && a.program->packages == b.program->packages &&
         a.program->commit == b.program->commit;
}

/// The value of a line at x; NaN before its beginning, after its end and in its gaps.
float value_between(const LineView& line, double x) {
  const auto after = std::ranges::lower_bound(line.columns, x, {}, &ChartColumn::x);
  if (after == line.columns.end()) return std::nanf("");
  if (after->x == x) return after->mean;
  if (after == line.columns.begin() || after->anew) return std::nanf("");
  const ChartColumn& before = *std::prev(after);
  const auto share = static_cast<float>((x - before.x) / (after->x - before.x));
  return before.mean + share * (after->mean - before.mean);
}

LineView folded(const std::vector<const LineView*>& lines) {
  LineView mean;
  mean.kind = LineKind::kRun;
  mean.run = lines.front()->run;
  const auto* grid = *std::ranges::max_element(
      lines, {}, [](const LineView* line) { return line->columns.size(); });
  bool gap = false;
  for (const ChartColumn& column : grid->columns) {
    ChartColumn at = single_column(column.x, 0);
    at.low = INFINITY;
    at.high = -INFINITY;
    double sum = 0;
    for (const LineView* line : lines) {
      const float value = value_between(*line, column.x);
      sum += static_cast<double>(value);
      at.low = std::min(at.low, value);
      at.high = std::max(at.high, value);
    }
    gap = gap || column.anew || std::isnan(sum);
    if (std::isnan(sum)) continue;
    at.mean = static_cast<float>(sum / static_cast<double>(lines.size()));
    at.anew = std::exchange(gap, false) && !mean.columns.empty();
    mean.band.push_back(at);
    mean.columns.push_back(single_column(at.x, at.mean));
    mean.columns.back().anew = at.anew;
  }
  for (const LineView* line : lines) {
    mean.label += (mean.label.empty() ? "" : " ") + line->label;
    mean.nan_at.insert(mean.nan_at.end(), line->nan_at.begin(), line->nan_at.end());
  }
  std::ranges::sort(mean.nan_at);
  return mean;
}

void fold(const std::vector<std::size_t>& group, std::vector<LineView>& lines) {
  const auto is_of_group = [&group](const LineView& line) {
    return std::ranges::find(group, static_cast<std::size_t>(line.run)) != group.end();
  };
  std::vector<const LineView*> own;
  for (const LineView& line : lines)
    if (is_of_group(line)) own.push_back(&line);
  if (own.size() < 2) return;
  LineView mean = folded(own);
  // On the time axis the passes of two runs may not overlap: then there is no mean to draw.
  if (mean.columns.empty()) return;
  const auto first = std::ranges::find_if(lines, is_of_group);
  const auto at = first - lines.begin();
  std::erase_if(lines, is_of_group);
  lines.insert(lines.begin() + at, std::move(mean));
}

}  // namespace

std::vector<std::vector<std::size_t>> repeats_of(ComparedRuns runs) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t place = 0; place < runs.size(); ++place) {
    const auto same = std::ranges::find_if(groups, [&](const auto& group) {
      return repeat_each_other(runs[group.front()], runs[place]);
    });
    if (same != groups.end()) {
      same->push_back(place);
    } else {
      groups.push_back({place});
    }
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

void fold_repeats(const std::vector<std::vector<std::size_t>>& groups, ChartView& chart) {
  for (const auto& group : groups) {
    fold(group, chart.lines);
    fold(group, chart.smoothed);
  }
}

}  // namespace ringside::view
