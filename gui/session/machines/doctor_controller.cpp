#include "gui/session/machines/doctor_controller.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "gui/doctor/examination.h"
#include "gui/doctor/report_file.h"
#include "gui/view/carry_out.h"

namespace ringside::session {

struct DoctorController::Shared {
  std::atomic<bool> cancelled{false};
  std::mutex mutex;
  std::uint64_t revision = 0;
  std::vector<doctor::CheckResult> results;
  std::string progress;
};

DoctorController::DoctorController(std::filesystem::path runs_dir, Jobs& jobs,
                                   std::function<void()> wake)
    : runs_dir_(std::move(runs_dir)), jobs_(jobs), wake_(std::move(wake)) {}

DoctorController::~DoctorController() {
  if (shared_) shared_->cancelled = true;
}

void DoctorController::look() {
  jobs_.start(
      "doctor",
      [this, runs_dir = runs_dir_]() -> Jobs::Completion {
        auto found = doctor::examine_machine(runs_dir);
        return [this, found = std::move(found)] {
          facts_.machine = found.checks;
          facts_.has_gpus = found.machine && !found.machine->gpus.empty();
          facts_.problem = found.machine ? "" : found.machine.error().message;
        };
      },
      JobKind::kReads);
}

void DoctorController::apply(const view::DoctorCommand& command) {
  view::carry_out(
      command, [this](const view::ExamineTraining& wanted) { examine(wanted.gpu); },
      [this](const view::CancelExamination&) {
        if (shared_) shared_->cancelled = true;
      });
}

void DoctorController::examine(bool gpu) {
  auto shared = std::make_shared<Shared>();
  const auto job = [this, shared, gpu, wake = wake_]() -> Jobs::Completion {
    doctor::DoctorRequest request;
    request.gpu = gpu;
    request.quick = true;
    request.cancelled = [shared] { return shared->cancelled.load(); };
    const auto watch = [shared, wake](const doctor::CheckKind& kind,
                                      const doctor::CheckResult* result) {
      {
        const std::lock_guard<std::mutex> lock(shared->mutex);
        shared->progress = std::to_string(kind.number) + "  " + std::string(kind.title) + "…";
        if (result != nullptr) shared->results.push_back(*result);
        ++shared->revision;
      }
      if (!shared->cancelled) wake();
    };
    const auto machine = launch::read_machine(request.cancelled);
    Result<std::filesystem::path> file = pass(machine);
    if (machine)
      file = doctor::write_report(*machine, request, doctor::examine(*machine, request, watch));
    return [this, file] {
      update();
      facts_.progress.clear();
      facts_.report = file ? file->string() : "";
      facts_.problem = file ? "" : file.error().message;
    };
  };
  if (!jobs_.start("doctor runs", job)) return;
  shared_ = std::move(shared);
  seen_ = 0;
  facts_.training.clear();
  facts_.report.clear();
  facts_.progress = "Looking at the machine…";
}

bool DoctorController::update() {
  if (!shared_) return false;
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  if (shared_->revision == seen_) return false;
  seen_ = shared_->revision;
  facts_.training = shared_->results;
  facts_.progress = shared_->progress;
  return true;
}

}  // namespace ringside::session
