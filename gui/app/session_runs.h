// The Runs place behind the list: scans the runs folder in the background and keeps the person's
// filter and order. Main thread; the scan is a job that owns the catalogue while it runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gui/app/session_jobs.h"
#include "gui/runs/catalogue.h"
#include "gui/ui/screen.h"

namespace ringside::app {

class RunsDesk {
 public:
  RunsDesk(std::filesystem::path runs_dir, Jobs& jobs);
  ~RunsDesk();

  /// Scans again, unless a scan is under way.
  void scan();
  /// Writes labels that were typed. True when something shown has changed.
  bool update();
  bool apply(const view::Command& command);

  const std::vector<runs::RunSummary>& runs() const { return runs_; }
  const runs::RunSummary* find(const std::string& id) const;
  /// How long the last scan took: with thousands of runs it is not worth repeating often.
  std::int64_t scan_took_ns() const { return scan_took_ns_; }
  /// Ids marked for comparison; their revision changes with them.
  const std::set<std::string>& marked() const { return choice_.marked; }
  std::uint64_t marks_revision() const { return marks_revision_; }
  /// The newest run that has ended.
  std::optional<view::LastResult> last_result() const;
  const std::string& problem() const { return problem_; }
  void fill(ui::RunsInput& input) const;

 private:
  struct Scanner;
  void select_first();
  void edit_labels(const view::EditLabels& edit);
  void write_labels();

  Jobs& jobs_;
  std::shared_ptr<Scanner> scanner_;
  std::vector<runs::RunSummary> runs_;
  std::vector<view::RunSummary> shown_;
  view::RunsChoice choice_;
  std::map<std::string, runs::RunLabels> unwritten_;  ///< labels as last typed
  std::string problem_;
  std::int64_t scan_took_ns_ = 0;
  std::uint64_t marks_revision_ = 1;
  std::uint64_t revision_ = 1;
  std::uint64_t updated_ = 1;
};

}  // namespace ringside::app
