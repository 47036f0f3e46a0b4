#include "gui/view/timeline/operations_table.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"
#include "gui/view/words.h"

namespace ringside::view {
namespace {

using model::EventName;
using model::Timeline;

/// The kind of events that is compared: the most informative kind in the timeline.
enum class Counted : std::uint8_t { kOperations, kParts, kAll };

bool is_kernel(const EventName& name) {
  return name.category == "kernel" || name.category == "gpu_memcpy" ||
         name.category == "gpu_memset";
}

bool counts(const EventName& name, Counted counted) {
  if (counted == Counted::kOperations) return name.category == "cpu_op" || is_kernel(name);
  return counted == Counted::kAll || (name.category == "step" && !model::is_step(name));
}

Counted counted_of(const Timeline& timeline) {
  for (const Counted kind : {Counted::kOperations, Counted::kParts}) {
    if (std::ranges::any_of(timeline.names,
                            [kind](const EventName& name) { return counts(name, kind); }))
      return kind;
  }
  return Counted::kAll;
}

struct OperatorSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t name = 0;
};

using Spent = std::map<std::uint32_t, std::int64_t>;  ///< ns per name

/// Adds each span's time without the spans that began inside it; one that crosses its end takes
/// only the time up to there, so that no time is negative.
void add_own_times(std::vector<OperatorSpan> spans, Spent& spent) {
  std::ranges::sort(spans, {},
                    [](const OperatorSpan& one) { return std::pair(one.begin_ns, -one.end_ns); });
  std::vector<const OperatorSpan*> open;
  for (const OperatorSpan& span : spans) {
    while (!open.empty() && open.back()->end_ns <= span.begin_ns) open.pop_back();
    const std::int64_t took_ns = span.end_ns - span.begin_ns;
    spent[span.name] += took_ns;
    if (!open.empty())
      spent[open.back()->name] -= std::min(span.end_ns, open.back()->end_ns) - span.begin_ns;
    open.push_back(&span);
  }
}

Spent spent_on(const Timeline& timeline, const model::Track& track, Counted counted) {
  Spent spent;
  std::vector<OperatorSpan> spans;
  for (const model::Lane& lane : track.lanes) {
    for (std::size_t i = 0; i < lane.size(); ++i) {
      const EventName& name = timeline.names[lane.name[i]];
      if (!counts(name, counted)) continue;
      if (is_kernel(name)) {
        spent[lane.name[i]] += lane.duration_ns(i);
      } else {
        spans.push_back({lane.begin_ns[i], lane.end_ns(i), lane.name[i]});
      }
    }
  }
  add_own_times(std::move(spans), spent);
  return spent;
}

struct Row {
  double differs = 0;
  std::string name;
  std::vector<double> ms;  ///< per rank

  std::size_t slowest() const {
    return static_cast<std::size_t>(std::ranges::max_element(ms) - ms.begin());
  }
  /// Returns how much longer the operation takes on the slowest rank than on the others on average.
  double excess() const {
    double others = 0;
    for (const double one : ms) others += one;
    const double most = ms[slowest()];
    return most - (others - most) / static_cast<double>(ms.size() - 1);
  }
};

/// Returns all operations, the largest difference between ranks first; with at most one rank, the
/// longest first.
std::vector<Row> rows_of(const Timeline& timeline, const std::vector<Rank>& ranks) {
  const Counted counted = counted_of(timeline);
  std::map<std::string, std::vector<double>> times;
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, timeline.steps));
  for (const model::Track& track : timeline.tracks) {
    const auto rank = std::ranges::find(ranks, track.rank);
    if (rank == ranks.end()) continue;
    for (const auto& [name, ns] : spent_on(timeline, track, counted)) {
      auto& by_rank = times[timeline.names[name].text];
      by_rank.resize(ranks.size());
      by_rank[static_cast<std::size_t>(rank - ranks.begin())] +=
          static_cast<double>(ns) / 1e6 / steps;
    }
  }
  std::vector<Row> rows;
  for (auto& [name, ms] : times) {
    const auto [least, most] = std::ranges::minmax(ms);
    rows.push_back({ms.size() > 1 ? most - least : most, name, std::move(ms)});
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &Row::differs);
  return rows;
}

Cell time_cell(double ms) {
  return number_cell(ms, [](double v) { return decimal_text(v, 3); });
}

}  // namespace

Table operations_table(const Timeline& timeline, std::size_t most) {
  std::vector<Rank> ranks = timeline.ranks();
  if (ranks.empty()) ranks.push_back(kNoRank);
  Table table{"operations", "Operations by how much ranks differ, ms"};
  if (ranks.size() == 1) table.title = "Operations, ms";
  if (timeline.steps > 0) table.title += " in a step";
  table.empty = {{"Nothing in it has a duration."}};
  for (const Row& row : rows_of(timeline, ranks)) {
    if (table.rows.size() == most) break;
    TableColumn named{"operation", "operation"};
    named.width = 320;
    named.narrow_width = 160;
    named.hint = "Time of a kernel is its own, of an operator without those that it called";
    std::vector<Entry> cells{{std::move(named), word_cell(row.name)}};
    if (ranks.size() > 1) {
      const Rank slow = ranks[row.slowest()];
      cells.push_back({TableColumn{"slowest", "slowest"}, {std::int64_t{slow}, rank_label(slow)}});
      cells.back().cell.rank = slow;
      cells.back().column.hint = "The rank that it takes longest";
      cells.push_back({number_column("excess_ms", "beyond others"), time_cell(row.excess())});
      cells.back().column.width = 90;
      cells.back().column.hint = "How much longer than the others in the mean";
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const bool all = ranks[i] == kNoRank;
      cells.push_back({number_column(all ? "all_ms" : "rank_" + std::to_string(ranks[i]) + "_ms",
                                     all ? "all" : rank_name(ranks[i])),
                       time_cell(row.ms[i])});
      cells.back().column.hint = "Its time on that rank";
      cells.back().column.drop_order = static_cast<int>(i) + 1;
    }
    add_entries(table, std::move(cells));
  }
  return table;
}

}  // namespace ringside::view
