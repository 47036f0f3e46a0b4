#include "gui/place/run_place.h"

#include "gui/place/places.h"
#include "gui/slurm/job_ends.h"
#include "gui/slurm/jobs.h"
#include "protocol/base/clock.h"

namespace ringside::place {

void refresh(const std::filesystem::path& runs_dir, const launch::Cancelled& cancelled) {
  slurm::refresh(runs_dir, cancelled);
}

std::optional<News> news_of(const runlog::RunFolder& folder) {
  const auto job = slurm::job_of(folder);
  return job ? std::optional(news_of(*job)) : std::nullopt;
}

Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode) {
  return slurm::ask_stop(folder, mode);
}

void let_go(const runlog::RunFolder& folder) { slurm::cancel(folder); }

Result<void> disown(const runlog::RunFolder& folder) { return slurm::disown_job(folder); }

Result<launch::Experiment> start_again(const runlog::RunFolder& folder,
                                       const std::optional<messages::RunSpec>& spec,
                                       const launch::Cancelled& cancelled) {
  return slurm::read_job_file(folder) ? slurm::submit_again(folder, spec, SystemClock())
                                      : launch::start_again(folder, spec, cancelled);
}

}  // namespace ringside::place
