// The question before an export: of which kind, which tables, where to. Plain data and pure
// functions.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/command.h"

namespace ringside::view {

/// Labels of the question. What follows ## is not drawn.
namespace label {
inline constexpr const char* kExportNow = "Export##now";
inline constexpr const char* kChooseTable = "Choose a table.";
inline constexpr const char* kNoPath = "Enter a path.";
}  // namespace label

inline constexpr std::size_t kExportKinds = 4;

/// The run to export, and what can be chosen.
struct ExportFacts {
  std::string id;
  std::string label;                         ///< "#12"
  std::string folder;                        ///< where exports of the run go
  std::span<const std::string_view> tables;  ///< of the CSV export, in the order of its files
  bool busy = false;                         ///< an export goes on already
};

/// What the person chose so far.
struct ExportChoice {
  ExportKind kind = ExportKind::kCsv;
  std::set<std::string, std::less<>> left_out;  ///< tables
  std::array<std::string, kExportKinds> paths;  ///< by kind, as typed
};

/// All tables, each kind at its place in the folder of the run.
ExportChoice first_export_choice(const ExportFacts& facts);

struct ExportQuestionView {
  std::string title;  ///< "Export #12"
  std::string what;   ///< what the kind writes, in a sentence
  std::string where;  ///< "Folder", "File"
  struct Table {
    std::string name;
    bool on = true;
  };
  std::vector<Table> tables;  ///< CSV only
  bool can_export = false;
  std::string problem;  ///< why not; empty when it can
};
ExportQuestionView build_export_question(const ExportFacts& facts, const ExportChoice& choice);

ExportRun export_command(const ExportFacts& facts, const ExportChoice& choice);

/// "CSV tables", "TensorBoard", "HTML report"
const char* name_of(ExportKind kind);
/// Where a kind goes by itself: the folder, tensorboard/ in it, report.html in it.
std::string export_place(ExportKind kind, const std::string& folder);

}  // namespace ringside::view
