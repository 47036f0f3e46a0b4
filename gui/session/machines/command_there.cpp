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

constexpr DoneHere kHere;

Elsewhere answer_of(const view::RunCommand& command) {
  return answer(
      command, [](const view::LaunchExperiment&) { return kHere; },
      [](const view::StopRun&) { return kHere; }, [](const view::ResumeRun&) { return kHere; },
      [](const view::OpenRun&) { return kHere; }, [](const view::Replay&) { return kHere; },
      [](const view::CompareWith&) { return kHere; }, [](const view::SaveImage&) { return kHere; });
}

Elsewhere answer_of(const view::ListCommand& command) {
  return answer(
      command, [](const view::SetRunFilter&) { return kHere; },
      [](const view::SortRuns&) { return kHere; }, [](const view::SelectRun&) { return kHere; },
      [](const view::MarkRun&) { return kHere; }, [](const view::ClearMarks&) { return kHere; },
      [](const view::SetCompareAxis&) { return kHere; },
      [](const view::SetCompareMetric&) { return kHere; },
      [](const view::EditLabels&) { return OnlyThere{"names, tags and notes are written"}; });
}

Elsewhere answer_of(const view::FolderCommand& command) {
  return answer(
      command, [](const view::OpenFolder&) { return kHere; },
      [](const view::TrashRun& run) { return trash_run(run.id); },
      [](const view::TrashStudy& study) { return trash_study(study); },
      [](const view::UndoTrash&) { return kHere; },
      [](const view::ImportRun&) { return OnlyThere{"runs are imported"}; },
      [](const view::BrowseRuns&) { return kHere; },
      [](const view::BrowseScript&) { return kHere; },
      [](const view::WatchFolder&) { return OnlyThere{"what another tool writes is followed"}; });
}

Elsewhere answer_of(const view::StudyCommand& command) {
  return answer(
      command, [](const view::SelectStudy&) { return kHere; },
      [](const view::SetScalingMetric&) { return kHere; },
      [](const view::SelectSetting&) { return kHere; }, [](const view::AskStudy&) { return kHere; },
      [](const view::EditStudy&) { return kHere; }, [](const view::StartStudy&) { return kHere; },
      [](const view::ContinueStudy& study) { return continue_study(study.name); },
      [](const view::StopStudy& study) { return stop_study(study.name); },
      [](const view::ExportStudy&) { return kHere; });
}

// Groups that change nothing of a run.
Elsewhere answer_of(const view::PageCommand&) { return kHere; }
Elsewhere answer_of(const view::PlaybackCommand&) { return kHere; }
Elsewhere answer_of(const view::ChartCommand&) { return kHere; }
Elsewhere answer_of(const view::FormCommand&) { return kHere; }
Elsewhere answer_of(const view::SamplerCommand&) { return kHere; }
Elsewhere answer_of(const view::ExportCommand&) { return kHere; }
Elsewhere answer_of(const view::AlertCommand&) { return kHere; }
Elsewhere answer_of(const view::DoctorCommand&) { return kHere; }
Elsewhere answer_of(const view::StackCommand&) { return kHere; }  // offered of processes here alone
Elsewhere answer_of(const view::SheetCommand&) { return kHere; }
Elsewhere answer_of(const view::WindowCommand&) { return kHere; }

}  // namespace

Elsewhere elsewhere(const view::Command& command) {
  return std::visit([](const auto& group) { return answer_of(group); }, command);
}

}  // namespace ringside::session
