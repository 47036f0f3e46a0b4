#include "gui/session/run/compare_controller.h"

#include <algorithm>
#include <utility>

#include "gui/session/report_runs.h"
#include "protocol/runlog/program_files.h"

namespace ringside::session {
namespace {

constexpr std::int64_t kBudgetNs = 3'000'000;  // per run and frame

}  // namespace

std::vector<CompareController::Open>::iterator CompareController::find(const std::string& id) {
  return std::find_if(open_.begin(), open_.end(), [&id](const Open& run) { return run.id == id; });
}

void CompareController::set_marked(const std::set<std::string>& marked,
                                   const std::vector<runs::RunSummary>& runs) {
  std::erase_if(open_, [&marked](const Open& run) { return !marked.contains(run.id); });
  compared_.clear();
  ++revision_;
  for (const runs::RunSummary& run : runs) {
    const std::string id = run.folder.id();
    if (!marked.contains(id) || compared_.size() >= view::kMostCompared) continue;
    auto open = find(id);
    if (open == open_.end()) {
      auto feed = std::make_unique<Feed>(run.folder, Feed::Options{0, 0, false}, wake_);
      open_.push_back({id, std::make_unique<model::RunModel>(run.spec), std::move(feed), nullptr});
      open = open_.end() - 1;
      open->model->set_program_parts(runlog::noted_program_files(run.folder).parts);
      open->program = program_of(run.folder);
    }
    compared_.push_back(compared_run(run, *open->model, open->program.get()));
  }
}

bool CompareController::update() {
  bool changed = false;
  for (Open& run : open_) changed = run.feed->drain(*run.model, kBudgetNs) || changed;
  if (changed) ++revision_;
  return changed;
}

bool CompareController::more() const {
  return std::any_of(open_.begin(), open_.end(), [](const Open& run) { return run.feed->more(); });
}

void CompareController::fill(view::RunsInput& input) const {
  input.compared = compared_;
  input.compared_revision = revision_;
}

}  // namespace ringside::session
