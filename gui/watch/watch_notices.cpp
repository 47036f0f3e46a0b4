// Reports data that a Watcher left out, in the runs themselves and to its caller.
#include <algorithm>

#include "gui/watch/watcher.h"

namespace ringside::watch {
namespace {

const char* format_name(Format format) {
  if (format == Format::kWandb) return "the file of W&B";
  return format == Format::kTensorBoard ? "the event files of TensorBoard" : "the table";
}

}  // namespace

/// Adds what is known about a file only after the whole run was read.
void Watcher::close_file(const Run& run, File& file) {
  const std::string foreign = file.tail.foreign();
  if (file.source.doubtful && (!foreign.empty() || run.format != file.source.format)) {
    file.left_out.clear();
    return;
  }
  if (run.format && run.format != file.source.format) {
    const std::string best = format_name(*run.format);
    leave_out(file.left_out,
              {"it is left out: values of this run come from " + best + " beside it", "", 1, true});
  } else if (!foreign.empty()) {
    file.left_out.clear();
    leave_out(file.left_out, {foreign, "", 1, !file.source.table.rows_are_steps});
  } else if (!run.recorded && file.left_out.empty()) {
    leave_out(file.left_out, {"it holds no value", "", 1, true});
  }
}

/// Records a notice when the first item of a kind is left out, and at the end another one if there
/// were more.
void Watcher::note_left_out(Run& run, bool last) {
  for (File& file : run.files) {
    if (last) close_file(run, file);
    file.told.resize(file.left_out.size(), 0);
    for (std::size_t i = 0; i < file.left_out.size(); ++i) {
      const LeftOut& one = file.left_out[i];
      const bool more = one.count > file.told[i] && (last || file.told[i] == 0);
      if (!run.recorder || !more) continue;
      run.recorder->note(one.expected ? messages::Severity::kInfo : messages::Severity::kWarning,
                         "left_out", notice_text({file.source.path, one}));
      file.told[i] = one.count;
    }
  }
  if (run.recorder && !run.settings.empty() && run.settings != run.told_settings) {
    run.recorder->note(messages::Severity::kInfo, "settings", "Settings: " + run.settings);
    run.told_settings = run.settings;
  }
  if (!last) return;
  for (File& file : run.files) {
    for (LeftOut& one : file.left_out) run.left_out.push_back({file.source.path, std::move(one)});
  }
  run.files.clear();
}

std::vector<FileNotice> Watcher::left_out() const {
  std::vector<FileNotice> all;
  for (const LeftOut& one : of_path_) all.push_back({{}, one});
  for (const Run& run : runs_) {
    all.insert(all.end(), run.left_out.begin(), run.left_out.end());
    for (const File& file : run.files) {
      for (const LeftOut& one : file.left_out) all.push_back({file.source.path, one});
    }
  }
  std::stable_partition(all.begin(), all.end(),
                        [](const FileNotice& notice) { return !notice.what.expected; });
  return all;
}

std::string Watcher::why_nothing() const {
  constexpr std::size_t kMost = 3;
  std::vector<FileNotice> notices = left_out();
  for (const Run& run : runs_) {
    for (const File& file : run.files) {
      if (!file.tail.foreign().empty() && !file.source.doubtful)
        notices.push_back({file.source.path, {file.tail.foreign(), ""}});
    }
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, notices.size()); ++i)
    text += (i == 0 ? "" : "; ") + notice_text(notices[i]);
  if (notices.size() > kMost) text += "; and " + std::to_string(notices.size() - kMost) + " more";
  if (!text.empty()) return "no value can be taken: " + text;
  return "no event file of TensorBoard, no .wandb file of W&B and no table with a column of steps "
         "(.csv, .tsv) is in it";
}

}  // namespace ringside::watch
