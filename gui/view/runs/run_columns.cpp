#include "gui/view/runs/run_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "gui/runs/run_figures.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/runs_view.h"
#include "gui/view/table_cells.h"
#include "gui/view/table_filter.h"
#include "protocol/base/calendar.h"
#include "protocol/base/nearest.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/settings.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::view {
namespace {

constexpr std::string_view kLogged = "logged.";  // prefix of keys of logged values

struct RunColumn {
  TableColumn column;
  Cell (*cell)(const RunSummary& run, std::int64_t now_wall_ns);
};

/// Alternative names of columns: former names and common abbreviations.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOtherNames{
    {{"gpus", "world_size"},
     {"loss", "final_loss"},
     {"batch", "global_batch"},
     {"accuracy", "best_val_accuracy"},
     {"what", "name"},
     {"tag", "tags"}}};

CellValue text_or_null(const std::string& text) {
  return text.empty() ? CellValue() : CellValue(text);
}

/// Returns a cell whose text scripts get unchanged, or as null if it is empty.
Cell run_any_text(const std::string& text) {
  Cell cell = word_cell(printable_line(text));
  cell.value = text_or_null(text);
  return cell;
}

CellValue time_value(std::int64_t wall_ns) {
  return wall_ns == 0 ? CellValue() : CellValue(utc_text(wall_ns, true));
}

/// Returns a cell that is sorted by the stage of the state.
Cell run_state_cell(const RunSummary& run, std::int64_t /*now*/) {
  const StateView state = run.read ? outcome_view(run.outcome, run.loss_broke)
                                   : StateView{label::kReading, Shape::kRing, Tone::kDim};
  Cell cell{run.state.empty() ? lower_case(state.word) : run.state, state.word, state.tone, -1,
            state.shape};
  cell.order = static_cast<std::int64_t>(run.outcome);
  return cell;
}

/// Returns a cell that sorts a queued run after all runs that have started.
Cell started_cell(const RunSummary& run, std::int64_t now_wall_ns) {
  const std::int64_t started = run.figures.started_wall_ns;
  Cell cell{time_value(started), day_text(started, now_wall_ns), Tone::kDim};
  if (started != 0) cell.order = started;
  if (run.outcome == RunOutcome::kQueued) cell.order = std::numeric_limits<std::int64_t>::max();
  return cell;
}

/// Returns the tags that a person wrote, without the reason of a failure.
Cell tags_cell(const RunSummary& run, std::int64_t /*now*/) {
  const std::string tags = runs::tags_text(run.own_tags);
  return {text_or_null(tags), printable_line(tags)};
}

Cell loss_cell(const RunSummary& run, std::int64_t /*now*/) {
  const double loss = run.figures.final_loss;
  Cell cell = number_cell(loss, loss_text);
  if (std::isnan(loss) && runs::ended_in_nan(run.figures)) cell.text = "NaN";
  return cell;
}

/// Returns the speedup, marked if it is not fair.
Cell run_speedup_cell(const RunSummary& run, std::int64_t /*now*/) {
  Cell cell = number_cell(run.figures.speedup, speedup_text);
  if (run.figures.fair != false) return cell;
  cell.text += " !";
  cell.tone = Tone::kWarning;
  cell.hint = "Not fair: the report of the run says why.";
  return cell;
}

template <auto number, auto format>
Cell run_figure(const RunSummary& run, std::int64_t /*now*/) {
  return number_cell(run.figures.*number, format);
}
template <auto text>
Cell run_text(const RunSummary& run, std::int64_t /*now*/) {
  return run_any_text(run.*text);
}
Cell no_cell(const RunSummary& /*run*/, std::int64_t /*now*/) { return {}; }
std::string efficiency_number(double share) { return decimal_text(share * 100, 0); }

TableColumn run_left(const char* key, const char* label, float width, int drop_order = 0) {
  return {key, label, "", Align::kLeft, width, 0, drop_order};
}
TableColumn run_right(const char* key, const char* label, const char* unit, float width,
                      int drop_order = 0) {
  return {key, label, unit, Align::kRight, width, 0, drop_order};
}
/// Returns the column, hidden at first.
TableColumn run_chosen(TableColumn column, std::string hint) {
  column.shown = false;
  column.hint = std::move(hint);
  return column;
}
TableColumn run_number(const char* key, const char* label, const char* unit, std::string hint) {
  return run_chosen(run_right(key, label, unit, 64), std::move(hint));
}
TableColumn run_words(const char* key, const char* label, std::string hint) {
  return run_chosen(run_left(key, label, 110), std::move(hint));
}
/// Returns the column, drawn by the page instead of printed.
TableColumn run_drawn(TableColumn column) {
  column.in_text = column.sortable = false;
  return column;
}
TableColumn run_hidden(const char* key) { return run_chosen(run_left(key, "", 0), ""); }

