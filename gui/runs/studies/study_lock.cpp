#include "gui/runs/studies/study_lock.h"

#include <system_error>
#include <utility>

#include "gui/runs/studies/study.h"

namespace ringside::runs {

namespace fs = std::filesystem;

Result<StudyLock> StudyLock::take(const fs::path& runs_dir, const std::string& study,
                                  std::int64_t wait_ns, const std::function<bool()>& cancelled) {
  std::error_code error;
  fs::create_directories(studies_dir(runs_dir), error);
  fs::path path = studies_dir(runs_dir) / (study + ".lock");
  auto lock = RINGSIDE_TRY(FileLock::take_within(path, wait_ns, cancelled));
  if (lock) return StudyLock(std::move(path), std::move(*lock));
  return bad_request("study " + study +
                     " is being started, stopped or deleted by another program; try again when "
                     "that is done");
}

StudyLock::~StudyLock() {
  std::error_code ignored;
  // The file is removed before it is unlocked: whoever has it open checks whether it still exists.
  if (lock_.descriptor() >= 0) fs::remove(path_, ignored);
}

}  // namespace ringside::runs
