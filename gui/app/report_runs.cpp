#include "gui/app/report_runs.h"

#include <algorithm>
#include <type_traits>

#include "gui/app/cli_live.h"
#include "gui/app/cli_terminal.h"

namespace ringside::app {
namespace {

using view::ReportTable;

Json cell_json(const view::ReportCell& cell) {
  return std::visit(
      [](const auto& value) -> Json {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Value, double>) {
          return number_or_null(value);
        } else {
          return value;
        }
      },
      cell.value);
}

// A line per column: the facts of few runs beside each other.
std::string sideways_text(const ReportTable& table) {
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::vector<std::string> line{table.columns[i].title};
    for (const auto& row : table.rows) line.push_back(one_line(row[i].text));
    lines.push_back(std::move(line));
  }
  return table_text(lines, std::vector<bool>(table.rows.size() + 1, false));
}

// Columns without a title hold what is for scripts only.
std::string upright_text(const ReportTable& table, bool color) {
  std::vector<std::string> head;
  std::vector<bool> right;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(),
                                   [&](const auto& row) { return row[i].text.empty(); });
    if (empty) continue;
    shown.push_back(i);
    head.push_back(table.columns[i].title);
    right.push_back(table.columns[i].right);
  }
  std::vector<std::vector<std::string>> lines{head_row(head, color)};
  for (const auto& row : table.rows) {
    std::vector<std::string> line;
    for (const std::size_t i : shown) line.push_back(one_line(row[i].text));
    lines.push_back(std::move(line));
  }
  return table_text(lines, right);
}

}  // namespace

view::ReportRun report_run(const runs::RunSummary& summary, const ReadRun& read) {
  view::ReportRun run;
  run.id = summary.folder.id();
  run.label = label_of(summary);
  run.name = summary.name;
  run.state = summary.state.word;
  run.model = read.model.get();
  run.seconds = summary.figures.seconds;
  return run;
}

std::ptrdiff_t ReportRuns::add(runs::Catalogue& catalogue, const runs::ListedRun& listed,
                               bool asked) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].summary.folder.path() != listed.folder.path()) continue;
    all_[i].asked = all_[i].asked || asked;
    return static_cast<std::ptrdiff_t>(i);
  }
  One one{catalogue.summary(listed), {}, launch::preset_of_run(listed.folder.path()), -1, asked};
  one.read = read_run(listed.folder, one.summary.spec);
  all_.push_back(std::move(one));
  return static_cast<std::ptrdiff_t>(all_.size()) - 1;
}

Result<ReportRuns> ReportRuns::read(const std::filesystem::path& runs_dir,
                                    const std::vector<std::string>& names) {
  ReportRuns result;
  runs::Catalogue catalogue(runs_dir, read_figures);
  for (const auto& name : names) {
    const auto found = runs::find_run(runs_dir, name);
    if (!found) return pass(found);
    const auto spec = runs::read_spec(found->folder);
    std::ptrdiff_t baseline = -1;
    if (const auto beside = spec ? baseline_folder(found->folder, *spec) : std::nullopt) {
      const auto listed = runs::find_run(runs_dir, beside->path().string());
      if (listed) baseline = result.add(catalogue, *listed, names.size() == 1);
    }
    const std::ptrdiff_t place = result.add(catalogue, *found, true);
    result.all_[static_cast<std::size_t>(place)].baseline = baseline;
  }
  if (names.size() < 2) return result;
  // Without a baseline of its own a run is compared with the first that was asked for.
  std::ptrdiff_t first = 0;
  while (!result.all_[static_cast<std::size_t>(first)].asked) ++first;
  for (std::ptrdiff_t i = first + 1; i < static_cast<std::ptrdiff_t>(result.all_.size()); ++i) {
    auto& one = result.all_[static_cast<std::size_t>(i)];
    if (one.baseline < 0) one.baseline = first;
  }
  return result;
}

std::vector<view::ReportRun> ReportRuns::runs() const {
  std::vector<view::ReportRun> runs;
  for (const One& one : all_) {
    if (!one.asked) continue;
    auto run = report_run(one.summary, one.read);
    run.preset = one.preset ? &*one.preset : nullptr;
    if (one.baseline >= 0) {
      const One& baseline = all_[static_cast<std::size_t>(one.baseline)];
      run.baseline = baseline.read.model.get();
      run.baseline_label = label_of(baseline.summary);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

std::string report_text(const std::vector<ReportTable>& tables, bool color) {
  std::string text;
  std::string run;
  for (const auto& table : tables) {
    if (!text.empty()) text += "\n";
    if (!table.run.empty() && table.run != run)
      text += painted("Run " + table.run, view::Tone::kHigh, color) + "\n\n";
    run = table.run;
    text += painted(one_line(table.title), view::Tone::kHigh, color) + "\n";
    text += table.sideways ? sideways_text(table) : upright_text(table, color);
    for (const auto& note : table.notes)
      text += painted(one_line(note), view::Tone::kDim, color) + "\n";
  }
  return text;
}

Json report_json(const std::vector<ReportTable>& tables) {
  Json list = Json::array();
  for (const auto& table : tables) {
    Json json = {{"id", table.id},
                 {"title", table.title},
                 {"run", table.run.empty() ? Json(nullptr) : Json(table.run)},
                 {"rows", Json::array()},
                 {"notes", table.notes}};
    for (const auto& row : table.rows) {
      Json object = Json::object();
      for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i].id] = cell_json(row[i]);
      json["rows"].push_back(std::move(object));
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace ringside::app