/// Adds the columns that the list shows at first, followed by those that identify a run for
/// scripts.
void add_first(std::vector<RunColumn>& all) {
  using F = runs::RunFigures;
  using S = RunSummary;
  using Ns = std::int64_t;
  TableColumn name = run_left("name", "Name", 180);
  name.narrow_width = 130;
  all.insert(all.end(),
             {{run_drawn(run_left("mark", "", 40)), no_cell},
              {run_left("number", "Run", 44),
               [](const S& run, Ns) {
                 return Cell{run.number, run_label(run.number, run.id)};
               }},
              {run_left("id", "Id", 0), [](const S& run, Ns) { return text_cell(run.id); }},
              {run_left("state", "State", 84), run_state_cell},
              {std::move(name),
               [](const S& run, Ns) {
                 return Cell{run.title, printable_line(run.title)};
               }},
              {run_right("world_size", "Ranks", "", 36, 2),
               [](const S& run, Ns) {
                 return Cell{run.ranks, known_count_cell(run.ranks).text};
               }},
              {run_right("global_batch", "Global", "", 44, 7),
               [](const S& run, Ns) { return known_count_cell(run.global_batch); }},
              {run_drawn(run_left("loss", "Loss", 84, 4)), no_cell},
              {run_right("best_val_accuracy", "Best val", "%", 60, 3),
               run_figure<&F::best_val_accuracy, accuracy_number>},
              {run_right("seconds", "Time", "", 50, 1), run_figure<&F::seconds, clock_text>},
              {run_right("speedup", "Speedup", "", 60, 5), run_speedup_cell}});
}

void add_choosable(std::vector<RunColumn>& all) {
  using F = runs::RunFigures;
  using S = RunSummary;
  using Ns = std::int64_t;
  all.insert(
      all.end(),
      {{run_number("val_accuracy", "Val", "%", ""), run_figure<&F::val_accuracy, accuracy_number>},
       {run_number("final_loss", "Final loss", "",
                   "Mean training loss of the last whole epoch, else of the newest step."),
        loss_cell},
       {run_number("samples_per_s", "Samples/s", "", "By all ranks together, without the warm-up."),
        run_figure<&F::samples_per_s, rate_text>},
       {run_number("train_seconds", "Training", "", "The time that the speedup compares."),
        run_figure<&F::train_seconds, seconds_text>},
       {run_number("efficiency", "Efficiency", "%", "Speedup / number of ranks."),
        run_figure<&F::efficiency, efficiency_number>},
       {run_words("fair", "Fair", "Whether runs and machine let the speedup be compared."),
        [](const S& run, Ns) {
          return run.figures.fair ? yes_no_cell(*run.figures.fair) : unknown_cell();
        }},
       {run_number("steps", "Steps", "", "The newest step that all ranks have reported."),
        [](const S& run, Ns) { return count_cell(run.figures.steps); }},
       {run_number("steps_planned", "Planned steps", "", "Steps that its settings ask for."),
        [](const S& run, Ns) { return count_cell(run.figures.steps_planned); }},
       {run_number("lost_records", "Lost records", "", "Records that never came into the log."),
        [](const S& run, Ns) {
          return count_cell(static_cast<std::int64_t>(run.figures.lost_records));
        }},
       {run_words("model", "Model", "The model that it trained."), run_text<&S::model>},
       {run_words("data", "Data set", "The data that it trained on."), run_text<&S::data>},
       {run_words("script", "Script", "The script of a program that is not our trainer."),
        run_text<&S::script>},
       {run_words("recipe", "Recipe", "Model and data set, or the program."),
        [](const S& run, Ns) {
          return Cell{run.recipe, printable_line(run.recipe)};
        }},
       {run_words("baseline", "Baseline", "Id of the run that it is measured against."),
        run_text<&S::baseline>},
       {run_words("note", "Note", "What you wrote on it."), run_text<&S::note>},
       {run_words("last_seen", "Last seen", "When its newest record was written."),
        [](const S& run, Ns now) {
          const Ns at = run.figures.last_seen_wall_ns;
          return Cell{time_value(at), day_text(at, now), Tone::kDim};
        }}});
}

