// The manual in the window: reads it when it is first opened, and records which part is to be
// shown. Main thread; reading is a job.
#pragma once

#include <memory>
#include <string>

#include "gui/session/jobs.h"
#include "gui/view/manual/manual_places.h"

namespace ringside::session {

class ManualController {
 public:
  explicit ManualController(Jobs& jobs) : jobs_(jobs) {}

  /// Reads the manual unless it has already been read.
  void read();
  void open(view::ManualPlace place);
  /// Valid until the next read().
  view::ManualInput facts() const;

 private:
  Jobs& jobs_;
  std::shared_ptr<const manual::Manual> manual_;
  std::string problem_;
  view::ManualPlace wanted_;
  int times_ = 0;
};

}  // namespace ringside::session
