// The manual in the window: read once, when it is first wanted, and which part of it is wanted.
// Main thread; the reading is a job.
#pragma once

#include <memory>
#include <string>

#include "gui/session/jobs.h"
#include "gui/view/manual/manual_places.h"

namespace ringside::session {

class ManualController {
 public:
  explicit ManualController(Jobs& jobs) : jobs_(jobs) {}

  /// Reads it where that has not been done, or has failed.
  void read();
  void open(view::ManualPlace place);
  /// Lives until the next read().
  view::ManualInput facts() const;

 private:
  Jobs& jobs_;
  std::shared_ptr<const manual::Manual> manual_;
  std::string problem_;
  view::ManualPlace wanted_;
  int times_ = 0;
};

}  // namespace ringside::session
