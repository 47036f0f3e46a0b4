// The checks of this machine in the window: they run when the sheet is opened and, with real runs,
// on request. Main thread; the checks run in jobs and share only their results so far.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "gui/session/jobs.h"
#include "gui/view/command.h"
#include "gui/view/window/doctor_view.h"

namespace ringside::session {

class DoctorController {
 public:
  /// `wake` is called from the jobs when a check has ended.
  DoctorController(std::filesystem::path runs_dir, Jobs& jobs, std::function<void()> wake);
  /// Cancels the checks that are running, so that closing does not wait for them.
  ~DoctorController();
  DoctorController(const DoctorController&) = delete;
  DoctorController& operator=(const DoctorController&) = delete;

  /// Checks the machine again, without runs.
  void look();
  void apply(const view::DoctorCommand& command);
  /// True if there is a new result to show.
  bool update();
  view::DoctorView view() const { return view::build_doctor(facts_); }

 private:
  struct Shared;
  void examine(bool gpu);

  std::filesystem::path runs_dir_;
  Jobs& jobs_;
  std::function<void()> wake_;
  std::shared_ptr<Shared> shared_;  ///< of the newest checks with runs; null: there were none
  std::uint64_t seen_ = 0;          ///< revision of `shared_` that was shown last
  view::DoctorFacts facts_;
};

}  // namespace ringside::session
