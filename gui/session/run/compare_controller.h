// The runs that are marked for comparison: a model and a feed for each, as many as fit on the
// panel. Main thread; each feed has a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gui/launch/program/saved_program.h"
#include "gui/model/run_model.h"
#include "gui/runs/catalogue.h"
#include "gui/session/run/feed.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

class CompareController {
 public:
  explicit CompareController(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Opens runs that were newly marked and closes those no longer marked. Newest first.
  void set_marked(const std::set<std::string>& marked, const std::vector<runs::RunSummary>& runs);
  /// Takes new records within the time budget of a frame. True if something on the screen has
  /// changed.
  bool update();
  /// Whether records are waiting to be taken.
  bool more() const;
  void fill(view::RunsInput& input) const;

 private:
  struct Open {
    std::string id;
    std::unique_ptr<model::RunModel> model;
    std::unique_ptr<Feed> feed;
    std::unique_ptr<const launch::SavedProgram> program;  ///< null: nothing was saved
  };
  std::vector<Open>::iterator find(const std::string& id);

  std::function<void()> wake_;
  std::vector<Open> open_;
  std::vector<view::ComparedRun> compared_;
  std::uint64_t revision_ = 1;
};

}  // namespace ringside::session
