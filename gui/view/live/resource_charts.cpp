#include "gui/view/live/resource_charts.h"

#include <algorithm>
#include <cmath>

#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/chart/chart_parts.h"
#include "gui/view/live/device_cells.h"
#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

using model::DeviceMetric;
using model::Sample;

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

struct Quantity {
  DeviceMetric metric;
  const char* title;
  double scale;
  double at_most;  ///< upper limit of the axis of a share; 0: none
};

constexpr Quantity kChartQuantities[] = {{DeviceMetric::kUtilisation, "GPU %", 1, 100},
                                         {DeviceMetric::kMemory, "GPU memory GiB", 1 / kGib, 0},
                                         {DeviceMetric::kTemperature, "Temperature °C", 1, 0},
                                         {DeviceMetric::kPower, "Power W", 1, 0},
                                         {DeviceMetric::kLink, "Link GB/s", 1e-9, 0},
                                         {DeviceMetric::kPcie, "PCIe GB/s", 1e-9, 0}};

/// Builds one chart line by line.
class Gatherer {
 public:
  /// `lines`: number of lines to be added; very many become a band.
  Gatherer(const model::RunModel& model, const char* title, std::size_t lines)
      : time_(model),
        first_s_(time_.seconds(model.first_ns())),
        end_s_(time_.seconds(model.last_ns())) {
    chart_.title = title;
    chart_.axis = XAxis::kTime;
    if (lines > kMostLines) pieces_.resize(kPieces);
  }

  void add(std::span<const Sample> samples, double scale, LineKind kind, Rank rank,
           std::string label) {
    if (samples.empty()) return;
    if (!pieces_.empty()) {
      add_to_band(samples, scale);
      return;
    }
    LineView line;
    line.kind = kind;
    line.rank = rank;
    line.label = std::move(label);
    for (const Sample& sample : samples) {
      if (time_.paused_at(sample.at_ns)) continue;
      const auto value = static_cast<float>(static_cast<double>(sample.value) * scale);
      const double at = time_.seconds(sample.at_ns);
      const bool anew = !line.columns.empty() && time_.paused_between(line.columns.back().x, at);
      line.columns.push_back(single_column(at, value));
      line.columns.back().anew = anew;
      begin_s_ = std::min(begin_s_, at);
      range_.add(value);
    }
    if (line.columns.empty()) return;
    newest_ = kind == LineKind::kMean || chart_.lines.empty()
                  ? static_cast<double>(line.columns.back().last)
                  : std::max(newest_, static_cast<double>(line.columns.back().last));
    chart_.lines.push_back(std::move(line));
  }

  /// Appends the chart to `charts`, unless it is empty.
  void finish(double at_most, int width, int height, std::vector<ChartView>& charts) {
    finish_band();
    if (chart_.lines.empty() || charts.size() >= kMostResourceCharts) return;
    range_.add(0.0F);
    chart_.y = y_axis(range_, false, height);
    chart_.y.low = 0;
    if (at_most > 0) chart_.y.high = at_most;
    chart_.y.ticks = linear_ticks(chart_.y.low, chart_.y.high, std::max(3, height / 28));
    chart_.x.low = begin_s_;
    chart_.x.high = std::max(end_s_, begin_s_ + 1);
    chart_.x.ticks = time_ticks(chart_.x.low, chart_.x.high, std::max(3, width / 56));
    chart_.aside = decimal_text(newest_, newest_ < 10 ? 1 : 0);
    charts.push_back(std::move(chart_));
  }

 private:
  static constexpr std::size_t kMostLines = 64;
  static constexpr std::size_t kPieces = 240;  ///< divisions of the time in a band
  struct Piece {
    model::Extremes range;
    double sum = 0;
    int count = 0;
  };

  void add_to_band(std::span<const Sample> samples, double scale) {
    const double per_s = static_cast<double>(kPieces) / std::max(1e-3, end_s_ - first_s_);
    for (const Sample& sample : samples) {
      if (time_.paused_at(sample.at_ns)) continue;
      const double place = std::max(0.0, (time_.seconds(sample.at_ns) - first_s_) * per_s);
      Piece& piece = pieces_[std::min(kPieces - 1, static_cast<std::size_t>(place))];
      const double value = static_cast<double>(sample.value) * scale;
      piece.range.add(static_cast<float>(value));
      piece.sum += value;
      ++piece.count;
    }
  }

