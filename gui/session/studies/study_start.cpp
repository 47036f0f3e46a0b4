#include "gui/session/studies/study_start.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "gui/launch/program/saved_program.h"
#include "gui/place/run_place.h"
#include "gui/runs/studies/study_lock.h"
#include "gui/session/studies/study_runs.h"
#include "protocol/base/clock.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;
using runs::Study;

// An agent may take some time to start, and so may a program of Slurm for each job.
constexpr std::int64_t kStartNs = 3 * launch::kComeUpNs;

/// Locks the folders of all runs of the plan in their order, existing and new ones, and enters the
/// new ids into the study. Fails if another program has locked one.
Result<std::vector<launch::LockedFolder>> lock_all(const fs::path& runs_dir, StudyPlan& plan,
                                                   std::vector<launch::LockedFolder> made) {
  std::vector<launch::LockedFolder> runs;
  auto next = made.begin();
  for (const StudyPlan::Place& place : plan.places) {
    if (place.existing.empty()) {
      if (runs::StudySetting* const setting = plan.study.find(place.key))
        setting->runs[static_cast<std::size_t>(place.repeat - 1)] = next->folder.id();
      runs.push_back(std::move(*next++));
      continue;
    }
    const runlog::RunFolder folder(runs_dir / place.existing);
    auto lock = RINGSIDE_TRY(runlog::FolderLock::take(folder));
    runs.push_back({folder, std::move(lock)});
  }
  return runs;
}

/// Reads the study from its file. A bad request if it has changed since it was planned.
Result<Study> as_planned(const fs::path& runs_dir, const StudyPlan& plan) {
  const std::string& name = plan.study.head.study;
  auto now = runs::read_study(runs_dir, name);
  if (!now || runs::study_text(*now) == plan.before) return now;
  return bad_request("study " + name +
                     " was changed by another program after this was planned; `ringside show " +
                     name + "` shows what it has now");
}

/// Fails if the place has ended meanwhile, or if stopped steps of the study are still about to
/// begin.
Result<void> can_begin(const fs::path& runs_dir, const StudyPlan& plan,
                       const launch::Cancelled& cancelled) {
  if (plan.places.empty() || plan.study.settings.empty()) return {};
  std::vector<runlog::RunFolder> runs;
  for (const runs::StudySetting& setting : plan.study.settings) {
    for (const auto* ids : {&setting.runs, &setting.left_out}) {
      for (const std::string& id : *ids)
        if (!id.empty()) runs.emplace_back(runs_dir / id);
    }
  }
  return plan.where->can_begin(runs, cancelled);
}

/// Creates what is new, writes the study and starts it. `made`: the new folders, also after a
/// failure.
Result<launch::Started> begin(const fs::path& runs_dir, StudyPlan& plan,
                              std::vector<runlog::RunFolder>& made,
                              const launch::Cancelled& cancelled) {
  RINGSIDE_TRY(can_begin(runs_dir, plan, cancelled));
  launch::Plan fresh = plan.plan;
  fresh.runs.clear();
  for (std::size_t i = 0; i < plan.places.size(); ++i) {
    const std::string& existing = plan.places[i].existing;
    const launch::PlannedRun& run = plan.plan.runs[i];
    if (existing.empty()) {
      fresh.runs.push_back(run);
    } else {
      launch::keep_program(runlog::RunFolder(runs_dir / existing), run.spec.program);
    }
  }
  auto folders = RINGSIDE_TRY(launch::make_folders(fresh, runs_dir, SystemClock()));
  for (const auto& run : folders) made.push_back(run.folder);
  auto locked = RINGSIDE_TRY(lock_all(runs_dir, plan, std::move(folders)));
  if (!plan.study.settings.empty()) {
    RINGSIDE_TRY(runs::write_study(runs_dir, plan.study, made));
  }
  if (plan.prepare) {
    RINGSIDE_TRY(plan.prepare(made));
  }
  if (locked.empty()) return launch::Started{};
  return plan.where->start(std::move(locked), plan.plan, cancelled);
}

