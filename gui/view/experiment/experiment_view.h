// What the source of a recipe published beside what was measured here: the goal gate, ablation
// pairs, every figure by the source's clock, the source's own tables, each judged in one sentence
// or with the reason why it cannot be. One builder for runs, one for a study; window, report,
// `show` and JSON take it from here. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gui/view/report_run.h"
#include "gui/view/table.h"
#include "gui/view/words.h"

namespace ringside::view {

/// Labels of the sheet, and of what opens it.
namespace label {
inline constexpr const char* kExperiment = "Published";
inline constexpr const char* kExperimentSheet = "Published and measured";
inline constexpr const char* kCopyExperiment = "Copy##experiment";
inline constexpr const char* kCloseExperiment = "Close##experiment";
}  // namespace label

struct ExperimentVerdict {
  std::string key;   ///< "gate", "ablation", "figures", "settings"; of a finding its name
  std::string word;  ///< "Pass"
  Tone tone = Tone::kText;
  Shape shape = Shape::kNone;
  std::string text;  ///< one sentence with its numbers, or why it cannot be judged
};

struct ExperimentView {
  std::string title;     ///< the source; empty: nothing is published
  std::string subtitle;  ///< "e0_ddp2, run #12"
  std::string run;       ///< id of the run it is about; empty: of a study
  std::vector<ExperimentVerdict> verdicts;
  std::vector<ExperimentVerdict> findings;  ///< of a run; a report has a table of them
  std::vector<Table> tables;                ///< those that have a row
  Sentence empty;                           ///< instead of all that

  bool shown() const { return !title.empty(); }
};

/// Built for the last of the runs; the others of the same preset are further pairs of its ablation.
ExperimentView build_experiment_view(std::span<const ReportRun> runs);
/// What the source of its preset published, beside what the run did; nothing without a preset.
std::vector<Table> published_tables(const ReportRun& run);

/// The verdicts as a table, then the others.
std::vector<Table> experiment_tables(const ExperimentView& view);
/// All of it for the clipboard.
std::string experiment_tsv(const ExperimentView& view);

}  // namespace ringside::view
