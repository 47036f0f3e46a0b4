// Runs read from their folders for a report, with the baselines they are compared with. Reads
// files; one thread.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "gui/app/cli_json.h"
#include "gui/view/report.h"

namespace ringside::app {

class ReportRuns {
 public:
  /// One name: the run and, before it, its baseline where it has one. Several: these runs, each
  /// compared with its own baseline or, without one, with the first of them.
  static Result<ReportRuns> read(const std::filesystem::path& runs_dir,
                                 const std::vector<std::string>& names);

  /// Valid as long as this lives and stays where it is.
  std::vector<view::ReportRun> runs() const;

 private:
  struct One {
    runs::RunSummary summary;
    ReadRun read;
    std::optional<launch::NamedPreset> preset;
    std::ptrdiff_t baseline = -1;  ///< place in all_; -1: none
    bool asked = false;
  };
  std::ptrdiff_t add(runs::Catalogue& catalogue, const runs::ListedRun& listed, bool asked);

  std::deque<One> all_;
};

/// One run as a report takes it.
view::ReportRun report_run(const runs::RunSummary& summary, const ReadRun& read);

/// Tables as people read them; what does not fit is not cut.
std::string report_text(const std::vector<view::ReportTable>& tables, bool color);
/// The same tables: rows as objects, unknown cells as null.
Json report_json(const std::vector<view::ReportTable>& tables);

}  // namespace ringside::app