/// The runs of a study, last first, so that waiting runs are stopped before the active one and do
/// not begin when it ends.
std::vector<std::string> last_first(const Study& study) {
  std::vector<std::string> ids;
  for (const runs::StudySetting& setting : study.settings)
    ids.insert(ids.end(), setting.runs.begin(), setting.runs.end());
  std::erase(ids, std::string());
  std::sort(ids.rbegin(), ids.rend());
  return ids;
}

}  // namespace

Result<StartedStudy> start_study(const fs::path& runs_dir, StudyPlan plan,
                                 const launch::Cancelled& cancelled) {
  std::vector<runlog::RunFolder> made;
  if (plan.study.settings.empty()) {
    auto started = begin(runs_dir, plan, made, cancelled);
    if (started) return StartedStudy{std::move(plan), std::move(*started)};
    if (!plan.where->has_begun()) launch::remove_unused(made);
    return pass(started);
  }
  const bool is_new = plan.study.head.study.empty();
  if (is_new) {
    const auto name = RINGSIDE_TRY(runs::new_study(runs_dir));
    plan.study.head.study = name;
  }
  const std::string name = plan.study.head.study;
  const auto lock = runs::StudyLock::take(runs_dir, name);
  auto before = !lock    ? Result<Study>(pass(lock))
                : is_new ? Result<Study>(Study{})
                         : as_planned(runs_dir, plan);
  auto started =
      before ? begin(runs_dir, plan, made, cancelled) : Result<launch::Started>(pass(before));
  if (started) return StartedStudy{std::move(plan), std::move(*started)};
  launch::remove_unused(made);
  if (is_new) {
    runs::remove_study(runs_dir, name);
  } else if (before) {
    (void)runs::write_study(runs_dir, *before);
  }
  return pass(started);
}

Result<std::string> stop_run(const runs::RunSummary& run, wire::StopMode mode) {
  auto asked = place::ask_stop(run.folder, mode);
  const bool waits = run.spec.baseline.mode == "run" && run.state.word == "queued";
  const RunId& own = run.spec.baseline.run;
  if (asked && waits && !own.empty() && own.find('/') == own.npos)
    (void)place::ask_stop(runlog::RunFolder(run.folder.path().parent_path() / own), mode);
  return asked;
}

Result<StoppedStudy> stop_study(const fs::path& runs_dir, const std::string& name,
                                wire::StopMode mode, const launch::Cancelled& cancelled) {
  auto study = runs::read_study(runs_dir, name);
  if (!study) return pass(study);
  const auto lock = runs::StudyLock::take(runs_dir, study->head.study, kStartNs, cancelled);
  // If the lock file cannot be written, the runs can still be asked to stop.
  if (!lock && lock.error().kind == ErrorKind::kRequest) return pass(lock);
  study = runs::read_study(runs_dir, study->head.study);
  if (!study) return pass(study);
  std::set<std::string> asked;
  std::optional<Error> problem;
  // Repeats until no run is left to ask, since one may have ended and the next begun meanwhile.
  for (std::size_t before = 1; before != asked.size();) {
    before = asked.size();
    problem.reset();
    for (const std::string& id : last_first(*study)) {
      if (asked.contains(id) || !known_run(runs_dir, id).live) continue;
      const auto answer = place::ask_stop(runlog::RunFolder(runs_dir / id), mode);
      if (answer) asked.insert(id);
      if (!answer && known_run(runs_dir, id).live) problem = answer.error();
      if (problem && cancelled && cancelled()) return tl::unexpected(*problem);
    }
  }
  if (asked.empty() && problem) return tl::unexpected(*problem);
  return StoppedStudy{std::move(*study), static_cast<int>(asked.size())};
}

}  // namespace ringside::session
