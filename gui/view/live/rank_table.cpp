#include "gui/view/live/rank_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "gui/analysis/alerts/alerts.h"
#include "gui/analysis/alerts/blame.h"
#include "gui/analysis/alerts/memory.h"
#include "gui/analysis/arrivals.h"
#include "gui/analysis/metric_figures.h"
#include "gui/analysis/progress.h"
#include "gui/model/run_model.h"
#include "gui/view/live/device_cells.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/log_view.h"
#include "gui/view/live/many_ranks.h"
#include "gui/view/live/node_map.h"
#include "gui/view/live/stack_view.h"
#include "gui/view/metric_cells.h"
#include "gui/view/number_format.h"
#include "gui/view/run_context.h"
#include "gui/view/state_view.h"
#include "gui/view/table_cells.h"
#include "protocol/messages/memory_names.h"
#include "protocol/messages/spec/watched.h"
#include "protocol/messages/states.h"

namespace ringside::view {
namespace {

using model::DeviceModel;
using model::MetricInfo;
using model::RankModel;

constexpr std::size_t kMostColumns = 32;

/// Facts that are the same for all rows.
struct Facts {
  const model::RunModel& model;
  const RunContext& context;
  analysis::FigureSteps steps{};
  analysis::ArrivalClock clock{};
  std::optional<analysis::Straggler> late{};
  std::map<Rank, std::int64_t> rates{};  ///< samples/s as integers that add up to that of the run
  /// Integer percentages of the steps in which each rank arrived last.
  std::map<Rank, std::int64_t> shares{};
  std::map<Rank, analysis::StepTimeFigures> times{};
  std::map<Rank, double> silent{};  ///< seconds of silence of silent ranks
  std::set<Rank> awaited{};         ///< silent ranks for which others wait
  bool gpus = true;

