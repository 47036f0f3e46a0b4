#include "gui/view/runs/export_question.h"

#include <algorithm>

namespace ringside::view {

const char* name_of(ExportKind kind) {
  if (kind == ExportKind::kTensorBoard) return "TensorBoard";
  if (kind == ExportKind::kTrace) return "Trace";
  return kind == ExportKind::kHtml ? "HTML report" : "CSV tables";
}

std::string export_place(ExportKind kind, const std::string& folder) {
  if (kind == ExportKind::kTensorBoard) return folder + "/tensorboard";
  if (kind == ExportKind::kTrace) return folder + "/trace.json";
  return kind == ExportKind::kHtml ? folder + "/report.html" : folder;
}

ExportChoice first_export_choice(const ExportFacts& facts) {
  ExportChoice choice;
  for (std::size_t i = 0; i < kExportKinds; ++i)
    choice.paths[i] = facts.several() && !exports_file(static_cast<ExportKind>(i), true)
                          ? facts.folder
                          : export_place(static_cast<ExportKind>(i), facts.folder);
  return choice;
}

bool exports_file(ExportKind kind, bool several) {
  return kind == ExportKind::kHtml || (kind == ExportKind::kTrace && !several);
}

std::vector<std::string> exported_runs(const RunsChoice& choice) {
  if (!choice.marked.empty()) return {choice.marked.begin(), choice.marked.end()};
  if (choice.selected.empty()) return {};
  return {choice.selected};
}

ExportQuestionView build_export_question(const ExportFacts& facts, const ExportChoice& choice) {
  ExportQuestionView view;
  view.title = "Export " + facts.label;
  view.where = exports_file(choice.kind, facts.several()) ? "File" : "Folder";
  if (choice.kind == ExportKind::kCsv) {
    view.what = "One row per record, nothing downsampled. Files of an earlier export are replaced.";
    for (const std::string_view name : facts.tables)
      view.tables.push_back({std::string(name), !choice.left_out.contains(name)});
  } else if (choice.kind == ExportKind::kTensorBoard) {
    view.what =
        "Every scalar as event files, a folder per rank. Open them with: tensorboard --logdir "
        "FOLDER";
  } else if (choice.kind == ExportKind::kTrace) {
    view.what =
        "The newest steps of all ranks under each other, with their collectives. Open the file in "
        "ui.perfetto.dev or chrome://tracing.";
  } else {
    view.what = "Charts, tables, notices and settings in one self-contained file.";
  }
  if (facts.several() && choice.kind != ExportKind::kHtml)
    view.what += " Each run gets a folder of its own in this one.";
  const std::string& path = choice.paths[static_cast<std::size_t>(choice.kind)];
  const bool none = !view.tables.empty() &&
                    std::ranges::none_of(view.tables, [](const auto& table) { return table.on; });
  if (facts.busy) {
    view.problem = "An export is being written.";
  } else if (none) {
    view.problem = label::kChooseTable;
  } else if (path.empty()) {
    view.problem = label::kNoPath;
  } else if (path.front() != '/' && path.front() != '~') {
    view.problem = "The path must start with / or ~.";
  }
  view.can_export = view.problem.empty();
  return view;
}

ExportRun export_command(const ExportFacts& facts, const ExportChoice& choice) {
  ExportRun command;
  command.ids = facts.ids;
  command.kind = choice.kind;
  command.path = choice.paths[static_cast<std::size_t>(choice.kind)];
  if (choice.kind != ExportKind::kCsv) return command;
  for (const auto& table : build_export_question(facts, choice).tables) {
    if (table.on) command.tables.push_back(table.name);
  }
  return command;
}

}  // namespace ringside::view