  /// Adds the range of all lines as a band, and their mean.
  void finish_band() {
    LineView mean;
    mean.kind = LineKind::kMean;
    mean.label = "mean";
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      if (piece.count == 0) continue;
      const double at = first_s_ + (end_s_ - first_s_) * (static_cast<double>(i) + 0.5) /
                                       static_cast<double>(kPieces);
      mean.columns.push_back(single_column(at, static_cast<float>(piece.sum / piece.count)));
      ChartColumn column = mean.columns.back();
      column.low = column.first = piece.range.lowest;
      column.high = column.last = piece.range.highest;
      column.anew =
          !chart_.band.columns.empty() && time_.paused_between(chart_.band.columns.back().x, at);
      mean.columns.back().anew = column.anew;
      chart_.band.columns.push_back(column);
      begin_s_ = std::min(begin_s_, at);
      range_.add(column.low);
      range_.add(column.high);
    }
    if (mean.columns.empty()) return;
    newest_ = static_cast<double>(mean.columns.back().last);
    chart_.lines.push_back(std::move(mean));
  }

  TimeScale time_;
  double first_s_;
  double end_s_;
  double begin_s_ = INFINITY;
  double newest_ = 0;
  model::Extremes range_;
  std::vector<Piece> pieces_;
  ChartView chart_;
};

void add_devices(const model::RunModel& model, int width, int height,
                 std::vector<ChartView>& charts) {
  const DeviceRanks ranks = device_ranks(model);
  for (const Quantity& quantity : kChartQuantities) {
    Gatherer chart(model, quantity.title, model.devices().size());
    for (const auto& device : model.devices()) {
      const Rank rank = rank_on(ranks, device);
      chart.add(device.over_time(quantity.metric).samples(), quantity.scale, LineKind::kRank, rank,
                rank == kNoRank ? "" : rank_label(rank));
    }
    chart.finish(quantity.at_most, width, height, charts);
  }
}

/// Adds a line per rank from the samples of its host.
void add_ranks(const model::RunModel& model, bool memory, int width, int height,
               std::vector<ChartView>& charts) {
  Gatherer chart(model, memory ? "Rank memory GiB" : "Rank CPU %", model.ranks().size());
  for (const Rank number : model.ranks()) {
    const auto& rank = *model.rank(number);
    const auto host = model.hosts().find(rank.node);
    if (!rank.hello || host == model.hosts().end()) continue;
    const auto& all = memory ? host->second.rank_memory : host->second.rank_cpu;
    const auto local = static_cast<std::size_t>(std::max(0, rank.hello->local_rank));
    if (local >= all.size()) continue;
    chart.add(all[local].samples(), memory ? 1 / kGib : 1, LineKind::kRank, number,
              rank_label(number));
  }
  chart.finish(0, width, height, charts);
}

void add_hosts(const model::RunModel& model, bool memory, int width, int height,
               std::vector<ChartView>& charts) {
  Gatherer chart(model, memory ? "Host memory GiB" : "Host CPU %", model.hosts().size());
  for (const auto& [node, host] : model.hosts()) {
    chart.add((memory ? host.memory : host.cpu).samples(), memory ? 1 / kGib : 1, LineKind::kMean,
              kNoRank, "node " + count_text(node));
  }
  chart.finish(memory ? 0 : 100, width, height, charts);
}

}  // namespace

std::vector<ChartView> build_resource_charts(const model::RunModel& model, int width, int height,
                                             std::span<const runs::ChartNote> notes) {
  std::vector<ChartView> charts;
  if (!model.devices().empty()) {
    // The last chart is for the host, which may be what slows the devices down.
    add_devices(model, width, height, charts);
    if (charts.size() == kMostResourceCharts) charts.pop_back();
  } else {
    add_ranks(model, false, width, height, charts);
    add_ranks(model, true, width, height, charts);
  }
  add_hosts(model, false, width, height, charts);
  add_hosts(model, true, width, height, charts);
  for (ChartView& chart : charts) add_notes(model, notes, chart);
  return charts;
}

}  // namespace ringside::view
