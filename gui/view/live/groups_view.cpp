#include "gui/view/live/groups_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "gui/analysis/groups/groups.h"
#include "gui/analysis/groups/reported_groups.h"
#include "gui/model/groups/group_store.h"
#include "gui/model/run_model.h"
#include "gui/view/live/group_table.h"
#include "gui/view/live/node_map.h"
#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

using analysis::GroupMember;
using analysis::GroupOperation;
using analysis::Groups;

/// A dimension of a mesh whose ranks are numbered in row-major order: neighbours are `stride`
/// apart, and each of its groups has `size` ranks.
struct Dimension {
  std::string name;
  Rank stride = 1;
  Rank size = 1;
};

std::vector<Rank> sorted_ranks(const model::ProcessGroup& group) {
  std::vector<Rank> ranks = group.ranks;
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// The dimension of groups with one name; nothing if they do not divide all ranks evenly.
std::optional<Dimension> dimension_of(const std::string& name,
                                      const std::set<std::vector<Rank>>& groups, Rank world) {
  const std::vector<Rank>& first = *groups.begin();
  if (first.size() < 2) return std::nullopt;
  const Dimension dimension{name, first[1] - first[0], static_cast<Rank>(first.size())};
  for (const std::vector<Rank>& ranks : groups) {
    const bool begins = ranks[0] / dimension.stride % dimension.size == 0;
    if (!begins || ranks.size() != first.size() || ranks.back() >= world) return std::nullopt;
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      if (ranks[i] - ranks[i - 1] != dimension.stride) return std::nullopt;
    }
  }
  const bool all = groups.size() * first.size() == static_cast<std::size_t>(world);
  return all ? std::optional(dimension) : std::nullopt;
}

/// Appends dimensions whose sizes multiply to the world size, starting with that of neighbouring
/// ranks; false if there are none. A group over several mesh dimensions counts as one dimension.
bool complete(const std::vector<Dimension>& all, Rank so_far, Rank world,
              std::vector<Dimension>& taken) {
  if (so_far == world) return true;
  for (const Dimension& next : all) {
    if (next.stride != so_far) continue;
    taken.push_back(next);
    if (complete(all, so_far * next.size, world, taken)) return true;
    taken.pop_back();
  }
  return false;
}

/// The dimensions of the mesh, starting with that of neighbouring ranks; empty if the groups are
/// not a mesh.
std::vector<Dimension> mesh_of(const model::RunModel& model) {
  std::map<std::string, std::set<std::vector<Rank>>> named;
  for (const auto& group : analysis::reported_groups(model).groups()) {
    if (!group.ranks.empty()) named[group_name(model, group)].insert(sorted_ranks(group));
  }
  std::vector<Dimension> all;
  for (const auto& [name, groups] : named) {
    if (const auto found = dimension_of(name, groups, model.world_size())) all.push_back(*found);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Dimension& a, const Dimension& b) { return a.size < b.size; });
  std::vector<Dimension> taken;
  complete(all, 1, model.world_size(), taken);
  return taken;
}

/// The index of a row of the grid in the mesh dimensions after the first: "1", with two such
/// dimensions "0,1".
std::string place_text(std::span<const Dimension> dimensions, Rank rank) {
  std::string text;
  for (auto one = dimensions.rbegin(); one != dimensions.rend(); ++one)
    text += fmt::format("{}{}", text.empty() ? "" : ",", rank / one->stride % one->size);
  return text;
}

/// Sets the heads of the grid and the position of each rank in it.
void lay_out(const std::vector<Dimension>& dimensions, MeshView& mesh) {
  constexpr Rank kWide = 16;  // most columns in a narrow panel
  if (dimensions.empty()) return;
  mesh.across = dimensions.front().name;
  if (dimensions.size() == 1) return;
  const std::span<const Dimension> others = std::span(dimensions).subspan(1);
  for (auto one = others.rbegin(); one != others.rend(); ++one)
    mesh.down += (mesh.down.empty() ? "" : " × ") + one->name;
  const Rank size = dimensions.front().size;
  const auto lines = static_cast<Rank>(mesh.cells.size()) / size;
  for (Rank i = 0; i < size; ++i) mesh.columns.push_back(std::to_string(i));
  for (Rank i = 0; i < lines; ++i) mesh.rows.push_back(place_text(others, i * size));
  const bool turned = size > kWide && lines < size;
  if (turned) {
    std::swap(mesh.across, mesh.down);
    std::swap(mesh.columns, mesh.rows);
  }
  for (MeshCell& cell : mesh.cells) {
    cell.row = static_cast<std::size_t>(turned ? cell.rank % size : cell.rank / size);
    cell.column = static_cast<std::size_t>(turned ? cell.rank / size : cell.rank % size);
  }
}

