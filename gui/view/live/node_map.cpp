#include "gui/view/live/node_map.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "gui/analysis/alerts/alerts.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/number_format.h"
#include "gui/view/state_view.h"
#include "gui/view/table_cells.h"
#include "protocol/base/text.h"
#include "protocol/messages/silence.h"
#include "protocol/messages/spec/node_ranks.h"

namespace ringside::view {
namespace {

/// Summary of the rows of a node's ranks.
struct NodeGroup {
  std::map<Rank, std::string> devices;  ///< device of each of its ranks
  std::string host;
  Cell worst;              ///< worst of their states
  std::size_t as_bad = 0;  ///< number of ranks in that state
  Step lowest = -1;
  double p50_ms = std::nan("");
  double last_pct = 0;
};

void add_row_of_rank(const Table& table, const TableRow& row, const model::RankModel& rank,
                     NodeGroup& group) {
  if (rank.hello) group.host = rank.hello->host;
  group.devices[rank.rank] = cell_of(table, row, "device").text;
  const Cell& state = cell_of(table, row, "state");
  const bool worse = group.as_bad == 0 || badness(state.tone) > badness(group.worst.tone);
  if (worse) group.worst = state;
  group.as_bad = worse ? 1 : group.as_bad + (state.text == group.worst.text ? 1 : 0);
  if (group.lowest < 0 || rank.newest_step < group.lowest) group.lowest = rank.newest_step;
  group.p50_ms = std::fmax(group.p50_ms, number_of(cell_of(table, row, "p50").value));
  const double last = number_of(cell_of(table, row, "last").value);
  if (std::isfinite(last)) group.last_pct += last;
}

std::map<Node, NodeGroup> groups_of(const model::RunModel& model, const Table& ranks) {
  std::map<Node, NodeGroup> groups;
  for (const TableRow& row : ranks.rows) {
    const model::RankModel* rank = model.rank(row.cells.front().rank);
    if (rank != nullptr) add_row_of_rank(ranks, row, *rank, groups[rank->node]);
  }
  if (const std::int64_t nodes = model.spec().devices.nodes; nodes > 1) {
    for (Node node = 0; node < static_cast<Node>(nodes); ++node) groups[node];
  }
  return groups;
}

/// The ranks of the node, or those planned for it before any has reported.
Cell ranks_cell(const messages::RunSpec& spec, Node node, const NodeGroup& group) {
  std::vector<Rank> ranks;
  for (const auto& [rank, device] : group.devices) ranks.push_back(rank);
  if (!ranks.empty()) return text_cell(ranks_text(ranks));
  const messages::NodeRanks planned = messages::ranks_of_node(spec, node);
  ranks.resize(static_cast<std::size_t>(planned.count));
  std::iota(ranks.begin(), ranks.end(), planned.first);
  return text_cell(ranks_text(ranks), Tone::kDim);
}

/// "training", or "failed (1 of 4)".
Cell state_cell(const NodeGroup& group, bool log_missing) {
  if (group.devices.empty() && log_missing) return text_cell(label::kNoLog, Tone::kWarning);
  if (group.devices.empty()) return unknown_cell();
  Cell cell = group.worst;
  if (group.as_bad < group.devices.size())
    cell.text += " (" + count_text(static_cast<std::int64_t>(group.as_bad)) + " of " +
                 count_text(static_cast<std::int64_t>(group.devices.size())) + ")";
  cell.value = cell.text;
  return cell;
}

/// Each device once, in the order of ranks: "0, 1, 2, 3", "cpu 0, cpu 1"; a long list is cut, with
/// the number of the rest.
std::string devices_text(const NodeGroup& group) {
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t told = 0;
  for (const auto& [rank, device] : group.devices) {
    if (told++ == kMost) break;
    add_listed(text, device);
  }
  const std::size_t rest = group.devices.size() - std::min(kMost, group.devices.size());
  return rest == 0 ? text : text + " and " + std::to_string(rest) + " more";
}

Cell bytes_cell(std::int64_t bytes) {
  return bytes < 0 ? unknown_cell() : Cell{bytes, gib_number(static_cast<double>(bytes))};
}

Cell cpu_cell(const model::HostModel* host) {
  if (host == nullptr || !(host->latest.cpu_pct >= 0)) return unknown_cell();
  const double share = static_cast<double>(host->latest.cpu_pct) / 100;
  Cell cell{share, count_text(std::llround(share * 100))};
  cell.bar = std::min(1.0, share);
  return cell;
}

Cell memory_cell(const model::HostModel* host) {
  if (host == nullptr) return unknown_cell();
  Cell cell = bytes_cell(host->latest.memory_used_bytes);
  if (host->latest.memory_total_bytes > 0)
    cell.suffix = "/" + gib_number(static_cast<double>(host->latest.memory_total_bytes));
  return cell;
}

Cell clock_cell(const model::RunModel& model, Node node) {
  if (node == 0) return text_cell("reference", Tone::kDim);
  if (!model.clock_known(node)) return unknown_cell();
  const std::int64_t offset_ns = model.clock_offset(node).offset_ns;
  const auto ms = [](std::int64_t ns) { return decimal_text(static_cast<double>(ns) / 1e6, 3); };
  return {offset_ns, ms(offset_ns), Tone::kText,
          -1,        Shape::kNone,  " ± " + ms(model.clock_uncertainty_ns(node, model.last_ns()))};
}

TableColumn head(const char* key, const char* label, const char* unit, float width, int drop_order,
                 Align align = Align::kRight) {
  TableColumn column;
  column.key = key;
  column.label = label;
  column.unit = unit;
  column.width = width;
  column.drop_order = drop_order;
  column.align = align;
  column.ascending_first = align == Align::kLeft;
  return column;
}

std::vector<TableColumn> columns() {
  return {head("node", "Node", "", 44, 0, Align::kLeft),
          head("state", "State", "", 120, 0, Align::kLeft),
          head("ranks", "Ranks", "", 70, 0, Align::kLeft),
          head("devices", "Devices", "", 110, 4, Align::kLeft),
          head("host", "Host", "", 90, 3, Align::kLeft),
          head("step", "Step", "", 50, 6),
          head("p50", "Step p50", "ms", 70, 5),
          head("last", "Last to arrive", "%", 96, 2),
          head("cpu", "CPU", "%", 84, 1),
          head("memory", "Memory", "GiB", 90, 7),
          head("disk", "Disk free", "GiB", 70, 9),
          head("clock", "Clock", "ms", 100, 8)};
}

}  // namespace

std::string nodes_text(const messages::RunSpec& spec) {
  const std::int64_t nodes = spec.devices.nodes;
  const std::int64_t ranks = messages::process_count(spec);
  const std::int64_t each = messages::ranks_per_node(spec);
  std::string text = each * nodes == ranks
                         ? count_text(nodes) + " × " + count_text(each)
                         : count_text(ranks) + " on " + plural(nodes, "node", "nodes");
  if (messages::has_virtual_nodes(spec)) text += ", on one host";
  return text;
}

std::string rank_place(const model::RunModel& model, Rank rank) {
  if (on_node(model, rank).empty()) return {};
  const model::RankModel& known = *model.rank(rank);
  std::string text = rank_name(rank) + " (node " + count_text(known.node);
  if (known.hello && known.hello->local_rank >= 0)
    text += ", local " + count_text(known.hello->local_rank);
  return text + ")";
}

std::string on_node(const model::RunModel& model, Rank rank) {
  const model::RankModel* known = model.rank(rank);
  if (known == nullptr) return {};
  // Ranks are assigned to the nodes in order.
  const auto ranks = model.ranks();
  const bool several = model.rank(ranks.front())->node != model.rank(ranks.back())->node;
  return several ? " on node " + count_text(known->node) : std::string();
}

std::string ranks_in_words(const std::vector<Rank>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  return text;
}

std::string ranks_text(const std::vector<Rank>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    add_listed(text, rank_label(ranks[i]));
    if (last > i) text += "-" + rank_label(ranks[last]);
    i = last + 1;
  }
  return text;
}

