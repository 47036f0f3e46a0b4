#include "gui/session/studies/try_controller.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "gui/model/run_model.h"
#include "gui/session/studies/plan_request.h"
#include "gui/session/studies/try_changes.h"

namespace ringside::session {

struct TryController::Shared {
  std::atomic<bool> stopped{false};
  std::atomic<bool> leaving{false};
  std::mutex mutex;
  std::optional<view::Tries> news;
};

TryController::TryController(std::filesystem::path runs_dir, Jobs& jobs, MessageLine& line,
                             std::function<void()> wake)
    : runs_dir_(std::move(runs_dir)), jobs_(jobs), line_(line), wake_(std::move(wake)) {}

TryController::~TryController() {
  if (shared_) shared_->leaving = true;
}

void TryController::look(const runs::ListedRun& run, bool over, const model::RunModel& model) {
  run_ = run.folder.id();
  facts_.run = run.number > 0 ? "#" + std::to_string(run.number) : run_;
  facts_.not_of_run = over ? "" : "It is still training: changes are tried when it has ended.";
  facts_.proposed.clear();
  jobs_.start(
      "what to try",
      [this, run = run_, spec = model.spec(), shown = view::shown_by(model)]() -> Jobs::Completion {
        const auto machine = launch::read_machine();
        auto all = launch::candidates(spec, machine ? *machine : launch::Machine(), false, shown);
        return [this, run, machine, all = std::move(all),
                outside = launch::only_outside(spec, shown)] {
          if (run != run_) return;
          facts_.proposed = all;
          facts_.outside = outside;
          if (!machine) facts_.not_of_run = machine.error().message;
        };
      },
      JobKind::kReads);
}

void TryController::start(const view::StartTries& wanted) {
  auto shared = std::make_shared<Shared>();
  const auto job = [this, shared, wanted, run = run_, runs_dir = runs_dir_,
                    wake = wake_]() -> Jobs::Completion {
    const auto leaving = [shared] { return shared->leaving.load(); };
    const auto cancelled = [shared] { return shared->leaving || shared->stopped; };
    const auto told = [&](const view::Tries& tries) {
      const std::lock_guard<std::mutex> lock(shared->mutex);
      shared->news = tries;
      if (!shared->leaving) wake();
    };
    const auto tried = [&]() -> Result<messages::RunSpec> {
      TryRequest request{RINGSIDE_TRY(plan_request_of_run(runs_dir, run)), run, wanted.budget_s,
                         wanted.other_numbers};
      StudyWork work{runs_dir, RINGSIDE_TRY(launch::read_machine(cancelled))};
      work.stay = [&](const StartedStudy& started) {
        wait_for_runs(started.runs, cancelled, leaving);
      };
      work.cancelled = cancelled;
      return try_changes(work, request, told);
    };
    auto best = tried();
    return [this, best = std::move(best)] {
      update();
      facts_.tries.doing.clear();
      facts_.problem = best ? "" : best.error().message;
      if (best && facts_.tries.any_kept()) best_ = *best;
      const bool well = best && facts_.tries.failed.empty();
      line_.notify(well ? view::Tone::kOk : view::Tone::kError,
                   best ? view::tries_words(facts_.tries) : facts_.problem);
    };
  };
  if (run_.empty() || !facts_.not_of_run.empty() || !jobs_.start("try changes", job)) return;
  shared_ = std::move(shared);
  best_.reset();
  facts_.problem.clear();
  facts_.tried_run = facts_.run;
  facts_.tries = {};
  facts_.tries.doing = "what fits run " + facts_.run;
}

void TryController::stop() {
  if (shared_) shared_->stopped = true;
}

bool TryController::update() {
  if (!shared_) return false;
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  if (!shared_->news) return false;
  facts_.tries = std::move(*shared_->news);
  shared_->news.reset();
  return true;
}

std::optional<messages::RunSpec> TryController::best() const {
  return facts_.tries.doing.empty() ? best_ : std::nullopt;
}

}  // namespace ringside::session
