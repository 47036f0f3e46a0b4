// The checks of this machine in the window: looked at when the sheet is opened, and on request with
// real runs. Main thread; the checks run in jobs and share only what they found so far.
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

  /// Examines the machine anew, without runs.
  void look();
  void apply(const view::DoctorCommand& command);
  /// True when there is news to show.
  bool update();
  view::DoctorView view() const { return view::build_doctor(facts_); }

 private:
  struct Shared;
  void examine(bool gpu);

  std::filesystem::path runs_dir_;
  Jobs& jobs_;
  std::function<void()> wake_;
  std::shared_ptr<Shared> shared_;  ///< of the newest training checks; null: there were none
  std::uint64_t seen_ = 0;          ///< revision of `shared_` that was shown last
  view::DoctorFacts facts_;
};

}  // namespace ringside::session