  bool is_late(const RankModel& rank) const { return late && late->rank == rank.rank; }
};

/// Rounds values so that they add up to their rounded sum: the remainder goes to the largest
/// fractions.
std::map<Rank, std::int64_t> whole_parts(const std::map<Rank, double>& values) {
  std::map<Rank, std::int64_t> whole;
  std::vector<std::pair<double, Rank>> fractions;
  double sum = 0;
  std::int64_t given = 0;
  for (const auto& [rank, value] : values) {
    const double below = std::floor(value);
    whole[rank] = static_cast<std::int64_t>(below);
    given += whole[rank];
    sum += value;
    fractions.emplace_back(below - value, rank);
  }
  std::sort(fractions.begin(), fractions.end());
  auto lacking = static_cast<std::int64_t>(std::floor(sum + 0.5)) - given;
  for (const auto& [fraction, rank] : fractions) {
    if (lacking-- <= 0) break;
    ++whole[rank];
  }
  return whole;
}

void add_silence(const model::RunModel& model, Facts& facts) {
  if (facts.context.contact != Contact::kLive) return;
  const std::int64_t until_ns = known_until_ns(model, facts.context);
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    const double seconds = analysis::silent_seconds(model, rank, until_ns);
    if (analysis::is_silent(model, rank, seconds)) facts.silent[number] = seconds;
  }
  if (facts.silent.empty()) return;
  for (const auto& alert : alerts_of(model, facts.context))
    if (alert.kind == analysis::AlertKind::kRankHung) facts.awaited.insert(alert.rank);
}

Facts facts_of(const model::RunModel& model, const RunContext& context) {
  Facts facts{model, context, {model.newest_common_step(), analysis::recent_steps(model)}};
  facts.clock = analysis::recent_arrivals(model);
  facts.late = analysis::recent_straggler(model);
  std::map<Rank, double> rates;
  for (const auto& [rank, rate] : analysis::throughput(model, facts.steps.recent).ranks)
    if (rate > 0 && std::isfinite(rate)) rates[rank] = rate;
  facts.rates = whole_parts(rates);
  std::map<Rank, double> shares;
  if (facts.clock.compared > facts.clock.undecided)
    for (const auto& arrival : facts.clock.ranks) shares[arrival.rank] = arrival.share * 100;
  facts.shares = whole_parts(shares);
  for (const Rank rank : model.ranks())
    facts.times[rank] = analysis::step_times(model, rank, facts.steps.recent);
  facts.gpus = on_gpus(model);
  add_silence(model, facts);
  return facts;
}

/// A column of the table with its cells; `of_all` null: empty in the row of all ranks.
struct RankColumn {
  TableColumn about;
  Cell (*of)(const Facts&, const RankModel&) = nullptr;
  Cell (*of_all)(const Facts&) = nullptr;
};

Cell rank_cell_of(const Facts& facts, const RankModel& rank) {
  Cell cell{std::int64_t{rank.rank}, rank_label(rank.rank)};
  cell.rank = rank.rank;
  cell.hint = rank_place(facts.model, rank.rank);
  return cell;
}

Cell rank_state_cell(const Facts& facts, const RankModel& rank) {
  const auto silent = facts.silent.find(rank.rank);
  const StateView state =
      rank_state_view(rank, facts.is_late(rank), silent == facts.silent.end() ? 0 : silent->second,
                      !facts.awaited.empty() && !facts.awaited.contains(rank.rank), facts.context);
  Cell cell = text_cell(state.word, state.tone);
  cell.shape = state.shape;
  return cell;
}

bool runs_on_gpu(const RankModel& rank) { return rank.hello && rank.hello->device_uuid != "cpu"; }

Cell device_cell(const Facts&, const RankModel& rank) {
  if (!rank.hello) return unknown_cell();
  const bool gpu = rank.hello->device_index >= 0 && runs_on_gpu(rank);
  const std::int64_t index = gpu ? rank.hello->device_index : rank.hello->local_rank;
  return {index, gpu ? count_text(index) : "cpu " + count_text(index)};
}

Cell node_cell(const Facts&, const RankModel& rank) { return count_cell(rank.node); }
Cell local_cell(const Facts&, const RankModel& rank) {
  return rank.hello && rank.hello->local_rank >= 0 ? count_cell(rank.hello->local_rank)
                                                   : unknown_cell();
}

Cell uuid_cell(const Facts&, const RankModel& rank) {
  if (!rank.hello) return unknown_cell();
  return text_cell(short_uuid(rank.hello->device_uuid), Tone::kDim);
}

Cell step_cell(const Facts& facts, const RankModel& rank) {
  if (rank.newest_step < 0) return unknown_cell();
  const std::int64_t first = messages::first_step_number(facts.model.spec());
  return {rank.newest_step + first, step_text(rank.newest_step, first)};
}

Cell link_cell(const Facts& facts, const RankModel& rank) {
  return word_cell(link_to_next(facts.model, rank));
}

Cell rate_cell(const Facts& facts, const RankModel& rank) {
  const auto rate = facts.rates.find(rank.rank);
  return rate == facts.rates.end() ? unknown_cell() : count_cell(rate->second);
}
Cell all_rates(const Facts& facts) {
  if (facts.rates.empty()) return unknown_cell();
  std::int64_t sum = 0;
  for (const auto& [rank, rate] : facts.rates) sum += rate;
  return count_cell(sum);
}

Cell ms_cell(double ns) { return std::isnan(ns) ? unknown_cell() : Cell{ns / 1e6, ms_number(ns)}; }
template <double analysis::StepTimeFigures::*quantile>
Cell time_cell(const Facts& facts, const RankModel& rank) {
  return ms_cell(facts.times.at(rank.rank).*quantile);
}
/// The quantile of the slowest rank, which is that of the run, since all ranks step together.
template <double analysis::StepTimeFigures::*quantile>
Cell slowest_time(const Facts& facts) {
  double slowest = std::nan("");
  for (const auto& [rank, figures] : facts.times) slowest = std::fmax(slowest, figures.*quantile);
  return ms_cell(slowest);
}

Cell last_cell(const Facts& facts, const RankModel& rank) {
  const auto share = facts.shares.find(rank.rank);
  if (share == facts.shares.end()) return unknown_cell();
  Cell cell = count_cell(share->second);
  if (facts.is_late(rank)) cell.tone = Tone::kWarning;
  return cell;
}

Cell pid_cell(const Facts&, const RankModel& rank) {
  return rank.hello ? Cell{rank.hello->pid, std::to_string(rank.hello->pid)} : unknown_cell();
}
Cell host_cell(const Facts&, const RankModel& rank) {
  return word_cell(rank.hello ? rank.hello->host : "");
}
Cell exit_cell(const Facts&, const RankModel& rank) {
  const bool ended = rank.state && (rank.state->exit_code >= 0 || rank.state->signal > 0);
  return ended ? text_cell(ending_text(rank.state->exit_code, rank.state->signal)) : Cell{};
}

using Quantile = analysis::StepTimeFigures;

TableColumn rising_first(TableColumn column) {
  column.ascending_first = true;
  return column;
}
TableColumn as_code(TableColumn column) {
  column.code = true;
  return column;
}

/// Columns before the metrics that are times, and columns between these and the other metrics.
const RankColumn kFirst[] = {
    {rising_first(left_column("rank", "Rank", 30)), rank_cell_of},
    {rising_first(left_column("state", "State", 84)), rank_state_cell},
    {rising_first(right_column("device", "Device", "", 38, 7)), device_cell},
    {rising_first(as_code(left_column("uuid", "UUID", 92, 8))), uuid_cell},
    {right_column("step", "Step", "", 44), step_cell},
    {right_column("rate", "Samples/s", "", 58, 3), rate_cell, all_rates},
    {right_column("p50", "Step p50", "ms", 70, 4), time_cell<&Quantile::p50_ns>,
     slowest_time<&Quantile::p50_ns>},
    {right_column("p95", "p95", "ms", 44, 9), time_cell<&Quantile::p95_ns>,
     slowest_time<&Quantile::p95_ns>},
};
/// Columns of runs on several nodes.
const RankColumn kNodeColumns[] = {
    {rising_first(right_column("node", "Node", "", 36, 5)), node_cell},
    {rising_first(right_column("local", "Local", "", 38, 10)), local_cell},
};
const RankColumn kLast{right_column("last", "Last to arrive", "%", 96, 2), last_cell};
/// Whether the rank is on this machine. Another node may be on it, too: its ranks report the host.
bool runs_here(const model::RunModel& model, const RunContext& context, const RankModel& rank) {
  if (!context.here || rank.node == 0) return context.here;
  const RankModel* first = model.rank(0);
  return first != nullptr && first->hello && rank.hello && first->hello->host == rank.hello->host;
}

/// A column with the text of a button beside the row if its process can be inspected; the page
/// draws it.
const RankColumn kStackColumn{{.key = "stack", .width = 0, .sortable = false, .in_text = false},
                              [](const Facts& facts, const RankModel& rank) {
                                const bool lives =
                                    !rank.left && !rank.goodbye &&
                                    !(rank.state && messages::is_final(rank.state->state)) &&
                                    runs_here(facts.model, facts.context, rank);
                                return lives ? text_cell(label::kStack) : Cell{};
                              }};
const RankColumn kLink{as_code(left_column("link", "Link to next", 84, 11)), link_cell};
template <double analysis::RankMemory::*size>
Cell memory_cell_of(const Facts& facts, const RankModel& rank) {
  return number_cell(analysis::memory_of(facts.model, rank).*size, gib_number);
}
/// Columns if a rank reported its memory: tensors at the end of a step, and their peak so far.
const RankColumn kMemoryColumns[] = {
    {right_column("allocated", "Allocated", "GiB", 92, 11),
     memory_cell_of<&analysis::RankMemory::allocated>},
    {right_column("peak", "Peak", "GiB", 62, 11), memory_cell_of<&analysis::RankMemory::peak>},
};
/// Columns only for files and the terminal.
const RankColumn kProcess[] = {
    {right_column("pid", "PID", "", 0), pid_cell},
    {left_column("host", "Host", 0), host_cell},
    {left_column("exit", "Exit", 0), exit_cell},
};

/// Appends a column with the cell of every row.
void add_column(const Facts& facts, const RankColumn& column, Table& table) {
  table.columns.push_back(column.about);
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].cells.push_back(column.of(facts, *facts.model.rank(facts.model.ranks()[i])));
  for (TableRow& all : table.totals)
    all.cells.push_back(column.of_all == nullptr ? Cell{} : column.of_all(facts));
}

