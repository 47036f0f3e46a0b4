#include "gui/runs/run_labels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "protocol/base/printable.h"
#include "protocol/base/text.h"
#include "protocol/host/file_lock.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::runs {
namespace {

constexpr std::size_t kMostLabelBytes = std::size_t{256} * 1024;
constexpr std::int64_t kLabelWaitNs = 5'000'000'000;

std::filesystem::path labels_path(const runlog::RunFolder& folder) {
  return folder.path() / "labels.toml";
}

/// Returns the labels of the file, empty ones if there is none. Bad request: the file cannot be
/// read, and would be lost if new labels replaced it.
Result<RunLabels> labels_to_change(const runlog::RunFolder& folder) {
  const std::filesystem::path path = labels_path(folder);
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return RunLabels{};
  RunLabels labels;
  const auto text = read_text(path, kMostLabelBytes);
  const auto read =
      !text ? Result<void>(tl::unexpected(text.error()))
            : messages::read_toml(*text, "labels.toml", labels, messages::TomlMode::kLenient);
  if (read) return labels;
  return bad_request("the labels in " + path.string() +
                     " cannot be read, so they are not replaced; mend the file or remove it: " +
                     read.error().message);
}

}  // namespace

RunLabels read_labels(const runlog::RunFolder& folder) {
  // Errors are ignored, so that a wrongly edited file does not hide the run.
  return labels_to_change(folder).value_or(RunLabels{});
}

Result<void> write_labels(const runlog::RunFolder& folder, const RunLabels& labels) {
  if (labels == RunLabels{}) {
    std::error_code error;
    std::filesystem::remove(labels_path(folder), error);
    if (!error) return {};
    return failure("the labels of run " + folder.id() + " cannot be removed: " + error.message());
  }
  if (!is_utf8(labels.name + "\n" + labels.note + "\n" + tags_text(labels.tags) + "\n" +
               tags_text(labels.chart_notes)))
    return bad_request("a name, notes and tags are UTF-8, and these are not");
  const std::string text = messages::write_toml(labels);
  if (text.size() > kMostLabelBytes)
    return bad_request("the labels of run " + folder.id() + " would take " +
                       std::to_string(text.size()) + " bytes, and at most " +
                       std::to_string(kMostLabelBytes) + " are kept: make them shorter");
  return write_text_atomically(labels_path(folder), text);
}

Result<RunLabels> edit_labels(const runlog::RunFolder& folder,
                              const std::function<RunLabels(RunLabels)>& edited) {
  // The dot keeps the lock from creating a file in place of a folder that was moved away.
  const auto lock = RINGSIDE_TRY(FileLock::take_within(folder.path() / ".", kLabelWaitNs));
  if (!lock) return failure("run " + folder.id() + " is held by another program; try again");
  const RunLabels before = RINGSIDE_TRY(labels_to_change(folder));
  RunLabels labels = edited(before);
  if (labels != before) RINGSIDE_TRY(write_labels(folder, labels));
  return labels;
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
  for (const std::string& tag : tags) add_listed(text, tag);
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

namespace {

/// Returns the note in a line of the file; nothing if it has no step.
std::optional<ChartNote> note_in(std::string_view line) {
  const std::size_t space = line.find(' ');
  const auto step = whole_number(line.substr(0, space));
  if (!step || *step < 0 || space == line.npos) return std::nullopt;
  return ChartNote{*step, std::string(line.substr(space + 1))};
}

}  // namespace

std::vector<ChartNote> chart_notes_of(const RunLabels& labels) {
  std::vector<ChartNote> notes;
  for (const std::string& line : labels.chart_notes) {
    if (auto note = note_in(line)) notes.push_back(std::move(*note));
  }
  std::ranges::stable_sort(notes, {}, &ChartNote::step);
  return notes;
}

void put_chart_note(RunLabels& labels, const ChartNote& note) {
  std::erase_if(labels.chart_notes, [&note](const std::string& line) {
    const auto old = note_in(line);
    return old && old->step == note.step;
  });
  if (note.text.empty()) return;
  const auto after = std::ranges::find_if(labels.chart_notes, [&note](const std::string& line) {
    const auto other = note_in(line);
    return other && other->step > note.step;
  });
  labels.chart_notes.insert(after, std::to_string(note.step) + " " + note.text);
}

}  // namespace ringside::runs
