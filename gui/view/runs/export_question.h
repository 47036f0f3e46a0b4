// The question before an export: its format, its tables, its target. Plain data and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/command.h"
#include "gui/view/runs/runs_view.h"

namespace ringside::view {

/// Labels of the question. Text after ## is not drawn.
namespace label {
inline constexpr const char* kExportNow = "Export##now";
inline constexpr const char* kBrowseExport = "Browse…##export";
inline constexpr const char* kChooseTable = "Choose a table.";
inline constexpr const char* kAllTables = "All##tables";
inline constexpr const char* kNoTables = "None##tables";
inline constexpr const char* kNoPath = "Enter a path.";
}  // namespace label

inline constexpr std::size_t kExportKinds = 4;

/// The runs to export, and their choices.
struct ExportFacts {
  std::vector<std::string> ids;
  std::string label;   ///< "#12", "3 runs"
  std::string folder;  ///< default folder for exports of the run, or of several
  /// Tables of the CSV export, in the order of its files.
  std::span<const std::string_view> tables;
  bool busy = false;  ///< another export is running
  bool several() const { return ids.size() > 1; }
};

/// The choices of the person so far.
struct ExportChoice {
  ExportKind kind = ExportKind::kCsv;
  std::set<std::string, std::less<>> left_out;  ///< tables that are not exported
  std::array<std::string, kExportKinds> paths;  ///< by kind, as typed
};

/// All tables, and for each format its default path in the run's folder.
ExportChoice first_export_choice(const ExportFacts& facts);

struct ExportQuestionView {
  std::string title;  ///< "Export #12"
  std::string what;   ///< one sentence about the output
  std::string where;  ///< "Folder", "File"
  struct Table {
    std::string name;
    bool on = true;
  };
  std::vector<Table> tables;  ///< CSV only
  bool can_export = false;
  std::string problem;  ///< why it cannot be exported; empty: it can
};
ExportQuestionView build_export_question(const ExportFacts& facts, const ExportChoice& choice);

ExportRun export_command(const ExportFacts& facts, const ExportChoice& choice);

/// "CSV tables", "TensorBoard", "HTML report"
const char* name_of(ExportKind kind);
/// Whether a format is one file, else a folder. The report of several runs is one file.
bool exports_file(ExportKind kind, bool several);
/// The default path of a format for one run: the folder, tensorboard/ in it, report.html in it.
std::string export_place(ExportKind kind, const std::string& folder);
/// Returns the runs that an export from the list is about: the marked ones, else the selected one.
std::vector<std::string> exported_runs(const RunsChoice& choice);

}  // namespace ringside::view
