#include "gui/launch/preset_file.h"

#include <algorithm>
#include <system_error>

#include "protocol/base/nearest.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCopySuffix = ".preset.toml";

bool is_in(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string PublishedFigure::problem() const {
  if (!is_in(what, published_names()))
    return ".what = \"" + what + "\" is not a known figure" + suggestion(what, published_names());
  if (!is_in(clock, published_clocks()))
    return ".clock = \"" + clock + "\" is not a known clock" +
           suggestion(clock, published_clocks());
  if (clock != "unstated" && !is_timed(what)) return ".clock is for figures that are timed";
  const std::vector<std::string> kAgainst = {"one_device", "same_devices"};
  if (!is_in(against, kAgainst))
    return ".against = \"" + against + "\" is not known" + suggestion(against, kAgainst);
  if (printed.empty() || value.has_value() == (what == "text"))
    return " need printed each, and value unless what = \"text\"";
  return {};
}

std::string PublishedTable::problem() const {
  const bool even = std::all_of(rows.begin(), rows.end(),
                                [&](const auto& row) { return row.size() == columns.size(); });
  return even && !columns.empty() ? "" : ": every row needs as many cells as there are columns";
}

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

const std::vector<std::string>& published_clocks() {
  static const std::vector<std::string> kClocks = {"train_pass", "first_step_to_end", "whole_run",
                                                   "unstated"};
  return kClocks;
}

Result<PresetFile> parse_preset(std::string_view text, std::string_view origin) {
  const auto table = RINGSIDE_TRY(messages::parse_toml(text, origin));
  PresetFile preset;
  messages::TomlReader reader(table, origin);
  messages::RunSpec::fields(preset.spec.full, reader);
  if (reader.has("quick")) preset.spec.quick = preset.spec.full;
  reader("quick", preset.spec.quick);
  reader("about", preset.about);
  reader("published", preset.published);
  RINGSIDE_TRY(reader.finish());
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