MeshCell* cell_of_rank(MeshView& mesh, Rank rank) {
  const bool known = rank >= 0 && static_cast<std::size_t>(rank) < mesh.cells.size();
  return known ? &mesh.cells[static_cast<std::size_t>(rank)] : nullptr;
}

void mark(MeshView& mesh, Rank rank, Tone tone, Shape shape, std::string word) {
  MeshCell* cell = cell_of_rank(mesh, rank);
  if (cell == nullptr) return;
  cell->tone = tone;
  cell->shape = shape;
  cell->word = std::move(word);
}

/// Marks the members of the chosen group, and how often each of them comes last.
void mark_chosen(const model::RunModel& model, const Groups& found, const Table& whole,
                 const std::string& chosen, MeshView& mesh) {
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    if (whole.rows[i].key != chosen) continue;
    const GroupOperation& row = found.rows[i];
    for (const Rank rank : analysis::reported_groups(model).groups()[row.group].ranks) {
      if (MeshCell* cell = cell_of_rank(mesh, rank)) cell->chosen = mesh.any_chosen = true;
    }
    const GroupMember* last = nullptr;
    for (const GroupMember& member : row.members) {
      if (member.times_last > (last == nullptr ? 0 : last->times_last)) last = &member;
    }
    if (last == nullptr) return;
    const double share = static_cast<double>(last->times_last) / static_cast<double>(row.judged);
    mark(mesh, last->rank, Tone::kHigh, Shape::kTriangleRight, "last " + percent_text(share));
  }
}

void add_cell_hints(const model::RunModel& model, MeshView& mesh) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::vector<std::string>> in(mesh.cells.size());
  for (const auto& group : analysis::reported_groups(model).groups()) {
    const std::string text =
        fmt::format("{} ({})", group_name(model, group), ranks_text(sorted_ranks(group)));
    for (const Rank rank : group.ranks) {
      const bool known = cell_of_rank(mesh, rank) != nullptr;
      if (known) in[static_cast<std::size_t>(rank)].push_back(text);
    }
  }
  for (MeshCell& cell : mesh.cells) {
    const auto& names = in[static_cast<std::size_t>(cell.rank)];
    cell.hint = rank_name(cell.rank) + on_node(model, cell.rank);
    if (!cell.word.empty()) cell.hint += ", " + cell.word;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
      cell.hint += (i == 0 ? ": in " : ", ") + names[i];
    if (names.size() > kMostNamed)
      cell.hint += fmt::format(" and {} more", names.size() - kMostNamed);
  }
}

MeshView build_mesh(const model::RunModel& model, const Groups& found, const Table& whole,
                    const std::string& chosen) {
  MeshView mesh;
  for (Rank rank = 0; rank < model.world_size(); ++rank) mesh.cells.push_back({rank});
  lay_out(mesh_of(model), mesh);
  mark_chosen(model, found, whole, chosen, mesh);
  if (found.blame)
    mark(mesh, found.blame->rank, Tone::kWarning, Shape::kWarningTriangle, "holds up");
  const auto different = analysis::mismatch(model);
  if (different && different->majority) {
    for (std::size_t i = 0; i + 1 < different->entered.size(); ++i) {
      for (const Rank rank : different->entered[i].ranks)
        mark(mesh, rank, Tone::kError, Shape::kCross, "differs");
    }
  }
  add_cell_hints(model, mesh);
  return mesh;
}

/// "0.4 – 19.9": the smallest and the largest value of a column; the cell's value is the largest.
Cell range_cell(const Table& whole, std::span<const std::size_t> rows, std::size_t column) {
  const Cell* least = nullptr;
  const Cell* most = nullptr;
  for (const std::size_t row : rows) {
    const Cell& cell = whole.rows[row].cells[column];
    if (std::holds_alternative<std::monostate>(cell.value)) continue;
    if (least == nullptr || value_before(cell.value, least->value)) least = &cell;
    if (most == nullptr || value_before(most->value, cell.value)) most = &cell;
  }
  if (most == nullptr) return unknown_cell();
  Cell cell = *most;
  if (least->text != most->text) cell.text = least->text + " – " + most->text;
  return cell;
}

