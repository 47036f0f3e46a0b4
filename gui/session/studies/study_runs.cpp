#include "gui/session/studies/study_runs.h"

#include <cmath>
#include <system_error>
#include <utility>

#include "gui/launch/plan.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/find_run.h"
#include "gui/runs/run_figures.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;

// Older runs are likely to be of another version of the program.
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

EarlierRuns::EarlierRuns(fs::path runs_dir, std::optional<std::vector<launch::EarlierRun>> known)
    : runs_dir_(std::move(runs_dir)) {
  if (!known) return;
  all_.emplace();
  for (launch::EarlierRun& run : *known)
    all_->push_back({runlog::RunFolder(runs_dir_ / run.id), std::move(run.spec), run.finished});
}

std::vector<EarlierRuns::One>& EarlierRuns::all() {
  if (all_) return *all_;
  all_.emplace();
  const auto listed = runs::list_runs(runs_dir_);
  for (std::size_t i = listed ? listed->size() : 0; i-- > 0 && all_->size() < kMostEarlier;) {
    auto spec = runs::read_spec((*listed)[i].folder);
    if (spec) all_->push_back({(*listed)[i].folder, std::move(*spec), {}});
  }
  return *all_;
}

void EarlierRuns::leave(const std::string& id) {
  for (One& one : all()) one.taken = one.taken || one.folder.id() == id;
}

/// `whole`: only runs that finished in their first attempt.
EarlierRuns::One* EarlierRuns::find_newest(
    const std::function<bool(const launch::EarlierRun&)>& fits, bool whole) {
  for (One& one : all()) {
    if (one.taken || one.finished == false || !fits({one.folder.id(), one.spec, true}) ||
        !today_.changed_since(one.folder, one.spec.program).empty())
      continue;
    if (!one.finished) {
      const auto state = runs::read_figures(one.folder, one.spec).state;
      one.finished =
          state && state->state == messages::State::kFinished && !(whole && state->attempt != 0);
    }
    if (*one.finished) return &one;
  }
  return nullptr;
}

std::string EarlierRuns::take(const messages::RunSpec& spec, const launch::Machine& machine) {
  One* const found = find_newest(
      [&](const auto& run) { return launch::not_a_repeat(spec, run, machine).empty(); }, true);
  if (found == nullptr) return {};
  found->taken = true;
  return found->folder.id();
}

std::optional<launch::EarlierRun> EarlierRuns::newest(
    const std::function<bool(const launch::EarlierRun&)>& fits) {
  const One* const found = find_newest(fits, false);
  if (found == nullptr) return std::nullopt;
  return launch::EarlierRun{found->folder.id(), found->spec, true};
}

Result<launch::EarlierRun> find_earlier(
    const fs::path& runs_dir, const std::string& text,
    const std::optional<std::vector<launch::EarlierRun>>& known) {
  const auto found = RINGSIDE_TRY(runs::find_run(runs_dir, text));
  launch::EarlierRun earlier{found.folder.id(), {}, false};
  const auto listed = known ? std::ranges::find(*known, earlier.id, &launch::EarlierRun::id)
                            : std::vector<launch::EarlierRun>::const_iterator();
  if (known && listed != known->end()) {
    earlier = *listed;
  } else {
    auto spec = RINGSIDE_TRY(runs::read_spec(found.folder));
    const auto figures = runs::read_figures(found.folder, spec);
    earlier.finished = figures.state && figures.state->state == messages::State::kFinished;
    earlier.spec = std::move(spec);
  }
  if (const std::string why = launch::edited_since(found.folder, earlier.spec.program);
      !why.empty())
    return bad_request("run " + earlier.id + " cannot be the baseline: " + why);
  return earlier;
}

}  // namespace ringside::session