Table build_node_table(const model::RunModel& model, const Table& ranks,
                       const std::vector<Node>& missing_logs) {
  Table table{"nodes", "Nodes"};
  table.columns = columns();
  const auto groups = groups_of(model, ranks);
  for (const auto& [node, group] : groups) {
    const auto found = model.hosts().find(node);
    const model::HostModel* host = found == model.hosts().end() ? nullptr : &found->second;
    const bool compared =
        !group.devices.empty() && column_index(ranks, "last") < ranks.columns.size();
    const bool log_missing =
        std::find(missing_logs.begin(), missing_logs.end(), node) != missing_logs.end();
    table.rows.push_back(
        {"n" + std::to_string(node),
         {count_cell(node), state_cell(group, log_missing), ranks_cell(model.spec(), node, group),
          word_cell(devices_text(group)), word_cell(group.host),
          group.lowest < 0 ? unknown_cell() : Cell{group.lowest + 1, step_text(group.lowest)},
          number_cell(group.p50_ms, [](double ms) { return ms_number(ms * 1e6); }),
          compared ? count_cell(std::llround(group.last_pct)) : unknown_cell(), cpu_cell(host),
          memory_cell(host), bytes_cell(host == nullptr ? -1 : host->latest.disk_free_bytes),
          clock_cell(model, node)}});
    const Tone tone = table.rows.back().cells[1].tone;
    table.rows.back().tint = badness(tone) > 0 ? tone : Tone::kText;
  }
  for (const auto& [node, group] : groups) {
    const double late_s = analysis::log_late_seconds(model, node);
    if (late_s * 1e9 < static_cast<double>(messages::kLeastSilenceNs)) continue;
    table.notes.push_back("The newest record of node " + std::to_string(node) + " is " +
                          rough_duration_text(late_s) + " older than that of the run.");
  }
  if (messages::has_virtual_nodes(model.spec()))
    table.notes.push_back(nodes_text(model.spec()) +
                          ": times between nodes say nothing of a network.");
  table.empty = ranks.empty;
  return table;
}

}  // namespace ringside::view
