#include "gui/window/window_settings.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "gui/view/live/rank_table.h"
#include "gui/view/live/run_charts.h"
#include "protocol/base/fields.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/host/user_folders.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::window {
namespace {

constexpr std::int64_t kMostPixels = 16384;

const char* dock_key(std::size_t dock) {
  static constexpr const char* kNames[ui::kDocks] = {"speedup", "ranks", "logs"};
  return kNames[dock];
}

/// Switches by name.
struct ClosedDocks {
  std::array<bool, ui::kDocks> on{};

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    for (std::size_t i = 0; i < ui::kDocks; ++i) visit(dock_key(i), s.on[i]);
  }
};

/// Columns of the rank table that differ from the defaults, hidden or shown; by key.
template <bool shown_at_first>
struct ChangedColumns {
  view::ColumnChoice choice;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    for (const view::TableColumn& column : view::rank_columns()) {
      if (column.shown != shown_at_first) continue;
      const bool was = s.choice.changed.contains(column.key);
      bool changed = was;
      visit(column.key, changed);
      if constexpr (!std::is_const_v<Self>) {
        if (changed != was) s.choice.toggle(column.key);
      }
    }
  }
};

struct LayoutFile {
  std::array<float, ui::kSplits> shares{};
  ClosedDocks closed;
  ChangedColumns<true> hidden;
  ChangedColumns<false> shown;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    for (std::size_t i = 0; i < ui::kSplits; ++i)
      visit(ui::name_of(static_cast<ui::Split>(i)), s.shares[i]);
    visit("closed", s.closed);
    visit("hidden", s.hidden);
    visit("shown", s.shown);
  }
};

/// Options of the comparison. Values that this version does not know become the defaults.
struct CompareFile {
  std::string axis = "epoch";
  bool logarithmic = false;
  std::int64_t smoothing = 0;
  bool plan = false;
  std::string chart, metric;
  bool all_settings = false;
  bool fold_repeats = false;

  RINGSIDE_FIELDS(axis, logarithmic, smoothing, plan, chart, metric, all_settings, fold_repeats)
};

std::string word_of(view::XAxis axis) { return lower_case(view::name_of(axis)); }

CompareFile file_of(const view::CompareChoice& choice) {
  const auto readable = [](const std::string& key) { return is_utf8(key) ? key : std::string(); };
  return {
      word_of(choice.axis),   choice.logarithmic,      choice.smoothing,       choice.plan,
      readable(choice.chart), readable(choice.metric), !choice.only_differing, choice.fold_repeats};
}

/// Options that charts of a run and compared charts share.
template <class File, class Choice>
void read_style(const File& file, Choice& choice) {
  for (int i = 0; i < 4; ++i)
    if (const auto axis = static_cast<view::XAxis>(i); word_of(axis) == file.axis)
      choice.axis = axis;
  for (const int steps : view::kSmoothings)
    if (steps == file.smoothing) choice.smoothing = steps;
  choice.plan = file.plan;
}

view::CompareChoice choice_of(const CompareFile& file) {
  view::CompareChoice choice;
  read_style(file, choice);
  choice.logarithmic = file.logarithmic;
  choice.chart = file.chart;
  choice.metric = file.metric;
  choice.only_differing = !file.all_settings;
  choice.fold_repeats = file.fold_repeats;
  return choice;
}

/// Options of the charts of a run. Only switches that are on are written, so their default is off.
struct ChartsFile {
  std::string axis = "epoch";
  bool linear = false;
  std::int64_t smoothing = 0;
  bool plan = false;
  bool whole_step = false;
  bool without_baseline = false;

  RINGSIDE_FIELDS(axis, linear, smoothing, plan, whole_step, without_baseline)
};

ChartsFile charts_file_of(const view::ChartChoice& charts) {
  return {word_of(charts.axis), !charts.logarithmic, charts.smoothing,
          charts.plan,          charts.whole_step,   !charts.baseline};
}

view::ChartChoice charts_of(const ChartsFile& file) {
  view::ChartChoice charts = view::first_style();
  read_style(file, charts);
  charts.logarithmic = !file.linear;
  charts.whole_step = file.whole_step;
  charts.baseline = !file.without_baseline;
  return charts;
}

