#include "gui/session/studies/study_runs.h"

#include <cmath>
#include <system_error>
#include <utility>

#include "gui/launch/plan.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/run_figures.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;

// Older ones are likely to be of another version of everything else.
constexpr std::size_t kMostEarlier = 500;

}  // namespace

KnownRun known_run(const fs::path& runs_dir, const std::string& id) {
  const runlog::RunFolder folder(runs_dir / id);
  std::error_code ignored;
  if (!fs::exists(folder.spec_path(), ignored)) return {};
  const auto run = runs::read_summary({folder, 0});
  KnownRun known{run.state.word, run.state.live, folder.attempts() > 0, 0};
  if (run.state.word == "finished" && std::isfinite(run.figures.train_seconds))
    known.seconds = run.figures.train_seconds;
  return known;
}

std::map<std::string, KnownRun> known_runs(const fs::path& runs_dir, const runs::Study& study) {
  std::map<std::string, KnownRun> known;
  for (const runs::StudySetting& setting : study.settings) {
    for (const std::string& id : setting.runs) {
      if (!id.empty()) known[id] = known_run(runs_dir, id);
    }
  }
  return known;
}

EarlierRuns::EarlierRuns(const fs::path& runs_dir) {
  const auto listed = runs::list_runs(runs_dir);
  for (std::size_t i = listed ? listed->size() : 0; i-- > 0 && all_.size() < kMostEarlier;) {
    auto spec = runs::read_spec((*listed)[i].folder);
    if (spec) all_.push_back({(*listed)[i].folder, std::move(*spec), {}, false});
  }
}

void EarlierRuns::leave(const std::string& id) {
  for (One& one : all_) one.taken = one.taken || one.folder.id() == id;
}

std::string EarlierRuns::take(const messages::RunSpec& spec, const launch::Machine& machine) {
  for (One& one : all_) {
    if (one.taken) continue;
    const launch::EarlierRun earlier{one.folder.id(), one.spec, true};
    if (!launch::not_a_repeat(spec, earlier, machine).empty() ||
        !today_.changed_since(one.folder, one.spec.program).empty())
      continue;
    if (!one.finished) {
      const auto figures = runs::read_figures(one.folder, one.spec);
      one.finished = figures.state && figures.state->state == messages::State::kFinished &&
                     figures.state->attempt == 0;
    }
    if (!*one.finished) continue;
    one.taken = true;
    return earlier.id;
  }
  return {};
}

}  // namespace ringside::session