/// The row with the longest wait of its ranks.
std::size_t longest_wait(const Groups& found, std::span<const std::size_t> rows) {
  return *std::max_element(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return found.rows[a].wait_ns < found.rows[b].wait_ns;
  });
}

/// The row with the slowest links; nothing if none is known.
std::optional<std::size_t> slowest_link(const Groups& found, std::span<const std::size_t> rows) {
  std::optional<std::size_t> slowest;
  for (const std::size_t row : rows) {
    const auto& link = found.rows[row].link_per_s;
    if (link && (!slowest || *link < *found.rows[*slowest].link_per_s)) slowest = row;
  }
  return slowest;
}

/// "8 groups of 4"
std::string sizes_text(const model::RunModel& model, const Groups& found,
                       std::span<const std::size_t> rows) {
  std::set<std::size_t> sizes;
  for (const std::size_t row : rows)
    sizes.insert(analysis::reported_groups(model).groups()[found.rows[row].group].ranks.size());
  const std::string least = std::to_string(*sizes.begin());
  return fmt::format("{} groups of {}", rows.size(),
                     sizes.size() == 1 ? least : fmt::format("{} to {}", least, *sizes.rbegin()));
}

TableRow folded_row(const model::RunModel& model, const Groups& found, const Table& whole,
                    std::span<const std::size_t> rows) {
  TableRow folded = whole.rows[rows.front()];
  const auto text_of = [&](const char* key) { return cell_of(whole, folded, key).text; };
  folded.key = text_of("group") + "/" + text_of("operation");
  for (std::size_t i = 0; i < whole.columns.size(); ++i) {
    if (whole.columns[i].align == Align::kRight) folded.cells[i] = range_cell(whole, rows, i);
  }
  folded.cells[column_index(whole, "ranks")] = text_cell(sizes_text(model, found, rows));
  if (const auto slowest = slowest_link(found, rows)) {
    folded.cells[column_index(whole, "link")].hint =
        "Slowest in the group of " + cell_of(whole, whole.rows[*slowest], "ranks").text;
  }
  const std::size_t longest = longest_wait(found, rows);
  Cell& last = folded.cells[column_index(whole, "last")];
  last = cell_of(whole, whole.rows[longest], "last");
  last.hint = "In the group of " + cell_of(whole, whole.rows[longest], "ranks").text +
              ", whose ranks wait longest";
  return folded;
}

/// Folds rows with the same name and operation into one row, which can be opened.
void fold_rows(const model::RunModel& model, const Groups& found, const GroupsChoice& choice,
               GroupsView& view) {
  const Table& whole = view.whole;
  std::vector<std::pair<std::string, messages::Collective>> order;
  std::map<std::pair<std::string, messages::Collective>, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const auto& group = analysis::reported_groups(model).groups()[found.rows[i].group];
    const std::pair key(group_name(model, group), found.rows[i].operation);
    if (rows[key].empty()) order.push_back(key);
    rows[key].push_back(i);
  }
  const auto add = [&](TableRow row, Fold fold) {
    view.table.rows.push_back(std::move(row));
    view.folds.push_back(fold);
  };
  for (const auto& key : order) {
    std::vector<std::size_t>& members = rows[key];
    std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      const auto groups = analysis::reported_groups(model).groups();
      return sorted_ranks(groups[found.rows[a].group]) < sorted_ranks(groups[found.rows[b].group]);
    });
    const bool folds = members.size() > 1;
    bool open = !folds;
    if (folds) {
      TableRow row = folded_row(model, found, whole, members);
      open = choice.open.contains(row.key);
      add(std::move(row), open ? Fold::kOpen : Fold::kClosed);
    }
    for (const std::size_t member : members) {
      if (open) add(whole.rows[member], folds ? Fold::kInside : Fold::kNone);
    }
  }
}

bool waits_on_device(const model::RunModel& model) {
  const auto& rounds = analysis::reported_groups(model).rounds();
  return std::any_of(rounds.begin(), rounds.end(),
                     [](const model::GroupRound& round) { return round.on_device; });
}

