#include "gui/launch/preset_file.h"

#include <algorithm>
#include <system_error>

#define TOML_EXCEPTIONS 0
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
// It asserts what a file can break ("[[[") and then reports that well: no file may end the program.
#define TOML_ASSERT(...) static_cast<void>(0)
#include <toml++/toml.h>

#include "protocol/base/byte_file.h"
#include "protocol/base/nearest.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCopySuffix = ".preset.toml";
const std::vector<std::string> kTables = {"about", "published"};

// Reads the keys of one table, each at most once, and refuses what is left over.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string name, std::string_view origin)
      : table_(table), name_(std::move(name)), origin_(origin) {}

  template <class T>
  void read(const char* key, T& value) {
    known_.emplace_back(key);
    const auto* node = table_.get(key);
    if (node != nullptr && result_ && !take(*node, value)) refuse(*node, key, "has the wrong type");
  }

  /// Tables under `key`, one or a list of them.
  template <class Read>
  void tables(const char* key, Read&& read) {
    known_.emplace_back(key);
    const auto* node = table_.get(key);
    if (node == nullptr || !result_) return;
    if (const auto* one = node->as_table()) {
      check(read(*one));
      return;
    }
    const auto* list = node->as_array();
    if (list == nullptr) return refuse(*node, key, "must be a list of tables");
    for (const auto& item : *list) {
      if (!result_) return;
      if (item.as_table() == nullptr) return refuse(item, key, "must be a list of tables");
      check(read(*item.as_table()));
    }
  }

  Result<void> finish() {
    if (!result_) return result_;
    for (const auto& [key, node] : table_) {
      if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
      return bad_request(place(node) + "unknown key " + name_ + "." + std::string(key.str()) +
                         suggestion(key.str(), known_));
    }
    return {};
  }

  std::string place(const toml::node& node) const {
    return std::string(origin_) + ":" + std::to_string(node.source().begin.line) + ": ";
  }

 private:
  template <class T>
  static bool take(const toml::node& node, std::optional<T>& value) {
    return take(node, value.emplace());
  }
  static bool take(const toml::node& node, double& value) {
    if (!node.is_number()) return false;
    value = *node.value<double>();
    return true;
  }
  template <class T>
  static bool take(const toml::node& node, T& value) {
    const auto got = node.value_exact<T>();
    if (got) value = *got;
    return got.has_value();
  }
  template <class T>
  static bool take(const toml::node& node, std::vector<T>& list) {
    const auto* array = node.as_array();
    if (array == nullptr) return false;
    for (const auto& item : *array) {
      if (!take(item, list.emplace_back())) return false;
    }
    return true;
  }

  void refuse(const toml::node& node, const char* key, const char* why) {
    result_ = bad_request(place(node) + name_ + "." + key + " " + why);
  }
  void check(Result<void> read) {
    if (result_) result_ = std::move(read);
  }

  const toml::table& table_;
  std::string name_;
  std::string_view origin_;
  std::vector<std::string> known_;
  Result<void> result_;
};

Result<void> read_about(const toml::table& table, std::string_view origin, PresetAbout& about) {
  TableReader reader(table, "about", origin);
  reader.read("experiment", about.experiment);
  reader.read("launch", about.launch);
  reader.read("world_sizes", about.world_sizes);
  reader.read("unstated", about.unstated);
  reader.read("needs", about.needs);
  reader.read("needs_hint", about.needs_hint);
  return reader.finish();
}

Result<void> read_figure(const toml::table& table, std::string_view origin,
                         std::vector<PublishedFigure>& figures) {
  PublishedFigure figure;
  TableReader reader(table, "published.figures", origin);
  reader.read("what", figure.what);
  reader.read("printed", figure.printed);
  reader.read("value", figure.value);
  reader.read("ranks", figure.ranks);
  reader.read("derived", figure.derived);
  if (auto read = reader.finish(); !read) return read;
  const auto& names = published_names();
  if (std::find(names.begin(), names.end(), figure.what) == names.end()) {
    return bad_request(reader.place(table) + "unknown figure published.figures.what = \"" +
                       figure.what + "\"" + suggestion(figure.what, names));
  }
  if (figure.printed.empty() || figure.value.has_value() == (figure.what == "text")) {
    return bad_request(reader.place(table) + "a published figure needs printed, and value unless " +
                       "what = \"text\"");
  }
  figures.push_back(std::move(figure));
  return {};
}

