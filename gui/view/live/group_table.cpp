#include "gui/view/live/group_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "gui/analysis/groups/reported_groups.h"
#include "gui/analysis/progress.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/live/node_map.h"
#include "gui/view/table_cells.h"
#include "gui/view/words.h"

namespace ringside::view {
namespace {

using analysis::GroupMember;
using analysis::GroupOperation;

/// "rank 1 in 83 %"; unknown if no call had a clear last rank.
Cell last_cell(const GroupOperation& row) {
  const auto less = [](const GroupMember& a, const GroupMember& b) {
    return a.times_last < b.times_last;
  };
  const auto last = std::max_element(row.members.begin(), row.members.end(), less);
  if (last == row.members.end() || last->times_last == 0) return unknown_cell();
  const double share = static_cast<double>(last->times_last) / static_cast<double>(row.judged);
  return {std::int64_t{last->rank}, rank_name(last->rank) + " in " + percent_text(share)};
}

Cell ms_cell(bool known, double ns) {
  return known ? Cell{ns / 1e6, ms_number(ns)} : unknown_cell();
}

TableColumn words(const char* key, const char* label, float width, const char* hint) {
  return {.key = key, .label = label, .width = width, .narrow_width = width * 0.6F, .hint = hint};
}

TableColumn amount(const char* key, const char* label, const char* unit, const char* hint) {
  TableColumn column = number_column(key, label, unit);
  column.width = 84;
  column.hint = hint;
  return column;
}

std::vector<TableColumn> columns() {
  std::vector<TableColumn> all{
      words("group", "Group", 120, "The dimension of the device mesh, else the name of the group"),
      words("ranks", "Ranks", 110, "Members of the group"),
      words("operation", "Operation", 104, "What they do together"),
      amount("calls_per_step", "Calls/step", "", "How often a step does it"),
      amount("size_bytes", "MB/call", "", "Of one rank, mean"),
      amount("wait", "Others wait", "ms", "Mean of all who wait for the last rank of a call"),
      amount("transfer", "Transfer", "ms", "From the arrival of the last rank to the end, mean"),
      amount("link", "Link", "GB/s",
             "Over each link of a ring while it transfers (bus bandwidth of nccl-tests)"),
      words("last", "Comes last", 110,
            "The rank that comes last most often. It need not be to "
            "blame: it may have waited in another group"),
      words("backend", "Backend", 64, "What carries the bytes")};
  all[1].narrow_width = all[2].narrow_width = 96;  // room for "8 groups of 8", "reduce-scatter"
  all[9].drop_order = 6;
  all[4].drop_order = 5;
  all[7].drop_order = 4;
  all[3].drop_order = 3;
  all[6].drop_order = 2;
  return all;
}

std::string ranks_of(const model::ProcessGroup& group) {
  std::vector<Rank> ranks = group.ranks;
  std::sort(ranks.begin(), ranks.end());
  return ranks_text(ranks);
}

}  // namespace

std::string group_name(const model::RunModel& model, const model::ProcessGroup& group) {
  if (!group.dimension.empty()) return group.dimension;
  if (static_cast<Rank>(group.ranks.size()) == model.world_size()) return "all ranks";
  const bool named = !group.purpose.empty() && group.purpose != "undefined";
  return named ? group.purpose : "group " + group.name;
}

std::string parallel_sizes_text(const model::RunModel& model) {
  const auto all = model.ranks();
  const auto ranks = static_cast<Rank>(
      std::count_if(all.begin(), all.end(), [&](Rank rank) { return !model.rank(rank)->left; }));
  const Rank own = analysis::data_parallel_size(model);
  if (own == 0 || own == ranks || ranks % own != 0) return {};
  return fmt::format("data-parallel {} × model-parallel {}", own, ranks / own);
}

std::string mismatch_text(const model::RunModel& model, const analysis::Mismatch& mismatch) {
  const auto& group = model.groups().groups()[mismatch.group];
  const auto call = [&](const analysis::Mismatch::Entered& entered) {
    return fmt::format("{} {}", messages::name_of(entered.operation), mismatch.number);
  };
  const auto& most = mismatch.entered.back();
  const bool others = mismatch.majority && mismatch.all_came;
  std::string text;
  for (std::size_t i = 0; i + 1 < mismatch.entered.size(); ++i) {
    const auto& entered = mismatch.entered[i];
    text += i == 0 ? "" : ", ";
    text += fmt::format("{} entered {}{}", ranks_in_words(entered.ranks), call(entered),
                        i == 0 ? " of " + group_name(model, group) : "");
  }
  text.front() = 'R';
  text += fmt::format("{}{} entered {}", mismatch.majority ? " where " : " and ",
                      others ? "the others" : ranks_in_words(most.ranks), call(most));
  return text + (mismatch.majority ? "." : "; which of them is right is not known.");
}

std::string missed_text(const model::RunModel& model, const analysis::Hang& hang) {
  const auto& group = model.groups().groups()[hang.group];
  return fmt::format("{} {} of {} ({})", messages::name_of(hang.operation), hang.number,
                     group_name(model, group), ranks_of(group));
}

std::string group_blame_text(const model::RunModel& model) {
  const auto& blame = analysis::known_groups(model).blame;
  if (!blame) return {};
  const auto& group = analysis::reported_groups(model).groups()[blame->group];
  const bool loads = blame->data_wait_ns > blame->excess_ns / 2;
  return fmt::format(
      "{} holds the others up by {} a step, {}: its own time before {} {} of {} ({}) in a step is "
      "longer than theirs (median of {} steps; the longest in {} of them).",
      rank_name(blame->rank), ms_text(blame->excess_ns),
      loads ? "most of it in its data loader" : "by what it does itself",
      messages::name_of(blame->operation), count_text(blame->place + 1), group_name(model, group),
      ranks_of(group), count_text(blame->steps), count_text(blame->most));
}

Table group_table(const model::RunModel& model) {
  Table table{"groups", "Process groups"};
  table.columns = columns();
  const analysis::Groups& found = analysis::known_groups(model);
  for (const GroupOperation& row : found.rows) {
    const auto& group = analysis::reported_groups(model).groups()[row.group];
    add_row(table, {text_cell(group_name(model, group)), text_cell(ranks_of(group)),
                    text_cell(std::string(messages::name_of(row.operation))),
                    number_cell(row.calls_per_step, [](double v) { return decimal_text(v, 1); }),
                    number_cell(row.size_bytes.value_or(kUnknownNumber),
                                [](double v) { return decimal_text(v / 1e6, 3); }),
                    ms_cell(row.judged > 0, row.wait_ns),
                    ms_cell(row.transfer_ns.has_value(), row.transfer_ns.value_or(0)),
                    number_cell(row.link_per_s.value_or(kUnknownNumber) / 1e9,
                                [](double v) { return decimal_text(v, 2); }),
                    last_cell(row), text_cell(group.backend)});
    table.rows.back().key = fmt::format("{}-{}", row.group, static_cast<int>(row.operation));
  }
  if (const std::string blame = group_blame_text(model); !blame.empty())
    table.notes.push_back(blame);
  if (const auto different = analysis::mismatch(model))
    table.notes.push_back(mismatch_text(model, *different));
  return table;
}

}  // namespace ringside::view
