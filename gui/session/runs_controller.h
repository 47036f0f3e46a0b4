// The Runs place behind the list: scans the runs folder in the background and keeps the person's
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
#include <vector>

#include "gui/runs/catalogue.h"
#include "gui/session/jobs.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

class RunsController {
 public:
  RunsController(const std::filesystem::path& runs_dir, Jobs& jobs);
  ~RunsController();

  /// Looks at all folders again, when the scan that may be under way is done.
  void scan();
  /// Looks at what can have changed: runs that go on, and folders that came or went.
  void poll();
  /// The first look has ended: it is known which runs there are.
  bool looked() const { return looked_; }
  /// Everything is read, and nothing is under way.
  bool settled() const { return unread_ == 0 && !wants_all_ && !jobs_.running("scan"); }
  /// A log of gigabytes that is being read does not hold up the end of the program.
  void leave();
  /// Writes labels that were typed. True when something shown has changed.
  bool update();
  void apply(const view::ListCommand& command);
  const std::string& filter() const { return choice_.filter; }

  const std::vector<runs::RunSummary>& runs() const { return runs_; }
  const runs::RunSummary* find(const std::string& id) const;
  /// Changes when runs came, went or finished, once all are read.
  std::uint64_t roster_revision() const { return roster_revision_; }
  /// Ids marked for comparison; their revision changes with them.
  const std::set<std::string>& marked() const { return choice_.marked; }
  std::uint64_t marks_revision() const { return marks_revision_; }
  /// The newest run that has ended.
  std::optional<view::LastResult> last_result() const;
  const std::string& problem() const { return problem_; }
  void fill(view::RunsInput& input) const;

 private:
  struct Scanner;
  void select_first();
  void select_neighbour(std::span<const view::RunSummary> fresh);
  void note_roster();
  void mark(const view::MarkRun& wanted);
  void edit_labels(const view::EditLabels& edit);
  void write_labels();

  Jobs& jobs_;
  std::shared_ptr<Scanner> scanner_;
  std::vector<runs::RunSummary> runs_;
  std::vector<view::RunSummary> shown_;
  view::RunsChoice choice_;
  std::map<std::string, runs::RunLabels> unwritten_;  ///< labels as last typed
  std::string problem_;
  std::size_t unread_ = 0;  ///< runs of which only the folder is known
  bool looked_ = false;     ///< the first look has ended
  bool wants_all_ = false;  ///< a look at all folders is due
  std::size_t roster_ = 0;
  std::uint64_t roster_revision_ = 0;
  std::uint64_t marks_revision_ = 1;
  std::uint64_t revision_ = 1;
  std::uint64_t updated_ = 1;
};

}  // namespace ringside::session