void add_last(std::vector<RunColumn>& all) {
  using S = RunSummary;
  using Ns = std::int64_t;
  all.insert(all.end(),
             {{run_left("tags", "Tags", 86, 8), tags_cell},
              {run_right("started", "Started", "", 62, 6), started_cell},
              {run_hidden("starred"), [](const S& run, Ns) { return yes_no_cell(run.starred); }},
              {run_hidden("folder"), run_text<&S::folder>},
              {run_hidden("detail"), [](const S& run, Ns) { return text_cell(run.detail); }},
              {run_hidden("live"), [](const S& run, Ns) { return yes_no_cell(run.live); }},
              {run_hidden("broken_loss"),
               [](const S& run, Ns) { return run_any_text(run.figures.broken_loss); }},
              {run_hidden("loss_not_finite"),
               [](const S& run, Ns) { return yes_no_cell(runs::ended_in_nan(run.figures)); }},
              {run_hidden("problem"), [](const S& run, Ns) { return text_cell(run.problem); }}});
}

const std::vector<RunColumn>& known_columns() {
  static const std::vector<RunColumn> kAll = [] {
    std::vector<RunColumn> all;
    add_first(all);
    add_choosable(all);
    add_last(all);
    return all;
  }();
  return kAll;
}

const RunColumn* known_column(std::string_view key) {
  static const auto kByKey = [] {
    std::map<std::string_view, const RunColumn*> by_key;
    for (const RunColumn& one : known_columns()) by_key[one.column.key] = &one;
    return by_key;
  }();
  const auto found = kByKey.find(key);
  return found == kByKey.end() ? nullptr : found->second;
}

/// Returns "lr" for "optimizer.lr" if no other setting and no column has that name.
std::string short_setting(const std::string& key) {
  const std::string last = key.substr(key.rfind('.') + 1);
  const bool taken =
      named_column(run_columns(), last) < run_columns().size() ||
      std::ranges::any_of(kOtherNames, [&last](const auto& other) { return other.first == last; });
  return !taken && settings_called(last).size() == 1 ? last : key;
}

/// Calls visit(value) with the setting of that key, without building the names of other settings.
template <class Visit>
void visit_setting(const messages::RunSpec& spec, std::string_view key, Visit&& visit) {
  const std::string_view section = key.substr(0, key.find('.'));
  const std::string_view own = section.size() == key.size() ? "" : key.substr(section.size() + 1);
  messages::RunSpec::fields(spec, [&](const auto& name, const auto& part) {
    if constexpr (std::is_same_v<std::decay_t<decltype(name)>, messages::Field>) {
      if (name.key == key) visit(part);
    } else if (section == std::string_view(name)) {
      std::decay_t<decltype(part)>::fields(part,
                                           [&](const messages::Field& field, const auto& value) {
                                             if (field.key == own) visit(value);
                                           });
    }
  });
}

/// Returns the value that a setting had in a run.
Cell setting_cell(const RunSummary& run, const std::string& key) {
  Cell cell = unknown_cell();
  if (run.spec == nullptr || !messages::is_described(*run.spec, key)) return cell;
  visit_setting(*run.spec, key, [&]<class T>(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      cell = yes_no_cell(value);
    } else if constexpr (std::is_integral_v<T>) {
      cell = {static_cast<std::int64_t>(value), std::to_string(value)};
    } else if constexpr (std::is_same_v<T, std::string>) {
      cell = word_cell(printable_line(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      cell = {static_cast<double>(value), messages::toml_text(value)};
    } else {
      cell = text_cell(printable_line(messages::toml_text(value)));
    }
  });
  return cell;
}

Cell logged_cell(const RunSummary& run, const std::string& name) {
  const auto found = run.figures.logged.find(name);
  if (found == run.figures.logged.end()) return unknown_cell();
  return {found->second, value_text(found->second)};
}

bool logs(std::span<const RunSummary> runs, const std::string& name) {
  return std::ranges::any_of(
      runs, [&name](const RunSummary& run) { return run.figures.logged.contains(name); });
}

/// Returns the names of all values that at least one of the runs logged.
std::vector<std::string> logged_names(std::span<const RunSummary> runs) {
  std::map<std::string_view, bool> names;
  for (const RunSummary& run : runs)
    for (const auto& [name, ignored] : run.figures.logged) names[name] = true;
  std::vector<std::string> all;
  for (const auto& [name, ignored] : names) all.emplace_back(name);
  return all;
}

std::string no_column(std::span<const RunSummary> runs, const std::string& name) {
  std::vector<std::string> known{"is"};
  for (const TableColumn& column : run_columns())
    if (column.in_text) known.push_back(column.key);
  for (const auto& [other, ignored] : kOtherNames) known.emplace_back(other);
  for (const messages::Setting& setting : messages::settings()) {
    known.push_back(setting.key);
    known.push_back(setting.key.substr(setting.key.rfind('.') + 1));
  }
  for (std::string& logged : logged_names(runs)) known.push_back(std::move(logged));
  const std::string nearest = nearest_name(name, known);
  return "there is no column, setting or logged value called " + printable_line(name) +
         (nearest.empty() ? "; `ringside list --json` has the columns, `ringside presets "
                            "--settings` the settings"
                          : ", did you mean \"" + nearest + "\"?");
}

}  // namespace