void add_metric(const Facts& facts, const MetricInfo& info, Table& table) {
  // All ranks are compared at the newest step that every rank has, which is also the step of the
  // total.
  const Step newest = facts.steps.newest;
  const Step measured = analysis::measured_step(facts.model, info, newest);
  table.columns.push_back(metric_column(info, measured == newest ? -1 : measured));
  std::vector<std::optional<double>> figures;
  for (TableRow& row : table.rows) {
    const RankModel& rank = *facts.model.rank(facts.model.ranks()[figures.size()]);
    analysis::FigureSteps steps{measured, facts.steps.recent};
    if (newest < 0) steps.newest = std::max<Step>(0, rank.newest_step);
    figures.push_back(analysis::metric_figure(rank, info, steps));
    row.cells.push_back(metric_cell(info, figures.back()));
    if (info.metric == model::Metric::kOwnWork && facts.is_late(rank))
      row.cells.back().tone = Tone::kWarning;
  }
  for (TableRow& all : table.totals) {
    if (info.over_ranks == model::OverRanks::kNone) {
      all.cells.emplace_back();
    } else {
      const auto figure = analysis::metric_of_all(facts.model, info, facts.steps, figures);
      all.cells.push_back(metric_cell(info, figure));
    }
  }
}

/// Adds the metrics that are times, or the others.
void add_metrics(const Facts& facts, bool times, Table& table) {
  for (const MetricInfo& info : model::kMetricInfos) {
    if (!info.label.empty() && (info.unit == "ms") == times) add_metric(facts, info, table);
  }
}