Result<void> read_published_table(const toml::table& table, std::string_view origin,
                                  std::vector<PublishedTable>& tables) {
  PublishedTable read_table;
  TableReader reader(table, "published.tables", origin);
  reader.read("title", read_table.title);
  reader.read("columns", read_table.columns);
  reader.read("rows", read_table.rows);
  if (auto read = reader.finish(); !read) return read;
  const bool even = std::all_of(read_table.rows.begin(), read_table.rows.end(),
                                [&](auto& row) { return row.size() == read_table.columns.size(); });
  if (!even || read_table.columns.empty()) {
    return bad_request(reader.place(table) + "published.tables: every row needs as many cells as " +
                       "there are columns");
  }
  tables.push_back(std::move(read_table));
  return {};
}

Result<void> read_gate(const toml::table& table, std::string_view origin,
                       std::optional<PublishedGate>& gate) {
  TableReader reader(table, "published.gate", origin);
  reader.read("ranks", gate.emplace().ranks);
  reader.read("least_time_cut", gate->least_time_cut);
  reader.read("val_accuracy_above", gate->val_accuracy_above);
  return reader.finish();
}

Result<void> read_published(const toml::table& table, std::string_view origin,
                            Published& published) {
  TableReader reader(table, "published", origin);
  reader.read("source", published.source);
  reader.read("hardware", published.hardware);
  reader.read("notes", published.notes);
  reader.tables("figures",
                [&](const auto& one) { return read_figure(one, origin, published.figures); });
  reader.tables("tables", [&](const auto& one) {
    return read_published_table(one, origin, published.tables);
  });
  reader.tables("gate", [&](const auto& one) { return read_gate(one, origin, published.gate); });
  return reader.finish();
}

}  // namespace

const std::vector<std::string>& published_names() {
  static const std::vector<std::string> kNames = {
      "per_rank_batch", "global_batch",  "steps_per_epoch", "last_batch",
      "padded_samples", "parameters",    "train_accuracy",  "val_accuracy",
      "train_loss",     "val_loss",      "accuracy_delta",  "padded_accuracy",
      "exact_accuracy", "migration",     "order_repeated",  "epoch_seconds",
      "samples_per_s",  "total_seconds", "time_cut",        "speedup",
      "efficiency",     "text"};
  return kNames;
}

Result<PresetFile> parse_preset(std::string_view text, std::string_view origin) {
  auto spec = messages::parse_preset_spec(text, origin, kTables);
  if (!spec) return pass(spec);
  PresetFile preset{std::move(*spec), {}, {}};
  const auto parsed = toml::parse(text);  // has been parsed above without an error
  const auto& root = parsed.table();
  for (const std::string& name : kTables) {
    const auto* node = root.get(name);
    if (node == nullptr) continue;
    if (node->as_table() == nullptr)
      return bad_request(std::string(origin) + ": " + name + " must be a table: [" + name + "]");
    auto read = name == "about" ? read_about(*node->as_table(), origin, preset.about)
                                : read_published(*node->as_table(), origin, preset.published);
    if (!read) return pass(read);
  }
  return preset;
}

fs::path preset_copy_path(const fs::path& run_folder, const std::string& name) {
  return run_folder / (name + std::string(kCopySuffix));
}

std::optional<NamedPreset> preset_of_run(const fs::path& run_folder) {
  std::error_code error;
  for (fs::directory_iterator it(run_folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string file = it->path().filename().string();
    if (!file.ends_with(kCopySuffix)) continue;
    const auto text = read_text(it->path(), std::size_t{1} << 20);
    if (!text) return std::nullopt;
    auto preset = parse_preset(*text, it->path().string());
    if (!preset) return std::nullopt;
    return NamedPreset{file.substr(0, file.size() - kCopySuffix.size()), std::move(*preset)};
  }
  return std::nullopt;
}

}  // namespace ringside::launch
