#include "gui/session/machines/command_there.h"

#include <utility>

#include "gui/view/carry_out.h"

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

namespace {

CommandThere measure_pair(const view::MeasurePair& wanted) {
  return {"measure pair",
          {"ab", wanted.first, wanted.second, "--repeats", std::to_string(view::kPairsOfWindow),
           "--detach"},
          "Starting a study",
          "A study trains",
          {},
          {}};
}

CommandThere stop_study(const std::string& name) {
  return {"stop " + name, {"stop", name}, "Stopping study " + name, {}, {}, {}};
}

CommandThere continue_study(const std::string& name) {
  return {"resume " + name,
          {"resume", name, "--detach"},
          "Going on with study " + name,
          "Study " + name + " goes on",
          {},
          {}};
}

/// The answers for one group of commands.
template <class Group, class... Answers>
requires view::kHandles<view::HandlerSet<Answers...>, Group> Elsewhere answer(const Group& group,
                                                                              Answers... answers) {
  return std::visit([all = view::HandlerSet<Answers...>{std::move(answers)...}](
                        const auto& one) -> Elsewhere { return all(one); },
                    group);
}

/// The answer for these kinds.
template <class Kind>
struct HereOf {
  DoneHere operator()(const Kind& /*command*/) const { return {}; }
};
template <class... Kinds>
struct Here : HereOf<Kinds>... {
  using HereOf<Kinds>::operator()...;
};

Elsewhere answer_of(const view::RunCommand& command) {
  return answer(command,
                Here<view::StartRun, view::StopRun, view::ResumeRun, view::OpenRun, view::Replay,
                     view::CompareWith, view::SaveImage>(),
                [](const view::ProveChange&) { return OnlyThere{"predictions are proved"}; });
}

Elsewhere answer_of(const view::ListCommand& command) {
  return answer(
      command,
      Here<view::SetRunFilter, view::SortRuns, view::SelectRun, view::MarkRun, view::ClearMarks,
           view::SetCompare>(),
      [](const view::EditLabels&) { return OnlyThere{"names, tags and notes are written"}; });
}

Elsewhere answer_of(const view::FolderCommand& command) {
  return answer(
      command, Here<view::OpenFolder, view::UndoTrash, view::BrowseRuns, view::BrowseScript>(),
      [](const view::TrashRun& run) { return trash_run(run.id); },
      [](const view::TrashStudy& study) { return trash_study(study); },
      [](const view::ImportRun&) { return OnlyThere{"runs are imported"}; },
      [](const view::WatchFolder&) { return OnlyThere{"what another tool writes is followed"}; });
}

Elsewhere answer_of(const view::StudyCommand& command) {
  return answer(
      command,
      Here<view::SelectStudy, view::SetScalingMetric, view::SelectSetting, view::AskStudy,
           view::EditStudy, view::StartStudy, view::ExportStudy>(),
      [](const view::MeasurePair& wanted) { return measure_pair(wanted); },
      [](const view::ContinueStudy& study) { return continue_study(study.name); },
      [](const view::StopStudy& study) { return stop_study(study.name); });
}

/// A group whose commands change nothing of a run; a stack is offered of processes here alone.
template <class Group>
concept ShowsOnly =
    view::kInGroup<Group, std::variant<view::PageCommand, view::PlaybackCommand, view::ChartCommand,
                                       view::FormCommand, view::SamplerCommand, view::ExportCommand,
                                       view::AlertCommand, view::DoctorCommand, view::StackCommand,
                                       view::SheetCommand, view::WindowCommand>>;

template <ShowsOnly Group>
Elsewhere answer_of(const Group& /*group*/) {
  return DoneHere();
}

}  // namespace

Elsewhere elsewhere(const view::Command& command) {
  return std::visit([](const auto& group) { return answer_of(group); }, command);
}

}  // namespace ringside::session
