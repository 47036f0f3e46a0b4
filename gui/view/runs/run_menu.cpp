#include "gui/view/runs/run_menu.h"

#include <algorithm>

#include "gui/view/number_format.h"
#include "gui/view/runs/compare_view.h"

namespace ringside::view {
namespace {

MenuEntry mark_entry(const std::string& id, const RunsChoice& choice) {
  const bool marked = choice.marked.contains(id);
  const bool room = marked || choice.marked.size() < kMostCompared;
  return {"Mark to compare", "Space", MarkRun{id, !marked}, marked, room};
}

}  // namespace

bool can_delete(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::kFinished:
    case RunOutcome::kFailed:
    case RunOutcome::kStopped:
    case RunOutcome::kDidNotDie:
    case RunOutcome::kInterrupted:
    case RunOutcome::kUnknown:
      return true;
    default:
      return false;
  }
}

Menu run_menu(const RunSummary& run, const RunsChoice& choice, bool elsewhere) {
  EditLabels star{run.id};
  star.starred = !run.starred;
  const bool several = choice.marked.size() > 1 && choice.marked.contains(run.id);
  const std::string tags =
      several ? "Tags of " + std::to_string(choice.marked.size()) + " marked runs…" : label::kTags;
  return {
      {"Open", "Enter", OpenRun{run.id}},
      {"Replay", "R", Replay{run.id, kReplaySpeed}},
      mark_entry(run.id, choice),
      {},
      {run.starred ? label::kUnstar : label::kStar, "Shift S", star, false, !elsewhere},
      {label::kRename, "F2", {}, false, !elsewhere},
      {tags, "Shift T", {}, false, !elsewhere},
      {},
      {"Use settings", "", UseSettings{run.id}},
      {"Use as baseline", "", SetBaseline{run.id}},
      {several ? "Export the marked runs…" : "Export…",
       several || choice.marked.empty() ? "Ctrl E" : "", AskExport{tagged_ids(run.id, choice)}},
      submenu("Copy", {{"Id", "", CopyText{run.id}},
                       {"Name", "", CopyText{run.title}},
                       {"Path of its folder", "", CopyText{run.folder}}}),
      {label::kOpenFolder, "", OpenFolder{run.folder}},
      {},
      {label::kDelete, "Delete", TrashRun{run.id}, false, can_delete(run.outcome)},
  };
}

std::vector<std::string> tagged_ids(const std::string& id, const RunsChoice& choice) {
  if (choice.marked.contains(id)) return {choice.marked.begin(), choice.marked.end()};
  return {id};
}

std::string tags_title(std::span<const RunSummary> runs, const std::vector<std::string>& ids) {
  if (ids.size() != 1) return "Tags of " + std::to_string(ids.size()) + " marked runs";
  const auto run = std::ranges::find(runs, ids.front(), &RunSummary::id);
  return "Tags of run " + (run == runs.end() ? ids.front() : run_label(run->number, run->id));
}

}  // namespace ringside::view