const DeviceModel* device_of(const model::RunModel& model, const RankModel& rank) {
  return runs_on_gpu(rank) ? model.device(rank.node, rank.hello->device_uuid) : nullptr;
}

void add_devices(const Facts& facts, Table& table) {
  std::vector<const DeviceModel*> by_row;
  for (const Rank rank : facts.model.ranks())
    by_row.push_back(device_of(facts.model, *facts.model.rank(rank)));
  std::vector<const DeviceModel*> devices = by_row;
  std::erase(devices, nullptr);
  constexpr Cell (*kOfProcess[])(const model::RunModel&, const RankModel&) = {process_load,
                                                                              process_memory};
  const auto quantities = device_quantities().first(kRankDeviceQuantities);
  for (std::size_t place = 0; place < quantities.size(); ++place) {
    const DeviceQuantity& quantity = quantities[place];
    if (quantity.gpu_only && !facts.gpus) continue;
    table.columns.push_back(column_of(quantity));
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const RankModel& rank = *facts.model.rank(facts.model.ranks()[i]);
      const bool process = !runs_on_gpu(rank) && place < std::size(kOfProcess);
      table.rows[i].cells.push_back(by_row[i] != nullptr ? quantity.of(*by_row[i])
                                    : process            ? kOfProcess[place](facts.model, rank)
                                                         : unknown_cell());
    }
    for (TableRow& all : table.totals) all.cells.push_back(quantity.of_all(devices));
  }
}

