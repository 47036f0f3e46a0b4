#include "gui/runs/studies/study_trash.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "gui/runs/find_run.h"
#include "gui/runs/shown_state.h"
#include "gui/runs/studies/study_lock.h"
#include "gui/runs/trash.h"
#include "protocol/host/files.h"

namespace ringside::runs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostDeletedBytes = std::size_t{1} << 20;

fs::path file_in(const fs::path& folder, const std::string& name) {
  return folder / (name + ".toml");
}

/// The study to delete. A damaged file that no run can rebuild can be deleted, too: it has no runs.
Result<Study> study_to_delete(const fs::path& runs_dir, std::string_view name) {
  auto study = read_study(runs_dir, name);
  if (study) return study;
  Study damaged;
  damaged.head.study = study_name(name);
  std::error_code error;
  const bool there = !damaged.head.study.empty() &&
                     fs::exists(file_in(studies_dir(runs_dir), damaged.head.study), error);
  return there ? Result<Study>(std::move(damaged)) : study;
}

/// All runs of the study, including those that were left out later.
std::set<RunId> runs_of(const Study& study) {
  std::set<RunId> ids;
  for (const StudySetting& setting : study.settings) {
    ids.insert(setting.runs.begin(), setting.runs.end());
    ids.insert(setting.left_out.begin(), setting.left_out.end());
  }
  ids.erase("");
  return ids;
}

Result<void> moved(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::permissions(to.parent_path(), fs::perms::owner_all, error);
  fs::rename(from, to, error);
  if (!error) return {};
  return failure(from.string() + " cannot be moved to " + to.string() + ": " + error.message());
}

/// Moves the study to the trash. A study without a file gets one, so that its runs do not rebuild
/// it.
Result<void> put_away(const fs::path& runs_dir, const Study& study, const fs::path& to) {
  const fs::path from = file_in(studies_dir(runs_dir), study.head.study);
  std::error_code error;
  if (fs::exists(from, error)) return moved(from, to);
  fs::create_directories(to.parent_path(), error);
  return write_text_atomically(to, study_text(study));
}

void take_back(const fs::path& runs_dir, const std::vector<RunId>& ids) {
  for (const RunId& id : ids) (void)take_from_trash(runs_dir, id);
}

}  // namespace

Result<std::vector<RunId>> own_runs(const fs::path& runs_dir, std::string_view name) {
  const auto study = RINGSIDE_TRY(study_to_delete(runs_dir, name));
  std::set<RunId> own = runs_of(study);
  for (const StudySetting& setting : study.settings) {
    for (const RunId& id : setting.adopted) own.erase(id);
  }
  for (const Study& other : list_studies(runs_dir)) {
    if (other.head.study == study.head.study) continue;
    for (const RunId& id : runs_of(other)) own.erase(id);
  }
  std::erase_if(own, [&](const RunId& id) { return !holds_run(runs_dir / id); });
  return std::vector<RunId>(own.begin(), own.end());
}

Result<fs::path> trash_study(const fs::path& runs_dir, std::string_view name,
                             const std::vector<RunId>& with) {
  const auto named = RINGSIDE_TRY(study_to_delete(runs_dir, name));
  const std::string& known = named.head.study;
  const auto lock = StudyLock::take(runs_dir, known);
  if (!lock) return pass(lock);
  const auto study = RINGSIDE_TRY(study_to_delete(runs_dir, known));
  for (const RunId& id : runs_of(study)) {
    const runlog::RunFolder folder(runs_dir / id);
    if (holds_run(folder.path()) && agent_presence(folder) == AgentPresence::kAlive)
      return bad_request("study " + known + " is still active (run " + id +
                         "): stop it before deleting it");
  }
  std::vector<RunId> gone;
  for (const RunId& id : with) {
    const auto trashed = move_to_trash(runs_dir, runlog::RunFolder(runs_dir / id));
    if (!trashed) {
      take_back(runs_dir, gone);
      return pass(trashed);
    }
    gone.push_back(id);
  }
  const fs::path to = file_in(deleted_studies_dir(runs_dir), known);
  if (const auto away = put_away(runs_dir, study, to); !away) {
    take_back(runs_dir, gone);
    return pass(away);
  }
  return to;
}

Result<void> restore_study(const fs::path& runs_dir, std::string_view name,
                           const std::vector<RunId>& with) {
  const std::string known = study_name(name);
  const fs::path from = file_in(deleted_studies_dir(runs_dir), known);
  const fs::path to = file_in(studies_dir(runs_dir), known);
  std::error_code error;
  if (known.empty() || !fs::exists(from, error))
    return bad_request("no deleted study \"" + std::string(name) + "\" in " +
                       deleted_studies_dir(runs_dir).string());
  if (fs::exists(to, error))
    return failure("a study " + known + " exists again; the deleted one stays in " + from.string());
  if (const auto back = moved(from, to); !back) return back;
  Result<void> outcome;
  for (const RunId& id : with) {
    if (auto back = take_from_trash(runs_dir, id); !back && outcome) outcome = std::move(back);
  }
  return outcome;
}

Result<std::vector<RunId>> trashed_runs(const fs::path& runs_dir, std::string_view name) {
  const std::string known = study_name(name);
  const fs::path file = file_in(deleted_studies_dir(runs_dir), known);
  const auto text = RINGSIDE_TRY(read_text(file, kMostDeletedBytes));
  const auto study = RINGSIDE_TRY(parse_study(text, file.string()));
  std::set<RunId> ids = runs_of(study);
  const std::vector<RunId> there = trashed(runs_dir);
  std::erase_if(ids, [&](const RunId& id) { return !std::ranges::binary_search(there, id); });
  return std::vector<RunId>(ids.begin(), ids.end());
}

}  // namespace ringside::runs
