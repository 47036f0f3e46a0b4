#include "gui/session/manual_controller.h"

#include <utility>

#include "gui/view/window/manual_pages.h"

namespace ringside::session {

void ManualController::read() {
  if (manual_ != nullptr) return;
  jobs_.start(
      "read the manual",
      [this]() -> Jobs::Completion {
        auto read = view::read_whole_manual();
        std::shared_ptr<const manual::Manual> manual;
        if (read) manual = std::make_shared<const manual::Manual>(std::move(*read));
        return [this, manual = std::move(manual),
                problem = read ? std::string() : read.error().message] {
          manual_ = manual;
          problem_ = problem;
        };
      },
      JobKind::kReads);
}

void ManualController::open(view::ManualPlace place) {
  read();
  wanted_ = std::move(place);
  ++times_;
}

view::ManualInput ManualController::facts() const {
  return {manual_.get(), problem_, wanted_, times_};
}

}  // namespace ringside::session
