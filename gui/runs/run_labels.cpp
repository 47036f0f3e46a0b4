#include "gui/runs/run_labels.h"

#include <algorithm>
#include <system_error>

#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::runs {
namespace {

std::filesystem::path labels_path(const runlog::RunFolder& folder) {
  return folder.path() / "labels.toml";
}

}  // namespace

RunLabels read_labels(const runlog::RunFolder& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(labels_path(folder), ignored)) return {};
  const auto text = read_text(labels_path(folder), 256 * 1024);
  if (!text) return {};
  RunLabels labels;
  // Errors are ignored, so that a wrongly edited file does not hide the run.
  const auto read = messages::read_toml(*text, "labels.toml", labels, messages::TomlMode::kLenient);
  return read ? labels : RunLabels{};
}

Result<void> write_labels(const runlog::RunFolder& folder, const RunLabels& labels) {
  if (labels == RunLabels{}) {
    std::error_code error;
    std::filesystem::remove(labels_path(folder), error);
    if (!error) return {};
    return failure("the labels of run " + folder.id() + " cannot be removed: " + error.message());
  }
  return write_text_atomically(labels_path(folder), messages::write_toml(labels));
}

std::vector<std::string> tags_of(std::string_view text) {
  std::vector<std::string> tags;
  for (const std::string_view part : parts_of(text, ',')) {
    const std::string tag(trimmed(part));
    if (!tag.empty() && std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
  }
  return tags;
}

std::string tags_text(const std::vector<std::string>& tags) {
  std::string text;
  for (const std::string& tag : tags) text += (text.empty() ? "" : ", ") + tag;
  return text;
}

std::vector<std::string> changed_tags(std::vector<std::string> tags,
                                      const std::vector<std::string>& these, bool on) {
  for (const std::string& tag : these) {
    if (!on) std::erase(tags, tag);
    if (on && std::ranges::find(tags, tag) == tags.end()) tags.push_back(tag);
  }
  return tags;
}

}  // namespace ringside::runs