Table rank_table_of(const Facts& facts) {
  Table table{"ranks", "Ranks"};
  for (const Rank rank : facts.model.ranks()) {
    table.rows.push_back({rank_label(rank)});
    table.rows.back().cells.reserve(kMostColumns);
    if (facts.is_late(*facts.model.rank(rank))) table.rows.back().tint = Tone::kWarning;
  }
  if (table.rows.size() > 1) table.totals.push_back({"All"});
  const auto elsewhere = [&](Rank rank) { return facts.model.rank(rank)->node != 0; };
  const bool nodes = std::any_of(facts.model.ranks().begin(), facts.model.ranks().end(), elsewhere);
  for (const RankColumn& column : kFirst) {
    if (facts.gpus || column.of != uuid_cell) add_column(facts, column, table);
    if (!nodes || column.of != rank_state_cell) continue;
    for (const RankColumn& one : kNodeColumns) add_column(facts, one, table);
  }
  add_metrics(facts, true, table);
  if (table.rows.size() > 1) add_column(facts, kLast, table);
  add_metrics(facts, false, table);
  add_devices(facts, table);
  if (facts.model.scalars().find(messages::kMemoryAllocated) != nullptr)
    for (const RankColumn& column : kMemoryColumns) add_column(facts, column, table);
  const auto linked = [&](Rank rank) {
    return !link_to_next(facts.model, *facts.model.rank(rank)).empty();
  };
  if (std::any_of(facts.model.ranks().begin(), facts.model.ranks().end(), linked))
    add_column(facts, kLink, table);
  if (facts.context.contact == Contact::kLive && facts.context.here)
    add_column(facts, kStackColumn, table);
  for (const RankColumn& column : kProcess) add_column(facts, column, table);
  for (TableRow& all : table.totals) all.cells.front() = text_cell("All");
  for (TableColumn& column : table.columns) {
    if (column.key == "rate" || column.key == "last" || column.unit == "ms")
      column.hint = recent_steps_note();
    if (column.key == model::info_of(model::Metric::kLoss).key)
      column.hint =
          "Of one step, the newest that every rank has reported; not the mean of an epoch.";
  }
  if (!facts.model.spec().program.argv.empty()) {
    table.empty = {{"No rank has sent telemetry. ", Style::kStrong},
                   {label::kOutputIsInLog, Style::kDim}};
    if (const std::string why = unseen_program(facts.model); !why.empty())
      table.empty.push_back({" " + why, Style::kDim});
    return table;
  }
  table.empty = {
      {"No rank has reported yet. ", Style::kStrong},
      {"Start-up: 0 of " + plural(facts.model.world_size(), "rank", "ranks") + " joined.",
       Style::kDim}};
  return table;
}

std::string subtitle_of(const model::RunModel& model) {
  const Step newest = analysis::newest_step(model);
  if (newest < 0) return "";
  std::int64_t there = 0;
  for (const Rank rank : model.ranks()) there += model.rank(rank)->newest_step == newest ? 1 : 0;
  const Step common = model.newest_common_step();
  const std::int64_t first = messages::first_step_number(model.spec());
  return count_text(there) + " of " + count_text(model.world_size()) + " in step " +
         step_text(newest, first) +
         (common >= 0 && common < newest ? ", loss of step " + step_text(common, first) : "");
}

}  // namespace

RankTableView build_rank_table(const model::RunModel& model, const RunContext& context,
                               const TableSort& sort) {
  const Facts facts = facts_of(model, context);
  RankTableView view{subtitle_of(model), rank_table_of(facts), model.ranks().size() >= kDenseFrom};
  if (view.dense && sort.key.empty()) put_worst_first(view.table, analysis::failures(model).first);
  if (view.dense) add_percentiles(view.table);
  sort_rows(view.table, sort);
  return view;
}

std::vector<Rank> ranks_with_stack(const model::RunModel& model, const RunContext& context) {
  std::vector<Rank> ranks;
  for (const Rank rank : model.ranks()) {
    if (runs_here(model, context, *model.rank(rank))) ranks.push_back(rank);
  }
  return ranks;
}

std::string recent_steps_note() {
  return "Rates and times are of the last " + count_text(analysis::kRecentSteps) + " steps.";
}

std::vector<TableColumn> rank_columns() {
  std::vector<TableColumn> columns;
  for (const RankColumn& column : kFirst) columns.push_back(column.about);
  columns.push_back(kLast.about);
  for (const MetricInfo& info : model::kMetricInfos) {
    if (!info.label.empty()) columns.push_back(metric_column(info));
  }
  for (const DeviceQuantity& quantity : device_quantities().first(kRankDeviceQuantities))
    columns.push_back(column_of(quantity));
  for (const RankColumn& column : kMemoryColumns) columns.push_back(column.about);
  columns.push_back(kLink.about);
  for (const RankColumn& column : kNodeColumns) columns.push_back(column.about);
  return columns;
}

Table rank_lines(const model::RunModel& model, const RunContext& context) {
  static constexpr std::string_view kKeys[] = {"rank", "state", "node", "local", "device",
                                               "step", "rate",  "p50",  "p95",   "own",
                                               "last", "loss",  "pid",  "exit"};
  Table table = with_columns(build_rank_table(model, context).table, kKeys);
  table.totals.clear();
  return table;
}

}  // namespace ringside::view
