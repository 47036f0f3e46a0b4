#include "gui/session/machines/command_there.h"

#include <utility>

namespace ringside::session {
namespace {

CommandThere trash_run(const std::string& id) {
  return {"delete " + id,
          {"delete", id},
          {},
          "Run " + id + " was deleted",
          {"delete", id, "--restore"},
          "Run " + id + " was restored"};
}

CommandThere trash_study(const view::TrashStudy& wanted) {
  const std::string& name = wanted.name;
  CommandThere there{
      "delete " + name,
      {"delete", name},
      {},
      "Study " + name +
          (wanted.with_runs ? " was deleted with its own runs" : " was deleted, its runs stay"),
      {"delete", name, "--restore"},
      "Study " + name + " was restored"};
  if (wanted.with_runs) {
    there.words.emplace_back("--runs");
    there.undo.emplace_back("--runs");
  }
  return there;
}

}  // namespace

CommandThere stop_there(const std::string& run, view::StopMode mode) {
  CommandThere there{"stop " + run, {"stop", run}, "Stopping run " + run, {}, {}, {}};
  if (mode == view::StopMode::kNow) there.words.emplace_back("--now");
  return there;
}

CommandThere resume_there(const std::string& run) {
  return {"resume " + run,
          {"resume", run, "--detach"},
          "Starting a new attempt of run " + run,
          "Run " + run + " was resumed",
          {},
          {}};
}

CommandThere start_study_there(const view::StudyForm& form) {
  return {"start study", view::study_words(form), "Starting a study", "A study trains", {}, {}};
}

std::optional<CommandThere> command_there(const view::Command& command) {
  if (const auto* run = view::as<view::TrashRun>(command)) return trash_run(run->id);
  if (const auto* study = view::as<view::TrashStudy>(command)) return trash_study(*study);
  if (const auto* study = view::as<view::StopStudy>(command)) {
    const std::string name = "study " + study->name;
    return CommandThere{
        "stop " + study->name, {"stop", study->name}, "Stopping " + name, {}, {}, {}};
  }
  if (const auto* study = view::as<view::ContinueStudy>(command)) {
    return CommandThere{"resume " + study->name,
                        {"resume", study->name, "--detach"},
                        "Going on with study " + study->name,
                        "Study " + study->name + " goes on",
                        {},
                        {}};
  }
  return std::nullopt;
}

std::string not_there(const view::Command& command) {
  if (view::as<view::EditLabels>(command)) return "names, tags and notes are written";
  if (view::as<view::ImportRun>(command)) return "runs are imported";
  if (view::as<view::WatchFolder>(command)) return "what another tool writes is followed";
  return {};
}

}  // namespace ringside::session