/// The list of runs: columns that differ from the defaults, order and groups.
struct ListFile {
  std::vector<std::string> columns;
  std::string sort = view::RunsChoice().sort.key;
  bool ascending = false;
  std::string group;

  RINGSIDE_FIELDS(columns, sort, ascending, group)
};

ListFile list_file_of(const view::RunsChoice& list) {
  ListFile file{{}, list.sort.key, !list.sort.descending, list.group};
  for (const std::string& key : list.columns.changed)
    if (is_utf8(key)) file.columns.push_back(key);
  return file;
}

struct WindowFile {
  std::string theme = "dark";
  double scale = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::string place;
  std::vector<std::string> pinned;
  ChartsFile charts;
  CompareFile compare;
  ListFile runs;
  LayoutFile layout;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("theme", s.theme);
    visit("scale", s.scale);
    visit("width", s.width);
    visit("height", s.height);
    visit("place", s.place);
    visit("pinned_metrics", s.pinned);
    visit("charts", s.charts);
    visit("compare", s.compare);
    visit("runs", s.runs);
    visit("layout", s.layout);
  }
};

/// Invalid values are replaced by the defaults.
WindowSettings settings_of(const WindowFile& file) {
  WindowSettings settings;
  settings.light = file.theme == "light";
  if (file.scale >= 0.75 && file.scale <= 3) settings.scale = file.scale;
  if (file.width >= kLeastWidth && file.width <= kMostPixels && file.height >= kLeastHeight &&
      file.height <= kMostPixels) {
    settings.width = static_cast<int>(file.width);
    settings.height = static_cast<int>(file.height);
  }
  settings.page = file.place;
  settings.pinned = file.pinned;
  settings.charts = charts_of(file.charts);
  settings.list.compare = choice_of(file.compare);
  settings.list.columns.changed.insert(file.runs.columns.begin(), file.runs.columns.end());
  settings.list.sort = {file.runs.sort, !file.runs.ascending};
  settings.list.group = file.runs.group;
  for (std::size_t i = 0; i < ui::kSplits; ++i) {
    const float share = file.layout.shares[i];
    if (share > 0 && share < 1) settings.arrangement.shares[i] = share;
  }
  settings.arrangement.closed = file.layout.closed.on;
  settings.arrangement.rank_columns = file.layout.hidden.choice;
  settings.arrangement.rank_columns.changed.merge(
      std::set<std::string, std::less<>>(file.layout.shown.choice.changed));
  return settings;
}

}  // namespace

std::filesystem::path settings_path() {
  const auto folder = user_folder("XDG_STATE_HOME", ".local/state");
  return folder ? *folder / "ringside" / "window.toml" : std::filesystem::path();
}

WindowSettings read_settings(const std::filesystem::path& path) {
  const auto text = read_text(path, 64 * 1024);
  if (!text) return {};
  WindowFile file;
  // A broken settings file is ignored: only a remembered layout is lost.
  if (!messages::read_toml(*text, path.string(), file, messages::TomlMode::kLenient)) return {};
  return settings_of(file);
}

Result<void> write_settings(const std::filesystem::path& path, const WindowSettings& settings) {
  if (path.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    return failure(fmt::format("The folder {} for the window's settings could not be made: {}.",
                               path.parent_path().string(), error.message()));
  }
  const bool known = settings.page == "launch" || settings.page == "live" ||
                     settings.page == "scaling" || settings.page == "runs" ||
                     settings.page == "machines";
  std::vector<std::string> pinned = settings.pinned;
  std::erase_if(pinned, [](const std::string& name) { return !is_utf8(name); });
  const WindowFile file{settings.light ? "light" : "dark",
                        settings.scale,
                        settings.width,
                        settings.height,
                        known ? settings.page : "",
                        pinned,
                        charts_file_of(settings.charts),
                        file_of(settings.list.compare),
                        list_file_of(settings.list),
                        {settings.arrangement.shares,
                         {settings.arrangement.closed},
                         {settings.arrangement.rank_columns},
                         {settings.arrangement.rank_columns}}};
  return write_text_atomically(path, messages::write_toml(file, true));
}

}  // namespace ringside::window
