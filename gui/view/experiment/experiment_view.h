// Figures that the source of a preset published, compared with those measured here: the goal gate,
// ablation pairs, every figure by the source's clock, and the source's own tables. Each has a
// verdict in one sentence, or the reason why there is none. One builder for runs, one for a study;
// used by window, report, `show` and JSON. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gui/view/report_run.h"
#include "gui/view/table.h"
#include "gui/view/words.h"

namespace ringside::view {

/// Labels of the sheet, and of the buttons that open it.
namespace label {
inline constexpr const char* kExperiment = "Published";
inline constexpr const char* kExperimentSheet = "Published and measured";
inline constexpr const char* kCopyExperiment = "Copy##experiment";
inline constexpr const char* kCloseExperiment = "Close##experiment";
}  // namespace label

struct ExperimentVerdict {
  std::string key;   ///< "gate", "ablation", "figures", "settings"; for a finding its name
  std::string word;  ///< "Pass"
  Tone tone = Tone::kText;
  Shape shape = Shape::kNone;
  std::string text;  ///< one sentence with its figures, or why there is no verdict
};

struct ExperimentView {
  std::string title;     ///< the source; empty: nothing was published
  std::string subtitle;  ///< "e0_ddp2, run #12"
  std::string run;       ///< id of the run; empty: of a study
  std::vector<ExperimentVerdict> verdicts;
  std::vector<ExperimentVerdict> findings;  ///< of a run; shown as a table in a report
  std::vector<Table> tables;                ///< only those with rows
  Sentence empty;                           ///< shown instead if there is nothing else

  bool shown() const { return !title.empty(); }
};

/// Builds the view of the last run; the others of the same preset are further pairs of its
/// ablation.
ExperimentView build_experiment_view(std::span<const ReportRun> runs);
/// Tables of the source's figures beside those of the run; empty without a preset.
std::vector<Table> published_tables(const ReportRun& run);

/// The verdicts as a table, then the other tables.
std::vector<Table> experiment_tables(const ExperimentView& view);
std::string experiment_tsv(const ExperimentView& view);

}  // namespace ringside::view
