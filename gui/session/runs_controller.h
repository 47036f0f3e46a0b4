// The state behind the Runs page: scans the runs folder in the background and keeps the person's
// filter and order. Main thread; the scan is a job that owns the catalogue while it runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gui/runs/catalogue.h"
#include "gui/session/jobs.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

class RunsController {
 public:
  static constexpr double kFreshS = 3;

  RunsController(const std::filesystem::path& runs_dir, Jobs& jobs);
  /// Does not wait for a long log that is being read.
  ~RunsController();
  RunsController(const RunsController&) = delete;
  RunsController& operator=(const RunsController&) = delete;

  /// Checks all folders again, after a scan in progress has finished.
  void scan();
  /// Checks what can have changed: active runs, and folders that were added or removed.
  void poll();
  /// Called while the list is on the screen: calls scan() or poll() every kFreshS.
  void keep_fresh();
  /// Whether the first scan has finished, so that the runs are known.
  bool looked() const { return looked_; }
  /// Whether all logs have been read and no scan is in progress.
  bool settled() const { return unread_ == 0 && !wants_all_ && !jobs_.running("scan"); }
  /// Writes labels that were typed. True if something shown has changed.
  bool update();
  void apply(const view::ListCommand& command);
  const view::RunsChoice& choice() const { return choice_; }

  const std::vector<runs::RunSummary>& runs() const { return runs_; }
  const runs::RunSummary* find(const std::string& id) const;
  /// True once after runs were added, removed or ended, when all logs have been read.
  bool take_roster_change() { return std::exchange(roster_changed_, false); }
  /// Ids marked for comparison.
  const std::set<std::string>& marked() const { return choice_.marked; }
  bool marks_changed() const { return marks_changed_; }
  bool take_marks_change() { return std::exchange(marks_changed_, false); }
  /// The newest run that has ended.
  std::optional<view::LastResult> last_result() const;
  const std::string& problem() const { return problem_; }
  /// Why labels that a person edited could not be written; empty: they were, or this was returned.
  std::string take_unsaved() { return std::exchange(unsaved_, {}); }
  void fill(view::RunsInput& input) const;

 private:
  struct Scanner;
  void select_first();
  void select_neighbour(std::span<const view::RunSummary> fresh);
  void note_roster();
  void mark(const view::MarkRun& wanted);
  void edit_labels(const view::EditLabels& edit);
  void tag(const view::TagRuns& wanted);
  void write_labels();

  Jobs& jobs_;
  std::shared_ptr<Scanner> scanner_;
  std::vector<runs::RunSummary> runs_;
  std::vector<view::RunSummary> shown_;
  view::RunsChoice choice_;
  std::map<std::string, view::EditLabels> unwritten_;  ///< labels as last typed
  std::string problem_;
  std::string unsaved_;
  std::size_t unread_ = 0;  ///< runs of which only the folder is known
  bool looked_ = false;     ///< the first scan has ended
  bool wants_all_ = false;  ///< a scan of all folders is due
  std::size_t roster_ = 0;
  bool roster_changed_ = false;
  bool marks_changed_ = true;
  std::int64_t fresh_ns_ = 0;  ///< time of the last scan
  int looks_ = 0;
  std::uint64_t revision_ = 1;
  std::uint64_t updated_ = 1;
};

}  // namespace ringside::session