std::vector<std::string> settings_called(std::string_view name) {
  std::vector<std::string> keys;
  for (const messages::Setting& setting : messages::settings()) {
    if (setting.key == name) return {setting.key};
    if (setting.key.ends_with("." + std::string(name))) keys.push_back(setting.key);
  }
  return keys;
}

std::string injected_in(const RunSummary& run) {
  return run.spec == nullptr ? std::string() : injected_text(*run.spec);
}

std::vector<std::string> tags_of(const RunSummary& run) {
  std::vector<std::string> tags = run.own_tags;
  if (run.is_baseline) tags.emplace_back("baseline");
  for (const std::string& reason : run.tags)
    if (std::ranges::find(run.own_tags, reason) == run.own_tags.end()) tags.push_back(reason);
  return tags;
}

const std::vector<TableColumn>& run_columns() {
  static const std::vector<TableColumn> kColumns = [] {
    std::vector<TableColumn> columns;
    for (const RunColumn& one : known_columns()) columns.push_back(one.column);
    return columns;
  }();
  return kColumns;
}

Result<std::string> run_column_key(std::span<const RunSummary> runs, const std::string& name) {
  const std::size_t column = named_column(run_columns(), name);
  // A column that a page draws, as the curve of the loss, has no value to print or to compare.
  if (!name.empty() && column < run_columns().size() && run_columns()[column].in_text)
    return run_columns()[column].key;
  const std::string typed = lower_case(name);
  for (const auto& [other, key] : kOtherNames)
    if (other == typed) return std::string(key);
  const std::vector<std::string> settings = settings_called(name);
  if (settings.size() == 1) return settings.front();
  if (logs(runs, name)) return std::string(kLogged) + name;
  if (name.starts_with(kLogged) && logs(runs, name.substr(kLogged.size()))) return name;
  if (settings.empty()) return bad_request(no_column(runs, name));
  return bad_request(fmt::format("{} may be {}: write which one", name, fmt::join(settings, ", ")));
}

TableColumn run_column(const std::string& key) {
  if (const RunColumn* known = known_column(key)) return known->column;
  TableColumn column = number_column(key, {});
  column.shown = false;
  if (key.starts_with(kLogged)) {
    column.label = printable_line(key.substr(kLogged.size()));
    column.hint = "The last value that the program logged under this name, as a mean over ranks.";
  } else {
    const messages::Setting* const setting = messages::find_setting(key);
    column.label = short_setting(key);
    column.hint = key;
    if (setting != nullptr) column.hint += ": " + std::string(setting->field.label);
    if (setting != nullptr && !setting->type.ends_with("number")) column.align = Align::kLeft;
  }
  const float least = column.align == Align::kLeft ? 90 : 56;
  column.width = std::clamp(7.0F * static_cast<float>(column.label.size()), least, 150.0F);
  return column;
}

Cell run_cell(const RunSummary& run, const std::string& key, std::int64_t now_wall_ns) {
  if (const RunColumn* known = known_column(key)) return known->cell(run, now_wall_ns);
  if (key.starts_with(kLogged)) return logged_cell(run, key.substr(kLogged.size()));
  return setting_cell(run, key);
}

Table run_table(std::span<const RunSummary* const> runs, std::span<const std::string> keys,
                std::int64_t now_wall_ns) {
  Table table{"runs", "Runs"};
  for (const std::string& key : keys) table.columns.push_back(run_column(key));
  for (const RunSummary* run : runs) {
    TableRow& row = table.rows.emplace_back();
    row.key = run->id;
    for (const std::string& key : keys) row.cells.push_back(run_cell(*run, key, now_wall_ns));
  }
  return table;
}

std::vector<ColumnOffer> column_offers(std::span<const RunSummary> runs) {
  std::vector<ColumnOffer> offers;
  for (const TableColumn& column : run_columns()) {
    if (!column.label.empty() && column.width > 0)
      offers.push_back({column.key, head_text(column), "Run"});
  }
  for (const messages::Setting& setting : messages::settings()) {
    const bool any = std::ranges::any_of(runs, [&setting](const RunSummary& run) {
      return run.spec != nullptr && messages::is_described(*run.spec, setting.key);
    });
    if (any) offers.push_back({setting.key, setting.key, "Settings"});
  }
  for (const std::string& name : logged_names(runs))
    offers.push_back({std::string(kLogged) + name, printable_line(name), "Logged"});
  return offers;
}

}  // namespace ringside::view