void set_verdict(const model::RunModel& model, const Groups& found, GroupsView& view) {
  const auto say = [&view](std::string text, Tone tone, Shape shape) {
    view.verdict = {{std::move(text)}};
    view.tone = tone;
    view.shape = shape;
  };
  if (const auto different = analysis::mismatch(model))
    return say(mismatch_text(model, *different), Tone::kError, Shape::kCross);
  if (const std::string blame = group_blame_text(model); !blame.empty())
    return say(blame, Tone::kWarning, Shape::kWarningTriangle);
  if (model.world_size() == 1)
    return say("One rank has no other to wait for.", Tone::kDim, Shape::kHollowDiamond);
  const bool judged = std::any_of(found.rows.begin(), found.rows.end(),
                                  [](const GroupOperation& row) { return row.judged > 0; });
  if (!judged) {
    return say(waits_on_device(model)
                   ? "When a rank comes to a collective is not known on GPUs, where it is put into "
                     "a queue long before it runs."
                   : "When each rank came to a collective is not known.",
               Tone::kDim, Shape::kHollowDiamond);
  }
  if (found.steps < analysis::kLeastGroupSteps) {
    return say(fmt::format("Which rank holds the others up is shown from {} steps on; {} so far.",
                           analysis::kLeastGroupSteps, plural(found.steps, "step", "steps")),
               Tone::kDim, Shape::kHollowDiamond);
  }
  say(fmt::format("In {} no rank holds the others up.", plural(found.steps, "step", "steps")),
      Tone::kOk, Shape::kTick);
}

std::string count_of(const Groups& found) {
  std::set<std::size_t> groups;
  double calls = 0;
  for (const GroupOperation& row : found.rows) {
    groups.insert(row.group);
    calls += row.calls_per_step;
  }
  if (groups.empty()) return {};
  return fmt::format("{}, {} calls a step",
                     plural(static_cast<std::int64_t>(groups.size()), "group", "groups"),
                     decimal_text(calls, 1));
}

Sentence why_empty(const model::RunModel& model, const RunContext& context) {
  if (!analysis::reported_groups(model).groups().empty())
    return {{"No collective has been reported by all ranks of its group yet.", Style::kDim}};
  if (model.world_size() == 1)
    return {{"One rank has no other to exchange with. ", Style::kStrong},
            {"A run of several ranks shows its process groups here.", Style::kDim}};
  const bool live = context.contact == Contact::kLive || context.contact == Contact::kLost;
  const std::string none =
      live ? "No rank has reported a process group yet. " : "No rank reported a process group. ";
  if (model.spec().program.argv.empty())
    return {{none, Style::kStrong}, {"They come with the first gradient buckets.", Style::kDim}};
  return {{none, Style::kStrong},
          {"They are recorded of Python scripts that use torch.distributed, from their first "
           "collective on: not with --no-instrument, python -I or in another language.",
           Style::kDim}};
}

}  // namespace

GroupsView build_groups_view(const model::RunModel& model, const RunContext& context,
                             const GroupsChoice& choice) {
  const Groups& found = analysis::known_groups(model);
  GroupsView view;
  view.whole = group_table(model);
  view.table = {view.whole.key, view.whole.title, view.whole.columns};
  view.table.columns[column_index(view.table, "ranks")].hint =
      "Members of the group. A press on a row marks them in the mesh, on several groups opens them";
  fold_rows(model, found, choice, view);
  view.count = count_of(found);
  const std::string sizes = parallel_sizes_text(model);
  if (!view.count.empty() && !sizes.empty()) view.count += ", " + sizes;
  if (view.table.rows.empty()) view.empty = view.table.empty = why_empty(model, context);
  if (analysis::reported_groups(model).groups().empty()) return view;
  view.mesh = build_mesh(model, found, view.whole, choice.chosen);
  const bool says = !found.rows.empty() || analysis::mismatch(model);
  if (says) set_verdict(model, found, view);
  return view;
}

void press_group_row(GroupsChoice& choice, const GroupsView& groups, std::size_t row) {
  const std::string& key = groups.table.rows[row].key;
  if (groups.folds[row] == Fold::kOpen) {
    choice.open.erase(key);
  } else if (groups.folds[row] == Fold::kClosed) {
    choice.open.insert(key);
  } else {
    choice.chosen = choice.chosen == key ? "" : key;
  }
}

}  // namespace ringside::view
